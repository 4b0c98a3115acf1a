"""What holds for every page: headers, elements, addresses, sessions, origins, roles and names that are meant to harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.world import World
from livecore_server.portal.headers import CONTENT_SECURITY_POLICY, LIVE_POLICY
from livecore_server.portal.messages import MessageCookie
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.static_files import ASSETS
from livecore_server.portal.views import Action
from tests.portal.browsing import Element, Member, Shown, parsed
from tests.portal.studio import BANNED, HOSTILE, made_studio, places

HEADINGS = ("h1", "h2", "h3", "h4")


@pytest.fixture(scope="module")
def world() -> World:
    """A studio with something on every page, and with names that try to harm."""
    return made_studio()


def addresses(world: World) -> Iterator[str]:
    """The address of every page, with things that are there."""
    for route in ROUTES:
        yield places(world, route.path)


def check_page(shown: Shown) -> Element:
    """A page keeps the rules of all pages; gives its elements."""
    headers = {name.lower(): value for name, value in shown.response.headers}
    page = parsed(shown.html)
    live = bool(page.all("script"))
    assert headers["content-security-policy"] == (LIVE_POLICY if live else CONTENT_SECURITY_POLICY)
    if live:
        assert "/leaderboards/" in shown.address
        (script,) = page.all("script")
        assert set(script.attributes) == {"src", "defer"}
        assert not script.text
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["x-request-id"]
    (head,) = page.all("head")
    (title,) = head.all("title")
    assert title.text.endswith("Livecore")
    assert [one.attributes["lang"] for one in page.all("html")] == ["en"]
    _check_outline(page)
    _check_fields(page)
    _check_nothing_foreign(page)
    return page


def _check_outline(page: Element) -> None:
    for landmark in ("header", "main", "footer", "h1"):
        assert len(page.all(landmark)) >= 1, landmark
    assert len(page.all("h1")) == len(page.all("main")) == 1
    levels = [int(one.tag[1]) for one in page.all(*HEADINGS)]
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels
    ids = [one.attributes["id"] for one in page.walk() if "id" in one.attributes]
    assert len(ids) == len(set(ids)), ids
    named = [
        name for one in page.walk() for key in ("aria-labelledby", "aria-describedby", "for")
        for name in one.attributes.get(key, "").split()
    ]  # fmt: skip
    assert set(named) <= set(ids)
    for table in page.all("table"):
        assert table.all("caption")
        assert all(one.attributes.get("scope") in ("col", "row") for one in table.all("th"))
        width = len(table.all("thead")[0].all("th"))
        assert {len(row.all("th", "td")) for row in table.all("tr")} == {width}


def _check_fields(page: Element) -> None:
    labelled = {one.attributes["for"] for one in page.all("label") if "for" in one.attributes}
    inside = {id(field) for label in page.all("label") for field in label.all("input", "select", "textarea")}
    for field in page.all("input", "select", "textarea"):
        if field.attributes.get("type") == "hidden":
            continue
        assert id(field) in inside or field.attributes["id"] in labelled, field.attributes
    for form in page.all("form"):
        assert form.all("button"), "a form can be sent with the keyboard"
        assert form.attributes.get("action", "/portal/").startswith("/portal/")


def _check_nothing_foreign(page: Element) -> None:
    assert page.all("style", "iframe", "object", "embed", "base", "svg:script") == []
    for one in page.walk():
        assert not [name for name in one.attributes if name.startswith("on") or name == "style"], one
        for name in ("href", "src", "action", "formaction"):
            address = one.attributes.get(name)
            if address is not None:
                assert re.match(r"/portal(/|$)|/admin/v1/sign-in\?|#|/admin/v1/studios/", address), address
    assert [one.attributes for one in page.walk() if "data-planted" in one.attributes] == []
    assert page.all("planted") == []


def test_every_page_keeps_the_rules_for_pages(world: World) -> None:
    """Headers, landmarks, one heading, labels, tables with captions, nothing inline and nothing from elsewhere."""
    owner = Member.of(world)
    for address in addresses(world):
        shown = owner.open(address)
        assert shown.status == 200, (address, shown.html)
        check_page(shown)


def test_the_first_page_is_small(world: World) -> None:
    """With its stylesheet and icon the first page has less than 60 kB."""
    shown = Member.of(world).open("/portal/")
    assert len(shown.response.body) + sum(len(asset.body) for asset in ASSETS.values()) < 60_000


def test_every_page_says_the_game_and_the_environment(world: World) -> None:
    """The environment stands in the title and on the page, and live is the one that is meant without a word."""
    owner = Member.of(world)
    for route in ROUTES:
        if "{gameId}" not in route.path or isinstance(route, Action):
            continue
        for environment in ("test", "live"):
            address = places(world, route.path, environment)
            shown = owner.open(address)
            if shown.status == 404 and environment == "live":
                continue  # The things of the test environment are not in the live one.
            page = check_page(shown)
            assert f"({environment})" in page.all("title")[0].text
            assert page.all("body", class_=f"in-{environment}")
            (nav,) = page.all("nav", aria_label="Environment")
            (current,) = nav.all("a", aria_current="true")
            assert current.text.lower() == environment
    without = places(world, "/portal/studios/{studioId}/games/{gameId}/keys").partition("?")[0]
    assert "(live)" in owner.open(without).page.all("title")[0].text


@pytest.mark.parametrize("role", ROLES)
def test_a_page_offers_what_the_role_allows_and_refuses_the_rest(world: World, role: Role) -> None:
    """Every page for reading opens for every role; an action opens exactly where it is offered to the role."""
    member = Member.of(world, role)
    # What is only offered for things in another state than those that the pages below are about.
    completed = places(world, "/portal/studios/{studioId}/games/{gameId}/attempts/{attemptId}/rewards")
    others = (member.game(f"/players/{BANNED}"), completed.replace("/rewards", ""))
    links = {link.partition("?")[0] for other in others for link in member.open(other).links}
    statuses: dict[str, int] = {}
    for route in ROUTES:
        address = places(world, route.path, role=role)
        shown = member.open(address)
        check_page(shown)
        if isinstance(route, Action):
            statuses[address.partition("?")[0]] = shown.status
            if shown.status == 403:
                assert "permission" in shown.text
                refused = member.submit(address, {})
                assert refused.status == 403
        else:
            assert shown.status == 200, (role, address)
            links |= {link.partition("?")[0] for link in shown.links}
    for path, status in statuses.items():
        assert status in (200, 403), (role, path)
        assert (status == 403) == (path not in links), (role, path)


def test_who_is_not_signed_in_is_sent_to_sign_in_and_back(world: World) -> None:
    """Each page answers 303 with its own address as the one to come back to."""
    nobody = Member.nobody(world)
    for address in addresses(world):
        shown = nobody.open(address)
        assert shown.location.startswith("/admin/v1/sign-in?return=%2Fportal%2F")
        assert shown.response.header("Cache-Control") == "no-store"


def test_a_personal_key_opens_no_page(world: World) -> None:
    """The portal looks at the session only."""
    key = world.operator().call("personalKeys.create", name="portal", expires_in_days=7)["key"]
    nobody = Member.nobody(world)
    shown = nobody.send("GET", "/portal/", headers={"authorization": f"Bearer {key}"})
    assert shown.location.startswith("/admin/v1/sign-in")


@pytest.mark.parametrize(
    "proof",
    [
        {"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
        {"origin": "https://evil.example", "sec-fetch-site": ""},
        {"origin": "null", "sec-fetch-site": "same-origin"},
        {"origin": "http://localhost", "sec-fetch-site": "same-site"},
        {"origin": "http://localhost", "sec-fetch-site": "none"},
    ],
)
def test_a_form_of_another_origin_changes_nothing(world: World, proof: dict[str, str]) -> None:
    """Every action refuses it before it looks at the session, and every row stays as it was."""
    owner = Member.of(world)
    every = list(addresses(world))
    before = world.store.dump()
    for address in every:
        for member in (owner, Member.nobody(world)):
            shown = member.submit(address, {"name": "x", "reason": "x"}, headers=proof)
            assert (shown.status, shown.heading) == (403, "This form was not sent from here")
            check_page(shown)
    assert owner.submit("/portal/sign-out", {}, headers=proof).status == 403
    assert world.store.dump() == before


def test_a_form_to_a_name_that_the_server_does_not_know_changes_nothing(world: World) -> None:
    """A page whose name is resolved to this machine has the origin of its requests; the page says what to set."""
    owner = Member.of(world)
    # A player whom no other page of these tests is about: the form takes effect in the end.
    address = owner.game("/players/dora/ban")
    before = world.store.dump()
    for host in ("evil.test", "evil.test:8787", "192.0.2.1:8787"):
        proof = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        shown = owner.submit(address, {"reason": "spam"}, headers=proof)
        assert (shown.status, shown.heading) == (403, "This server does not know its name")
        assert "LIVECORE_PUBLIC_URL" in shown.text
        check_page(shown)
    assert world.store.dump() == before
    assert owner.submit(address, {"reason": "spam"}).status == 303


def test_a_form_without_a_session_says_so(world: World) -> None:
    """It is not read, and nothing is done."""
    shown = Member.nobody(world).submit("/portal/studios/x/members/add", {"email": "x@example.com"})
    assert (shown.status, shown.heading) == (401, "You are not signed in")
    assert shown.links == ["/admin/v1/sign-in?return=%2Fportal%2F"]
    check_page(shown)


def test_signing_out_ends_the_session(world: World) -> None:
    """The cookie is taken away, and opens nothing any more."""
    member = Member.of(world, "VIEWER", "leaves@example.com")
    shown = member.submit("/portal/sign-out", {})
    assert shown.location == "/portal/signed-out"
    assert "Max-Age=0" in str(shown.response.header("Set-Cookie"))
    check_page(member.open("/portal/signed-out"))
    assert member.open("/portal/").location.startswith("/admin/v1/sign-in")
    assert member.submit("/portal/sign-out", {}).location == "/portal/signed-out"
    assert member.open("/portal/sign-out").status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/portal/nothing",
        "/portal/studios/std_other/members",
        "/portal/studios/std_other/games/game_other/keys",
        "/portal/studios/%00/members",
        "/portal/studios/..%2f..%2f/members",
        "/portal//evil.example",
    ],
)
def test_what_is_not_there_is_not_found(world: World, path: str) -> None:
    """Another studio looks like none."""
    shown = Member.of(world).open(path)
    assert (shown.status, shown.heading) == (404, "Page not found")
    assert str(shown.response.header("X-Request-Id")) in shown.html
    check_page(shown)


def test_another_studios_game_is_not_found(world: World) -> None:
    """Also below a studio of one's own."""
    address = Member.of(world).studio("/games/game_of_somebody_else/keys")
    assert Member.of(world).open(address).status == 404


