"""Attempts: a player's tries at an event within one of its windows, and how each of them ends.

    start ──▶ in_progress ──target reached, completed by an operator──▶ completed
                   └──its time or the window is over, taken off the board──▶ expired

A player has at most one attempt in progress at an event. What is written of an attempt beside its row: each report of its
progress, from which `livecore check` computes its metrics again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from livecore.events.attempt_records import (
    ATTEMPTS,
    COUNTED,
    OF_PLAYER_AT_EVENT,
    OF_PLAYER_BY_STATUS,
    Attempt,
    Status,
    is_running,
    metrics_of,
    milestones_of,
)
from livecore.events.format import Rows, every_format, formats_of
from livecore.events.refusals import AttemptFrozen, AttemptNotFound, AttemptNotInProgress, EventNotFound
from livecore.events.rows import AttemptRow, Attempts, GetAttempt, ListAttempts
from livecore.events.window_records import EVENTS, WINDOWS, EventWindow
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, acting

# -- records --------------------------------------------------------------------------------------------------------------


# -- rules ----------------------------------------------------------------------------------------------------------------


def require_in_play(unit: Unit, attempt: Attempt) -> EventWindow:
    """The window of an attempt that takes progress now. Refusals, in order: `AttemptFrozen`, `AttemptNotInProgress`."""
    reads = _reads_of_row(unit, attempt)
    rows = dict(zip(reads, unit.tx.read_all(reads), strict=True))
    window: EventWindow | None = rows[Get(WINDOWS, (attempt.window_id,))]
    if window is not None:
        frozen_at = frozen_at_now(unit, attempt, window, rows)
        if frozen_at is not None:
            raise AttemptFrozen(lobby_id=attempt.lobby_id, frozen_at=Timestamp(frozen_at).wire)
    if window is None or not is_running(attempt, window, unit.now):
        raise AttemptNotInProgress(status=status_now(attempt, window, unit.now))
    for one in formats_of(unit, window):
        one.require_in_play(unit, attempt, window)
    return window


def status_now(attempt: Attempt, window: EventWindow | None, now: int) -> Status:
    """An attempt's state: past its time, or its window's, it is over, whether that was noted already or not."""
    over = attempt.status == "in_progress" and (window is None or not is_running(attempt, window, now))
    return "expired" if over else attempt.status


def frozen_at_now(unit: Unit, attempt: Attempt, window: EventWindow, rows: Rows) -> Millis | None:
    """Since when an attempt is frozen, whether due work has noted that or not; `None`: it is not.

    `rows` are those that the formats ask for to show it, by their reads, among others.
    """
    if attempt.frozen_at is not None or attempt.status != "in_progress":
        return attempt.frozen_at
    since: Millis | None = None
    for one in formats_of(unit, window):
        at = one.frozen_since(attempt, window, rows, unit.now)
        if at is not None and (since is None or at < since):
            since = at
    # An attempt whose own time was over before stays as it was.
    return since if since is not None and since < attempt.ends_at else None


# -- rows -----------------------------------------------------------------------------------------------------------------


def row(unit: Unit, attempt: Attempt) -> AttemptRow:
    """An attempt as clients see it: past its time, or its window's, it is over, whether that was noted already or not."""
    reads = _reads_of_row(unit, attempt)
    return _row(unit, attempt, dict(zip(reads, unit.tx.read_all(reads), strict=True)))


def rows(unit: Unit, attempts: Sequence[Attempt]) -> tuple[AttemptRow, ...]:
    """Several attempts as clients see them."""
    return rows_among(unit, attempts, unit.tx.read_all(reads_of_rows(unit, attempts)))


def reads_of_rows(unit: Unit, attempts: Iterable[Attempt]) -> list[Get[Any]]:
    """The reads that showing attempts takes: of their windows, and of what their formats show of those in progress."""
    return list(dict.fromkeys(read for attempt in attempts for read in _reads_of_row(unit, attempt)))


def _reads_of_row(unit: Unit, attempt: Attempt) -> list[Get[Any]]:
    reads: list[Get[Any]] = [Get(WINDOWS, (attempt.window_id,))]
    if attempt.status == "in_progress":
        for one in every_format(unit):
            reads += one.reads_to_show(attempt)
    return reads


def rows_among(unit: Unit, attempts: Sequence[Attempt], found: Sequence[object]) -> tuple[AttemptRow, ...]:
    """Several attempts as clients see them, with what `reads_of_rows` of them has found."""
    known = dict(zip(reads_of_rows(unit, attempts), found, strict=True))
    return tuple(_row(unit, attempt, known) for attempt in attempts)


