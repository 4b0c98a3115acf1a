"""Answers the requests below `/portal/`.

    same origin -> session -> address -> studio and game -> the page, or the action and then the page after it

A form of another origin, or of somebody who is not signed in, is refused before it is read. Whoever opens a page without
being signed in is sent to sign in, and comes back to the page. A form is not sent there: browsers would not follow it to an
identity provider elsewhere (`form-action`), and what was typed would be lost unseen.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote

import attrs

from livecore.access.refusals import SameOriginRequired
from livecore.access.sessions import require_same_origin
from livecore.api.application import Application
from livecore.api.http import Request, Response
from livecore.api.prepared import Prepared
from livecore.kernel.scope import ENVIRONMENTS
from livecore_server.portal.acting import act
from livecore_server.portal.asking import Ask, Asking, Refused
from livecore_server.portal.headers import PAGE_HEADERS
from livecore_server.portal.here import Here, Viewer, arrive, look
from livecore_server.portal.pages import ROUTES
from livecore_server.portal.problems import (
    BadForm,
    Forbidden,
    NotHere,
    OtherOrigin,
    PortalProblem,
    SignedOut,
    WrongMethod,
)
from livecore_server.portal.rendering import render
from livecore_server.portal.static_files import ASSETS
from livecore_server.portal.views import Action, Page, Route, find, patterns

__all__ = ["Portal"]

_log = logging.getLogger("livecore.portal")
_SIGN_IN: Final = "/admin/v1/sign-in?return="
_SIGN_OUT: Final = "/portal/sign-out"
_SIGNED_OUT: Final = "/portal/signed-out"
_TITLES: Final = {
    400: "This cannot be shown",
    403: "Not allowed",
    404: "Not found",
    409: "Not possible now",
    429: "Too many requests",
}
_READS: Final = ("GET", "HEAD")
_MOST_QUERY_FIELDS: Final = 100


@attrs.define
class _Visit:
    """One request, as far as it has come."""

    request: Request
    request_id: str
    here: Here | None = None


class Portal:
    """The site of the host for all addresses below `/portal`."""

    name = "portal"
    most_body_bytes = 4 * 1024 * 1024

    def __init__(self, application: Application, ask: Ask, routes: Sequence[Route] = ROUTES) -> None:
        self._application = application
        self._ask = ask
        self._routes = patterns(routes)

    async def enter(self, request: Request) -> Prepared:
        """Begin a request. A form is taken only from a page of this service, and from somebody who is signed in."""
        prepared = self._application.begin(request)
        if request.method in _READS:
            return prepared
        visit = _Visit(request, prepared.request_id)
        prepared.refused = await _pages_for_problems(visit, self._check(visit))
        return prepared

    async def answer(self, prepared: Prepared) -> Response:
        """Answer a request; never raises."""
        visit = _Visit(prepared.request, prepared.request_id)
        response = await _pages_for_problems(visit, self._answer(visit))
        assert response is not None  # noqa: S101 - there is a page for everything
        return response

    async def _check(self, visit: _Visit) -> None:
        """Refuse a request that may change something, before its body is read."""
        request = visit.request
        try:
            require_same_origin(request.method, request.headers, self._application.origin)
        except SameOriginRequired:
            raise OtherOrigin from None
        if request.path != _SIGN_OUT:
            await look(Asking(self._ask, request, visit.request_id))

    async def _answer(self, visit: _Visit) -> Response:
        request = visit.request
        asset = ASSETS.get(request.path)
        if asset is not None:
            _require_method(request, _READS)
            return asset.answer(request)
        if request.path == "/portal":
            return _see_other("/portal/")
        if request.path == _SIGNED_OUT:
            return render(Page(template="signed_out.html", title="You are signed out"), None)
        asking = Asking(self._ask, request, visit.request_id)
        if request.path == _SIGN_OUT:
            _require_method(request, ("POST",))
            return await _sign_out(asking)
        try:
            viewer = await look(asking)
        except Refused as refused:
            if refused.status != 401:
                raise
            return _sign_in(request)
        return await self._show(visit, asking, viewer)

    async def _show(self, visit: _Visit, asking: Asking, viewer: Viewer) -> Response:
        request = visit.request
        query = _query_of(request)
        environment = query.get("environment", ENVIRONMENTS[0])
        visit.here = Here(asking, viewer, {}, query, environment)
        found = find(self._routes, request.path)
        if found is None or environment not in ENVIRONMENTS:
            raise NotHere
        route, places = found
        visit.here = here = await arrive(attrs.evolve(visit.here, places=places))
        if isinstance(route, Action):
            _require_method(request, (*_READS, "POST"))
            done = await act(route, here, request)
        else:
            _require_method(request, _READS)
            done = await route.show(here)
        if isinstance(done, str):
            return _see_other(done)
        if isinstance(done, Response):
            return done
        return render(done, here, area=route.area, request_id=visit.request_id)


async def _pages_for_problems(visit: _Visit, answering: Awaitable[Response | None]) -> Response | None:
    """What comes of it, or a page that says what has gone wrong."""
    try:
        response = await answering
    except PortalProblem as problem:
        response = _problem_page(visit, problem)
    except Refused as refused:
        response = _refused_page(visit, refused)
    except Exception:  # noqa: BLE001 - it is logged, and the person gets a page
        _log.exception("a page failed", extra={"request_id": visit.request_id})
        response = _problem_page(visit, PortalProblem())
    if response is None:
        return None
    return Response(response.status, (*response.headers, ("X-Request-Id", visit.request_id)), response.body)


def _require_method(request: Request, allowed: Sequence[str]) -> None:
    if request.method not in allowed:
        raise WrongMethod


def _query_of(request: Request) -> dict[str, str]:
    try:
        pairs = parse_qsl(request.query, errors="strict", max_num_fields=_MOST_QUERY_FIELDS)
    except ValueError:
        raise BadForm from None
    return dict(pairs)


def _see_other(address: str, *headers: tuple[str, str]) -> Response:
    return Response(303, (*PAGE_HEADERS, ("Location", address), *headers))


def _sign_in(request: Request) -> Response:
    whole = f"{request.path}?{request.query}" if request.query else request.path
    return _see_other(_SIGN_IN + quote(whole, safe=""))


async def _sign_out(asking: Asking) -> Response:
    try:
        said = await asking("session.signOut", {}, body={})
    except Refused as refused:
        if refused.status != 401:
            raise
        return _see_other(_SIGNED_OUT)
    cookies = [header for header in said.headers if header[0].lower() == "set-cookie"]
    return _see_other(_SIGNED_OUT, *cookies)


def _refused_page(visit: _Visit, refused: Refused) -> Response:
    if refused.status == 401:
        return _problem_page(visit, SignedOut())
    if refused.code == "permission_denied":
        return _problem_page(visit, Forbidden(str(refused.details.get("permission", ""))))
    if refused.code in ("route_not_found", "studio_not_found", "game_not_found"):
        return _problem_page(visit, NotHere())
    page = Page(
        template="problem.html",
        title=_TITLES.get(refused.status, PortalProblem.title),
        status=refused.status,
        shown={"text": refused.message, "permission": "", "fields": refused.fields, "sign_in": ""},
    )
    headers = () if refused.retry_after is None else (("Retry-After", refused.retry_after),)
    return render(page, visit.here, request_id=visit.request_id, headers=headers)


def _problem_page(visit: _Visit, problem: PortalProblem) -> Response:
    permission = problem.permission if isinstance(problem, Forbidden) else ""
    sign_in = _SIGN_IN + quote("/portal/", safe="") if isinstance(problem, SignedOut) else ""
    page = Page(
        template="problem.html",
        title=problem.title,
        status=problem.status,
        shown={"text": problem.text, "permission": permission, "fields": {}, "sign_in": sign_in},
    )
    return render(page, visit.here, request_id=visit.request_id)