def test_a_page_says_only_what_it_knows(world: World) -> None:
    """The message after an action comes from a table; other texts are not shown, and none comes from the address."""
    owner = Member.of(world)
    members = owner.studio("/members")
    cookie = owner.headers["cookie"]
    told = owner.send("GET", members, headers={"cookie": f"{cookie}; livecore-notice=member-removed"})
    assert "is removed" in told.message
    assert "Max-Age=0" in str(told.response.header("Set-Cookie")), "and is not said again"
    for text in ("You have won", "<planted data-planted>", ""):
        shown = owner.send("GET", members, headers={"cookie": f"{cookie}; livecore-notice={text}"})
        assert (shown.message, "won" in shown.html) == ("", False)
        check_page(shown)
    shown = owner.open(owner.studio("/members?notice=member-removed&next=https://evil.example"))
    assert (shown.message, "evil" in shown.html) == ("", False)


@pytest.mark.parametrize("path", ["/nothing", "/members?cursor=not-one", "/members?environment=nowhere"])
def test_a_message_is_not_kept_for_a_later_page(world: World, path: str) -> None:
    """Where the page after an action is about a problem, that page says it, and no other one does."""
    owner = Member.of(world)
    owner.jar["livecore-notice"] = "banned"
    shown = owner.open(owner.studio(path))
    assert (shown.status >= 400, shown.message) == (True, "The player is banned.")
    check_page(shown)
    assert owner.open(owner.studio("/members")).message == ""


