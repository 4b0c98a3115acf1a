"""Attempts as the studio's members see them: one by its id, those of a window, and those of a player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from livecore.competition import rejections
from livecore.competition.attempts import ATTEMPTS, IN_WINDOW, Attempt, Status, newest, newest_ahead, row, row_ahead
from livecore.competition.boards import entries_on
from livecore.competition.operator_rows import (
    AttemptGiven,
    AttemptsPage,
    GetAnyAttempt,
    ListAttemptsOfPlayer,
    ListAttemptsOfWindow,
    OperatorAttemptRow,
)
from livecore.competition.operator_windows import require_window, window_ahead
from livecore.competition.progressing import rank_shown
from livecore.competition.refusals import AttemptNotFound
from livecore.economy import grants
from livecore.kernel.paging import Page, page_by_time, page_of, unpack
from livecore.kernel.scans import ScanOf, scanned_together
from livecore.kernel.shapes import fields_of
from livecore.kernel.store import Scan, Wanted
from livecore.kernel.unit import Unit
from livecore.players.identity import display
from livecore.players.player import PLAYERS, acting, by_id

__all__ = [
    "get_attempt",
    "get_attempt_ahead",
    "given",
    "grants_ahead",
    "list_of_player",
    "list_of_player_ahead",
    "list_of_window",
    "list_of_window_ahead",
    "operator_row",
    "require_attempt",
]

_MOST_GRANTS: Final = 200
"""How many of the grants that are linked to an attempt are shown."""


# -- rows -----------------------------------------------------------------------------------------------------------------


def operator_row(unit: Unit, attempt: Attempt) -> OperatorAttemptRow:
    """An attempt with its player, whose identity is that of now."""
    player = by_id(unit, attempt.player_id)
    return OperatorAttemptRow(
        **fields_of(row(unit, attempt)),
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        rejections=rejections.rows(attempt.rejections),
    )


def _rows(unit: Unit, attempts: Sequence[Attempt]) -> tuple[OperatorAttemptRow, ...]:
    unit.tx.prefetch(wanted for attempt in attempts for wanted in _row_ahead(attempt))
    return tuple(operator_row(unit, attempt) for attempt in attempts)


def _row_ahead(attempt: Attempt) -> Iterator[Wanted]:
    yield PLAYERS, (attempt.player_id,)
    yield from row_ahead(attempt)


# -- operations -----------------------------------------------------------------------------------------------------------


def require_attempt(unit: Unit, attempt_id: str) -> Attempt:
    """The attempt with this id, whoever has made it. Raises `AttemptNotFound`."""
    attempt = unit.tx.get(ATTEMPTS, attempt_id)
    if attempt is None:
        raise AttemptNotFound
    return attempt


def get_attempt_ahead(_: Unit, args: GetAnyAttempt) -> Iterator[Wanted]:
    """The reads of `get_attempt` that do not depend on others, to announce them."""
    yield ATTEMPTS, (args.attempt_id,)
    yield grants_ahead(args.attempt_id)


def get_attempt(unit: Unit, args: GetAnyAttempt) -> AttemptGiven:
    """An attempt, the player's rank, and the newest grants that are linked to the attempt. Raises `AttemptNotFound`."""
    attempt = require_attempt(unit, args.attempt_id)
    unit.tx.prefetch((*_row_ahead(attempt), entries_on(attempt.board_id, attempt.player_id)))
    return given(unit, attempt, rank_shown(unit, attempt))


def grants_ahead(attempt_id: str) -> Wanted:
    """The read of `given` for the grants, to announce it."""
    return grants.linked_ahead(attempt_id, _MOST_GRANTS)


def given(unit: Unit, attempt: Attempt, rank: int | None) -> AttemptGiven:
    """An attempt as answers show it, with this rank of its player and the grants that are linked to it."""
    linked = grants.linked_to(unit, attempt.attempt_id, _MOST_GRANTS)
    return AttemptGiven(
        attempt=operator_row(unit, attempt), rank=rank, grants=tuple(grants.row(grant) for grant in linked)
    )


def list_of_window(unit: Unit, args: ListAttemptsOfWindow) -> AttemptsPage:
    """A page of the attempts of a window, newest first, of one state or of all.

    Raises `ValidationFailed` for a cursor that is none, `EventNotFound` and `EventWindowNotFound`.
    """
    page = Page(args.limit, unpack(args.cursor, (str,)))
    require_window(unit, args.event_key, args.window_id)
    found = scanned_together(unit.tx, _in_window(args, page))
    found.sort(key=IN_WINDOW.place_of, reverse=True)
    shown, cursor = page_of(found, page, IN_WINDOW.place_of)
    return AttemptsPage(attempts=_rows(unit, shown), next_cursor=cursor)


def _in_window(args: ListAttemptsOfWindow, page: Page) -> Iterator[ScanOf[Attempt]]:
    for status in get_args(Status) if args.status is None else (args.status,):
        yield Scan(IN_WINDOW, stop=page.beyond, reverse=True, limit=page.reach), (args.window_id, status)


def list_of_window_ahead(unit: Unit, args: ListAttemptsOfWindow) -> Iterator[Wanted]:
    """The reads of `list_of_window` that do not depend on others, to announce them."""
    yield from window_ahead(unit, args)
    yield from _in_window(args, Page(args.limit, unpack(args.cursor, (str,))))


def list_of_player_ahead(unit: Unit, args: ListAttemptsOfPlayer) -> Iterator[Wanted]:
    """The reads of `list_of_player` that do not depend on others, to announce them."""
    return newest_ahead(unit.player_id or "", page_by_time(args))


def list_of_player(unit: Unit, args: ListAttemptsOfPlayer) -> AttemptsPage:
    """A page of the attempts of the path's player at all events, newest first."""
    shown, cursor = newest(unit, acting(unit).player_id, page_by_time(args))
    return AttemptsPage(attempts=_rows(unit, shown), next_cursor=cursor)
