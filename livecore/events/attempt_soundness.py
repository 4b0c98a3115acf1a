"""The invariants of attempts.

attempts  each belongs to a window and a board, ends when it is to, has the metrics that its reports of progress add up to,
          and stands on its board no better than the player's entry there
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from livecore.events.attempt_ending import EXPIRE
from livecore.events.attempt_records import ATTEMPTS, PROGRESS_OF_ATTEMPT, Attempt, AttemptProgress, metrics_of
from livecore.events.definition import EventDefinition
from livecore.events.scoring import begun, progressed, score_of
from livecore.events.window_records import WINDOWS, EventWindow, definition_of
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS, Leaderboard, entries_on, sort_key_of


def _needs(attempt: Attempt) -> Iterator[AnyRead]:
    yield Get(WINDOWS, (attempt.window_id,))
    yield Get(BOARDS, (attempt.board_id,))
    yield entries_on(attempt.board_id, attempt.player_id)
    yield Get(DUE, (EXPIRE, attempt.attempt_id))
    yield Scan(PROGRESS_OF_ATTEMPT, (attempt.attempt_id,))


def _judge(reader: Reader, attempt: Attempt) -> Iterator[str]:
    window = reader.get(WINDOWS, (attempt.window_id,))
    board = reader.get(BOARDS, (attempt.board_id,))
    if window is None or window.event_id != attempt.event_id:
        yield "belongs to a window that does not exist"
        return
    if board is None or board.window_id != attempt.window_id:
        yield "belongs to a board that does not exist"
        return
    yield from _judge_times(reader, attempt, window)
    yield from _judge_score(attempt, board)
    reports = all_under(reader, PROGRESS_OF_ATTEMPT, attempt.attempt_id)
    if len(reports) != attempt.steps:
        yield f"has {attempt.steps} reports of progress, and {len(reports)} are stored"
    elif not _adds_up(definition_of(window), attempt, reports):
        yield "has other metrics than its reports of progress add up to"
    if attempt.sort_key is not None and board.finalized_at is None:
        yield from _judge_entry(reader, attempt, window)


def _judge_times(reader: Reader, attempt: Attempt, window: EventWindow) -> Iterator[str]:
    if (attempt.status == "completed") != (attempt.completed_at is not None) and attempt.status != "expired":
        yield f"is {attempt.status}, and says otherwise when it was completed"
    if attempt.status != "in_progress":
        return
    if window.status == "closed":
        yield "is in progress in a window that is closed"
    if attempt.ends_at < window.ends_at and reader.get(DUE, (EXPIRE, attempt.attempt_id)) is None:
        yield "is in progress and will not expire"


def _judge_score(attempt: Attempt, board: Leaderboard) -> Iterator[str]:
    if attempt.sort_key is None:
        return
    if attempt.score is None or attempt.reached_at is None:
        yield "is on a board without a score"
    elif attempt.sort_key != sort_key_of(board.order, attempt.score):
        yield "is sorted by something else than its score"


def _adds_up(definition: EventDefinition, attempt: Attempt, reports: list[AttemptProgress]) -> bool:
    metrics = begun(definition.metrics)
    try:
        for report in reports:
            given = json.loads(report.given)
            metrics = metrics | given if report.forced else progressed(definition.metrics, metrics, given)
    except ValidationFailed:
        return False
    return metrics == metrics_of(attempt) and score_of(definition, metrics) == attempt.score


def _judge_entry(reader: Reader, attempt: Attempt, window: EventWindow) -> Iterator[str]:
    definition = definition_of(window)
    found = reader.scan(entries_on(attempt.board_id, attempt.player_id))
    standing = [entry for entry in found if entry.sort_key is not None]
    own = next((entry for entry in standing if entry.attempt_id == attempt.attempt_id), None)
    if not standing:
        if found and window.status == "closing":
            # The close has left the player out, who is banned, and has not made the board final yet.
            return
        yield "has a score, and the player has no entry on the board"
    elif own is not None and (own.score, own.reached_at) != (attempt.score, attempt.reached_at):
        yield "has another score than the entry that shows it"
    elif definition.attempts.counts == "best" and (attempt.sort_key or 0) < min(
        entry.sort_key or 0 for entry in standing
    ):
        yield "is better than the attempt that is on the board"


RULES: Final[tuple[Rule[Any], ...]] = (Rule(table=ATTEMPTS, needs=_needs, judge=_judge),)
