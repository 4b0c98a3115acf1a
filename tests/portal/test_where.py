"""Where a link leads: the other environment, the same area; and what is asked for one page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.world import World
from tests.portal.browsing import Member, Shown
from tests.portal.studio import made_studio, places
from tests.portal.test_frame import check_page

_GAME = "/portal/studios/{studioId}/games/{gameId}"
_HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "run-a-support-desk.md"


@pytest.fixture(scope="module")
def world() -> World:
    """A studio with something on every page."""
    return made_studio()


def _other_environment(shown: Shown) -> str:
    (links,) = shown.page.all("nav", aria_label="Environment")
    (other,) = [one for one in links.all("a") if "aria-current" not in one.attributes]
    return other.attributes["href"]


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/players", "/players"),
        ("/players/{externalId}", "/players"),
        ("/players/{externalId}/ban", "/players"),
        ("/events/{eventKey}", "/events/daily-dash"),
        ("/events/{eventKey}/windows/{windowId}", "/events"),
        ("/guilds/{guildId}", "/guilds"),
        ("/webhooks/add", "/webhooks"),
        ("/deliveries/{deliveryId}", "/deliveries"),
        ("/keys", "/keys"),
        ("/settings/history/{version}", "/settings/history/1"),
        ("/settings/change", "/settings"),
        ("/delete", "/settings"),
    ],
)
def test_the_other_environment_is_entered_in_the_same_area(world: World, path: str, leads_to: str) -> None:
    """At the same page where both have it, else where the area begins: a player of one is none of the other."""
    owner = Member.of(world)
    other = _other_environment(owner.open(places(world, f"{_GAME}{path}")))
    assert other == owner.game(leads_to, "live")
    assert owner.open(other).status == 200


def test_a_page_that_is_not_there_leads_to_the_area_that_it_would_be_in(world: World) -> None:
    """The page says which part of the portal it is, and the other environment's is one click away."""
    owner = Member.of(world)
    shown = owner.open(owner.game("/guilds/gld_nothing", "live"))
    check_page(shown)
    assert shown.status == 404
    assert _other_environment(shown) == owner.game("/guilds", "test")
    assert [one.text for one in shown.page.all("a", aria_current="page")] == ["Guilds"]


def test_a_player_page_asks_as_often_as_the_documentation_says(world: World) -> None:
    """Each request counts for the limit of the session."""
    owner = Member.of(world)
    asked: list[str] = []

    async def ask(request: Request) -> Response:
        asked.append(request.path)
        return world.handle(request)

    owner.portal._ask = ask
    owner.open(places(world, f"{_GAME}/players/{{externalId}}"))
    assert f"takes {len(asked)} requests of the 600" in _HOW_TO.read_text("utf-8").replace("\n", " ")


def test_who_asks_too_much_is_told_when_to_come_back() -> None:
    """With the header for programs, and in words; a form says that nothing was done."""
    world = World(limits=RateLimits(per_minute={"admin": 3}))
    owner = Member.of(world)
    pages = [owner.open("/portal/") for _ in range(4)]
    refused = next(one for one in pages if one.status == 429)
    check_page(refused)
    wait = refused.response.header("Retry-After")
    assert f"Try again in {wait} second" in refused.text
    assert refused.links == ["/portal/", "/portal/"], "to the same page again, and to the first"
    later = owner.open(owner.game("/players", q="<planted data-planted>"))
    check_page(later)
    assert (later.status, later.links[0]) == (429, later.address)
    sent = owner.submit(owner.studio("/rename"), {"name": "New"})
    assert (sent.status, "Nothing was done." in sent.text) == (429, True)
    assert sent.links == ["/portal/"]


def test_a_form_asks_who_sends_it_and_does_what_it_says() -> None:
    """A form that is the same for every player is sent on without reading the player or the games first."""
    world = made_studio()
    owner = Member.of(world)
    asked: list[str] = []

    async def ask(request: Request) -> Response:
        asked.append(f"{request.method} {request.path}")
        return world.handle(request)

    owner.portal._ask = ask
    sent = owner.submit(owner.game("/players/dora/ban"), {"reason": "spam"})
    assert sent.location == owner.game("/players/dora")
    player = f"/admin/v1/studios/{world.game.studio_id}/games/{world.game.game_id}/players/dora"
    assert asked == ["GET /admin/v1/session", f"POST {player}/ban"]


def test_a_form_about_a_player_who_is_not_there_says_so() -> None:
    """As the page of the form does, with the game's name and its navigation."""
    owner = Member.of(made_studio())
    address = owner.game("/players/nobody/ban")
    page, sent = owner.open(address), owner.submit(address, {"reason": "spam"})
    check_page(sent)
    assert (sent.status, sent.text) == (page.status, page.text)
    assert sent.status == 404
    assert sent.page.all("nav", aria_label="Environment")


def test_a_session_that_ends_while_a_form_arrives_does_nothing() -> None:
    """The form was admitted by its session; the operation looks at the session again, and the page says what is so."""
    world = made_studio()
    owner = Member.of(world)
    parts = urlsplit(owner.game("/players/dora/ban"))
    headers = {
        **owner.headers,
        "origin": "http://localhost",
        "sec-fetch-site": "same-origin",
        "content-type": "application/x-www-form-urlencoded",
    }
    request = Request("POST", parts.path, parts.query, headers, b"reason=spam", "192.0.2.7")

    async def scenario() -> Response:
        prepared = await owner.portal.enter(request)
        signed_out = Request("POST", "/portal/sign-out", "", headers, b"", "192.0.2.7")
        assert (await owner.portal.answer(await owner.portal.enter(signed_out))).status == 303
        return await owner.portal.answer(prepared)

    response = asyncio.run(scenario())
    assert (response.status, b"Your session has ended, so nothing was done." in response.body) == (401, True)
