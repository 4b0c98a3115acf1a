"""Teams on leaderboards."""

from __future__ import annotations

from typing import ClassVar, Final

from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import Leaderboard
from livecore.leaderboards.participants import ParticipantKind, Ranked, score_at
from livecore.leaderboards.rows import EntryRow
from livecore.players.player import Player
from livecore.teams.team import TEAM_PREFIX, TEAMS, Team, held_seat


class _Teams(ParticipantKind[Team]):
    """Teams, which stand on a board of their own."""

    prefix: ClassVar = TEAM_PREFIX
    table = TEAMS

    def entry_row(self, board: Leaderboard, ranked: Ranked, participant: Team) -> EntryRow:
        """The entry of a team."""
        return EntryRow(
            rank=ranked.rank,
            name=participant.name or participant.key,
            score=score_at(board, ranked.place),
            reached_at=Timestamp(ranked.place.reached_at),
            is_bot=False,
            event_team_id=participant.team_id,
            team_key=participant.key,
            member_count=participant.members,
        )

    def standing_for(self, unit: Unit, board: Leaderboard, player: Player) -> str | None:
        """The team in which the player sits in the window of the board."""
        held = held_seat(unit, player.player_id, board.window_id or "") if board.participants == "team" else None
        return None if held is None else held.team_id


TEAM_PARTICIPANTS: Final = _Teams()
