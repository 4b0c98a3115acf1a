"""Migration 6 on SQLite: the sums of purchases get their verified parts, computed from the purchases themselves.

A new column alone would be 0 everywhere, as if nothing that was bought before had been verified.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from livecore_server.storage.layout import ColumnLayout, Layout, with_column
from livecore_server.storage.sqlite.schema import grow

__all__ = ["add_verified_sums"]

_SUMS: Final = (
    """
    UPDATE spend_totals SET verified_cents = found.cents FROM (
      SELECT scope, player_id, sum(cents) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, player_id
    ) AS found WHERE spend_totals.scope = found.scope AND spend_totals.player_id = found.player_id
    """,
    """
    UPDATE spend_days SET verified_cents = found.cents FROM (
      SELECT scope, player_id, purchased_at / 86400000 AS day, sum(cents) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, player_id, purchased_at / 86400000
    ) AS found
    WHERE spend_days.scope = found.scope AND spend_days.player_id = found.player_id AND spend_days.day = found.day
    """,
    """
    UPDATE product_days SET verified_cents = found.cents FROM (
      SELECT scope, purchased_at / 86400000 AS day, product_id, unicode(substr(purchase_id, -1)) % 8 AS part,
        sum(cents) AS cents
      FROM purchases WHERE validation_status = 'verified'
      GROUP BY scope, purchased_at / 86400000, product_id, unicode(substr(purchase_id, -1)) % 8
    ) AS found
    WHERE product_days.scope = found.scope AND product_days.day = found.day
      AND product_days.product_id = found.product_id AND product_days.part = found.part
    """,
)


def add_verified_sums(connection: sqlite3.Connection, layout: Layout) -> Layout:
    """Add the column to the three tables of sums, and fill it."""
    after = layout
    for table in ("spend_totals", "spend_days", "product_days"):
        after = with_column(after, table, "verified_cents", ColumnLayout("integer", default="0"))
    grow(connection, layout, after)
    if after != layout:
        for text in _SUMS:
            connection.execute(text)
    return after
