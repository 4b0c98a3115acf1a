"""Purchases, bans and rows that move in, from several processes at once: each counts once, whoever is first.

What is asserted holds for every order, and afterwards `livecore check` finds nothing, the sums of purchases included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

import pytest

from livecore.commerce.revenue import get_revenue_summary
from livecore.commerce.rows import GetRevenueSummary, RevenueSummary
from livecore.kernel.units.unit import Unit
from livecore.player_tools.migration import migrate_wallet
from livecore.player_tools.migration_rows import MigrateWallet, MigrationOutcome
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from tests.postgres.rig import Game, Reply, race

_AT_ONCE = 6
_numbers = count(1)
rounds = pytest.mark.parametrize("turn", range(3))


@pytest.fixture(autouse=True)
def sound(game: Game) -> Iterator[None]:
    """Nothing is found wrong after any test."""
    yield
    store = game.stores[0]
    assert isinstance(store, PostgresStore)
    report = check(store, [game.scope], lambda _: None)
    assert [(finding.table, finding.key, finding.problem) for _, finding in report.findings] == []


def transaction() -> str:
    """A store's id that no other test uses."""
    return f"transaction-{next(_numbers)}"


def buy(game: Game, name: str, bought: str, process: int, *, status: str | None = None) -> Reply:
    """Report a purchase at one of the processes: as the client, or with a status as the studio's backend."""
    body: dict[str, Any] = {
        "transactionId": bought, "store": "app_store", "productId": "gems", "productType": "consumable",
        "amountMinor": 10, "currency": "USD",
    }  # fmt: skip
    if status is not None:
        body["validationStatus"] = status
    return game.ask("POST", f"{name}/purchases", body, process=process, server=status is not None)


def outcomes(replies: list[Reply]) -> dict[tuple[int, str | None], int]:
    """How often each answer was given."""
    return dict(Counter((reply.status, reply.code) for reply in replies))


@rounds
def test_a_transaction_that_client_and_backend_report_at_once(game: Game, turn: int) -> None:
    """One makes the row, one may verify it, the others are told of it; one event."""
    name, bought = game.player(), transaction()
    statuses = [None, "verified", None, "unverified", None, "verified"]
    replies = race(*(partial(buy, game, name, bought, turn + at, status=status) for at, status in enumerate(statuses)))
    assert outcomes(replies) == {(200, None): _AT_ONCE}
    assert len({reply.data["purchase"]["purchaseId"] for reply in replies}) == 1
    assert {reply.data["purchaseCount"] for reply in replies} == {1}
    assert sum(not reply.replay for reply in replies) in {1, 2}
    final = buy(game, name, bought, turn)
    assert final.data["purchase"]["validationStatus"] == "verified"
    assert len([event for event in game.events() if f'"{bought}"' in event]) == 1


@rounds
def test_a_transaction_that_several_players_claim_at_once(game: Game, turn: int) -> None:
    """It is one player's; the others are refused and have spent nothing."""
    names, bought = [game.player() for _ in range(_AT_ONCE)], transaction()
    replies = race(*(partial(buy, game, name, bought, turn + at) for at, name in enumerate(names)))
    assert outcomes(replies) == {(200, None): 1, (409, "transaction_conflict"): _AT_ONCE - 1}
    spent = [game.ask("GET", f"{name}/spend", server=True).data["lifetimeAmountMinor"] for name in names]
    assert sum(spent) == 10


@rounds
def test_several_transactions_of_one_player_at_once(game: Game, turn: int) -> None:
    """Each is counted, and each answer's total is one that was."""
    name = game.player()
    replies = race(*(partial(buy, game, name, transaction(), turn + at) for at in range(_AT_ONCE)))
    assert sorted(reply.data["lifetimeAmountMinor"] for reply in replies) == [10, 20, 30, 40, 50, 60]


@rounds
def test_bans_and_the_players_own_writes(game: Game, turn: int) -> None:
    """One ban is the transition; what was written before it stands, and nothing is written after it."""
    name = game.player(gold=100)

    def debit(at: int) -> Reply:
        return game.ask("POST", f"{name}/wallet/gold/debit", {"amount": 10}, process=turn + at)

    def ban(at: int) -> Reply:
        return game.ask("POST", f"{name}/ban", {"reason": "cheating"}, process=turn + at, server=True)

    replies = race(*(partial(step, at) for at in range(3) for step in (debit, ban)))
    debits, bans = replies[::2], replies[1::2]
    assert set(outcomes(debits)) <= {(200, None), (403, "player_banned")}
    assert sorted(reply.data["applied"] for reply in bans) == [False, False, True]
    assert game.gold(name) == 100 - 10 * outcomes(debits).get((200, None), 0)
    assert debit(0).code == debit(1).code == "player_banned"
    assert len([event for event in game.events() if event.startswith("player.banned") and f'"{name}"' in event]) == 1


@rounds
def test_the_same_rows_by_two_at_once(game: Game, turn: int) -> None:
    """Whoever is first applies a row, and the other one finds it applied; also where the rows make the players."""
    prefix = transaction()
    rows = tuple(
        {
            "idempotencyKey": f"{prefix}-{at}",
            "externalPlayerId": f"{prefix}-{at % 5}",
            "economyKey": "gold",
            "amount": 1,
        }
        for at in range(20)
    )

    def move_in(process: int) -> MigrationOutcome:
        return game.as_service(lambda unit: migrate_wallet(unit, MigrateWallet(rows=rows)), process=process)

    told = race(*(partial(move_in, at % 2) for at in range(turn, turn + 4)))
    assert sum(outcome.applied for outcome in told) == 20
    assert sum(outcome.replayed for outcome in told) == 60
    assert game.gold(*(f"{prefix}-{at}" for at in range(5))) == 20


@rounds
def test_a_summary_while_an_account_is_flagged(game: Game, turn: int) -> None:
    """It has all of a player's purchases or none of them, and its parts agree."""
    name = game.player()
    for _ in range(3):
        buy(game, name, transaction(), turn)
    before = _summary(game, 0)

    def flag(method: str, at: int) -> Reply:
        return game.ask(method, f"{name}/debug", {} if method == "POST" else None, process=at, server=True)

    results: list[Any] = race(
        partial(flag, "POST", turn),
        *(partial(_summary, game, at) for at in range(2)),
        partial(flag, "DELETE", turn + 1),
    )
    for shown in results[1:3]:
        assert before.gross_amount_minor - shown.gross_amount_minor in {0, 30}
        assert shown.gross_amount_minor == 10 * shown.purchase_count
        assert shown.gross_amount_minor == sum(row.amount_minor for row in shown.products)
        assert shown.gross_amount_minor == sum(row.amount_minor for row in shown.days)
        assert (
            before.paying_players - shown.paying_players == (before.gross_amount_minor - shown.gross_amount_minor) // 30
        )


def _summary(game: Game, process: int) -> RevenueSummary:
    def read(unit: Unit) -> RevenueSummary:
        return get_revenue_summary(unit, GetRevenueSummary())

    return game.as_service(read, process=process % 2)
