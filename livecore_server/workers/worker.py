"""A worker's program: one server on inherited sockets, which ends when its supervisor asks it to or is gone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Final

from livecore_server.logs import LogWriter, configure_logging
from livecore_server.problem import Problem
from livecore_server.running import new_loop, settle_process
from livecore_server.service import Service
from livecore_server.stopping import leave, leave_in_time
from livecore_server.workers.messages import READY, REPLACED, WorkerConfiguration
from livecore_server.workers.sharing import Shared

_IN: Final = 0
_OUT: Final = 1
_ERROR: Final = 2


def main() -> None:
    """Run a worker with the configuration on standard input; exits with 0 after draining."""
    # A terminal sends these to every process: here the supervisor decides.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    configuration = WorkerConfiguration.parse(line)
    writer = configure_logging(
        configuration.settings.log_format, configuration.settings.log_level, worker=configuration.number
    )
    service = Service(
        configuration.settings,
        writer,
        listeners=configuration.listeners(),
        shared=Shared.within(configuration.folder, configuration.number),
    )
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(service, writer))
    except (Problem, OSError) as problem:
        print(f"livecore: {problem}", file=sys.stderr)  # noqa: T201 - as the program itself does
        sys.exit(problem.status if isinstance(problem, Problem) else 1)
    finally:
        writer.close()


async def _serve(service: Service, writer: LogWriter) -> None:
    loop = asyncio.get_running_loop()
    stopping: asyncio.Future[bool] = loop.create_future()

    def listen_to_supervisor() -> None:
        replaced = os.read(_IN, len(REPLACED)) == REPLACED
        loop.remove_reader(_IN)
        if not stopping.done():
            stopping.set_result(replaced)

    def stop() -> None:
        if not stopping.done():
            stopping.set_result(False)

    loop.add_reader(_IN, listen_to_supervisor)
    # Both the supervisor and a service manager may ask to stop: one drain is enough.
    loop.add_signal_handler(signal.SIGTERM, stop)
    await service.start()
    settle_process()
    _say_ready()
    if not await service.stop(replaced=await stopping):
        leave(writer)
    leave_in_time(writer)


def _say_ready() -> None:
    with suppress(BrokenPipeError):  # the supervisor is gone: the end of standard input says the same
        os.write(_OUT, READY)
    # Later output must not go to a pipe that nobody reads.
    os.dup2(_ERROR, _OUT)
