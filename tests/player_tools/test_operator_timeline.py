"""A player's timeline: everything is in it, page by page, once, in order, with nothing of other people, and cheap."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import pytest

from livecore import World
from livecore.api.areas import AREAS
from livecore.kernel.declarations.timeline import Track
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import JsonText
from livecore.kernel.storage.store import Transaction
from livecore.player_tools.export import LISTS
from livecore.webhooks.outbox import ENDPOINTS, OF_EVENT, Endpoint
from tests.contract.stories import MARK
from tests.player_tools.marked import game, lived
from tests.worlds import Reply, ask, befriend, gift, give, http, put, world

STANDINGS: Final = {"leaderboardEntries", "divisions", "rejectedScores", "formerNames", "countries", "contexts"}
"""Lists of an export that are no happenings: an entry of a leaderboard changes its time with every score."""
IDS: Final[dict[str, tuple[str, str]]] = {
    "attempts": ("attempt", "attemptId"),
    "grants": ("grant", "grantId"),
    "ledger": ("ledger", "entryId"),
    "lobbies": ("lobby", "lobbyId"),
    "teams": ("team", "seatId"),
    "partnerInvites": ("partner_invite", "inviteId"),
    "friends": ("friendship", "playerId"),
    "friendRequests": ("friend_request", "playerId"),
    "blocks": ("block", "playerId"),
    "purchases": ("purchase", "purchaseId"),
    "guildRequests": ("guild_request", "requestId"),
    "guildHelp": ("guild_help", "requestId"),
    "guildDonations": ("guild_donation", "donationId"),
    "crateOpenings": ("grant", "crateId"),
}
"""The kind of entry of a list's rows, and the id that both have."""


def listen(here: World) -> None:
    """Have all events of the world sent somewhere."""
    put(here, ENDPOINTS, Endpoint(
        endpoint_id="whe_1", key="main", url="https://example.com/", events=JsonText('["*"]'), secrets=JsonText("[]"),
        created_at=here.now,
    ))  # fmt: skip


@pytest.fixture(scope="module")
def full() -> World:
    """A world in which everything was done, and everything was told."""
    made = World(game())
    listen(made)
    lived(made)
    return made


def timeline(here: World, name: str, **asked: object) -> Reply:
    """A page of a player's timeline."""
    return ask(here.operator(), "players.timeline", external_id=name, **asked)


def whole(here: World, name: str, limit: int = 200, **asked: object) -> list[JsonObject]:
    """All pages, one after another."""
    entries: list[JsonObject] = []
    cursor: Json = None
    for _ in range(2_000):
        page = timeline(here, name, limit=limit, cursor=cursor, **asked)
        assert page.status == 200, page.body
        assert len(page.list("entries")) <= limit
        entries += page.list("entries")
        cursor = page["nextCursor"]
        if cursor is None:
            return entries
    raise AssertionError("the pages do not end")


def place(entry: JsonObject) -> tuple[str, str, str]:
    """Where an entry stands."""
    return str(entry["at"]), str(entry["kind"]), str(cast(JsonObject, entry["ref"])["id"])


# -- what is in it --------------------------------------------------------------------------------------------------------


def test_no_list_of_a_player_was_forgotten() -> None:
    """Every list of an export is shown by some kind of entry, or is no happening."""
    covered = {name for source in AREAS.timeline.values() for name in source.covers}
    assert covered | STANDINGS == set(AREAS.exports) == set(LISTS)
    assert not covered & STANDINGS


def test_every_row_of_an_export_is_in_it(full: World) -> None:
    """By its kind and its id; of gifts by their direction, of guilds by how many there are."""
    for name in (MARK, "friend", "third"):
        bundle = ask(full.server, "players.export", external_id=name).data
        entries = {(kind, id_) for _, kind, id_ in map(place, whole(full, name))}
        for list_, (kind, id_) in IDS.items():
            rows = cast("list[JsonObject]", bundle[list_])
            assert {(kind, str(row[id_])) for row in rows} <= entries, list_
        for row in cast("list[JsonObject]", bundle["gifts"]):
            kind = "gift_sent" if row["direction"] == "outgoing" else "gift_received"
            assert (kind, str(row["giftId"])) in entries
        assert len(cast("list[Json]", bundle["guilds"])) == sum(kind == "guild" for kind, _ in entries)


