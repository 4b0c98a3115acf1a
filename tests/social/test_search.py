"""Search by name: what matches, who is left out, and what a hit shows."""

from __future__ import annotations

import pytest

from livecore.world import WorldPlayer
from tests.worlds import Reply, ask, ban, befriend, http, world


def _named(**names: str) -> tuple[WorldPlayer, dict[str, WorldPlayer]]:
    """A seeker, and players with these display names."""
    game = world()
    found = {external_id: game.player(external_id) for external_id in names}
    for external_id, name in names.items():
        ask(found[external_id], "players.setIdentity", name=name)
    return game.player("seeker"), found


def _search(seeker: WorldPlayer, q: str, **more: object) -> Reply:
    return ask(seeker, "friends.search", q=q, **more)


def _hits(seeker: WorldPlayer, q: str, **more: object) -> list[object]:
    return [row["externalPlayerId"] for row in _search(seeker, q, **more).list("players")]


@pytest.mark.parametrize(
    ("q", "hits"),
    [
        ("am", ["a", "b"]),
        ("AM", ["a", "b"]),
        ("  am  ", ["a", "b"]),
        ("amber o", ["a"]),
        ("otter", ["a", "c"]),
        ("tter", []),
        ("amber otter king", []),
        ("amber  o", ["a"]),
        ("bold-a", ["b"]),
        ("luc", ["f"]),
        ("jean lu", ["f"]),
        ("jean-luc", ["f"]),
        ("zoe", ["g"]),
        ("ZOË", ["g"]),
        ("élan", ["d"]),
        ("elan", ["d"]),
        ("\u0065\u0301lan", ["d"]),  # the same letter in two code points
        ("strasse", ["e"]),
        ("ＳＴＲ", ["e"]),  # noqa: RUF001 - full-width letters are what is tested
    ],
)
def test_the_beginning_of_any_word_matches(q: str, hits: list[str]) -> None:
    """The query is the beginning of a word and what follows it, folded like the name; not a piece from the middle."""
    names = {"a": "Amber Otter", "b": "Bold Amber", "c": "River Otter", "d": "ÉLAN Vital", "e": "Straße"}
    seeker, _ = _named(**names, f="Jean-Luc", g="Zoë")
    assert sorted(map(str, _hits(seeker, q))) == hits


@pytest.mark.parametrize("q", ["%%", "__", "a%", "a_", "a*", "\\a", "a.", "[a", "am%", "am_er", "a%er", "am*", "%mber"])
def test_wildcards_match_nothing_in_their_place(q: str) -> None:
    """Characters that a store or a pattern might take for wildcards part words like any others that are no letters."""
    seeker, _ = _named(a="Amber", b="ab")
    assert _hits(seeker, q) == []


def test_a_name_may_hold_wildcards() -> None:
    """And is found by what it looks like; what comes after a word in the query says that the word is over."""
    seeker, _ = _named(a="100% Sure", b="1000", c="100_percent", d="50% of 100%")
    assert sorted(map(str, _hits(seeker, "100%"))) == ["a", "c", "d"]
    assert _hits(seeker, "100% s") == ["a"]


@pytest.mark.parametrize("q", ["", "a", " a ", "x" * 41, "a\x00b"])
def test_two_to_forty_characters(q: str) -> None:
    """After trimming; control characters are refused."""
    seeker, _ = _named()
    reply = _search(seeker, q)
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["q"]


def test_the_query_is_required() -> None:
    seeker, _ = _named()
    assert http(seeker, "GET", "/sdk/v1/players/seeker/friends/search").fields == ["q"]


def test_the_pool_name_stands_in() -> None:
    """A player who never set a name is found by the anonymised one, and no longer once a name is set."""
    game = world()
    seeker, other = game.player("seeker"), game.player("other")
    pool = ask(other, "players.getProfile").text("anonymizedIdentity.name")
    assert "other" in _hits(seeker, pool)
    ask(other, "players.setIdentity", name="Zebulon")
    assert "other" not in _hits(seeker, pool)
    assert _hits(seeker, "zeb") == ["other"]


def test_the_caller_is_never_a_hit() -> None:
    """Nobody finds themself."""
    seeker, players = _named(a="Amber")
    assert _hits(players["a"], "amber") == []
    assert _hits(seeker, "amber") == ["a"]


def test_blocked_and_banned_players_are_left_out() -> None:
    """A block in either direction hides both from each other; a banned player is hidden from all."""
    seeker, players = _named(a="Amber one", b="Amber two", c="Amber three", d="Amber four")
    ask(seeker, "friends.block", external_player_id="a")
    ask(players["b"], "friends.block", external_player_id="seeker")
    ban(players["c"])
    assert _hits(seeker, "amber") == ["d"]
    assert "seeker" not in _hits(players["a"], "seeker")
    ask(seeker, "friends.unblock", blocked_external_id="a")
    assert sorted(map(str, _hits(seeker, "amber"))) == ["a", "d"]


def test_a_hit_tells_the_relationship() -> None:
    """`none`, `friends`, `request_incoming` or `request_outgoing`, as the caller stands to the hit."""
    seeker, players = _named(a="Amber one", b="Amber two", c="Amber three", d="Amber four")
    befriend(seeker, players["a"])
    ask(seeker, "friends.sendRequest", external_player_id="b")
    ask(players["c"], "friends.sendRequest", external_player_id="seeker")
    rows = _search(seeker, "amber").list("players")
    assert {row["externalPlayerId"]: row["relationship"] for row in rows} == {
        "a": "friends", "b": "request_outgoing", "c": "request_incoming", "d": "none",
    }  # fmt: skip
    assert set(rows[0]) == {"externalPlayerId", "displayIdentity", "relationship"}


def test_limits() -> None:
    """20 hits by default, 1 to 50 on request, and nothing else."""
    seeker, _ = _named(**{f"p{number:02d}": f"Amber {number:02d}" for number in range(55)})
    assert len(_hits(seeker, "amber")) == 20
    assert len(_hits(seeker, "amber", limit=50)) == 50
    assert _hits(seeker, "amber", limit=1) == ["p00"]
    for limit in (0, 51, -1):
        assert _search(seeker, "amber", limit=limit).fields == ["limit"]


def test_each_player_is_one_hit() -> None:
    """A name with two matching words is found once."""
    seeker, _ = _named(a="Amber Amberly")
    assert _hits(seeker, "amber") == ["a"]
