"""Signing in through a provider that lies: every check of the relying party, each with an answer that only it catches."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from livecore_server.sign_in import outgoing
from tests.sign_in.browser import asked
from tests.sign_in.python_provider import CLIENT_ID, Handler, python_provider
from tests.sign_in.signing_in import ANNA, CALLBACK, SIGN_IN, deployment, refused

NO_CLAIM: Any = ...


def test_a_person_signs_in(tmp_path: Path) -> None:
    """A new session in a cookie that is bound to the host, the name and time at the member, an entry in the trail."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            member = await here.member()
            browser = here.browser()
            begun = await browser.get(f"{SIGN_IN}?return=/portal/games?environment=test")
            assert begun.status == 303
            assert begun.location.startswith(f"{provider.issuer}/authorize?tenant=1&")
            fields = asked(begun.location)
            assert fields["redirect_uri"] == f"https://live.example.com{CALLBACK}"
            assert (fields["scope"], fields["code_challenge_method"]) == ("openid email profile", "S256")
            done = await browser.get(f"{CALLBACK}?{provider.allow(begun.location)}")
            assert (done.status, done.location) == (303, "/portal/games?environment=test")
            attributes = "; Path=/; Max-Age={}; HttpOnly; SameSite=Lax; Secure"
            cookie = done.cookies["__Host-livecore"]
            assert cookie.endswith(attributes.format(7 * 24 * 3600))
            assert begun.cookies["__Host-livecore-sign-in"].endswith(attributes.format(600))
            assert done.cookies["__Host-livecore-sign-in"] == attributes.format(0)
            shown = json.loads((await browser.get("/admin/v1/session")).text)["data"]
            assert shown["member"] == {"memberId": member.member_id, "email": ANNA, "name": "Anna Lund"}
            assert cookie.partition(";")[0] not in here.log
            found = await here.found()
            assert found.signed_in_at is not None
            (session,) = await here.sessions()
            assert (session.member_id, session.address) == (member.member_id, "127.0.0.1")
            (entry,) = await here.trail()
            studio_id = here.server.game.game.studio_id
            assert (entry.member_id, entry.studio_id, entry.via) == (member.member_id, studio_id, "session")
            assert (entry.address, entry.metadata) == ("127.0.0.1", f'{{"through":"{provider.issuer}","bound":true}}')

    asyncio.run(story())


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://evil.example"}, "the ID token is issued by 'https://evil.example'"),
        ({"iss": NO_CLAIM}, "the ID token is issued by 'None'"),
        ({"aud": "another"}, "is for another client (aud)"),
        ({"aud": ["another", "third"]}, "is for another client (aud)"),
        ({"aud": NO_CLAIM}, "is for another client (aud)"),
        ({"aud": [CLIENT_ID, "another"]}, "was given to another client (azp)"),
        ({"aud": [CLIENT_ID, "another"], "azp": "another"}, "was given to another client (azp)"),
        ({"azp": "another"}, "was given to another client (azp)"),
        ({"exp": int(time.time()) - 3600}, "the ID token ended"),
        ({"exp": NO_CLAIM}, "the ID token has no time exp"),
        ({"exp": "tomorrow"}, "the ID token has no time exp"),
        ({"exp": True}, "the ID token has no time exp"),
        ({"iat": NO_CLAIM}, "the ID token has no time iat"),
        ({"iat": int(time.time()) + 36000, "exp": int(time.time()) + 72000}, "is good in"),
        ({"nbf": int(time.time()) + 36000}, "is good in"),
        ({"nonce": "another"}, "has another nonce than the request"),
        ({"nonce": NO_CLAIM}, "has another nonce than the request"),
        ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "is bound to another access token (at_hash)"),
        ({"at_hash": 1}, "is bound to an access token that was not sent"),
        ({"sub": NO_CLAIM}, "the ID token names no subject"),
        ({"sub": ""}, "the ID token names no subject"),
        ({"sub": "s" * 256}, "the ID token names no subject"),
    ],
)
def test_a_claim_that_is_wrong(tmp_path: Path, claims: dict[str, Any], reason: str) -> None:
    """Each claim alone is enough to refuse the token."""

    async def story() -> None:
        async with python_provider(claims=claims) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            await refused(here, await here.sign_in(provider), 502, reason)

    asyncio.run(story())


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": int(time.time()) + 1_000_000, "iat": int(time.time()) - 1_000_000},
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "another"], "azp": CLIENT_ID},
        {"email_verified": "true"},
    ],
)
def test_a_claim_that_is_good(tmp_path: Path, claims: dict[str, Any]) -> None:
    """What providers rightly do."""

    async def story() -> None:
        async with python_provider(claims=claims) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            assert (await here.sign_in(provider)).status == 303

    asyncio.run(story())


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"iat": 0, "exp": -59}, 303),
        ({"iat": 0, "exp": -61}, 502),
        ({"iat": 58, "exp": 300}, 303),
        ({"iat": 62, "exp": 300}, 502),
        ({"iat": 0, "nbf": 58, "exp": 300}, 303),
        ({"iat": 0, "nbf": 62, "exp": 300}, 502),
    ],
)
def test_clocks_may_differ_by_a_minute(tmp_path: Path, claims: dict[str, int], status: int) -> None:
    """The times are seconds from the server's own time."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            now = int(time.time())
            here.server.service.application.clock = lambda: now * 1000
            provider.claims = {name: now + seconds for name, seconds in claims.items()}
            assert (await here.sign_in(provider)).status == status

    asyncio.run(story())


# -- the answer that the browser brings


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ({"iss": "https://evil.example"}, 502, "comes from another issuer (iss): 'https://evil.example'"),
        ({"state": "forged"}, 400, "another state than this browser's sign-in"),
        ({"state": None}, 400, "another state than this browser's sign-in"),
        ({"state": "%C3%A9"}, 400, "another state than this browser's sign-in"),
        ({"code": None}, 400, "the answer has no code"),
        ({"code": None, "error": "access_denied"}, 403, "the provider says 'access_denied'"),
        ({"code": "unknown"}, 400, "the provider takes the code no more"),
        ({"more": "1&more=2"}, 400, "the query has a field twice"),
        ({"more": "&".join(f"f{number}=" for number in range(30))}, 400, "the query has too many fields"),
    ],
)
def test_an_answer_that_is_wrong(tmp_path: Path, answer: dict[str, str | None], status: int, reason: str) -> None:
    """Mixed up, forged, without a code, or with one that the provider does not know."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            await refused(here, await here.sign_in(provider, answer=answer), status, reason)

    asyncio.run(story())


