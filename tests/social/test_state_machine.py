"""Every standing and every trigger of friendship, from both sides of the pair, against the table written by hand."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.kernel.time import MINUTE, Timestamp
from livecore.social.relations import RELATIONS
from livecore.world import WorldPlayer
from tests.social.standings import OUTCOMES, STANDINGS, TRIGGERS, Outcome, arrange, standing_of, trigger
from tests.worlds import Since, gift, rows_of

PAIRS = [(standing, name) for standing in STANDINGS for name in TRIGGERS]


def test_the_table_is_complete() -> None:
    """Every pair of standing and trigger has an outcome, the forbidden ones too."""
    assert {(standing, name) for standing, row in OUTCOMES.items() for name in row} == set(PAIRS)
    assert len(PAIRS) == 70


@pytest.mark.parametrize("first", ["anna", "bert"])
@pytest.mark.parametrize(("standing", "name"), PAIRS)
def test_outcome_of_each_trigger_in_each_standing(standing: str, name: str, first: str) -> None:
    """Answer, standing afterwards and events are exactly the table's, whichever of the two has the lower id."""
    actor, other, request_id = arrange(standing, first=first)
    seen = Since(actor.world)
    reply = trigger(name, actor, other, request_id)
    status, code, after, kinds = OUTCOMES[standing][name]
    assert reply.refusal == (status, code)
    assert seen.kinds == sorted(kinds)
    assert standing_of(actor, other) == after.partition("_")[0].replace("blocked", after)
    assert len(rows_of(actor.world, RELATIONS)) == 1


@pytest.mark.parametrize(("standing", "name"), [pair for pair in PAIRS if OUTCOMES[pair[0]][pair[1]][0] == 200])
def test_a_repetition_leaves_the_row_alone(standing: str, name: str) -> None:
    """Adding, accepting or blocking again answers as before and changes no column."""
    actor, other, request_id = arrange(standing)
    before = rows_of(actor.world, RELATIONS)
    trigger(name, actor, other, request_id)
    outcome: Outcome = OUTCOMES[standing][name]
    assert (rows_of(actor.world, RELATIONS) == before) == (outcome[2] == standing)


def _ids(actor: WorldPlayer, other: WorldPlayer, one: str, two: str) -> dict[str, str | None]:
    return {
        f"{one}layerId" if one == "p" else f"{one}PlayerId": actor.player_id,
        "externalPlayerId" if one == "p" else f"{one}ExternalPlayerId": actor.external_id,
        f"{two}PlayerId": other.player_id,
        f"{two}ExternalPlayerId": other.external_id,
    }


def test_payload_of_a_request() -> None:
    """`friend.request_sent` names the requester, the target, the request and its time."""
    actor, other, _ = arrange("none")
    seen = Since(actor.world)
    reply = trigger("add", actor, other, "")
    (payload,) = seen.of("friend.request_sent")
    assert payload == {
        **_ids(actor, other, "requester", "target"),
        "requestId": reply["request.requestId"],
        "createdAt": Timestamp(actor.world.now).wire,
    }


@pytest.mark.parametrize(("name", "reciprocal"), [("accept", False), ("add", True)])
def test_payload_of_an_acceptance(name: str, reciprocal: bool) -> None:
    """`friend.request_accepted` carries the original request's id; `playerId` is whoever acted last."""
    actor, other, request_id = arrange("incoming")
    seen = Since(actor.world)
    trigger(name, actor, other, request_id)
    (payload,) = seen.of("friend.request_accepted")
    assert payload == {
        **_ids(actor, other, "p", "friend"),
        "requestId": request_id,
        "reciprocal": reciprocal,
        "friendsSince": Timestamp(actor.world.now).wire,
    }


@pytest.mark.parametrize(("name", "reason"), [("remove", "removed"), ("block", "blocked")])
def test_payload_of_a_removal(name: str, reason: str) -> None:
    """`friend.removed` says who ended the friendship, and how."""
    actor, other, request_id = arrange("friends_accepted_by_other")
    seen = Since(actor.world)
    trigger(name, actor, other, request_id)
    (payload,) = seen.of("friend.removed")
    assert payload == {
        **_ids(actor, other, "p", "friend"),
        "reason": reason,
        "removedAt": Timestamp(actor.world.now).wire,
    }


