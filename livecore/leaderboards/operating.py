"""The shared leaderboards of a game as the studio's members see them."""

from __future__ import annotations

from collections.abc import Mapping

from livecore.kernel.storage.reads import Count
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BY_RANK
from livecore.leaderboards.config import leaderboards_config
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.divisions import cohorts_in, undivided_board_id
from livecore.leaderboards.operator_rows import DivisionRow, ListLeaderboards, SharedLeaderboardRow, SharedLeaderboards
from livecore.leaderboards.periods import Period, definition_of, find_all_present


def list_leaderboards(unit: Unit, _: ListLeaderboards) -> SharedLeaderboards:
    """The shared leaderboards of the game, in the order of its configuration."""
    definitions = leaderboards_config(unit).leaderboards
    seen = find_all_present(unit, [definition.key for definition in definitions])
    known = [(definition, now) for definition, now in zip(definitions, seen, strict=True) if now is not None]
    periods = [now.period for _, now in known]
    cohorts = cohorts_in(unit, periods)
    board_ids = [board_id for period in periods if (board_id := undivided_board_id(unit, period)) is not None]
    counts = unit.tx.read_all(Count(BY_RANK, (board_id,)) for board_id in board_ids)
    sizes = dict(zip(board_ids, counts, strict=True))
    rows = (
        _row(definition, now.period, cohorts, undivided_board_id(unit, now.period), sizes) for definition, now in known
    )
    return SharedLeaderboards(leaderboards=tuple(rows))


def _row(
    declared: LeaderboardDefinition,
    period: Period,
    cohorts: Mapping[tuple[str, str], int],
    board_id: str | None,
    sizes: Mapping[str, int],
) -> SharedLeaderboardRow:
    """A leaderboard as its present period has it; where its scores come from is as it is declared now."""
    definition = definition_of(period)
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
            DivisionRow(key=division.key, cohorts=cohorts.get((period.period_id, division.key)))
            for division in definition.divisions
        ),
        starts_at=Timestamp(period.starts_at),
        next_reset_at=stamp(period.ends_at),
        leaderboard_id=board_id,
        entry_count=None if board_id is None else sizes[board_id],
    )
