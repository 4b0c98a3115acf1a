"""The laws of notices: of what was committed alone, at most once, and in the order of the commits; on every store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore import World
from livecore.api.maintenance import system_unit
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.notices import MOST_OF_A_UNIT, MOST_PAYLOAD_BYTES, MOST_TOPIC_BYTES, Inbox, Notice, Notices
from livecore.kernel.storage.store import StoreConflict, Transaction
from livecore.kernel.units.unit import Unit
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.sqlite import SqliteStore
from tests.notices.saying import SCOPE, TOPIC, say
from tests.postgres.server import ready_database
from tests.worlds import config

Kind = Literal["commits", "refused", "conflicts", "reads"]


class Refused(Exception):
    """The unit is refused."""


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore | SqliteStore | PostgresStore]:
    """Each store in turn."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "sqlite":
        with closing(SqliteStore(tmp_path / "notices.db")) as store:
            yield store
    else:
        with ready_database() as url, closing(PostgresStore(url)) as distant:
            yield distant


def _live(store: MemoryStore | SqliteStore | PostgresStore, kind: Kind) -> None:
    """One unit, to which this happens."""
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        tries.append(say(tx, "a"))
        if kind == "refused":
            raise Refused
        if kind == "conflicts" and len(tries) < 3:
            raise StoreConflict

    if kind == "reads":
        store.read(SCOPE, lambda tx: say(tx, "a"))
    elif kind == "refused":
        with pytest.raises(Refused):
            store.write(SCOPE, work)
    else:
        try:
            store.write(SCOPE, work)
        except StoreConflict:  # raised by the work itself: the memory store does not try that again
            store.write(SCOPE, work)


def _numbers(notices: list[Notice]) -> list[int]:
    return [json.loads(notice.payload)["number"] for notice in notices]


def test_what_is_committed_is_said_once_and_nothing_else(store: MemoryStore | SqliteStore | PostgresStore) -> None:
    """A refused unit, a unit that is tried again, and a read."""
    heard: list[Notice] = []
    store.notices.subscribe(SCOPE, TOPIC, heard.append)
    kinds: list[Kind] = ["commits", "refused", "reads", "commits", "refused", "commits"]
    for kind in kinds:
        _live(store, kind)
    assert _numbers(heard) == [1, 2, 3]
    assert {(notice.scope, notice.topic) for notice in heard} == {(SCOPE, TOPIC)}


@given(st.lists(st.sampled_from(["commits", "refused", "conflicts", "reads"]), max_size=20))
def test_whatever_becomes_of_units(kinds: list[Kind]) -> None:
    """What is heard are the numbers that were committed, in their order."""
    store, heard = MemoryStore(), list[Notice]()
    store.notices.subscribe(SCOPE, TOPIC, heard.append)
    for kind in kinds:
        if kind == "conflicts":
            with pytest.raises(StoreConflict):
                store.write(SCOPE, _conflicts)
        else:
            _live(store, kind)
    assert _numbers(heard) == list(range(1, kinds.count("commits") + 1))


def _conflicts(tx: Transaction) -> None:
    say(tx, "a")
    raise StoreConflict


def test_a_subscriber_hears_its_own_scope_and_topic_until_it_cancels() -> None:
    """Nobody hears of another tenant; two subscribers hear the same; cancelling twice does no harm."""
    store = MemoryStore()
    first, second, others = list[Notice](), list[Notice](), list[Notice]()
    cancel = store.notices.subscribe(SCOPE, TOPIC, first.append)
    store.notices.subscribe(SCOPE, TOPIC, second.append)
    store.notices.subscribe(Scope(SCOPE.game_id, "live"), TOPIC, others.append)
    store.notices.subscribe(SCOPE, "else", others.append)
    store.write(SCOPE, lambda tx: say(tx, "a"))
    cancel()
    cancel()
    store.write(SCOPE, lambda tx: say(tx, "a"))
    assert (_numbers(first), _numbers(second), others) == ([1], [1, 2], [])


