"""What merging two players means for attempts and for entries on leaderboards.

A player has one entry on an open board, so two entries become one; boards that are final stay as they were, and both
entries then name the target.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any

from livecore.events.attempt_ending import expire_all, judge_end, works_of
from livecore.events.attempt_records import ATTEMPTS, STANDING, Attempt
from livecore.events.attempts import newest_at_event_read, running, running_read
from livecore.events.boards import settle, the_standing, void_attempts
from livecore.events.format import every_format
from livecore.events.window_records import EVENTS_BY_KEY, WINDOWS, EventWindow, definition_of, is_over
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.leaderboards.bans import note_ban
from livecore.leaderboards.boards import (
    BOARDS,
    ENTRIES,
    ENTRIES_OF_PLAYER,
    BoardEntry,
    Leaderboard,
    entry_of,
    remove_entry,
)
from livecore.leaderboards.exclusions import exclude
from livecore.players.player import by_id


def unite_attempts(unit: Unit, merging: Merging) -> None:
    """Where both run an attempt in one window, the source's ends; the attempts of both are counted.

    A session whose time is over ends first, or what is merged would depend on when its due work runs.
    """
    both = (merging.source_id, merging.target_id)
    under_way, (events,) = unit.tx.read_lists(map(running_read, both), [Scan(EVENTS_BY_KEY, ())])
    playing = [attempt for found in under_way for attempt in found]
    unit.tx.read_all(
        read for one in every_format(unit) for attempt in playing for read in one.reads_to_catch_up(attempt)
    )
    for attempt in playing:
        for one in every_format(unit):
            one.catch_up(unit, attempt)
    source, target = running(unit, merging.source_id), running(unit, merging.target_id)
    expire_all(unit, [source[window_id] for window_id in sorted(source.keys() & target.keys())], at=unit.now)
    of_source, of_target = unit.tx.read_lists(
        (newest_at_event_read(merging.source_id, event.event_key) for event in events),
        (newest_at_event_read(merging.target_id, event.event_key) for event in events),
    )
    for newest in map(operator.add, of_source, of_target):
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
    of_source, under_way = unit.tx.read_together(
        Scan(ENTRIES_OF_PLAYER, (merging.source_id,)), running_read(merging.source_id)
    )
    entries = {
        entry.board_id: entry for entry in of_source if entry.sort_key is not None or entry.excluded_at is not None
    }
    # An attempt without progress has no entry, and ends all the same where the target is excluded.
    playing = {attempt.board_id for attempt in under_way}
    found = unit.tx.read_all(Get(BOARDS, (board_id,)) for board_id in sorted(entries.keys() | playing))
    merged_boards = _merged_boards(unit, merging, [board for board in found if board is not None], entries)
    standing = _standing(unit, merging, merged_boards)
    target = by_id(unit, merging.target_id)
    for merged in merged_boards:
        if merged.is_excluded:
            _carry_exclusion(unit, merging, merged)
        elif merged.coming is not None:
            remove_entry(unit, merged.coming)
            settle(
                unit, merged.board, target, the_standing(definition_of(merged.window), standing[merged.board.board_id])
            )


@value
class _MergedBoard:
    """An open board of an event: what the source has there, and what the target."""

    board: Leaderboard
    window: EventWindow
    coming: BoardEntry | None
    held: BoardEntry | None

    @property
    def is_excluded(self) -> bool:
        """Whether either of the two is excluded."""
        return any(one is not None and one.excluded_at is not None for one in (self.coming, self.held))


def _merged_boards(
    unit: Unit, merging: Merging, found: Iterable[Leaderboard], entries: Mapping[str, BoardEntry]
) -> list[_MergedBoard]:
    """What the two have on those of the boards that are open.

    Once its time is over, a board is as good as final: what it pays must not depend on when its close runs.
    """
    boards = [board for board in found if board.finalized_at is None and board.kind == "event"]
    windows, held = unit.tx.read_lists(
        (Get(WINDOWS, (board.window_id,)) for board in boards),
        (Get(ENTRIES, (board.board_id, merging.target_id)) for board in boards),
    )
    return [
        _MergedBoard(board, window, entries.get(board.board_id), own)
        for board, window, own in zip(boards, windows, held, strict=True)
        if window is not None and not is_over(unit, window)
    ]


def _standing(unit: Unit, merging: Merging, merged_boards: Iterable[_MergedBoard]) -> dict[str, list[Attempt]]:
    """The attempts of both that could stand on each board; what else is needed to void them is read together with them."""
    both = (merging.source_id, merging.target_id)
    changing = [merged.board.board_id for merged in merged_boards if merged.is_excluded or merged.coming is not None]
    excluding = [merged.board.board_id for merged in merged_boards if merged.is_excluded]
    voiding: list[Get[Any]] = [Get(ENTRIES, (board_id, player_id)) for board_id in excluding for player_id in both]
    if excluding:
        under_way = unit.tx.scan_all(map(running_read, both))
        voiding += chain.from_iterable(works_of(attempt) for attempt in under_way if attempt.board_id in excluding)
    of_source, of_target, _ = unit.tx.read_lists(
        (Scan(STANDING, (merging.source_id, board_id)) for board_id in changing),
        (Scan(STANDING, (merging.target_id, board_id)) for board_id in changing),
        voiding,
    )
    return dict(zip(changing, map(operator.add, of_source, of_target), strict=True))


def _carry_exclusion(unit: Unit, merging: Merging, merged: _MergedBoard) -> None:
    """Exclude the target, because either of the two was: the attempts of both are void, and one in progress ends."""
    board_id = merged.board.board_id
    for player_id in (merging.source_id, merging.target_id):
        standing = entry_of(unit, board_id, player_id)
        shown = None if standing is None else standing.attempt_id
        ended = void_attempts(unit, by_id(unit, player_id), merged.board, merged.window, shown)
        if standing is not None:
            remove_entry(unit, standing)
        if ended is not None:
            merging.afterwards.append(partial(judge_end, unit, ended, "expired"))
    exclude(unit, board_id, merging.target_id)
