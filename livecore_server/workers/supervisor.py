"""The supervisor of several workers: `livecore serve --workers N`.

    a worker dies       another replaces it, at once the first time and then after a growing delay; if none is left, and
                        trying again would not help, the supervisor ends with the worker's status
    SIGTERM, SIGINT     all drain, and the supervisor ends with status 0 when they did; a second one ends them at once, and
                        a limit of time does so too (`livecore_server.stopping`)
    SIGHUP              the workers are replaced one after another; each new one is ready before the old one drains
    the supervisor      is killed: the workers' standard input ends, and they drain by themselves

The sockets are opened here once and stay open, so a connection made during any of this waits and is not refused. The
supervisor serves no requests, and has no connection to the database while the workers run. When all of them have ended it
copies what they have left in the write-ahead log of a database file.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from itertools import count
from typing import Final

from livecore.kernel.units.ephemeral import EphemeralState
from livecore_server.http.listening import Handed, Listeners, open_listeners
from livecore_server.logs import configure_logging, log_stopped
from livecore_server.prepared import prepared_database
from livecore_server.production import production_of
from livecore_server.scratch_folders import remove_left_behind
from livecore_server.settings import Settings
from livecore_server.stopping import KILLING_SECONDS, SUPERVISED_SECONDS
from livecore_server.storage.database import left_in_log_of, merge_log_of
from livecore_server.workers.messages import WorkerConfiguration
from livecore_server.workers.metrics import forget_gauges
from livecore_server.workers.process import Worker, WorkerFailed, ending
from livecore_server.workers.restart_delay import Delay
from livecore_server.workers.shared_folder import Folder, private_folder

_log = logging.getLogger("livecore.workers")
_DRAIN_MARGIN_SECONDS: Final = 60.0
"""The extra time that a replaced worker may take to drain, beyond its settings, before it is killed."""


def supervise(settings: Settings, handed: Handed = ((), ())) -> int:
    """Run the server with several workers until it ends; returns the exit status.

    Raises `DatabaseProblem`, `ListenProblem`, `WorkerFailed`; nothing is left running then.
    """
    writer = configure_logging(settings.log_format, settings.log_level)
    hosts = Listeners(handed[0]).hosts or [settings.host]
    # The migrations run once, before the workers start, so a problem is reported once.
    store, _ = prepared_database(settings, hosts, EphemeralState(), _log.warning)
    store.close()
    remove_left_behind(settings.database)
    try:
        with private_folder() as folder:
            return asyncio.run(Supervisor(settings, open_listeners(settings, handed), folder).run())
    finally:
        writer.close()


class Supervisor:
    """Keeps the configured number of workers running. Call `run` once."""

    def __init__(self, settings: Settings, listeners: Listeners, folder: Folder) -> None:
        self._settings = settings
        self._listeners = listeners
        self._folder = folder
        self._numbers: set[int] = set()
        self._alive: set[Worker] = set()
        """Every worker that was started and has not ended."""
        self._watches: set[asyncio.Task[int]] = set()
        self._slots: list[Worker] = []
        """The workers that serve, each in its slot."""
        self._locks = [asyncio.Lock() for _ in range(settings.workers)]
        """The lock of each slot, for replacing its worker."""
        self._asked_to_stop = asyncio.Event()
        self._asked_to_renew = asyncio.Event()

    async def run(self) -> int:
        """Serve until a signal to stop; returns the exit status. Raises `WorkerFailed` if workers do not start."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(signal.SIGHUP, self._asked_to_renew.set)
        serving = asyncio.create_task(self._serve())
        stopping = asyncio.create_task(self._asked_to_stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            _log.info("draining")
            serving.cancel()
        stopping.cancel()
        await asyncio.wait({serving})
        # Before the workers close theirs: nobody would accept what still came in here.
        self._listeners.close()
        drained = await self._drain()
        self._merge_log()
        if not serving.cancelled():
            serving.result()  # raises what it ended with
        log_stopped(_log, left_in_log_of(self._settings.database))
        return 0 if drained else 1

    def _stop(self) -> None:
        if self._asked_to_stop.is_set():
            _log.warning("a second signal: the workers are killed, and requests under way are cut off")
            for worker in self._alive:
                worker.kill()
        self._asked_to_stop.set()

    def _merge_log(self) -> None:
        """Once all workers are gone: of those that end in the same moment, none is the last to close the database."""
        merge_log_of(self._settings.database)

    async def _drain(self) -> bool:
        """Drain every worker; returns whether all of them succeeded. Those that take too long are killed."""
        for worker in self._alive:
            worker.stop()
        watches = set(self._watches)
        if watches:
            await asyncio.wait(watches, timeout=self._drain_limit_seconds)
        for worker in self._alive:
            _log.error("worker %d does not end and is killed", worker.number)
            worker.kill()
        if self._watches:
            await asyncio.wait(self._watches, timeout=KILLING_SECONDS)
        return all(watch.done() and watch.result() == 0 for watch in watches)

    @property
    def _drain_limit_seconds(self) -> float:
        settings = self._settings
        return settings.drain_delay_seconds + settings.drain_seconds + SUPERVISED_SECONDS - KILLING_SECONDS

    # -- serving

    async def _serve(self) -> None:
        slots = range(self._settings.workers)
        self._slots = await asyncio.gather(*(self._started() for _ in slots))
        _log.info("listening on %s with %d workers", ", ".join(self._listeners.addresses), len(slots))
        production_of(self._settings, self._listeners.hosts).log(self._settings)
        await asyncio.gather(self._renew_when_asked(), *(self._keep(slot) for slot in slots))

    async def _started(self) -> Worker:
        """A worker that is ready. Raises `WorkerFailed`."""
        number = next(number for number in count(1) if number not in self._numbers)
        self._numbers.add(number)
        configuration = WorkerConfiguration(
            number=number,
            settings=self._settings,
            folder=self._folder.path,
            main=[one.fileno() for one in self._listeners.main],
            metrics=[one.fileno() for one in self._listeners.metrics],
        )
        try:
            worker = await Worker.start(configuration, held=self._folder.descriptor)
        except BaseException:
            self._numbers.remove(number)
            raise
        self._alive.add(worker)
        watch = asyncio.create_task(self._watch(worker))
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        await worker.ready()
        _log.info("worker %d is ready as process %d", number, worker.pid)
        return worker

    async def _watch(self, worker: Worker) -> int:
        """Wait for a worker's end; returns its status."""
        status = await worker.wait()
        self._alive.remove(worker)
        self._numbers.remove(worker.number)
        forget_gauges(self._folder.path, worker.number)
        return status

    async def _keep(self, slot: int) -> None:
        """Keep a worker running in a slot."""
        delay = Delay()
        while True:
            worker = self._slots[slot]
            status = await worker.wait()
            async with self._locks[slot]:
                if self._slots[slot] is worker:
                    _log.error("worker %d died (%s), another takes its place", worker.number, ending(status))
                    self._slots[slot] = await self._successor(delay, worker.served_seconds)

    async def _successor(self, delay: Delay, served_seconds: float) -> Worker:
        """The replacement of a dead worker, as soon as one is ready. Raises `WorkerFailed` if none can serve any more."""
        while True:
            await asyncio.sleep(delay.after(served_seconds))
            try:
                return await self._started()
            except WorkerFailed as failure:
                if failure.is_lasting and all(worker.ended for worker in self._slots):
                    raise
                _log.error("%s", failure)
                served_seconds = 0.0

    # -- replacing all of them

    async def _renew_when_asked(self) -> None:
        while True:
            await self._asked_to_renew.wait()
            self._asked_to_renew.clear()
            await self._renew()

    async def _renew(self) -> None:
        _log.info("replacing the workers, one after another")
        for slot, lock in enumerate(self._locks):
            async with lock:
                old = self._slots[slot]
                try:
                    self._slots[slot] = await self._started()
                except WorkerFailed as failure:
                    _log.error("%s; the workers that have not been replaced go on", failure)
                    return
            await self._retire(old)
        _log.info("all workers were replaced")

    async def _retire(self, worker: Worker) -> None:
        worker.replace()
        try:
            async with asyncio.timeout(self._settings.drain_seconds + _DRAIN_MARGIN_SECONDS):
                await worker.wait()
        except TimeoutError:
            _log.error("worker %d does not end and is killed", worker.number)
            worker.kill()
            await worker.wait()