def test_a_third_player_finds_no_request() -> None:
    """Nobody else can accept, decline or cancel a request by its id."""
    actor, other, request_id = arrange("incoming")
    stranger = actor.world.player("carl")
    for name in ("accept", "decline", "cancel"):
        assert trigger(name, stranger, other, request_id).refusal == (404, "friend_request_not_found")


def test_lifting_one_of_two_blocks_leaves_the_other() -> None:
    """Unblock lifts only one's own block, so an add stays refused until both have lifted theirs."""
    actor, other, _ = arrange("blocked_by_both")
    assert trigger("unblock", actor, other, "").status == 200
    assert trigger("add", actor, other, "").refusal == (403, "player_blocked")
    assert trigger("unblock", other, actor, "").status == 200
    assert trigger("add", actor, other, "").status == 201


def test_lifting_a_block_restores_no_friendship() -> None:
    actor, other, _ = arrange("friends_accepted_by_me")
    trigger("block", actor, other, "")
    trigger("unblock", actor, other, "")
    assert standing_of(actor, other) == "none"


def test_a_friendship_after_a_removal_has_a_request_of_its_own() -> None:
    """The id of an older request opens nothing once the two have parted and one has asked again."""
    actor, other, old = arrange("friends_accepted_by_me")
    trigger("remove", actor, other, "")
    fresh = trigger("add", other, actor, "").text("request.requestId")
    assert fresh != old
    assert trigger("accept", actor, other, old).refusal == (404, "friend_request_not_found")
    assert trigger("accept", actor, other, fresh).status == 200


ROWS: Final[dict[str, tuple[str, str | None, bool, bool, bool]]] = {
    "none": ("none", None, False, False, False),
    "outgoing": ("asked_by_{me}", None, True, False, False),
    "incoming": ("asked_by_{other}", None, True, False, False),
    "friends_accepted_by_me": ("friends", "{me}", True, False, False),
    "friends_accepted_by_other": ("friends", "{other}", True, False, False),
    "friends_by_my_add": ("friends", "{me}", True, False, False),
    "friends_by_their_add": ("friends", "{other}", True, False, False),
    "blocked_by_me": ("none", None, False, True, False),
    "blocked_by_other": ("none", None, False, False, True),
    "blocked_by_both": ("none", None, False, True, True),
}
"""The row in each standing: friendship, who accepted, whether it has a request id, the actor's and the other's block."""


@pytest.mark.parametrize("first", ["anna", "bert"])
@pytest.mark.parametrize("standing", STANDINGS)
def test_the_row_in_each_standing(standing: str, first: str) -> None:
    """One row for the unordered pair, the smaller id on its low side, and every column as the standing says."""
    actor, other, request_id = arrange(standing, first=first)
    (row,) = rows_of(actor.world, RELATIONS)
    assert (row.low_id, row.high_id) == tuple(sorted((actor.player_id, other.player_id)))
    low = row.low_id == actor.player_id
    sides = {"me": "low" if low else "high", "other": "high" if low else "low"}
    friendship, accepted, asked, mine, theirs = ROWS[standing]
    assert row.friendship == friendship.format(**sides)
    assert row.accepted_by == (None if accepted is None else accepted.format(**sides))
    assert row.request_id == (request_id if asked else None)
    blocks = (row.blocked_by_low_at, row.blocked_by_high_at)
    assert tuple(at is not None for at in (blocks if low else blocks[::-1])) == (mine, theirs)
    assert row.since == actor.world.now - MINUTE
    assert (row.gifted_by_low_at, row.gifted_by_high_at) == (None, None)


@pytest.mark.parametrize("first", ["anna", "bert"])
def test_the_row_remembers_who_gifted_whom(first: str) -> None:
    """The cooldown belongs to the directed pair, and no move of the friendship touches it."""
    actor, other, _ = arrange("friends_accepted_by_me", first=first)
    assert gift(actor, other, "xp", 1).status == 201
    at = actor.world.now
    for name in ("remove", "add", "block", "unblock"):
        trigger(name, actor, other, "")
        (row,) = rows_of(actor.world, RELATIONS)
        stamps = (row.gifted_by_low_at, row.gifted_by_high_at)
        assert (stamps if row.low_id == actor.player_id else stamps[::-1]) == (at, None)
