"""The search for scopes where something is due, in a file (`livecore_server.storage.due_scopes`)."""

from __future__ import annotations

import sqlite3
from functools import cache

from livecore.kernel.storage.tables import TimeIndex
from livecore.kernel.time import Millis
from livecore_server.storage.due_scopes import MOST_STEPS, DuePage, ScopePosition, page_of, period_of
from livecore_server.storage.layout import period_sql, quoted


@cache
def search_sql(index: TimeIndex) -> str:
    """The search from one scope to the next: after a period and a scope, up to a period, at most so many steps.

    SQLite does not use an index over an expression to compare pairs. So a step looks for a later scope of the same period,
    and then for the first one of a later period. Within one period the period is left out of the order: SQLite does not see
    that an expression is fixed, and would sort all that is left of the period for each step.
    """
    instant, period, table = quoted(index.column), period_sql(index.column), quoted(index.table.name)

    def first(condition: str, order: str) -> str:
        return (
            f"SELECT rowid FROM {table} WHERE {instant} IS NOT NULL AND {condition} "  # noqa: S608 - declared names
            f"ORDER BY {order}scope, {instant} LIMIT 1"
        )

    return f"""
WITH RECURSIVE step (period, scope, at) AS (
  SELECT :period, :scope, NULL
  UNION ALL
  SELECT {period_sql(index.column, "later.")}, later.scope, later.{instant} FROM step CROSS JOIN {table} AS later
  WHERE later.rowid = coalesce(
    ({first(f"{period} = step.period AND scope > step.scope AND step.period <= :last", "")}),
    ({first(f"{period} > step.period AND {period} <= :last", f"{period}, ")})
  )
  LIMIT :most
)
SELECT period, scope, at FROM step WHERE at IS NOT NULL"""  # noqa: S608 - declared names


def due_page(connection: sqlite3.Connection, index: TimeIndex, until: Millis, after: ScopePosition) -> DuePage:
    """A page of the scopes after a place. Raises `sqlite3.Error`."""
    period, scope = after
    values = {"period": period, "scope": scope, "last": period_of(until), "most": MOST_STEPS + 1}
    found = connection.execute(search_sql(index), values).fetchall()
    return page_of(found, complete=len(found) < MOST_STEPS)
