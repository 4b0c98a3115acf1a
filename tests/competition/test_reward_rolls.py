"""Granting what an attempt has won, and who did what to it (specification 3.4 and 4.4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import cast

import pytest

from livecore.access.audit import AUDIT
from livecore.access.member_rows import Role
from livecore.economy.grants import GRANTS
from livecore.kernel.errors import Json
from livecore.world import World, WorldPlayer
from tests.competition.forcing import (
    RACE,
    force,
    out_of_time,
    paid,
    roll,
    running,
    swept,
    taken_off,
    untouched,
)  # fmt: skip
from tests.competition.games import event, with_events
from tests.competition.playing import gold, score, started
from tests.worlds import Since, ask, config, rows_of

# -- rewards --------------------------------------------------------------------------------------------------------------


def test_rewards_are_rolled_once() -> None:
    """The milestones that were reached and completing, as they would have been by play; a second time is refused."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 40)
    force(here, attempt_id, 120)
    assert paid(here) == []
    rolled = roll(here, attempt_id)
    assert (rolled.status, rolled["grantCount"]) == (200, 3)
    assert paid(here) == [("event_completion", 5), ("event_milestone", 1), ("event_milestone", 2)]
    assert {row["sourceRefId"] for row in rolled.list("grants")} == {attempt_id}
    refused = roll(here, attempt_id)
    assert refused.refusal == (409, "rewards_already_granted")
    ids = {row["grantId"] for row in rolled.list("grants")}
    assert sorted(map(str, cast("list[Json]", refused["details.grantIds"]))) == sorted(map(str, ids))
    assert {row["grantId"] for row in ask(here.operator(), "attempts.get", attempt_id=attempt_id).list("grants")} == ids
    assert len(paid(here)) == 3


@pytest.mark.parametrize("claimed", [True, False])
def test_what_play_has_paid_is_not_rolled_again(claimed: bool) -> None:
    """A milestone on the way is enough to refuse; whether it was claimed or not."""
    here = with_events(RACE)
    anna = here.player("anna")
    attempt_id = score(anna, 60)
    if claimed:
        ask(anna, "grants.claim", grant_id=rows_of(here, GRANTS)[0].grant_id)
    force(here, attempt_id, 120)
    assert roll(here, attempt_id).refusal == (409, "rewards_already_granted")
    assert paid(here) == [("event_milestone", 1)]


