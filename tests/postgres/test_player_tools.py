"""Merges and erasures from several processes at once, with each other and with whatever the players are just doing.

What is asserted holds for every order: nobody is in two places, no gold is lost, and `livecore check` finds nothing.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TypeVar, cast

import pytest

from livecore.kernel.declarations import player_lifecycle
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.players.player import PLAYERS, RECENTLY_SEEN
from livecore.social.gifts import GIFTS
from livecore_server.operations.check import check
from livecore_server.storage.postgres import PostgresStore
from tests.postgres.rig import Game, Reply, race

R = TypeVar("R")
rounds = pytest.mark.parametrize("turn", range(4))


@pytest.fixture(params=[player_lifecycle.FEW, 0], ids=["row by row", "in bulk"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are written one by one, many in bulk: races are the same."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)


def merge(game: Game, source: str, target: str, process: int = 0) -> Reply:
    """Ask to merge."""
    return game.ask("POST", f"{source}/merge-into/{target}", process=process, server=True)


def erase(game: Game, name: str, process: int = 0) -> Reply:
    """Ask to erase."""
    return game.ask("POST", f"{name}/delete", process=process, server=True)


def left(game: Game, *names: str) -> list[str]:
    """Who of them is still there."""

    def look(tx: Transaction) -> list[str]:
        return [player.external_id for player in tx.scan(RECENTLY_SEEN) if not player.gone]

    return sorted(set(names) & set(game.stores[0].read(game.scope, look)))


def rows_in(game: Game, table: Table[R]) -> list[R]:
    """Every row of a table in the game's scope."""
    return cast("list[R]", game.stores[0].dump()[game.scope.id].get(table.name, []))


def assert_sound(game: Game) -> None:
    """`livecore check` finds nothing in the game's scope."""
    store = game.stores[0]
    assert isinstance(store, PostgresStore)
    report = check(store, [game.scope], lambda _: None)
    assert [(finding.table, finding.key, finding.problem) for _, finding in report.findings] == []


@rounds
def test_crossing_merges_end_in_one_state(game: Game, turn: int) -> None:
    """A into B, B into A, C into A: each that was answered took effect, the others met somebody who was gone."""
    a, b, c = (game.player(gold=gold) for gold in (10, 20, 30))
    wanted = [(a, b), (b, a), (c, a)]
    replies = race(*(partial(merge, game, one, other, turn + at) for at, (one, other) in enumerate(wanted)))
    outcomes = [(reply.status, reply.code) for reply in replies]
    assert set(outcomes) <= {(200, None), (404, "player_not_found")}
    survivors = left(game, a, b, c)
    assert outcomes.count((200, None)) == 3 - len(survivors) >= 1
    assert game.gold(*survivors) == 60
    assert_sound(game)


@rounds
def test_one_merge_asked_for_by_many(game: Game, turn: int) -> None:
    """One merges, the others say that it is done; one event."""
    a, b = game.friends(gold=40)
    replies = race(*(partial(merge, game, a, b, turn + at) for at in range(5)))
    assert sorted(reply.data["status"] for reply in replies) == ["merged"] + ["no_op_already_merged"] * 4
    assert game.gold(b) == 40
    assert_sound(game)


@rounds
def test_merging_what_is_being_given(game: Game, turn: int) -> None:
    """Gifts that are sent, claimed and expire while their players become one."""
    a, b = game.friends(gold=100)
    c = game.player(gold=50)
    game.ask("POST", f"{a}/friends/requests", {"externalPlayerId": c})
    game.ask("POST", f"{c}/friends/requests", {"externalPlayerId": a})
    gold = {"type": "currency", "resourceKey": "gold", "amount": 10}
    sent = game.ask("POST", f"{c}/friends/gifts", {**gold, "externalPlayerId": a}).data["gift"]
    race(
        partial(merge, game, a, b, turn),
        partial(game.ask, "POST", f"{a}/friends/gifts", {**gold, "externalPlayerId": b}, process=turn + 1),
        partial(game.ask, "POST", f"{a}/friends/gifts/{sent['giftId']}/claim", process=turn),
        partial(game.ask, "POST", f"{b}/friends/requests", {"externalPlayerId": c}, process=turn + 1),
        partial(game.ask, "POST", f"{a}/wallet/gold/debit", {"amount": 5}, process=turn + 1),
    )
    assert left(game, a, b, c) == sorted([b, c])
    ours = {row.player_id for row in rows_in(game, PLAYERS) if row.external_id in {b, c}}
    pending = sum(
        row.amount for row in rows_in(game, GIFTS) if row.status == "pending" and row.paid and row.sender_id in ours
    )
    assert game.gold(b, c) + pending in {150, 145}
    assert_sound(game)


@rounds
def test_erasing_whom_others_deal_with(game: Game, turn: int) -> None:
    """Requests, gifts and claims meet the player, or nobody; what was paid and not received comes back."""
    a, b = game.friends(gold=100)
    c = game.player(gold=50)
    gold = {"type": "currency", "resourceKey": "gold", "amount": 10}
    sent = game.ask("POST", f"{a}/friends/gifts", {**gold, "externalPlayerId": b}).data["gift"]
    replies = race(
        partial(erase, game, b, turn),
        partial(erase, game, b, turn + 1),
        partial(game.ask, "POST", f"{b}/friends/gifts/{sent['giftId']}/claim", process=turn),
        partial(game.ask, "POST", f"{c}/friends/requests", {"externalPlayerId": b}, process=turn + 1),
        partial(merge, game, c, b, turn),
    )
    assert sorted(reply.data["status"] for reply in replies[:2]) == ["erased", "no_op_already_erased"]
    claimed = replies[2].status == 200
    assert game.gold(a) == (90 if claimed else 100)
    assert game.ask("GET", f"{a}/friends").data["friends"] == []
    assert replies[4].code in {None, "invalid_merge"}
    assert_sound(game)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_order_of_crossing_merges(game: Game, order: tuple[int, ...]) -> None:
    """One after the other, as a store does that has one writer: the race's outcomes are these."""
    a, b, c = (game.player(gold=gold) for gold in (10, 20, 30))
    wanted = [(a, b), (b, a), (c, a)]
    codes = [merge(game, *wanted[at]).code for at in order]
    survivors = left(game, a, b, c)
    assert codes.count(None) == 3 - len(survivors)
    assert codes[0] is None
    assert game.gold(*survivors) == 60
