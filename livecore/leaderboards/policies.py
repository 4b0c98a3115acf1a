"""How merging two players changes their places on shared leaderboards.

In a period that is open two entries become one by the leaderboard's aggregation: sums are added, of the best and the lowest
the better stands, and of the last the one that was written later. It stands on the target's board, where the target has one.
On boards of periods that are over both entries stay where they are: they show who stood there.

Of two memberships the later period's stays, and of the same period the target's: it says where the one player enters next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.boards import BOARDS, ENTRIES, BoardEntry, Leaderboard, entry_of, remove_entry, write_entry
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.divisions import MEMBERSHIPS, MEMBERSHIPS_OF_PLAYER, Membership, board_of_member
from livecore.leaderboards.exclusions import exclude, is_excluded
from livecore.leaderboards.periods import PERIODS, Period, definition_of, period_id_of
from livecore.leaderboards.rollover import roll_all_due, rolling_reads
from livecore.leaderboards.scoring import applied, fault_of
from livecore.players.player import by_id


def _united_score(definition: LeaderboardDefinition, one: BoardEntry, other: BoardEntry) -> tuple[int, int]:
    """The score of two entries as one, and when it was reached; a sum stays at the largest number that there can be."""
    first, second = sorted((one, other), key=lambda entry: (entry.written_at, entry.reached_at))
    if definition.aggregation == "sum":
        total = applied("sum", first.score, second.score)
        reached_at = max(one.reached_at, other.reached_at)
        return (MAX_AMOUNT if fault_of("sum", first.score, second.score) else total), reached_at
    if definition.aggregation == "last":
        return second.score, second.reached_at
    score = applied(definition.aggregation, first.score, second.score)
    return score, min(entry.reached_at for entry in (one, other) if entry.score == score)


def unite_memberships(unit: Unit, merging: Merging) -> None:
    """Give the target what the source has on shared leaderboards."""
    found = unit.tx.scan(MEMBERSHIPS_OF_PLAYER, merging.source_id)
    own, *_ = unit.tx.read_lists(
        (Get(MEMBERSHIPS, (coming.leaderboard_key, merging.target_id)) for coming in found),
        rolling_reads([coming.leaderboard_key for coming in found]),
        map(_period_read, found),
        (read for coming in found for read in _place_reads(coming.board_id, merging)),
    )
    stays = [
        held if held is not None and held.number >= coming.number else evolve(coming, player_id=merging.target_id)
        for coming, held in zip(found, own, strict=True)
    ]
    periods = _open_periods(unit, found)
    # Where the target stays on another board than the one of the source, that one is read as well.
    unit.tx.read_all(read for one in compress(stays, periods) for read in _place_reads(one.board_id, merging))
    for coming, staying, period in zip(found, stays, periods, strict=True):
        unit.tx.delete(MEMBERSHIPS, coming.leaderboard_key, merging.source_id)
        if period is None:
            unit.tx.put(MEMBERSHIPS, staying)
            continue
        _unite_entries(unit, merging, period, coming, board_of_member(unit, staying, period))
        unit.tx.put(MEMBERSHIPS, evolve(staying, participant=merging.target_id))


def _open_periods(unit: Unit, memberships: Sequence[Membership]) -> list[Period | None]:
    """The periods of memberships, those that are open at this moment."""
    roll_all_due(unit, [membership.leaderboard_key for membership in memberships])
    periods = unit.tx.read_all(map(_period_read, memberships))
    return [period if period is not None and period.status == "open" else None for period in periods]


def _period_read(membership: Membership) -> Get[Period]:
    return Get(PERIODS, (period_id_of(membership.leaderboard_key, membership.number),))


def _place_reads(board_id: str, merging: Merging) -> tuple[Get[Leaderboard], Get[BoardEntry], Get[BoardEntry]]:
    """A board, and what both players have there."""
    return (
        Get(BOARDS, (board_id,)),
        Get(ENTRIES, (board_id, merging.source_id)),
        Get(ENTRIES, (board_id, merging.target_id)),
    )


def _unite_entries(unit: Unit, merging: Merging, period: Period, coming: Membership, board: Leaderboard) -> None:
    source = entry_of(unit, coming.board_id, merging.source_id)
    # The one player is excluded if either was, and what both have scored comes off.
    if any(
        is_excluded(unit, *known)
        for known in ((coming.board_id, merging.source_id), (board.board_id, merging.target_id))
    ):
        if source is not None:
            remove_entry(unit, source)
        exclude(unit, board.board_id, merging.target_id)
        return
    if source is None:
        return
    held = entry_of(unit, board.board_id, merging.target_id)
    score, reached_at = source.score, source.reached_at
    if held is not None:
        score, reached_at = _united_score(definition_of(period), source, held)
    remove_entry(unit, source)
    player = by_id(unit, merging.target_id)
    write_entry(unit, board, player, score, reached_at=reached_at, flagged=source.flagged)
