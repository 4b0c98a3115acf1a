"""Leaderboards and entries as clients see them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from livecore.competition.board_rows import EntryRow, LeaderboardRow
from livecore.competition.boards import Leaderboard
from livecore.kernel.ranking import Place
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis, stamp
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import ABSENT, Timestamp, fields_of
from livecore.lobbies.lobby import BOTS, Bot, is_bot
from livecore.players.identity import shown_avatar, shown_name
from livecore.players.player import PLAYERS, Player
from livecore.teams.team import TEAMS, Team, is_team

__all__ = [
    "Participant",
    "Ranked",
    "board_row",
    "entry_row",
    "participant_read",
    "participants_now",
    "score_at",
    "status_of",
    "without_country",
]

Participant: TypeAlias = Player | Bot | Team
"""Who stands on a board."""


@value
class Ranked:
    """A participant's place on a board, and its rank."""

    rank: int
    place: Place


def status_of(board: Leaderboard) -> Literal["open", "finalized"]:
    """Whether a board still changes."""
    return "open" if board.finalized_at is None else "finalized"


def score_at(board: Leaderboard, place: Place) -> int:
    """The score of a place on a board."""
    return -place.sort_key if board.order == "desc" else place.sort_key


def board_row(board: Leaderboard, entry_count: int, *, next_reset_at: Millis | None = None) -> LeaderboardRow:
    """A leaderboard as clients see it."""
    return LeaderboardRow(
        leaderboard_id=board.board_id,
        key=board.key,
        name=board.name,
        event_key=board.key if board.kind == "event" else None,
        event_window_id=board.window_id,
        lobby_id=board.lobby_id,
        segment=board.segment,
        division=board.division,
        cohort=board.cohort,
        participant_scope=board.participants,
        status=status_of(board),
        order=board.order,
        starts_at=Timestamp(board.starts_at),
        ends_at=stamp(board.ends_at),
        next_reset_at=stamp(next_reset_at),
        entry_count=entry_count,
    )


def entry_row(board: Leaderboard, ranked: Ranked, participant: Participant) -> EntryRow:
    """The entry of a player, a bot or a team, with the player's country."""
    if isinstance(participant, Bot):
        return _bot_row(board, ranked, participant)
    if isinstance(participant, Team):
        return _team_row(board, ranked, participant)
    return _player_row(board, ranked, participant)


def _bot_row(board: Leaderboard, ranked: Ranked, bot: Bot) -> EntryRow:
    return EntryRow(
        rank=ranked.rank,
        player_id=None,
        external_player_id=None,
        name=bot.name,
        avatar=bot.avatar,
        anonymized_name=bot.name,
        anonymized_avatar=bot.avatar,
        country=None,
        score=score_at(board, ranked.place),
        reached_at=Timestamp(ranked.place.reached_at),
        is_bot=True,
    )


def _team_row(board: Leaderboard, ranked: Ranked, team: Team) -> EntryRow:
    return EntryRow(
        rank=ranked.rank,
        name=team.name or team.key,
        score=score_at(board, ranked.place),
        reached_at=Timestamp(ranked.place.reached_at),
        is_bot=False,
        event_team_id=team.team_id,
        team_key=team.key,
        member_count=team.members,
    )


def without_country(row: EntryRow) -> EntryRow:
    """The entry as strangers see it in a game that does not show them the countries of players."""
    return row if row.country is None or row.country is ABSENT else EntryRow(**{**fields_of(row), "country": None})


def _player_row(board: Leaderboard, ranked: Ranked, player: Player) -> EntryRow:
    return EntryRow(
        rank=ranked.rank,
        player_id=player.player_id,
        external_player_id=player.external_id,
        name=shown_name(player),
        avatar=shown_avatar(player),
        anonymized_name=player.pool_name,
        anonymized_avatar=player.pool_avatar,
        country=player.country,
        score=score_at(board, ranked.place),
        reached_at=Timestamp(ranked.place.reached_at),
        is_bot=False,
    )


def participants_now(tx: Transaction, participants: Sequence[str]) -> list[Participant | None]:
    """Whose each entry is: a bot's, a team's, a player's, or of whom that player was merged into; `None`: not known yet."""
    found = tx.read_all(map(participant_read, participants))
    merged = [one.merged_into for one in found if isinstance(one, Player) and one.merged_into is not None]
    targets = iter(tx.read_all(Get(PLAYERS, (player_id,)) for player_id in merged))
    return [next(targets) if isinstance(one, Player) and one.merged_into is not None else one for one in found]


def participant_read(participant: str) -> Get[Any]:
    """The row of whose entry it is."""
    return Get(BOTS if is_bot(participant) else TEAMS if is_team(participant) else PLAYERS, (participant,))
