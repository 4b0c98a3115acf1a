"""Signing in through a real provider, from the first redirect to the session, and what must not get in there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.serving import serving
from tests.sign_in.browser import Answer, Browser
from tests.sign_in.python_provider import CLIENT_ID, CLIENT_SECRET
from tests.sign_in.real_provider import Program, RealProvider, free_port, installed, running, signing_key
from tests.sign_in.signing_in import ANNA, CALLBACK, SIGN_IN, Deployment

PUBLIC = "https://live.example.com"
ACCOUNTS: Mapping[str, dict[str, Any]] = {
    "anna": {"email": "Anna@Example.com", "email_verified": True, "name": "Anna Lund"},
    "ben": {"email": "ben@example.com", "email_verified": True},
    "mallory": {"email": ANNA, "email_verified": False},
    "nobody": {"name": "without an address"},
}


@pytest.fixture(scope="module")
def program(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The provider's program, installed once."""
    return installed(pytestconfig, tmp_path_factory.mktemp("provider"))


class Place:
    """Where a provider may run, stop and run again."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.port = free_port()

    def running(self, **further: object) -> Any:  # noqa: ANN401 - the context manager of a provider
        """A provider there."""
        about = {"port": self.port, "redirect_uri": f"{PUBLIC}{CALLBACK}", "accounts": dict(ACCOUNTS), **further}
        return running(self.program, self.folder, **about)  # type: ignore[arg-type] # checked by the program

    @asynccontextmanager
    async def deployment(self) -> AsyncIterator[Deployment]:
        """A server that signs people in there; one of them is a member."""
        issuer = f"http://127.0.0.1:{self.port}"
        async with serving(
            self.folder,
            public_url=PUBLIC,
            oidc_issuer=issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=CLIENT_SECRET,
        ) as server:
            here = Deployment(server, PUBLIC)
            await here.member()
            yield here


@pytest.fixture
def place(program: Program, tmp_path: Path) -> Place:
    """A place for a provider."""
    return Place(program, tmp_path)


async def back(provider: RealProvider, browser: Browser, login: str = "anna") -> str:
    """Begin, log in at the provider; gives the path with which it sends the browser back."""
    begun = await browser.get(SIGN_IN)
    assert begun.status == 303, begun.text
    return await provider.answer(begun.location, login)


async def through(provider: RealProvider, browser: Browser, login: str = "anna") -> Answer:
    """The whole way."""
    return await browser.get(await back(provider, browser, login))


@pytest.mark.parametrize(
    "further",
    [
        {},
        {"claimsInIdToken": True},
        {"authMethod": "client_secret_post"},
        {"algorithm": "ES256"},
        {"algorithm": "PS256"},
    ],
    ids=["userinfo", "claims in the token", "secret in the form", "elliptic curve", "another of several keys"],
)
def test_a_member_signs_in(place: Place, further: dict[str, Any]) -> None:
    """Whichever way the provider tells the address, takes the secret and signs."""

    async def story() -> None:
        keys = [signing_key(algorithm, algorithm) for algorithm in ("RS256", "PS256", "ES256")]
        with place.running(keys=keys, **further) as provider:
            async with place.deployment() as here:
                browser = here.browser()
                done = await through(provider, browser)
                assert (done.status, done.location) == (303, "/portal/"), here.log
                shown = json.loads((await browser.get("/admin/v1/session")).text)["data"]
                assert (shown["member"]["email"], shown["member"]["name"]) == (ANNA, "Anna Lund")
                assert (await browser.get("/portal/")).status == 200
                (entry,) = await here.trail()
                assert entry.metadata == f'{{"through":"{provider.issuer}","bound":true}}'

    asyncio.run(story())


@pytest.mark.parametrize(
    ("login", "status", "words", "reason"),
    [
        ("ben", 403, "This account is not a member here", "no member has the verified address"),
        ("mallory", 403, "Your e-mail address is not verified", "denies that the address is verified"),
        ("nobody", 403, "Your e-mail address is not verified", "tells no e-mail address"),
        ("", 403, "The identity provider did not let you in", "the provider says 'access_denied'"),
    ],
)
def test_who_is_not_let_in(place: Place, login: str, status: int, words: str, reason: str) -> None:
    """A page that says why, the reason in the log, and no session."""

    async def story() -> None:
        with place.running() as provider:
            async with place.deployment() as here:
                browser = here.browser()
                done = await through(provider, browser, login)
                assert (done.status, words in done.text) == (status, True)
                assert reason in here.log
                assert (browser.cookies, await here.sessions()) == ({}, [])

    asyncio.run(story())


def test_the_provider_changes_its_keys(place: Place) -> None:
    """The next sign-in takes the new ones at once; tokens of a key that is gone are worth nothing."""

    async def story() -> None:
        old, new = signing_key("old"), signing_key("new")
        async with place.deployment() as here:
            with place.running(keys=[old]) as provider:
                assert (await through(provider, here.browser())).status == 303
            with place.running(keys=[new]) as provider:
                assert (await through(provider, here.browser())).status == 303
            with place.running(keys=[old]) as provider:
                refused = await through(provider, here.browser())
                assert (refused.status, "names key 'old', and 0 keys" in here.log) == (502, True)

    asyncio.run(story())


def test_a_replayed_code(place: Place) -> None:
    """The provider takes a code once; a copy of everything that the browser held does not help."""

    async def story() -> None:
        with place.running() as provider:
            async with place.deployment() as here:
                browser, copy = here.browser(), here.browser()
                path = await back(provider, browser)
                copy.cookies = dict(browser.cookies)
                assert (await browser.get(path)).status == 303
                assert (await copy.get(path)).status == 400
                assert "the provider takes the code no more" in here.log
                assert len(await here.sessions()) == 1

    asyncio.run(story())


def test_a_code_of_another_sign_in(place: Place) -> None:
    """Injected into a sign-in of one's own browser: neither verifier nor nonce fit, and the provider refuses the code."""

    async def story() -> None:
        with place.running() as provider:
            async with place.deployment() as here:
                await here.member("ben@example.com", "VIEWER")
                anna, ben = here.browser(), here.browser()
                annas, bens = await back(provider, anna), await back(provider, ben, "ben")
                stolen = annas.partition("code=")[2].partition("&")[0]
                own = bens.partition("code=")[2].partition("&")[0]
                assert (await ben.get(bens.replace(own, stolen))).status == 400
                assert await here.sessions() == []

    asyncio.run(story())


