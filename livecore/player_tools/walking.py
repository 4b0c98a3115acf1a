"""Applies the declared policies of all tables to one player's rows.

The tools know no single feature. They go through every table that declares a player column, in the order of the tables'
names, and apply the declared policy. If an area has its own function for a table, they call that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import EveryRow, OneRow, references_of
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Index, Key, Merge, PlayerColumn, Table, Value
from livecore.players.player import PLAYERS


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
            found = any(_has_rows(reader, index, prefix) for index, prefix in references_of(table, column, player_id))
        if found:
            yield table, column


def _has_rows(reader: Reader, index: Index[Any], prefix: Key) -> bool:
    return bool(reader.scan(Scan(index, prefix, limit=1)))


def reassigned(table: Table[Any], column: str, source: PlayerId, target: PlayerId) -> Iterator[EveryRow]:
    """The target replaces the source in a column, in all rows."""
    for index, prefix in references_of(table, column, source):
        yield EveryRow(index, prefix, {column: target})


def deleted(table: Table[Any], column: str, player_id: PlayerId) -> Iterator[EveryRow | OneRow]:
    """Every row that names a player in a column is deleted."""
    return _changed(table, column, player_id, None)


def emptied(table: Table[Any], column: str, player_id: PlayerId) -> Iterator[EveryRow | OneRow]:
    """The personal columns of every row that names a player in a column are emptied."""
    values = dict.fromkeys(table.players[column].personal)
    return _changed(table, column, player_id, values) if values else iter(())


def _changed(
    table: Table[Any], column: str, player_id: PlayerId, values: Mapping[str, Value] | None
) -> Iterator[EveryRow | OneRow]:
    if _is_key(table, column):
        yield OneRow(table, (player_id,), values)
        return
    for index, prefix in references_of(table, column, player_id):
        yield EveryRow(index, prefix, values)
