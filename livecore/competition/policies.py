"""What merging two players means for attempts and for entries on leaderboards.

A player has one entry on an open board, so two entries become one; boards that are final stay as they were, and both
entries then name the target.
"""

from __future__ import annotations

from functools import partial

from livecore.competition.attempts import ATTEMPTS, STANDING, Attempt, newest_at_event, running
from livecore.competition.bans import note_ban
from livecore.competition.boards import (
    BOARDS,
    ENTRIES,
    ENTRIES_OF_PLAYER,
    BoardEntry,
    Leaderboard,
    entry_of,
    remove_entry,
)
from livecore.competition.ending import expire
from livecore.competition.event_boards import settle, the_standing, void_attempts
from livecore.competition.exclusions import exclude
from livecore.competition.windows import EVENTS_BY_KEY, WINDOWS, EventWindow, definition_of, is_over
from livecore.kernel.player_lifecycle import Merging
from livecore.kernel.reads import Get
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.lobbies.sessions import attempt_ended, elapsed_due
from livecore.players.player import by_id

__all__ = ["unite_attempts", "unite_entries"]


def unite_attempts(unit: Unit, merging: Merging) -> None:
    """Where both run an attempt in one window, the source's ends; the attempts of both are counted.

    A session whose time is over ends first, or what is merged would depend on when its due work runs.
    """
    for player_id in (merging.source_id, merging.target_id):
        for attempt in running(unit, player_id).values():
            if attempt.lobby_id is not None:
                elapsed_due(unit, attempt.lobby_id)
    source, target = running(unit, merging.source_id), running(unit, merging.target_id)
    for window_id in sorted(source.keys() & target.keys()):
        expire(unit, by_id(unit, merging.source_id), source[window_id], at=unit.now)
    for event in unit.tx.scan(EVENTS_BY_KEY):
        newest = [
            found
            for player_id in (merging.source_id, merging.target_id)
            if (found := newest_at_event(unit, player_id, event.event_key)) is not None
        ]
        if len({attempt.window_id for attempt in newest}) == 1 and len(newest) > 1:
            window_id = newest[0].window_id
            _count_together(unit, newest, target.get(window_id) or source.get(window_id))


def _count_together(unit: Unit, newest: list[Attempt], under_way: Attempt | None) -> None:
    """Give the attempt in progress, or else the newest, the number that counts the attempts of both."""
    last = under_way or max(newest, key=lambda attempt: (attempt.started_at, attempt.attempt_id))
    attempt = unit.tx.get(ATTEMPTS, last.attempt_id)
    if attempt is not None:
        unit.tx.put(ATTEMPTS, evolve(attempt, number=sum(attempt.number for attempt in newest)))


def unite_entries(unit: Unit, merging: Merging) -> None:
    """Make one entry of two on each open board; a ban that the target takes over shows in all of the target's."""
    merging.afterwards.append(partial(note_ban, unit, merging.target_id))
    found = unit.tx.scan(ENTRIES_OF_PLAYER, merging.source_id)
    entries = {entry.board_id: entry for entry in found if entry.sort_key is not None or entry.excluded_at is not None}
    # An attempt without progress has no entry, and ends all the same where the target is excluded.
    playing = {attempt.board_id for attempt in running(unit, merging.source_id).values()}
    boards = sorted(entries.keys() | playing)
    unit.tx.prefetch(Get(BOARDS, (board_id,)) for board_id in boards)
    for board_id in boards:
        board = unit.tx.get(BOARDS, board_id)
        if board is not None and board.finalized_at is None and board.kind == "event":
            _unite_event_entries(unit, merging, board, entries.get(board_id))


def _unite_event_entries(unit: Unit, merging: Merging, board: Leaderboard, entry: BoardEntry | None) -> None:
    window = unit.tx.get(WINDOWS, board.window_id)
    if window is None or is_over(unit, window):
        # The board is as good as final: what it pays must not depend on when its close runs.
        return
    held = unit.tx.get(ENTRIES, board.board_id, merging.target_id)
    if any(one is not None and one.excluded_at is not None for one in (entry, held)):
        _carry_exclusion(unit, merging, board, window)
    elif entry is not None:
        found = [
            attempt
            for player_id in (merging.source_id, merging.target_id)
            for attempt in unit.tx.scan(STANDING, player_id, board.board_id)
        ]
        remove_entry(unit, entry)
        settle(unit, board, by_id(unit, merging.target_id), the_standing(definition_of(window), found))


def _carry_exclusion(unit: Unit, merging: Merging, board: Leaderboard, window: EventWindow) -> None:
    """Exclude the target, because either of the two was: the attempts of both are void, and one in progress ends."""
    for player_id in (merging.source_id, merging.target_id):
        standing = entry_of(unit, board.board_id, player_id)
        shown = None if standing is None else standing.attempt_id
        ended = void_attempts(unit, by_id(unit, player_id), board, window, shown)
        if standing is not None:
            remove_entry(unit, standing)
        if ended is not None:
            merging.afterwards.append(partial(attempt_ended, unit, ended, "expired"))
    exclude(unit, board.board_id, merging.target_id)