def test_a_provider_that_always_names_itself_must_do_so(tmp_path: Path) -> None:
    """Without the name the answer may be another provider's; with it all is well."""

    async def story() -> None:
        document = {"authorization_response_iss_parameter_supported": True}
        async with python_provider(document=document) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            await refused(here, await here.sign_in(provider), 502, "the answer names no issuer (iss)")
            assert (await here.sign_in(provider, answer={"iss": provider.issuer})).status == 303

    asyncio.run(story())


# -- the address


@pytest.mark.parametrize(
    ("claims", "told", "status", "reason"),
    [
        ({"email_verified": False}, {}, 403, "denies that the address is verified"),
        ({"email_verified": 1}, {}, 403, "denies that the address is verified"),
        ({"email_verified": ...}, {"sub": "person-1"}, 403, "the provider tells no e-mail address"),
        (
            {"email_verified": ...},
            {"sub": "person-1", "email": ANNA},
            403,
            "does not say whether the address is verified",
        ),
        ({"email": ...}, {"sub": "person-1", "email": ANNA}, 403, "does not say whether the address is verified"),
        (
            {"email": ...},
            {"sub": "other", "email": ANNA, "email_verified": True},
            502,
            "speaks of another subject (sub)",
        ),
        ({"email": ...}, {"email": ANNA, "email_verified": True}, 502, "speaks of another subject (sub)"),
        ({"email": "ann\u0000a@example.com"}, {}, 403, "the provider tells no e-mail address"),
        ({"email": "a" * 250 + "@example.com"}, {}, 403, "the provider tells no e-mail address"),
        ({"email": ["anna@example.com"]}, {}, 403, "the provider tells no e-mail address"),
        ({"email": "ben@example.com"}, {}, 403, "no member has the verified address"),
        ({"email": "\u212aim@example.com"}, {}, 403, "no member has the verified address"),
    ],
)
def test_an_address_that_is_not_vouched_for(
    tmp_path: Path, claims: dict[str, Any], told: dict[str, Any], status: int, reason: str
) -> None:
    """It must be verified, of the same subject, and a member's; a letter that only looks like another is another."""

    async def story() -> None:
        async with python_provider(claims=claims, told=told) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            await here.member("kim@example.com", "VIEWER")
            await refused(here, await here.sign_in(provider), status, reason)

    asyncio.run(story())


