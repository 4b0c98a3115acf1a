"""Emitted events against the catalog written by hand: the kinds of friends, gifts, players, grants and ledgers."""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract.walk import walked
from tests.webhooks.oracle import FIELDS

KINDS: Final = (
    "player.registered", "player.secret_set", "player.secret_rotated", "player.banned", "player.unbanned",
    "player.merged", "player.deleted",
    "friend.request_sent", "friend.request_accepted", "friend.removed", "gift.sent", "gift.claimed", "grant.created",
    "grant.claimed", "grant.expired", "wallet.changed", "inventory.changed", "purchase.tracked",
)  # fmt: skip
"""What the operations and sweeps of this release can cause."""


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_was_emitted_with_exactly_its_fields(kind: str) -> None:
    """Every payload of the walk has the written members, none more and none less."""
    payloads = [event.data for event in walked().events if event.kind == kind]
    assert payloads, f"the walk has not met {kind}"
    shown, ours = FIELDS[kind]
    for payload in payloads:
        assert set(payload) == {*shown.split(), *ours.split()}


def test_no_other_kind_was_emitted() -> None:
    """The walk has met no kind beyond these."""
    assert {event.kind for event in walked().events} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_payloads_name_players_by_both_ids(kind: str) -> None:
    """Wherever a payload has `…PlayerId` it has `…ExternalPlayerId` too, and they are ids of their sort."""
    for event in walked().events:
        if event.kind != kind:
            continue
        ids = [name for name in event.data if name == "playerId" or name.endswith("PlayerId")]
        internal = [name for name in ids if not name.lower().endswith("externalplayerid")]
        assert internal
        for name in internal:
            assert str(event.data[name]).startswith("plr_")
            outer = "externalPlayerId" if name == "playerId" else name.replace("PlayerId", "ExternalPlayerId")
            assert isinstance(event.data[outer], str)


def test_what_an_operation_emits() -> None:
    """How often each kind was emitted on the whole walk, counted by hand from the specification's tables."""
    counts = {kind: sum(event.kind == kind for event in walked().events) for kind in KINDS}
    assert counts == {
        # dora, anna, bert, carl, fred, gina, hugo and, by a grant, erik; only erik has no secret; dora was forced, bert
        # rotated
        "player.registered": 8,
        "player.secret_set": 7,
        "player.secret_rotated": 2,
        # carl, whose second ban only refreshed the reason
        "player.banned": 1,
        "player.unbanned": 1,
        # dora into erik, and erik; repeating either tells nobody
        "player.merged": 1,
        "player.deleted": 1,
        # anna to bert, carl to anna twice, anna to carl, anna to fred, gina and hugo to anna; the third of carl's meetings
        # is a reciprocal add
        "friend.request_sent": 7,
        "friend.request_accepted": 4,
        "friend.removed": 2,
        "gift.sent": 2,
        "gift.claimed": 1,
        # two gifts and four grants; claimed: one gift and two grants; the rest expired but for g3, which has no end
        "grant.created": 6,
        "grant.claimed": 3,
        "grant.expired": 2,
        # given 100; sent 5; claimed 5; two grants of 5; credit, debit; spent 1
        "wallet.changed": 8,
        # two swords by grants; potions granted, revoked, given; a sword consumed
        "inventory.changed": 6,
        # one of anna, who reported it and had it verified, one of bert
        "purchase.tracked": 2,
    }
