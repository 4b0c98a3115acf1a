"""Bots on leaderboards."""

from __future__ import annotations

from typing import ClassVar, Final

from livecore.kernel.time import Timestamp
from livecore.leaderboards.boards import Leaderboard
from livecore.leaderboards.participants import ParticipantKind, Ranked, score_at
from livecore.leaderboards.rows import EntryRow
from livecore.lobbies.lobby import BOT_PREFIX, BOTS, Bot


class _Bots(ParticipantKind[Bot]):
    """Bots, whose entries look like those of players."""

    prefix: ClassVar = BOT_PREFIX
    table = BOTS

    def entry_row(self, board: Leaderboard, ranked: Ranked, participant: Bot) -> EntryRow:
        """The entry of a bot."""
        return EntryRow(
            rank=ranked.rank,
            player_id=None,
            external_player_id=None,
            name=participant.name,
            avatar=participant.avatar,
            anonymized_name=participant.name,
            anonymized_avatar=participant.avatar,
            country=None,
            score=score_at(board, ranked.place),
            reached_at=Timestamp(ranked.place.reached_at),
            is_bot=True,
        )


BOT_PARTICIPANTS: Final = _Bots()
