"""Kill -9 at random moments under concurrent load, again and again on the same database, a file or PostgreSQL's.

After each kill: the database is sound and holds no half of a write; the restarted server has everything that was
acknowledged and answers a retry the same; what was unknown has one effect and one answer. After the last: value is
conserved, and a receiver has every event at least once, each proven by its signature.

Of two servers on one PostgreSQL database, one is killed while both are written to: the other answers for everything that
either has acknowledged, at once, and goes on with its due work.

A few rounds in the default suite; `LIVECORE_CRASH_ROUNDS=300` for as many as the project promises, of each kind.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Final, TypeVar

import pytest

from livecore.economy.grants import EXPIRE
from livecore.kernel.due import DUE_BY_TIME, DueWork
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction
from livecore_server.chance import now_millis
from livecore_server.database import Database, executor_of, open_store, store_at, vault_for
from livecore_server.metrics import Metrics
from livecore_server.ports import Executor
from livecore_server.readiness import StoreWatch
from livecore_server.webhooks import NetworkRules, Poster, Sender
from livecore_server.webhooks.units import first_due
from tests.crash.halves import check_database, rows_of
from tests.crash.load import CONFIG, Attempt, Load, account
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.laws.rows import PlaceRows
from tests.postgres.server import fresh_database

T = TypeVar("T")
_ASKED: Final = os.environ.get("LIVECORE_CRASH_ROUNDS")
_ROUNDS_A_DATABASE: Final = 10
"""A database that only grows would be read more and more slowly."""
_SHORTEST_SECONDS: Final = 0.02
_LONGEST_SECONDS: Final = 0.25
_A_LEASE_AND_MORE_MS: Final = 120_000


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
    with fresh_database() as url:
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


@pytest.mark.parametrize("rounds", _parts(5), ids=str)
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
    books = _Books()
    for number in rounds:
        victim = servers[number % 2]
        asyncio.run(load.run(_moment(number), victim.kill))
        victim.wait()
        books.close(load, *asyncio.run(account(load)))
        if number == rounds[-1]:
            until_nothing_expires(victim)
        victim.start()
    for server in servers:
        assert server.stop() == 0
    books.check(on_postgres, receiver, len(rounds))


def _kill_again_and_again(server: Livecore, receiver: Receiver, rounds: range) -> None:
    load = Load([server], seed=rounds.start)
    server.start()
    asyncio.run(load.set_up())
    books = _Books()
    for number in rounds:
        asyncio.run(load.run(_moment(number), server.kill))
        server.wait()
        check_acknowledged(check_database(server.url, server.game_id), load.attempts)
        server.start()
        books.close(load, *asyncio.run(account(load)))
    assert server.stop() == 0
    books.check(server, receiver, len(rounds))


def _moment(number: int) -> float:
    share = Entropy(derive_seed(b"kill", "round", number)).unit_interval()
    return _SHORTEST_SECONDS + share * (_LONGEST_SECONDS - _SHORTEST_SECONDS)


class _Books:
    """Everything that was sent in all rounds, and what it must have come to in the end."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []
        self._seen: Counter[str] = Counter()

    def close(self, load: Load, acknowledged: int, unknown: int) -> None:
        """A round is accounted for."""
        self._seen.update(acknowledged=acknowledged, unknown=unknown)
        self._attempts += load.attempts
        load.attempts.clear()

    def check(self, server: Livecore, receiver: Receiver, rounds: int) -> None:
        """Nobody serves any more: the database is sound, value is conserved, and every event arrives."""
        rows = check_database(server.url, server.game_id)
        check_acknowledged(rows, self._attempts)
        check_conservation(rows, self._attempts)
        asyncio.run(deliver_the_rest(server))
        check_delivered(rows_of(server.url, server.game_id), receiver)
        assert self._seen["acknowledged"] > 10 * rounds
        assert self._seen["unknown"] > 0


