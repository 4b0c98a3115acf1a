"""What the studio's members do to an attempt: complete it, and grant what it has won (specification 3.4 and 4.4).

Completing moves what a report of progress that reaches the target would move, in one transaction: the player's entry, the
shared leaderboards that the event feeds, the player's team, and the session of the lobby. It differs in three ways:

    validators   are not asked, because a person has decided
    score        may be set to any value that its metric can have, also a worse one; the shared leaderboards that the event
                 feeds then keep what they have, as they do when nothing is added
    rewards      are not granted; milestones that the score reaches are only noted with the attempt

What a completed attempt wins is granted by the other operation, once: the milestones that it has reached, and what
completing wins. It is refused if any grant is linked to the attempt, also one that was granted in the course of play.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from livecore.economy import grants
from livecore.events.attempt_ending import EXPIRE, judge_end, tell_waiting
from livecore.events.attempt_records import ATTEMPTS, Attempt, metrics_of, milestones_of
from livecore.events.attempts import require_in_play, status_now
from livecore.events.definition import EventDefinition
from livecore.events.format import formats_of
from livecore.events.operator_attempts import given, operator_row, require_attempt
from livecore.events.operator_rows import AttemptGiven, ForceComplete, RetryRewardRoll, RewardsRolled
from livecore.events.progressing import advanced, note, rank_shown, settle_attempt, with_keys
from livecore.events.refusals import AttemptNotCompleted, RewardsAlreadyGranted
from livecore.events.scoring import crossed
from livecore.events.webhook_events import EventForceCompleted
from livecore.events.window_records import WINDOWS, definition_of
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Change, Unit
from livecore.leaderboards.rewards import reward
from livecore.leaderboards.scores import feed, to_feed
from livecore.players.player import Player, by_id
from livecore.players.refusals import PlayerNotFound

_MOST_NAMED: Final = 10
"""How many grants a refusal names."""


# -- completing -----------------------------------------------------------------------------------------------------------


def force_complete(unit: Unit, args: ForceComplete) -> AttemptGiven:
    """Complete an attempt in progress; nothing is granted for it.

    Refusals, in order: `AttemptNotFound`, `PlayerNotFound` for a player who was erased, `AttemptFrozen`,
    `AttemptNotInProgress`, `ValidationFailed` for a score that the metric cannot have.
    """
    before = require_attempt(unit, args.attempt_id)
    player = _player_of(unit, before)
    window = require_in_play(unit, before)
    definition = definition_of(window)
    attempt = _with_score(unit, definition, before, args.score)
    attempt = evolve(attempt, status="completed", completed_at=unit.now)
    formats = formats_of(unit, window)
    for one in formats:
        one.before_progress(unit, attempt, window)
    tell_waiting(unit, player, before)
    unit.cancel(EXPIRE, attempt.attempt_id)
    unit.tx.put(ATTEMPTS, attempt)
    _announce(unit, before, attempt, args.reason)
    settle_attempt(unit, player, definition, attempt)
    if args.score is not None:
        note(unit, attempt, {definition.score_metric.key: args.score}, forced=True)
        _feed(unit, player, definition, before, args.score)
        for one in formats:
            one.scored(unit, attempt, window, before.score)
    unit.change = Change(_shown_for_audit(before), _shown_for_audit(attempt))
    unit.audit_metadata = {"reason": args.reason}
    rank = rank_shown(unit, attempt)
    judge_end(unit, attempt, "completed")
    return given(unit, operator_row(unit, attempt), rank)


def _player_of(unit: Unit, attempt: Attempt) -> Player:
    """The player of an attempt, whom the entry of the audit trail is then about. Raises `PlayerNotFound`."""
    player = by_id(unit, attempt.player_id)
    if player.gone:
        raise PlayerNotFound
    unit.player_id = player.player_id
    return player


def _with_score(unit: Unit, definition: EventDefinition, attempt: Attempt, score: int | None) -> Attempt:
    """The attempt with another score, if one is given, and with the milestones that it has reached then."""
    if score is None:
        return attempt
    metric = definition.score_metric
    if metric.aggregation == "sum" and score < 0:
        raise ValidationFailed({"score": f"must be at least 0, because '{metric.key}' is a sum"})
    attempt = advanced(unit, definition, attempt, {**metrics_of(attempt), metric.key: score}, flagged=False)
    reached = crossed(definition, attempt.score, milestones_of(attempt))
    return evolve(attempt, milestones=with_keys(attempt, (milestone.key for milestone in reached)))


def _feed(unit: Unit, player: Player, definition: EventDefinition, before: Attempt, score: int) -> None:
    """Pass a score that was set on to the shared leaderboards, as the report that would have led to it."""
    is_sum = definition.score_metric.aggregation == "sum"
    given = score - (before.score or 0) if is_sum else score
    unchanged = before.sort_key is not None and before.score == score
    if not unchanged and (given >= 0 or not is_sum):
        feed(unit, player, to_feed(unit, player, before.event_key, given, judged=False))


def _announce(unit: Unit, before: Attempt, attempt: Attempt, reason: str) -> None:
    unit.emit(
        EventForceCompleted(
            attempt_id=attempt.attempt_id,
            event_id=attempt.event_id,
            event_window_id=attempt.window_id,
            leaderboard_id=attempt.board_id,
            player_id=attempt.player_id,
            score=attempt.score,
            prior_score=before.score,
            completed_at=Timestamp(unit.now),
            actor_member_id=unit.actor.ref,
            reason=reason,
            milestones_fired=milestones_of(attempt),
        )
    )


def _shown_for_audit(attempt: Attempt) -> JsonObject:
    return {"status": attempt.status, "score": attempt.score, "milestones": list(milestones_of(attempt))}


# -- rewards --------------------------------------------------------------------------------------------------------------


def retry_reward_roll(unit: Unit, args: RetryRewardRoll) -> RewardsRolled:
    """Grant what a completed attempt wins: for the milestones that it has reached, and for being completed.

    Refusals, in order: `AttemptNotFound`, `PlayerNotFound` for a player who was erased, `AttemptNotCompleted`,
    `RewardsAlreadyGranted`.
    """
    attempt = require_attempt(unit, args.attempt_id)
    player = _player_of(unit, attempt)
    window = unit.tx.get(WINDOWS, attempt.window_id)
    if window is None or attempt.status != "completed":
        raise AttemptNotCompleted(status=status_now(attempt, window, unit.now))
    linked = grants.linked_to(unit, attempt.attempt_id, _MOST_NAMED)
    if linked:
        raise RewardsAlreadyGranted(grant_ids=[grant.grant_id for grant in linked])
    made = tuple(_roll(unit, player, definition_of(window), attempt))
    unit.audit_metadata = {"grantCount": len(made)}
    unit.change = Change({"grantIds": []}, {"grantIds": list(made)})
    rows = tuple(grants.row(grant) for grant_id in made if (grant := unit.tx.get(grants.GRANTS, grant_id)) is not None)
    return RewardsRolled(attempt=operator_row(unit, attempt), grants=rows, grant_count=len(made))


def _roll(unit: Unit, player: Player, definition: EventDefinition, attempt: Attempt) -> Iterator[str]:
    """Grant what an attempt has won; gives the grants' ids."""
    entries = {milestone.key: milestone.entries for milestone in definition.milestones}
    for key in milestones_of(attempt):
        grant_id = reward(unit, player, entries.get(key, ()), "event_milestone", attempt.attempt_id)
        if grant_id is not None:
            yield grant_id
    grant_id = reward(unit, player, definition.completion_rewards, "event_completion", attempt.attempt_id)
    if grant_id is not None:
        yield grant_id
