"""What processes have used: processor time and memory, by what the operating system says in /proc.

Where there is no /proc, or a process cannot be seen from here (a database on another machine), the answer is `None`, and the
tables say so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

_PROC = Path("/proc")


@attrs.frozen
class Usage:
    """Processor seconds so far, and memory in megabytes: the most that each process has held, shared memory once."""

    cpu_seconds: float
    memory_mb: float


@attrs.frozen
class _Process:
    pid: int
    parent: int
    own_ticks: int
    ended_children_ticks: int


def _process(pid: int) -> _Process | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    user, system, ended_user, ended_system = map(int, fields[11:15])
    return _Process(pid, int(fields[1]), user + system, ended_user + ended_system)


def _all() -> Iterator[_Process]:
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        process = _process(int(entry.name)) if entry.name.isdecimal() else None
        if process is not None:
            yield process


def parent_of(pid: int) -> int | None:
    """The process that started this one; `None` where it cannot be seen."""
    process = _process(pid)
    return None if process is None else process.parent


def _tree(root: int) -> list[_Process]:
    """The process and everything below it that still runs."""
    processes = {process.pid: process for process in _all()}
    found = [processes[root]] if root in processes else []
    for parent in found:
        found += [process for process in processes.values() if process.parent == parent.pid]
    return found


def usage_of_tree(root: int) -> Usage | None:
    """What a process and all below it have used, with children that have ended; `None` where it cannot be seen."""
    tree = _tree(root)
    if not tree:
        return None
    ticks = sum(process.own_ticks + process.ended_children_ticks for process in tree)
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), _memory_mb(process.pid for process in tree))


def memory_mb_of(pid: int) -> float:
    """The most that one process has held, without those below it; 0 where it cannot be seen."""
    return _sizes_kb(pid).get("VmHWM", 0) / 1024


def _memory_mb(pids: Iterable[int]) -> float:
    """Every process's peak without what it shares, and the largest shared part once."""
    own, shared = 0, 0
    for pid in pids:
        sizes = _sizes_kb(pid)
        mine = sizes.get("RssShmem", 0)
        own += max(sizes.get("VmHWM", 0) - mine, 0)
        shared = max(shared, mine)
    return (own + shared) / 1024


def _sizes_kb(pid: int) -> dict[str, int]:
    try:
        lines = (_PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.split(":", 1) for line in lines if line.endswith(" kB"))
    return {name: int(value.split()[0]) for name, value in pairs}
