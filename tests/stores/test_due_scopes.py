"""The search for scopes where something is due: what it finds, page by page, and that nothing else costs it anything."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from psycopg.pq.abc import PGresult

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis
from livecore.kernel.units import due
from livecore.kernel.units.due import DUE, DUE_IN_ANY_SCOPE
from livecore_server.storage import due_scopes
from livecore_server.storage.due_scopes import START, DuePage, ScopePosition, period_of
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres import due_scopes as in_postgres
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite import due_scopes as in_sqlite
from tests.postgres.server import fresh_database

Store: TypeAlias = "SqliteStore | PostgresStore"
NOW: Millis = 1_767_225_600_000
_ROUNDS = 20


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store of each kind, whose only table is that of due work."""
    if request.param == "sqlite":
        with closing(SqliteStore(tmp_path / "due.db", tables=[DUE])) as file:
            yield file
        return
    with fresh_database() as url, closing(PostgresStore(url, tables=[DUE])) as database:
        yield database


class Asking:
    """Statements to PostgreSQL, which are counted; the first of them may be one that the engine does not know."""

    def __init__(self, store: PostgresStore, *, refuses: bytes = b"") -> None:
        self.store = store
        self.refuses = refuses
        self.asked: list[bytes] = []

    async def __call__(self, statements: Sequence[Statement]) -> list[PGresult]:
        """The results."""
        self.asked += [statement.sql for statement in statements]
        if self.refuses and self.refuses in self.asked[-1]:
            raise Fault("0A000", "recursive CTEs are not supported in distributed queries")
        with self.store.wire() as wire:
            return wire.ask(statements)


def page_of(store: Store, until: Millis, after: ScopePosition = START) -> DuePage:
    """One page."""
    if isinstance(store, SqliteStore):
        return store.due_scopes(DUE_IN_ANY_SCOPE, until, after)
    return asyncio.run(in_postgres.DueScopes(Asking(store)).page(DUE_IN_ANY_SCOPE, until, after))


def search(page: Callable[[ScopePosition], DuePage]) -> tuple[dict[Scope, Millis], int]:
    """What all pages together find, and how many there are."""
    found: dict[Scope, Millis] = {}
    after = START
    for pages in itertools.count(1):
        part = page(after)
        for scope, at in part.scopes.items():
            found[scope] = min(at, found.get(scope, at))
        if part.after is None:
            return found, pages
        after = part.after
    raise AssertionError("unreachable")


def scope_at(number: int) -> Scope:
    """One of many scopes."""
    return Scope(f"gam_{number:026d}", "live" if number % 2 else "test")


def fill(store: Store, scope: Scope, times: Sequence[Millis]) -> None:
    """Have work due at these times."""

    def schedule(tx: Transaction) -> None:
        for number, at in enumerate(times):
            due.schedule(tx, "test.note", str(number), at)

    store.write(scope, schedule)


def expected(times: dict[Scope, list[Millis]], until: Millis) -> dict[Scope, Millis]:
    """What a search must find, by looking at everything."""
    return {scope: min(held) for scope, held in times.items() if held and period_of(min(held)) <= period_of(until)}


