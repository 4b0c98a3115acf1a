"""Friend requests beyond the state machine: targets, the order of refusals, limits, and what the lists show."""

from __future__ import annotations

import pytest

from livecore.kernel.errors import Json
from livecore.kernel.time import MINUTE, Timestamp
from livecore.players.player import PLAYERS
from livecore.social.relations import RELATIONS
from livecore.world import WorldPlayer
from tests.worlds import Reply, Since, ask, befriend, gift, give, http, rows_of, world

TRIO = ("anna", "bert", "carl")


def _trio(**social: Json) -> list[WorldPlayer]:
    game = world(social=social)
    return [game.player(name) for name in TRIO]


def _add(player: WorldPlayer, body: Json) -> Reply:
    return http(player, "POST", f"/sdk/v1/players/{player.external_id}/friends/requests", body)


# -- the order of refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"friendCode": "ABCDEF", "externalPlayerId": "anna"}, {"friendCode": None}])
@pytest.mark.parametrize("route", ["requests", "blocks"])
def test_both_or_neither_target_is_refused(route: str, body: Json) -> None:
    """Exactly one of `friendCode` and `externalPlayerId`; both fields are named."""
    anna, *_ = _trio()
    reply = http(anna, "POST", f"/sdk/v1/players/anna/friends/{route}", body)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["externalPlayerId", "friendCode"]


def test_oneself_cannot_be_a_friend() -> None:
    """By id and by one's own code, in any case of letters."""
    anna, *_ = _trio()
    code = ask(anna, "friends.getCode").text("friendCode")
    assert _add(anna, {"externalPlayerId": "anna"}).refusal == (400, "cannot_friend_self")
    assert _add(anna, {"friendCode": code.lower()}).refusal == (400, "cannot_friend_self")


def test_an_unknown_target_is_never_created() -> None:
    """Adding, blocking and gifting nobody is 404 and makes no player."""
    anna, *_ = _trio()
    assert _add(anna, {"externalPlayerId": "nobody"}).refusal == (404, "player_not_found")
    assert ask(anna, "friends.block", external_player_id="nobody").refusal == (404, "player_not_found")
    assert _add(anna, {"friendCode": "AAAAAA"}).refusal == (404, "friend_code_invalid")
    assert ask(anna, "friends.block", friend_code="AAAAAA").refusal == (404, "friend_code_invalid")
    assert {row.external_id for row in rows_of(anna.world, PLAYERS)} == set(TRIO)


def test_a_block_is_told_before_the_limits() -> None:
    """Where both a block and a full list stand in the way, the block is told."""
    anna, bert, carl = _trio(maxFriends=1)
    befriend(anna, carl)
    ask(bert, "friends.block", external_player_id="anna")
    assert _add(anna, {"externalPlayerId": "bert"}).refusal == (403, "player_blocked")


def test_an_existing_friendship_is_told_before_the_limits() -> None:
    """Adding a friend again is `already_friends`, also with a full list."""
    anna, bert, _ = _trio(maxFriends=1)
    befriend(anna, bert)
    assert _add(anna, {"externalPlayerId": "bert"}).refusal == (409, "already_friends")


def test_a_full_friend_list_is_told_before_the_request_limit() -> None:
    """Of the two limits the friends' comes first."""
    game = world(social={"maxFriends": 1, "maxOutgoingRequests": 1})
    anna, bert, carl, dora = (game.player(name) for name in (*TRIO, "dora"))
    ask(anna, "friends.sendRequest", external_player_id="carl")
    befriend(bert, anna)
    assert _add(anna, {"externalPlayerId": "dora"}).refusal == (409, "friend_limit_reached")
    assert len(ask(carl, "friends.listRequests").list("incoming")) == 1
    assert ask(dora, "friends.listRequests").list("incoming") == []


# -- limits ---------------------------------------------------------------------------------------------------------------


