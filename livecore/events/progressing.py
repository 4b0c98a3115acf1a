"""Progress of an attempt: all metrics of a report are taken or none, and all that follows from them is one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from livecore.events.attempt_ending import announce_progress, complete, judge_end, tell, works_of
from livecore.events.attempt_records import ATTEMPTS, PROGRESS, Attempt, AttemptProgress, metrics_of, milestones_of
from livecore.events.attempts import reads_of_rows, require_in_play, require_own, row, rows_among
from livecore.events.boards import rank_of, settle, standing
from livecore.events.definition import EventDefinition
from livecore.events.format import every_format, formats_of
from livecore.events.rejections import note_report
from livecore.events.rows import AttemptView, GetAttempt, MilestoneReached, Progressed, ReportProgress
from livecore.events.scoring import crossed, progressed, score_of
from livecore.events.webhook_events import AttemptFlagged, MilestoneGranted
from livecore.events.window_records import WINDOWS, EventWindow, definition_of
from livecore.kernel.errors import RecordedRefusal
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.kernel.wire import compact
from livecore.leaderboards.boards import BOARDS, ENTRIES, BoardEntry, entries_on, place_of, sort_key_of
from livecore.leaderboards.exclusions import require_not_excluded
from livecore.leaderboards.rewards import reward
from livecore.leaderboards.scores import Feeding, feed, feeding_reads, to_feed
from livecore.leaderboards.scoring import reaches
from livecore.leaderboards.standings import standings
from livecore.leaderboards.validators import Finding, Sample, judged, rejecting
from livecore.players.player import Player, acting


@value
class _Report:
    """Progress that no validator rejects: what was given, what the metrics become, and what it adds to leaderboards."""

    given: Mapping[str, int]
    after: Mapping[str, int]
    findings: Sequence[Finding]
    feeding: Feeding | None


# -- rules ----------------------------------------------------------------------------------------------------------------


def _samples(attempt: Attempt, given: Mapping[str, int], after: Mapping[str, int], now: int) -> dict[str, Sample]:
    """What validators see of a report; a rate is measured since the attempt began."""
    before = metrics_of(attempt)
    return {
        key: Sample(
            metric=key,
            before=before.get(key),
            after=after[key],
            gained=after[key],
            # A clock that was set back must not make a rate negative.
            elapsed=max(0, now - attempt.started_at),
        )
        for key in given
    }


# -- operations -----------------------------------------------------------------------------------------------------------


def progress(unit: Unit, args: ReportProgress) -> Progressed | RecordedRefusal:
    """Take progress.

    Refusals, in order: `EventNotFound`, `AttemptNotFound`, `ExcludedFromBoard`, `AttemptFrozen`, `AttemptNotInProgress`,
    `ValidationFailed` for metrics, `AntiCheatRejected`, which is kept with the attempt.
    """
    player = acting(unit)
    attempt = require_own(unit, player, GetAttempt(key=args.key, attempt_id=args.attempt_id))
    unit.tx.read_all(_reads_to_take(unit, attempt))
    require_not_excluded(unit, attempt.board_id, player.player_id)
    window = require_in_play(unit, attempt)
    definition = definition_of(window)
    after = progressed(definition.metrics, metrics_of(attempt), args.metrics)
    score = definition.score_metric.key
    findings: list[Finding] = []
    if definition.validators:
        findings += judged(definition.validators, _samples(attempt, args.metrics, after, unit.now), score)
    rejection = rejecting(findings)
    # Everything is judged before anything is written: of what is rejected only that is kept.
    feeding = None
    if rejection is None and score in args.metrics:
        feeding = to_feed(unit, player, args.key, args.metrics[score])
        rejection = feeding.rejection
    if rejection is not None:
        return note_report(unit, attempt, rejection)
    return _take(unit, player, attempt, window, _Report(args.metrics, after, findings, feeding))


def _reads_to_take(unit: Unit, attempt: Attempt) -> Iterator[Read[Any]]:
    """What progress of an attempt reads, as far as it follows from the attempt and the configuration."""
    yield Get(WINDOWS, (attempt.window_id,))
    yield Get(BOARDS, (attempt.board_id,))
    yield Get(ENTRIES, (attempt.board_id, attempt.player_id))
    yield from works_of(attempt)
    for one in every_format(unit):
        yield from one.reads_to_progress(unit, attempt)
    yield from feeding_reads(unit, attempt.player_id, attempt.event_key)


def _take(unit: Unit, player: Player, attempt: Attempt, window: EventWindow, report: _Report) -> Progressed:
    """Write a report that is not rejected, and all that follows from it."""
    definition, formats = definition_of(window), formats_of(unit, window)
    for one in formats:
        one.before_progress(unit, attempt, window)
    score_before = attempt.score
    attempt = advanced(unit, definition, attempt, report.after, flagged=bool(report.findings))
    milestones = _milestones(unit, player, definition, attempt)
    if milestones:
        attempt = evolve(attempt, milestones=with_keys(attempt, (milestone.key for milestone in milestones)))
    for finding in report.findings:
        _emit_flagged(unit, player, attempt, finding)
    if definition.target is not None and reaches(definition.order, attempt.score, definition.target):
        attempt = complete(unit, player, attempt)
        reward(unit, player, definition.completion_rewards, "event_completion", attempt.attempt_id)
    else:
        announce_progress(unit, attempt)
    unit.tx.put(ATTEMPTS, attempt)
    note(unit, attempt, report.given)
    settle_attempt(unit, player, definition, attempt)
    if report.feeding is not None:
        feed(unit, player, report.feeding)
        for one in formats:
            one.scored(unit, attempt, window, score_before)
    rank = None if attempt.sort_key is None else rank_of(unit, attempt.board_id, attempt.player_id)
    if attempt.status == "completed":
        judge_end(unit, attempt, "completed")
    return Progressed(attempt=row(unit, attempt), milestones=milestones, rank=rank)


def get_attempt(unit: Unit, args: GetAttempt) -> AttemptView:
    """One attempt of a player, and the player's rank. Raises `EventNotFound` and `AttemptNotFound`."""
    attempt = require_own(unit, acting(unit), args)
    found, (own,) = unit.tx.read_lists(
        reads_of_rows(unit, (attempt,)), [entries_on(attempt.board_id, attempt.player_id)]
    )
    (shown,) = rows_among(unit, (attempt,), found)
    return AttemptView(attempt=shown, rank=rank_among(unit, attempt, own))


