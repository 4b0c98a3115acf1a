"""The tables of the short memory, and the statements over them.

They are unlogged: no write to them waits for a disk, and they are empty after a crash of the server. Like all rows of the
directory, theirs begin with its scope, so that a distributed database has all of them on one node. Counts are written in
the order of their names, and deletions skip locked rows, so there is no deadlock.

Updates are numbered without gaps. A publisher takes the numbers from `livecore_updates_head`, and holds that row until the
commit. So a process that sees a number sees all before it, in whatever order transactions begin and end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import Millis
from livecore_server.memory.shared import Update
from livecore_server.storage.postgres.pipeline import Statement
from livecore_server.storage.postgres.text import array, decoded, encoded

__all__ = [
    "MEMORY_NAMES",
    "MEMORY_TABLES",
    "UPDATES_PAGE",
    "VERSIONS",
    "Count",
    "counted_in",
    "counts_statement",
    "publication",
    "tidying",
    "updates_in",
    "updates_statement",
    "versions_in",
    "windows_in",
    "windows_statement",
]

MEMORY_TABLES: Final = (
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_windows (
      scope TEXT COLLATE "C" NOT NULL,
      name TEXT COLLATE "C" NOT NULL,
      ends_at BIGINT NOT NULL,
      span BIGINT NOT NULL,
      used BIGINT NOT NULL,
      published BOOLEAN NOT NULL,
      PRIMARY KEY (scope, name)
    )
    """,
    "CREATE INDEX IF NOT EXISTS livecore_windows_by_end ON livecore_windows (scope, ends_at)",
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_updates_head (
      scope TEXT COLLATE "C" PRIMARY KEY,
      latest BIGINT NOT NULL
    )
    """,
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_updates (
      scope TEXT COLLATE "C" NOT NULL,
      seq BIGINT NOT NULL,
      source TEXT NOT NULL,
      kind TEXT NOT NULL,
      about TEXT NOT NULL,
      ref TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (scope, seq)
    )
    """,
)
"""The statements that create them; an engine without unlogged tables has plain ones."""
MEMORY_NAMES: Final = ("livecore_windows", "livecore_updates_head", "livecore_updates")
"""Their names."""
UPDATES_PAGE: Final = 5_000
"""How many updates are read at once."""

_SCOPE: Final = encoded(DIRECTORY.id)
VERSIONS: Final = Statement(b"SELECT name, version FROM livecore_versions WHERE scope = $1", (_SCOPE,))
"""The versions of the directory's tables."""

# A window that ends later than twice its length from now was begun by a clock that has since been set back. One that ends a
# little later than its length was begun on a machine whose clock is ahead.
_RUNNING: Final = b"c.ends_at > excluded.ends_at - excluded.span AND c.ends_at <= excluded.ends_at + excluded.span"
_COUNT: Final = (
    b"INSERT INTO livecore_windows AS c (scope, name, ends_at, span, used, published) "
    b"SELECT $1, h.name, h.now + h.span, h.span, h.hits, h.published FROM "
    b"unnest($2::TEXT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[], $6::BOOLEAN[]) AS h (name, now, span, hits, published) "
    b"ORDER BY h.name "
    b"ON CONFLICT (scope, name) DO UPDATE SET "
    b"used = excluded.used + CASE WHEN " + _RUNNING + b" THEN c.used ELSE 0 END, "
    b"ends_at = CASE WHEN " + _RUNNING + b" THEN c.ends_at ELSE excluded.ends_at END "
    b"RETURNING name, ends_at, used"
)
_PUBLISH: Final = (
    b"WITH head AS (INSERT INTO livecore_updates_head AS h (scope, latest) VALUES ($1, $2::BIGINT + $3::BIGINT) "
    b"ON CONFLICT (scope) DO UPDATE SET latest = h.latest + $3::BIGINT RETURNING latest) "
    b"INSERT INTO livecore_updates (scope, seq, source, kind, about, ref, value) "
    b"SELECT $1, head.latest - $3::BIGINT + n.place, $4, n.kind, n.about, n.ref, n.value FROM head, "
    b"unnest($5::TEXT[], $6::TEXT[], $7::TEXT[], $8::TEXT[]) WITH ORDINALITY AS n (kind, about, ref, value, place)"
)
_UPDATES: Final = (
    b"SELECT seq, kind, about, ref, CASE WHEN source = $3 THEN '' ELSE value END FROM livecore_updates "
    b"WHERE scope = $1 AND seq > $2 ORDER BY seq LIMIT %d" % UPDATES_PAGE
)
_PUBLISHED: Final = b"SELECT name, ends_at, used FROM livecore_windows WHERE scope = $1 AND ends_at > $2 AND published"
_TIDIED_AT_ONCE: Final = 2_000
_TIDY_COUNTS: Final = (
    b"DELETE FROM livecore_windows WHERE scope = $1 AND name IN (SELECT name FROM livecore_windows "
    b"WHERE scope = $1 AND ends_at <= $2 ORDER BY ends_at LIMIT %d FOR UPDATE SKIP LOCKED)" % _TIDIED_AT_ONCE
)
_TIDY_UPDATES: Final = (
    b"DELETE FROM livecore_updates WHERE scope = $1 AND seq IN (SELECT seq FROM livecore_updates "
    b"WHERE scope = $1 AND seq <= $2 ORDER BY seq LIMIT %d FOR UPDATE SKIP LOCKED)" % _TIDIED_AT_ONCE
)
_SKEW: Final[Millis] = 60_000
"""How much the clocks of two machines may differ before one deletes a window in which the other still counts."""

