"""The host: from an HTTP request to the application and back, with reads at once and writes in grouped commits.

    request -> prepare (route, key, rate limit) -> body -> arguments -> run (now, or in the next commit) -> answer -> note

A request is admitted before its body is read, so unauthenticated callers cannot make the server hold large bodies. Every
answer comes from the application, including the envelope. The host decides when to call it, and handles only its own pages,
broken connections, an overloaded store and unexpected exceptions.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Protocol

import attrs
import orjson
from aiohttp import web

from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Request, Response, opens_page, with_body
from livecore.api.requests.prepared import Prepared
from livecore.kernel.errors import BodyTooLarge, InternalError, MalformedRequest, MethodNotAllowed, Refusal
from livecore_server.http.client_address import ClientAddresses
from livecore_server.http.cors import Cors
from livecore_server.http.dispatch import AT_ONCE_BYTES, Dispatch
from livecore_server.http.exchange import Answer, check_announced, read_body
from livecore_server.http.head_limits import HeadTooLong
from livecore_server.http.pieces import PiecedAnswer, PiecedResponse
from livecore_server.http.repeated_headers import repeated_header
from livecore_server.http.streams import OpenStream, StreamAnswer, Streams
from livecore_server.logs import RequestLine, RequestLog
from livecore_server.metrics import Metrics

_log = logging.getLogger("livecore.host")


@attrs.frozen
class Probe:
    """The handler of `GET` on one of the host's own paths; `name` is its operation in logs and metrics."""

    name: str
    answer: Callable[[web.BaseRequest], Awaitable[Response]]


class Site(Protocol):
    """A part of the paths that the application does not answer itself: all that begins with one first segment."""

    name: str
    """Its operation in logs and metrics."""
    most_body_bytes: int
    """The largest body that it takes."""

    async def enter(self, request: Request) -> Prepared:
        """Begin a request before its body is read, so that strangers cannot have bodies held. May raise `Refusal`.

        If the request is refused already, the answer is in `refused`.
        """

    async def answer(self, prepared: Prepared) -> Response:
        """Answer a request, which has its body now. May raise `Refusal`."""

    def failed(self, prepared: Prepared, response: Response) -> Response:
        """What the site answers in place of an error envelope of the host, such as for a body that is too large."""


@attrs.frozen
class PageHandler:
    """The handler of `GET` on a path for people, whose callers are counted by address, apart from those who open none.

    `failed` turns an error envelope into a page.
    """

    name: str
    answer: Callable[[web.BaseRequest, Prepared], Awaitable[Response]]
    failed: Callable[[Response], Response]


