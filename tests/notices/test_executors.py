"""Notices over both executors: batches, refusals, commits that fail, and many units at once."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from livecore.kernel.errors import Overloaded
from livecore.kernel.storage.notices import Notice
from livecore.kernel.storage.store import Transaction
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.storage.database import open_store
from livecore_server.storage.ports import Executor
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.storage.sqlite.group_commit import GroupCommit
from tests.notices.saying import SAID, SCOPE, TOPIC, say
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database


class Refused(Exception):
    """The unit is refused."""


def play(url: str, scenario: Callable[[Executor, list[Notice]], Awaitable[None]]) -> list[tuple[str, int]]:
    """Run a scenario over an executor; gives what was heard, as names and numbers."""
    heard: list[Notice] = []

    async def run() -> None:
        executor = run_store(open_store(url, create=True), StoreWatch(Metrics())).executor
        executor.notices.subscribe(SCOPE, TOPIC, heard.append)
        try:
            await scenario(executor, heard)
        finally:
            await executor.close()
        await asyncio.sleep(0)

    asyncio.run(run())
    said = [json.loads(notice.payload) for notice in heard]
    return [(one["name"], one["number"]) for one in said]


def _refused(tx: Transaction) -> None:
    say(tx, "a")
    raise Refused


def test_many_units_at_once_say_each_commit_once_and_in_order(url: str) -> None:
    """Three count at the same time, and every fifth unit is refused: each one's numbers come without gap or repetition."""

    async def scenario(executor: Executor, _: list[Notice]) -> None:
        async def one(at: int) -> None:
            if at % 5 == 4:
                with pytest.raises(Refused):
                    await executor.write(SCOPE, _refused)
            else:
                await executor.write(SCOPE, lambda tx: say(tx, "abc"[at % 3]))

        await asyncio.gather(*(one(at) for at in range(300)))
        left = await executor.read(SCOPE, lambda tx: [tx.get(SAID, name) for name in "abc"])
        assert sum(row.number for row in left if row is not None) == 240

    heard = play(url, scenario)
    for name in "abc":
        numbers = [number for whose, number in heard if whose == name]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(heard) == 240


def test_what_is_only_said_is_said_as_well(url: str) -> None:
    """A unit that writes nothing has succeeded too; a read says nothing."""

    async def scenario(executor: Executor, heard: list[Notice]) -> None:
        def only_says(tx: Transaction) -> None:
            number = tx.get(SAID, "a")
            assert number is None
            tx.notify(Notice(SCOPE, TOPIC, '{"name":"a","number":7}'))

        await executor.write(SCOPE, only_says)
        await executor.read(SCOPE, lambda tx: say(tx, "a"))
        await asyncio.sleep(0)
        assert len(heard) == 1

    assert play(url, scenario) == [("a", 7)]


def test_an_answer_does_not_wait_for_subscribers(url: str) -> None:
    """Whoever has written is answered before subscribers are called."""

    async def scenario(executor: Executor, heard: list[Notice]) -> None:
        seen: list[int] = []

        async def write() -> None:
            await executor.write(SCOPE, lambda tx: say(tx, "a"))
            seen.append(len(heard))

        await asyncio.create_task(write())
        await asyncio.sleep(0)
        assert seen == [0]
        assert len(heard) == 1

    play(url, scenario)


def test_a_commit_that_fails_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk refuses a batch: of its units nobody hears, and of the next ones everybody."""
    commit, numbers = GroupCommit.commit, [1]

    def refuses(_: GroupCommit) -> None:
        monkeypatch.setattr(GroupCommit, "commit", commit)
        raise OSError("the disk is full")

    async def scenario(executor: Executor, _: list[Notice]) -> None:
        await executor.write(SCOPE, lambda tx: say(tx, "a"))
        monkeypatch.setattr(GroupCommit, "commit", refuses)
        ended = await asyncio.gather(
            *(executor.write(SCOPE, lambda tx: say(tx, "a")) for _ in range(10)), return_exceptions=True
        )
        # On a busy machine they may be more than one batch, of which only the first is refused.
        committed = [number for number in ended if isinstance(number, int)]
        refused = ended[: len(ended) - len(committed)]
        assert {type(error) for error in refused} == {Overloaded}
        numbers.extend([*committed, await executor.write(SCOPE, lambda tx: say(tx, "a"))])

    heard = play(f"sqlite:///{tmp_path / 'notices.db'}", scenario)
    assert heard == [("a", number) for number in numbers]
    assert numbers == list(range(1, len(numbers) + 1))


def test_what_ran_ahead_of_a_failed_commit_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units that ran on rows which never were run again, and only what they come to then is published."""
    commit, begun, go_on = GroupCommit.commit, asyncio.Event(), threading.Event()

    async def scenario(executor: Executor, _: list[Notice]) -> None:
        assert isinstance(executor, SqliteExecutor)
        loop = asyncio.get_running_loop()

        def refuses(_: GroupCommit) -> None:
            monkeypatch.setattr(GroupCommit, "commit", commit)
            loop.call_soon_threadsafe(begun.set)
            go_on.wait(PATIENCE_SECONDS)
            raise OSError("the disk is full")

        monkeypatch.setattr(GroupCommit, "commit", refuses)
        first = asyncio.create_task(executor.write(SCOPE, lambda tx: say(tx, "a")))
        await begun.wait()
        ahead = [asyncio.create_task(executor.write(SCOPE, lambda tx: say(tx, "a"))) for _ in range(5)]
        for _turn in range(10):
            await asyncio.sleep(0)
        assert executor._ahead is not None
        assert len(executor._ahead.units) == 5
        go_on.set()
        with pytest.raises(Overloaded):
            await first
        assert await asyncio.gather(*ahead) == [1, 2, 3, 4, 5]

    assert play(f"sqlite:///{tmp_path / 'notices.db'}", scenario) == [("a", number) for number in range(1, 6)]


def test_both_executors_in_one_process_keep_apart(tmp_path: Path) -> None:
    """Each has its own subscribers."""

    async def run(url: str) -> tuple[int, int]:
        one = run_store(SqliteStore(tmp_path / "notices.db"), StoreWatch(Metrics())).executor
        other = run_store(open_store(url), StoreWatch(Metrics())).executor
        heard: tuple[list[Notice], list[Notice]] = ([], [])
        one.notices.subscribe(SCOPE, TOPIC, heard[0].append)
        other.notices.subscribe(SCOPE, TOPIC, heard[1].append)
        await one.write(SCOPE, lambda tx: say(tx, "a"))
        await asyncio.gather(*(other.write(SCOPE, lambda tx: say(tx, "a")) for _ in range(2)))
        await one.close()
        await other.close()
        return len(heard[0]), len(heard[1])

    with ready_database() as url:
        assert asyncio.run(run(url)) == (1, 2)