def test_a_subscriber_that_fails_is_cancelled_and_harms_nobody() -> None:
    """The commit has happened, the others hear of it, and the host is told."""
    store, heard, failures = MemoryStore(), list[Notice](), list[Exception]()
    store.notices.failed = failures.append

    def fails(_: Notice) -> None:
        raise ZeroDivisionError

    store.notices.subscribe(SCOPE, TOPIC, fails)
    store.notices.subscribe(SCOPE, TOPIC, heard.append)
    for _ in range(2):
        store.write(SCOPE, lambda tx: say(tx, "a"))
    assert _numbers(heard) == [1, 2]
    assert [type(error) for error in failures] == [ZeroDivisionError]


def test_what_a_subscriber_writes_comes_after_what_it_heard() -> None:
    """Everybody hears in the order of the commits, although one of them writes while being called."""
    store, heard = MemoryStore(), list[Notice]()

    def writes(notice: Notice) -> None:
        if _numbers([notice]) == [1]:
            store.write(SCOPE, lambda tx: say(tx, "a"))

    store.notices.subscribe(SCOPE, TOPIC, writes)
    store.notices.subscribe(SCOPE, TOPIC, heard.append)
    store.write(SCOPE, lambda tx: say(tx, "a"))
    assert _numbers(heard) == [1, 2]


def _notify(tx: Transaction, topic: str, size: int, times: int = 1) -> None:
    unit: Unit = system_unit(tx, None, 0, b"seed")
    for _ in range(times):
        unit.notify(topic, {"x": "y" * size})


@pytest.mark.parametrize(
    ("topic", "size", "times", "said"),
    [
        ("t" * (MOST_TOPIC_BYTES + 1), 0, 1, "a topic is longer than 200 bytes"),
        ("t", MOST_PAYLOAD_BYTES, 1, "a payload is longer than 2000 bytes"),
        ("t", 0, MOST_OF_A_UNIT + 1, "a unit of work publishes no more than 100 notices"),
    ],
)
def test_notices_are_small_and_few(topic: str, size: int, times: int, said: str) -> None:
    """Whatever is more is a fault of the unit, and nothing of it is published."""
    store, heard = MemoryStore(), list[Notice]()
    store.notices.subscribe(SCOPE, topic, heard.append)
    with pytest.raises(ValueError, match=said):
        store.write(SCOPE, lambda tx: _notify(tx, topic, size, times))
    store.write(SCOPE, lambda tx: _notify(tx, "t", 10, MOST_OF_A_UNIT))
    assert len(heard) == (MOST_OF_A_UNIT if topic == "t" else 0)


def test_an_inbox_is_bounded_and_says_what_was_missed() -> None:
    """Who takes too little reads everything again, and is served from then on."""
    woken: list[None] = []
    inbox = Inbox(most=3, wake=lambda: woken.append(None))
    notices, one = Notices(), Notice(SCOPE, TOPIC, "{}")
    notices.subscribe(SCOPE, TOPIC, inbox.put, missed=inbox.miss)
    notices.publish([one] * 3)
    assert inbox.take() == [one] * 3
    assert inbox.take() == []
    notices.publish([one] * 100)
    assert inbox.take() is None
    notices.publish([one])
    assert inbox.take() == [one]
    notices.miss()
    notices.publish([one])
    assert inbox.take() is None
    assert len(woken) == 3 + 3 + 1 + 1 + 1


def test_a_world_says_what_its_units_publish() -> None:
    """A simulation has the same notices as a server."""
    world, heard = World(config(), seed=7), list[Notice]()
    scope = world.scopes[0]
    world.store.notices.subscribe(scope, "t", heard.append)
    world.unit_of_work(lambda unit: unit.notify("t", {"n": 1}), scope)
    assert heard == [Notice(scope, "t", '{"n":1}')]
