"""The differences between engines that speak PostgreSQL's protocol: how the schema is created, and a session's settings.

An engine is known by what the database says that it is: its version, and its extensions. `docs/engines.md` lists those that
were tested.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import attrs

VERSION: Final = "SELECT version()"
EXTENSIONS: Final = "SELECT extname FROM pg_catalog.pg_extension"
_CITUS: Final = "citus"

_SESSION: Final = (
    # Statements outside of units do not set an isolation level, so it must not depend on the database's default.
    "SET default_transaction_isolation = 'read committed'",
    # Every statement has an index; a table that has not been analysed yet must not be scanned, and locked, completely.
    "SET enable_seqscan = off",
    # Nor joined by a full scan.
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
    "SET jit = off",
    # No unit waits for its own process for that long, and no request for a unit. A process that hangs in the middle of one
    # (see docs/decisions/postgres-store.md) must not keep the others from committing.
    "SET idle_in_transaction_session_timeout = '10s'",
    # A statement whose caller has given up must not continue to wait for a lock.
    "SET client_connection_check_interval = '2s'",
)
_BY_CODE_POINT: Final = ' COLLATE "C"'


@attrs.frozen
class Engine:
    """An engine, by what it can do."""

    learns: bool
    """Whether its planner uses statistics of the rows, so that example rows help it."""
    collates: bool
    """Whether a column can declare that its texts compare by code point. In an engine without that, all texts do."""
    plans_without_values: bool
    """Whether it can plan every statement without the values of its parameters. That saves planning each time, which on
    PostgreSQL is worth three quarters of the writes; Citus chooses a node by the value of the scope."""

    @property
    def session(self) -> tuple[str, ...]:
        """The settings of every session, as statements. Those that the engine does not know are left out."""
        plans = "force_generic_plan" if self.plans_without_values else "auto"
        return (*_SESSION, f"SET plan_cache_mode = {plans}")

    def schema(self, text: str) -> str:
        """A statement that makes tables or columns, in the engine's dialect."""
        return text if self.collates else text.replace(_BY_CODE_POINT, "")


def engine_of(version: str, extensions: Collection[str] = ()) -> Engine:
    """The engine that gives these answers to `VERSION` and `EXTENSIONS`."""
    itself = version.startswith("PostgreSQL") and "-YB-" not in version
    return Engine(
        learns=itself,
        collates=not version.startswith("CockroachDB"),
        plans_without_values=_CITUS not in extensions,
    )
