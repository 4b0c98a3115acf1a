"""The tables of the ephemeral state, and the statements over them.

They are unlogged: no write to them waits for a disk, and they are empty after a crash of the server. Like all rows of the
directory, theirs begin with its scope, so that a distributed database has all of them on one node. Counts are written in
the order of their names, and deletions skip locked rows, so there is no deadlock.

Updates are numbered without gaps. A publisher takes the numbers from `livecore_updates_head`, and holds that row until the
commit. So a process that sees a number sees all before it, in whatever order transactions begin and end. What is removed
about an erased player leaves numbers without contents, so that there is no gap either.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import Millis
from livecore_server.ephemeral.shared import EMPTIED, FORGET, OLDEST_UPDATE, OUTDATED, Update
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.sql.text import array, decoded, encoded

_LAST_PART: Final = "reverse(split_part(reverse(%s), ':', 1))"
"""Of an id the id, and of a window's name the id at its end. It has an index, so that forgetting an id reads little."""
EPHEMERAL_TABLES: Final = (
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
    f"CREATE INDEX IF NOT EXISTS livecore_windows_about ON livecore_windows (scope, ({_LAST_PART % 'name'}))",
    f"CREATE INDEX IF NOT EXISTS livecore_updates_about ON livecore_updates (scope, ({_LAST_PART % 'ref'}))",
    # Apart, for tables that an earlier release has made; the updates of its processes, as long as some are left, count as
    # old. And last, because by this column one sees that all of these statements have run.
    "ALTER TABLE livecore_updates ADD COLUMN IF NOT EXISTS published_at BIGINT NOT NULL DEFAULT 0",
)
"""The statements that create them, in this order; an engine without unlogged tables has plain ones."""
NEWEST: Final = "SELECT published_at FROM livecore_updates WHERE scope = ''"
"""A statement that fails unless the last of them has run."""
EPHEMERAL_NAMES: Final = ("livecore_windows", "livecore_updates_head", "livecore_updates")
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
    b"INSERT INTO livecore_updates (scope, seq, source, kind, about, ref, value, published_at) "
    b"SELECT $1, head.latest - $3::BIGINT + n.place, $4, n.kind, n.about, n.ref, n.value, $9::BIGINT FROM head, "
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
_LATEST: Final = b"(SELECT latest FROM livecore_updates_head WHERE scope = $1)"
_FIRST_YOUNG: Final = b"(SELECT seq FROM livecore_updates WHERE scope = $1 AND published_at > $3 ORDER BY seq LIMIT 1)"
_TIDY_UPDATES: Final = (
    b"DELETE FROM livecore_updates WHERE scope = $1 AND seq IN (SELECT seq FROM livecore_updates "
    b"WHERE scope = $1 AND seq < least(" + _LATEST + b", "
    b"greatest($2::BIGINT + 1, coalesce(" + _FIRST_YOUNG + b", " + _LATEST + b"))) "
    b"ORDER BY seq LIMIT %d FOR UPDATE SKIP LOCKED)" % _TIDIED_AT_ONCE
)
_EMPTY: Final = b"UPDATE livecore_updates SET kind = '%b', about = '', ref = '', value = 'null' WHERE scope = $1 AND "
_EMPTY_LAST: Final = (
    _EMPTY % OUTDATED.encode() + b"seq = " + _LATEST + b" AND published_at <= $2 AND kind <> '%b'" % OUTDATED.encode()
)
_EMPTY_ABOUT: Final = (
    _EMPTY % EMPTIED.encode() + (_LAST_PART % "ref").encode() + b" = ANY($2::TEXT[]) AND kind <> '%b'" % FORGET.encode()
)
_FORGET_ABOUT: Final = (
    b"DELETE FROM livecore_windows WHERE scope = $1 AND name IN (SELECT name FROM livecore_windows WHERE scope = $1 AND "
    + (_LAST_PART % "name").encode()
    + b" = ANY($2::TEXT[]) ORDER BY name FOR UPDATE SKIP LOCKED)"
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
    first = b"%d" % (now * 1_000)
    return Statement(_PUBLISH, (_SCOPE, first, b"%d" % len(updates), source, *columns, b"%d" % now))


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
    """Delete windows that have ended, old updates, and all but the latest ones."""
    oldest = b"%d" % (now - OLDEST_UPDATE)
    return [
        Statement(_TIDY_COUNTS, (_SCOPE, b"%d" % (now - _SKEW))),
        Statement(_TIDY_UPDATES, (_SCOPE, b"%d" % (last - most), oldest)),
        Statement(_EMPTY_LAST, (_SCOPE, oldest)),
    ]


def left_to_tidy(results: Sequence[Any]) -> bool:
    """Whether there may be more to delete, from the results of `tidying`."""
    return any(result.command_tuples == _TIDIED_AT_ONCE for result in results)


def emptying(refs: Collection[str]) -> list[Statement]:
    """Remove all about these ids. A window in which somebody counts at this moment stays until it has ended."""
    about = array("text", sorted(refs))
    return [Statement(_EMPTY_ABOUT, (_SCOPE, about)), Statement(_FORGET_ABOUT, (_SCOPE, about))]


def versions_in(result: Any) -> dict[str, int]:  # noqa: ANN401 - a result of libpq
    """The version of each table that has one."""
    cell = result.get_value
    return {decoded(cell(row, 0)): int(cell(row, 1)) for row in range(result.ntuples)}
