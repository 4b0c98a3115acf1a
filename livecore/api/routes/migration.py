"""The three routes by which players move in from another backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from livecore.api.table.operation import Operation, OperationSteps
from livecore.kernel.units.unit import Unit
from livecore.player_tools import migration
from livecore.player_tools import migration_rows as rows
from livecore.players.config import MOVED_IN

_MOST_BODY_BYTES: Final = 8 * 1024 * 1024
_MOST_BODY_VALUES: Final = 250_000
"""Of a thousand rows, 250 for each."""
_ROWS: Final = (
    "Each of up to 1,000 `rows` has a key of its own and takes effect once, however often it is sent. A row that fails is "
    "named in the answer's `failures`, and the others apply. They are applied a few at a time, and others are served in "
    "between. A request that breaks off has applied its first rows, and its repetition applies the others. Webhooks stay "
    "silent without `emit_webhooks`."
)


def _route(
    name: str, args: type, handler: Callable[[Unit, Any], rows.MigrationOutcome], *, summary: str, about: str
) -> Operation:
    return Operation(
        name=f"migrate.{name}",
        surface="server",
        method="POST",
        path=f"/server/v1/migrate/{name}",
        credential="server_key",
        bucket="server_api",
        args=args,
        answers={200: rows.MigrationOutcome},
        handler=handler,
        summary=summary,
        about=f"{MOVED_IN} {about} {_ROWS}",
        writes=True,
        keyed=True,
        steps=OperationSteps(migration.parts, migration.joined),
        most_body_bytes=_MOST_BODY_BYTES,
        most_body_values=_MOST_BODY_VALUES,
    )


OPERATIONS: Final[tuple[Operation, ...]] = (
    _route(
        "players",
        rows.MigratePlayers,
        migration.migrate_players,
        summary="Move players in.",
        about="Makes players, or changes the fields that are given of those that are there; never their secrets.",
    ),
    _route(
        "wallet",
        rows.MigrateWallet,
        migration.migrate_wallet,
        summary="Move balances in.",
        about="Adds to balances; players who are not there yet are made.",
    ),
    _route(
        "inventory",
        rows.MigrateInventory,
        migration.migrate_inventory,
        summary="Move items in.",
        about="Adds items; players who are not there yet are made.",
    ),
)
