"""What follows when a board is final: the ranks that its event names, and the rewards of its ranks, paid page by page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.kernel.storage.reads import Count, Read, Scan
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value
from livecore.leaderboards.board_pages import entry_rows
from livecore.leaderboards.boards import BANNED_ON, BY_RANK, Leaderboard, place_of
from livecore.leaderboards.definition_rows import RankReward
from livecore.leaderboards.participants import Ranked
from livecore.leaderboards.rewards import Source, last_rewarded, reward, reward_of_rank
from livecore.leaderboards.webhook_events import RankRow
from livecore.players.player import player_reads, present

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


def final_reads(board_id: str) -> list[Read[Any]]:
    """What making a board final reads of it, for whoever asks for something else with it. They are for small boards."""
    banned: Read[Any] = Scan(BANNED_ON, (board_id,))
    return [banned, Count(BY_RANK, (board_id,)), Scan(BY_RANK, (board_id,), limit=TOP_RANKS)]


def top_ranks(unit: Unit, board: Leaderboard) -> tuple[RankRow, ...]:
    """The first ranks of a final board, as its event names them: from rows, which are never behind as a ranking may be."""
    places = map(place_of, unit.tx.scan(BY_RANK, board.board_id, limit=TOP_RANKS))
    ranked = [Ranked(rank, place) for rank, place in enumerate(places, 1) if place is not None]
    return tuple(
        RankRow(
            rank=entry.rank,
            score=entry.score,
            name=entry.name,
            player_id=entry.player_id or None,
            external_player_id=entry.external_player_id or None,
            event_team_id=entry.event_team_id,
            team_key=entry.team_key,
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
    ranked = [(number, one.player_id) for number, one in enumerate(entries, rank + 1) if one.player_id is not None]
    players = map(present, unit.tx.read_all(player_reads(player_id for _, player_id in ranked)))
    granted = 0
    for (number, _), player in zip(ranked, players, strict=True):
        granted += reward(unit, player, reward_of_rank(rewards, number), source, board_id) is not None
    rank += len(entries)
    more = bool(entries) and len(entries) == wanted and rank < last_rewarded(rewards)
    following = BY_RANK.position_of(entries[-1]) if more else None
    return PaidRanks(rank=rank, place=following, entries=len(entries), granted=granted)
