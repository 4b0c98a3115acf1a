"""The metrics of all workers together; each worker can serve them.

Each worker writes its metrics to its own files, in the format and with the rules of prometheus-client's multiprocess mode:
counters and histograms are added up, and each gauge has its own way of combining. What all workers read of the same database
is not added up. The files are memory-mapped, so they keep
what a worker has written however it ends. A worker that takes the number of an ended one continues from its counts: a
counter never decreases, and there are at most as many files as workers have run at the same time.

Each process still counts in a dictionary; the files are updated once a second and at the end. A killed worker loses at most
the counts of that second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from livecore_server.backlog_gauges import GAUGES

_FOLDER: Final = "counts"
"""Their own folder within the workers' folder: all files in it are read as metrics."""
_WORST: Final = "livemax"
_TOGETHER: Final = "livesum"
_MODES: Final = {
    **dict.fromkeys(GAUGES, _WORST),
    "livecore_due_lag_seconds": _WORST,
    "livecore_loop_silent_seconds": _WORST,
    "livecore_store_failing": _WORST,
    "livecore_write_ahead_log_bytes": _WORST,
    "process_max_fds": _WORST,
    "process_start_time_seconds": _WORST,
    "python_info": _WORST,
}
"""How the gauges of several workers are combined, if not as their sum. Only running workers count."""
_ENDED: Final = -math.inf
"""The value of a gauge's series that a worker shows no more; files only grow. It is smaller than any other worker's."""


class _File:
    """The samples of one kind from one worker."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            # A reader must never find an incomplete file.
            fresh = path.with_suffix(".new")
            MmapedDict(str(fresh)).close()
            fresh.rename(path)
        self._values = MmapedDict(str(path))
        self._before: Mapping[str, float] = {key: value for key, value, _ in self._values.read_all_values()}
        """The final counts of the earlier worker with this number."""
        self._known: set[str] = set()
        self._shown: set[str] = set()

    def show(self, key: str, value: float) -> None:
        self._values.write_value(key, self._before.get(key, 0.0) + value, 0.0)
        self._shown.add(key)

    def end_missing(self) -> None:
        """End the series that were shown earlier, but not since the last call."""
        for key in self._known - self._shown:
            self._values.write_value(key, _ENDED, 0.0)
        self._known |= self._shown
        self._shown = set()

    def close(self) -> None:
        self._values.close()


class SharedCounts(Collector):
    """The metrics that the worker `number` writes to the workers' folder, and those of all workers there."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder / _FOLDER
        self._folder.mkdir(exist_ok=True)
        self._number = number
        self._files: dict[str, _File] = {}

    def show(self, registry: CollectorRegistry) -> None:
        """Write this worker's current metrics."""
        for family in registry.collect():
            file = self._file(family)
            for sample in family.samples:
                names = list(sample.labels)
                values = [sample.labels[name] for name in names]
                file.show(mmap_key(family.name, sample.name, names, values, family.documentation), sample.value)
        worst = self._files.get(f"gauge_{_WORST}")
        if worst is not None:
            worst.end_missing()

    def _file(self, family: Metric) -> _File:
        kind = f"gauge_{_MODES.get(family.name, _TOGETHER)}" if family.type == "gauge" else family.type
        file = self._files.get(kind)
        if file is None:
            file = self._files[kind] = _File(self._folder / f"{kind}_{self._number}.db")
        return file

    def close(self) -> None:
        """Close the files; their contents stay."""
        for file in self._files.values():
            file.close()

    def text(self, registry: CollectorRegistry) -> bytes:
        """The metrics of all workers in the exposition format, with current values of this worker."""
        self.show(registry)
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """The metric families of all workers together."""
        files = [str(path) for path in sorted(self._folder.glob("*.db"))]
        # The stored samples of a histogram are already cumulative.
        for family in MultiProcessCollector.merge(files, accumulate=False):
            family.samples = [sample for sample in family.samples if sample.value != _ENDED]
            yield family


def forget_gauges(folder: Path, number: int) -> None:
    """Remove the gauges of an ended worker."""
    mark_process_dead(number, str(folder / _FOLDER))
