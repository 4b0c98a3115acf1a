"""Attempts: a player's tries at an event within one of its windows, and how each of them ends.

    start ──▶ in_progress ──target reached, completed by an operator──▶ completed
                   └──its time or the window is over, taken off the board──▶ expired

A player has at most one attempt in progress at an event. What is written of an attempt beside its row: each report of its
progress, from which `livecore check` computes its metrics again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, get_args

from livecore.competition.event_rows import AttemptRow, Attempts, GetAttempt, ListAttempts
from livecore.competition.refusals import AttemptNotFound, AttemptNotInProgress, EventNotFound
from livecore.competition.windows import EVENTS, WINDOWS, EventWindow, definition_of
from livecore.kernel.storage.paging import Page, page_by_time, page_of
from livecore.kernel.storage.reads import Count, Get, Scan
from livecore.kernel.storage.records import JsonText, PlayerId, record
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import Timestamp
from livecore.lobbies.lobby import LOBBIES, Lobby
from livecore.lobbies.refusals import AttemptFrozen
from livecore.lobbies.session_rules import frozen_since, require_thawed, trigger_of_time
from livecore.players.player import Player, acting

__all__ = [
    "ATTEMPTS",
    "COUNTED",
    "FLAGGED_IN",
    "IN_WINDOW",
    "OF_PLAYER_AT_EVENT",
    "OF_PLAYER_BY_STATUS",
    "PROGRESS",
    "PROGRESS_OF_ATTEMPT",
    "SCORED_IN",
    "STANDING",
    "Attempt",
    "AttemptProgress",
    "Status",
    "attempts_in",
    "counts",
    "first_in_window",
    "frozen_at_now",
    "is_running",
    "list_attempts",
    "metrics_of",
    "milestones_of",
    "newest",
    "newest_at_event",
    "newest_at_event_read",
    "reads_of_rows",
    "require_in_play",
    "require_own",
    "row",
    "rows",
    "rows_among",
    "running",
    "running_read",
    "status_now",
]

Status: TypeAlias = Literal["in_progress", "completed", "expired"]


# -- records --------------------------------------------------------------------------------------------------------------


@record
class Attempt:
    """One attempt. `number` counts the player's attempts in the window, `steps` the reports of its progress.

    A merge adds the attempts of both to the number of the one in progress, or else of the one that was started last.

    `sort_key` is the score as the board sorts by it, `None` without progress or once the player was taken off the board;
    `reached_at` is since when the attempt has its score. `rejections` has what validators have rejected
    (`livecore.competition.rejections`).
    """

    attempt_id: str
    player_id: PlayerId
    event_key: str
    event_id: str
    window_id: str
    board_id: str
    lobby_id: str | None = None
    team_id: str | None = None
    segment: str | None = None
    number: int
    status: Status = "in_progress"
    flagged: bool = False
    metrics: JsonText
    milestones: JsonText = JsonText("[]")
    score: int | None = None
    sort_key: int | None = None
    reached_at: Millis | None = None
    steps: int = 0
    started_at: Millis
    ends_at: Millis
    completed_at: Millis | None = None
    frozen_at: Millis | None = None
    rejections: JsonText = JsonText("[]")


@record
class AttemptProgress:
    """One report of progress that was accepted: what was given, as JSON.

    A `forced` one is an operator's, and says the value of the score's metric, also of one that sums.
    """

    attempt_id: str
    number: int
    given: JsonText
    at: Millis
    forced: bool = False


ATTEMPTS = Table(
    "attempts",
    Attempt,
    key=("attempt_id",),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.ANONYMISE, personal=("segment",))},
    export="attempts",
)
OF_PLAYER_AT_EVENT = ATTEMPTS.index("of_player_at_event", prefix=("player_id", "event_key"), order=("started_at",))
COUNTED = ATTEMPTS.index("counted", prefix=("player_id", "event_key"), order=("window_id", "number"))
"""A player's attempts at an event as they are counted: an id of a window sorts by its beginning, and times of starts may be
equal, or fall where the clock was set back."""
OF_PLAYER_BY_STATUS = ATTEMPTS.index("of_player_by_status", prefix=("player_id", "status"), order=("started_at",))
STANDING = ATTEMPTS.index("standing", prefix=("player_id", "board_id"), order=("sort_key", "reached_at"))
"""A player's attempts that could stand on a board, the best first."""
IN_WINDOW = ATTEMPTS.index("in_window", prefix=("window_id", "status"), order=("attempt_id",))
FLAGGED_IN = ATTEMPTS.index("flagged_in", prefix=("window_id", "flagged", "status"), order=("attempt_id",))
SCORED_IN = ATTEMPTS.index("scored_in", prefix=("window_id", "flagged", "status"), order=("sort_key", "reached_at"))
"""Those that could stand on a board of a window, the best first."""