@pytest.mark.parametrize("steps", [1, 3, 500])
def test_pages_together_are_what_looking_at_everything_finds(
    store: Store, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Whatever the times are, which of them several scopes share, and how many steps a page has."""
    for module in (due_scopes, in_sqlite, in_postgres):
        monkeypatch.setattr(module, "MOST_STEPS", steps)
    dice = random.Random(steps)  # noqa: S311 - a seed, not a secret
    times = {
        scope_at(number): [NOW + dice.choice((0, 1, 65_536, dice.randrange(-400_000, 400_000))) for _ in range(3)]
        for number in range(30)
    }
    for scope, held in times.items():
        fill(store, scope, held)
    for _ in range(_ROUNDS):
        until = NOW + dice.randrange(-500_000, 500_000)
        found, _ = search(lambda after, until=until: page_of(store, until, after))  # type: ignore[misc] # used at once
        assert found == expected(times, until)


def test_a_scope_with_very_much_to_do_is_one_step(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand rows of one scope in one period fill no page and hide no other scope."""
    for module in (in_sqlite, in_postgres):
        monkeypatch.setattr(module, "MOST_STEPS", 10)
    fill(store, scope_at(1), [NOW] * 2_000)
    fill(store, scope_at(2), [NOW + 1])
    found, pages = search(lambda after: page_of(store, NOW, after))
    assert (found, pages) == ({scope_at(1): NOW, scope_at(2): NOW + 1}, 1)


def test_a_step_in_a_file_sorts_nothing(tmp_path: Path) -> None:
    """Otherwise each step reads all that is left of its period, which for very many scopes kept every request waiting."""
    values = {"period": -1, "scope": "", "last": period_of(NOW), "most": 2}
    with closing(SqliteStore(tmp_path / "due.db", tables=[DUE])) as file:
        searching = f"EXPLAIN QUERY PLAN {in_sqlite.search_sql(DUE_IN_ANY_SCOPE)}"
        plan = [row[3] for row in file.connections.writing.execute(searching, values)]
    assert sum("in_any_scope" in step for step in plan) == 2, plan
    assert not [step for step in plan if "TEMP B-TREE" in step], plan


def test_work_that_moves_ends_and_is_put_off_is_found_where_it_is(store: Store) -> None:
    """The search sees the newest state of each row: earlier, later, gone."""
    scope, day = scope_at(1), 86_400_000
    fill(store, scope, [NOW + day])
    assert page_of(store, NOW) == DuePage({}, None)
    fill(store, scope, [NOW - day])
    assert page_of(store, NOW) == DuePage({scope: NOW - day}, None)
    fill(store, scope, [NOW])
    assert page_of(store, NOW) == DuePage({scope: NOW}, None)
    store.write(scope, lambda tx: due.cancel(tx, "test.note", "0"))
    assert page_of(store, NOW + day) == DuePage({}, None)


def test_an_engine_without_steps_gives_the_same_as_one_page() -> None:
    """A refusal of the statement is noticed once; from then on all that is due is grouped by scope."""
    with fresh_database() as url, closing(PostgresStore(url, tables=[DUE])) as store:
        times = {scope_at(number): [NOW + 40_000 * number, NOW + 90_000 * number] for number in range(9)}
        for scope, held in times.items():
            fill(store, scope, held)
        asking = Asking(store, refuses=b"RECURSIVE")
        finder = in_postgres.DueScopes(asking)
        for until in (NOW, NOW + 100_000):
            page = asyncio.run(finder.page(DUE_IN_ANY_SCOPE, until, START))
            assert page == DuePage(expected(times, until), None)
        assert [b"RECURSIVE" in sql for sql in asking.asked] == [True, False, False]


def test_an_earlier_file_gets_the_index_and_keeps_it(tmp_path: Path) -> None:
    """A file whose layout was recorded without it grows it, also after a release that does not know it."""
    path = tmp_path / "earlier.db"
    with closing(SqliteStore(path, tables=[DUE])) as store:
        fill(store, scope_at(1), [NOW])
        connection = store.connections.writing
        for forgotten in ('DROP INDEX "ix_due_work__due_at_in_any_scope"', ""):
            connection.execute(forgotten or "SELECT 1")
            connection.execute(
                "UPDATE livecore_migrations SET layout = json_remove(layout, '$.due_work.times')",
            )
            with closing(SqliteStore(path, tables=[DUE])) as later:
                assert later.migrated == ["grow:due_work"]
                sql = f"EXPLAIN QUERY PLAN {in_sqlite.search_sql(DUE_IN_ANY_SCOPE)}"
                values = {"period": 0, "scope": "", "last": 0, "most": 1}
                plan = str(later.connections.reading.execute(sql, values).fetchall())
                assert plan.count("ix_due_work__due_at_in_any_scope (<expr>=? AND scope>?)") == 1
                assert plan.count("ix_due_work__due_at_in_any_scope (<expr>>? AND <expr><?)") == 1
                assert page_of(later, NOW) == DuePage({scope_at(1): NOW}, None)
