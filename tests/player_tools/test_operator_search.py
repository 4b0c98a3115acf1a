"""Operators find players: by every id, by friend code, by name; page by page; in their own game and environment only."""

from __future__ import annotations

from typing import Final

import pytest

from livecore import World
from livecore.kernel.errors import JsonObject
from tests.worlds import Reply, ask, ban, http, world

NAMES: Final = (
    "Amber Otter", "Ambrose", "am", "Otter Amber Amber", "Zoë Ambler", "Boris", "Am Am Am Am Am Am", "Bert am See",
)  # fmt: skip


@pytest.fixture
def crowd() -> World:
    """Players with names, each seen a second later than the one before."""
    game = world()
    for number, name in enumerate(NAMES):
        ask(game.player(f"p{number}"), "players.setIdentity", name=name, avatar=None)
        game.advance(seconds=2)
    game.flush()
    return game


def search(game: World, **asked: object) -> Reply:
    """The answer to an operator."""
    return ask(game.operator(), "players.search", **asked)


def found(game: World, **asked: object) -> list[str]:
    """The studio's ids of who is found on one page."""
    return [str(row["externalPlayerId"]) for row in search(game, **asked).list("players")]


def pages(game: World, limit: int, **asked: object) -> list[JsonObject]:
    """The rows of all pages, one after another."""
    rows: list[JsonObject] = []
    cursor: object = None
    for _ in range(1_000):
        reply = search(game, limit=limit, cursor=cursor, **asked)
        assert len(reply.list("players")) <= limit
        rows += reply.list("players")
        cursor = reply["nextCursor"]
        if cursor is None:
            return rows
    raise AssertionError("the pages do not end")


def test_by_each_id(crowd: World) -> None:
    """The studio's id, the service's, and the friend code in either case; each finds exactly one."""
    boris = crowd.player("p5")
    code = ask(boris, "friends.getCode").text("friendCode")
    for text in ("p5", boris.player_id, code, code.lower(), f" {code} "):
        assert found(crowd, q=text) == ["p5"], text
    assert found(crowd, q="P5") == []
    assert found(crowd, q=boris.player_id.lower()) == []


def test_what_is_shown_of_a_player(crowd: World) -> None:
    """Ids, identity, country, ban, debug mark, and when they were seen."""
    boris = crowd.player("p5")
    ban(boris)
    ask(crowd.server, "players.flagDebug", external_id="p5")
    ask(crowd.server, "players.setIdentity", external_id="p5", country="SE")
    (row,) = search(crowd, q="boris").list("players")
    assert (row["playerId"], row["externalPlayerId"], row["country"]) == (boris.player_id, "p5", "SE")
    assert (row["banned"], row["debug"]) == (True, True)
    assert row["displayIdentity"] == {"name": "Boris", "avatar": None, "country": "SE"}
    assert str(row["firstSeenAt"]) <= str(row["lastSeenAt"]) <= crowd.time.wire


def test_by_any_word_of_the_name(crowd: World) -> None:
    """The beginning of a word, without case and accents, in the order of the names; each player once."""
    assert found(crowd, q="zoe") == ["p4"]
    assert found(crowd, q="OTT") == ["p0", "p3"]
    everybody = found(crowd, q="am")
    assert sorted(everybody) == ["p0", "p1", "p2", "p3", "p4", "p6", "p7"]
    assert found(crowd, q="am%") != everybody, "a mark that ends the word was not seen"
    assert found(crowd, q="tter") == []
    assert found(crowd, q="a") == []
    assert found(crowd, q="%") == found(crowd, q="_") == found(crowd, q="'; --") == []


def test_by_the_anonymised_name_where_there_is_no_other(crowd: World) -> None:
    """As players search for one another."""
    nameless = ask(crowd.player("nameless"), "players.getProfile").text("anonymizedIdentity.name")
    assert "nameless" in found(crowd, q=nameless)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 200])
@pytest.mark.parametrize("q", ["am", "p0", "otter"])
def test_pages_joined_are_the_list(crowd: World, q: str, limit: int) -> None:
    """Whatever the size of a page, and with somebody who has the text as an id and in the name."""
    ask(crowd.player("am"), "players.setIdentity", name="Am am I", avatar=None)
    whole = search(crowd, q=q, limit=200).list("players")
    assert pages(crowd, limit, q=q) == whole
    ids = [row["playerId"] for row in whole]
    assert len(set(ids)) == len(ids)
    if q == "am":
        assert whole[0]["externalPlayerId"] == "am"


