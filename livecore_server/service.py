"""The whole server, built from its settings: store, executor, application, loops, sender, and listening addresses.

    start    open the store (which brings the schema up to date), write to it, prepare every scope, start loops and sender,
             listen
    drain    readiness says 503, and each answer closes its connection -> no new connections -> requests under way end ->
             the ephemeral state is flushed -> the last notices are sent -> close

This order of draining makes SIGTERM safe: no request is cut off, and nothing that a caller got as an answer is lost. A
worker that another one replaces drains in a slightly different way, so that callers do not notice it: readiness stays `ok`,
and each connection that is kept alive gets one more answer, which announces that it will be closed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation
from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Store
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.leaderboards.ranking.rankings import PAGE_ROWS, Rankings
from livecore.leaderboards.ranking_source import live_boards
from livecore_server.assistants.site import AssistantSite
from livecore_server.background.loops import DueLoop, FlushLoop
from livecore_server.background.rankings import RankingLoop
from livecore_server.background.rankings_in_use import RankingsInUse
from livecore_server.background.webhooks import NetworkRules, Poster, Sender, SenderOptions
from livecore_server.background.webhooks.backlogs import BacklogLoop
from livecore_server.http.client_address import ClientAddresses, CountryFile
from livecore_server.http.cors import Cors
from livecore_server.http.dispatch import Dispatch
from livecore_server.http.exchange import HttpServer
from livecore_server.http.host import Host, PageHandler, Probe, Site
from livecore_server.http.listening import BACKLOG, Listeners, open_listeners, stop_listening
from livecore_server.http.probes import METRICS_PATH, metrics_probe, own_probes
from livecore_server.http.rate_limit_warning import BucketWatch
from livecore_server.http.streams import Streams
from livecore_server.known_request import expect_reads
from livecore_server.logs import LogWriter, RequestLog, log_stopped
from livecore_server.metrics import Metrics
from livecore_server.portal import Portal
from livecore_server.portal import prepare_all as prepare_pages
from livecore_server.prepared import prepared_database
from livecore_server.production import production_of
from livecore_server.readiness import Readiness, StoreWatch
from livecore_server.running_store import Carrier, run_store
from livecore_server.settings import Settings
from livecore_server.sign_in.assembly import sign_in_pages
from livecore_server.sign_in.front_page import FRONT_PAGE
from livecore_server.sign_in.one_time_link import OneTimeLink
from livecore_server.sign_in.outgoing import Outgoing
from livecore_server.stopping import StopSteps
from livecore_server.storage.database import (
    Database,
    is_postgres,
    left_in_log_of,
    log_bytes_of,
)
from livecore_server.system import draw_seed, now_millis
from livecore_server.vault import KeyVault
from livecore_server.waiting import wait_for_event

if TYPE_CHECKING:
    from livecore_server.workers.sharing import Shared


_log = logging.getLogger("livecore.service")
_ROWS_ASIDE: Final = 5_000
"""How many rows of a leaderboard are read at once beside the event loop."""
_RANKINGS_SECONDS: Final = 10.0
"""How long a server that has started is not ready because it loads the rankings that were in use before."""
_LAST_ANSWER_SECONDS: Final = 1.0
"""How long connections may take to send their last answers, once no request is under way."""
_COUNTS_SECONDS: Final = 1.0
"""How often a worker publishes its metrics to the others."""
_CONNECTIONS_SECONDS: Final = 0.05
"""How often a draining server checks its connections."""
_FIRST_REQUEST_SECONDS: Final = 1.0
"""How long a draining server waits for the first request of a new connection."""


class Service:
    """One server process. `start` and `stop` once each, on a running loop.

    It listens on `listeners`, or else on the addresses of the settings. `shared` is what it shares with other workers on
    this machine, if there are any. `link` lets somebody sign in without an identity provider, on this machine. `report` gets
    the sentences that an operator should act on, which otherwise go into the log.
    """

    def __init__(
        self,
        settings: Settings,
        log_writer: LogWriter | None = None,
        *,
        listeners: Listeners | None = None,
        shared: Shared | None = None,
        operations: Sequence[Operation] = OPERATIONS,
        areas: Areas = AREAS,
        link: OneTimeLink | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.settings = settings
        self._link = link
        self._report = report
        self._outgoing = Outgoing()
        self._listeners = listeners
        self._owns_socket = listeners is None
        """Whether no other process listens on the same socket."""
        self._operations = operations
        self._areas = areas
        self._shared = shared
        self.metrics = Metrics()
        if log_writer is not None:
            self.metrics.dropped_lines = lambda: log_writer.dropped_lines
        self.ephemeral = EphemeralState()
        """The ephemeral state; after `start` the one that is shared with other processes, if there are any."""
        self.carrier: Carrier | None = None
        """Carries notices to and from the other processes of the database, if there can be any."""
        self.addresses: list[str] = []
        """Where the server listens, as URLs; the first is the main one."""
        logged = settings.request_log and settings.log_level in {"debug", "info"}
        self._request_log = (
            RequestLog(log_writer, settings.request_log_addresses) if log_writer is not None and logged else None
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._carrying: asyncio.Task[None] | None = None
        self._listening: list[tuple[asyncio.Server, socket.socket, HttpServer]] = []
        self._dispatches: list[Dispatch] = []
        self._hosts: list[Host] = []

    # -- start

    async def start(self) -> None:
        """Start. Raises `DatabaseProblem`, `ListenProblem`, `CountryFileProblem`, and then leaves nothing running."""
        self._find_addresses()
        hosts = [self.settings.host] if self._listeners is None else self._listeners.hosts
        self.production = production_of(self.settings, hosts)
        # The supervisor of several workers has told it once for all of them.
        tell = self._tell if self._shared is None else None
        store, vault = prepared_database(self.settings, hosts, self.ephemeral, tell)
        self._open_executor(store)
        self._make_parts(store, vault)
        try:
            await prepare_pages()
            await self._listen()
        except BaseException:
            await self._close_connections()
            await self.executor.close()
            raise
        await self._begin()

    def _find_addresses(self) -> None:
        """Prepare to find out a caller's address and country. Raises `CountryFileProblem`."""
        settings = self.settings
        file = None if settings.country_file is None else CountryFile(Path(settings.country_file))
        self._country_file = file
        self._client_addresses = ClientAddresses(
            trusted_proxies=settings.trusted_proxies,
            country_header=settings.country_header if settings.trust_country_header else None,
            country_of=None if file is None else file.country,
        )

    def _open_executor(self, store: Database) -> None:
        """Make what runs units of work over a store, and what belongs to it. Raises `DatabaseProblem`."""
        self._watch = StoreWatch(self.metrics)
        running = run_store(store, self._watch, self.settings.queue_limits, self._shared)
        executor = self.executor = running.executor
        self.ephemeral, self.carrier = running.ephemeral, running.carrier
        self.metrics.queued = lambda: executor.queued
        self.metrics.log_bytes = partial(log_bytes_of, self.settings.database)

    def _make_parts(self, store: Database, vault: KeyVault) -> None:
        """Make the application, the sender of webhooks and the loops; none of them runs yet."""
        settings, executor = self.settings, self.executor
        # SQLite reads them beside the loop's thread. What PostgreSQL sends is made into rows on it.
        page_rows = PAGE_ROWS if is_postgres(settings.database) else _ROWS_ASIDE
        self.rankings = Rankings(
            executor.notices, clock=now_millis, tags=lambda: secrets.randbits(32), page_rows=page_rows
        )
        self._rankings_in_use = RankingsInUse(executor, self.rankings, live_boards(self._areas), clock=now_millis)
        self._ranking_loop = RankingLoop(executor, self.rankings, self._rankings_in_use)
        rules = NetworkRules(production=self.production.on, allowed_networks=settings.networks)
        self.application = self._make_application(store, self._operations, vault, rules)
        self._vault = vault
        self.ephemeral.hide_names(vault.derived("names of windows")[0])
        self._sender = Sender(
            executor,
            vault,
            Poster(rules, now=now_millis),
            now=now_millis,
            ephemeral=self.ephemeral,
            options=SenderOptions(breaker_threshold=settings.breaker_threshold, database=settings.database),
            observer=self.metrics.webhooks,
            tell=self._tell,
        )
        self.readiness = Readiness(executor, self._watch, now_millis)
        self._backlogs = BacklogLoop(executor, vault, self.metrics.backlogs)
        self._due = DueLoop(executor, self.application, self.metrics, self._sender.wake)
        self._flush = FlushLoop(executor, self.application, self.metrics, settings.flush_seconds)

    async def _begin(self) -> None:
        """Run all that runs beside the requests."""
        if self._shared is not None:
            self.metrics.expose = self._shared.counts.text
            self._spawn(self._show_counts(self._shared))
        self.executor.notices.failed = _subscriber_failed
        if self.carrier is not None:
            self._carrying = asyncio.create_task(self.carrier.run())
        await self._sender.start()
        self._spawn(self._due.run())
        self._spawn(self._flush.run())
        self._spawn(self._ranking_loop.run())
        self._spawn(self._backlogs.run())
        if wanted := await self._rankings_in_use.noted():
            self.readiness.loading = True
            self._spawn(self._load_rankings(wanted))
        loops = (self._due, self._flush, self._ranking_loop)
        pulses = self.readiness.pulses = [*(loop.pulse for loop in loops), *self._sender.pulses]
        # A server whose figures are late need not be taken out of service.
        watched = [*pulses, self._backlogs.pulse]
        self.metrics.silent_seconds = lambda: {pulse.name: pulse.silent_seconds for pulse in watched}

    async def _load_rankings(self, wanted: Sequence[tuple[Scope, str]]) -> None:
        try:
            if self.carrier is not None:
                # Once it listens, all rankings are dropped, because notices may have been missed before.
                await wait_for_event(self.carrier.listening, _RANKINGS_SECONDS)
            await self._rankings_in_use.load(wanted, _RANKINGS_SECONDS)
        finally:
            self.readiness.loading = False

    def _tell(self, notice: str) -> None:
        """Say what an operator should act on: to whoever runs the service, or else in the log."""
        if self._report is None:
            _log.warning("%s", notice)
        else:
            self._report(notice)

    async def _show_counts(self, shared: Shared) -> None:
        while True:
            shared.counts.show(self.metrics.registry)
            await asyncio.sleep(_COUNTS_SECONDS)

    def _spawn(self, loop: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(loop))

    async def _listen(self) -> None:
        settings = self.settings
        listeners = self._listeners = self._listeners or open_listeners(settings)
        self.addresses = listeners.addresses
        pages = own_probes(self.readiness)
        if settings.metrics and not listeners.metrics:
            pages[METRICS_PATH] = metrics_probe(self.metrics, local_only=True)
        self._streams = Streams(
            self.application,
            self.executor,
            metrics=self.metrics,
            limits=settings.stream_limits,
            loading=self._ranking_loop.wait,
        )
        for_people = sign_in_pages(settings, self.executor, self._vault, self._outgoing, self._link)
        if self._link is not None:
            # Whoever develops on this machine opens the bare address. Elsewhere it is a path like all that do not exist.
            for_people |= {"/": FRONT_PAGE}
        self._host = self._make_host(self.application, pages, self._streams, for_people)
        await self._open(self._host, listeners.main)
        if settings.metrics and listeners.metrics:
            nothing_else = self._make_application(self.application.store, ())
            aside = self._make_host(nothing_else, {METRICS_PATH: metrics_probe(self.metrics, local_only=False)})
            await self._open(aside, listeners.metrics)

    def _make_application(
        self,
        store: Store,
        operations: Sequence[Operation],
        vault: KeyVault | None = None,
        rules: NetworkRules | None = None,
    ) -> Application:
        return Application(
            store,
            clock=now_millis,
            seeds=draw_seed,
            deployment=new_deployment(
                areas=self._areas,
                ephemeral=self.ephemeral,
                rankings=self.rankings,
                retention=self.settings.retention,
                secrets=() if vault is None else vault.derived("player secrets"),
                vault=vault,
                urls=rules,
            ),
            limits=self.settings.limits,
            operations=operations,
            quick_dumps=orjson.dumps,
            origin=self.settings.origin,
            begun=expect_reads if is_postgres(self.settings.database) else None,
        )

    def _make_host(
        self,
        application: Application,
        probes: dict[str, Probe],
        streams: Streams | None = None,
        pages: dict[str, PageHandler] | None = None,
    ) -> Host:
        origins = self.settings.origins
        dispatch = Dispatch(
            application,
            self.executor,
            most_waiting_bytes=self.settings.queue_bytes,
            wrote=self._due.hint,
            emitted=self._sender.wake,
        )
        self._dispatches.append(dispatch)
        # A host without streams is the one for metrics, which serves nothing else.
        sites: dict[str, Site] = {}
        if streams is not None:
            sites = {Portal.name: Portal(application, dispatch.ask), AssistantSite.name: AssistantSite(dispatch)}
        host = Host(
            dispatch,
            metrics=self.metrics,
            client_addresses=self._client_addresses,
            cors=Cors(origins) if origins else None,
            probes=probes,
            pages=pages,
            sites=sites,
            streams=streams,
            request_log=self._request_log,
            body_limit_bytes=self.settings.body_limit_bytes,
            body_seconds=self.settings.body_seconds,
            refused=BucketWatch(self.settings.limits).refused,
        )
        self._hosts.append(host)
        return host

    async def _open(self, host: Host, sockets: Sequence[socket.socket]) -> None:
        http = HttpServer(host.handle, host.malformed, idle_seconds=self.settings.idle_seconds)
        loop = asyncio.get_running_loop()
        for one in sockets:
            # For its copies as well: making one must not change how another process finds the socket that they share.
            one.settimeout(0)
            self._listening.append((await loop.create_server(http.protocol, sock=one, backlog=BACKLOG), one, http))

    # -- stop

    async def stop(self, *, replaced: bool = False) -> bool:
        """Drain and close; see the top of this file. With `replaced`, another worker has already taken over.

        It takes no longer than the drain of the settings and the steps of `livecore_server.stopping`. Returns whether
        everything that the process waits for has ended; otherwise only `stopping.leave` ends it.
        """
        _log.info("draining")
        if not replaced:
            self.readiness.draining = True
            for host in self._hosts:
                host.close_connections()
            await asyncio.sleep(self.settings.drain_delay_seconds)
        await self._end_requests(replaced=replaced)
        steps = StopSteps()
        await steps.take("ending the streams", self._streams.stop())
        await steps.take("closing the connections", self._close_connections())
        await steps.take("ending the background loops", self._end_loops())
        await steps.take("ending the attempts of webhooks", self._sender.stop())
        await steps.take("writing the ephemeral state", self._last_flush())
        # After all that is committed, so that the other processes hear of it.
        await steps.take("sending the last notices", self._end_notices())
        await steps.take("closing connections to the identity provider", self._outgoing.close())
        await steps.take("ending the threads", self._end_threads())
        await steps.take("closing the store", self.executor.close())
        self.ephemeral.close()
        if self._country_file is not None:
            self._country_file.close()
        if self._shared is not None:
            self._shared.counts.show(self.metrics.registry)
            self._shared.close()
        # Of several workers only the supervisor knows which is the last.
        log_stopped(_log, None if self._shared is not None else left_in_log_of(self.settings.database))
        return not {"ending the threads", "closing the store"} & set(steps.cut_off)

    async def _end_loops(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _end_notices(self) -> None:
        if self._carrying is not None:
            self._carrying.cancel()
            await asyncio.gather(self._carrying, return_exceptions=True)

    async def _end_threads(self) -> None:
        for dispatch in self._dispatches:
            await asyncio.to_thread(dispatch.close)

    async def _end_requests(self, *, replaced: bool) -> None:
        """Accept no new connections, and let requests end, also those whose body is still arriving."""
        if replaced:
            for server, _, _ in self._listening:
                server.close()  # what waits in the queue is for the other workers
        else:
            for server, listening, http in self._listening:
                await stop_listening(server, listening, http.protocol, alone=self._owns_socket)
            await self._first_requests()
        for host in self._hosts:
            host.drain()
        self._streams.drain()
        try:
            async with asyncio.timeout(self.settings.drain_seconds):
                while replaced and any(http.connections for _, _, http in self._listening):  # noqa: ASYNC110 - aiohttp does not tell
                    await asyncio.sleep(_CONNECTIONS_SECONDS)
                # A scrape has an address of its own, and nobody waits for it.
                await self._host.idle.wait()
        except TimeoutError:
            if self.metrics.in_progress:
                _log.warning("%d requests took longer than --drain-seconds and are cut off", self.metrics.in_progress)

    async def _first_requests(self) -> None:
        """Wait a moment for the requests of connections that have just been made: to their callers they are under way."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_REQUEST_SECONDS):
                while any(http.expects_first_requests for _, _, http in self._listening):  # noqa: ASYNC110 - aiohttp does not tell
                    await asyncio.sleep(_CONNECTIONS_SECONDS)

    async def _close_connections(self) -> None:
        for server, _, http in self._listening:
            server.close()
            http.pre_shutdown()
        await asyncio.gather(*(http.shutdown(_LAST_ANSWER_SECONDS) for _, _, http in self._listening))

    async def _last_flush(self) -> None:
        try:
            await self._flush.flush()
            self.ephemeral.tidy(now_millis())
        except Overloaded as refused:
            reason = refused.__cause__ or refused
            _log.error("presence and last-seen values of seconds could not be written and are lost: %s", reason)
        except Exception:  # noqa: BLE001 - it is logged, and the rest still closes
            _log.exception(
                "the ephemeral state could not be written; presence and last-seen values of seconds are lost"
            )


def _subscriber_failed(error: Exception) -> None:
    _log.error("a subscriber to notices failed, and gets none any more", exc_info=error)