@pytest.mark.parametrize(
    ("origin", "begins", "secure"),
    [("https://live.example.com", "__Host-livecore-notice=banned;", True), (None, "livecore-notice=banned;", False)],
)
def test_the_cookie_of_a_message_belongs_to_its_host(origin: str | None, begins: str, *, secure: bool) -> None:
    """No other host and no script can set or read it, and no other site's link sends it."""
    cookies = MessageCookie(origin)
    ((_, given),) = cookies.given("banned")
    ((_, taken),) = cookies.taken()
    for header in (given, taken):
        parts = header.split("; ")
        assert {"Path=/", "HttpOnly", "SameSite=Strict"} <= set(parts)
        assert ("Secure" in parts) is secure
    assert given.startswith(begins)
    assert cookies.read(f"a=b; {given.partition(';')[0]}") == "The player is banned."
    assert (cookies.given(""), cookies.read(None), cookies.read("livecore-notice=toString")) == ((), "", "")


def test_a_failure_is_a_page_with_its_request_id(world: World) -> None:
    """The person can say which request failed, and reads nothing of the reason."""
    member = Member.of(world)

    async def broken(_: object) -> None:
        raise RuntimeError("the inside of the server")

    member.portal._ask = broken  # type: ignore[assignment]  # it never answers
    shown = member.open("/portal/")
    assert (shown.status, shown.heading) == (500, "Something went wrong")
    assert "inside" not in shown.html
    assert str(shown.response.header("X-Request-Id")) in shown.html
    check_page(shown)


