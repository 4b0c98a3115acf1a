"""The JSON Schema of an export, for whoever reads one with other tools."""

from __future__ import annotations

from typing import cast

from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.schema import DIALECT, Schemas
from livecore.player_tools.export_rows import PlayerExport

__all__ = ["export_schema"]


def export_schema() -> JsonObject:
    """The schema of what lies under `data`, complete in itself; a later release may add fields to it."""
    schemas = Schemas(closed=False)
    schema = schemas.members(PlayerExport)
    return {
        "$schema": DIALECT,
        "title": "Livecore player export",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }
