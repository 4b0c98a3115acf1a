"""The JSON Schema of an export, for whoever reads one with other tools."""

from __future__ import annotations

from typing import Final, cast

from livecore.kernel.area import Areas
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.schema import DIALECT, Schemas
from livecore.player_tools.export import export_shapes

__all__ = ["export_schema"]

_NONE: Final = Areas(())


def export_schema(areas: Areas = _NONE) -> JsonObject:
    """The schema of what lies under `data`, complete in itself; a later release may add fields to it.

    Given areas, their further lists are in it.
    """
    schemas = Schemas(closed=False)
    schema = schemas.members(export_shapes(areas)[1])
    return {
        "$schema": DIALECT,
        "title": "Livecore player export",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }
