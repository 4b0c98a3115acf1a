"""The counts of all workers, added up by whichever is asked.

Each worker shows its counts in files of its own, in the format and with the rules of prometheus-client's multiprocess mode:
counters and histograms are added up, and of gauges each has its way of being put together. The files are maps of memory, so
what a worker has shown outlives it however it ends. A worker that takes the number of one that has ended goes on from its
counts: a counter never goes back, and there are never more files than workers have run at once.

Counting itself stays what it was, a dictionary in each process; the files are renewed once a second and at the end. A worker
that is killed takes at most the counts of that second with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

__all__ = ["SharedCounts", "forget_gauges"]

_FOLDER: Final = "counts"
"""A folder of their own within the workers' folder: whatever lies in it is read as counts."""
_WORST: Final = "livemax"
_TOGETHER: Final = "livesum"
_MODES: Final = {
    "livecore_due_lag_seconds": _WORST,
    "livecore_loop_silent_seconds": _WORST,
    "livecore_store_failing": _WORST,
    "process_max_fds": _WORST,
    "process_start_time_seconds": _WORST,
    "python_info": _WORST,
}
"""How the gauges of several workers become one, where it is not their sum. Only those of living workers count."""


class _File:
    """The samples of one kind that one worker shows."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            # A reader must never find a file that is not yet set up.
            fresh = path.with_suffix(".new")
            MmapedDict(str(fresh)).close()
            fresh.rename(path)
        self._values = MmapedDict(str(path))
        self._before: Mapping[str, float] = {key: value for key, value, _ in self._values.read_all_values()}
        """What the worker has come to that had this number before."""

    def show(self, key: str, value: float) -> None:
        self._values.write_value(key, self._before.get(key, 0.0) + value, 0.0)

    def close(self) -> None:
        self._values.close()


class SharedCounts(Collector):
    """The counts that the worker `number` shows in the workers' folder, and those of all workers that do."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder / _FOLDER
        self._folder.mkdir(exist_ok=True)
        self._number = number
        self._files: dict[str, _File] = {}

    def show(self, registry: CollectorRegistry) -> None:
        """Let the others see this worker's counts as they are now."""
        for family in registry.collect():
            file = self._file(family)
            for sample in family.samples:
                names = list(sample.labels)
                values = [sample.labels[name] for name in names]
                file.show(mmap_key(family.name, sample.name, names, values, family.documentation), sample.value)

    def _file(self, family: Metric) -> _File:
        kind = f"gauge_{_MODES.get(family.name, _TOGETHER)}" if family.type == "gauge" else family.type
        file = self._files.get(kind)
        if file is None:
            file = self._files[kind] = _File(self._folder / f"{kind}_{self._number}.db")
        return file

    def close(self) -> None:
        """Show nothing more; what was shown stays."""
        for file in self._files.values():
            file.close()

    def text(self, registry: CollectorRegistry) -> bytes:
        """The counts of all workers in the exposition format, this one's as they are now."""
        self.show(registry)
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """The families of all workers together."""
        files = [str(path) for path in sorted(self._folder.glob("*.db"))]
        # What was shown of a histogram is cumulative already.
        yield from MultiProcessCollector.merge(files, accumulate=False)


def forget_gauges(folder: Path, number: int) -> None:
    """A worker has ended: what it last had waiting and under way is over."""
    mark_process_dead(number, str(folder / _FOLDER))
