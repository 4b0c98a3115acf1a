"""An identity provider in Python that does as it should, except for what a test has it do otherwise."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

import attrs
from aiohttp import web
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from tests.sign_in.browser import asked

CLIENT_ID = "livecore at work"
CLIENT_SECRET = "a secret: with + signs"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
SigningKey = RSAKey | ECKey | OKPKey | OctKey


def rsa_key(kid: str) -> RSAKey:
    """A new key that names itself."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@cache
def _usual_key() -> RSAKey:
    """The key of every provider that is given no other: to make one costs more than most sign-ins."""
    return rsa_key("one")


@attrs.define(eq=False)
class PythonProvider:
    """The provider; each attribute may be changed by a test."""

    issuer: str = ""
    key: SigningKey = attrs.Factory(_usual_key)
    published: list[dict[str, Any]] | None = None
    """The keys of the key set, if they are not just the signing key."""
    algorithm: str = "RS256"
    header: dict[str, Any] = attrs.Factory(dict)
    document: dict[str, Any] = attrs.Factory(dict)
    claims: dict[str, Any] = attrs.Factory(dict)
    """Claims in place of its own; one that is `...` is left out."""
    tokens: dict[str, Any] = attrs.Factory(dict)
    told: dict[str, Any] = attrs.Factory(dict)
    """What the userinfo endpoint says."""
    instead: dict[str, Handler] = attrs.Factory(dict)
    """Handlers in place of its own, by path."""
    asked_for: list[str] = attrs.Factory(list)
    """The paths that were asked for, in order."""
    codes: dict[str, dict[str, str]] = attrs.Factory(dict)
    id_token: Callable[[dict[str, Any]], str] | None = None

    def allow(self, location: str, **answer: str | None) -> str:
        """The person agrees: gives the query with which the browser goes back. `answer` changes fields of it."""
        fields = asked(location)
        code = f"code-{len(self.asked_for)}"
        self.codes[code] = fields
        given: dict[str, str | None] = {"code": code, "state": fields["state"], **answer}
        return "&".join(f"{name}={value}" for name, value in given.items() if value is not None)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer any request."""
        path = request.path
        self.asked_for.append(path)
        if path in self.instead:
            return await self.instead[path](request)
        if path == "/.well-known/openid-configuration":
            return web.json_response(self.own_document())
        if path == "/jwks":
            return web.json_response({"keys": self.published or [self.key.as_dict(private=False)]})
        if path == "/token":
            return await self._token(request)
        if path == "/userinfo":
            assert request.headers["Authorization"] == "Bearer access-1"
            return web.json_response(self.told)
        return web.Response(status=404)

    def own_document(self) -> dict[str, Any]:
        """The document of its discovery."""
        return _with(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize?tenant=1",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "userinfo_endpoint": f"{self.issuer}/userinfo",
            },
            self.document,
        )

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        fields = self.codes.pop(str(form["code"]), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(str(form["code_verifier"]).encode()).digest()).rstrip(b"=")
        if fields is None or fields["code_challenge"] != challenge.decode() or not self._knows(request, form):
            return web.json_response({"error": "invalid_grant"}, status=400)
        now = int(time.time())
        own = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "sub": "person-1",
            "iat": now,
            "exp": now + 300,
            "nonce": fields["nonce"],
            "email": "Anna@example.com",
            "email_verified": True,
            "name": "Anna\u202e Lund\n",
        }
        claims = _with(own, self.claims)
        token = self.signed(claims) if self.id_token is None else self.id_token(claims)
        return web.json_response(
            _with({"access_token": "access-1", "token_type": "Bearer", "id_token": token}, self.tokens)
        )

    def _knows(self, request: web.Request, form: Any) -> bool:  # noqa: ANN401 - aiohttp's form
        if "client_secret" in form:
            return (form["client_id"], form["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        scheme, _, text = request.headers["Authorization"].partition(" ")
        name, _, secret = base64.b64decode(text).decode().partition(":")
        return (scheme, unquote_plus(name), unquote_plus(secret)) == ("Basic", CLIENT_ID, CLIENT_SECRET)

    def signed(self, claims: dict[str, Any]) -> str:
        """A token with these claims."""
        kid = {} if self.key.kid is None else {"kid": self.key.kid}
        header = _with({"alg": self.algorithm, "typ": "JWT", **kid}, self.header)
        registry = jws.JWSRegistry(algorithms=[self.algorithm], strict_check_header=False)
        payload = web.json_response(claims).body
        assert isinstance(payload, bytes)
        return jws.serialize_compact(header, payload, self.key, [self.algorithm], registry)


def _with(own: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**own, **changes}.items() if value is not ...}


@asynccontextmanager
async def python_provider(**attributes: Any) -> AsyncIterator[PythonProvider]:  # noqa: ANN401 - any of them
    """A provider on a free port of this machine."""
    provider = PythonProvider(**attributes)
    server = web.Server(provider.answer)  # type: ignore[arg-type] # a request of this server is what a handler takes
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    provider.issuer = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        await runner.cleanup()
