"""Applies the declared policies of all tables to one player's rows.

The tools know no single feature. They go through every table that declares a player column, in the order of the tables'
names, and apply the declared policy. If an area has its own function for a table, they call that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from livecore.kernel.area import Areas
from livecore.kernel.player_lifecycle import clear_all, places_of, rewrite_all
from livecore.kernel.reads import Scan
from livecore.kernel.records import PlayerId, evolve
from livecore.kernel.store import Reader, Transaction
from livecore.kernel.tables import Index, Key, Merge, PlayerColumn, Table
from livecore.players.player import PLAYERS

__all__ = ["clear", "empty", "player_columns", "reassign", "still_named", "tables_of_players"]


def tables_of_players(areas: Areas) -> Iterator[Table[Any]]:
    """Every table with a column that names a player, by name."""
    return (table for table in areas.tables if table.players)


def player_columns(areas: Areas) -> Iterator[tuple[Table[Any], str, PlayerColumn]]:
    """Every column that names a player, with its declaration."""
    return ((table, name, held) for table in tables_of_players(areas) for name, held in table.players.items())


def _is_key(table: Table[Any], column: str) -> bool:
    """Whether the player's id is the whole key, so that a player has at most one row."""
    return table.key == (column,)


def still_named(areas: Areas, reader: Reader, player_id: str) -> Iterator[tuple[Table[Any], str]]:
    """Every table and column that still names a merged player, although it should not."""
    for table, column, held in player_columns(areas):
        if held.merge is Merge.RETAIN or (table is PLAYERS and _is_key(table, column)):
            continue
        if _is_key(table, column):
            found = reader.get(table, (player_id,)) is not None
        else:
            found = any(_has_rows(reader, index, prefix) for index, prefix in places_of(table, column, player_id))
        if found:
            yield table, column


def _has_rows(reader: Reader, index: Index[Any], prefix: Key) -> bool:
    return bool(reader.scan(Scan(index, prefix, limit=1)))


def reassign(tx: Transaction, table: Table[Any], column: str, source: PlayerId, target: PlayerId) -> None:
    """Replace the source by the target in a column, in all rows."""
    for index, prefix in places_of(table, column, source):
        rewrite_all(tx, index, prefix, {column: target})


def clear(tx: Transaction, table: Table[Any], column: str, player_id: PlayerId) -> None:
    """Delete every row that names a player in a column."""
    if _is_key(table, column):
        tx.delete(table, player_id)
        return
    for index, prefix in places_of(table, column, player_id):
        clear_all(tx, index, prefix)


def empty(tx: Transaction, table: Table[Any], column: str, player_id: PlayerId) -> None:
    """Empty the personal columns of every row that names a player in a column."""
    values = dict.fromkeys(table.players[column].personal)
    if not values:
        return
    if not _is_key(table, column):
        for index, prefix in places_of(table, column, player_id):
            rewrite_all(tx, index, prefix, values)
        return
    row = tx.get(table, player_id)
    if row is not None:
        tx.put(table, evolve(row, **values))