class Host:
    """Answers the requests of one listening address.

    `refused` is called for each request that is refused, with the answer.
    """

    def __init__(
        self,
        dispatch: Dispatch,
        *,
        metrics: Metrics,
        client_addresses: ClientAddresses | None = None,
        cors: Cors | None = None,
        probes: Mapping[str, Probe] | None = None,
        pages: Mapping[str, PageHandler] | None = None,
        sites: Mapping[str, Site] | None = None,
        streams: Streams | None = None,
        request_log: RequestLog | None = None,
        body_limit_bytes: int = 8 * 1024 * 1024,
        body_seconds: float = 30.0,
        refused: Callable[[Prepared], None] = lambda _: None,
    ) -> None:
        self._dispatch = dispatch
        self._application = dispatch.application
        self._executor = dispatch.executor
        self._metrics = metrics
        self._client_addresses = client_addresses or ClientAddresses()
        self._cors = cors
        self._probes = dict(probes or {})
        self._pages = dict(pages or {})
        self._sites = dict(sites or {})
        self._streams = streams
        self._request_log = request_log
        self._body_limit_bytes = body_limit_bytes
        self._body_seconds = body_seconds
        self._refused = refused
        self._closing = self._draining = False
        self._under_way = 0
        """The requests of this host; the metrics count those of all hosts together."""
        self.idle = asyncio.Event()
        """Set when, after `drain`, no request is under way."""

    def close_connections(self) -> None:
        """Close each connection with its next answer from now on."""
        self._closing = True

    def drain(self) -> None:
        """The same, and set `idle` as soon as no request is under way."""
        self._closing = self._draining = True
        self._note_idle()

    def _note_idle(self) -> None:
        if not self._under_way:
            self.idle.set()

    async def handle(self, http: web.BaseRequest) -> web.StreamResponse:
        """Answer a request; called by aiohttp."""
        self._begin()
        started = time.perf_counter()
        try:
            target = http.raw_path
            path, _, query = (target if target[:1] == "/" else _origin_form(target)).partition("?")
            fault = repeated_header(http.headers, self._client_addresses.headers)
            if fault is not None:
                return await self._refuse_unread(http, fault, started)
            probe = self._probes.get(path)
            if probe is not None:
                return await self._answer_probe(http, probe, started)
            address = self._client_addresses.address(http)
            countries = self._client_addresses.countries(http, address)
            page = self._pages.get(path)
            opens = page is not None and opens_page(http.headers)
            request = Request(http.method, path, query, http.headers, b"", address, countries, opens_page=opens)
            site = self._sites.get(path[1:].partition("/")[0]) if self._sites else None
            if site is not None:
                return await self._answer_site(http, request, site, started)
            if self._cors is not None and self._cors.is_preflight(request):
                return await self._answer_preflight(http, request, self._cors, started)
            if page is not None:
                return await self._answer_page(http, request, page, started)
            prepared = await self._dispatch.prepare(request)
            response = prepared.refused
            if response is None:
                streams = self._streams
                if streams is not None and prepared.operation is not None and prepared.operation.messages:
                    return await self._stream(http, prepared, streams, started)
                response = await self._run(http, prepared)
            else:
                self._refused(prepared)
            return self._finish(http, prepared, response, started)
        finally:
            self._end()

    # -- the application

    async def _run(self, http: web.BaseRequest, prepared: Prepared) -> Response:
        try:
            if http.body_exists:
                await self._attach_body(http, prepared)
            with self._dispatch.waiting(prepared):
                await self._dispatch.read(prepared)
                return await self._dispatch.run(prepared)
        except Refusal as refusal:
            # Without the traceback there is no reference cycle between frames, future and refusal, so the body is freed
            # with its answer and not by a later garbage collection.
            return await self._refuse(prepared, refusal.bare())
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            return self._dispatch.fail(prepared)

    async def _refuse(self, prepared: Prepared, refusal: Refusal) -> Response:
        response = prepared.refused = await self._dispatch.refuse(prepared, refusal)
        self._refused(prepared)
        return response

    async def _stream(
        self, http: web.BaseRequest, prepared: Prepared, streams: Streams, started: float
    ) -> web.StreamResponse:
        """Open a stream; a failure before that is answered as for any request."""
        try:
            if http.body_exists:
                await self._attach_body(http, prepared)
            await self._dispatch.read(prepared)
            opened = await streams.open(prepared)
        except Refusal as refusal:
            return self._finish(http, prepared, await self._refuse(prepared, refusal.bare()), started)
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            return self._finish(http, prepared, self._dispatch.fail(prepared), started)
        operation = _name_of(prepared)
        self._count(prepared, operation, opened.response.status, time.perf_counter() - started)
        headers = opened.response.headers
        if self._cors is not None:
            headers += self._cors.headers(prepared.request)

        def ended(stream: OpenStream) -> None:
            self._metrics.stream_ended(stream.ending)
            seconds, status = time.perf_counter() - started, stream.response.status
            self._log(prepared, operation, status, seconds, messages=stream.sent, ending=stream.ending)

        return StreamAnswer(opened, headers, streams, ended).response

    async def _attach_body(self, http: web.BaseRequest, prepared: Prepared) -> None:
        operation = prepared.operation
        most = self._body_limit_bytes
        if operation is not None and operation.most_body_bytes < most:
            most = operation.most_body_bytes
        check_announced(http, most)
        waits = not http.content.is_eof()
        if waits and operation is not None and operation.credential == "player" and _is_long(http):
            # A client key is public: without this check, anybody with one could make the server hold bodies.
            await self._executor.read(prepared.scope, partial(self._application.admit, prepared))
        body = await read_body(http, most, self._body_seconds)
        prepared.request = with_body(prepared.request, body)
        if waits:
            # The body may have taken long to arrive, so the time of the request is the time now.
            prepared.now = self._application.clock()

    async def _refuse_unread(self, http: web.BaseRequest, fault: Refusal, started: float) -> web.StreamResponse:
        """Refuse a request before anything of it is looked at, so on every path in the same form; it counts by address."""
        request = Request(http.method, "", "", http.headers, b"", self._client_addresses.address(http))
        prepared = await self._dispatch.enter(request, self._application.meet)
        response = prepared.refused
        if response is None:
            response = refuse(prepared, fault)
        else:
            self._refused(prepared)
        return self._finish(http, prepared, response, started)

    # -- the way out

    def _finish(
        self, http: web.BaseRequest, prepared: Prepared, response: Response, started: float, name: str = "none"
    ) -> web.StreamResponse:
        operation = _name_of(prepared, name)
        seconds = time.perf_counter() - started
        self._count(prepared, operation, response.status, seconds)
        self._log(prepared, operation, response.status, seconds)
        keep_alive, most_seconds = not self._closing, self._body_seconds
        headers = response.headers
        if self._cors is not None:
            headers += self._cors.headers(prepared.request)
        if isinstance(response, PiecedResponse):
            return self._in_pieces(response, headers)
        answer = Answer(http, response.status, headers, response.body, keep_alive=keep_alive, most_seconds=most_seconds)
        return answer.response

    def _in_pieces(self, response: PiecedResponse, headers: tuple[tuple[str, str], ...]) -> web.StreamResponse:
        """An answer that is made while it is sent, so its request is under way until then."""
        self._begin()
        return PiecedAnswer(response, headers, most_seconds=self._body_seconds, ended=self._end).response

    def _begin(self) -> None:
        self._metrics.in_progress += 1
        self._under_way += 1

    def _end(self) -> None:
        self._metrics.in_progress -= 1
        self._under_way -= 1
        if self._draining:
            self._note_idle()

    def _count(self, prepared: Prepared, operation: str, status: int, seconds: float) -> None:
        self._metrics.answered(operation, status, seconds)
        if prepared.key is not None:
            self._metrics.asked_by(prepared.sdk)

    def _log(
        self,
        prepared: Prepared,
        operation: str,
        status: int,
        seconds: float,
        *,
        messages: int | None = None,
        ending: str | None = None,
    ) -> None:
        if self._request_log is None:
            return
        self._request_log.answered(
            RequestLine(
                at=time.time(),
                request_id=prepared.request_id,
                operation=operation,
                status=status,
                seconds=seconds,
                key_prefix=prepared.key.prefix if prepared.key is not None else "",
                sdk=prepared.sdk,
                address=prepared.request.remote,
                messages=messages,
                ending=ending,
            )
        )

    async def _answer_preflight(
        self, http: web.BaseRequest, request: Request, cors: Cors, started: float
    ) -> web.StreamResponse:
        prepared = await self._dispatch.enter(request, self._application.meet)
        response = prepared.refused
        if response is None:
            response = cors.answer(prepared.request_id, prepared.headers)
        else:
            self._refused(prepared)
        return self._finish(http, prepared, response, started, "preflight")

    async def _answer_site(
        self, http: web.BaseRequest, request: Request, site: Site, started: float
    ) -> web.StreamResponse:
        prepared = self._application.begin(request)
        try:
            prepared = await site.enter(request)
            response = prepared.refused
            if response is None:
                if http.body_exists:
                    most = min(site.most_body_bytes, self._body_limit_bytes)
                    check_announced(http, most)
                    body = await read_body(http, most, self._body_seconds)
                    prepared.request = with_body(prepared.request, body)
                response = await site.answer(prepared)
            else:
                self._refused(prepared)
        except Refusal as refusal:
            response = site.failed(prepared, refuse(prepared, refusal.bare()))
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            response = site.failed(prepared, self._dispatch.fail(prepared))
        if response.header("X-Request-Id") is None:
            headers = (*response.headers, ("X-Request-Id", prepared.request_id))
            response = Response(response.status, headers, response.body)
        return self._finish(http, prepared, response, started, site.name)

    async def _answer_probe(self, http: web.BaseRequest, probe: Probe, started: float) -> web.StreamResponse:
        prepared = self._application.begin(
            Request(http.method, "", "", http.headers, b"", self._client_addresses.address(http))
        )
        try:
            response = await self._ask_probe(http, probe)
        except Refusal as refusal:
            response = refuse(prepared, refusal)
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            response = self._dispatch.fail(prepared)
        else:
            headers = (*response.headers, ("X-Request-Id", prepared.request_id))
            response = Response(response.status, headers, response.body)
        return self._finish(http, prepared, response, started, probe.name)

    @staticmethod
    async def _ask_probe(http: web.BaseRequest, probe: Probe) -> Response:
        _require_bare(http, ("GET", "HEAD"))
        return await probe.answer(http)

    async def _answer_page(
        self, http: web.BaseRequest, request: Request, page: PageHandler, started: float
    ) -> web.StreamResponse:
        prepared = await self._dispatch.enter(request, self._application.meet)
        if prepared.refused is None:
            response = await self._ask_page(http, page, prepared)
        else:
            self._refused(prepared)
            response = page.failed(prepared.refused)
        headers = (*response.headers, ("X-Request-Id", prepared.request_id))
        return self._finish(http, prepared, Response(response.status, headers, response.body), started, page.name)

    async def _ask_page(self, http: web.BaseRequest, page: PageHandler, prepared: Prepared) -> Response:
        try:
            # A `HEAD` may be anybody's look at a link, and must use up nothing.
            _require_bare(http, ("GET",))
            return await page.answer(http, prepared)
        except Refusal as refusal:
            return page.failed(refuse(prepared, refusal.bare()))
        except Exception:  # noqa: BLE001 - it is logged, and the caller gets an answer
            return page.failed(self._dispatch.fail(prepared))

    def malformed(self, http: web.BaseRequest, status: int, fault: BaseException | None) -> Answer:
        """Answer malformed requests, and failures inside aiohttp."""
        request_id = self._application.begin(Request(http.method, "")).request_id
        if status < 500:
            refusal: Refusal = MalformedRequest(fault.message if isinstance(fault, HeadTooLong) else None)
        else:
            _log.error("a connection failed", exc_info=fault, extra={"request_id": request_id})
            refusal = InternalError(request_id=request_id)
        self._metrics.answered("none", refusal.status, 0.0)
        headers = (("Content-Type", "application/json"), ("X-Request-Id", request_id))
        body = orjson.dumps(refusal.envelope())
        return Answer(http, refusal.status, headers, body, keep_alive=False, most_seconds=self._body_seconds)


def _require_bare(http: web.BaseRequest, methods: tuple[str, ...]) -> None:
    """Check that a request has one of these methods and no body."""
    if http.method not in methods:
        refusal = MethodNotAllowed()
        refusal.headers["Allow"] = "GET"
        raise refusal
    if http.body_exists:
        raise BodyTooLarge(limit_bytes=0)


def _name_of(prepared: Prepared, otherwise: str = "none") -> str:
    """The request's operation, in logs and metrics."""
    return otherwise if prepared.operation is None else prepared.operation.id


def _is_long(http: web.BaseRequest) -> bool:
    """Whether the announced body is longer than a few KiB, or of unknown length."""
    length = http.content_length
    return length is None or length > AT_ONCE_BYTES


def _origin_form(target: str) -> str:
    """The path and query of a request whose target is a whole URL, as for proxies."""
    _, colon, rest = target.partition("://")
    return "/" + rest.partition("/")[2] if colon else target