PROGRESS = Table("attempt_progress", AttemptProgress, key=("attempt_id", "number"))
PROGRESS_OF_ATTEMPT = PROGRESS.index("of_attempt", prefix=("attempt_id",), order=("number",))

_NO_MILESTONES: Final = JsonText("[]")


# -- rules ----------------------------------------------------------------------------------------------------------------


def metrics_of(attempt: Attempt) -> Mapping[str, int]:
    """The values of an attempt's metrics."""
    return _metrics(attempt.metrics)


@lru_cache(maxsize=4_096)
def _metrics(text: JsonText) -> Mapping[str, int]:
    values: dict[str, int] = json.loads(text)
    return values


def milestones_of(attempt: Attempt) -> tuple[str, ...]:
    """The keys of the milestones that an attempt has reached, in their order."""
    return () if attempt.milestones == _NO_MILESTONES else tuple(json.loads(attempt.milestones))


def is_running(attempt: Attempt, window: EventWindow, now: int) -> bool:
    """Whether an attempt takes progress: until its time or its window is over, whether that was noted already or not."""
    return (
        attempt.status == "in_progress" and now < attempt.ends_at and window.status == "active" and now < window.ends_at
    )


def require_in_play(unit: Unit, attempt: Attempt) -> EventWindow:
    """The window of an attempt that takes progress now. Refusals, in order: `AttemptFrozen`, `AttemptNotInProgress`."""
    window, lobby = _surroundings(unit, attempt)
    frozen_at = None if window is None else frozen_at_now(attempt, window, lobby, unit.now)
    if frozen_at is not None:
        raise AttemptFrozen(lobby_id=attempt.lobby_id, frozen_at=Timestamp(frozen_at).wire)
    if window is None or not is_running(attempt, window, unit.now):
        raise AttemptNotInProgress(status=status_now(attempt, window, unit.now))
    if attempt.lobby_id is not None:
        require_thawed(unit, attempt.lobby_id, window)
    return window


def _surroundings(unit: Unit, attempt: Attempt) -> tuple[EventWindow | None, Lobby | None]:
    """The window of an attempt, and its lobby."""
    window = Get(WINDOWS, (attempt.window_id,))
    if attempt.lobby_id is None:
        return window.made_by(unit.tx), None
    return unit.tx.read_together(window, Get(LOBBIES, (attempt.lobby_id,)))


def status_now(attempt: Attempt, window: EventWindow | None, now: int) -> Status:
    """An attempt's state: past its time, or its window's, it is over, whether that was noted already or not."""
    over = attempt.status == "in_progress" and (window is None or not is_running(attempt, window, now))
    return "expired" if over else attempt.status


def frozen_at_now(attempt: Attempt, window: EventWindow, lobby: Lobby | None, now: int) -> Millis | None:
    """Since when an attempt is frozen, whether the due work of its session has run or not; `None`: it is not.

    An attempt that is not in progress needs no lobby for that.
    """
    ended = attempt.status != "in_progress" or trigger_of_time(definition_of(window)) is None
    if attempt.frozen_at is not None or attempt.lobby_id is None or ended:
        return attempt.frozen_at
    since = None if lobby is None else frozen_since(lobby, window, now)
    # An attempt whose own time was over before stays as it was.
    return since if since is not None and since < attempt.ends_at else None


