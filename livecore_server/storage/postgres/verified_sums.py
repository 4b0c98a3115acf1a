"""Migration 6 on PostgreSQL: like `livecore_server.storage.sqlite.verified_sums`, in statements that may be repeated."""

from __future__ import annotations

from typing import Final

__all__ = ["VERIFIED_SUMS"]

# Not every engine divides integers to an integer.
VERIFIED_SUMS: Final = (
    """
    UPDATE spend_totals AS kept SET verified_cents = found.cents FROM (
      SELECT scope, player_id, CAST(sum(cents) AS BIGINT) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, player_id
    ) AS found WHERE kept.scope = found.scope AND kept.player_id = found.player_id
    """,
    """
    UPDATE spend_days AS kept SET verified_cents = found.cents FROM (
      SELECT scope, player_id, CAST(floor(purchased_at / 86400000) AS BIGINT) AS day, CAST(sum(cents) AS BIGINT) AS cents
      FROM purchases WHERE validation_status = 'verified'
      GROUP BY scope, player_id, CAST(floor(purchased_at / 86400000) AS BIGINT)
    ) AS found
    WHERE kept.scope = found.scope AND kept.player_id = found.player_id AND kept.day = found.day
    """,
    """
    UPDATE product_days AS kept SET verified_cents = found.cents FROM (
      SELECT scope, CAST(floor(purchased_at / 86400000) AS BIGINT) AS day, product_id,
        ascii(right(purchase_id, 1)) % 8 AS part, CAST(sum(cents) AS BIGINT) AS cents
      FROM purchases WHERE validation_status = 'verified'
      GROUP BY scope, CAST(floor(purchased_at / 86400000) AS BIGINT), product_id, ascii(right(purchase_id, 1)) % 8
    ) AS found
    WHERE kept.scope = found.scope AND kept.day = found.day AND kept.product_id = found.product_id
      AND kept.part = found.part
    """,
)
"""The verified parts of the three kinds of sums, computed from the purchases."""