def test_the_address_may_come_from_userinfo(tmp_path: Path) -> None:
    """For the same subject, with the name."""

    async def story() -> None:
        told = {"sub": "person-1", "email": "ANNA@example.com", "email_verified": True, "name": "Anna"}
        claims = {"email": ..., "email_verified": ..., "name": ...}
        async with python_provider(claims=claims, told=told) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            assert (await here.sign_in(provider)).status == 303
            assert (await here.found()).name == "Anna"

    asyncio.run(story())


def test_strangers_and_unverified_people_learn_nothing_about_members(tmp_path: Path) -> None:
    """An address that is not verified gets the same page, whether it is a member's or not."""

    async def story() -> None:
        async with python_provider() as provider, deployment(tmp_path, provider) as here:
            await here.member()
            pages = []
            for email in (ANNA, "ben@example.com"):
                provider.claims = {"email": email, "email_verified": False}
                pages.append((await here.sign_in(provider)).text)
            assert pages[0] == pages[1]

    asyncio.run(story())


# -- the provider's own answers


async def _huge(_: web.Request) -> web.StreamResponse:
    return web.Response(body=b" " * (outgoing.MOST_BYTES + 1), content_type="application/json")


async def _endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b" " * 65_536)


async def _redirect(_: web.Request) -> web.StreamResponse:
    raise web.HTTPFound("/elsewhere")


async def _no_json(_: web.Request) -> web.StreamResponse:
    return web.Response(text="<html>")


async def _a_list(_: web.Request) -> web.StreamResponse:
    return web.json_response([])


async def _nested(_: web.Request) -> web.StreamResponse:
    return web.Response(text="[" * 100_000)