# -- rows -----------------------------------------------------------------------------------------------------------------


def row(unit: Unit, attempt: Attempt) -> AttemptRow:
    """An attempt as clients see it: past its time, or its window's, it is over, whether that was noted already or not."""
    (shown,) = rows(unit, (attempt,))
    return shown


def rows(unit: Unit, attempts: Sequence[Attempt]) -> tuple[AttemptRow, ...]:
    """Several attempts as clients see them."""
    return rows_among(unit, attempts, unit.tx.read_all(reads_of_rows(attempts)))


def reads_of_rows(attempts: Iterable[Attempt]) -> list[Get[Any]]:
    """The reads that showing attempts takes: each of their windows and, of those in progress, each of their lobbies."""
    reads: list[Get[Any]] = []
    for attempt in attempts:
        reads.append(Get(WINDOWS, (attempt.window_id,)))
        if attempt.lobby_id is not None and attempt.status == "in_progress":
            reads.append(Get(LOBBIES, (attempt.lobby_id,)))
    return list(dict.fromkeys(reads))


def rows_among(unit: Unit, attempts: Iterable[Attempt], found: Iterable[object]) -> tuple[AttemptRow, ...]:
    """Several attempts as clients see them, with what `reads_of_rows` has found, among other rows."""
    windows: dict[str, EventWindow] = {}
    lobbies: dict[str | None, Lobby] = {}
    for one in found:
        if isinstance(one, EventWindow):
            windows[one.window_id] = one
        elif isinstance(one, Lobby):
            lobbies[one.lobby_id] = one
    return tuple(
        _row(attempt, windows.get(attempt.window_id), lobbies.get(attempt.lobby_id), unit.now) for attempt in attempts
    )


def _row(attempt: Attempt, window: EventWindow | None, lobby: Lobby | None, now: Millis) -> AttemptRow:
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
        status=status_now(attempt, window, now),
        score=attempt.score,
        metrics=dict(metrics_of(attempt)),
        started_at=Timestamp(attempt.started_at),
        ends_at=Timestamp(ends_at),
        completed_at=stamp(attempt.completed_at),
        frozen_at=stamp(attempt.frozen_at if window is None else frozen_at_now(attempt, window, lobby, now)),
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


def first_in_window(unit: Unit, player_id: str, window: EventWindow) -> Attempt | None:
    """A player's first attempt in a window; after a merge that of either of the two who began earlier."""
    prefix = (player_id, window.event_key)
    window_id = window.window_id
    found = unit.tx.scan(COUNTED, *prefix, start=(window_id,), stop=(f"{window_id}~",), limit=1)
    return found[0] if found else None


def attempts_in(unit: Unit, player_id: str, window: EventWindow) -> list[Attempt]:
    """A player's attempts in a window, in the order in which they are counted."""
    window_id = window.window_id
    return unit.tx.scan(COUNTED, player_id, window.event_key, start=(window_id,), stop=(f"{window_id}~",))


def list_attempts(unit: Unit, args: ListAttempts) -> Attempts:
    """A player's attempts at an event, newest first. Raises `EventNotFound`."""
    if unit.tx.get(EVENTS, args.key) is None:
        raise EventNotFound.of(args.key)
    page = page_by_time(args)
    found = unit.tx.scanned(page.newest(OF_PLAYER_AT_EVENT, acting(unit).player_id, args.key))
    shown, cursor = page_of(found, page, OF_PLAYER_AT_EVENT.place_of)
    return Attempts(attempts=rows(unit, shown), next_cursor=cursor)


def newest(unit: Unit, player_id: PlayerId, page: Page) -> tuple[list[Attempt], str | None]:
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