def test_neither_side_may_pass_the_friend_limit() -> None:
    """Accepting and adding back are refused when either list is full, and the request stays open."""
    anna, bert, carl = _trio(maxFriends=1)
    asked = ask(anna, "friends.sendRequest", external_player_id="bert").text("request.requestId")
    befriend(carl, anna)
    assert ask(bert, "friends.acceptRequest", request_id=asked).refusal == (409, "friend_limit_reached")
    reply = _add(bert, {"externalPlayerId": "anna"})
    assert reply.refusal == (409, "friend_limit_reached")
    assert reply["details"] == {"limit": 1}
    assert len(ask(bert, "friends.listRequests").list("incoming")) == 1


def test_outgoing_requests_are_limited() -> None:
    """The limit counts open requests: one that is answered makes room."""
    anna, bert, carl = _trio(maxOutgoingRequests=1)
    asked = ask(anna, "friends.sendRequest", external_player_id="bert").text("request.requestId")
    reply = _add(anna, {"externalPlayerId": "carl"})
    assert reply.refusal == (409, "request_limit_reached")
    assert reply["details"] == {"limit": 1}
    ask(bert, "friends.declineRequest", request_id=asked)
    assert _add(anna, {"externalPlayerId": carl.external_id}).status == 201


def test_repeating_and_meeting_a_request_need_no_room() -> None:
    """At the request limit one may still ask the same player again, and add who has asked oneself."""
    anna, bert, carl = _trio(maxOutgoingRequests=1)
    assert _add(anna, {"externalPlayerId": "bert"}).status == 201
    assert _add(anna, {"externalPlayerId": "bert"}).status == 200
    ask(carl, "friends.sendRequest", external_player_id="anna")
    assert _add(anna, {"externalPlayerId": "carl"})["status"] == "accepted"
    assert len(ask(bert, "friends.listRequests").list("incoming")) == 1
    assert len(ask(anna, "friends.list").list("friends")) == 1


def test_blocks_are_limited() -> None:
    """The limit counts one's own blocks; blocking again needs no room."""
    anna, *_ = _trio(maxBlocks=1)
    assert ask(anna, "friends.block", external_player_id="bert").status == 201
    assert ask(anna, "friends.block", external_player_id="bert").status == 200
    reply = ask(anna, "friends.block", external_player_id="carl")
    assert reply.refusal == (409, "block_limit_reached")
    assert reply["details"] == {"limit": 1}
    assert ask(anna, "friends.block", external_player_id="anna").refusal == (400, "cannot_block_self")


# -- answers --------------------------------------------------------------------------------------------------------------


def test_asking_again_gives_the_same_request() -> None:
    """While one's own request is open, adding again is 200 with the same row and no event."""
    anna, *_ = _trio()
    first = _add(anna, {"externalPlayerId": "bert"})
    anna.world.advance(minutes=5)
    seen = Since(anna.world)
    again = _add(anna, {"externalPlayerId": "bert"})
    assert (first.status, again.status) == (201, 200)
    assert again.data == first.data
    assert seen.kinds == []


def test_two_adds_end_in_one_friendship() -> None:
    """Whoever comes second accepts: one row, one request event, one acceptance."""
    anna, bert, _ = _trio()
    seen = Since(anna.world)
    assert _add(anna, {"externalPlayerId": "bert"}).status == 201
    reply = _add(bert, {"externalPlayerId": "anna"})
    assert (reply.status, reply["status"]) == (200, "accepted")
    assert reply["friend.externalPlayerId"] == "anna"
    assert seen.kinds == ["friend.request_accepted", "friend.request_sent"]
    assert len(rows_of(anna.world, RELATIONS)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [(one, two) for one in ("accept", "decline") for two in ("cancel", "block")]
    + [(two, one) for one in ("accept", "decline") for two in ("cancel", "block")],
)
def test_of_two_answers_the_first_wins(first: str, second: str) -> None:
    """Accept or decline by the target against cancel or block by the sender: the loser finds no request any more."""
    anna, bert, _ = _trio()
    asked = _add(anna, {"externalPlayerId": "bert"}).text("request.requestId")

    def act(name: str) -> Reply:
        if name == "block":
            return ask(anna, "friends.block", external_player_id="bert")
        return ask(anna if name == "cancel" else bert, f"friends.{name}Request", request_id=asked)

    assert act(first).status in {200, 201}
    loser = act(second)
    assert loser.refusal == ((201, None) if second == "block" else (404, "friend_request_not_found"))