def rank_shown(unit: Unit, attempt: Attempt) -> int | None:
    """The rank of the entry that shows an attempt, or of the player's best one where another attempt stands."""
    if attempt.sort_key is None:
        return None
    return rank_among(unit, attempt, unit.tx.scanned(entries_on(attempt.board_id, attempt.player_id)))


def rank_among(unit: Unit, attempt: Attempt, own: Sequence[BoardEntry]) -> int | None:
    """`rank_shown`, with the player's entries on the board."""
    if attempt.sort_key is None:
        return None
    # A merge takes entries off the board.
    places = [(entry.attempt_id, place) for entry in own if (place := place_of(entry)) is not None]
    shown = [place for attempt_id, place in places if attempt_id == attempt.attempt_id]
    place = min(shown or [place for _, place in places], default=None)
    return None if place is None else standings(unit, attempt.board_id).rank(place)


def advanced(
    unit: Unit, definition: EventDefinition, attempt: Attempt, after: Mapping[str, int], *, flagged: bool
) -> Attempt:
    """The attempt with these values of its metrics, which are one more report."""
    score = score_of(definition, after)
    stands_since = attempt.reached_at if attempt.sort_key is not None and score == attempt.score else unit.now
    return evolve(
        attempt,
        metrics=JsonText(compact(dict(after))),
        score=score,
        sort_key=None if score is None else sort_key_of(definition.order, score),
        reached_at=None if score is None else stands_since,
        steps=attempt.steps + 1,
        flagged=attempt.flagged or flagged,
    )


def _milestones(
    unit: Unit, player: Player, definition: EventDefinition, attempt: Attempt
) -> tuple[MilestoneReached, ...]:
    found = []
    for milestone in crossed(definition, attempt.score, milestones_of(attempt)):
        grant_id = reward(unit, player, milestone.entries, "event_milestone", attempt.attempt_id)
        found.append(MilestoneReached(key=milestone.key, threshold=milestone.threshold, grant_id=grant_id))
        tell(
            unit,
            MilestoneGranted,
            player,
            attempt,
            milestone_key=milestone.key,
            threshold=milestone.threshold,
            grant_id=grant_id,
            granted_at=Timestamp(unit.now),
        )
    return tuple(found)


def with_keys(attempt: Attempt, reached: Iterable[str]) -> JsonText:
    """The milestones of an attempt that has reached further ones, as its row holds them."""
    keys = list(reached)
    return JsonText(json.dumps([*milestones_of(attempt), *keys], separators=(",", ":"))) if keys else attempt.milestones


def _emit_flagged(unit: Unit, player: Player, attempt: Attempt, finding: Finding) -> None:
    unit.emit(
        AttemptFlagged(
            attempt_id=attempt.attempt_id,
            event_id=attempt.event_id,
            event_key=attempt.event_key,
            player_id=player.player_id,
            external_player_id=player.external_id,
            validator_key=finding.validator.key,
            reason=finding.reason,
            metric_snapshot=finding.snapshot,
            flagged_at=Timestamp(unit.now),
        )
    )


def note(unit: Unit, attempt: Attempt, given: Mapping[str, int], *, forced: bool = False) -> None:
    """Keep the report, from which the checker computes the metrics again."""
    unit.tx.insert(
        PROGRESS,
        AttemptProgress(
            attempt_id=attempt.attempt_id,
            number=attempt.steps,
            given=JsonText(compact(dict(given))),
            at=unit.now,
            forced=forced,
        ),
    )


def settle_attempt(unit: Unit, player: Player, definition: EventDefinition, attempt: Attempt) -> None:
    """Bring the player's entry up to date: of several attempts in a window another one may stand on the board."""
    if attempt.sort_key is None:
        return
    alone = attempt.number == 1 or definition.attempts.counts == "last"
    stands = attempt if alone else standing(unit, definition, player.player_id, attempt.board_id)
    board = unit.tx.get(BOARDS, attempt.board_id)
    if board is not None:
        settle(unit, board, player, stands)
