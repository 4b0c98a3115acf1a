"""A unit that changes very many rows at once, such as a merge: others read meanwhile, and it succeeds or fails alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Transaction, UniqueViolation
from livecore_server.storage.sqlite import GroupCommit, SqliteStore
from tests.patience import PATIENCE_SECONDS
from tests.server.executing import SCOPE, Batches, add, executing, tasks, turn
from tests.stores.tables import HEROES, IN_GUILD, STORE_TABLES, Hero

MEMBERS: Final = 300


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with a large guild."""
    with closing(SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)) as store:

        def found(tx: Transaction) -> None:
            for at in range(MEMBERS):
                tx.insert(HEROES, Hero(id=f"m{at}", guild="old"))

        store.write(SCOPE, found)
        yield store


class Writing:
    """Stands still where rewrites are written, until it is let go; notes in which thread that was."""

    def __init__(self, patched: pytest.MonkeyPatch, error: Exception | None = None) -> None:
        self.threads: list[threading.Thread] = []
        self.begun = threading.Event()
        self.go = threading.Event()
        write = GroupCommit.write

        def held(batch: GroupCommit, scope: Scope, writes: list[StoreWrite]) -> None:
            if any(isinstance(step, Rewrite) for step in writes):
                self.threads.append(threading.current_thread())
                self.begun.set()
                assert self.go.wait(PATIENCE_SECONDS)
                if error is not None:
                    raise error
            write(batch, scope, writes)

        patched.setattr(GroupCommit, "write", held)


def move(tx: Transaction) -> None:
    """Move the whole guild."""
    tx.rewrite(IN_GUILD, ("old",), {"guild": "new"})


def members(tx: Transaction) -> dict[str, int]:
    """How many heroes each guild has."""
    return {guild: tx.count(IN_GUILD, guild) for guild in ("old", "new")}


def test_others_read_while_many_rows_are_changed(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statements run in the committer's thread; readers see the earlier state until all of it is committed."""
    writing, seen = Writing(monkeypatch), []

    async def scenario() -> list[Any]:
        async with executing(store) as executor:
            asked = tasks(executor.write(SCOPE, move), executor.write(SCOPE, add("late")))
            assert await asyncio.to_thread(writing.begun.wait, PATIENCE_SECONDS)
            await turn()
            seen.append(await executor.read(SCOPE, members))
            assert not any(one.done() for one in asked)
            writing.go.set()
            answers = await asyncio.gather(*asked)
            seen.append(await executor.read(SCOPE, members))
            return answers

    assert asyncio.run(scenario()) == [None, "late"]
    assert seen == [{"old": MEMBERS, "new": 0}, {"old": 0, "new": MEMBERS}]
    assert [thread is threading.main_thread() for thread in writing.threads] == [False]


def test_it_is_alone_in_its_batch(store: SqliteStore) -> None:
    """What came before it and what came after it are in batches of their own, in their order."""
    batches, found = Batches(), []

    def look(tx: Transaction) -> None:
        found.append((tx.get(HEROES, "before") is not None, tx.get(HEROES, "after") is not None, members(tx)))
        move(tx)

    async def scenario() -> None:
        async with executing(store, observer=batches) as executor:
            units = (add("before"), look, add("after"), lambda tx: tx.insert(HEROES, Hero(id="last", guild="new")))
            await asyncio.gather(*(executor.write(SCOPE, unit) for unit in units))
            assert await executor.read(SCOPE, members) == {"old": 0, "new": MEMBERS + 1}

    asyncio.run(scenario())
    assert batches.units == [1, 1, 2]
    assert found[-1] == (True, False, {"old": MEMBERS, "new": 0})


def test_where_it_cannot_be_written_it_fails_alone(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the store's own refusal, and nothing of it is there; who waited with it is served."""
    batches = Batches()
    writing = Writing(monkeypatch, UniqueViolation(HEROES.name, ("code",)))
    writing.go.set()

    async def scenario() -> list[Any]:
        async with executing(store, observer=batches) as executor:
            units = (add("before"), move, add("after"))
            told = await asyncio.gather(*(executor.write(SCOPE, unit) for unit in units), return_exceptions=True)
            assert await executor.read(SCOPE, members) == {"old": MEMBERS, "new": 0}
            return told

    before, moved, after = asyncio.run(scenario())
    assert (before, after) == ("before", "after")
    assert isinstance(moved, UniqueViolation)
    assert batches.failures == []
