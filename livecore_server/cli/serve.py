"""`livecore serve`: run the server until it is told to stop."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from livecore_server.cli.options import settings_from, settings_options
from livecore_server.logs import configure_logging
from livecore_server.service import Service, run_until_stopped
from livecore_server.settings import Settings

__all__ = ["run_service", "serve"]


@click.command()
@settings_options()
def serve(**values: Any) -> None:  # noqa: ANN401 - the options are those of the table of settings
    """Run the server. SIGTERM or SIGINT drains it and ends it with status 0."""
    run_service(settings_from(values))


def _new_loop() -> asyncio.AbstractEventLoop:
    """The faster event loop, where there is one: there is none on Windows."""
    if find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = import_module("uvloop").new_event_loop()
    return loop


def _settle_memory() -> None:
    """Tell the collector that what is loaded stays, and that rows in caches are not worth a full walk every few seconds.

    With the defaults, full collections of a busy server stop it for tens of milliseconds at a time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 1_000)


def run_service(settings: Settings, started: Callable[[Service], None] | None = None) -> None:
    """Run a server to its end; `started` is called when it listens."""
    writer = configure_logging(settings.log_format, settings.log_level)

    def listening(service: Service) -> None:
        _settle_memory()
        if started is not None:
            started(service)

    try:
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(run_until_stopped(Service(settings, writer), listening))
    finally:
        writer.write_gathered()
