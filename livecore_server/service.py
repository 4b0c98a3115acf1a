"""The whole server, put together from its settings: store, executor, application, loops, sender, and listening addresses.

    start    open the store (which brings the schema up to date), prepare every scope, start loops and sender, listen
    drain    readiness says 503 -> no new connections -> requests under way end -> what is only in memory is written -> close

The order of the second line is what makes SIGTERM safe: nobody is cut off within a request, and nothing that somebody was
told is lost.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from livecore.access.directory import Game, all_scopes
from livecore.api.application import Application
from livecore.api.operation import Operation
from livecore.api.operations import OPERATIONS
from livecore.api.upkeep import prepare_scope, system_unit
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.store import Store, Transaction
from livecore.kernel.volatile import Volatile
from livecore_server.callers import Callers, CountryFile
from livecore_server.chance import draw_seed, now_millis
from livecore_server.database import Database, executor_of, open_store, vault_for
from livecore_server.development import development_keys, is_loopback
from livecore_server.exchange import HttpServer
from livecore_server.host import Host, Page
from livecore_server.logs import LogWriter, RequestLog
from livecore_server.loops import DueLoop, FlushLoop
from livecore_server.metrics import Metrics
from livecore_server.pages import METRICS_PATH, metrics_page, own_pages
from livecore_server.readiness import Readiness, StoreWatch
from livecore_server.settings import Settings, parse_address
from livecore_server.shared import SharedVolatile
from livecore_server.webhooks import NetworkRules, Poster, Sender, SenderOptions

__all__ = ["ListenProblem", "Service", "run_until_stopped"]

_log = logging.getLogger("livecore.service")
_BACKLOG: Final = 1024
_LAST_ANSWER_SECONDS: Final = 1.0
"""How long connections may take to send what was answered, once no request is under way."""
_LAST_FLUSH_SECONDS: Final = 10.0


class ListenProblem(Exception):
    """An address cannot be listened on."""


class Service:
    """One server process. `start` and `stop` once each, on a running loop."""

    def __init__(self, settings: Settings, log_writer: LogWriter | None = None) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.volatile: Volatile = SharedVolatile()
        self.addresses: list[str] = []
        """Where the server listens, as URLs; the first is the main one."""
        told = settings.request_log and settings.log_level in {"debug", "info"}
        self._request_log = RequestLog(log_writer) if log_writer is not None and told else None
        self._tasks: list[asyncio.Task[None]] = []
        self._listening: list[tuple[asyncio.Server, HttpServer]] = []

    # -- start

    async def start(self) -> None:
        """Come up. Raises `DatabaseProblem`, `ListenProblem`, `CountryFileProblem`; nothing is left running then."""
        settings = self.settings
        file = None if settings.country_file is None else CountryFile(Path(settings.country_file))
        self._country_file = file
        self._callers = Callers(
            trusted_proxies=settings.trusted_proxies,
            country_header=settings.country_header if settings.trust_country_header else None,
            country_of=None if file is None else file.country,
        )
        store = open_store(settings.database)
        try:
            # Only now: it may make a key file, and a server that found no database leaves nothing behind.
            vault = vault_for(settings.database, settings.vault_key, production=settings.production)
            _refuse_to_expose(store, settings.host)
            _prepare_scopes(store, self.volatile)
        except BaseException:
            store.close()
            raise
        watch = StoreWatch(self.metrics)
        executor = self.executor = executor_of(store, watch)
        self.metrics.queued = lambda: executor.queued
        self.application = self._make_application(store, OPERATIONS)
        rules = NetworkRules(production=settings.production, allowed_networks=settings.networks)
        self._sender = Sender(
            executor,
            vault,
            Poster(rules, now=now_millis),
            now=now_millis,
            volatile=self.volatile,
            options=SenderOptions(breaker_threshold=settings.breaker_threshold),
            observer=self.metrics.webhooks,
        )
        self.readiness = Readiness(executor, watch, now_millis)
        self._due = DueLoop(executor, self.application, self.metrics, self._sender.wake)
        self._flush = FlushLoop(executor, self.application, self.metrics, settings.flush_seconds)
        try:
            await self._listen()
        except BaseException:
            await self._close_connections()
            await executor.close()
            raise
        await self._sender.start()
        self._spawn(self._due.run())
        self._spawn(self._flush.run())
        pulses = self.readiness.pulses = [self._due.pulse, self._flush.pulse, *self._sender.pulses]
        self.metrics.silent_seconds = lambda: {pulse.name: pulse.silent_seconds for pulse in pulses}
        _log.info("listening on %s", ", ".join(self.addresses))

    def _spawn(self, loop: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(loop))

    async def _listen(self) -> None:
        settings = self.settings
        pages = own_pages(self.readiness)
        if settings.metrics and settings.metrics_address is None:
            pages[METRICS_PATH] = metrics_page(self.metrics, local_only=True)
        self._host = self._make_host(self.application, pages)
        await self._open(self._host, settings.host, settings.port)
        if settings.metrics and settings.metrics_address is not None:
            nothing_else = self._make_application(self.application.store, ())
            aside = self._make_host(nothing_else, {METRICS_PATH: metrics_page(self.metrics, local_only=False)})
            await self._open(aside, *parse_address(settings.metrics_address))

    def _make_application(self, store: Store, operations: Sequence[Operation]) -> Application:
        return Application(
            store,
            clock=now_millis,
            seeds=draw_seed,
            volatile=self.volatile,
            limits=self.settings.limits,
            operations=operations,
            quick_dumps=orjson.dumps,
        )

    def _make_host(self, application: Application, pages: dict[str, Page]) -> Host:
        return Host(
            application,
            self.executor,
            metrics=self.metrics,
            callers=self._callers,
            pages=pages,
            request_log=self._request_log,
            body_limit_bytes=self.settings.body_limit_bytes,
            body_seconds=self.settings.body_seconds,
            wrote=self._due.hint,
            emitted=self._sender.wake,
        )

    async def _open(self, host: Host, address: str, port: int) -> None:
        http = HttpServer(host.handle, host.malformed, idle_seconds=self.settings.idle_seconds)
        loop = asyncio.get_running_loop()
        try:
            listening = await loop.create_server(http, address, port, backlog=_BACKLOG)
        except OSError as fault:
            raise ListenProblem(f"cannot listen on {address} port {port}: {fault.strerror or fault}") from fault
        self._listening.append((listening, http))
        bound = listening.sockets[0].getsockname()
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        self.addresses.append(f"http://{shown}:{bound[1]}")

    # -- stop

    async def stop(self) -> None:
        """Drain and close; see the head of this file."""
        self.readiness.draining = True
        _log.info("draining")
        if self.settings.drain_delay_seconds:
            await asyncio.sleep(self.settings.drain_delay_seconds)
        await self._end_requests()
        await self._close_connections()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._sender.stop()
        await self._last_flush()
        await self.executor.close()
        if self._country_file is not None:
            self._country_file.close()
        _log.info("stopped")

    async def _end_requests(self) -> None:
        """Take no new connections, and let requests end, also those whose body is still coming in."""
        for listening, _ in self._listening:
            listening.close()
        self._host.drain()
        try:
            async with asyncio.timeout(self.settings.drain_seconds):
                await self._host.idle.wait()
        except TimeoutError:
            _log.warning("%d requests took longer than --drain-seconds and are cut off", self.metrics.in_progress)

    async def _close_connections(self) -> None:
        for listening, http in self._listening:
            listening.close()
            http.pre_shutdown()
        for _, http in self._listening:
            await http.shutdown(_LAST_ANSWER_SECONDS)

    async def _last_flush(self) -> None:
        try:
            async with asyncio.timeout(_LAST_FLUSH_SECONDS):
                await self._flush.flush()
        except Exception:  # noqa: BLE001 - it is logged, and the rest still closes
            _log.exception("the short memory could not be written; presence and last-seen facts of seconds are lost")


def _refuse_to_expose(store: Database, host: str) -> None:
    """Development keys lie around in files and terminals: with them, only this machine may be listened to."""
    if not is_loopback(host) and store.read(DIRECTORY, lambda tx: development_keys(tx, now_millis())):
        raise ListenProblem(
            f"--host {host} is not a loopback address, and this database has development keys: "
            "revoke them with `livecore keys revoke`, or serve a database made with `livecore init`"
        )


def _prepare_scopes(store: Database, volatile: Volatile) -> None:
    """Give every scope its recurring work: an earlier release may have known less of it."""
    for scope, game in store.read(DIRECTORY, all_scopes):
        store.write(scope, partial(_prepare_scope, game=game, volatile=volatile))


def _prepare_scope(tx: Transaction, game: Game, volatile: Volatile) -> None:
    prepare_scope(system_unit(tx, game, now_millis(), draw_seed(), volatile))


async def run_until_stopped(service: Service, started: Callable[[Service], None] | None = None) -> None:
    """Start, wait for SIGTERM or SIGINT, drain; a second signal while draining ends the process at once.

    `started` is called when the server listens.
    """
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    # Before the start: whoever reads that we listen may stop us at once.
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    try:
        await service.start()
        if started is not None:
            started(service)
        await asked.wait()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    await service.stop()
