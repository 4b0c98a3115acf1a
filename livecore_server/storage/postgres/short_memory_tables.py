"""The tables of the short memory, and the statements over them.

They are unlogged: no write to them waits for a disk, and a server that crashes finds them empty. Like everything of the
directory their rows lead with its scope, so that a distributed database has all of them on one node. Whoever writes counts
does so in the order of their names, and whoever tidies takes no row that somebody else holds: nobody waits in a circle.

News are numbered without a gap. Who publishes takes the numbers from `livecore_news_head`, and holds that row until the
commit: so whoever sees a number sees all before it, though transactions may begin and end in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import Millis
from livecore_server.memory.shared import News
from livecore_server.storage.postgres.pipeline import Statement
from livecore_server.storage.postgres.text import array, decoded, encoded

__all__ = [
    "MEMORY_NAMES",
    "MEMORY_TABLES",
    "NEWS_PAGE",
    "VERSIONS",
    "Count",
    "counted_in",
    "counts_statement",
    "news_in",
    "news_statement",
    "publication",
    "tidying",
    "told_in",
    "told_statement",
    "versions_in",
]

MEMORY_TABLES: Final = (
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_counters (
      scope TEXT COLLATE "C" NOT NULL,
      name TEXT COLLATE "C" NOT NULL,
      ends_at BIGINT NOT NULL,
      span BIGINT NOT NULL,
      used BIGINT NOT NULL,
      told BOOLEAN NOT NULL,
      PRIMARY KEY (scope, name)
    )
    """,
    "CREATE INDEX IF NOT EXISTS livecore_counters_by_end ON livecore_counters (scope, ends_at)",
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_news_head (
      scope TEXT COLLATE "C" PRIMARY KEY,
      latest BIGINT NOT NULL
    )
    """,
    """
    CREATE UNLOGGED TABLE IF NOT EXISTS livecore_facts (
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
"""How they are made; an engine that knows no unlogged tables has them as plain ones."""
MEMORY_NAMES: Final = ("livecore_counters", "livecore_news_head", "livecore_facts")
"""What they are called."""
NEWS_PAGE: Final = 5_000
"""How many news are read at once."""

_SCOPE: Final = encoded(DIRECTORY.id)
VERSIONS: Final = Statement(b"SELECT name, version FROM livecore_versions WHERE scope = $1", (_SCOPE,))
"""The versions of the directory's tables."""

# A window that ends later than twice its length from now was begun by a clock that has since been set back; one that ends
# a little later than its length, on a machine whose clock is ahead.
_RUNNING: Final = b"c.ends_at > excluded.ends_at - excluded.span AND c.ends_at <= excluded.ends_at + excluded.span"
_COUNT: Final = (
    b"INSERT INTO livecore_counters AS c (scope, name, ends_at, span, used, told) "
    b"SELECT $1, h.name, h.now + h.span, h.span, h.hits, h.told FROM "
    b"unnest($2::TEXT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[], $6::BOOLEAN[]) AS h (name, now, span, hits, told) "
    b"ORDER BY h.name "
    b"ON CONFLICT (scope, name) DO UPDATE SET "
    b"used = excluded.used + CASE WHEN " + _RUNNING + b" THEN c.used ELSE 0 END, "
    b"ends_at = CASE WHEN " + _RUNNING + b" THEN c.ends_at ELSE excluded.ends_at END "
    b"RETURNING name, ends_at, used"
)
_PUBLISH: Final = (
    b"WITH head AS (INSERT INTO livecore_news_head AS h (scope, latest) VALUES ($1, $2::BIGINT + $3::BIGINT) "
    b"ON CONFLICT (scope) DO UPDATE SET latest = h.latest + $3::BIGINT RETURNING latest) "
    b"INSERT INTO livecore_facts (scope, seq, source, kind, about, ref, value) "
    b"SELECT $1, head.latest - $3::BIGINT + n.place, $4, n.kind, n.about, n.ref, n.value FROM head, "
    b"unnest($5::TEXT[], $6::TEXT[], $7::TEXT[], $8::TEXT[]) WITH ORDINALITY AS n (kind, about, ref, value, place)"
)
_NEWS: Final = (
    b"SELECT seq, kind, about, ref, CASE WHEN source = $3 THEN '' ELSE value END FROM livecore_facts "
    b"WHERE scope = $1 AND seq > $2 ORDER BY seq LIMIT %d" % NEWS_PAGE
)
_TOLD: Final = b"SELECT name, ends_at, used FROM livecore_counters WHERE scope = $1 AND ends_at > $2 AND told"
_TIDIED_AT_ONCE: Final = 2_000
_TIDY_COUNTS: Final = (
    b"DELETE FROM livecore_counters WHERE scope = $1 AND name IN (SELECT name FROM livecore_counters "
    b"WHERE scope = $1 AND ends_at <= $2 ORDER BY ends_at LIMIT %d FOR UPDATE SKIP LOCKED)" % _TIDIED_AT_ONCE
)
_TIDY_NEWS: Final = (
    b"DELETE FROM livecore_facts WHERE scope = $1 AND seq IN (SELECT seq FROM livecore_facts "
    b"WHERE scope = $1 AND seq <= $2 ORDER BY seq LIMIT %d FOR UPDATE SKIP LOCKED)" % _TIDIED_AT_ONCE
)
_SKEW: Final[Millis] = 60_000
"""How far the clocks of two machines may be apart before one tidies away what the other still counts in."""

Count = tuple[str, Millis, Millis, int, bool]
"""A counter's name, now, the length of its window, how many hits, and whether others are told."""


def counts_statement(counts: Sequence[Count]) -> Statement:
    """Count in these windows, no name twice; the result is read by `counted_in`."""
    names, nows, spans, hits, told = zip(*sorted(counts), strict=True)
    numbers = (array("integer", column) for column in (nows, spans, hits))
    return Statement(_COUNT, (_SCOPE, array("text", names), *numbers, array("boolean", told)))


def counted_in(result: Any) -> Mapping[str, tuple[Millis, int]]:  # noqa: ANN401 - a result of libpq
    """When each window ends, and how many hits it has, by its name."""
    cell = result.get_value
    return {decoded(cell(row, 0)): (int(cell(row, 1)), int(cell(row, 2))) for row in range(result.ntuples)}


def publication(source: bytes, news: Sequence[News], now: Millis) -> Statement:
    """Publish news. Where the tables are new or were lost, numbers begin at one that no process has seen before."""
    columns = [
        array("text", values)
        for values in zip(*((one.kind, one.scope, one.ref, one.value) for one in news), strict=True)
    ]
    return Statement(_PUBLISH, (_SCOPE, b"%d" % (now * 1_000), b"%d" % len(news), source, *columns))


def news_statement(source: bytes, last: int) -> Statement:
    """What was published after number `last`."""
    return Statement(_NEWS, (_SCOPE, b"%d" % last, source))


def news_in(result: Any) -> list[tuple[int, News | None]]:  # noqa: ANN401 - a result of libpq
    """News with their numbers; `None` for what the asking process has published itself."""
    cell = result.get_value
    return [
        (int(cell(row, 0)), News(*(decoded(cell(row, at)) for at in range(1, 5))) if cell(row, 4) else None)
        for row in range(result.ntuples)
    ]


def told_statement(now: Millis) -> Statement:
    """The running windows that others are told of."""
    return Statement(_TOLD, (_SCOPE, b"%d" % now))


told_in = counted_in


def tidying(last: int, most: int, now: Millis) -> list[Statement]:
    """Forget windows that have ended, and all but the latest news."""
    return [
        Statement(_TIDY_COUNTS, (_SCOPE, b"%d" % (now - _SKEW))),
        Statement(_TIDY_NEWS, (_SCOPE, b"%d" % (last - most))),
    ]


def versions_in(result: Any) -> dict[str, int]:  # noqa: ANN401 - a result of libpq
    """The version of each table that has one."""
    cell = result.get_value
    return {decoded(cell(row, 0)): int(cell(row, 1)) for row in range(result.ntuples)}
