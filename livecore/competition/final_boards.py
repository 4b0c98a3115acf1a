"""What follows when a board is final: the ranks that its event names, and the rewards of its ranks, paid page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.competition.boards import BY_RANK, Leaderboard, place_of
from livecore.competition.definition_rows import RankReward
from livecore.competition.ranks import Ranked
from livecore.competition.reading import entry_rows
from livecore.competition.rewards import Source, last_rewarded, reward, reward_of_rank
from livecore.kernel.tables import Key
from livecore.kernel.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.players.player import PLAYERS, by_id
from livecore.webhooks.catalog.windows import RankRow

__all__ = ["TOP_RANKS", "PaidRanks", "pay_ranks", "top_ranks"]

TOP_RANKS: Final = 10
"""How many ranks the event of a final board names."""


@keyword_value
class PaidRanks:
    """How far the ranks of a board are paid."""

    rank: int
    place: Key | None
    """The place of this rank, to go on after it; `None`: every rank that wins anything is paid."""
    entries: int
    """How many entries this page had."""
    granted: int
    """How many grants were made for them."""


def top_ranks(unit: Unit, board: Leaderboard) -> tuple[RankRow, ...]:
    """The first ranks of a final board, as its event names them: from rows, which are never behind as a ranking may be."""
    places = map(place_of, unit.tx.scan(BY_RANK, board.board_id, limit=TOP_RANKS))
    ranked = [Ranked(rank, place) for rank, place in enumerate(places, 1) if place is not None]
    return tuple(
        RankRow(
            rank=entry.rank,
            score=entry.score,
            name=entry.name,
            player_id=entry.player_id,
            external_player_id=entry.external_player_id,
        )
        for entry in entry_rows(unit, board, ranked)
    )


def pay_ranks(
    unit: Unit, board_id: str, rewards: Sequence[RankReward], source: Source, *, rank: int, place: Key | None, most: int
) -> PaidRanks:
    """Pay the ranks of a final board after `rank`, which has this place: 0 and `None` at first, at most `most` of them.

    Rewards follow the entry and not the participant: who was merged into another since is paid as if it had been paid
    before the merge, and nothing is paid for somebody who was erased.
    """
    wanted = min(most, last_rewarded(rewards) - rank)
    entries = unit.tx.scan(BY_RANK, board_id, after=place, limit=wanted) if wanted > 0 else []
    unit.tx.prefetch((PLAYERS, (entry.player_id,)) for entry in entries if entry.player_id is not None)
    granted = 0
    for number, entry in enumerate(entries, rank + 1):
        if entry.player_id is not None:
            won = reward_of_rank(rewards, number)
            granted += reward(unit, by_id(unit, entry.player_id), won, source, board_id) is not None
    rank += len(entries)
    more = bool(entries) and len(entries) == wanted and rank < last_rewarded(rewards)
    following = BY_RANK.place_of(entries[-1]) if more else None
    return PaidRanks(rank=rank, place=following, entries=len(entries), granted=granted)
