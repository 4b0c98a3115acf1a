"""What signing in answers: without a provider, too often, by other methods, and to browsers with other cookies."""

from __future__ import annotations

import asyncio
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from livecore.access.sessions import LONGEST
from livecore.kernel.time import HOUR, MINUTE
from livecore_server.sign_in import handlers
from tests.sign_in.browser import Answer, Browser
from tests.sign_in.python_provider import python_provider
from tests.sign_in.signing_in import CALLBACK, SIGN_IN, deployment

SAFE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Page(HTMLParser):
    """The elements and words of a page."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        """Note words."""
        self.words += data


def well_made(answer: Answer) -> Page:
    """The page, with the headers that it must have and without a script."""
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        answer.headers["Content-Security-Policy"],
    )
    assert answer.headers["X-Request-Id"]
    page = Page(answer)
    assert set(page.elements) <= {"html", "head", "meta", "title", "style", "body", "main", "h1", "p", "a", "code"}
    assert page.attributes <= {"lang", "charset", "name", "content", "href"}
    assert page.elements.count("h1") == 1
    return page


def test_without_a_provider_the_page_says_how_to_set_one_up(tmp_path: Path) -> None:
    """Both addresses; nothing else of the server is different."""

    async def story() -> None:
        async with deployment(tmp_path) as here:
            for path in (SIGN_IN, CALLBACK):
                answer = await here.browser().get(path)
                assert answer.status == 503
                words = well_made(answer).words
                assert "LIVECORE_OIDC_ISSUER" in words
                assert "livecore members add" in words
                assert "`" not in words
            assert (await here.browser().get(f"{SIGN_IN}/link?token=x")).status == 404
            assert (await here.browser().get(f"{SIGN_IN}/")).status == 404

    asyncio.run(story())


def test_strangers_are_counted_by_address(tmp_path: Path) -> None:
    """Above the limit the page says to wait, and the header for how long; the provider is not asked any more."""

    async def story() -> None:
        async with (
            python_provider() as provider,
            deployment(tmp_path, provider, rate_limits="unauthenticated=3") as here,
        ):
            clock = here.server.service.application.clock()
            here.server.service.application.clock = lambda: clock
            answers = [await here.browser().get(SIGN_IN) for _ in range(5)]
            assert [answer.status for answer in answers] == [303, 303, 303, 429, 429]
            assert "Wait a minute" in well_made(answers[-1]).words
            assert int(answers[-1].headers["Retry-After"]) >= 1

    asyncio.run(story())


def test_what_others_ask_from_an_address_uses_up_no_sign_in(tmp_path: Path) -> None:
    """Requests to the interfaces, and what a page of somebody else embeds; people have a limit of their own."""

    async def story() -> None:
        async with (
            python_provider() as provider,
            deployment(tmp_path, provider, rate_limits="unauthenticated=4") as here,
        ):
            clock = here.server.service.application.clock()
            here.server.service.application.clock = lambda: clock

            async def statuses(path: str, dest: str | None = None, times: int = 1) -> list[int]:
                headers = {} if dest is None else {"Sec-Fetch-Dest": dest}
                return [(await here.server.ask("GET", path, headers=headers)).status for _ in range(times)]

            assert await statuses("/sdk/v1/nowhere", times=2) == [404, 404]
            for dest in ("image", "iframe"):
                assert await statuses(SIGN_IN, dest) == [303]
            for path in ("/sdk/v1/nowhere", SIGN_IN, "/portal/"):
                assert await statuses(path, "image") == [429]
            assert await statuses("/portal/") == [303]
            assert await statuses(SIGN_IN, "document") == [303]
            assert await statuses(f"{SIGN_IN}/callback", "document") == [400]
            assert await statuses("/portal/", "document", times=2) == [303, 429]
            assert await statuses(SIGN_IN) == [429]
            assert await statuses("/portal/style.css", times=6) == [200] * 6

    asyncio.run(story())


def test_another_account_with_the_same_address_is_not_let_in(tmp_path: Path) -> None:
    """Another subject of the provider; the page says who can help, and the log which account it was not."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            provider.claims = {"sub": "person-1"}
            assert (await here.sign_in(provider)).status == 303
            provider.claims = {"sub": "person-2"}
            answer = await here.sign_in(provider)
            assert answer.status == 403
            words = well_made(answer).words
            assert "an owner or an administrator of the studio to renew your invitation" in words
            assert "livecore members renew" in words
            assert "__Host-livecore" not in answer.cookies
            assert "AnotherAccount" in here.log
            assert [session.subject for session in await here.sessions()] == ["person-1"]
            provider.claims = {"sub": "person-1"}
            assert (await here.sign_in(provider)).status == 303

    asyncio.run(story())


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_only_get_does_anything(tmp_path: Path, method: str) -> None:
    """Whoever only looks at an address, such as the preview of a link, uses nothing up."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            browser = here.browser()
            begun = await browser.get(SIGN_IN)
            back = f"{CALLBACK}?{provider.allow(begun.location)}"
            answer = await browser.send(method, back)
            assert (answer.status, answer.headers["Allow"]) == (405, "GET")
            assert (await browser.get(back)).status == 303

    asyncio.run(story())


def test_a_failure_of_our_own_is_a_page_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has the traceback, the page has nothing of it."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            monkeypatch.setattr(handlers, "sign_in", lambda *_, **__: 1 / 0)
            answer = await here.sign_in(provider)
            assert answer.status == 500
            assert "ZeroDivisionError" not in well_made(answer).words
            assert "ZeroDivisionError" in here.log

    asyncio.run(story())


def test_the_state_of_another_browser(tmp_path: Path) -> None:
    """Somebody sends a link with their own answer: it signs nobody in, and the owner of the answer still is."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            anna, ben, stranger = here.browser(), here.browser(), here.browser()
            await ben.get(SIGN_IN)
            back = f"{CALLBACK}?{provider.allow((await anna.get(SIGN_IN)).location)}"
            for other in (ben, stranger):
                answer = await other.get(back)
                assert answer.status == 400
                assert "was not begun in this browser" in well_made(answer).words
                assert other.cookies == {}
            assert (await anna.get(back)).status == 303

    asyncio.run(story())


