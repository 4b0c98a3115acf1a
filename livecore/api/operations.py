"""The table of operations: every route of the service, once."""

from __future__ import annotations

from typing import Final

from livecore.access.rows import GetHealth, Health
from livecore.api.operation import Operation
from livecore.api.sdk import SDK_OPERATIONS
from livecore.api.server import SERVER_OPERATIONS
from livecore.kernel.unit import Unit

__all__ = ["OPERATIONS", "operation"]


def _health(_: Unit, __: GetHealth) -> Health:
    return Health(status="ok")


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

OPERATIONS: Final[tuple[Operation, ...]] = (*SDK_OPERATIONS, *SERVER_OPERATIONS, *ADMIN_OPERATIONS)

_BY_ID = {entry.id: entry for entry in OPERATIONS}


def operation(id_: str) -> Operation:
    """The operation of this id, such as `sdk:gifts.send`. Raises `KeyError`."""
    return _BY_ID[id_]
