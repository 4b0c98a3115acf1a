"""Whom a shape names: what its fields declare is read, wherever it stands, and nothing else."""

from __future__ import annotations

from typing import Annotated

import pytest

from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.mentions import may_name_anybody, mentioned, mentions_of, most_mentions
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    ExternalPlayerId,
    Items,
    ReadLater,
    ShownExternalId,
    ShownPlayerId,
)


@shape
class Member:
    """Somebody, by both ids; a bot has none."""

    player_id: ShownPlayerId | None
    external_player_id: ShownExternalId | None
    name: str


@shape
class Pair:
    """Two who belong together, and perhaps a witness."""

    first: Member
    second: Member
    witness: Member | None | Absent = ABSENT


@shape
class Party:
    """Everything in which a player may be named."""

    host: ShownExternalId
    pairs: Annotated[tuple[Pair, ...], Items(0, 9)]
    guests: tuple[ExternalPlayerId, ...]
    metadata: dict[str, object]
    note: str
    cook: ShownExternalId | Absent = ABSENT


@shape
class Knot:
    """Something that holds itself."""

    inner: Knot | None


@shape
class Batch:
    """Rows that are read one by one."""

    rows: tuple[Annotated[object, ReadLater(Member)], ...]


def member(name: str) -> Member:
    """A member with both ids."""
    return Member(player_id=f"plr_{name}", external_player_id=name, name=f"Mr {name}")


BOT = Member(player_id=None, external_player_id=None, name="bot")
PARTY = Party(
    host="host",
    pairs=(
        Pair(first=member("a"), second=BOT, witness=None),
        Pair(first=member("b"), second=member("a"), witness=member("w")),
    ),
    guests=("g1", "g2"),
    metadata={"externalPlayerId": "free", "player_id": "plr_free"},
    note="nobody",
    cook="cook",
)


def test_every_declared_field_is_read_in_the_order_of_the_fields() -> None:
    """In nested shapes, in lists, under what may be null or absent; free-form members and plain texts are not."""
    assert mentioned(PARTY, "external_id") == ["host", "a", "b", "a", "w", "g1", "g2", "cook"]
    assert mentioned(PARTY, "player_id") == ["plr_a", "plr_b", "plr_a", "plr_w"]


def test_what_is_null_or_absent_names_nobody() -> None:
    """And a class without such fields never does."""
    assert mentioned(Pair(first=BOT, second=BOT), "external_id") == []
    assert mentioned(Pair(first=BOT, second=BOT, witness=BOT), "player_id") == []
    assert mentioned("a text", "external_id") == []


def test_how_many_it_may_name() -> None:
    """As many as it has fields for, or any number where it has a list."""
    assert most_mentions(Member, "player_id") == 1
    assert most_mentions(Pair, "external_id") == 3
    assert most_mentions(Party, "external_id") is None
    assert most_mentions(Batch, "external_id") == 0


def test_rows_that_are_read_later_may_name_anybody() -> None:
    """Which no other shape may."""
    assert may_name_anybody(Batch)
    assert not may_name_anybody(Party)


def test_a_shape_that_holds_itself_is_refused() -> None:
    """At the first use of its class, not for one value in a million."""
    with pytest.raises(TypeError, match="Knot"):
        mentions_of(Knot, "player_id")


def test_the_reading_function_is_made_once() -> None:
    """For each class and sort of id."""
    assert mentions_of(Party, "player_id") is mentions_of(Party, "player_id")
    assert mentions_of(Party, "player_id") is not mentions_of(Party, "external_id")
