"""The steps of the numbered migrations, for both stores.

A step meets tables as an earlier version left them. So it reads and writes only columns that the recorded layout has, and
has SQL of its own, which both stores run. It may be repeated, because an engine that commits statements one by one can be
interrupted between two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from livecore.kernel.words import beginnings
from livecore_server.storage.layout import ColumnLayout, Layout, renamed_column, with_column, without_key_indexes


class MigratedDatabase(Protocol):
    """What a migration needs of the database whose transaction is open."""

    code_point: str
    """The function of SQL that gives the code point of a character."""

    def rows(self, sql: str, *values: str | int | None) -> list[tuple[str | None, ...]]:
        """Run a statement with the parameters `$1`, `$2` and so on; returns its rows, with every value as a text."""

    def insert_texts(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Insert any number of rows of texts."""

    def has_column(self, table: str, column: str) -> bool:
        """Whether the table exists and has the column, whatever is recorded."""

    def grow(self, before: Layout, after: Layout) -> None:
        """Create what a layout has more than another."""

    def drop_indexes(self, before: Layout, after: Layout) -> None:
        """Drop the indexes that a layout has no more."""


# -- 2: search uses the words of `livecore.kernel.words`, so its entries are made again

_AT_ONCE: Final = 5_000
_HIDING: Final = ("merged_into", "erased_at")
"""Columns that are not null where search must not find a player. A database may be older than either of them."""


def renew_search_words(database: MigratedDatabase, layout: Layout) -> Layout:
    """Replace every player's search entries by those of the name that others see; the layout stays."""
    if "search_entries" not in layout:
        return layout
    database.rows("DELETE FROM search_entries")
    shown = "".join(f" AND {column} IS NULL" for column in _HIDING if column in layout["players"].columns)
    players = (
        "SELECT scope, player_id, coalesce(name, pool_name) FROM players"  # noqa: S608 - declared names
        f" WHERE (scope, player_id) > ($1, $2){shown} ORDER BY scope, player_id LIMIT $3"
    )
    last: tuple[str | None, ...] = ("", "")
    while found := database.rows(players, *last[:2], _AT_ONCE):
        entries = [
            (scope or "", player_id or "", text) for scope, player_id, name in found for text in beginnings(name or "")
        ]
        database.insert_texts("search_entries", ("scope", "player_id", "text"), entries)
        last = found[-1]
    return layout


# -- 4: a player's count of merges and erasures gets a plain name


def rename_epoch(database: MigratedDatabase, layout: Layout) -> Layout:
    """Rename the column, and drop the tables of an older ephemeral state, which only PostgreSQL had."""
    if database.has_column("players", "upheavals"):
        database.rows("ALTER TABLE players RENAME COLUMN upheavals TO epoch")
    for name in ("livecore_counters", "livecore_facts", "livecore_news_head"):
        database.rows(f"DROP TABLE IF EXISTS {name}")
    return renamed_column(layout, "players", "upheavals", "epoch")


# -- 5: an index of the same columns as the key is one too many


def drop_key_indexes(database: MigratedDatabase, layout: Layout) -> Layout:
    """Drop the indexes that repeat a table's key."""
    slim = without_key_indexes(layout)
    database.drop_indexes(layout, slim)
    return slim


# -- 6: the sums of purchases get their verified parts, computed from the purchases themselves

# A new column alone would be 0 everywhere, as if nothing that was bought before had been verified. Not every engine divides
# integers to an integer.
_DAY: Final = "CAST((purchased_at - purchased_at % 86400000) / 86400000 AS BIGINT)"
_VERIFIED_SUMS: Final = (
    """
    UPDATE spend_totals AS kept SET verified_cents = found.cents FROM (
      SELECT scope, player_id, CAST(sum(cents) AS BIGINT) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, player_id
    ) AS found WHERE kept.scope = found.scope AND kept.player_id = found.player_id
    """,
    f"""
    UPDATE spend_days AS kept SET verified_cents = found.cents FROM (
      SELECT scope, player_id, {_DAY} AS day, CAST(sum(cents) AS BIGINT) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, player_id, {_DAY}
    ) AS found
    WHERE kept.scope = found.scope AND kept.player_id = found.player_id AND kept.day = found.day
    """,  # noqa: S608 - a constant
    f"""
    UPDATE product_days AS kept SET verified_cents = found.cents FROM (
      SELECT scope, {_DAY} AS day, product_id, {{part}} AS part, CAST(sum(cents) AS BIGINT) AS cents FROM purchases
      WHERE validation_status = 'verified' GROUP BY scope, {_DAY}, product_id, {{part}}
    ) AS found
    WHERE kept.scope = found.scope AND kept.day = found.day AND kept.product_id = found.product_id
      AND kept.part = found.part
    """,  # noqa: S608 - a constant
)


def add_verified_sums(database: MigratedDatabase, layout: Layout) -> Layout:
    """Add the column to the three tables of sums, and fill it."""
    after = layout
    for table in ("spend_totals", "spend_days", "product_days"):
        after = with_column(after, table, "verified_cents", ColumnLayout("integer", default="0"))
    database.grow(layout, after)
    if after != layout:
        part = f"{database.code_point}(substr(purchase_id, length(purchase_id))) % 8"
        for text in _VERIFIED_SUMS:
            database.rows(text.format(part=part))
    return after


# -- 7: guilds that ended before it lose their metadata thirty days after their end as well

_DATE_METADATA: Final = """
UPDATE guilds SET metadata_until = disbanded_at + 2592000000 WHERE disbanded_at IS NOT NULL AND metadata IS NOT NULL
"""


def date_disbanded_metadata(database: MigratedDatabase, layout: Layout) -> Layout:
    """Add the column that says when, and fill it for guilds that have ended."""
    after = with_column(layout, "guilds", "metadata_until", ColumnLayout("integer", nullable=True))
    database.grow(layout, after)
    if after != layout:
        database.rows(_DATE_METADATA)
    return after
