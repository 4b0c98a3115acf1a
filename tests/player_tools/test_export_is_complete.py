"""The export is held against the tables: what names a player or was filled by one is in it, or has a reason not to be.

This goes by columns, so that a feature that stores something more about players cannot be forgotten: its test fails until
somebody has decided.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from livecore import World
from livecore.api.areas import AREAS
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.storage.records import Column
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Timestamp
from livecore.player_tools.export import LISTS
from livecore.player_tools.schema import export_schema
from tests.contract.stories import MARK
from tests.player_tools.exported_columns import SHOWN, WITHHELD
from tests.player_tools.exported_life import full_life
from tests.player_tools.marked import traces
from tests.worlds import ask, rows_of

TABLES = {table.name: table for table in AREAS.tables}
DAYS = {"gift_days", "gift_days_received", "purchase_report_days", "stored_bytes"}
"""Tables whose `day` is a number."""
OTHERWISE = {
    ("audit_entries", "action"): "without the surface, as the audit list shows it",
    ("audit_entries", "address"): "only the player's own",
    ("audit_entries", "before"): "without the texts of guilds",
    ("audit_entries", "after"): "without the texts of guilds",
    ("crate_openings", "rolls"): "pairs in the table, and rows on the wire",
    ("grants", "entries"): "with the parameters",
    ("grants", "parameters"): "with the entries",
    ("holdings", "parameters"): "with those that the game declares",
    ("leaderboard_rejections", "latest"): "the names of fields differ",
    ("attempts", "ends_at"): "or the end of the window, where that is earlier",
    ("attempts", "rejections"): "the names of fields differ",
    ("purchases", "fx_rate"): "a number",
    ("relations", "request_id"): "while the request is open",
    ("webhook_deliveries", "endpoint_id"): "by the endpoint's key",
    ("webhook_events", "data"): "without other players",
    ("webhook_events", "other_player_id"): "the player is one of the two",
    ("webhook_events", "player_id"): "the player is one of the two",
}
"""Columns whose values the export shows in another form; tests of their own look at them."""


def unaccounted(tables: Iterable[Any]) -> set[str]:
    """The columns of these tables about which nothing was decided, or two things."""
    return {
        f"{table.name}.{column.name}"
        for table in tables
        for column in table.columns
        if (column.name in SHOWN.get(table.name, {})) == (column.name in WITHHELD.get(table.name, {}))
    }


@pytest.fixture(scope="module")
def full() -> World:
    """A world in which everything was done, and nothing was delivered."""
    return full_life()


@pytest.fixture(scope="module")
def bundle(full: World) -> JsonObject:
    """The marked player's export."""
    return ask(full.server, "players.export", external_id=MARK).data


def _with_players_texts(world: World) -> set[str]:
    """The tables in whose rows the marker stands, which the player has filled."""
    return {
        name
        for scope, tables in world.store.dump().items()
        if scope == world.scopes[0].id
        for name, rows in tables.items()
        if any(next(traces(row), None) for row in rows)
    }


def test_every_column_is_shown_or_withheld_for_a_reason(full: World) -> None:
    """Of every table that names players, and of every one into which a player's texts go; and nothing else is listed."""
    concerned = {table.name for table in AREAS.tables if table.players} | _with_players_texts(full)
    assert unaccounted(TABLES[name] for name in concerned) == set()
    listed = {(name, column) for part in (SHOWN, WITHHELD) for name, columns in part.items() for column in columns}
    assert listed <= {(name, column.name) for name, table in TABLES.items() for column in table.columns}
    assert concerned <= {name for name, _ in listed}


def test_a_new_column_is_noticed() -> None:
    """A column that somebody adds to any of these tables is at fault until it is decided; so is a table more."""
    for name in {*SHOWN, *WITHHELD}:
        table = TABLES[name]
        larger = SimpleNamespace(name=name, columns=(*table.columns, Column("planted", "text", nullable=True)))
        assert unaccounted([table]) == set()
        assert unaccounted([larger]) == {f"{name}.planted"}
    planted = SimpleNamespace(name="planted", columns=(Column("player_id", "text", names_player=True),))
    assert unaccounted([planted]) == {"planted.player_id"}


def test_a_table_names_the_lists_that_show_it() -> None:
    """The declaration of a table and the paths of its columns say the same."""
    for name, columns in SHOWN.items():
        table = TABLES[name]
        if table.players:
            lists = {path.partition(".")[0] for paths in columns.values() for path in paths.split("|")}
            assert table.export is not None
            assert set(table.export) & lists, name
            assert lists <= {*table.export, "player", *LISTS}, name


