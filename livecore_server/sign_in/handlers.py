"""The pages of signing in, as the host serves them.

    GET /admin/v1/sign-in            -> 303 to the provider, with a sealed cookie
    GET /admin/v1/sign-in/callback   -> 303 to the portal, with a new session
    GET /admin/v1/sign-in/link       -> the same for a development server's one-time link

Every other end is a page for the person and a line in the log for whoever runs the server.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from aiohttp import web

from livecore.access.sessions import LONGEST, SessionOnce, cookie_at, is_secure, session_cookie, token_of
from livecore.access.signing_in import NotAdmitted, sign_in
from livecore.api.requests.http import Response
from livecore.api.requests.prepared import Prepared
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import StoreConflict, Transaction
from livecore.kernel.time import SECOND
from livecore_server.http.host import PageHandler
from livecore_server.http.local import is_local
from livecore_server.sign_in.identity import Identity
from livecore_server.sign_in.one_time_link import LINK_PATH, OneTimeLink
from livecore_server.sign_in.problem_pages import SAFE_HEADERS, SIGN_IN_PATH, problem_page, refused_page
from livecore_server.sign_in.problems import (
    AnotherAccount,
    LinkUnknown,
    LinkWanted,
    NotConfigured,
    NotMember,
    ProviderRefused,
    SignInInterrupted,
    SignInProblem,
    TooManySignIns,
)
from livecore_server.sign_in.return_path import HOME, local_path
from livecore_server.sign_in.state_cookie import LASTS, PendingSignIn, StateCookies
from livecore_server.storage.ports import Executor

if TYPE_CHECKING:
    from livecore_server.sign_in.relying_party import RelyingParty


CALLBACK_PATH: Final = f"{SIGN_IN_PATH}/callback"
_log = logging.getLogger("livecore.sign_in")
_MOST_AT_ONCE: Final = 32
"""How many sign-ins may wait for the provider at a time."""
_MOST_FIELDS: Final = 20
_ATTEMPTS: Final = 4
_WRITE_SECONDS: Final = 10.0
_STATE_COOKIE: Final = "livecore-sign-in"

SignInStep = Callable[[web.BaseRequest, Prepared], Awaitable[Response]]


class SignInHandlers:
    """Signs people in. `origin` is where browsers reach the service; without one it is this machine."""

    def __init__(
        self,
        executor: Executor,
        state_cookies: StateCookies,
        *,
        origin: str | None,
        party: RelyingParty | None = None,
        link: OneTimeLink | None = None,
    ) -> None:
        self._executor = executor
        self._state_cookies = state_cookies
        self._secure = is_secure(origin)
        self._session_cookie = session_cookie(origin)
        self._state_cookie = cookie_at(origin, _STATE_COOKIE)
        self._party = party
        self._link = link
        self._waiting = 0

    def pages(self) -> dict[str, PageHandler]:
        """The pages, by path."""
        found: dict[str, PageHandler] = {
            SIGN_IN_PATH: self._page("host:signIn", self._begin),
            CALLBACK_PATH: self._page("host:signInCallback", self._finish),
        }
        if self._link is not None:
            found[LINK_PATH] = self._page("host:signInLink", partial(self._use, self._link))
        return found

    def _page(self, name: str, step: SignInStep) -> PageHandler:
        async def answer(http: web.BaseRequest, prepared: Prepared) -> Response:
            try:
                return await step(http, prepared)
            except SignInProblem as problem:
                _log.warning(
                    "signing in failed (%s): %s",
                    type(problem).__name__,
                    problem,
                    extra={"request_id": prepared.request_id},
                )
                return self._ended(problem_page(problem))

        return PageHandler(name, answer, refused_page)

    # -- through the provider

    async def _begin(self, _: web.BaseRequest, prepared: Prepared) -> Response:
        if self._party is None:
            raise self._unset()
        fields = _fields(prepared)
        pending = PendingSignIn.begun(os.urandom, local_path(fields.get("return")), prepared.now)
        with self._slot():
            target = await self._party.begin(pending)
        cookie = self._cookie(self._state_cookie, self._state_cookies.seal(pending), LASTS // SECOND)
        return Response(303, (("Location", target), cookie, *SAFE_HEADERS))

    def _unset(self) -> SignInProblem:
        if self._link is None:
            return NotConfigured("no identity provider is configured")
        return LinkWanted("a development server is entered by its link")

    async def _finish(self, http: web.BaseRequest, prepared: Prepared) -> Response:
        party = self._party
        if party is None:
            raise self._unset()
        fields = _fields(prepared)
        pending = self._state_cookies.unseal(token_of(http.headers.get("Cookie"), self._state_cookie), prepared.now)
        pending.require_state(fields.get("state"))
        with self._slot():
            await party.require_issuer(fields.get("iss"))
            if "error" in fields:
                raise ProviderRefused(f"the provider says {fields['error'][:100]!r}")
            if not fields.get("code"):
                raise SignInInterrupted("the answer has no code")
            identity = await party.finish(fields["code"], pending, prepared.now / SECOND)
        return await self._enter(prepared, identity, party.issuer, pending.back_to)

    # -- through the link

    async def _use(self, link: OneTimeLink, http: web.BaseRequest, prepared: Prepared) -> Response:
        if not is_local(http):
            raise LinkUnknown("the sign-in link was opened from another machine, through a proxy, or not as localhost")
        link.use(_fields(prepared).get("token"))
        return await self._enter(prepared, Identity(None, link.email, None), "link", HOME)

    # -- both

    async def _enter(self, prepared: Prepared, who: Identity, through: str, back_to: str) -> Response:
        address, entropy = prepared.request.remote or None, Entropy(prepared.seed)

        def enter(tx: Transaction) -> SessionOnce | NotAdmitted:
            return sign_in(
                tx, who.email, who.name, prepared.now, entropy, through=through, account=who.account, address=address
            )

        once = await self._write(enter)
        if once == "no_member":
            raise NotMember("no member has the verified address")
        if once == "another_account":
            raise AnotherAccount("the verified address is a member's who signs in with another account (iss, sub)")
        _log.info("signed in: %s", once.session.member_id, extra={"request_id": prepared.request_id})
        cookie = self._cookie(self._session_cookie, once.token, LONGEST // SECOND)
        return self._ended(Response(303, (("Location", back_to), cookie, *SAFE_HEADERS)))

    async def _write(self, enter: Callable[[Transaction], SessionOnce | NotAdmitted]) -> SessionOnce | NotAdmitted:
        with suppress(TimeoutError):
            async with asyncio.timeout(_WRITE_SECONDS):
                for _ in range(_ATTEMPTS):
                    with suppress(StoreConflict):
                        return await self._executor.write(DIRECTORY, enter)
        raise Overloaded

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """One of the slots for those who wait for the provider. Raises `TooManySignIns`."""
        if self._waiting >= _MOST_AT_ONCE:
            raise TooManySignIns("too many sign-ins wait for the provider")
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    def _ended(self, response: Response) -> Response:
        """The answer that ends a sign-in: the browser carries it no longer."""
        gone = self._cookie(self._state_cookie, "", 0)
        return Response(response.status, (*response.headers, gone), response.body)

    def _cookie(self, name: str, value: str, seconds: int) -> tuple[str, str]:
        secure = "; Secure" if self._secure else ""
        return "Set-Cookie", f"{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _fields(prepared: Prepared) -> dict[str, str]:
    """The fields of the query. Raises `SignInInterrupted` for a query that no provider and no page of ours makes."""
    try:
        pairs = parse_qsl(prepared.request.query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise SignInInterrupted("the query has too many fields") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise SignInInterrupted("the query has a field twice")
    return fields
