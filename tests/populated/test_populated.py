"""The populated game has every kind of thing there is, so that whoever looks at it has seen everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, get_args, get_origin

import attrs
import pytest

from livecore.api.areas import AREAS
from tests.populated.shared import opened, shared_game

_NO_ROWS: Final = {
    "answer_mentions": "answers that are kept until their request is repeated, of operations that reach several scopes",
    "session_use": "kept by the loop of a server",
    "stored_bytes": "what a player's client has stored today, where a deployment limits it",
}
_LACKS: Final = {
    ("event_windows", "status", "closing"): "windows close at once in a world",
    ("guild_donations", "asset_kind", "currency"): "the demo game's guilds help with an item",
    ("guild_help", "asset_kind", "currency"): "as above",
    ("guilds", "disbanded_for", "last_member_left"): "one way to end is enough for a page",
}
"""What the game does without, and why."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """All rows of the game, by their table."""
    found: dict[str, list[Any]] = {}
    with opened(shared_game(tmp_path_factory), tmp_path_factory.mktemp("populated")) as service:
        for tables in service.store.dump().values():
            for name, held in tables.items():
                found.setdefault(name, []).extend(held)
    return found


def values_of(kind: Any) -> Iterator[object]:  # noqa: ANN401 - any type
    """The values of the enumerations in a type."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif get_origin(kind) is not tuple:
        for part in get_args(kind):
            yield from values_of(part)


def test_every_table_has_rows(rows: dict[str, list[Any]]) -> None:
    """A table more is seen here: give the game something that it holds, or say why not."""
    assert {table.name for table in AREAS.tables} - rows.keys() == _NO_ROWS.keys()


def test_everything_is_there_in_every_state(rows: dict[str, list[Any]]) -> None:
    """Every value of an enumeration that a row may have, some row has."""
    lacks = set()
    for name, held in rows.items():
        kind = type(held[0])
        attrs.resolve_types(kind)
        for field in attrs.fields(kind):
            there = {getattr(row, field.name) for row in held} if list(values_of(field.type)) else set()
            lacks |= {(name, field.name, value) for value in values_of(field.type) if value not in there}
    assert lacks == _LACKS.keys()


def test_there_are_a_few_hundred_players(rows: dict[str, list[Any]]) -> None:
    """With hundreds of gifts, thousands of changes of balances, and weeks between the first and the last of them."""
    assert len(rows["players"]) > 200
    assert len(rows["gifts"]) > 100
    moments = [row.sent_at for row in rows["gifts"]]
    assert max(moments) - min(moments) > 14 * 86_400_000
