"""The two OpenAPI 3.1 documents: one for game clients (`sdk`), one for the studio's backend (`server`).

    document("sdk")["paths"]["/sdk/v1/players/{externalId}/friends"]["get"]["operationId"]      # friends.list

They are generated from the table of operations and the event catalog (`livecore.api.description`), and served without a key
at `/sdk/v1/openapi.json` and `/server/v1/openapi.json`.
"""

from __future__ import annotations

from livecore.api.description import describe
from livecore.api.operation import Surface
from livecore.api.operations import OPERATIONS
from livecore.kernel.errors import JsonObject

__all__ = ["document"]


def document(surface: Surface) -> JsonObject:
    """The document of a surface, as JSON data that the caller may change."""
    return describe(surface, OPERATIONS)
