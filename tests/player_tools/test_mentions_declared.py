"""Every shape says which of its fields name a player; what it does not say, erasure would not find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import attrs
import pytest

from livecore.api.areas import AREAS
from livecore.api.operations import OPERATIONS
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.mentions import may_name_anybody, mentioned
from livecore.kernel.wire.shapes import Absent
from livecore.player_tools.migration_rows import MigrateInventoryRow, MigratePlayerRow, MigrateWalletRow

ROWS_READ_LATER: Final = (MigratePlayerRow, MigrateWalletRow, MigrateInventoryRow)
SHAPES: Final = sorted(
    {
        *(operation.args for operation in OPERATIONS),
        *(kind for operation in OPERATIONS for kind in operation.answers.values()),
        *AREAS.events.values(),
        *ROWS_READ_LATER,
    },
    key=lambda kind: (kind.__module__, kind.__name__),
)
BY_PLAYER_ID: Final = re.compile(r"(?!.*external)(.*_)?player_ids?")
BY_EXTERNAL_ID: Final = re.compile(r"(?!anonymized)(.*_)?external_(player_)?ids?")


@shape
class CarelessRow:
    """Declares nothing."""

    friend_player_id: str


@shape
class Careless:
    """Holds such rows."""

    rows: tuple[CarelessRow, ...]


def filled(name: str, kind: Any, path: str, found: dict[str, str]) -> object:  # noqa: ANN401 - type expressions
    """A value with every field given, optional ones too; each text is its own path, and noted under its field's name."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return filled(name, parts[0], path, found)
    if origin in {Union, UnionType}:
        (kind,) = (part for part in parts if part not in {NoneType, Absent})
        return filled(name, kind, path, found)
    if origin is Literal:
        return parts[0]
    if origin is tuple:
        return tuple(filled(name, parts[0], f"{path}[{place}]", found) for place in range(2))
    if origin is dict:
        return {"externalPlayerId": "free-form", "playerId": "free-form"}
    if attrs.has(kind):
        return whole(kind, path, found)
    if kind is str:
        found[path] = name
        return path
    return Timestamp(0) if kind is Timestamp else kind()


def whole(kind: Any, path: str, found: dict[str, str]) -> Any:  # noqa: ANN401 - shapes have no common type
    """A shape with every field given."""
    attrs.resolve_types(kind)
    fields = attrs.fields(kind)
    return kind(**{each.name: filled(each.name, each.type, f"{path}.{each.name}", found) for each in fields})


def named(found: dict[str, str], pattern: re.Pattern[str]) -> list[str]:
    """The texts whose field is called as those are that name players."""
    return [path for path, name in found.items() if pattern.fullmatch(name)]


def declared_and_found(kind: type) -> Iterator[tuple[list[str], list[str]]]:
    """What a class declares, and what a walk over all of its texts finds, for both sorts of id."""
    found: dict[str, str] = {}
    value = whole(kind, kind.__name__, found)
    yield mentioned(value, "player_id"), named(found, BY_PLAYER_ID)
    yield mentioned(value, "external_id"), named(found, BY_EXTERNAL_ID)


@pytest.mark.parametrize("kind", SHAPES, ids=lambda kind: kind.__name__)
def test_what_is_called_an_id_of_a_player_is_declared_as_one(kind: type) -> None:
    """A walk over all texts of a value with every field given finds the same by their names."""
    for declared, found in declared_and_found(kind):
        # The one answer in which a player is simply the `id`, and whom a page of a leaderboard is `around`, or a list about.
        assert [path for path in declared if not path.endswith((".id", ".around", ".player"))] == found


def test_a_forgotten_declaration_is_found() -> None:
    """The walk would notice a plain text among them, at any depth."""
    (declared, found), _ = declared_and_found(Careless)
    assert declared == []
    assert found == ["Careless.rows[0].friend_player_id", "Careless.rows[1].friend_player_id"]


@pytest.mark.parametrize("kind", AREAS.events.values(), ids=lambda kind: str(kind.kind))
def test_whom_an_event_names_it_names_by_the_services_id(kind: type) -> None:
    """An event is found by that id alone, so nobody may be named by the studio's only."""
    (by_player, _), (by_external, _) = declared_and_found(kind)
    assert {path.replace("external_player_id", "player_id") for path in by_external} <= set(by_player)


def test_whom_a_kept_answer_names_it_names_by_the_studios_id() -> None:
    """A kept answer is found by that id alone; what may not tell who the players were is kept apart from this."""
    for operation in OPERATIONS:
        if operation.keyed and not operation.forgets:
            for kind in {operation.args, *operation.answers.values()}:
                (by_player, _), (by_external, _) = declared_and_found(kind)
                told = {path.replace("external_player_id", "player_id") for path in by_external}
                assert set(by_player) <= told, operation.id


ABOUT_GROUPS = {
    "server:lobbies.push",
    "server:teams.putRoster",
    "server:teams.update",
    "admin:teams.update",
    *(f"sdk:teams.{name}" for name in ("create", "join")),
    *(f"sdk:partners.{name}" for name in ("invite", "accept")),
    *(
        f"{surface}:guilds.{name}"
        for surface in ("server", "admin")
        for name in ("update", "removeMember", "transfer", "disband")
    ),
}
ABOUT_ATTEMPTS = {"admin:attempts.forceComplete", "admin:attempts.retryRewardRoll"}
"""Their paths name an attempt, and their answers its player."""
NAMES_ONE = {"admin:deliveries.replayMany", "admin:grants.create"}
"""Their bodies name a player, by whose id the answer is found."""


def test_only_what_brings_rows_may_name_anybody() -> None:
    """Its answer is forgotten with whoever is erased; every other one only with those whom it names."""
    may = {operation.id for operation in OPERATIONS if may_name_anybody(operation.args)}
    assert may == {"server:migrate.players", "server:migrate.wallet", "server:migrate.inventory"}
    # What is done with a guild, a lobby or a team shows its members, whom the answer's mentions name one by one.
    may |= ABOUT_GROUPS | ABOUT_ATTEMPTS | NAMES_ONE
    for operation in OPERATIONS:
        if operation.keyed and operation.subject == "none" and operation.id not in may:
            for kind in {operation.args, *operation.answers.values()}:
                assert [declared for declared, _ in declared_and_found(kind) if declared] == [], operation.id
