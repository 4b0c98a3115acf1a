"""The search for scopes where something is due, in PostgreSQL (`livecore_server.storage.due_scopes`).

It is one statement outside of any unit, so that it conflicts with none. Engines that cannot step through an index within a
statement, such as Citus where tables are distributed by scope, look at all that is due instead, and give it as one page.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from livecore.kernel.storage.tables import TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import MOST_STEPS, DuePage, ScopePosition, page_of, period_of
from livecore_server.storage.layout import period_sql, quoted
from livecore_server.storage.postgres.connections.pipeline import Fault, Statement
from livecore_server.storage.postgres.shared.shared_query import Ask
from livecore_server.storage.postgres.sql.text import decoded, encoded

_UNSUPPORTED: Final = "0A000"


@cache
def _stepping_sql(index: TimeIndex) -> bytes:
    """The search from one scope to the next: after a period and a scope, up to a period, at most so many steps."""
    instant, period, table = quoted(index.column), period_sql(index.column), quoted(index.table.name)
    text = f"""
WITH RECURSIVE step (period, scope, at) AS (
  SELECT $1::BIGINT, $2::TEXT COLLATE "C", NULL::BIGINT
  UNION ALL
  SELECT later.period, later.scope, later.at FROM step CROSS JOIN LATERAL (
    SELECT {period}, scope, {instant} FROM {table}
    WHERE {instant} IS NOT NULL AND ({period}, scope) > (step.period, step.scope) AND {period} <= $3
    ORDER BY {period}, scope, {instant} LIMIT 1
  ) AS later (period, scope, at)
)
SELECT period, scope, at FROM step OFFSET 1 LIMIT $4"""  # noqa: S608 - declared names
    return text.encode()


@cache
def _grouped_sql(index: TimeIndex) -> bytes:
    """The same for all that is due up to a period."""
    instant, period, table = quoted(index.column), period_sql(index.column), quoted(index.table.name)
    text = (
        f"SELECT min({period}), scope, min({instant}) FROM {table} "  # noqa: S608 - declared names
        f"WHERE {instant} IS NOT NULL AND {period} <= $1 GROUP BY scope"
    )
    return text.encode()


class DueScopes:
    """The search over a connection."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._steps = True
        """Whether the engine can step through an index."""

    async def page(self, index: TimeIndex, until: Millis, after: ScopePosition) -> DuePage:
        """A page of the scopes after a place. Raises `Overloaded`, and what the connection raises."""
        last = b"%d" % period_of(until)
        if self._steps:
            period, scope = after
            parameters = (b"%d" % period, encoded(scope), last, b"%d" % MOST_STEPS)
            try:
                return await self._page(Statement(_stepping_sql(index), parameters), most=MOST_STEPS)
            except Fault as fault:
                if fault.code != _UNSUPPORTED:
                    raise
                self._steps = False
        return await self._page(Statement(_grouped_sql(index), (last,)))

    async def _page(self, statement: Statement, most: int | None = None) -> DuePage:
        (result,) = await self._ask([statement])
        rows = [tuple(result.get_value(row, at) or b"" for at in range(3)) for row in range(result.ntuples)]
        found = [(int(period), decoded(scope), int(at)) for period, scope, at in rows]
        return page_of(found, complete=most is None or len(found) < most)
