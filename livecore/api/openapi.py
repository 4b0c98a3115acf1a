"""The OpenAPI 3.1 documents: for game clients (`sdk`), for the studio's backend (`server`), for operators (`admin`).

    document("sdk")["openapi"]      # 3.1.0

They are generated from the table of operations and the event catalog (`livecore.api.documents.description`), and served at
`/sdk/v1/openapi.json` and `/server/v1/openapi.json` without a key, at `/admin/v1/openapi.json` to members.
"""

from __future__ import annotations

from livecore.api.documents.description import describe
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Surface
from livecore.kernel.errors import JsonObject


def document(surface: Surface) -> JsonObject:
    """The document of a surface, as JSON data that the caller may change."""
    return describe(surface, OPERATIONS)
