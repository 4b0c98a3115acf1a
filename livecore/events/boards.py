"""The boards of events: which board an attempt is on, and which of a player's attempts stands there.

A window has one board, or one for each segment that has occurred; a player's attempts in a window are all on that of the
first one. A player has one entry on a board: the best of their
attempts there, or the last one that has made progress, as the event's `attempts.counts` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from livecore.events.attempt_ending import expire, judge_end
from livecore.events.attempt_records import ATTEMPTS, STANDING, Attempt
from livecore.events.attempts import running
from livecore.events.definition import EventDefinition
from livecore.events.format import every_format
from livecore.events.window_records import WINDOWS, EventWindow, is_over
from livecore.events.windows import due_board, open_window
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.board_pages import page_of_board, page_reads, shown_board
from livecore.leaderboards.boards import (
    BOARDS,
    ENTRIES,
    Leaderboard,
    entry_of,
    place_of,
    remove_entry,
    write_entry,
)
from livecore.leaderboards.divisions import board_now
from livecore.leaderboards.exclusions import exclude, removal
from livecore.leaderboards.refusals import LeaderboardEntryNotFound, LeaderboardFinalized, LeaderboardNotFound
from livecore.leaderboards.rows import EntryRemoved, GetEventBoard, LeaderboardPage, RemoveEventEntry
from livecore.leaderboards.sources import BoardSource, find_board
from livecore.leaderboards.standings import standings
from livecore.players.player import Player, acting

# -- rules ----------------------------------------------------------------------------------------------------------------


def the_standing(definition: EventDefinition, attempts: Sequence[Attempt]) -> Attempt | None:
    """Which of several attempts that have made progress stands on the board."""
    if definition.attempts.counts == "best":
        return min(
            attempts, key=lambda attempt: (attempt.sort_key, attempt.reached_at, attempt.attempt_id), default=None
        )
    # After a merge the attempt in progress has the highest number; the others' numbers may be equal.
    return max(attempts, key=lambda attempt: (attempt.number, attempt.started_at, attempt.attempt_id), default=None)


# -- operations -----------------------------------------------------------------------------------------------------------


def standing(unit: Unit, definition: EventDefinition, player_id: str, board_id: str) -> Attempt | None:
    """Which of a player's attempts stands on a board; `None` without any that has made progress."""
    most = 1 if definition.attempts.counts == "best" else None
    return the_standing(definition, unit.tx.scan(STANDING, player_id, board_id, limit=most))


def settle(unit: Unit, board: Leaderboard, player: Player, stands: Attempt | None) -> None:
    """Bring a player's entry up to the attempt that stands on the board, unless the player is excluded from it."""
    entry = unit.tx.get(ENTRIES, board.board_id, player.player_id)
    if entry is not None and entry.excluded_at is not None:
        return
    if stands is None or stands.score is None:
        if entry is not None and entry.sort_key is not None:
            remove_entry(unit, entry)
        return
    write_entry(
        unit,
        board,
        player,
        stands.score,
        reached_at=stands.reached_at,
        attempt_id=stands.attempt_id,
        flagged=stands.flagged,
    )


def rank_of(unit: Unit, board_id: str, participant: str) -> int | None:
    """The rank of a participant, or `None` without an entry."""
    entry = entry_of(unit, board_id, participant)
    place = None if entry is None else place_of(entry)
    return None if place is None else standings(unit, board_id).rank(place)


def get_event_board(unit: Unit, args: GetEventBoard) -> LeaderboardPage:
    """A page of a leaderboard by its id.

    Raises `LeaderboardNotFound`, `ValidationFailed` for the cursor, `LeaderboardEntryNotFound` for `around`.
    """
    first = args.cursor is None and args.around is None
    unit.tx.read_all(
        [Get(BOARDS, (args.leaderboard_id,)), *page_reads(unit, args.leaderboard_id, args.limit, first=first)]
    )
    board = find_board(unit, args.leaderboard_id)
    if board is None:
        raise LeaderboardNotFound.of(args.leaderboard_id)
    if board.kind == "shared":
        board = board_now(unit, board)
    size, entries, following = page_of_board(unit, board, limit=args.limit, cursor=args.cursor, around=args.around)
    shown = shown_board(board, size)
    return LeaderboardPage(leaderboard=shown, entries=entries, next_cursor=following)


