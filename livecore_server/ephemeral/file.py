"""The ephemeral state of several processes on one machine: a shared file, which is not part of the data.

It is a SQLite file in the folder that the workers share, which is in memory if the system supports that
(`livecore_server.workers.shared_folder`). No write waits for a disk (`synchronous=OFF`). Each count is one statement, and
so one transaction: a killed worker leaves all of it or nothing, and its earlier counts stay. What is deleted is overwritten
in the file (`secure_delete`), and the journal is emptied after it, because it may be about an erased player.

A process that finds the file busy waits some microseconds and tries again, for a tenth of a second in all. Its event loop
stands meanwhile. If that was not enough, because somebody has stopped the process that has the file, it does not wait again
for a second: it counts for itself, and keeps what it could not publish. A file that cannot be used any more (no space left,
or it was removed) does not stop the service either: each process then counts for itself. Both are logged.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from livecore.api.areas import AREAS
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import Allowance, EphemeralKind
from livecore_server.ephemeral.shared import (
    EMPTIED,
    FORGET,
    MOST_UPDATES,
    OLDEST_UPDATE,
    OUTDATED,
    SharedEphemeralState,
    Update,
    allowance,
)
from livecore_server.system import now_millis

_log = logging.getLogger("livecore.memory")

_SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = OFF",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA secure_delete = ON",
)
_SCHEMA: Final = (
    """
    CREATE TABLE IF NOT EXISTS windows (
      name TEXT PRIMARY KEY,
      ends_at INTEGER NOT NULL,
      used INTEGER NOT NULL,
      published INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX IF NOT EXISTS counters_by_end ON windows (ends_at)",
    """
    CREATE TABLE IF NOT EXISTS updates (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      source TEXT NOT NULL,
      kind TEXT NOT NULL,
      scope TEXT NOT NULL,
      ref TEXT NOT NULL,
      value TEXT NOT NULL,
      published_at INTEGER NOT NULL DEFAULT 0
    )
    """,
)
_COLUMNS: Final = "SELECT name FROM pragma_table_info('updates')"
_AGE: Final = "ALTER TABLE updates ADD COLUMN published_at INTEGER NOT NULL DEFAULT 0"
"""For a file that workers of an earlier release have made, who are replaced one after the other. The updates of those that
remain count as old."""
_RUNNING: Final = "(:now < ends_at AND ends_at <= :now + 2 * :window)"
_ONE_MORE: Final = f"UPDATE windows SET used = used + 1 WHERE name = :name AND {_RUNNING} RETURNING ends_at, used"  # noqa: S608 - no values
"""Counts nearly every request; separate from `_BEGIN`, because it changes no index."""
_BEGIN: Final = (
    "INSERT INTO windows (name, ends_at, used, published) VALUES (:name, :now + :window, 1, :published) "  # noqa: S608 - no values
    f"ON CONFLICT (name) DO UPDATE SET used = CASE WHEN {_RUNNING} THEN used + 1 ELSE 1 END, "
    f"ends_at = CASE WHEN {_RUNNING} THEN ends_at ELSE excluded.ends_at END RETURNING ends_at, used"
)
_PUBLISHED: Final = "SELECT name, ends_at, used FROM windows WHERE published"
_PUT: Final = "INSERT INTO updates (source, kind, scope, ref, value, published_at) VALUES (?, ?, ?, ?, ?, ?)"
_UPDATES: Final = "SELECT seq, source, kind, scope, ref, value FROM updates WHERE seq > ? ORDER BY seq"
_FORGET_ENDED: Final = "DELETE FROM windows WHERE ends_at <= ?"
_EXCESS: Final = "SELECT count(*) - ? FROM windows"
_FORGET_FIRST: Final = "DELETE FROM windows WHERE name IN (SELECT name FROM windows ORDER BY ends_at LIMIT ?)"
_FORGET_UPDATES: Final = (
    "DELETE FROM updates WHERE seq < (SELECT max(seq) FROM updates) AND (seq <= (SELECT max(seq) FROM updates) - :most "
    "OR seq < coalesce((SELECT seq FROM updates WHERE published_at > :oldest ORDER BY seq LIMIT 1), 9223372036854775807))"
)
_NOTHING: Final = "scope = '', ref = '', value = 'null'"
_EMPTY_LAST: Final = (
    f"UPDATE updates SET kind = '{OUTDATED}', {_NOTHING} "  # noqa: S608 - no values
    f"WHERE seq = (SELECT max(seq) FROM updates) AND published_at <= :oldest AND kind <> '{OUTDATED}'"
)
_EMPTY_ABOUT: Final = (
    f"UPDATE updates SET kind = '{EMPTIED}', {_NOTHING} "  # noqa: S608 - no values
    f"WHERE (ref = :ref OR substr(ref, -length(:ending)) = :ending) AND kind <> '{FORGET}'"
)
_FORGET_ABOUT: Final = "DELETE FROM windows WHERE substr(name, -length(:ending)) = :ending"
_EMPTY_JOURNAL: Final = "PRAGMA wal_checkpoint(TRUNCATE)"
"""If another process reads at this moment, the journal is emptied the next time."""