def test_every_path_is_one_of_the_published_schema() -> None:
    """So no column is said to be shown where nothing is."""
    schema = export_schema()
    for name, columns in SHOWN.items():
        for column, paths in columns.items():
            for path in paths.split("|"):
                assert _is_in(schema, schema, path.split(".")), f"{name}.{column}: {path}"


def _is_in(root: Any, schema: Any, steps: list[str]) -> bool:  # noqa: ANN401 - JSON
    if "$ref" in schema:
        return _is_in(root, root["$defs"][schema["$ref"].rpartition("/")[2]], steps)
    if not steps:
        return True
    if schema.get("type") == "array":
        return _is_in(root, schema["items"], steps)
    if "anyOf" in schema:
        return any(_is_in(root, option, steps) for option in schema["anyOf"])
    first, *rest = steps
    return first in schema.get("properties", {}) and _is_in(root, schema["properties"][first], rest)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_what_the_rows_hold_is_in_the_export(name: str, full: World, bundle: JsonObject) -> None:
    """Every value of the player's own rows stands at its path; and every column that is shown has had one to compare."""
    rows = list(_rows_about(full, TABLES[name]))
    assert rows
    missing = {
        f"{column}={value!r}"
        for row in rows
        for column, paths in SHOWN[name].items()
        if (name, column) not in OTHERWISE and (value := getattr(row, column)) is not None
        if not _is_shown(name, column, value, [one for path in paths.split("|") for one in _at(bundle, path)])
    }
    assert missing == set()


def _rows_about(world: World, table: Table[Any]) -> Iterator[Any]:
    """The rows that name the player; of events and deliveries those that wait; of guilds those of the player."""
    me = world.player(MARK).player_id
    if table.name == "webhook_deliveries" or table.name in {"webhook_events", "event_mentions"}:
        named = {
            row.event_id
            for row in rows_of(world, TABLES["webhook_events"])
            if me in (row.player_id, row.other_player_id)
        }
        named |= {row.event_id for row in rows_of(world, TABLES["event_mentions"]) if row.player_id == me}
        rows = [row for row in rows_of(world, table) if row.event_id in named]
        yield from (row for row in rows if getattr(row, "player_id", me) == me or table.name == "webhook_events")
    elif table.name == "guilds":
        mine = {row.guild_id for row in rows_of(world, TABLES["guild_stints"]) if row.player_id == me}
        yield from (row for row in rows_of(world, table) if row.guild_id in mine)
    else:
        shown = (row for row in rows_of(world, table) if any(getattr(row, column) == me for column in table.players))
        yield from (row for row in shown if _counts(table, row, me))


def _counts(table: Table[Any], row: Any, me: str) -> bool:  # noqa: ANN401 - rows have no common type
    """Whether a row is in a list: a removed entry, a used invitation, what two once were, another's message are not."""
    if table.name == "players":
        return bool(row.player_id == me)
    if table.name == "leaderboard_entries":
        return row.sort_key is not None
    if table.name == "partner_invites":
        return row.team_id is None
    if table.name == "relations":
        return row.friendship != "none" or row.blocked_by_low_at is not None or row.blocked_by_high_at is not None
    return table.name != "gifts" or row.sender_id == me


def _at(value: Json, path: str) -> list[Json]:
    """All values at a path, in every row of its lists."""
    found: list[Json] = [value]
    for step in path.split("."):
        found = [member for one in found for member in (one if isinstance(one, list) else [one])]
        found = [one[step] for one in found if isinstance(one, dict) and one.get(step) is not None]
    return [member for one in found for member in ([one, *one] if isinstance(one, list) else [one])]


def _is_shown(table: str, column: str, value: Any, shown: list[Json]) -> bool:  # noqa: ANN401 - a column's value
    if table in DAYS and column == "day":
        return (dt.date(1970, 1, 1) + dt.timedelta(days=value)).isoformat() in shown
    if value in shown:
        return True
    if isinstance(value, int) and value > 1_000_000_000_000:
        return Timestamp(value).wire in shown
    return isinstance(value, str) and value[:1] in {"[", "{"} and json.loads(value) in shown


def _columns(part: Mapping[str, Mapping[str, str]]) -> set[tuple[str, str]]:
    return {(name, column) for name, columns in part.items() for column in columns}


def test_the_exceptions_of_form_are_still_columns() -> None:
    """None is left over."""
    assert OTHERWISE.keys() <= _columns(SHOWN)
    assert all(reason for part in (SHOWN, WITHHELD) for columns in part.values() for reason in columns.values())
    assert attrs.has(Column)
