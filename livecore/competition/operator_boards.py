"""Leaderboards as the studio's members see them: the shared ones of the game, each board, and taking a player off one.

A path names a board by its id. A shared leaderboard can also be named by its key, which is its present period; its boards
of other periods, divisions and cohorts have ids of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from livecore.competition import rejections
from livecore.competition.attempts import ATTEMPTS
from livecore.competition.board_config import LeaderboardDefinition
from livecore.competition.board_rows import (
    EntryRemoved,
    EntryRow,
    GetEventBoard,
    GetLeaderboard,
    LeaderboardPage,
    RemoveEntry,
    RemoveEventEntry,
)
from livecore.competition.boards import BOARDS, BY_RANK, BoardEntry, Leaderboard, entries_on
from livecore.competition.config import competition_config
from livecore.competition.divisions import board_at, board_for, board_now, cohorts_in, parts_ahead
from livecore.competition.event_boards import get_event_board, remove_event_entry
from livecore.competition.operator_rows import (
    DivisionRow,
    GetAnyBoard,
    ListLeaderboards,
    OperatorEntryRow,
    OperatorLeaderboardPage,
    RejectionRow,
    RemoveFromBoard,
    SharedLeaderboardRow,
    SharedLeaderboards,
)
from livecore.competition.periods import (
    LEADERBOARDS,
    PERIODS,
    Present,
    definition_of,
    find_present,
    period_id_of,
    present,
)
from livecore.competition.refusals import LeaderboardEntryNotFound, LeaderboardFinalized
from livecore.competition.rejections import SCORE_REJECTIONS
from livecore.competition.shared_reading import get_leaderboard
from livecore.competition.shared_scores import remove_shared_entry
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.ids import moment_of
from livecore.kernel.reads import Count, Get
from livecore.kernel.shapes import Timestamp, fields_of
from livecore.kernel.store import Wanted
from livecore.kernel.time import stamp
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, acting

__all__ = ["get_board", "list_leaderboards", "remove_from_board"]

_ID: Final = "lbd_"
_OF_KEYS: Final = ("division", "cohort", "period")
"""What a request can say of a leaderboard that is named by its key."""


# -- the shared leaderboards of a game ------------------------------------------------------------------------------------


def list_leaderboards(unit: Unit, _: ListLeaderboards) -> SharedLeaderboards:
    """The shared leaderboards of the game, in the order of its configuration."""
    definitions = competition_config(unit).leaderboards
    unit.tx.prefetch(Get(LEADERBOARDS, (definition.key,)) for definition in definitions)
    found = [(definition, unit.tx.get(LEADERBOARDS, definition.key)) for definition in definitions]
    unit.tx.prefetch(
        Get(PERIODS, (period_id_of(row.leaderboard_key, row.number),)) for _, row in found if row is not None
    )
    seen = [(definition, find_present(unit, definition.key)) for definition in definitions]
    known = [(definition, now) for definition, now in seen if now is not None]
    unit.tx.prefetch(wanted for _, now in known for wanted in parts_ahead(unit, now.period))
    boards = [_undivided_board(unit, now) for _, now in known]
    unit.tx.prefetch(Count(BY_RANK, (board.board_id,)) for board in boards if board is not None)
    rows = (_row(unit, definition, now, board) for (definition, now), board in zip(known, boards, strict=True))
    return SharedLeaderboards(leaderboards=tuple(rows))


def _undivided_board(unit: Unit, seen: Present) -> Leaderboard | None:
    """The one board of the present period; `None` where there are divisions or cohorts."""
    definition = definition_of(seen.period)
    divided = definition.divisions or definition.cohort_size is not None
    return None if divided else board_at(unit, seen.period, None, None)


def _row(unit: Unit, declared: LeaderboardDefinition, seen: Present, board: Leaderboard | None) -> SharedLeaderboardRow:
    """A leaderboard as its present period has it; where its scores come from is as it is declared now."""
    definition = definition_of(seen.period)
    return SharedLeaderboardRow(
        key=definition.key,
        name=definition.name,
        reset=declared.reset,
        order=definition.order,
        aggregation=definition.aggregation,
        source=declared.source,
        event_key=declared.event,
        cohort_size=definition.cohort_size,
        divisions=tuple(
            DivisionRow(key=division.key, cohorts=cohorts_in(unit, seen.period, division.key))
            for division in definition.divisions
        ),
        starts_at=Timestamp(seen.period.starts_at),
        next_reset_at=stamp(seen.period.ends_at),
        leaderboard_id=None if board is None else board.board_id,
        entry_count=None if board is None else unit.tx.count(BY_RANK, board.board_id),
    )


# -- one board ------------------------------------------------------------------------------------------------------------


def get_board(unit: Unit, args: GetAnyBoard) -> OperatorLeaderboardPage:
    """A page of a board that is named by its id, or of a shared leaderboard that is named by its key.

    Refusals, in order: `LeaderboardNotFound`, `LeaderboardPeriodNotFound`, `ValidationFailed` for what does not go together
    or does not exist, `LeaderboardEntryNotFound`.
    """
    page = _page(unit, args)
    entries = _entries(unit, page.leaderboard.leaderboard_id, page.entries)
    return OperatorLeaderboardPage(leaderboard=page.leaderboard, entries=entries, next_cursor=page.next_cursor)


def _page(unit: Unit, args: GetAnyBoard) -> LeaderboardPage:
    if not _is_id(args.leaderboard_id):
        return get_leaderboard(
            unit,
            GetLeaderboard(
                key=args.leaderboard_id,
                limit=args.limit,
                cursor=args.cursor,
                around=args.around,
                division=args.division,
                cohort=args.cohort,
                period=args.period or "current",
            ),
        )
    faults = _given(args)
    if faults:
        raise ValidationFailed(dict.fromkeys(faults, "has a meaning only for a leaderboard that is named by its key"))
    return get_event_board(
        unit,
        GetEventBoard(leaderboard_id=args.leaderboard_id, limit=args.limit, cursor=args.cursor, around=args.around),
    )


def _entries(unit: Unit, board_id: str, rows: Sequence[EntryRow]) -> tuple[OperatorEntryRow, ...]:
    """Entries with what only operators see of them."""
    board = unit.tx.get(BOARDS, board_id)
    players = [row.player_id for row in rows if isinstance(row.player_id, str)]
    unit.tx.prefetch(chain.from_iterable((Get(PLAYERS, (one,)), entries_on(board_id, one)) for one in players))
    shown = {one: entry for one in players if (entry := _entry_of(unit, board_id, one)) is not None}
    unit.tx.prefetch(wanted for entry in shown.values() for wanted in _rejections_ahead(board, entry))
    return tuple(_entry(unit, board, row, shown.get(str(row.player_id))) for row in rows)


def _entry_of(unit: Unit, board_id: str, player_id: str) -> BoardEntry | None:
    """The entry that a page shows of a player: after a merge a final board may have two, and shows each."""
    found = [entry for entry in unit.tx.scanned(entries_on(board_id, player_id)) if entry.sort_key is not None]
    return min(found, key=BY_RANK.place_of, default=None)


def _rejections_ahead(board: Leaderboard | None, entry: BoardEntry) -> Iterator[Wanted]:
    if entry.attempt_id is not None:
        yield Get(ATTEMPTS, (entry.attempt_id,))
    elif board is not None and board.period_id is not None:
        yield Get(SCORE_REJECTIONS, (board.period_id, entry.player_id))


def _entry(unit: Unit, board: Leaderboard | None, row: EntryRow, entry: BoardEntry | None) -> OperatorEntryRow:
    if entry is None or entry.player_id is None:
        return OperatorEntryRow(**fields_of(row), banned=False, flagged=False, rejections=())
    player = unit.tx.get(PLAYERS, entry.player_id)
    return OperatorEntryRow(
        **fields_of(row),
        banned=player is not None and player.banned,
        flagged=entry.flagged,
        rejections=_rejected(unit, board, entry),
    )


def _rejected(unit: Unit, board: Leaderboard | None, entry: BoardEntry) -> tuple[RejectionRow, ...]:
    if entry.attempt_id is not None:
        attempt = unit.tx.get(ATTEMPTS, entry.attempt_id)
        return () if attempt is None else rejections.rows(attempt.rejections)
    known = None
    if board is not None and board.period_id is not None:
        known = unit.tx.get(SCORE_REJECTIONS, board.period_id, entry.player_id)
    return () if known is None else rejections.rows(known.latest)


def _is_id(name: str) -> bool:
    return name.startswith(_ID) and moment_of(name) is not None


def _given(args: GetAnyBoard) -> list[str]:
    return [name for name in _OF_KEYS if getattr(args, name) is not None]


def remove_from_board(unit: Unit, args: RemoveFromBoard) -> EntryRemoved:
    """Take the path's player off a board, as the studio's backend does.

    Refusals, in order: `LeaderboardNotFound`, `LeaderboardFinalized`, `LeaderboardEntryNotFound` for excluding the player
    from a board that is not theirs: of teams, of another division or of another cohort.
    """
    if not _is_id(args.leaderboard_id):
        return remove_shared_entry(unit, RemoveEntry(key=args.leaderboard_id, exclude=args.exclude))
    board = unit.tx.get(BOARDS, args.leaderboard_id)
    if board is None or board.kind == "event":
        return remove_event_entry(unit, RemoveEventEntry(leaderboard_id=args.leaderboard_id, exclude=args.exclude))
    if board_now(unit, board).finalized_at is not None:
        raise LeaderboardFinalized
    own, _ = board_for(unit, present(unit, board.key).period, acting(unit).player_id)
    if own.board_id != board.board_id:
        if args.exclude:
            raise LeaderboardEntryNotFound
        return EntryRemoved(removed=False)
    return remove_shared_entry(unit, RemoveEntry(key=board.key, exclude=args.exclude))