def test_forged_and_foreign_states(place: Place) -> None:
    """Neither a changed state nor that of another browser gets in; the provider is not even asked."""

    async def story() -> None:
        with place.running() as provider:
            async with place.deployment() as here:
                anna, other = here.browser(), here.browser()
                path = await back(provider, anna)
                await other.get(SIGN_IN)
                assert (await other.get(path)).status == 400
                forged = here.browser()
                forged.cookies = {"__Host-livecore-sign-in": "A" * 300}
                assert (await forged.get(path)).status == 400
                assert (await here.browser().get(path)).status == 400
                assert (await anna.get(path)).status == 303

    asyncio.run(story())


def test_an_answer_with_another_issuer(place: Place) -> None:
    """The provider names itself in each answer: one without the name, or with another, is mixed up."""

    async def story() -> None:
        with place.running() as provider:
            async with place.deployment() as here:
                for change in ("&iss=https%3A%2F%2Fevil.example", ""):
                    browser = here.browser()
                    path, _, _ = (await back(provider, browser)).partition("&iss=")
                    assert (await browser.get(path + change)).status == 502
                assert here.log.count("(iss)") == 2

    asyncio.run(story())


def test_a_provider_that_is_gone(place: Place) -> None:
    """The page says so, and the log which address it was."""

    async def story() -> None:
        async with place.deployment() as here:
            gone = await here.browser().get(SIGN_IN)
            assert (gone.status, "did not answer as it should" in gone.text) == (502, True)
            assert f"http://127.0.0.1:{place.port}/.well-known/openid-configuration failed" in here.log

    asyncio.run(story())