def test_every_kind_occurs(full: World) -> None:
    """Somewhere in a world in which everything was done."""
    names = (MARK, "friend", "third", "fourth", "fifth")
    kinds = {str(entry["kind"]) for name in names for entry in whole(full, name)}
    # A block is lifted again in that life.
    ask(full.player("third"), "friends.block", external_player_id="fifth")
    kinds |= {str(entry["kind"]) for entry in whole(full, "third")}
    assert kinds == set(AREAS.timeline)


def test_what_operators_did_is_in_it() -> None:
    """A ban with both sides, and who did it; and a merge in the timeline of the one who stays."""
    here = world()
    for name in ("anna", "bert"):
        here.player(name)
    desk = here.operator()
    for operation, about in (
        ("players.ban", {"external_id": "anna", "reason": "spam"}),
        ("players.unban", {"external_id": "anna"}),
        ("players.merge", {"external_id": "bert", "to_external_id": "anna"}),
    ):
        here.advance(seconds=1)
        assert ask(desk, operation, **about).status == 200
    merge, unban, ban, registration = whole(here, "anna", kinds="audit")
    assert cast(JsonObject, registration["summary"])["action"] == "sdk:players.register"
    shown = cast(JsonObject, ban["summary"])
    assert (shown["action"], shown["permission"]) == ("admin:players.ban", "player.ban")
    assert cast(JsonObject, shown["actor"])["kind"] == "member"
    assert shown["before"] == {"banned": False, "reason": None, "bannedAt": None}
    assert cast(JsonObject, shown["after"])["reason"] == "spam"
    assert cast(JsonObject, unban["summary"])["before"] == shown["after"]
    assert cast(JsonObject, merge["summary"])["action"] == "admin:players.merge"


def test_events_are_shown_with_their_deliveries(full: World) -> None:
    """Which endpoint, and how far; never the body."""
    entries = whole(full, "friend", kinds="webhook")
    assert len(entries) > 5
    for entry in entries:
        shown = cast(JsonObject, entry["summary"])
        assert set(shown) == {"eventName", "deliveries"}
        (delivery,) = cast("list[JsonObject]", shown["deliveries"])
        assert (delivery["endpointId"], delivery["status"], delivery["attempt"]) == ("whe_1", "pending", 0)


# -- pages ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 7, 50])
@pytest.mark.parametrize("name", [MARK, "friend"])
def test_pages_joined_are_the_whole(full: World, name: str, limit: int) -> None:
    """Newest first, nothing twice, nothing left out, though many things have happened in one millisecond."""
    entries = whole(full, name)
    places = [place(entry) for entry in entries]
    assert places == sorted(set(places), reverse=True)
    assert len({at for at, _, _ in places}) < len(places)
    assert whole(full, name, limit) == entries


@pytest.mark.parametrize("kinds", ["ledger", "webhook,audit", "grant,gift_sent,gift_received"])
@pytest.mark.parametrize("limit", [1, 3, 200])
def test_some_kinds_are_the_whole_without_the_others(full: World, kinds: str, limit: int) -> None:
    """In the same order."""
    entries = [entry for entry in whole(full, MARK) if entry["kind"] in kinds.split(",")]
    assert entries
    assert whole(full, MARK, limit, kinds=kinds) == entries


