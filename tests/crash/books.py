"""The books of a database that has been through something: what was acknowledged is there, and nothing was made or lost.

Whoever has sent a load keeps `Books`: after each round it is known of every write whether it took effect, and in the end all
of it is compared with the rows, and with what a receiver got.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Final, TypeVar

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.permanent_idempotency import hidden
from livecore_server.background.webhooks import NetworkRules, Poster, Sender
from livecore_server.background.webhooks.units import first_due
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.storage.database import Database, open_store, vault_for
from livecore_server.storage.ports import Executor
from livecore_server.system import now_millis
from tests.crash.attempts import Attempt
from tests.crash.effects import check_effects, check_told
from tests.crash.halves import check_database, rows_of
from tests.crash.load import Load, account
from tests.crash.receiver import Receiver
from tests.crash.served import Livecore
from tests.laws.routes import Body
from tests.laws.rows import PlaceRows

T = TypeVar("T")
_A_LEASE_AND_MORE_MS: Final = 120_000
_WINNERS: Final = 3
"""How many ranks of a board win something."""
_DONE: Final = frozenset(
    {
        "sdk:gifts.send", "sdk:events.start", "sdk:lobbies.leave", "sdk:crates.open", "sdk:guilds.create",
        "sdk:guilds.join", "sdk:guilds.leave", "sdk:guilds.requestHelp", "sdk:guilds.donate",
    }
)  # fmt: skip
"""Writes of which some must have succeeded: what is checked of them would be empty otherwise."""


class Books:
    """Everything that was sent in all rounds, and what it must have come to in the end."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []
        self._seen: Counter[str] = Counter()

    def check_killed(self, server: Livecore, load: Load) -> None:
        """Nobody serves since the kill: what was acknowledged is there, and what nobody knows of is there at most once."""
        rows = check_database(server.url, server.game_id)
        check_acknowledged(rows, load.attempts, answers_in=server.scope)
        check_effects(rows, self._attempts + load.attempts)

    def close(self, load: Load) -> None:
        """End a round: everything that was sent since the last one is accounted for with the servers that run."""
        acknowledged, unknown = asyncio.run(account(load))
        self._seen.update(acknowledged=acknowledged, unknown=unknown)
        self._attempts += load.attempts
        load.attempts.clear()

    def check(self, server: Livecore, *, acknowledged: int, unknown: int = 1) -> None:
        """Nobody serves any more: the database is sound, value is conserved; so many writes at least were of each kind."""
        rows = check_database(server.url, server.game_id)
        check_acknowledged(rows, self._attempts, answers_in=server.scope)
        check_effects(rows, self._attempts)
        check_conservation(rows, self._attempts)
        check_events(rows)
        assert {attempt.name for attempt in self._attempts if attempt.succeeded} >= _DONE
        assert self._seen["acknowledged"] > acknowledged
        assert self._seen["unknown"] >= unknown

    @staticmethod
    def check_events(server: Livecore, receiver: Receiver) -> None:
        """Every event arrives, those at last that a killed server was about to send."""
        asyncio.run(deliver_the_rest(server))
        check_delivered(rows_of(server.url, server.game_id), receiver)


def check_acknowledged(rows: PlaceRows, attempts: list[Attempt], *, answers_in: Scope | None = None) -> None:
    """Whatever was answered with success is there, before anybody repairs anything; the answers too, if a scope is given."""
    entries = {entry.entry_id: (entry.delta, entry.balance) for entry in rows.entries}
    gifts, grants = {gift.gift_id: gift for gift in rows.gifts}, {grant.grant_id: grant for grant in rows.grants}
    answers = rows.tables.get("idempotent_answers", [])
    kept = {answer.idempotency_key: answer.body for answer in answers}
    owners = {answer.owner for answer in answers}
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
        _check_scores(data, rows)
        if answers_in is not None and attempt.key:
            names = {hidden(answers_in, owner, attempt.key) for owner in owners}
            assert [kept[name].encode() for name in names & kept.keys()] == [attempt.raw]
    check_told(rows, attempts)


def _check_scores(data: Body, rows: PlaceRows) -> None:
    """What an attempt or a leaderboard has been told to have scored is there; scores only grow in this game."""
    if "attempt" in data:
        shown = data["attempt"]
        (score,) = [row.score for row in rows.tables["attempts"] if row.attempt_id == shown["attemptId"]]
        assert score >= shown["score"]
    if "entry" in data:
        entries = [row for row in rows.tables["leaderboard_entries"] if row.attempt_id is None]
        assert max(row.score for row in entries if row.player_id == data["entry"]["playerId"]) >= data["entry"]["score"]


def check_conservation(rows: PlaceRows, attempts: list[Attempt]) -> None:
    """All gold and potions there are were minted by a success and not taken by another."""
    minted: Counter[tuple[str, str]] = Counter()
    for attempt in attempts:
        if attempt.succeeded and "economyKey" in attempt.data:
            minted["currency", attempt.data["economyKey"]] += attempt.data["delta"]
        elif attempt.succeeded and "itemKey" in attempt.data:
            minted["item", attempt.data["itemKey"]] += attempt.data["delta"]
    for entry in rows.entries:
        if entry.reason in {"grant_claimed", "entry_cost", "guild_cost", "guild_help"} or (
            entry.reason == "gift_claimed" and entry.asset_key == "xp"
        ):
            minted[entry.asset_kind, entry.asset_key] += entry.delta
    assert +rows.owned() == +minted


def check_events(rows: PlaceRows) -> None:
    """Each attempt was paid for once; of each board whose window or lobby is closed, each rank that wins was paid once."""
    charged = Counter(entry.source_ref_id for entry in rows.entries if entry.reason == "entry_cost")
    assert charged == Counter(row.attempt_id for row in rows.tables.get("attempts", []))
    assert charged
    closed = {row.window_id for row in rows.tables.get("event_windows", []) if row.status == "closed"}
    ended = {row.lobby_id for row in rows.tables.get("lobbies", []) if row.status == "closed"}
    # What teams win, `halves_of_teams` looks at.
    boards = [row for row in rows.tables.get("leaderboards", []) if row.participants == "player"]
    final = {row.board_id for row in boards if row.window_id in closed or row.lobby_id in ended}
    # A bot takes its rank, and wins nothing.
    bots = {row.bot_id for row in rows.tables.get("lobby_bots", [])}
    won: Counter[tuple[str | None, str]] = Counter()
    entries = [
        row for row in rows.tables.get("leaderboard_entries", []) if row.board_id in final and row.sort_key is not None
    ]
    for board_id in final:
        board = sorted((row.sort_key, row.reached_at, row.participant) for row in entries if row.board_id == board_id)
        won.update((board_id, participant) for *_, participant in board[:_WINNERS] if participant not in bots)
    paid = Counter((row.source_ref_id, row.player_id) for row in rows.grants if row.source_kind == "event_rank")
    assert Counter({key: count for key, count in paid.items() if key[0] in final}) == won
    assert set(paid.values()) <= {1}


class _Watched:
    """An executor that can be waited for: until some write has brought a fact about."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.read, self.scopes, self.close = executor.read, executor.scopes, executor.close
        self.lease, self.due_scopes, self.read_aside = executor.lease, executor.due_scopes, executor.read_aside
        self._written = asyncio.Condition()

    @property
    def queued(self) -> int:
        """As always."""
        return self._executor.queued

    @property
    def notices(self) -> Notices:
        """As the executor has them."""
        return self._executor.notices

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
    executor = _Watched(run_store(open_store(server.url), StoreWatch(Metrics())).executor)

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
