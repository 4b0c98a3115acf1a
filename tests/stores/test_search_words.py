"""A database whose search entries were made by earlier rules is brought up to the words that are searched now."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

import psycopg
import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.players.identity import SEARCH_BY_TEXT, SEARCH_ENTRIES, SearchEntry
from livecore.players.player import PLAYERS, Player
from livecore_server.storage import migration_steps
from livecore_server.storage.database import store_at
from tests.postgres.server import fresh_database

Run: TypeAlias = "Callable[[Sequence[str]], None]"
SCOPES: Final = (Scope("gam_a", "live"), Scope("gam_b", "test"))
_ANNA: Final = Player(
    player_id=PlayerId("plr_1"),
    external_id="anna",
    pool_name="Amber Otter",
    name="Jean-Luc Zoë",
    first_seen_at=0,
    last_seen_at=0,
)
PLAYERS_OF_EACH: Final = (
    _ANNA,
    evolve(_ANNA, player_id="plr_2", external_id="bert", name=None),
    evolve(_ANNA, player_id="plr_3", external_id="__merged_x__", name=None, merged_into="plr_1"),
    evolve(_ANNA, player_id="plr_4", external_id="__deleted_x__", name=None, erased_at=1),
    evolve(_ANNA, player_id="plr_5", external_id="stars", name="***"),
)
WORDS: Final = [
    ("amber otter ", "plr_2"), ("jean luc zoe ", "plr_1"), ("luc zoe ", "plr_1"), ("otter ", "plr_2"), ("zoe ", "plr_1"),
]  # fmt: skip
_EARLIER: Final = ("DELETE FROM livecore_migrations WHERE number = 2",)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Run]]:
    """An empty database's URL, and what runs SQL in it."""
    if request.param == "sqlite":
        path = tmp_path / "game.db"

        def run(statements: Sequence[str]) -> None:
            with closing(sqlite3.connect(path)) as connection, connection:
                for statement in statements:
                    connection.execute(statement)

        yield f"sqlite:///{path}", run
        return
    with fresh_database() as url:

        def run_there(statements: Sequence[str]) -> None:
            with psycopg.connect(url) as connection:
                for statement in statements:
                    connection.execute(statement.encode())

        yield url, run_there


def _fill(tx: Transaction) -> None:
    for player in PLAYERS_OF_EACH:
        tx.insert(PLAYERS, player)
    for text in ("jean-luc zoë", "zoë"):
        tx.insert(SEARCH_ENTRIES, SearchEntry(player_id=_ANNA.player_id, text=text))


def test_entries_of_earlier_rules_are_made_again(database: tuple[str, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    """In every game and environment, of everybody whom search may find, by the name that others see; and once."""
    monkeypatch.setattr(migration_steps, "_AT_ONCE", 2)
    url, run = database
    with store_at(url, create=True) as store:
        for scope in SCOPES:
            store.write(scope, _fill)
    run(_EARLIER)
    with store_at(url) as store:
        for scope in SCOPES:
            found = store.read(scope, lambda tx: tx.scan(SEARCH_BY_TEXT))
            assert [(entry.text, entry.player_id) for entry in found] == WORDS
            store.write(scope, lambda tx: tx.clear(SEARCH_BY_TEXT))
    with store_at(url) as store:
        assert store.read(SCOPES[0], lambda tx: tx.scan(SEARCH_BY_TEXT)) == []