def test_methods_and_forms_that_make_no_sense_are_refused(world: World) -> None:
    """With a page, and without a change."""
    owner = Member.of(world)
    before = world.store.dump()
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        shown = owner.send(method, "/portal/", headers={"origin": "http://localhost", "sec-fetch-site": "same-origin"})
        assert shown.status == 405, method
    assert owner.submit("/portal/", {}).status == 405
    address = owner.studio("/members/add")
    for body, kind in (
        (b"{}", "application/json"),
        (b"x=%ff", "application/x-www-form-urlencoded"),
        (b"\xff", "application/x-www-form-urlencoded"),
        (b"a=1&" * 3000, "application/x-www-form-urlencoded"),
    ):
        headers = {"content-type": kind, "origin": "http://localhost", "sec-fetch-site": "same-origin"}
        assert owner.send("POST", address, body, headers).status == 400
    assert owner.open("/portal/?" + "a=1&" * 500).status == 400
    assert owner.open("/portal/?a=%ff").status == 400
    assert world.store.dump() == before


def test_files_are_kept_for_long_under_the_address_of_their_content(world: World) -> None:
    """Under any other address browsers ask again."""
    page = Member.nobody(world).open("/portal/signed-out").page
    addresses = [one.attributes["href"] for one in page.all("link")]
    assert len(addresses) == len(ASSETS) - 1, "all but the script of live boards"
    for address in addresses:
        shown = Member.nobody(world).open(address)
        assert (shown.status, shown.response.header("Cache-Control")) == (200, "public, max-age=31536000, immutable")
        stale = Member.nobody(world).open(address.partition("?")[0])
        assert stale.response.header("Cache-Control") == "no-cache"
        assert "url(" not in shown.html
        assert "@import" not in shown.html


def test_the_stylesheet_closes_what_it_opens() -> None:
    """Browsers drop the rule after a brace too many, and say nothing."""
    depth = 0
    for character in ASSETS["/portal/style.css"].body.decode():
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth in (0, 1, 2)
    assert depth == 0


def test_hostile_names_are_only_names(world: World) -> None:
    """Markup in a name is read as text, and a name cannot turn the direction of what follows it."""
    owner = Member.of(world)
    seen = 0
    for address in addresses(world):
        shown = owner.open(address)
        page = check_page(shown)
        assert "<planted" not in shown.html
        for one in page.all("bdi"):
            seen += HOSTILE[0] in one.text
    assert seen > 0


def test_the_bare_address_leads_to_the_first_page(world: World) -> None:
    """`/portal` is `/portal/`."""
    assert Member.nobody(world).open("/portal").location == "/portal/"
