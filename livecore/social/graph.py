"""Reads of the social graph: a player's relations from both sides of the pair, as one list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from livecore.kernel.client_network import network_of
from livecore.kernel.errors import BadRequest, ValidationFailed
from livecore.kernel.storage.paging import PageRequest, page_of
from livecore.kernel.storage.reads import Count, Scan
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.players.player import BY_FRIEND_CODE, Player, require
from livecore.players.throttle import Parties, note_failure, refuse_when_throttled
from livecore.social.codes import normalise
from livecore.social.refusals import FriendCodeInvalid
from livecore.social.relations import (
    BLOCKS_OF_HIGH,
    BLOCKS_OF_LOW,
    OF_HIGH,
    OF_LOW,
    RELATIONS,
    Relation,
    asked_by,
    other_id,
    pair,
)

_Position: TypeAlias = "tuple[Index[Relation], Key]"


def relation_between(unit: Unit, one: Player, other: Player) -> Relation:
    """The pair's row, or an empty one."""
    low, high = pair(one.player_id, other.player_id)
    return unit.tx.get(RELATIONS, low, high) or Relation(low_id=low, high_id=high)


def target_of(
    unit: Unit, caller: Player, friend_code: str | None, external_id: str | None, self_refusal: type[BadRequest]
) -> Player:
    """The player whom a request names by code or by id, exactly one of the two.

    Raises `ValidationFailed` for both or neither, `self_refusal` for the caller, `FriendCodeInvalid` (throttled by player
    and by address, against guessing) or `PlayerNotFound`.
    """
    require_one_target(friend_code, external_id)
    if names_oneself(caller, friend_code, external_id):
        raise self_refusal
    if external_id is not None:
        return require(unit, external_id)
    parties: Parties = {
        "friend_code": caller.player_id,
        "friend_code_of_address": network_of(unit.origin.address),
    }
    target = unit.tx.find(BY_FRIEND_CODE, normalise(friend_code or ""))
    # Only now, when nothing has to be waited for any more: other requests may have failed in the meantime.
    refuse_when_throttled(unit, parties)
    if target is None:
        note_failure(unit, parties)
        raise FriendCodeInvalid.of(friend_code or "")
    return target


def require_one_target(friend_code: str | None, external_id: str | None) -> None:
    """Raises `ValidationFailed` unless exactly one of the two is given."""
    if (friend_code is None) == (external_id is None):
        both = "give exactly one of friendCode and externalPlayerId"
        raise ValidationFailed({"friendCode": both, "externalPlayerId": both})


def names_oneself(caller: Player, friend_code: str | None, external_id: str | None) -> bool:
    """Whether the code or the id is the caller's own."""
    if external_id is not None:
        return external_id == caller.external_id
    return friend_code is not None and normalise(friend_code) == caller.friend_code


# -- lists ----------------------------------------------------------------------------------------------------------------


def both_sides(low: _Position, high: _Position, page: PageRequest) -> Iterator[Scan[Relation]]:
    """Rows with the player as the low one, and rows with the player as the high one, newest first."""
    return (page.newest(index, *prefix) for index, prefix in (low, high))


def newest_first(rows: list[Relation], player_id: str) -> list[Relation]:
    """A player's relations in the order of lists: by time, then by the other player, the last ones first."""
    return sorted(rows, key=lambda row: (row.since, other_id(row, player_id)), reverse=True)


def friends(unit: Unit, player: Player, page: PageRequest) -> tuple[list[Relation], str | None]:
    """A page of the player's friendships, newest first."""
    me = player.player_id
    sides = both_sides((OF_LOW, (me, "friends")), (OF_HIGH, (me, "friends")), page)
    rows = newest_first(unit.tx.scan_all(sides), me)
    return page_of(rows, page, lambda row: (row.since, other_id(row, me)))


def blocks(unit: Unit, player: Player, page: PageRequest) -> tuple[list[tuple[Relation, Millis]], str | None]:
    """A page of the blocks that the player set, newest first, each with its time."""
    me = player.player_id
    found = unit.tx.scan_all(both_sides((BLOCKS_OF_LOW, (me,)), (BLOCKS_OF_HIGH, (me,)), page))
    rows = [(row, (row.blocked_by_low_at if row.low_id == me else row.blocked_by_high_at) or 0) for row in found]
    rows.sort(key=lambda item: (item[1], other_id(item[0], me)), reverse=True)
    return page_of(rows, page, lambda item: (item[1], other_id(item[0], me)))


# -- counts ---------------------------------------------------------------------------------------------------------------


def friend_counts(unit: Unit, players: Sequence[Player]) -> list[int]:
    """How many friends each of these players has."""
    counts = unit.tx.read_all(
        Count(index, (player.player_id, "friends")) for player in players for index in (OF_LOW, OF_HIGH)
    )
    return [low + high for low, high in zip(counts[::2], counts[1::2], strict=True)]


def outgoing_count(unit: Unit, player: Player) -> int:
    """How many open requests the player has sent."""
    me = player.player_id
    return sum(unit.tx.read_together(Count(OF_LOW, (me, asked_by("low"))), Count(OF_HIGH, (me, asked_by("high")))))


def block_count(unit: Unit, player: Player) -> int:
    """How many players the player has blocked."""
    me = player.player_id
    return sum(unit.tx.read_together(Count(BLOCKS_OF_LOW, (me,)), Count(BLOCKS_OF_HIGH, (me,))))
