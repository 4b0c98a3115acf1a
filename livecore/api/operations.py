"""The table of operations: every route of the service, once."""

from __future__ import annotations

from functools import cache
from typing import Final

from livecore.access.rows import GetDocument, GetHealth, Health
from livecore.api.commerce import SDK_COMMERCE, SERVER_COMMERCE
from livecore.api.migration import MIGRATION_OPERATIONS
from livecore.api.operation import Document, Operation, Surface
from livecore.api.player_tools import PLAYER_TOOLS
from livecore.api.sdk import SDK_OPERATIONS
from livecore.api.server import SERVER_OPERATIONS
from livecore.kernel.errors import RateLimited
from livecore.kernel.unit import Unit
from livecore.kernel.wire import compact

__all__ = ["OPERATIONS", "operation"]


def _health(_: Unit, __: GetHealth) -> Health:
    return Health(status="ok")


@cache
def _served(surface: Surface) -> Document:
    # Loaded when it is first asked for: the documents need every kind of event and take longer than all the rest.
    from livecore.api.description import describe  # noqa: PLC0415 - see above

    return Document(compact(describe(surface, OPERATIONS)).encode())


def _document_of(surface: Surface) -> Operation:
    return Operation(
        name="openapi.get",
        surface=surface,
        method="GET",
        path=f"/{surface}/v1/openapi.json",
        credential="none",
        bucket=None,
        args=GetDocument,
        answers={200: Document},
        handler=lambda _, __: _served(surface),
        summary="Read this document.",
        errors=(RateLimited,),
    )


ADMIN_OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        name="health",
        surface="admin",
        method="GET",
        path="/admin/v1/health",
        credential="none",
        bucket=None,
        args=GetHealth,
        answers={200: Health},
        handler=_health,
        summary="Is the process alive?",
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (
    *SDK_OPERATIONS,
    *SDK_COMMERCE,
    _document_of("sdk"),
    *SERVER_OPERATIONS,
    *PLAYER_TOOLS,
    *SERVER_COMMERCE,
    *MIGRATION_OPERATIONS,
    _document_of("server"),
    *ADMIN_OPERATIONS,
)

_BY_ID = {entry.id: entry for entry in OPERATIONS}


def operation(id_: str) -> Operation:
    """The operation of this id, such as `sdk:gifts.send`. Raises `KeyError`."""
    return _BY_ID[id_]