def test_accepting_again_shows_the_same_row() -> None:
    """Accepting again what one has accepted is 200 with the friendship's own time."""
    anna, bert, _ = _trio()
    asked = befriend(anna, bert)
    anna.world.advance(minutes=5)
    seen = Since(anna.world)
    again = ask(bert, "friends.acceptRequest", request_id=asked)
    assert again.status == 200
    assert again["friend.friendsSince"] == Timestamp(anna.world.now - 5 * MINUTE).wire
    assert seen.kinds == []


def test_an_ended_request_is_shown_once_more() -> None:
    """Decline and cancel answer with the request as the one who ended it saw it."""
    anna, bert, _ = _trio()
    row = _add(anna, {"externalPlayerId": "bert"})["request"]
    reply = ask(anna, "friends.cancelRequest", request_id=row["requestId"])  # type: ignore[index,call-overload] # a row
    assert reply.data == {"request": row}
    asked = _add(anna, {"externalPlayerId": "bert"}).text("request.requestId")
    assert ask(bert, "friends.declineRequest", request_id=asked)["request.direction"] == "incoming"


def test_removing_a_stranger_is_not_found() -> None:
    """An unknown id, oneself, and somebody who is no friend: `friend_not_found` for each, and the like for blocks."""
    anna, *_ = _trio()
    for name in ("nobody", "anna", "bert"):
        assert ask(anna, "friends.remove", friend_external_id=name).refusal == (404, "friend_not_found")
        assert ask(anna, "friends.unblock", blocked_external_id=name).refusal == (404, "block_not_found")


@pytest.mark.parametrize("name", ["requests", "code", "search", "suggestions", "gifts", "blocks"])
def test_a_friend_may_be_called_like_a_route(name: str) -> None:
    """A friend whose id is a word of the routes can still be removed."""
    game = world()
    anna, other = game.player("anna"), game.player(name)
    befriend(anna, other)
    assert http(anna, "DELETE", f"/sdk/v1/players/anna/friends/{name}").data == {"removed": True}


# -- lists ----------------------------------------------------------------------------------------------------------------


def test_friends_are_listed_newest_first_without_a_limit() -> None:
    game = world()
    anna = game.player("anna")
    others = [game.player(f"p{number:02d}") for number in range(60)]
    for other in others:
        game.advance(seconds=1)
        befriend(other, anna)
    reply = ask(anna, "friends.list")
    assert [row["externalPlayerId"] for row in reply.list("friends")] == [p.external_id for p in reversed(others)]
    assert reply["nextCursor"] is None


def test_requests_list_newest_first_both_ways() -> None:
    """Incoming and outgoing requests, each newest first, with the counterparty and the time."""
    game = world()
    anna, bert, carl, dora = (game.player(name) for name in (*TRIO, "dora"))
    for sender, target in ((bert, "anna"), (anna, "dora"), (carl, "anna")):
        game.advance(seconds=1)
        ask(sender, "friends.sendRequest", external_player_id=target)
    reply = ask(anna, "friends.listRequests")
    assert [row["player"]["externalPlayerId"] for row in reply.list("incoming")] == ["carl", "bert"]  # type: ignore[index,call-overload] # a row
    assert reply["outgoing.0.player.externalPlayerId"] == dora.external_id
    assert reply["incoming.0.createdAt"] == Timestamp(game.now).wire


def test_a_gift_cooldown_survives_unfriending() -> None:
    """The cooldown belongs to the directed pair: it is there again after a removal, and not in the other direction."""
    anna, bert, _ = _trio()
    befriend(anna, bert)
    give(anna, "gold", 50)
    give(bert, "gold", 50)
    assert gift(anna, bert).status == 201
    ask(anna, "friends.remove", friend_external_id="bert")
    befriend(bert, anna)
    assert gift(anna, bert).refusal == (409, "gift_cooldown")
    assert "giftCooldownUntil" in ask(anna, "friends.list").list("friends")[0]
    assert "giftCooldownUntil" not in ask(bert, "friends.list").list("friends")[0]
    assert gift(bert, anna).status == 201
