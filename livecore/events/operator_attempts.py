"""Attempts as the studio's members see them: one by its id, those of a window, and those of a player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from livecore.economy import grants
from livecore.events.attempt_records import ATTEMPTS, COUNTED, FLAGGED_IN, IN_WINDOW, SCORED_IN, Attempt, Status
from livecore.events.attempts import newest, reads_of_rows, row, rows_among
from livecore.events.operator_rows import (
    AttemptGiven,
    AttemptsPage,
    GetAnyAttempt,
    ListAttemptsOfPlayer,
    ListAttemptsOfWindow,
    OperatorAttemptRow,
)
from livecore.events.operator_windows import require_window
from livecore.events.progressing import rank_among
from livecore.events.refusals import AttemptNotFound
from livecore.events.rows import AttemptRow
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.tables import Index, Value
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import fields_of
from livecore.leaderboards import rejections
from livecore.leaderboards.boards import entries_on
from livecore.players.identity import display
from livecore.players.player import Player, acting, by_id, find, player_reads, present

_MOST_GRANTS: Final = 200
"""How many of the grants that are linked to an attempt are shown."""
_MOST_OF_PLAYER: Final = 1_000
"""How many attempts of one player in a window are looked through, the last ones."""


# -- rows -----------------------------------------------------------------------------------------------------------------


def operator_row(unit: Unit, attempt: Attempt) -> OperatorAttemptRow:
    """An attempt with its player, whose identity is that of now."""
    return _row(attempt, row(unit, attempt), by_id(unit, attempt.player_id))


def _row(attempt: Attempt, shown: AttemptRow, player: Player) -> OperatorAttemptRow:
    return OperatorAttemptRow(
        **fields_of(shown),
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        rejections=rejections.rows(attempt.rejections),
    )


def _rows(unit: Unit, attempts: Sequence[Attempt]) -> tuple[OperatorAttemptRow, ...]:
    players, found = unit.tx.read_lists(
        player_reads(attempt.player_id for attempt in attempts), reads_of_rows(unit, attempts)
    )
    return tuple(map(_row, attempts, rows_among(unit, attempts, found), map(present, players)))


# -- operations -----------------------------------------------------------------------------------------------------------


def require_attempt(unit: Unit, attempt_id: str) -> Attempt:
    """The attempt with this id, whoever has made it. Raises `AttemptNotFound`."""
    attempt = unit.tx.get(ATTEMPTS, attempt_id)
    if attempt is None:
        raise AttemptNotFound.of(attempt_id)
    return attempt


def get_attempt(unit: Unit, args: GetAnyAttempt) -> AttemptGiven:
    """An attempt, the player's rank, and the newest grants that are linked to the attempt. Raises `AttemptNotFound`."""
    attempt = require_attempt(unit, args.attempt_id)
    players, found, (own,) = unit.tx.read_lists(
        player_reads([attempt.player_id]),
        reads_of_rows(unit, (attempt,)),
        [entries_on(attempt.board_id, attempt.player_id)],
    )
    (shown,) = map(_row, (attempt,), rows_among(unit, (attempt,), found), map(present, players))
    return given(unit, shown, rank_among(unit, attempt, own))


def given(unit: Unit, attempt: OperatorAttemptRow, rank: int | None) -> AttemptGiven:
    """An attempt as answers show it, with this rank of its player and the grants that are linked to it."""
    linked = grants.linked_to(unit, attempt.attempt_id, _MOST_GRANTS)
    return AttemptGiven(attempt=attempt, rank=rank, grants=tuple(map(grants.row, linked)))


def list_of_window(unit: Unit, args: ListAttemptsOfWindow) -> AttemptsPage:
    """A page of the attempts of a window: all, or those of one state, of one player, those that are flagged or are not.

    Raises `ValidationFailed` for a cursor that is none and for two states, `EventNotFound` and `EventWindowNotFound`.
    """
    wanted = _Asked.by(args)
    window = require_window(unit, args.event_key, args.window_id)
    if args.player is None:
        found = unit.tx.scan_all(wanted.scans(args.window_id))
    else:
        found = _of_player(unit, args.player, window.event_key, window.window_id, wanted)
    found.sort(key=wanted.index.position_of, reverse=wanted.newest_first)
    shown, cursor = page_of(found[: wanted.page.reach], wanted.page, wanted.index.position_of)
    return AttemptsPage(attempts=_rows(unit, shown), next_cursor=cursor)


@value
class _Asked:
    """Which attempts of a window are asked for, and in which order: that of the index."""

    states: tuple[Status, ...]
    flagged: bool | None
    newest_first: bool
    page: PageRequest

    @classmethod
    def by(cls, args: ListAttemptsOfWindow) -> _Asked:
        """What a request asks for. Raises `ValidationFailed`."""
        if args.state is not None and args.status not in {None, args.state}:
            raise ValidationFailed({"status": "is another one than 'state'"})
        state = args.state or args.status
        newest_first = args.sort == "startedAt"
        kinds = (str,) if newest_first else (int, int, str)
        states: tuple[Status, ...] = get_args(Status) if state is None else (state,)
        return cls(states, args.flagged, newest_first, PageRequest(args.limit, unpack(args.cursor, kinds)))

    @property
    def index(self) -> Index[Attempt]:
        """The index whose order the list has."""
        if not self.newest_first:
            return SCORED_IN
        return IN_WINDOW if self.flagged is None else FLAGGED_IN

    def scans(self, window_id: str) -> Iterator[Scan[Attempt]]:
        """The reads of the page, of which the first rows are it."""
        for state in self.states:
            if self.index is IN_WINDOW:
                yield self._scan(window_id, state)
                continue
            for flagged in (False, True) if self.flagged is None else (self.flagged,):
                yield self._scan(window_id, flagged, state)

    def _scan(self, *prefix: Value) -> Scan[Attempt]:
        page = self.page
        if self.newest_first:
            return page.newest(self.index, *prefix)
        return Scan(self.index, prefix, after=page.beyond, limit=page.reach)

    def fits(self, attempt: Attempt) -> bool:
        """Whether an attempt of the window belongs to the page or the ones after it."""
        if attempt.status not in self.states or self.flagged not in {None, attempt.flagged}:
            return False
        if not self.index.holds(attempt):
            return False
        beyond, position = self.page.beyond, self.index.position_of(attempt)
        return beyond is None or (position < beyond if self.newest_first else position > beyond)


def _of_player(unit: Unit, external_id: str, event_key: str, window_id: str, wanted: _Asked) -> list[Attempt]:
    """A player's attempts that fit, of the last ones in the window; none where there is no such player."""
    player = find(unit, external_id)
    if player is None:
        return []
    bounds = {"start": (window_id,), "stop": (f"{window_id}~",)}
    last = unit.tx.scan(COUNTED, player.player_id, event_key, reverse=True, limit=_MOST_OF_PLAYER, **bounds)
    return [attempt for attempt in last if wanted.fits(attempt)]


def list_of_player(unit: Unit, args: ListAttemptsOfPlayer) -> AttemptsPage:
    """A page of the attempts of the path's player at all events, newest first."""
    shown, cursor = newest(unit, acting(unit).player_id, page_by_time(args))
    return AttemptsPage(attempts=_rows(unit, shown), next_cursor=cursor)
