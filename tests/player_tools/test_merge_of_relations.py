"""Merging: what becomes of the friends, requests and blocks of two players who become one."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest

from livecore import World
from livecore.kernel.declarations import player_lifecycle
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.rewriting import Rewrite
from livecore.kernel.storage.store import StoreWrite, Transaction, Write
from livecore.social.relations import RELATIONS
from livecore.world import WorldPlayer
from tests.player_tools.merging import merge, two
from tests.player_tools.soundness import faults_of
from tests.worlds import Since, ask, befriend, gift, give, rows_of, world

pytestmark = pytest.mark.usefixtures("few")


def standing(player: WorldPlayer) -> dict[str, object]:
    """Everybody whom a player has something to do with."""
    requests = ask(player, "friends.listRequests")
    return {
        **{str(row["externalPlayerId"]): "friends" for row in ask(player, "friends.list").list("friends")},
        **{
            str(cast(JsonObject, row["player"])["externalPlayerId"]): direction
            for direction in ("incoming", "outgoing")
            for row in requests.list(direction)
        },
        **{str(row["externalPlayerId"]): "blocked" for row in ask(player, "friends.listBlocks").list("blocks")},
    }


def asks(one: WorldPlayer, other: WorldPlayer) -> None:
    """Send a request."""
    ask(one, "friends.sendRequest", external_player_id=other.external_id)


def blocks(one: WorldPlayer, other: WorldPlayer) -> None:
    """Block."""
    ask(one, "friends.block", external_player_id=other.external_id)


Deed = Callable[[WorldPlayer, WorldPlayer], object]


def nothing(_: WorldPlayer, __: WorldPlayer) -> None:
    """Do nothing."""


@pytest.mark.parametrize("low_first", [True, False])
@pytest.mark.parametrize(
    ("of_source", "of_target", "expected"),
    [
        (befriend, nothing, "friends"),
        (befriend, befriend, "friends"),
        (befriend, asks, "friends"),
        (asks, nothing, "outgoing"),
        (lambda me, other: asks(other, me), nothing, "incoming"),
        (asks, lambda me, other: asks(other, me), "outgoing"),
        (lambda me, other: asks(other, me), asks, "incoming"),
        (blocks, befriend, "blocked"),
        (befriend, blocks, "blocked"),
        (blocks, asks, "blocked"),
        (lambda me, other: blocks(other, me), befriend, None),
    ],
)
def test_two_relations_become_one(of_source: Deed, of_target: Deed, expected: str | None, low_first: bool) -> None:
    """Friends are united, any block wins, and of two requests the older stands; whoever has the lower id."""
    game = world()
    names = ["guest", "third", "account"] if low_first else ["account", "third", "guest"]
    made = {}
    for name in names:
        made[name] = game.player(name)
        game.advance(seconds=1)
    source, third, target = made["guest"], made["third"], made["account"]
    of_source(source, third)
    game.advance(seconds=1)
    of_target(target, third)
    since = Since(game)
    merge(source, target)
    assert standing(target) == ({} if expected is None else {"third": expected})
    mirrored = {"friends": "friends", "outgoing": "incoming", "incoming": "outgoing"}.get(expected or "")
    theirs = "blocked" if expected is None else mirrored
    assert standing(third) == ({} if theirs is None else {"account": theirs})
    assert "friend.removed" not in since.kinds
    assert faults_of(game) == []


def test_what_the_two_were_to_each_other_goes(game: World) -> None:
    """Friendship, request or block: nobody has a relation to themself."""
    source, target = two(game)
    befriend(source, target)
    merge(source, target)
    assert (standing(target), rows_of(game, RELATIONS)) == ({}, [])


def test_a_cooldown_is_the_later_one(game: World) -> None:
    """Merging lets nobody send sooner."""
    source, target = two(game)
    friend = game.player("friend")
    for player in (source, target):
        befriend(player, friend)
        give(player, "gold", 50)
    gift(target, friend)
    game.advance(hours=5)
    gift(source, friend)
    merge(source, target)
    refused = gift(target, friend)
    assert refused.refusal == (409, "gift_cooldown")
    assert refused["details.giftCooldownUntil"] == "2026-01-02T05:00:01.000Z"


def test_limits_may_be_passed_by_a_union() -> None:
    """Nobody loses a friend by it; new ones are refused."""
    game = world(social={"maxFriends": 1})
    source, target = two(game)
    befriend(source, game.player("one"))
    befriend(target, game.player("two"))
    merge(source, target)
    assert standing(target) == {"one": "friends", "two": "friends"}
    asked = ask(game.player("three"), "friends.sendRequest", external_player_id="account")
    refused = ask(target, "friends.acceptRequest", request_id=asked["request.requestId"])
    assert refused.refusal == (409, "friend_limit_reached")


def test_many_relations_go_with_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the source's is deleted by itself; those that the target gets are written one by one."""
    monkeypatch.setattr(player_lifecycle, "FEW", 0)
    game = world()
    source, target = game.player("guest"), game.player("account")
    others = [game.player(f"other {number}") for number in range(12)]
    for number, other in enumerate(others):
        befriend(source, other)
        if number % 2:
            befriend(target, other)
    request = game.server.request("players.merge", external_id="guest", to_external_id="account")
    prepared = game.store.read(DIRECTORY, lambda tx: game.application.prepare(request, tx))
    writes: list[StoreWrite] = []

    def work(tx: Transaction) -> None:
        game.application.run(prepared, tx)
        writes.extend(step for step in tx.writes() if step.table is RELATIONS)

    game.store.read(prepared.scope, work)
    assert [step.after is None for step in writes if isinstance(step, Write)] == [False] * 12
    cleared = [step for step in writes if isinstance(step, Rewrite)]
    assert {(step.prefix, step.values) for step in cleared} == {((source.player_id, "friends"), None)}
    assert len(cleared) <= 2  # as the lower one of the pair, and as the higher one
    merge(source, target)
    assert standing(target) == {other.external_id: "friends" for other in others}
    assert faults_of(game) == []