_TIDY_AFTER: Final = 4_096
"""After how many writes a process deletes ended windows and old updates."""
_PATIENCE_SECONDS: Final = 0.1
"""How long a statement waits for another process, which stops the event loop."""
_IMPATIENT_SECONDS: Final = 1.0
"""For how long statements do not wait after one has waited in vain."""
_MOST_UNPUBLISHED: Final = 10_000
"""How many statements are kept that the file was too busy for; the oldest go first, except those that erase something."""
_PAUSES: Final = (0.0, 0.0, 0.00002, 0.00005, 0.0001)
"""The waits for another process, whose transactions take some microseconds; the last value is used for all further
attempts."""
_COMPLAIN_SECONDS: Final = 60.0


class EphemeralFile(SharedEphemeralState):
    """One worker's part of the state that all workers on this machine share. Raises `sqlite3.Error` where it cannot open."""

    def __init__(
        self,
        path: Path,
        *,
        counters: int = 200_000,
        updates: int = MOST_UPDATES,
        kinds: Iterable[EphemeralKind[Any]] = AREAS.ephemeral.keys(),
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], Millis] = now_millis,
    ) -> None:
        super().__init__(counters=counters, kinds=kinds)
        self._most_updates = updates
        self._clock = clock
        self._now = now
        self._source = secrets.token_hex(8)
        self._last_update = 0
        self._writes = 0
        self._complained_at = -_COMPLAIN_SECONDS
        self._impatient_until = -_IMPATIENT_SECONDS
        self._unpublished: deque[tuple[str, Sequence[Any] | dict[str, Any]]] = deque()
        self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
        for statement in (*_SETTINGS, *_SCHEMA):
            self._run(statement)
        self._add_age()
        self._start_afresh()
        self.refresh()

    def close(self) -> None:
        """Close the file, after what could not be published before."""
        self._publish_rest()
        self._database.close()

    def hit(self, name: str, limit: int, window: Millis, now: Millis) -> Allowance:
        """Count one request in the fixed window `name`, over all processes."""
        name = self.hidden(name)
        counted = self._count(name, window, now, published=False)
        if counted is None:
            return super().hit(name, limit, window, now)
        used, ends_at = counted
        return allowance(used, limit, ends_at, now)

    def hit_published(self, limits: Mapping[str, int], window: Millis, now: Millis) -> dict[str, Allowance]:
        """Count one request in each of these windows, and publish the counts."""
        found: dict[str, Allowance] = {}
        for name, limit in limits.items():
            hidden = self.hidden(name)
            counted = self._count(hidden, window, now, published=True)
            if counted is None:
                found[name] = super().hit(hidden, limit, window, now)
            else:
                used, ends_at = counted
                self._learn(hidden, ends_at, used, now)
                self.publish_count(hidden, used, ends_at)
                found[name] = allowance(used, limit, ends_at, now)
        return found

    def _count(self, name: str, window: Millis, now: Millis, *, published: bool) -> tuple[int, Millis] | None:
        """The request's number in the window and when the window ends; `None` if the file cannot be used."""
        values = {"name": name, "window": window, "now": now, "published": published}
        try:
            ((ends_at, used),) = self._run(_ONE_MORE, values) or self._run(_BEGIN, values)
            self._wrote(now)
        except sqlite3.Error as error:
            self._complain(error)
            return None
        return used, ends_at

    def publish(self, update: Update, *, at_once: bool) -> None:  # noqa: ARG002 - the others see it as soon as it is written
        """Publish an update to the other processes."""
        values = (self._source, update.kind, update.scope, update.ref, update.value, self._now())
        if len(self._unpublished) >= _MOST_UNPUBLISHED:
            self._give_up_oldest()
        self._unpublished.append((_PUT, values))
        self._publish_rest()
        self._writes += 1

    def _give_up_oldest(self) -> None:
        """Make room for an update that has to wait; what makes others forget somebody is not given up."""
        for at, (statement, values) in enumerate(self._unpublished):
            if statement == _PUT and isinstance(values, tuple) and values[1] != FORGET:
                del self._unpublished[at]
                return

    def _publish_rest(self) -> None:
        """Run the statements that wait, in their order; those that find the file busy go on waiting."""
        try:
            while self._unpublished:
                self._run(*self._unpublished[0])
                self._unpublished.popleft()
        except sqlite3.Error as error:
            self._complain(error)
            if not _is_busy(error):
                self._unpublished.clear()

    def empty(self, ref: str) -> None:
        """Remove all about an id from the file and from its journal."""
        about = {"ref": ref, "ending": f":{ref}"}
        self._unpublished += ((_EMPTY_ABOUT, about), (_FORGET_ABOUT, about), (_EMPTY_JOURNAL, ()))
        self._publish_rest()

    def tidy(self, now: Millis) -> None:
        """Delete windows that have ended and old updates, here and in the file."""
        super().tidy(now)
        try:
            self._tidy(now)
            self._run(_EMPTY_JOURNAL)
        except sqlite3.Error as error:
            self._complain(error)

    def refresh(self) -> None:
        """Receive the updates of the others since the last call."""
        if self._unpublished:
            self._publish_rest()
        try:
            updates = self._run(_UPDATES, (self._last_update,))
            if updates and (updates[0][0] != self._last_update + 1 or any(row[2] == OUTDATED for row in updates)):
                self._start_afresh()
        except sqlite3.Error as error:
            self._complain(error)
            return
        for self._last_update, source, kind, scope, ref, value in updates:
            if source != self._source:
                self.receive(Update(kind, scope, ref, value))

    # -- the file

    def _add_age(self) -> None:
        if ("published_at",) not in self._run(_COLUMNS):
            try:
                self._run(_AGE)
            except sqlite3.OperationalError:
                if ("published_at",) not in self._run(_COLUMNS):
                    raise  # and not another worker that came first

    def _run(self, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """Run one statement in its own transaction."""
        began, tries = self._clock(), 0
        while True:
            try:
                found = self._database.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                now = self._clock()
                if not _is_busy(error) or now < self._impatient_until:
                    raise
                if now - began > _PATIENCE_SECONDS:
                    self._impatient_until = now + _IMPATIENT_SECONDS
                    raise
            else:
                return found
            time.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1

    def _start_afresh(self) -> None:
        self.missed({name: (ends_at, used) for name, ends_at, used in self._run(_PUBLISHED)})

    def _wrote(self, now: Millis) -> None:
        self._writes += 1
        if self._writes >= _TIDY_AFTER:
            self._tidy(now)

    def _tidy(self, now: Millis) -> None:
        self._writes = 0
        self._run(_FORGET_ENDED, (now,))
        ((excess,),) = self._run(_EXCESS, (self._capacity,))
        if excess > 0:
            self._run(_FORGET_FIRST, (excess,))
        oldest = self._now() - OLDEST_UPDATE
        self._run(_FORGET_UPDATES, {"most": self._most_updates, "oldest": oldest})
        self._run(_EMPTY_LAST, {"oldest": oldest})

    def _complain(self, error: sqlite3.Error) -> None:
        now = self._clock()
        if now - self._complained_at >= _COMPLAIN_SECONDS:
            self._complained_at = now
            _log.error("the shared file cannot be used, and each process counts requests for itself: %s", error)


def _is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
