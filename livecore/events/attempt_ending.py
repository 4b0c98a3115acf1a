"""What is told of an attempt's progress, and how an attempt runs out of time.

Several reports of progress within five seconds are one `event.progress_updated`: the first schedules it as due work, and it
shows the state at the time when it is emitted. So a crash loses none. What is still waiting is emitted before the attempt's
last event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, Literal

from livecore.events.attempt_records import ATTEMPTS, Attempt, metrics_of, milestones_of
from livecore.events.format import every_format
from livecore.events.webhook_events import EventCompleted, EventExpired, EventProgressUpdated, MilestoneGranted
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import SECOND, Millis, Timestamp
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, by_id, player_reads, present

EXPIRE: Final = "competition.expire"
"""Due work: the time of the attempt with this id is over. One that lasts as long as its window ends with the window."""
UPDATED: Final = "competition.progress_updated"
"""Due work: tell of the progress of the attempt with this id."""
_DEBOUNCE: Final[Millis] = 5 * SECOND


def announce_progress(unit: Unit, attempt: Attempt) -> None:
    """Have the progress of an attempt told in a few seconds, unless that is scheduled already."""
    if unit.tx.get(DUE, UPDATED, attempt.attempt_id) is None:
        unit.schedule(UPDATED, attempt.attempt_id, unit.now + _DEBOUNCE)


def announce_due(unit: Unit, attempt_id: str) -> None:
    """Tell of an attempt's progress, as due work."""
    attempt = unit.tx.get(ATTEMPTS, attempt_id)
    if attempt is not None:
        _tell_progress(unit, by_id(unit, attempt.player_id), attempt)


def tell(
    unit: Unit,
    kind: type[EventCompleted | EventExpired | EventProgressUpdated | MilestoneGranted],
    player: Player,
    attempt: Attempt,
    **more: Any,  # noqa: ANN401 - the fields of each kind
) -> None:
    """Emit an event about an attempt: what it belongs to, its state and its times, and `more`, the kind's own fields."""
    unit.emit(
        kind(
            attempt_id=attempt.attempt_id,
            event_id=attempt.event_id,
            event_key=attempt.event_key,
            event_window_id=attempt.window_id,
            leaderboard_id=attempt.board_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            status=attempt.status,
            score=attempt.score,
            started_at=Timestamp(attempt.started_at),
            ends_at=Timestamp(attempt.ends_at),
            **more,
        )
    )


def _tell_progress(unit: Unit, player: Player, attempt: Attempt) -> None:
    metrics = dict(metrics_of(attempt))
    tell(unit, EventProgressUpdated, player, attempt, metrics=metrics, updated_at=Timestamp(unit.now))


def tell_waiting(unit: Unit, player: Player, attempt: Attempt) -> None:
    """Tell of an attempt's progress now, if that is still to come."""
    if unit.tx.get(DUE, UPDATED, attempt.attempt_id) is not None:
        unit.cancel(UPDATED, attempt.attempt_id)
        _tell_progress(unit, player, attempt)


def complete(unit: Unit, player: Player, attempt: Attempt) -> Attempt:
    """End an attempt that has reached its target; the caller stores it and pays the rewards."""
    attempt = evolve(attempt, status="completed", completed_at=unit.now)
    unit.cancel(EXPIRE, attempt.attempt_id)
    unit.cancel(UPDATED, attempt.attempt_id)
    _tell_progress(unit, player, attempt)
    tell(
        unit,
        EventCompleted,
        player,
        attempt,
        metrics=dict(metrics_of(attempt)),
        milestones_fired=milestones_of(attempt),
        completed_at=Timestamp(unit.now),
    )
    return attempt


def expire(unit: Unit, player: Player, attempt: Attempt, *, at: Millis | None = None) -> Attempt:
    """End an attempt in progress, because its time is over, or at an earlier moment; what it has scored stands."""
    return _expire(unit, player, attempt, unit.tx.read_all(works_of(attempt)), at)


def expire_all(unit: Unit, attempts: Sequence[Attempt], *, at: Millis) -> None:
    """End several attempts in progress at a moment, as `expire` does, with their reads asked for together."""
    players, works = unit.tx.read_lists(
        player_reads(attempt.player_id for attempt in attempts),
        chain.from_iterable(map(works_of, attempts)),
    )
    for number, (attempt, player) in enumerate(zip(attempts, map(present, players), strict=True)):
        _expire(unit, player, attempt, works[2 * number : 2 * number + 2], at)


def works_of(attempt: Attempt) -> tuple[Get[DueWork], Get[DueWork]]:
    """The reads of what may be due for an attempt: telling of its progress, and ending it."""
    return Get(DUE, (UPDATED, attempt.attempt_id)), Get(DUE, (EXPIRE, attempt.attempt_id))


def _expire(
    unit: Unit, player: Player, attempt: Attempt, works: Iterable[DueWork | None], at: Millis | None
) -> Attempt:
    ends_at = attempt.ends_at if at is None else min(attempt.ends_at, at)
    for work in works:
        if work is not None:
            unit.cancel(work.kind, work.ref)
            if work.kind == UPDATED:
                _tell_progress(unit, player, attempt)
    attempt = unit.tx.put(ATTEMPTS, evolve(attempt, status="expired", ends_at=ends_at))
    tell(unit, EventExpired, player, attempt, expired_at=Timestamp(ends_at))
    return attempt


def end_attempt(unit: Unit, player: Player, attempt: Attempt) -> Attempt:
    """End an attempt whose time was over before, and judge what follows from it."""
    attempt = expire(unit, player, attempt)
    judge_end(unit, attempt, "expired")
    return attempt


def judge_end(unit: Unit, attempt: Attempt, how: Literal["completed", "expired"]) -> None:
    """Let the formats judge what follows from the end of an attempt; its row and its entry must say so already."""
    for one in every_format(unit):
        one.ended(unit, attempt, how)


def expire_due(unit: Unit, attempt_id: str) -> None:
    """End an attempt whose time is over, as due work."""
    attempt = unit.tx.get(ATTEMPTS, attempt_id)
    if attempt is None:
        return
    for one in every_format(unit):
        # What should have happened before may be late.
        one.catch_up(unit, attempt)
    attempt = unit.tx.get(ATTEMPTS, attempt_id)
    if attempt is not None and attempt.status == "in_progress":
        attempt = expire(unit, by_id(unit, attempt.player_id), attempt)
    if attempt is not None and attempt.status == "expired":
        judge_end(unit, attempt, "expired")
