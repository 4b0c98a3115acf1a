"""How merging two players changes their places on shared leaderboards.

In a period that is open two entries become one by the leaderboard's aggregation: sums are added, of the best and the lowest
the better stands, and of the last the one that was written later. It stands on the target's board, where the target has one.
On boards of periods that are over both entries stay where they are: they show who stood there.

Of two memberships the later period's stays, and of the same period the target's: it says where the one player enters next.
"""

from __future__ import annotations

from livecore.competition.board_config import LeaderboardDefinition
from livecore.competition.boards import BoardEntry, Leaderboard, entry_of, remove_entry, write_entry
from livecore.competition.divisions import MEMBERSHIPS, MEMBERSHIPS_OF_PLAYER, Membership, board_of_member
from livecore.competition.exclusions import exclude, is_excluded
from livecore.competition.periods import PERIODS, Period, definition_of, period_id_of
from livecore.competition.rollover import roll_due
from livecore.competition.scoring import applied, fault_of
from livecore.kernel.player_lifecycle import Merging
from livecore.kernel.records import evolve
from livecore.kernel.shapes import MAX_AMOUNT
from livecore.kernel.unit import Unit
from livecore.players.player import by_id

__all__ = ["unite_memberships", "united_score"]


def united_score(definition: LeaderboardDefinition, one: BoardEntry, other: BoardEntry) -> tuple[int, int]:
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
    for coming in unit.tx.scan(MEMBERSHIPS_OF_PLAYER, merging.source_id):
        unit.tx.delete(MEMBERSHIPS, coming.leaderboard_key, merging.source_id)
        held = unit.tx.get(MEMBERSHIPS, coming.leaderboard_key, merging.target_id)
        period = _open_period(unit, coming)
        stays = (
            held if held is not None and held.number >= coming.number else evolve(coming, player_id=merging.target_id)
        )
        if period is not None:
            board = board_of_member(unit, stays, period)
            _unite_entries(unit, merging, period, coming, board)
            stays = evolve(stays, participant=merging.target_id)
        unit.tx.put(MEMBERSHIPS, stays)


def _open_period(unit: Unit, membership: Membership) -> Period | None:
    """The period of a membership, if it is open at this moment."""
    roll_due(unit, membership.leaderboard_key)
    period = unit.tx.get(PERIODS, period_id_of(membership.leaderboard_key, membership.number))
    return period if period is not None and period.status == "open" else None


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
        score, reached_at = united_score(definition_of(period), source, held)
    remove_entry(unit, source)
    player = by_id(unit, merging.target_id)
    write_entry(unit, board, player, score, reached_at=reached_at, flagged=source.flagged)
