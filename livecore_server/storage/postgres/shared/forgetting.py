"""The ephemeral state as a command sees it that erases players while servers may run: it only makes the others forget."""

from __future__ import annotations

from livecore.kernel.scope import Scope
from livecore.kernel.units.ephemeral import EphemeralState
from livecore_server.ephemeral.shared import FORGET, Update
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.shared.ephemeral_tables import emptying, publication
from livecore_server.storage.postgres.store import PostgresStore
from livecore_server.system import now_millis


class ForgettingEphemeralState(EphemeralState):
    """Empties the tables of the ephemeral state of an id, and tells every process, before the unit of work is committed."""

    def __init__(self, store: PostgresStore) -> None:
        super().__init__()
        self._store = store

    def forget(self, scope: Scope, ref: str) -> None:
        """Forget all about an id, here, in the tables and in every process that serves the database."""
        super().forget(scope, ref)
        published = publication(self._store.source.encode(), [Update(FORGET, scope.id, ref, "null")], now_millis())
        with self._store.wire() as wire:
            # The publication first: it waits for those of others, so what they have published is seen and emptied.
            wire.ask([Statement(b"BEGIN"), published, *emptying([ref]), Statement(b"COMMIT")])
