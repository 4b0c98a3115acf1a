"""What tables declare about players: complete, carried out by something, and true of the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from livecore import World
from livecore.api.areas import AREAS
from livecore.api.documents.examples import answer_example
from livecore.api.operations import OPERATIONS
from livecore.kernel.declarations.player_lifecycle import references_of
from livecore.kernel.storage.tables import Erase, Merge, Table, all_tables
from livecore.kernel.wire.mentions import most_mentions
from livecore.player_tools.export import LISTS
from livecore.player_tools.walking import player_columns
from livecore.players.player import PLAYERS
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.mentions import IN_ROW
from tests.contract.walk import walked
from tests.player_tools.marked import game, lived
from tests.player_tools.test_mentions_declared import ABOUT_GROUPS

OURS = [table for table in all_tables() if table.record.__module__.startswith("livecore.")]
OF_PLAYERS = [table for table in OURS if table.players]

NOT_DECLARED = {
    ("audit_entries", "metadata"): "who went into the player that the entry is about; emptied by erasure",
    ("audit_entries", "target_id"): "whom a change was about; the player is named in a column of its own",
    ("due_work", "cursor"): "where the sweep of streaks goes on, for a moment",
    ("due_work", "ref"): "whose texts are still to be emptied",
    ("idempotent_answers", "body"): "what a merge came to, for a day, by the service's own ids alone",
    ("idempotent_answers", "owner"): "part of the key; gone by erasure",
    ("leaderboard_entries", "participant"): "part of the key; the player is named in a column of its own",
    ("leaderboard_memberships", "participant"): "part of the key; the player is named in a column of its own",
    ("ledger_entries", "source_ref_id"): "whom a merge carried a balance over from; emptied by erasure",
    ("webhook_events", "data"): "what was told, for thirty days; emptied by erasure",
}
"""Where else the service's id of a player may stand, and why that is no player column."""


def test_every_table_is_named_by_the_area_that_declares_it() -> None:
    """What no area names, no tool would walk; the kernel's and the api's own are named by the api's."""
    for area in AREAS.all:
        homes = {"api", "kernel"} if area.name == "api" else {area.name}
        assert {table.record.__module__.split(".")[1] for table in area.tables} <= homes
    assert sorted(AREAS.tables, key=lambda table: table.name) == OURS


@pytest.mark.parametrize("table", OF_PLAYERS, ids=lambda table: table.name)
def test_every_table_of_players_says_what_an_export_shows(table: Table[Any]) -> None:
    """Which lists, or that it adds nothing to them; a table that says nothing was forgotten."""
    assert table.export is not None
    assert set(table.export) <= {*LISTS, "player"}


def test_every_list_of_an_export_is_filled() -> None:
    """By a function of an area; and every declared list is shown."""
    declared = {name for table in OF_PLAYERS for name in table.export or ()} - {"player"}
    assert declared == set(AREAS.exports)
    assert set(LISTS) == declared


@pytest.mark.parametrize("table", OF_PLAYERS, ids=lambda table: table.name)
def test_every_word_can_be_carried_out(table: Table[Any]) -> None:
    """A fold has its function, anonymising has columns or a function, and a player's rows can be found."""
    for column, held in table.players.items():
        assert held.merge is not Merge.FOLD or table in AREAS.folds
        if table is PLAYERS:
            continue
        assert held.erase is not Erase.ANONYMISE or held.personal or table in AREAS.erases
        by_word = held.merge in {Merge.REASSIGN, Merge.KEEP_TARGET} or held.erase is not Erase.RETAIN
        if by_word and table.key != (column,):
            assert list(references_of(table, column, "plr_x"))


@pytest.mark.parametrize("table", OF_PLAYERS, ids=lambda table: table.name)
def test_what_is_personal_can_be_emptied(table: Table[Any]) -> None:
    """Every personal column may be null."""
    nullable = {column.name for column in table.columns if column.nullable}
    assert {name for held in table.players.values() for name in held.personal} <= nullable


def _texts(value: object) -> Iterator[str]:
    """Every text in a column, also in the JSON that it may hold."""
    if isinstance(value, str):
        yield value
        if value[:1] in {"[", "{"}:
            with suppress(ValueError):
                yield from _texts_of_json(json.loads(value))


def _texts_of_json(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from _texts_of_json(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts_of_json(member)
    elif isinstance(value, str):
        yield from _texts(value)


def _full_worlds() -> Iterator[World]:
    yield walked().world
    world = World(game())
    world.unit_of_work(
        lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://studio.example/", events=["*"])
    )
    lived(world)
    yield world


def test_players_are_named_nowhere_else() -> None:
    """In two worlds in which everything has happened, every column that holds a player's id is declared or explained.

    This sees what types do not: ids in plain text columns, in keys, and in the JSON of others.
    """
    declared = {(table.name, column) for table, column, _ in player_columns(AREAS)}
    found = set()
    for world in _full_worlds():
        for tables in world.store.dump().values():
            ids = {row.player_id for row in tables.get("players", ())}
            for name, rows in tables.items():
                for column in _columns_of(name):
                    texts = {text for row in rows for text in _texts(getattr(row, column))}
                    if any(id_ in text for id_ in ids for text in texts):
                        found.add((name, column))
    assert found - declared == set(NOT_DECLARED) - {("due_work", "cursor"), ("due_work", "ref")}


def _columns_of(name: str) -> list[str]:
    (table,) = (table for table in OURS if table.name == name)
    return [column.name for column in table.columns]


def test_which_events_name_more_than_two_players() -> None:
    """The others fit into their own row. Who a guild's event is `by` is mostly one of the players whom it is about.

    An erasure names all who were merged into the player.
    """
    payloads: dict[str, Any] = dict(AREAS.events)
    most = {kind: most_mentions(payload, "player_id") for kind, payload in payloads.items()}
    assert {kind for kind, count in most.items() if count is None} == {
        "leaderboard.finalized",
        "leaderboard.period_finalized",
        "player.deleted",
    }
    assert {kind for kind, count in most.items() if count is not None and count > IN_ROW} == {"guild.help_donated"}


def test_only_what_is_about_groups_names_several_other_players() -> None:
    """So every other answer that is kept is found by its own row, and a gift writes no row more."""
    for operation in OPERATIONS:
        if operation.keyed and operation.id not in ABOUT_GROUPS:
            for status in operation.answers:
                assert most_mentions(operation.answers[status], "external_id") in {0, 1, 2}, operation.id
                example = answer_example(operation, status)
                assert len(set(_external_ids(example)) - {"sample-player-1"}) <= 1, operation.id


def _external_ids(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            if name.endswith("xternalPlayerId") and isinstance(member, str):
                yield member
            yield from _external_ids(member)
    elif isinstance(value, list):
        for member in value:
            yield from _external_ids(member)
