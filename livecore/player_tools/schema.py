"""The JSON Schema of an export, for readers with other tools."""

from __future__ import annotations

from typing import Final, cast

from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.wire.schema import DIALECT, Schemas
from livecore.player_tools.export import export_shapes

_NONE: Final = Areas(())


def export_schema(areas: Areas = _NONE) -> JsonObject:
    """The complete schema of the value under `data`; a later release may add fields to it.

    It includes the further lists of the given areas.
    """
    schemas = Schemas(closed=False)
    schema = schemas.members(export_shapes(areas)[1])
    return {
        "$schema": DIALECT,
        "title": "Livecore player export",
        **schema,
        "$defs": cast("Json", schemas.definitions),
    }
