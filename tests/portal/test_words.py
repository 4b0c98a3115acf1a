"""What people read: numbers with what they count, names of events, sentences for codes, and where the trail ends."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import livecore
from livecore.api.operations import OPERATIONS
from livecore.economy.policies import MERGED
from livecore.world import World
from livecore_server.portal import words
from livecore_server.portal.action_titles import action_title
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.pages.webhooks import KINDS
from livecore_server.portal.views import Action
from tests.portal.browsing import Member
from tests.portal.studio import made_studio, places

_GAME = "/portal/studios/{studioId}/games/{gameId}"
_THIN = "\N{NARROW NO-BREAK SPACE}"


@pytest.fixture(scope="module")
def world() -> World:
    """A studio with something on every page."""
    return made_studio()


def test_what_is_counted_has_its_number() -> None:
    """One is one, everything else is many."""
    assert [words.counted(number, "friend") for number in (0, 1, 2)] == ["0 friends", "1 friend", "2 friends"]
    assert words.counted(2, "entry", "entries") == "2 entries"
    assert words.counted(1234, "day") == f"1{_THIN}234 days"


def test_a_number_at_its_bound_may_be_larger() -> None:
    """Of what waits for an endpoint, what is held back and the rest are counted up to the bound each."""
    assert words.counted_up_to(99_999) == f"99{_THIN}999"
    assert words.counted_up_to(100_000) == f"100{_THIN}000 or more"
    assert (words.backlog(0, 0), words.backlog(3, 0)) == ("none", "3")
    assert words.backlog(40_000, 39_998) == f"40{_THIN}000, 39{_THIN}998 of them held back until it goes on"
    most = f"100{_THIN}000 or more"
    assert words.backlog(100_001, 1) == f"100{_THIN}001 or more, 1 of them held back until it goes on"
    assert words.backlog(100_000, 100_000) == f"{most}, {most} of them held back until it goes on"


def test_a_reward_is_written_in_one_way() -> None:
    """Thousands as in every number."""
    entries = [{"amount": 1500, "resourceKey": "gold"}, {"amount": 1, "resourceKey": "sword"}]
    assert words.reward(entries) == f"1{_THIN}500 gold, 1 sword"
    assert words.reward([]) == ""


def test_only_reasons_of_the_service_become_words() -> None:
    """What somebody has typed as a reason stays as it is, also where it looks like a code."""
    assert words.reason("gift_sent") == "gift sent"
    for typed in ("lost_items", "Ticket_4711", "over_", "contest", "a_b c", "snake_case!"):
        assert words.reason(typed) == typed


def test_every_reason_that_the_service_gives_is_known() -> None:
    """Wherever the core posts to the ledger for a reason of its own; a reason of one word needs no change."""
    given = {"gift_claimed", "grant_claimed", MERGED}
    for path in Path(livecore.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("post", "charge"):
                values = [one.value for one in node.keywords if one.arg == "reason"]
                given |= {str(value.value) for value in values if isinstance(value, ast.Constant)}
    assert given == words._REASONS
    assert {words.reason(code) for code in given} == {code.replace("_", " ") for code in given}


def test_every_change_is_a_sentence_in_the_audit_trail() -> None:
    """Whatever surface it came by."""
    for row in OPERATIONS:
        if row.writes and row.surface != "sdk":
            assert action_title(row.name), row.name
    assert action_title("players.ban") == action_title("server:players.ban") == "Ban a player"
    assert action_title("no.such") == ""


def test_every_kind_of_webhook_is_told_in_a_sentence() -> None:
    """As the catalog begins to describe it, without marks."""
    for kind in KINDS:
        assert re.fullmatch(r"[A-Z][^`\n]+[^.;:\s]", words.event(kind)), (kind, words.event(kind))
    assert words.event("gift.sent") == "A gift was sent and waits to be claimed"
    assert words.event("no.such") == ""


def test_pages_of_events_say_which_event_it_is(world: World) -> None:
    """By its name, in the title, in the heading and in the trail above."""
    owner = Member.of(world)
    below = ("/events/{eventKey}/windows/{windowId}", "/attempts/{attemptId}", "/lobbies/{lobbyId}")
    for path in (*below, "/leaderboards/{leaderboardId}"):
        shown = owner.open(places(world, f"{_GAME}{path}"))
        name = "Arena" if "lobbies" in path else "Daily dash"
        assert name in shown.heading
        assert name in shown.page.all("title")[0].text
        (trail,) = shown.page.all("nav", class_="trail")
        assert name in [one.text for one in trail.all("a")]
    window = owner.open(places(world, f"{_GAME}/events/{{eventKey}}/windows/{{windowId}}"))
    assert window.heading == "Daily dash, window of 2026-01-01"


def test_the_trail_ends_with_the_page_itself(world: World) -> None:
    """Its last part is no link, and has the page's own title."""
    owner = Member.of(world)
    for route in ROUTES:
        shown = owner.open(places(world, route.path))
        for trail in shown.page.all("nav", class_="trail"):
            *above, last = trail.all("li")
            assert all(len(one.all("a")) == 1 for one in above)
            assert (last.attributes.get("aria-current"), last.all("a")) == ("page", [])
            assert shown.page.all("title")[0].text.startswith(last.text)


def test_guilds_that_are_off_are_told_as_such(world: World) -> None:
    """And not as if nobody had founded one yet."""
    plain = World()
    member = Member.of(plain)
    shown = member.open(member.game("/guilds"))
    assert "Guilds are not enabled" in shown.text
    assert member.game("/settings") in shown.links
    owner = Member.of(world)
    assert "Guilds are not enabled" not in owner.open(owner.game("/guilds", "live")).text


def test_forms_say_what_need_not_be_filled_in(world: World) -> None:
    """A grant has one entry that it needs; the fields of the others are optional, those for the kind included."""
    owner = Member.of(world)
    shown = owner.open(places(world, f"{_GAME}/players/{{externalId}}/grant"))
    groups = shown.page.all("fieldset")
    assert ["optional" in one.all("legend")[0].text for one in groups] == [False, True, True]
    for number, group in enumerate(groups):
        for field in group.all("input", "select"):
            assert ("required" in field.attributes) is (number == 0)
    assert "What is not marked as optional must be filled in." in shown.text
    for route in ROUTES:
        if isinstance(route, Action):
            page = owner.open(places(world, route.path)).page
            for label in page.all("label"):
                fields = [one for one in page.walk() if one.attributes.get("id") == label.attributes.get("for", "-")]
                for field in fields:
                    assert "optional" not in label.text or "required" not in field.attributes


def test_forms_suggest_the_keys_that_the_game_declares(world: World) -> None:
    """For a grant all of them, for items the items; any other may be typed as well."""
    owner = Member.of(world)
    for below, name, has, has_not in (
        ("grant", "all", {"gold", "sword", "starter-chest"}, set()),
        ("items", "items", {"sword", "potion"}, {"gold"}),
    ):
        page = owner.open(places(world, f"{_GAME}/players/{{externalId}}/{below}")).page
        (suggested,) = page.all("datalist", id=f"list-{name}")
        keys = {one.attributes["value"] for one in suggested.all("option")}
        assert has <= keys
        assert not has_not & keys
        assert page.all("input", list=f"list-{name}")
