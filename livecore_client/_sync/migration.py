# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Moving players in from another backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from livecore.kernel.wire import encode
from livecore.player_tools.migration_rows import (
    MigrateInventory,
    MigrateInventoryRow,
    MigratePlayerRow,
    MigratePlayers,
    MigrateWallet,
    MigrateWalletRow,
    MigrationOutcome,
)
from livecore_client._arguments import build_call, read_row
from livecore_client._sync.resource import ServerResource

__all__ = ["ServerMigration"]


class ServerMigration(ServerResource):
    """Rows of another backend, up to 1,000 at a time; each has a key of its own and takes effect once, however often sent.

    A row that fails is named in the answer's `failures`, and the others apply. Webhooks stay silent without `emit_webhooks`.
    """

    def players(
        self, *, rows: Sequence[MigratePlayerRow], emit_webhooks: bool = False, idempotency_key: str | None = None
    ) -> MigrationOutcome:
        """Make players, or change the fields that are given of those that are there; never their secrets."""
        arguments = MigratePlayers(rows=_written(rows), emit_webhooks=emit_webhooks, idempotency_key=idempotency_key)
        return self._migrate("players", arguments)

    def wallet(
        self, *, rows: Sequence[MigrateWalletRow], emit_webhooks: bool = False, idempotency_key: str | None = None
    ) -> MigrationOutcome:
        """Add to balances; players who are not there yet are made."""
        arguments = MigrateWallet(rows=_written(rows), emit_webhooks=emit_webhooks, idempotency_key=idempotency_key)
        return self._migrate("wallet", arguments)

    def inventory(
        self, *, rows: Sequence[MigrateInventoryRow], emit_webhooks: bool = False, idempotency_key: str | None = None
    ) -> MigrationOutcome:
        """Add items; players who are not there yet are made."""
        arguments = MigrateInventory(rows=_written(rows), emit_webhooks=emit_webhooks, idempotency_key=idempotency_key)
        return self._migrate("inventory", arguments)

    def _migrate(self, route: str, arguments: MigratePlayers | MigrateWallet | MigrateInventory) -> MigrationOutcome:
        call = build_call("POST", f"/server/v1/migrate/{route}", arguments)
        return read_row(MigrationOutcome, self._caller.send(call))


def _written(rows: Sequence[object]) -> tuple[dict[str, object], ...]:
    """Rows as they travel."""
    return tuple(cast("dict[str, object]", encode(row)) for row in rows)