async def _broken(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def _failing(_: web.Request) -> web.StreamResponse:
    return web.json_response({"error": "server_error\r\nforged line"}, status=500)


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"])
@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (_huge, "answers with more than 262144 bytes"),
        (_endless, "answers with more than 262144 bytes"),
        (_redirect, "answers 302"),
        (_no_json, "answers something that is no JSON object"),
        (_a_list, "answers something that is no JSON object"),
        (_nested, "answers something that is no JSON object"),
        (_broken, "failed: ServerDisconnectedError"),
        (_failing, r"answers 500 (server_error\r\nforged line)"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_an_answer_of_the_provider_that_is_none(tmp_path: Path, path: str, handler: Handler, reason: str) -> None:
    """Whichever endpoint gives it: a page, a line in the log, and no request to anywhere else."""

    async def story() -> None:
        async with python_provider(instead={path: handler}) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            provider.claims = {"email_verified": ...}
            browser = here.browser()
            answer = await browser.get(SIGN_IN)
            if answer.status == 303:
                answer = await browser.get(f"{CALLBACK}?{provider.allow(answer.location)}")
            await refused(here, answer, 502, reason)
            assert "/elsewhere" not in provider.asked_for

    asyncio.run(story())


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token"])
def test_a_provider_that_never_answers(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait has an end; the time of it is shortened here."""
    monkeypatch.setattr(outgoing, "SECONDS", 0.2)

    async def story() -> None:
        async def silent(_: web.Request) -> web.StreamResponse:
            await asyncio.Event().wait()
            raise AssertionError

        async with python_provider(instead={path: silent}) as provider, deployment(tmp_path, provider) as here:
            browser = here.browser()
            answer = await browser.get(SIGN_IN)
            if answer.status == 303:
                answer = await browser.get(f"{CALLBACK}?{provider.allow(answer.location)}")
            await refused(here, answer, 502, "took longer than 0.2 seconds")

    asyncio.run(story())


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"issuer": "https://evil.example"}, "calls itself 'https://evil.example'"),
        ({"issuer": ...}, "calls itself 'None'"),
        ({"token_endpoint": ...}, "the provider's document has no token_endpoint"),
        ({"token_endpoint": "http://198.51.100.1/token"}, "the provider's token_endpoint must begin with https://"),
        ({"jwks_uri": "file:///etc/passwd"}, "the provider's jwks_uri is not a web address"),
        ({"authorization_endpoint": "https://a.example/\r\nX: 1"}, "authorization_endpoint is not a web address"),
        ({"authorization_endpoint": "https://"}, "authorization_endpoint is not a web address"),
        ({"authorization_endpoint": "https://a.example:port/"}, "the provider's authorization_endpoint"),
        ({"userinfo_endpoint": 5}, "the provider's document has no userinfo_endpoint"),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "neither by client_secret_basic nor by"),
    ],
)
def test_a_document_that_is_wrong(tmp_path: Path, document: dict[str, Any], reason: str) -> None:
    """Nobody is sent anywhere by it."""

    async def story() -> None:
        async with python_provider(document=document) as provider, deployment(tmp_path, provider) as here:
            await refused(here, await here.browser().get(SIGN_IN), 502, reason)

    asyncio.run(story())


@pytest.mark.parametrize("keys", [[], [{"kty": "oct", "k": "c2VjcmV0"}], [7], {"kty": "RSA"}, [{"kty": "RSA"}] * 200])
def test_a_key_set_without_a_key(tmp_path: Path, keys: object) -> None:
    """A provider whose signatures nobody can check lets nobody in."""

    async def story() -> None:
        async def key_set(_: web.Request) -> web.StreamResponse:
            return web.json_response({"keys": keys})

        async with python_provider(instead={"/jwks": key_set}) as provider, deployment(tmp_path, provider) as here:
            await refused(here, await here.browser().get(SIGN_IN), 502, "the provider's key set")

    asyncio.run(story())


def test_the_secret_goes_where_the_provider_takes_it(tmp_path: Path) -> None:
    """By the form only where it is not taken in the header."""

    async def story() -> None:
        document = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
        async with python_provider(document=document) as provider, deployment(tmp_path, provider) as here:
            await here.member()
            assert (await here.sign_in(provider)).status == 303

    asyncio.run(story())


def test_only_so_many_wait_for_the_provider(tmp_path: Path) -> None:
    """One more is told to come back, and the others go on."""

    async def story() -> None:
        met, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def slow(_: web.Request) -> web.StreamResponse:
            met.release()
            await go_on.wait()
            return web.json_response(provider.own_document())

        path = "/.well-known/openid-configuration"
        async with python_provider(instead={path: slow}) as provider, deployment(tmp_path, provider) as here:
            asking = [asyncio.create_task(here.browser().get(SIGN_IN)) for _ in range(40)]
            await met.acquire()
            done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
            assert {task.result().status for task in done} == {503}
            while len(done) < 8:
                done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
                done = {task for task in asking if task.done()}
            go_on.set()
            statuses = sorted([(await task).status for task in asking])
            assert statuses == [303] * 32 + [503] * 8

    asyncio.run(story())
