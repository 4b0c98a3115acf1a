"""What people write for people: which characters each operation takes in messages, reasons and names."""

from __future__ import annotations

from typing import Final, Literal, cast, get_origin

import attrs
import pytest

from livecore.api.documents.examples import argument_examples
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Operation
from livecore.kernel.errors import JsonObject, ValidationFailed, camel
from livecore.kernel.wire import decode
from livecore.player_tools.migration_rows import MigratePlayerRow

LINES: Final = "first line\r\nsecond line\n\tindented"
PROSE: Final = frozenset({"message", "reason"})
"""The fields that hold prose, whatever operation they belong to."""


def fields_of(entry: Operation, names: frozenset[str]) -> list[str]:
    """Which of these fields the operation takes as free text."""
    attrs.resolve_types(entry.args, include_extras=True)
    fields = [field for field in attrs.fields(entry.args) if field.name in names]
    return [field.name for field in fields if get_origin(field.type) is not Literal]


def told(entry: Operation, field: str, text: str) -> object:
    """What the operation reads in this field of an example request. Raises `ValidationFailed`."""
    example: JsonObject = {**argument_examples(entry, "path"), **argument_examples(entry, "body"), camel(field): text}
    return getattr(decode(cast("type[object]", entry.args), example), field)


def cases(names: frozenset[str]) -> list[tuple[Operation, str]]:
    """Every operation with each of these fields that it has."""
    return [(entry, field) for entry in OPERATIONS for field in fields_of(entry, names)]


@pytest.mark.parametrize(("entry", "field"), cases(PROSE), ids=lambda part: getattr(part, "id", part))
def test_prose_may_have_several_lines(entry: Operation, field: str) -> None:
    """A message or a reason is kept as it was written, line breaks and tabs too; no other control character is taken."""
    assert told(entry, field, LINES) == LINES
    for character in "\x00\x07\x0b\x1b\x7f\x85":
        with pytest.raises(ValidationFailed) as refused:
            told(entry, field, f"a{character}b")
        assert list(refused.value.fields) == [field]


def test_where_prose_is_taken() -> None:
    """The operations of the test above: gifts, bans, debug flags, asking to join, adjustments, and operators' reasons."""
    assert {f"{entry.id} {field}" for entry, field in cases(PROSE)} == {
        "sdk:gifts.send message", "sdk:wallet.debit reason", "sdk:inventory.consume reason", "server:players.ban reason",
        "server:players.flagDebug reason", "server:wallet.credit reason", "server:wallet.debit reason",
        "server:inventory.grant reason", "server:inventory.revoke reason", "sdk:guilds.join message",
        "admin:players.ban reason", "admin:players.flagDebug reason", "admin:wallet.adjust reason",
        "admin:inventory.adjust reason", "admin:inventory.setAttributes reason", "admin:grants.forceClaim reason",
        "admin:attempts.forceComplete reason",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["   ", "\u200b", "Anna\u202e", "\u2800", "An\nna"], ids=ascii)
def test_a_display_name_shows_something_by_whatever_way_it_comes(name: str) -> None:
    """From the player, from the studio, with a player who moves in, a guild's, and a team's."""
    naming = [entry for entry, _ in cases(frozenset({"name"}))]
    assert {entry.id for entry in naming} == {
        "sdk:players.setIdentity", "server:players.setIdentity", "sdk:guilds.create", "sdk:guilds.update",
        "server:guilds.update", "sdk:teams.create", "server:teams.putRoster", "server:teams.update", "admin:teams.update",
        "admin:studios.update", "admin:personalKeys.create", "admin:keys.create", "admin:games.create",
        "admin:guilds.update",
    }  # fmt: skip
    for entry in naming:
        with pytest.raises(ValidationFailed):
            told(entry, "name", name)
    with pytest.raises(ValidationFailed):
        decode(MigratePlayerRow, {"idempotencyKey": "m1", "externalPlayerId": "anna", "name": name})


@pytest.mark.parametrize("name", ["presence.heartbeat status", "players.setIdentity avatar"])
def test_a_label_is_one_line(name: str) -> None:
    """A status and the id of a picture are shown within a line."""
    operation, _, field = name.partition(" ")
    entry = next(entry for entry in OPERATIONS if entry.id == f"sdk:{operation}")
    with pytest.raises(ValidationFailed):
        told(entry, field, LINES)
