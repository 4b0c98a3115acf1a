"""The boards of events: which board an attempt is on, and which of a player's attempts stands there.

A window has one board, or one for each segment that has occurred; a player's attempts in a window are all on that of the
first one. A player has one entry on a board: the best of their
attempts there, or the last one that has made progress, as the event's `attempts.counts` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.competition.attempts import ATTEMPTS, STANDING, Attempt, running
from livecore.competition.board_rows import EntryRemoved, GetEventBoard, LeaderboardPage, RemoveEventEntry
from livecore.competition.boards import (
    BOARDS,
    ENTRIES,
    Leaderboard,
    entry_of,
    place_of,
    remove_entry,
    write_entry,
)
from livecore.competition.divisions import board_now
from livecore.competition.ending import expire
from livecore.competition.event_config import EventDefinition
from livecore.competition.exclusions import exclude, removal
from livecore.competition.ranks import standings
from livecore.competition.reading import page_of_board, page_reads, shown_board
from livecore.competition.refusals import LeaderboardEntryNotFound, LeaderboardFinalized, LeaderboardNotFound
from livecore.competition.windows import (
    WINDOWS,
    EventWindow,
    board_id_in,
    event_board,
    is_over,
    make_board,
    open_window,
)
from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Get
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.lobbies.lobby import Lobby
from livecore.lobbies.sessions import attempt_ended, elapsed_due, player_gone
from livecore.players.player import Player, acting

__all__ = [
    "NO_SEGMENT",
    "board_for",
    "board_of_lobby",
    "get_event_board",
    "rank_of",
    "remove_event_entry",
    "segment_of",
    "settle",
    "standing",
    "the_standing",
    "void_attempts",
]

NO_SEGMENT: Final = "none"
"""The segment of players whose context has no value that could be one."""
_LONGEST_SEGMENT = 64


# -- rules ----------------------------------------------------------------------------------------------------------------


def segment_of(definition: EventDefinition, player: Player, context: JsonObject | None) -> str | None:
    """The segment of a player's first attempt in a window, if it starts now; `None` where the board is not by segment."""
    if definition.boards_by != "segment":
        return None
    key = definition.board.segment
    found = player.country if key == "country" else (context or {}).get(key or "")
    # Not every database can store a null character.
    return found if isinstance(found, str) and len(found) <= _LONGEST_SEGMENT and "\0" not in found else NO_SEGMENT


def the_standing(definition: EventDefinition, attempts: Sequence[Attempt]) -> Attempt | None:
    """Which of several attempts that have made progress stands on the board."""
    if definition.attempts.counts == "best":
        return min(
            attempts, key=lambda attempt: (attempt.sort_key, attempt.reached_at, attempt.attempt_id), default=None
        )
    # After a merge the attempt in progress has the highest number; the others' numbers may be equal.
    return max(attempts, key=lambda attempt: (attempt.number, attempt.started_at, attempt.attempt_id), default=None)


# -- operations -----------------------------------------------------------------------------------------------------------


def board_for(unit: Unit, window: EventWindow, definition: EventDefinition, segment: str | None) -> Leaderboard:
    """The board of a window, or of a segment of it; makes that of a segment when it first occurs.

    Where an erasure has emptied the segment, it occurs again: now it is somebody else's.
    """
    board = unit.tx.get(BOARDS, board_id_in(unit, window.window_id, window.starts_at, segment))
    if board is None:
        return make_board(unit, window, definition, segment)
    if board.segment != segment:
        board = evolve(board, segment=segment)
        unit.tx.put(BOARDS, board)
    return board


def board_of_lobby(unit: Unit, lobby: Lobby) -> Leaderboard:
    """The board of a lobby, which was made with it. Raises `LookupError`."""
    board = unit.tx.get(BOARDS, lobby.board_id)
    if board is None:
        raise LookupError(f"the lobby {lobby.lobby_id} has no board")
    return board


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
    board = event_board(unit, args.leaderboard_id)
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
        attempt_ended(unit, ended, "expired")
    elif board.lobby_id is not None:
        player_gone(unit, board.lobby_id)
    return EntryRemoved(removed=entry is not None)


def _open_board(unit: Unit, args: RemoveEventEntry) -> tuple[Leaderboard, EventWindow | None]:
    """The board from which an entry is to be removed, and its window, if that is open or, to exclude, due to open.

    Raises `LeaderboardNotFound` and `LeaderboardFinalized`.
    """
    board = event_board(unit, args.leaderboard_id)
    if board is None or board.kind != "event":
        raise LeaderboardNotFound.of(args.leaderboard_id)
    if board.lobby_id is not None:
        # Its session may be over, although due work has not noted that yet.
        elapsed_due(unit, board.lobby_id)
        board = unit.tx.get(BOARDS, board.board_id) or board
    window = unit.tx.get(WINDOWS, board.window_id)
    if window is None and args.exclude:
        # It is due to open, and has not.
        window = open_window(unit, board.key)
    if board.finalized_at is not None or (window is not None and is_over(unit, window)):
        raise LeaderboardFinalized
    return board, window


def void_attempts(
    unit: Unit, player: Player, board: Leaderboard, window: EventWindow, shown: str | None
) -> Attempt | None:
    """Take a player's attempts out of the ranking of a board; `shown` is the one whose score stands there.

    The caller takes the entry off, and then judges the end of the attempt that is returned (`attempt_ended`).

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