def _row(unit: Unit, attempt: Attempt, rows: Rows) -> AttemptRow:
    window: EventWindow | None = rows[Get(WINDOWS, (attempt.window_id,))]
    # A window may have ended before its time.
    ends_at = attempt.ends_at if window is None else min(attempt.ends_at, window.ends_at)
    return AttemptRow(
        attempt_id=attempt.attempt_id,
        event_id=attempt.event_id,
        event_key=attempt.event_key,
        event_window_id=attempt.window_id,
        leaderboard_id=attempt.board_id,
        lobby_id=attempt.lobby_id,
        event_team_id=attempt.team_id,
        status=status_now(attempt, window, unit.now),
        score=attempt.score,
        metrics=dict(metrics_of(attempt)),
        started_at=Timestamp(attempt.started_at),
        ends_at=Timestamp(ends_at),
        completed_at=stamp(attempt.completed_at),
        frozen_at=stamp(attempt.frozen_at if window is None else frozen_at_now(unit, attempt, window, rows)),
        flagged=attempt.flagged,
        attempt_count=attempt.number,
        milestones=milestones_of(attempt),
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def require_own(unit: Unit, player: Player, args: GetAttempt) -> Attempt:
    """The player's attempt at an event with this id.

    Raises `EventNotFound`, and `AttemptNotFound` also for another player's or event's attempt.
    """
    event, attempt = unit.tx.read_together(Get(EVENTS, (args.key,)), Get(ATTEMPTS, (args.attempt_id,)))
    if event is None:
        raise EventNotFound.of(args.key)
    if attempt is None or attempt.player_id != player.player_id or attempt.event_key != args.key:
        raise AttemptNotFound.of(args.attempt_id)
    return attempt


def newest_at_event(unit: Unit, player_id: str, event_key: str) -> Attempt | None:
    """The attempt at an event that a player started last; after a merge the one in progress."""
    return next(iter(unit.tx.scanned(newest_at_event_read(player_id, event_key))), None)


def newest_at_event_read(player_id: str, event_key: str) -> Scan[Attempt]:
    """The read of `newest_at_event`, which gives one attempt or none."""
    return Scan(COUNTED, (player_id, event_key), reverse=True, limit=1)


def running(unit: Unit, player_id: str) -> dict[str, Attempt]:
    """A player's attempts in progress, by the window; also those whose time is over, as long as nobody has noted that."""
    return {attempt.window_id: attempt for attempt in unit.tx.scanned(running_read(player_id))}


def running_read(player_id: str) -> Scan[Attempt]:
    """The read of `running`."""
    return Scan(OF_PLAYER_BY_STATUS, (player_id, "in_progress"))


def list_attempts(unit: Unit, args: ListAttempts) -> Attempts:
    """A player's attempts at an event, newest first. Raises `EventNotFound`."""
    if unit.tx.get(EVENTS, args.key) is None:
        raise EventNotFound.of(args.key)
    page = page_by_time(args)
    found = unit.tx.scanned(page.newest(OF_PLAYER_AT_EVENT, acting(unit).player_id, args.key))
    shown, cursor = page_of(found, page, OF_PLAYER_AT_EVENT.position_of)
    return Attempts(attempts=rows(unit, shown), next_cursor=cursor)


def newest(unit: Unit, player_id: PlayerId, page: PageRequest) -> tuple[list[Attempt], str | None]:
    """A page of a player's attempts at all events, newest first."""
    found = unit.tx.scan_all(page.newest(OF_PLAYER_BY_STATUS, player_id, status) for status in get_args(Status))
    found.sort(key=_by_time, reverse=True)
    return page_of(found, page, _by_time)


def _by_time(attempt: Attempt) -> tuple[Millis, str]:
    return attempt.started_at, attempt.attempt_id


def counts(unit: Unit, player: Player) -> dict[Status, int]:
    """How many attempts the player has, by their status as `row` shows it."""
    statuses: tuple[Status, ...] = get_args(Status)
    numbers, (under_way,) = unit.tx.read_lists(
        (Count(OF_PLAYER_BY_STATUS, (player.player_id, status)) for status in statuses),
        [running_read(player.player_id)],
    )
    found = dict(zip(statuses, numbers, strict=True))
    over = sum(shown.status == "expired" for shown in rows(unit, under_way))
    found["in_progress"] -= over
    found["expired"] += over
    return found
