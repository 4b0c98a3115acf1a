"""Removing the rows of a deleted game, page by page; a server beside it goes on serving.

An interrupted run is begun again and goes on. The game's own row stays, so that nothing takes its id again, and so do its
revoked keys, so that whoever still uses one is told that it is revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from livecore.access.directory import CONFIG_VERSIONS, VERSIONS_OF_GAME, Game
from livecore.api.operating.configuring import scopes_of
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.examination import in_key_order
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore_server.operations.copy.preconditions import copied_tables
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import views_of

_PAGE_ROWS: Final = 500


def purge(store: Database, game: Game, advance: Callable[[int], None] = lambda _: None) -> int:
    """Remove the rows of a deleted game; returns how many. Raises `ValueError` for a game that is not deleted."""
    if game.deleted_at is None:
        raise ValueError(f"{game.game_id} is not deleted")
    removed = 0
    for scope in scopes_of(game):
        for table in copied_tables(store):
            for rows in _pages(store, scope, table):
                store.write(scope, partial(_remove, table=table, rows=rows))
                removed += len(rows)
                advance(len(rows))
    return removed + store.write(DIRECTORY, partial(_forget_versions, game_id=game.game_id))


def _pages(store: Database, scope: Scope, table: Table[Any]) -> Iterator[list[Any]]:
    """The rows of a table, each page read after the one before it was removed."""
    order = in_key_order(table)
    while True:
        with views_of(store) as views:
            rows = views(scope)().scan(Scan(order, (), limit=_PAGE_ROWS))
        if not rows:
            return
        yield rows


def _remove(tx: Transaction, table: Table[Any], rows: list[Any]) -> None:
    for row in rows:
        tx.delete(table, *table.key_of(row))


def _forget_versions(tx: Transaction, game_id: str) -> int:
    rows = tx.scan(VERSIONS_OF_GAME, game_id)
    for row in rows:
        tx.delete(CONFIG_VERSIONS, row.game_id, row.version)
    return len(rows)