def remove_event_entry(unit: Unit, args: RemoveEventEntry) -> EntryRemoved:
    """Take the path's player off an event's leaderboard: their attempts there are void, and count towards the limit.

    Who is excluded cannot start or report progress there until it is final.

    Refusals, in order: `LeaderboardNotFound`, `LeaderboardFinalized`, `LeaderboardEntryNotFound` for excluding a player from
    a board of teams, on which no player stands.
    """
    board, window = _open_board(unit, args)
    if board.participants == "team" and args.exclude:
        raise LeaderboardEntryNotFound
    player = acting(unit)
    entry = entry_of(unit, board.board_id, player.player_id)
    if window is None or board.participants == "team" or (entry is None and not args.exclude):
        return EntryRemoved(removed=False)
    ended = void_attempts(unit, player, board, window, None if entry is None else entry.attempt_id)
    unit.change = removal(unit, board.board_id, player.player_id, excludes=args.exclude)
    if args.exclude:
        exclude(unit, board.board_id, player.player_id)
    elif entry is not None:
        remove_entry(unit, entry)
    if ended is not None:
        # This may end the session and pay the board, on which the player must not stand any more.
        judge_end(unit, ended, "expired")
    else:
        for one in every_format(unit):
            one.left(unit, board)
    return EntryRemoved(removed=entry is not None)


def _open_board(unit: Unit, args: RemoveEventEntry) -> tuple[Leaderboard, EventWindow | None]:
    """The board from which an entry is to be removed, and its window, if that is open or, to exclude, due to open.

    Raises `LeaderboardNotFound` and `LeaderboardFinalized`.
    """
    board = find_board(unit, args.leaderboard_id)
    if board is None or board.kind != "event":
        raise LeaderboardNotFound.of(args.leaderboard_id)
    board = _caught_up(unit, board)
    window = unit.tx.get(WINDOWS, board.window_id)
    if window is None and args.exclude:
        # It is due to open, and has not.
        window = open_window(unit, board.key)
    if board.finalized_at is not None or (window is not None and is_over(unit, window)):
        raise LeaderboardFinalized
    return board, window


def _caught_up(unit: Unit, board: Leaderboard) -> Leaderboard:
    """The board once its formats have done what was due before, such as the end of a session."""
    for one in every_format(unit):
        one.catch_up(unit, board)
    return unit.tx.get(BOARDS, board.board_id) or board


def void_attempts(
    unit: Unit, player: Player, board: Leaderboard, window: EventWindow, shown: str | None
) -> Attempt | None:
    """Take a player's attempts out of the ranking of a board; `shown` is the one whose score stands there.

    The caller takes the entry off, and then judges the end of the attempt that is returned (`judge_end`).

    Also the one that has made no progress yet ends, and is returned: its next report would bring the player back.
    """
    for attempt in unit.tx.scan(STANDING, player.player_id, board.board_id):
        void = evolve(attempt, sort_key=None)
        if attempt.attempt_id == shown and attempt.status == "completed":
            void = evolve(void, status="expired", completed_at=None)
        unit.tx.put(ATTEMPTS, void)
    under_way = running(unit, player.player_id).get(window.window_id)
    if under_way is None or under_way.board_id != board.board_id:
        return None
    return expire(unit, player, under_way, at=unit.now)


class _EventBoards(BoardSource):
    """The boards of windows, which are final with the window or, in a lobby, with its session."""

    kind: ClassVar = "event"

    def not_made(self, unit: Unit, board_id: str) -> Leaderboard | None:
        return due_board(unit, board_id)

    def reads_of_ends(self, unit: Unit, boards: Sequence[Leaderboard]) -> Iterator[Read[Any]]:
        for board in boards:
            if board.kind == self.kind:
                yield Get(WINDOWS, (board.window_id,))
                for one in every_format(unit):
                    yield from one.reads_to_catch_up(board)

    def is_over(self, unit: Unit, board: Leaderboard) -> bool:
        board = _caught_up(unit, board)
        window = unit.tx.get(WINDOWS, board.window_id or "")
        return board.finalized_at is not None or window is None or is_over(unit, window)


EVENT_BOARDS: Final = _EventBoards()
