"""How merging and erasing change friendships, blocks, gifts and their counts.

A merge gives the source's relations to the target. The relation between the two is deleted. If both have a relation to the
same third player, the two relations become one: any block wins, then a friendship, then a request; of two equal ones the
older wins. The later gift cooldown holds, so that a merge lets nobody send sooner. If a block in the other relation ends a
friendship, no event reports that: `player.merged` is enough.

Erasure deletes all relations, also without an event for each. The gifts that the erased player could still have claimed
expire at once: a sender who paid gets the amount back (contract, player tools).
"""

from __future__ import annotations

from typing import Any, Final, get_args

from livecore.kernel.declarations.day_counts import unite_day_counts
from livecore.kernel.declarations.player_lifecycle import Erasing, EveryRow, Merging
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.units.unit import Unit
from livecore.social import claims
from livecore.social.gifts import GIFT_DAYS, RECEIVED
from livecore.social.relations import (
    OF_HIGH,
    OF_LOW,
    RELATIONS,
    Friendship,
    Relation,
    is_blocked,
    other_id,
    pair,
)

_TURNED: Final[dict[str, Any]] = {
    "low": "high",
    "high": "low",
    "asked_by_low": "asked_by_high",
    "asked_by_high": "asked_by_low",
}


# -- rules ----------------------------------------------------------------------------------------------------------------


def moved(relation: Relation, source: PlayerId, target: PlayerId) -> Relation:
    """A relation of the source as one of the target, whose id may be on the other side of the pair."""
    low, high = pair(target, other_id(relation, source))
    if (relation.low_id == source) == (low == target):
        return evolve(relation, low_id=low, high_id=high)
    return Relation(
        low_id=low,
        high_id=high,
        friendship=_TURNED.get(relation.friendship, relation.friendship),
        since=relation.since,
        request_id=relation.request_id,
        accepted_by=None if relation.accepted_by is None else _TURNED[relation.accepted_by],
        blocked_by_low_at=relation.blocked_by_high_at,
        blocked_by_high_at=relation.blocked_by_low_at,
        gifted_by_low_at=relation.gifted_by_high_at,
        gifted_by_high_at=relation.gifted_by_low_at,
    )


def united(one: Relation, other: Relation) -> Relation:
    """Two relations of the same pair as one."""
    stands = _standing(one, other)
    relation = evolve(
        stands,
        blocked_by_low_at=_earlier(one.blocked_by_low_at, other.blocked_by_low_at),
        blocked_by_high_at=_earlier(one.blocked_by_high_at, other.blocked_by_high_at),
        gifted_by_low_at=_later(one.gifted_by_low_at, other.gifted_by_low_at),
        gifted_by_high_at=_later(one.gifted_by_high_at, other.gifted_by_high_at),
    )
    if is_blocked(relation):
        return evolve(relation, friendship="none", request_id=None, accepted_by=None)
    return relation


def _standing(one: Relation, other: Relation) -> Relation:
    """The friendship that wins: friends before a request, a request before nothing, the older before the newer."""
    rank = {"friends": 0, "asked_by_low": 1, "asked_by_high": 1, "none": 2}
    return min(one, other, key=lambda relation: (rank[relation.friendship], relation.since, relation.request_id or ""))


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((at for at in (one, other) if at is not None), default=None)


def _later(one: int | None, other: int | None) -> int | None:
    return max((at for at in (one, other) if at is not None), default=None)


# -- what the player tools call --------------------------------------------------------------------------------------------


def relations_of(unit: Unit, player_id: PlayerId) -> list[Relation]:
    """Every relation of a player, also those that only hold the time of a gift."""
    return unit.tx.scan_all(
        Scan(index, (player_id, friendship)) for index in (OF_LOW, OF_HIGH) for friendship in get_args(Friendship)
    )


def unite_relations(unit: Unit, merging: Merging) -> None:
    """Give the target every relation of the source; those of the source go in bulk where they are many."""
    of_source = [
        EveryRow(index, (merging.source_id, friendship), None)
        for index in (OF_LOW, OF_HIGH)
        for friendship in get_args(Friendship)
    ]
    found = unit.tx.read_all(Scan(every.index, every.prefix) for every in of_source)
    coming = [
        moved(row, merging.source_id, merging.target_id)
        for rows in found
        for row in rows
        if other_id(row, merging.source_id) != merging.target_id
    ]
    of_target = unit.tx.read_all(Get(RELATIONS, (row.low_id, row.high_id)) for row in coming)
    for every, rows in zip(of_source, found, strict=True):
        every.apply(unit.tx, rows, changed=False)
    for row, held in zip(coming, of_target, strict=True):
        unit.tx.put(RELATIONS, row if held is None else united(held, row))


def unite_gift_days(unit: Unit, merging: Merging) -> None:
    """Add the gifts of both on the later day, because one player has one daily limit."""
    unite_day_counts(unit, merging, GIFT_DAYS, "sent")


def end_pending_gifts(unit: Unit, erasing: Erasing) -> None:
    """End the gifts that the player could still have claimed, with the usual expiry."""
    gifts = unit.tx.scan(RECEIVED, erasing.player_id, "pending")
    claims.bring_for_ending(unit, gifts)
    for gift in gifts:
        claims.end_now(unit, gift)
