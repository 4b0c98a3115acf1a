"""Open friend requests: pages through both directions, and how many of them one address may send to a player."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.social.request_cap import REQUESTS_OF_ONE
from livecore.world import WorldPlayer
from tests.worlds import ask, world


def _joined(player: WorldPlayer, **asked: object) -> tuple[list[str], list[str], int]:
    """The request ids of all pages, incoming and outgoing, and how many pages there were."""
    incoming: list[str] = []
    outgoing: list[str] = []
    pages, cursor = 0, None
    while True:
        page = ask(player, "friends.listRequests", **asked, **({} if cursor is None else {"cursor": cursor}))
        assert page.status == 200, page.body
        incoming += [str(row["requestId"]) for row in page.list("incoming")]
        outgoing += [str(row["requestId"]) for row in page.list("outgoing")]
        pages, cursor = pages + 1, page["nextCursor"]
        if cursor is None:
            return incoming, outgoing, pages


def _asked_by_many(number: int) -> tuple[WorldPlayer, list[str], list[str]]:
    """A player with so many open requests of each kind, and their ids, newest first; some are of the same moment."""
    game = world(social={"maxOutgoingRequests": 1000})
    anna = game.player("anna")
    incoming: list[str] = []
    outgoing: list[str] = []
    for count in range(number):
        other = game.player(f"p{count}")
        incoming.insert(0, ask(other, "friends.sendRequest", external_player_id="anna").text("request.requestId"))
        game.player(f"q{count}")
        outgoing.insert(0, ask(anna, "friends.sendRequest", external_player_id=f"q{count}").text("request.requestId"))
        game.advance(seconds=count % 2)
    return anna, incoming, outgoing


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 14, 200])
def test_pages_of_requests_joined_are_all_requests(limit: int) -> None:
    """In both directions together, where `limit` counts all, and in each direction alone."""
    anna, incoming, outgoing = _asked_by_many(7)
    found = _joined(anna, limit=limit)
    assert (sorted(found[0]), sorted(found[1])) == (sorted(incoming), sorted(outgoing))
    assert found[2] == -(-14 // limit)
    assert ask(anna, "friends.listRequests")["nextCursor"] is None
    received, none, pages = _joined(anna, limit=limit, direction="incoming")
    assert (sorted(received), none, pages) == (sorted(incoming), [], -(-7 // limit))
    none, sent, pages = _joined(anna, limit=limit, direction="outgoing")
    assert (none, sorted(sent), pages) == ([], sorted(outgoing), -(-7 // limit))


def test_made_up_players_do_not_hide_a_genuine_request() -> None:
    """With more requests than one answer shows, the oldest one is on a later page; each outgoing one is shown once."""
    game = world()
    anna = game.player("anna")
    genuine = ask(game.player("bert"), "friends.sendRequest", external_player_id="anna").text("request.requestId")
    game.advance(seconds=1)
    game.player("cleo")
    sent = ask(anna, "friends.sendRequest", external_player_id="cleo").text("request.requestId")
    for number in range(600):
        assert ask(game.player(f"x{number}"), "friends.sendRequest", external_player_id="anna").status == 201
    first = ask(anna, "friends.listRequests")
    assert len(first.list("incoming")) == 500
    assert genuine not in [row["requestId"] for row in first.list("incoming")]
    incoming, outgoing, pages = _joined(anna)
    assert (len(incoming), incoming[-1], outgoing, pages) == (601, genuine, [sent], 2)
    assert len(set(incoming)) == 601


def test_a_cursor_of_one_direction_is_none_of_the_other() -> None:
    """400, as for a cursor that was made up or belongs to another list."""
    anna, *_ = _asked_by_many(3)
    cursor = ask(anna, "friends.listRequests", limit=1, direction="incoming").text("nextCursor")
    assert ask(anna, "friends.listRequests", limit=1, direction="outgoing", cursor=cursor).fields == ["cursor"]
    assert ask(anna, "friends.list", limit=1, cursor=cursor).fields == ["cursor"]
    assert ask(anna, "friends.listRequests", limit=1, direction="sideways").fields == ["direction"]
    both = ask(anna, "friends.listRequests", limit=1).text("nextCursor")
    assert ask(anna, "friends.listRequests", limit=1, direction="incoming", cursor=both).fields == ["cursor"]
    assert ask(anna, "friends.listRequests", limit=1, cursor=cursor).list("outgoing") == []


# -- requests of one address ----------------------------------------------------------------------------------------------


def _requests(game: World, target: str, remote: str, *, number: int, prefix: str = "x") -> list[int]:
    """The statuses of requests by so many new players, all from one address."""
    senders = [game.player(f"{prefix}{count}") for count in range(number)]
    return [ask(one, "friends.sendRequest", external_player_id=target, remote=remote).status for one in senders]


def test_one_address_sends_a_player_twenty_requests_a_day() -> None:
    """The rest is 429 and leaves no row; other addresses, other players, and the next day are not concerned."""
    game = world()
    anna, _ = game.player("anna"), game.player("bert")
    assert _requests(game, "anna", "203.0.113.9", number=25) == [201] * 20 + [429] * 5
    refused = ask(game.player("x24"), "friends.sendRequest", external_player_id="anna", remote="203.0.113.9")
    assert (refused.refusal, refused["details"]) == ((429, "rate_limited"), {"retryAfterSeconds": 86_400})
    assert len(ask(anna, "friends.listRequests").list("incoming")) == 20
    assert _requests(game, "bert", "203.0.113.9", number=1) == [201]
    assert _requests(game, "anna", "203.0.113.10", number=1, prefix="y") == [201]
    game.advance(hours=24)
    assert _requests(game, "anna", "203.0.113.9", number=1, prefix="z") == [201]


def test_a_subscriber_of_many_addresses_is_one() -> None:
    """The addresses of one IPv6 network count together, as everywhere."""
    game = world(social={"dailyRequestsFromAddress": 1})
    game.player("anna")
    assert _requests(game, "anna", "2001:db8:1:2::1", number=1) == [201]
    assert _requests(game, "anna", "2001:db8:1:2:ffff::9", number=1, prefix="y") == [429]
    assert _requests(game, "anna", "2001:db8:1:3::1", number=1, prefix="z") == [201]


def test_neither_repeating_nor_answering_a_request_is_counted() -> None:
    """Asking again, and asking somebody who has asked oneself, makes no request."""
    game = world(social={"dailyRequestsFromAddress": 1})
    anna, bert = game.player("anna"), game.player("bert")
    home = "203.0.113.9"
    sent = [ask(bert, "friends.sendRequest", external_player_id="anna", remote=home).status for _ in range(3)]
    assert sent == [201, 200, 200]
    assert ask(game.player("cleo"), "friends.sendRequest", external_player_id="anna", remote=home).status == 429
    ask(anna, "friends.sendRequest", external_player_id="cleo")
    assert ask(game.player("cleo"), "friends.sendRequest", external_player_id="anna", remote=home).status == 200


def test_one_player_does_not_use_up_what_an_address_may_send() -> None:
    """A request that is taken back and sent again is of a sender who has been counted; who was refused stays refused."""
    game = world(social={"dailyRequestsFromAddress": 2})
    game.player("anna")
    bert, cleo, dora = (game.player(name) for name in ("bert", "cleo", "dora"))
    home = "203.0.113.9"
    for _ in range(REQUESTS_OF_ONE):
        sent = ask(bert, "friends.sendRequest", external_player_id="anna", remote=home)
        assert sent.status == 201
        cancelled = ask(bert, "friends.cancelRequest", request_id=sent.text("request.requestId"), remote=home)
        assert cancelled.status == 200
    refused = ask(bert, "friends.sendRequest", external_player_id="anna", remote=home)
    assert (refused.refusal, refused["details"]) == ((429, "rate_limited"), {"retryAfterSeconds": 86_400})
    assert ask(cleo, "friends.sendRequest", external_player_id="anna", remote=home).status == 201
    assert [ask(dora, "friends.sendRequest", external_player_id="anna", remote=home).status for _ in range(3)] == [
        429
    ] * 3
    elsewhere = "203.0.113.10"
    assert ask(dora, "friends.sendRequest", external_player_id="anna", remote=elsewhere).status == 201


@pytest.mark.parametrize("remote", ["127.0.0.1", "::1", "::ffff:127.0.0.1", ""])
def test_requests_from_the_machine_itself_are_not_counted(remote: str) -> None:
    """A world has no other address, and neither has a server behind a proxy that it does not trust."""
    game = world(social={"dailyRequestsFromAddress": 1})
    game.player("anna")
    assert _requests(game, "anna", remote, number=3) == [201] * 3


def test_a_game_may_do_without_the_limit_of_an_address() -> None:
    """`null` counts nothing."""
    game = world(social={"dailyRequestsFromAddress": None})
    game.player("anna")
    assert _requests(game, "anna", "203.0.113.9", number=25) == [201] * 25
