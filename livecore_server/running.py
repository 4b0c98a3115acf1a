"""Runs a server's process: its event loop, garbage collection, signals and log."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from livecore_server.http.listening import Listeners
from livecore_server.logs import configure_logging
from livecore_server.scratch_folders import remove_left_behind
from livecore_server.service import Service
from livecore_server.settings import Settings
from livecore_server.sign_in.one_time_link import OneTimeLink
from livecore_server.signals import RELOADING, STOPPING, TERMINAL_CLOSED, called_by_signals
from livecore_server.stopping import leave, leave_in_time
from livecore_server.storage.database import is_postgres

_SWITCH_SECONDS: Final = 0.001
"""How long a thread that parses a long body may delay the event loop each time (the interpreter's switch interval)."""
_log = logging.getLogger("livecore.service")


def new_loop(*, watches: bool = True) -> asyncio.AbstractEventLoop:
    """The faster event loop, if it is available: not on Windows.

    The usual loop of Windows serves any number of connections and watches no sockets for others. The one that `watches`
    serves about five hundred.
    """
    if sys.platform == "win32" and watches:
        return asyncio.SelectorEventLoop()
    if find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = import_module("uvloop").new_event_loop()
    return loop


def settle_process() -> None:
    """Tune the interpreter for a server: one thread that callers wait for, and many objects that stay in memory.

    With the defaults, full garbage collections stop a busy server for tens of milliseconds at a time, because they visit
    the rows in caches. And the event loop's thread waits five milliseconds each time while other threads parse long bodies.
    Young objects are collected often all the same: a cycle may hold a long text that a caller has sent.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 5_000)


def run_service(
    settings: Settings,
    started: Callable[[Service], None] = lambda _: None,
    listeners: Listeners | None = None,
    *,
    reloads: bool = True,
    link: OneTimeLink | None = None,
    report: Callable[[str], None] | None = None,
    ends_process: bool = True,
) -> None:
    """Run a server in this process until it ends; `started` is called when it listens, `report` as `Service` says.

    Unless somebody says that the process goes on, it must end afterwards: it is killed where a thread hangs.

    A service manager asks for a reload by SIGHUP. One process cannot reload, so it only writes a line to the log. Without
    `reloads`, SIGHUP means that the terminal was closed, and it stops the server.
    """
    writer = configure_logging(settings.log_format, settings.log_level)

    def listening(service: Service) -> None:
        _log.info("listening on %s", ", ".join(service.addresses))
        if link is None:
            service.production.log(settings)
        settle_process()
        started(service)

    try:
        remove_left_behind(settings.database)
        # The connections of PostgreSQL are sockets that the loop has to watch.
        loop_factory = partial(new_loop, watches=is_postgres(settings.database))
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            service = Service(settings, writer, listeners=listeners, link=link, report=report)
            if not runner.run(run_until_stopped(service, listening, reloads=reloads)):
                leave(writer)
            if ends_process:
                leave_in_time(writer)
    finally:
        writer.close()


async def run_until_stopped(service: Service, started: Callable[[Service], None], *, reloads: bool) -> bool:
    """Start, wait for SIGTERM or SIGINT, drain; returns what `Service.stop` does.

    A second signal while draining ends the process at once.
    """
    asked = asyncio.Event()
    refused = dict.fromkeys(RELOADING if reloads else (), _refuse_to_reload)
    stopping = dict.fromkeys(STOPPING if reloads else (*STOPPING, *TERMINAL_CLOSED), asked.set)
    with called_by_signals(refused):  # while it drains too: a service manager may ask for a reload at any moment
        # Before the start: another program may stop the server as soon as it reads that it listens.
        with called_by_signals(stopping):
            await service.start()
            started(service)
            await asked.wait()
        return await service.stop()


def _refuse_to_reload() -> None:
    _log.warning("SIGHUP: nothing to reload with one process; use --workers 2, or restart")
