"""Answers the requests below `/portal/`.

    same origin -> session -> address -> studio and game -> the page, or the action and then the page after it

A form of another origin, or of somebody who is not signed in, is refused before it is read. Whoever opens a page without
being signed in is sent to sign in, and comes back to the page. A form is not sent there: browsers would not follow it to an
identity provider elsewhere (`form-action`), and what was typed would be lost unseen.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote

import attrs

from livecore.access.refusals import SameOriginRequired
from livecore.access.sessions import at_unknown_name, require_same_origin
from livecore.api.application import Application
from livecore.api.requests.http import Request, Response
from livecore.api.requests.prepared import Prepared
from livecore.kernel.scope import ENVIRONMENTS
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Millis
from livecore_server.portal.acting import act, act_at_once
from livecore_server.portal.asking import Ask, Asking, Refused
from livecore_server.portal.headers import PAGE_HEADERS
from livecore_server.portal.here import Here, Viewer, enter_game, enter_studio, look
from livecore_server.portal.messages import MessageCookie
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.problems import (
    BadForm,
    Forbidden,
    FormTooLarge,
    NotHere,
    OtherOrigin,
    PortalProblem,
    SignedOut,
    UnknownName,
    WrongMethod,
)
from livecore_server.portal.rendering import prepare, render
from livecore_server.portal.static_files import ASSETS
from livecore_server.portal.views import Action, Following, Route, View, WebPage, find, patterns
from livecore_server.portal.words import counted

_log = logging.getLogger("livecore.portal")
_SIGN_IN: Final = "/admin/v1/sign-in?return="
_SIGN_OUT: Final = "/portal/sign-out"
_SIGNED_OUT: Final = "/portal/signed-out"
_TITLES: Final = {
    400: "This cannot be shown",
    403: "Not allowed",
    404: "Not found",
    408: "The form took too long to arrive",
    409: "Not possible now",
    415: "The form could not be read",
    429: "Too many requests",
}
_PROBLEM: Final = "problem.html"
"""The template of every page about a problem; it is prepared first, since `failed` cannot wait for it."""
_IN_BOTH: Final = frozenset({"studioId", "gameId", "eventKey", "version"})
"""Variables of addresses that mean the same in both environments of a game."""
_READS: Final = ("GET", "HEAD")
_MOST_QUERY_FIELDS: Final = 100


@attrs.define
class _Visit:
    """One request, as far as it has come."""

    request: Request
    request_id: str
    now: Millis = 0
    here: Here | None = None
    area: str = ""


class Portal:
    """The site of the host for all addresses below `/portal`."""

    name = "portal"
    most_body_bytes = 4 * 1024 * 1024

    def __init__(self, application: Application, ask: Ask, routes: Sequence[Route] = ROUTES) -> None:
        self._application = application
        self._ask = ask
        self._routes = patterns(routes)
        self._messages = MessageCookie(application.origin)

    async def enter(self, request: Request) -> Prepared:
        """Begin a request. A form is taken only from a page of this service, and from somebody who is signed in."""
        prepared = self._application.begin(request)
        await prepare(_PROBLEM)
        if request.method in _READS:
            return prepared
        visit = _Visit(request, prepared.request_id)
        prepared.refused = await self._pages_for_problems(visit, self._check(visit, prepared))
        return prepared

    async def answer(self, prepared: Prepared) -> Response:
        """Answer a request; never raises."""
        visit = _Visit(prepared.request, prepared.request_id, prepared.now)
        response = await self._pages_for_problems(visit, self._answer(visit, prepared.visitor))
        assert response is not None  # noqa: S101 - there is a page for everything
        return response

    def failed(self, prepared: Prepared, response: Response) -> Response:
        """The page in place of an error envelope, with which the host refuses a form; the envelope if there is none."""
        visit = _Visit(prepared.request, prepared.request_id)
        try:
            if response.status == FormTooLarge.status:
                return self._render(visit, _page_of(FormTooLarge()))
            return self._refused(visit, Refused(response.status, json.loads(response.body)["error"]))
        except Exception:  # noqa: BLE001 - the host is answering a failure already, and needs an answer
            _log.exception("the page about a failure failed", extra={"request_id": visit.request_id})
            return response

    async def _check(self, visit: _Visit, prepared: Prepared) -> None:
        """Refuse a request that may change something, before its body is read; who looks is known afterwards."""
        request = visit.request
        try:
            require_same_origin(request.method, request.headers, self._application.origin)
        except SameOriginRequired:
            unknown = at_unknown_name(request.headers, self._application.origin)
            raise (UnknownName if unknown else OtherOrigin) from None
        if request.path != _SIGN_OUT:
            prepared.visitor = await look(Asking(self._ask, request, visit.request_id))

    async def _answer(self, visit: _Visit, visitor: object) -> Response:
        request = visit.request
        asset = ASSETS.get(request.path)
        if asset is not None:
            _require_method(request, _READS)
            return asset.answer(request)
        if request.path == "/portal":
            return _see_other("/portal/")
        if request.path == _SIGNED_OUT:
            page = WebPage(template="signed_out.html", title="You are signed out")
            await prepare(page.template)
            return render(page, None)
        asking = Asking(self._ask, request, visit.request_id)
        if request.path == _SIGN_OUT:
            _require_method(request, ("POST",))
            return await _sign_out(asking)
        try:
            viewer = visitor if isinstance(visitor, Viewer) else await look(asking)
        except Refused as refused:
            if refused.status != 401:
                raise
            return _sign_in(request)
        return await self._show(visit, asking, viewer)

    async def _show(self, visit: _Visit, asking: Asking, viewer: Viewer) -> Response:
        request = visit.request
        query = _query_of(request)
        environment = query.get("environment", ENVIRONMENTS[0])
        visit.here = Here(asking, viewer, {}, query, environment, visit.now)
        found = find(self._routes, request.path)
        if found is None or environment not in ENVIRONMENTS:
            raise NotHere
        route, places = found
        visit.area = route.area
        here = enter_studio(attrs.evolve(visit.here, places=places))
        done: WebPage | Response | Following
        if isinstance(route, Action):
            done = await self._act(visit, here, route)
        else:
            visit.here = here = await enter_game(here)
            _require_method(request, _READS)
            done = await route.show(here)
        if isinstance(done, Following):
            return _see_other(done.address, *self._messages.given(done.message))
        if isinstance(done, Response):
            return done
        await prepare(done.template)
        return self._render(visit, done, same=_same_page(route, here))

    async def _act(self, visit: _Visit, here: Here, action: Action) -> WebPage | Response | Following:
        """Do an action; the game of the address is looked for only where a page has to say its name."""
        request, refused = visit.request, None
        if request.method == "POST":
            done = await act_at_once(action, here, request)
            if isinstance(done, Following):
                return done
            refused = done
        visit.here = here = await enter_game(here)
        _require_method(request, (*_READS, "POST"))
        return await act(action, here, request, refused)

    def _render(
        self, visit: _Visit, page: WebPage, *, same: str = "", headers: tuple[tuple[str, str], ...] = ()
    ) -> Response:
        """The answer with a page, which says and takes away the message of the action before it."""
        request = visit.request
        message = self._messages.read(request.headers.get("cookie")) if request.method == "GET" else ""
        return render(
            page,
            visit.here,
            area=visit.area,
            same=same,
            message=message,
            request_id=visit.request_id,
            headers=(*headers, *(self._messages.taken() if message else ())),
        )

    async def _pages_for_problems(self, visit: _Visit, answering: Awaitable[Response | None]) -> Response | None:
        """What comes of it, or a page that says what has gone wrong."""
        try:
            response = await answering
        except PortalProblem as problem:
            response = self._render(visit, _page_of(problem))
        except Refused as refused:
            response = self._refused(visit, refused)
        except Exception:  # noqa: BLE001 - it is logged, and the person gets a page
            _log.exception("a page failed", extra={"request_id": visit.request_id})
            response = self._render(visit, _page_of(PortalProblem()))
        if response is None:
            return None
        return evolve(response, headers=(*response.headers, ("X-Request-Id", visit.request_id)))

    def _refused(self, visit: _Visit, refused: Refused) -> Response:
        problem = _problem_of(refused)
        if problem is not None:
            return self._render(visit, _page_of(problem))
        wait = refused.retry_after
        headers = () if wait is None else (("Retry-After", wait),)
        return self._render(visit, _page_of_refused(visit, refused), headers=headers)


def _require_method(request: Request, allowed: Sequence[str]) -> None:
    if request.method not in allowed:
        raise WrongMethod


def _same_page(route: Route, here: Here) -> str:
    """The page of this address below its game, where both environments have it."""
    if here.game is None or not isinstance(route, View) or not route.variables <= _IN_BOTH:
        return ""
    return here.asking.browser.path.removeprefix(here.of_studio(f"/games/{quote(here.game.game_id, safe='')}"))


def _query_of(request: Request) -> dict[str, str]:
    try:
        pairs = parse_qsl(request.query, errors="strict", max_num_fields=_MOST_QUERY_FIELDS)
    except ValueError:
        raise BadForm from None
    return dict(pairs)


def _see_other(address: str, *headers: tuple[str, str]) -> Response:
    return Response(303, (*PAGE_HEADERS, ("Location", address), *headers))


def _sign_in(request: Request) -> Response:
    return _see_other(_SIGN_IN + quote(_address_of(request), safe=""))


def _address_of(request: Request) -> str:
    """The address of a request, with what is set in it."""
    return f"{request.path}?{request.query}" if request.query else request.path


async def _sign_out(asking: Asking) -> Response:
    try:
        said = await asking("session.signOut", {}, body={})
    except Refused as refused:
        if refused.status != 401:
            raise
        return _see_other(_SIGNED_OUT)
    cookies = [header for header in said.headers if header[0].lower() == "set-cookie"]
    return _see_other(_SIGNED_OUT, *cookies)


def _problem_of(refused: Refused) -> PortalProblem | None:
    """The problem that a refusal comes down to; nothing where the page says what the operation says."""
    if refused.status == 401:
        return SignedOut()
    if refused.code == "permission_denied":
        return Forbidden(str(refused.details.get("permission", "")))
    if refused.code in ("route_not_found", "studio_not_found", "game_not_found"):
        return NotHere()
    return None


def _page_of_refused(visit: _Visit, refused: Refused) -> WebPage:
    again = refused.retry_after is not None and visit.request.method in _READS
    return WebPage(
        template=_PROBLEM,
        title=_TITLES.get(refused.status, PortalProblem.title),
        status=refused.status,
        shown={
            "text": _text_of(visit, refused),
            "permission": "",
            "fields": refused.fields,
            "sign_in": "",
            "again": _address_of(visit.request) if again else "",
        },
    )


def _text_of(visit: _Visit, refused: Refused) -> str:
    """What the operation says, and when to come back."""
    text = refused.message
    if refused.status == 429 and visit.request.method not in _READS:
        text += " Nothing was done."
    if refused.retry_after is not None:
        text += f" Try again in {counted(int(refused.retry_after), 'second')}."
    return text


def _page_of(problem: PortalProblem) -> WebPage:
    permission = problem.permission if isinstance(problem, Forbidden) else ""
    sign_in = _SIGN_IN + quote("/portal/", safe="") if isinstance(problem, SignedOut) else ""
    return WebPage(
        template=_PROBLEM,
        title=problem.title,
        status=problem.status,
        shown={"text": problem.text, "permission": permission, "fields": {}, "sign_in": sign_in, "again": ""},
    )
