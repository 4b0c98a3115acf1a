"""Kill -9 at random moments under concurrent load, again and again on the same database, a file or PostgreSQL's.

After each kill: the database is sound and holds no half of a write; the restarted server has everything that was
acknowledged and answers a retry the same; what was unknown has one effect and one answer. After the last: value is
conserved, nobody has come into a guild or a lobby, begun an attempt, donated or opened a crate but by a write that is known,
and a receiver has every event at least once, each proven by its signature.

Of two servers on one PostgreSQL database, one is killed while both are written to: the other answers for everything that
either has acknowledged, at once, and goes on with its due work.

A few rounds in the default suite; `LIVECORE_CRASH_ROUNDS=300` for as many as the project promises, of each kind.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Final

import pytest

from livecore.economy.grants import EXPIRE
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.due import DUE_BY_TIME, DueWork
from livecore.lobbies.lifecycle import FILL_BY
from livecore_server.storage.database import store_at
from tests.crash.books import Books
from tests.crash.game import CONFIG
from tests.crash.load import Load
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.patience import PATIENCE_SECONDS
from tests.postgres.server import ready_database

_ASKED: Final = os.environ.get("LIVECORE_CRASH_ROUNDS")
_ROUNDS_A_DATABASE: Final = 10
"""A database that only grows would be read more and more slowly."""
_SHORTEST_SECONDS: Final = 0.02
_LONGEST_SECONDS: Final = 0.25
_PAUSE_SECONDS: Final = 0.02


def _parts(few: int) -> list[range]:
    """The rounds, in as many parts as there are databases."""
    rounds = range(int(_ASKED or few))
    return [rounds[start : start + _ROUNDS_A_DATABASE] for start in rounds[::_ROUNDS_A_DATABASE]]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Where the events go."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def on_file(tmp_path: Path, receiver: Receiver) -> Iterator[Livecore]:
    """A game in a file, with an endpoint for everything; not serving yet."""
    server = Livecore(tmp_path, CONFIG)
    receiver.secret = server.add_endpoint(receiver.url)
    yield server
    server.end()


@pytest.fixture
def on_postgres(tmp_path: Path, receiver: Receiver) -> Iterator[Livecore]:
    """The same in PostgreSQL."""
    with ready_database() as url:
        server = Livecore(tmp_path, CONFIG, url=url)
        receiver.secret = server.add_endpoint(receiver.url)
        yield server
        server.end()


@pytest.fixture
def other(on_postgres: Livecore) -> Iterator[Livecore]:
    """Another server of that database."""
    other = on_postgres.beside()
    yield other
    other.end()


@pytest.mark.parametrize("rounds", _parts(3), ids=str)
def test_killed_on_a_file_nothing_acknowledged_is_lost_and_nothing_is_half(
    on_file: Livecore, receiver: Receiver, rounds: range
) -> None:
    """See the head of this file."""
    _kill_again_and_again(on_file, receiver, rounds)


@pytest.mark.parametrize("rounds", _parts(2), ids=str)
def test_killed_on_postgresql_nothing_acknowledged_is_lost_and_nothing_is_half(
    on_postgres: Livecore, receiver: Receiver, rounds: range
) -> None:
    """The same, where the database is another process that goes on."""
    _kill_again_and_again(on_postgres, receiver, rounds)


@pytest.mark.parametrize("rounds", _parts(2), ids=str)
def test_of_two_servers_one_is_killed_and_the_other_answers_for_both(
    on_postgres: Livecore, other: Livecore, receiver: Receiver, rounds: range
) -> None:
    """See the head of this file."""
    servers = [on_postgres, other]
    for server in servers:
        server.start()
    load = Load(servers, seed=1_000 + rounds.start)
    asyncio.run(load.set_up())
    asyncio.run(load.do_each_once())
    books = Books()
    for number in rounds:
        victim = servers[number % 2]
        asyncio.run(load.run(_moment(number), victim.kill))
        victim.wait()
        books.close(load)
        if number == rounds[-1]:
            until_nothing_is_due(victim)
        victim.start()
    for server in servers:
        assert server.stop() == 0
    books.check(on_postgres, acknowledged=10 * len(rounds))
    books.check_events(on_postgres, receiver)


def _kill_again_and_again(server: Livecore, receiver: Receiver, rounds: range) -> None:
    load = Load([server], seed=rounds.start)
    server.start()
    asyncio.run(load.set_up())
    asyncio.run(load.do_each_once())
    books = Books()
    for number in rounds:
        asyncio.run(load.run(_moment(number), server.kill))
        server.wait()
        books.check_killed(server, load)
        server.start()
        books.close(load)
    assert server.stop() == 0
    books.check(server, acknowledged=10 * len(rounds))
    books.check_events(server, receiver)


def _moment(number: int) -> float:
    share = Entropy(derive_seed(b"kill", "round", number)).unit_interval()
    return _SHORTEST_SECONDS + share * (_LONGEST_SECONDS - _SHORTEST_SECONDS)


def until_nothing_is_due(server: Livecore) -> None:
    """Wait until every gift that nobody claimed has gone back, and no lobby is left to fill, whoever was to see to it."""
    pause = Event()
    with store_at(server.url) as store:
        for _ in range(round(PATIENCE_SECONDS / _PAUSE_SECONDS)):
            if not store.read(server.scope, _to_come):
                return
            pause.wait(_PAUSE_SECONDS)
    raise AssertionError("gifts have been left lying, or lobbies have been left to fill")


def _to_come(tx: Transaction) -> list[DueWork]:
    return [work for work in tx.scan(DUE_BY_TIME) if work.kind in {EXPIRE, FILL_BY}]