def test_an_answer_is_good_once(tmp_path: Path) -> None:
    """Neither the same browser nor one with a copy of its cookie can use it again."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            browser, copy = here.browser(), here.browser()
            back = f"{CALLBACK}?{provider.allow((await browser.get(SIGN_IN)).location)}"
            copy.cookies = dict(browser.cookies)
            assert (await browser.get(back)).status == 303
            assert [(await one.get(back)).status for one in (browser, copy)] == [400, 400]
            assert len(await here.sessions()) == 1

    asyncio.run(story())


def test_a_sign_in_that_takes_too_long(tmp_path: Path) -> None:
    """After ten minutes the person begins again."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            browser = here.browser()
            back = f"{CALLBACK}?{provider.allow((await browser.get(SIGN_IN)).location)}"
            clock = here.server.service.application.clock
            here.server.service.application.clock = lambda: clock() + 10 * MINUTE + 1_000
            answer = await browser.get(back)
            assert answer.status == 400
            assert "took longer than ten minutes" in well_made(answer).words

    asyncio.run(story())


def test_a_planted_session_cookie_never_becomes_one_that_is_signed_in(tmp_path: Path) -> None:
    """Each sign-in makes a new token; one that was there before is as worthless after as it was before."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            planted = "a" * 48
            browser = here.browser()
            browser.cookies["__Host-livecore"] = planted
            assert (await here.sign_in(provider, browser)).status == 303
            assert browser.cookies["__Host-livecore"] != planted
            other = here.browser()
            for name in ("__Host-livecore", "livecore"):
                other.cookies = {name: planted}
                assert (await other.get("/admin/v1/session")).status == 401
            first = browser.cookies["__Host-livecore"]
            assert (await here.sign_in(provider, browser)).status == 303
            assert browser.cookies["__Host-livecore"] != first

    asyncio.run(story())


@pytest.mark.parametrize(
    ("public_url", "name", "secure"),
    [
        ("https://live.example.com", "__Host-livecore", True),
        ("https://live.example.com/", "__Host-livecore", True),
        ("http://localhost:8787", "livecore", False),
    ],
)
def test_the_cookie_fits_the_public_address(tmp_path: Path, public_url: str, name: str, secure: bool) -> None:
    """Bound to the host where it is https; a browser would not keep such a cookie for http on this machine."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider, public_url=public_url) as here:
            await here.member()
            browser = here.browser()
            done = await here.sign_in(provider, browser)
            assert (name in done.cookies, "; Secure" in done.cookies[name]) == (True, secure)
            shown = json.loads((await browser.get("/admin/v1/session")).text)
            assert shown["data"]["via"] == "session"
            wrong = "livecore" if secure else "__Host-livecore"
            browser.cookies = {wrong: browser.cookies[name]}
            assert (await browser.get("/admin/v1/session")).status == 401

    asyncio.run(story())


def test_changes_need_the_public_origin(tmp_path: Path) -> None:
    """A page of another origin cannot sign somebody out, and the service's own can."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            browser = here.browser()
            await here.sign_in(provider, browser)
            for origin in ("https://evil.example", "https://live.example.com:8443", "http://live.example.com", "null"):
                assert (await browser.send("POST", "/admin/v1/sign-out", Origin=origin)).status == 403
            assert (await browser.send("POST", "/admin/v1/sign-out")).status == 403
            assert (await browser.send("POST", "/admin/v1/sign-out", Origin=here.public_url)).status == 200
            assert (await browser.get("/admin/v1/session")).status == 401

    asyncio.run(story())


def test_a_session_lasts_as_long_as_it_may(tmp_path: Path) -> None:
    """Twelve hours without a request, and seven days with one every few hours."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            clock = here.server.service.application.clock()

            async def alive(browser: Browser, later: int) -> bool:
                here.server.service.application.clock = lambda: clock + later
                return (await browser.get("/admin/v1/session")).status == 200

            here.server.service.application.clock = lambda: clock
            provider.claims = {"iat": clock // 1000, "exp": 4_000_000_000}
            idle, busy = here.browser(), here.browser()
            await here.sign_in(provider, idle)
            await here.sign_in(provider, busy)
            assert [await alive(busy, hours * HOUR) for hours in range(11, 7 * 24, 11)] == [True] * 15
            assert await alive(busy, LONGEST - 1)
            assert not await alive(busy, LONGEST)
            assert not await alive(idle, 13 * HOUR)

    asyncio.run(story())
