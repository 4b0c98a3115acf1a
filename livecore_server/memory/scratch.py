"""The short memory of several processes on one machine: a scratch file that is no part of the data.

It is a SQLite file in the folder that the workers share, which lies in memory where the system has a file system for that
(`livecore_server.workers.shared_folder`), and nobody ever waits for it to reach a disk (`synchronous=OFF`). Each count
is one statement, which is one transaction: a worker that is killed leaves all of it or nothing, and what it had counted
stays.

Whoever finds the file busy waits for some microseconds and tries again. A file that cannot be used any more (no space left,
somebody has removed it) does not stop the service: each process then counts for itself and says so in its log.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from livecore.api.areas import AREAS
from livecore.kernel.time import Millis
from livecore.kernel.volatile import Allowance, FactKind
from livecore_server.memory.shared import MOST_NEWS, News, SharedMemory, allowance

__all__ = ["ScratchMemory"]

_log = logging.getLogger("livecore.memory")

_SETTINGS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = OFF", "PRAGMA temp_store = MEMORY")
_SCHEMA: Final = (
    """
    CREATE TABLE IF NOT EXISTS counters (
      name TEXT PRIMARY KEY,
      ends_at INTEGER NOT NULL,
      used INTEGER NOT NULL,
      told INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS counters_by_end ON counters (ends_at)",
    """
    CREATE TABLE IF NOT EXISTS news (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      source TEXT NOT NULL,
      kind TEXT NOT NULL,
      scope TEXT NOT NULL,
      ref TEXT NOT NULL,
      value TEXT NOT NULL
    )
    """,
)
_RUNNING: Final = "(:now < ends_at AND ends_at <= :now + 2 * :window)"
_ONE_MORE: Final = f"UPDATE counters SET used = used + 1 WHERE name = :name AND {_RUNNING} RETURNING ends_at, used"  # noqa: S608 - no values
"""How nearly every request is counted; apart from the rest, because it changes no index."""
_BEGIN: Final = (
    "INSERT INTO counters (name, ends_at, used, told) VALUES (:name, :now + :window, 1, :told) "  # noqa: S608 - no values
    f"ON CONFLICT (name) DO UPDATE SET used = CASE WHEN {_RUNNING} THEN used + 1 ELSE 1 END, "
    f"ends_at = CASE WHEN {_RUNNING} THEN ends_at ELSE excluded.ends_at END RETURNING ends_at, used"
)
_TOLD: Final = "SELECT name, ends_at, used FROM counters WHERE told"
_PUT: Final = "INSERT INTO news (source, kind, scope, ref, value) VALUES (?, ?, ?, ?, ?)"
_NEWS: Final = "SELECT seq, source, kind, scope, ref, value FROM news WHERE seq > ? ORDER BY seq"
_FORGET_ENDED: Final = "DELETE FROM counters WHERE ends_at <= ?"
_EXCESS: Final = "SELECT count(*) - ? FROM counters"
_FORGET_FIRST: Final = "DELETE FROM counters WHERE name IN (SELECT name FROM counters ORDER BY ends_at LIMIT ?)"
_FORGET_NEWS: Final = "DELETE FROM news WHERE seq <= (SELECT max(seq) FROM news) - ?"

_TIDY_AFTER: Final = 4_096
"""After how many writes a process looks for what has ended."""
_PATIENCE_SECONDS: Final = 1.0
_PAUSES: Final = (0.0, 0.0, 0.00002, 0.00005, 0.0001)
"""How long to wait for another process, the first times and then on: its transactions take some microseconds."""
_COMPLAIN_SECONDS: Final = 60.0


class ScratchMemory(SharedMemory):
    """One worker's part of the short memory of all workers on this machine. Raises `sqlite3.Error` where it cannot open."""

    def __init__(
        self,
        path: Path,
        *,
        counters: int = 200_000,
        news: int = MOST_NEWS,
        kinds: Iterable[FactKind[Any]] = AREAS.facts.keys(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(counters=counters, kinds=kinds)
        self._most_news = news
        self._clock = clock
        self._source = secrets.token_hex(8)
        self._last_news = 0
        self._writes = 0
        self._complained_at = -_COMPLAIN_SECONDS
        self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
        for statement in (*_SETTINGS, *_SCHEMA):
            self._run(statement)
        self._start_afresh()
        self.hear()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`, over all processes."""
        counted = self._count(name, window, now, told=False)
        if counted is None:
            return super().hit(name, limit, window, now)
        used, ends_at = counted
        return allowance(used, limit, ends_at, now)

    def hit_told(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """The same in each of these windows, and tell the others."""
        found: dict[str, Allowance] = {}
        for name, limit in limits.items():
            counted = self._count(name, window, now, told=True)
            if counted is None:
                found[name] = super().hit(name, limit, window, now)
            else:
                used, ends_at = counted
                self._know(name, ends_at, used, now)
                self.publish_count(name, used, ends_at)
                found[name] = allowance(used, limit, ends_at, now)
        return found

    def _count(self, name: str, window: Millis, now: Millis, *, told: bool) -> tuple[int, Millis] | None:
        """The request's place in the window and when that ends; nothing where the file cannot be used."""
        values = {"name": name, "window": window, "now": now, "told": told}
        try:
            ((ends_at, used),) = self._run(_ONE_MORE, values) or self._run(_BEGIN, values)
            self._wrote(now)
        except sqlite3.Error as error:
            self._complain(error)
            return None
        return used, ends_at

    def publish(self, news: News, *, told: bool) -> None:  # noqa: ARG002 - the others know it as soon as it is written
        """Let the other processes have it."""
        try:
            self._run(_PUT, (self._source, news.kind, news.scope, news.ref, news.value))
        except sqlite3.Error as error:
            self._complain(error)
        self._writes += 1

    def hear(self) -> None:
        """Take in what the others have put since the last time."""
        try:
            news = self._run(_NEWS, (self._last_news,))
            if news and news[0][0] != self._last_news + 1:
                self._start_afresh()
        except sqlite3.Error as error:
            self._complain(error)
            return
        for self._last_news, source, kind, scope, ref, value in news:
            if source != self._source:
                self.heard(News(kind, scope, ref, value))

    # -- the file

    def _run(self, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """One statement in a transaction of its own."""
        began, tries = self._clock(), 0
        while True:
            try:
                return self._database.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or self._clock() - began > _PATIENCE_SECONDS:
                    raise
            time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1

    def _start_afresh(self) -> None:
        self.missed({name: (ends_at, used) for name, ends_at, used in self._run(_TOLD)})

    def _wrote(self, now: Millis) -> None:
        self._writes += 1
        if self._writes < _TIDY_AFTER:
            return
        self._writes = 0
        self._run(_FORGET_ENDED, (now,))
        ((excess,),) = self._run(_EXCESS, (self._capacity,))
        if excess > 0:
            self._run(_FORGET_FIRST, (excess,))
        self._run(_FORGET_NEWS, (self._most_news,))

    def _complain(self, error: sqlite3.Error) -> None:
        now = self._clock()
        if now - self._complained_at >= _COMPLAIN_SECONDS:
            self._complained_at = now
            _log.error("the scratch file cannot be used, and each process counts requests for itself: %s", error)
