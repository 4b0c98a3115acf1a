"""Leaderboards as the studio's members see them: the shared ones of the game, each board, and taking a player off one.

A path names a board by its id. A shared leaderboard can also be named by its key, which is its present period; its boards
of other periods, divisions and cohorts have ids of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from livecore.events.attempt_records import ATTEMPTS
from livecore.events.boards import get_event_board, remove_event_entry
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.ids import moment_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.leaderboards import rejections
from livecore.leaderboards.boards import BOARDS, BY_RANK, BoardEntry, Leaderboard, entries_on
from livecore.leaderboards.divisions import board_now
from livecore.leaderboards.entering import board_for
from livecore.leaderboards.operator_rows import (
    GetAnyBoard,
    OperatorEntryRow,
    OperatorLeaderboardPage,
    RejectionRow,
    RemoveFromBoard,
)
from livecore.leaderboards.periods import present
from livecore.leaderboards.refusals import LeaderboardEntryNotFound, LeaderboardFinalized
from livecore.leaderboards.rejections import SCORE_REJECTIONS
from livecore.leaderboards.rows import (
    EntryRemoved,
    EntryRow,
    GetEventBoard,
    GetLeaderboard,
    LeaderboardPage,
    RemoveEntry,
    RemoveEventEntry,
)
from livecore.leaderboards.scores import remove_shared_entry
from livecore.leaderboards.shared_reading import get_leaderboard
from livecore.players.player import acting, player_reads

_ID: Final = "lbd_"
_OF_KEYS: Final = ("division", "cohort", "period")
"""What a request can say of a leaderboard that is named by its key."""


# -- the shared leaderboards of a game ------------------------------------------------------------------------------------


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
    known, own = unit.tx.read_lists(player_reads(players), (entries_on(board_id, one) for one in players))
    shown = {one: entry for one, found in zip(players, own, strict=True) if (entry := _entry_shown(found)) is not None}
    banned = {player.player_id for player in known if player is not None and player.banned}
    rejected = _rejections(unit, board, list(shown.values()))
    return tuple(_entry(row, shown.get(str(row.player_id)), banned, rejected) for row in rows)


def _entry_shown(found: Sequence[BoardEntry]) -> BoardEntry | None:
    """The entry that a page shows of a player: after a merge a final board may have two, and shows each."""
    return min((entry for entry in found if entry.sort_key is not None), key=BY_RANK.position_of, default=None)


def _rejections(
    unit: Unit, board: Leaderboard | None, entries: Sequence[BoardEntry]
) -> dict[str, tuple[RejectionRow, ...]]:
    """What validators have rejected of these entries, by the participant."""
    of_attempts = {entry.attempt_id: entry.participant for entry in entries if entry.attempt_id is not None}
    period_id = None if board is None else board.period_id
    of_period = [entry for entry in entries if entry.attempt_id is None and period_id is not None]
    attempts, scores = unit.tx.read_lists(
        (Get(ATTEMPTS, (attempt_id,)) for attempt_id in of_attempts),
        (Get(SCORE_REJECTIONS, (period_id, entry.player_id)) for entry in of_period),
    )
    found = zip(of_period, scores, strict=True)
    texts = {entry.participant: score.latest for entry, score in found if score is not None}
    texts |= {of_attempts[one.attempt_id]: one.rejections for one in attempts if one is not None}
    return {participant: rejections.rows(text) for participant, text in texts.items()}


def _entry(
    row: EntryRow,
    entry: BoardEntry | None,
    banned: Collection[str],
    rejected: Mapping[str, tuple[RejectionRow, ...]],
) -> OperatorEntryRow:
    if entry is None or entry.player_id is None:
        return OperatorEntryRow(**fields_of(row), banned=False, flagged=False, rejections=())
    return OperatorEntryRow(
        **fields_of(row),
        banned=entry.player_id in banned,
        flagged=entry.flagged,
        rejections=rejected.get(entry.participant, ()),
    )


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
    own = board_for(unit, present(unit, board.key).period, acting(unit).player_id).board
    if own.board_id != board.board_id:
        if args.exclude:
            raise LeaderboardEntryNotFound
        return EntryRemoved(removed=False)
    return remove_shared_entry(unit, RemoveEntry(key=board.key, exclude=args.exclude))
