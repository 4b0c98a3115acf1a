"""Attacks by what a caller sends back changed: cursors, paths and names never show or do more than the caller may."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from livecore.world import World, WorldPlayer
from tests.worlds import Reply, ask, befriend, gift, http, world

LISTS = {"friends.list": "friends", "friends.listBlocks": "friends/blocks", "gifts.inbox": "friends/gifts/inbox",
         "gifts.sent": "friends/gifts/sent", "grants.listPending": "pending-grants"}  # fmt: skip


def _packed(place: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


TAMPERED = [
    "", "a", "=", "[[", "é", "A" * 7_000, _packed({}), _packed([]), _packed([1]), _packed([1, "x", 3]), _packed(["1", "x"]),
    _packed([True, "x"]), _packed([1.0, "x"]), _packed([1, None]), _packed([1, ["x"]]), _packed([2**63, "x"]),
    _packed([-(2**63), "x"]), _packed([10**400, "x"]), _packed([1, "x\0"]), _packed([1, "\ud800"]), _packed([1, "x"]) + "\n",
    base64.urlsafe_b64encode(b"[" * 5_000).decode(), base64.urlsafe_b64encode(b"[NaN,1]").decode(),
]  # fmt: skip


def _page(player: WorldPlayer, operation: str, cursor: str) -> Reply:
    path = f"/sdk/v1/players/{player.external_id}/{LISTS[operation]}"
    return http(player, "GET", path, query=f"limit=1&cursor={quote(cursor)}")


@pytest.mark.parametrize("operation", LISTS)
def test_tampered_cursors_are_refused(operation: str) -> None:
    """What is no cursor of the list is a 400 that names it, whatever it holds, and never an error of ours."""
    anna = world().player("anna")
    replies = [_page(anna, operation, cursor) for cursor in TAMPERED]
    assert {reply.refusal for reply in replies} == {(400, "validation_failed")}
    assert {tuple(reply.fields) for reply in replies} == {("cursor",)}


@pytest.mark.parametrize("operation", LISTS)
@pytest.mark.parametrize(
    "place", [[10**14, "zzz"], [0, ""], [-1, "' OR 1=1 --"], [10**14, '"; DROP TABLE players; --']]
)
def test_invented_cursors_show_ones_own_rows_only(operation: str, place: list[object]) -> None:
    """A cursor only says where a page of one's own list begins: an invented one leads nowhere else."""
    game = world()
    anna, bert, cleo = game.player("anna"), game.player("bert"), game.player("cleo")
    befriend(anna, bert)
    gift(anna, bert, "gems", 1)
    ask(anna, "friends.block", external_player_id="cleo")
    reply = _page(cleo, operation, _packed(place))
    assert reply.status == 200
    assert reply.list(next(iter(reply.data))) == []
    assert _page(anna, "friends.list", _packed([10**14, "z"])).status == 200


def test_anothers_cursor_leads_to_ones_own_rows() -> None:
    """A cursor of another player, or of the same player's list of another game, is no key to that list."""
    game = world()
    anna, bert = game.player("anna"), game.player("bert")
    for name in ("x", "y", "z"):
        befriend(anna, game.player(name))
    befriend(bert, anna)
    cursor = ask(anna, "friends.list", limit=1).text("nextCursor")
    shown = ask(bert, "friends.list", limit=5, cursor=cursor).list("friends")
    assert [row["externalPlayerId"] for row in shown] in ([], ["anna"])
    elsewhere = world().player("anna")
    assert ask(elsewhere, "friends.list", limit=5, cursor=cursor).list("friends") == []


NAMES = [
    "' OR '1'='1",
    '"; DROP TABLE players; --',
    "%",
    "_",
    "a\\",
    "${jndi:dns:x}",
    "{{7*7}}",
    "<script>",
    "🏴☠️",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_only_text(name: str) -> None:
    """Quotes, wildcards and markup in ids, display names and searches mean themselves, and find nobody else."""
    game: World = world()
    odd, anna = game.player(f"id {name}"), game.player("anna")
    assert ask(odd, "players.setIdentity", name=f"zz{name}").status == 200
    assert ask(anna, "friends.search", q=f"zz{name}"[:40]).list("players")[0]["externalPlayerId"] == f"id {name}"
    assert ask(anna, "friends.search", q="%%").list("players") == []
    assert ask(anna, "friends.sendRequest", external_player_id=f"id {name}").status == 201


@pytest.mark.parametrize("text", ["\u202eanna", "🏴\u200d☠️"], ids=["right to left", "joined emoji"])
def test_what_turns_text_around_is_an_id_and_no_name(text: str) -> None:
    """An id means itself, byte for byte; a name with a character that is not seen is refused, with the field."""
    game: World = world()
    odd, anna = game.player(f"id {text}"), game.player("anna")
    refused = ask(odd, "players.setIdentity", name=f"zz{text}")
    assert (refused.refusal, refused.fields) == ((400, "validation_failed"), ["name"])
    assert ask(anna, "friends.sendRequest", external_player_id=f"id {text}").status == 201


@pytest.mark.parametrize(
    "segment", ["%00", "%ff", "%ed%a0%80", "%2e%2e", "a%2fb", "%5c..%5c", "%zz", "%", "%0d%0aX:1", "__merged_x", "x" * 129]
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT"])
def test_hostile_paths_are_refused_or_unknown(segment: str, method: str) -> None:
    """A path id that no player can have is a refusal of the caller, in every place and by every method."""
    anna = world().player("anna")
    paths = [f"/sdk/v1/players/{segment}/friends", f"/sdk/v1/players/anna/friends/{segment}",
             f"/sdk/v1/players/anna/friends/blocks/{segment}", f"/sdk/v1/players/anna/grants/{segment}/claim",
             f"/sdk/v1/players/anna/wallet/{segment}/debit", f"/{segment}"]  # fmt: skip
    for path in paths:
        reply = http(anna, method, path)
        assert 400 <= reply.status < 500, (path, reply.body)
        assert "\n" not in "".join(value for _, value in reply.response.headers)