def test_a_page_reads_no_more_than_it_may_show(full: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every track a row more than the page has, whatever there is."""
    read: list[tuple[object, int | None, int]] = []
    scanned = Transaction.scanned

    def counted(self: Transaction, scan: Scan[Any]) -> list[Any]:
        rows = scanned(self, scan)
        read.append((scan.index, scan.limit, len(rows)))
        return rows

    monkeypatch.setattr(Transaction, "scanned", counted)
    timeline(full, MARK, limit=3)
    tracks = {track.index for source in AREAS.timeline.values() for track in source.tracks("plr_1")}
    of_tracks = [(limit, rows) for index, limit, rows in read if index in tracks]
    assert {limit for limit, _ in of_tracks} == {4}
    assert max(rows for _, rows in of_tracks) <= 4
    assert sum(rows for index, _, rows in read if index is OF_EVENT) <= 3


def test_every_track_is_in_the_order_of_time_and_id() -> None:
    """So that a page can end anywhere."""
    tracks: list[Track[Any]] = [track for source in AREAS.timeline.values() for track in source.tracks("plr_1")]
    assert [track.index.name for track in tracks if len(track.index.order) != (2 if track.ids is None else 1)] == []


@pytest.mark.parametrize(
    "asked",
    [{"kinds": "nothing"}, {"kinds": "ledger,ledger"}, {"kinds": "le dger"}, {"limit": 0}, {"limit": 201},
     {"cursor": "x"}, {"cursor": "WzEsMl0"}, {"cursor": "WzEsImEiXQ"}],
)  # fmt: skip
def test_the_form_of_a_request(full: World, asked: dict[str, object]) -> None:
    """Unknown kinds, and cursors that are none."""
    assert timeline(full, "friend", **asked).refusal == (400, "validation_failed")


# -- whose it is ----------------------------------------------------------------------------------------------------------


def test_of_others_it_shows_ids_only() -> None:
    """Neither names nor words of another player, who has many."""
    here = world()
    listen(here)
    anna, bert = here.player("anna"), here.player("bert")
    ask(bert, "players.setIdentity", name="Hidden Name", avatar="hidden-avatar")
    befriend(anna, bert)
    for player in (anna, bert):
        give(player, "gold", 50)
    gift(bert, anna, message="hidden words")
    gift(anna, bert, message="own words")
    shown = repr(whole(here, "anna")).casefold()
    assert "hidden" not in shown
    assert "own words" not in shown
    assert "'bert'" in shown


def test_an_erased_player_is_in_nobodys_timeline() -> None:
    """Nor has one; a friend's gifts stay, from somebody without a name."""
    here = world()
    listen(here)
    anna, bert = here.player("anna"), here.player("marked-id")
    befriend(anna, bert)
    give(bert, "gold", 50)
    gift(bert, anna)
    ask(here.operator(), "players.ban", external_id="marked-id", reason="marked-reason")
    assert "marked-id" in repr(whole(here, "anna"))
    assert "marked-reason" in repr(whole(here, "marked-id"))
    ask(here.operator(), "players.erase", external_id="marked-id")
    assert timeline(here, "marked-id").refusal == (404, "player_not_found")
    left = whole(here, "anna")
    assert "marked" not in repr(left)
    (received,) = (entry for entry in left if entry["kind"] == "gift_received")
    assert str(cast(JsonObject, received["summary"])["externalPlayerId"]).startswith("__deleted_")
    key = {"authorization": f"Bearer {here.keys['client']}"}
    assert http(here, "POST", "/sdk/v1/players/marked-id/register", headers=key).status == 201
    assert {entry["kind"] for entry in whole(here, "marked-id")} <= {"audit", "webhook"}
    assert "marked-reason" not in repr(whole(here, "marked-id"))


def test_each_environment_has_its_own(full: World) -> None:
    """A player of the test environment is not there in the live one."""
    assert timeline(full, "friend", environment="live").refusal == (404, "player_not_found")


def test_every_kind_is_documented() -> None:
    """In the page for support."""
    page = (Path(__file__).parent.parent.parent / "docs" / "how-to" / "help-a-player.md").read_text("utf-8")
    assert [kind for kind in AREAS.timeline if f"`{kind}`" not in page] == []