Count = tuple[str, Millis, Millis, int, bool]
"""A counter's name, the time, the length of its window, the number of hits, and whether the count is published."""


def counts_statement(counts: Sequence[Count]) -> Statement:
    """Count in these windows, with distinct names; `counted_in` reads the result."""
    names, nows, spans, hits, published = zip(*sorted(counts), strict=True)
    numbers = (array("integer", column) for column in (nows, spans, hits))
    return Statement(_COUNT, (_SCOPE, array("text", names), *numbers, array("boolean", published)))


def counted_in(result: Any) -> Mapping[str, tuple[Millis, int]]:  # noqa: ANN401 - a result of libpq
    """When each window ends, and how many hits it has, by its name."""
    cell = result.get_value
    return {decoded(cell(row, 0)): (int(cell(row, 1)), int(cell(row, 2))) for row in range(result.ntuples)}


def publication(source: bytes, updates: Sequence[Update], now: Millis) -> Statement:
    """Publish updates. If the tables are new or were lost, numbers begin at one that no process has seen before."""
    columns = [
        array("text", values)
        for values in zip(*((one.kind, one.scope, one.ref, one.value) for one in updates), strict=True)
    ]
    return Statement(_PUBLISH, (_SCOPE, b"%d" % (now * 1_000), b"%d" % len(updates), source, *columns))


def updates_statement(source: bytes, last: int) -> Statement:
    """Read the updates after number `last`."""
    return Statement(_UPDATES, (_SCOPE, b"%d" % last, source))


def updates_in(result: Any) -> list[tuple[int, Update | None]]:  # noqa: ANN401 - a result of libpq
    """Updates with their numbers; `None` for those that this process has published itself."""
    cell = result.get_value
    return [
        (int(cell(row, 0)), Update(*(decoded(cell(row, at)) for at in range(1, 5))) if cell(row, 4) else None)
        for row in range(result.ntuples)
    ]


def windows_statement(now: Millis) -> Statement:
    """Read the running published windows."""
    return Statement(_PUBLISHED, (_SCOPE, b"%d" % now))


windows_in = counted_in


def tidying(last: int, most: int, now: Millis) -> list[Statement]:
    """Delete windows that have ended, and all but the latest updates."""
    return [
        Statement(_TIDY_COUNTS, (_SCOPE, b"%d" % (now - _SKEW))),
        Statement(_TIDY_UPDATES, (_SCOPE, b"%d" % (last - most))),
    ]


def versions_in(result: Any) -> dict[str, int]:  # noqa: ANN401 - a result of libpq
    """The version of each table that has one."""
    cell = result.get_value
    return {decoded(cell(row, 0)): int(cell(row, 1)) for row in range(result.ntuples)}
