"""Kill -9 at random moments under concurrent load, again and again on the same file.

After each kill: the file is sound and holds no half of a write; the restarted server has everything that was acknowledged
and answers a retry the same; what was unknown has one effect and one answer. After the last: value is conserved, and a
receiver has every event at least once, each proven by its signature.

Five rounds in the default suite; `LIVECORE_CRASH_ROUNDS=300` for as many as the project promises.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import pytest

from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction
from livecore_server.chance import now_millis
from livecore_server.database import vault_for
from livecore_server.executor import SqliteExecutor
from livecore_server.sqlite import SqliteStore
from livecore_server.webhooks import NetworkRules, Poster, Sender
from livecore_server.webhooks.units import first_due
from tests.crash.halves import check_file, rows_of
from tests.crash.load import CONFIG, Attempt, Load, account
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.laws.rows import PlaceRows

T = TypeVar("T")
ROUNDS: Final = int(os.environ.get("LIVECORE_CRASH_ROUNDS", "5"))
_ROUNDS_A_FILE: Final = 10
"""A file that only grows would be read more and more slowly."""
_FILES: Final = -(-ROUNDS // _ROUNDS_A_FILE)
_SHORTEST_SECONDS: Final = 0.02
_LONGEST_SECONDS: Final = 0.25
_A_LEASE_AND_MORE_MS: Final = 120_000


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Where the events go."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def server(tmp_path: Path, receiver: Receiver) -> Iterator[Livecore]:
    """A game with an endpoint for everything; not serving yet."""
    server = Livecore(tmp_path, CONFIG)
    receiver.secret = server.add_endpoint(receiver.url)
    yield server
    server.end()


@pytest.mark.parametrize("file", range(_FILES))
def test_killed_at_any_moment_nothing_acknowledged_is_lost_and_nothing_is_half(
    server: Livecore, receiver: Receiver, file: int
) -> None:
    """See the head of this file."""
    rounds = range(file * _ROUNDS_A_FILE, min(ROUNDS, (file + 1) * _ROUNDS_A_FILE))
    load = Load(server, seed=file)
    server.start()
    asyncio.run(load.set_up())
    everything: list[Attempt] = []
    seen: Counter[str] = Counter()
    for number in rounds:
        moment = Entropy(derive_seed(b"kill", "round", number)).unit_interval()
        after_seconds = _SHORTEST_SECONDS + moment * (_LONGEST_SECONDS - _SHORTEST_SECONDS)
        asyncio.run(load.run(after_seconds, server.kill))
        server.wait()
        rows = check_file(server.path, server.game_id)
        check_acknowledged(rows, load.attempts)
        server.start()
        acknowledged, unknown = asyncio.run(account(load))
        seen.update(acknowledged=acknowledged, unknown=unknown, rounds=1)
        everything += load.attempts
        load.attempts.clear()
    assert server.stop() == 0
    rows = check_file(server.path, server.game_id)
    check_conservation(rows, everything)
    asyncio.run(deliver_the_rest(server))
    check_delivered(rows_of(server.path, server.game_id), receiver)
    assert seen["acknowledged"] > 10 * len(rounds)
    assert seen["unknown"] > 0


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


class _Watched(SqliteExecutor):
    """An executor that can be waited for: until some write has brought a fact about."""

    def __init__(self, store: SqliteStore) -> None:
        super().__init__(store)
        self._written = asyncio.Condition()

    async def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As always, and tell."""
        result = await super().write(scope, work)
        async with self._written:
            self._written.notify_all()
        return result

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait for the fact."""
        async with self._written:
            await self._written.wait_for(fact)


async def deliver_the_rest(server: Livecore) -> None:
    """Send what is still due, by a sender whose clock is past every lease that a killed server held."""
    store = SqliteStore(server.path)
    executor = _Watched(store)

    def later() -> int:
        return now_millis() + _A_LEASE_AND_MORE_MS

    sender = Sender(executor, vault_for(server.url, None), Poster(NetworkRules(), now=later), now=later)
    await sender.start()
    await executor.until(lambda: store.read(Scope(server.game_id, "test"), first_due) is None)
    await sender.stop()
    await executor.close()


def check_delivered(rows: PlaceRows, receiver: Receiver) -> None:
    """The receiver has every event, and the store knows it."""
    assert receiver.forged == []
    assert {event.event_id for event in rows.tables["webhook_events"]} == set(receiver.events)
    assert {row.status for row in rows.tables["webhook_deliveries"]} == {"delivered"}