def test_without_a_text_the_last_seen_first(crowd: World) -> None:
    """All players, in pages of any size."""
    whole = search(crowd, limit=200).list("players")
    assert [row["externalPlayerId"] for row in whole] == [f"p{number}" for number in reversed(range(len(NAMES)))]
    for limit in (1, 3, 5):
        assert pages(crowd, limit) == whole


def test_pages_hold_while_others_come(crowd: World) -> None:
    """Somebody new on the way moves nobody onto a second page."""
    first = search(crowd, limit=3)
    crowd.player("new")
    rest = search(crowd, limit=200, cursor=first["nextCursor"])
    shown = [row["externalPlayerId"] for row in first.list("players") + rest.list("players")]
    assert shown == [f"p{number}" for number in reversed(range(len(NAMES)))]


def test_who_is_gone_is_not_found(crowd: World) -> None:
    """Merged or erased: by no id, no code and no name, nor in the whole list."""
    code = ask(crowd.player("p5"), "friends.getCode").text("friendCode")
    ids = {name: crowd.player(name).player_id for name in ("p5", "p1")}
    ask(crowd.server, "players.merge", external_id="p5", to_external_id="p2")
    ask(crowd.server, "players.erase", external_id="p1")
    for text in ("p5", "p1", code, "boris", "ambrose", *ids.values()):
        assert found(crowd, q=text) == [], text
    assert sorted(found(crowd, limit=200)) == ["p0", "p2", "p3", "p4", "p6", "p7"]


def test_other_environments_and_games_have_their_own(crowd: World) -> None:
    """Nothing of the test environment is found in the live one."""
    assert found(crowd, q="p5", environment="live") == []
    assert found(crowd, environment="live") == []


def test_a_text_and_a_cursor_are_checked(crowd: World) -> None:
    """Too long, empty, with control characters; and cursors of another list, or forged."""
    for q in ("", "x" * 129, "a\x00b", "a\nb"):
        assert search(crowd, q=q).refusal == (400, "validation_failed"), ascii(q)
    of_all = search(crowd, limit=1)["nextCursor"]
    of_names = search(crowd, q="am", limit=1)["nextCursor"]
    for asked in ({"q": "am", "cursor": of_all}, {"cursor": of_names}, {"cursor": "x"}, {"q": "am", "cursor": "W10"}):
        assert search(crowd, **asked).refusal == (400, "validation_failed")
    for limit in (0, 201):
        assert search(crowd, limit=limit).refusal == (400, "validation_failed")
    # A cursor of another search is a place in the same order of names: it shows what lies beyond, and nothing else.
    assert set(found(crowd, q="otter", cursor=of_names)) <= {"p0", "p3"}


def test_names_that_repeat_a_word_hold_up_nobody() -> None:
    """Players whose names are one word many times fill a page's reading, and those behind them are reached all the same."""
    game = world()
    for number in range(40):
        name = " ".join(["ab"] * (1 + number * 5 % 13))
        ask(game.player(f"n{number}"), "players.setIdentity", name=name, avatar=None)
    ask(game.player("last"), "players.setIdentity", name="abz", avatar=None)
    for limit in (1, 4, 50):
        names = [row["externalPlayerId"] for row in pages(game, limit, q="ab")]
        assert len(names) == len(set(names)) == 41


def test_the_form_is_checked_before_the_player(crowd: World) -> None:
    """Refused for its form, whoever it is about; a player who is not there comes after that."""
    place = f"/admin/v1/studios/{crowd.game.studio_id}/games/{crowd.game.game_id}/players/nobody"
    headers = dict(crowd.operator().headers)
    for body in ({}, {"reason": ""}, {"reason": "x", "more": 1}):
        said = http(crowd, "POST", f"{place}/ban", body, query="environment=test", headers=headers)
        assert said.refusal == (400, "validation_failed")
    said = http(crowd, "POST", f"{place}/ban", {"reason": "x"}, query="environment=test", headers=headers)
    assert said.refusal == (404, "player_not_found")