def test_what_was_completed_by_play_is_not_rolled_again() -> None:
    """Its rewards were granted with it."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 100)
    assert roll(here, attempt_id).refusal == (409, "rewards_already_granted")


def test_what_the_studio_has_granted_for_the_attempt_counts() -> None:
    """A grant of the backend that names the attempt is linked to it."""
    here = with_events(RACE)
    attempt_id = started(here.player("anna"))
    force(here, attempt_id)
    entry = {"type": "currency", "resourceKey": "gold", "amount": 5}
    ask(
        here.server, "grants.create", external_id="anna", idempotency_key="g", entries=[entry], source_ref_id=attempt_id
    )
    assert roll(here, attempt_id).refusal == (409, "rewards_already_granted")


@pytest.mark.parametrize(
    ("reach", "status"),
    [(running, "in_progress"), (untouched, "in_progress"), (out_of_time, "expired"), (swept, "expired"),
     (taken_off, "expired")],
)  # fmt: skip
def test_only_completed_attempts_are_rewarded(reach: Callable[[World, WorldPlayer], str], status: str) -> None:
    """Any other is refused with its state."""
    here = with_events(RACE)
    attempt_id = reach(here, here.player("anna"))
    granted = paid(here)
    refused = roll(here, attempt_id)
    assert (refused.refusal, refused.details) == ((409, "attempt_not_completed"), {"status": status})
    assert paid(here) == granted


def test_the_window_says_what_is_won() -> None:
    """As it was when the window opened, also after it is closed and the event pays something else."""
    here = with_events(RACE)
    attempt_id = started(here.player("anna"))
    force(here, attempt_id, 60)
    here.advance(minutes=30)
    here.configure({**config(), "events": [{**RACE, "completionRewards": [gold(77)], "milestones": []}]})
    assert roll(here, attempt_id)["grantCount"] == 2
    assert paid(here) == [("event_completion", 5), ("event_milestone", 1)]


def test_an_event_that_pays_nothing() -> None:
    """There is nothing to grant, each time anew."""
    here = with_events(event())
    attempt_id = score(here.player("anna"), 5)
    force(here, attempt_id)
    for _ in range(2):
        assert roll(here, attempt_id).data["grants"] == []
    assert paid(here) == []


def test_the_rewards_go_to_whom_the_player_was_merged_into() -> None:
    """The attempt is theirs then."""
    here = with_events(RACE)
    attempt_id = started(here.player("anna"))
    force(here, attempt_id, 60)
    bert = here.player("bert")
    ask(here.server, "players.merge", external_id="anna", to_external_id="bert")
    assert roll(here, attempt_id)["attempt.externalPlayerId"] == "bert"
    assert {row.player_id for row in rows_of(here, GRANTS)} == {bert.player_id}


# -- who did it -----------------------------------------------------------------------------------------------------------


def test_both_are_audited() -> None:
    """Who, which attempt, whose, before and after, the reason, and how many grants."""
    here = with_events(RACE)
    anna = here.player("anna")
    attempt_id = score(anna, 40)
    force(here, attempt_id, 120)
    roll(here, attempt_id)
    entries = {row.action: row for row in rows_of(here, AUDIT)}
    forced, rolled = entries["admin:attempts.forceComplete"], entries["admin:attempts.retryRewardRoll"]
    for entry in (forced, rolled):
        assert (entry.target_kind, entry.target_id, entry.player_id) == ("attempt", attempt_id, anna.player_id)
        assert entry.member_id == ask(here.operator(), "session.get")["member.memberId"]
    assert json.loads(str(forced.before)) == {"status": "in_progress", "score": 40, "milestones": []}
    assert json.loads(str(forced.after)) == {
        "status": "completed", "score": 120, "milestones": ["half", "most", "bare"],
    }  # fmt: skip
    assert json.loads(str(forced.metadata)) == {"reason": "it hung"}
    assert json.loads(str(rolled.metadata)) == {"grantCount": 3}


def test_a_debugger_may_and_others_may_not() -> None:
    """The permissions of the specification; who may not is refused before the attempt is looked at."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 40)
    roles: tuple[Role, ...] = ("GAME_DEVELOPER", "VIEWER")
    for role in roles:
        desk = here.operator(f"{role.lower()}@example.com", role)
        for wanted in (attempt_id, "att_none"):
            refused = ask(desk, "attempts.forceComplete", attempt_id=wanted, reason="x")
            assert refused.details == {"permission": "attempt.force_complete"}
            refused = ask(desk, "attempts.retryRewardRoll", attempt_id=wanted)
            assert refused.details == {"permission": "grant.retry_reward_roll"}
    desk = here.operator("debugger@example.com", "GAME_DEBUGGER")
    assert ask(desk, "attempts.forceComplete", attempt_id=attempt_id, reason="x").status == 200
    assert ask(desk, "attempts.retryRewardRoll", attempt_id=attempt_id).status == 200


def test_repetitions_under_one_key() -> None:
    """The first answer comes again, and nothing happens twice."""
    here = with_events(RACE)
    attempt_id = score(here.player("anna"), 40)
    before = Since(here)
    for ask_again in (force, roll):
        first, again = (ask_again(here, attempt_id, idempotency_key=f"k {ask_again.__name__}") for _ in range(2))
        assert first.body == again.body
        assert again.header("Idempotent-Replay") == "true"
    assert len(before.of("event.force_completed")) == len(before.of("grant.created")) == 1