def until_nothing_expires(server: Livecore) -> None:
    """Wait until every gift that nobody claimed has gone back, whoever was about to see to it."""
    pause = Event()
    with store_at(server.url) as store:
        for _ in range(1_000):
            if not store.read(server.scope, _expiring):
                return
            pause.wait(0.02)
    raise AssertionError("gifts have been left lying")


def _expiring(tx: Transaction) -> list[DueWork]:
    return [work for work in tx.scan(DUE_BY_TIME) if work.kind == EXPIRE]


def check_acknowledged(rows: PlaceRows, attempts: list[Attempt]) -> None:
    """Whatever was answered with success is in the file, before anybody repairs anything."""
    entries = {entry.entry_id: (entry.delta, entry.balance) for entry in rows.entries}
    gifts, grants = {gift.gift_id: gift for gift in rows.gifts}, {grant.grant_id: grant for grant in rows.grants}
    kept = {answer.idempotency_key: answer.body for answer in rows.tables.get("idempotent_answers", [])}
    for attempt in attempts:
        if not attempt.succeeded:
            continue
        data = attempt.data
        if "entryId" in data:
            assert entries[data["entryId"]] == (data["delta"], data.get("balance", data.get("quantity")))
        if attempt.name == "sdk:gifts.claim":
            assert gifts[data["gift"]["giftId"]].status == "claimed"
        elif "gift" in data:
            assert data["gift"]["giftId"] in gifts
        if attempt.name in {"sdk:grants.claim", "server:grants.ack"}:
            assert grants[data["grant"]["grantId"]].status == "claimed"
        elif "grant" in data:
            assert data["grant"]["grantId"] in grants
        assert not attempt.key or kept[attempt.key].encode() == attempt.raw


def check_conservation(rows: PlaceRows, attempts: list[Attempt]) -> None:
    """All gold and potions there are were minted by a success and not taken by another."""
    minted: Counter[tuple[str, str]] = Counter()
    for attempt in attempts:
        if attempt.succeeded and "economyKey" in attempt.data:
            minted["currency", attempt.data["economyKey"]] += attempt.data["delta"]
        elif attempt.succeeded and "itemKey" in attempt.data:
            minted["item", attempt.data["itemKey"]] += attempt.data["delta"]
    for entry in rows.entries:
        if entry.reason == "grant_claimed" or (entry.reason == "gift_claimed" and entry.asset_key == "xp"):
            minted[entry.asset_kind, entry.asset_key] += entry.delta
    assert +rows.owned() == +minted


class _Watched:
    """An executor that can be waited for: until some write has brought a fact about."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.read, self.scopes, self.close = executor.read, executor.scopes, executor.close
        self._written = asyncio.Condition()

    @property
    def queued(self) -> int:
        """As always."""
        return self._executor.queued

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As always, and tell."""
        result = await self._executor.write(scope, work)
        async with self._written:
            self._written.notify_all()
        return result

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait for the fact."""
        async with self._written:
            await self._written.wait_for(fact)


async def deliver_the_rest(server: Livecore) -> None:
    """Send what is still due, by a sender whose clock is past every lease that a killed server held."""
    with closing(open_store(server.url)) as looking:
        await _deliver(server, looking)


async def _deliver(server: Livecore, looking: Database) -> None:
    executor = _Watched(executor_of(open_store(server.url), StoreWatch(Metrics())))

    def later() -> int:
        return now_millis() + _A_LEASE_AND_MORE_MS

    sender = Sender(executor, vault_for(server.url, None), Poster(NetworkRules(), now=later), now=later)
    await sender.start()
    await executor.until(lambda: looking.read(server.scope, first_due) is None)
    await sender.stop()
    await executor.close()


def check_delivered(rows: PlaceRows, receiver: Receiver) -> None:
    """The receiver has every event, and the store knows it."""
    assert receiver.forged == []
    assert {event.event_id for event in rows.tables["webhook_events"]} == set(receiver.events)
    assert {row.status for row in rows.tables["webhook_deliveries"]} == {"delivered"}
