"""Leaderboards and entries as clients see them: a player's, or one of another kind of participant.

Who takes part in an event need not be a player. Whoever makes other participants, such as bots or teams, provides a
`ParticipantKind` in its `Area`; the ids of each kind begin with a prefix of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis, Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import ABSENT, fields_of
from livecore.leaderboards.boards import Leaderboard
from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.rows import EntryRow, LeaderboardRow
from livecore.players.identity import shown_avatar, shown_name
from livecore.players.player import PLAYERS, Player


@value
class Ranked:
    """A participant's place on a board, and its rank."""

    rank: int
    place: Place


R = TypeVar("R")


class ParticipantKind(Generic[R]):
    """A kind of participants that are no players: where their rows are, and how an entry shows one."""

    prefix: ClassVar[str]
    """With what their ids begin."""
    table: Table[R]

    def entry_row(self, board: Leaderboard, ranked: Ranked, participant: R) -> EntryRow:
        """The entry of one of them."""
        raise NotImplementedError

    def standing_for(self, unit: Unit, board: Leaderboard, player: Player) -> str | None:  # noqa: ARG002 - none does
        """The id of the one that stands for a player on a board, such as the player's team."""
        return None


@value
class Attendee:
    """A participant that is no player: its row, and its kind."""

    kind: ParticipantKind[Any]
    row: Any


Participant: TypeAlias = Player | Attendee
"""Who stands on a board."""


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
    """The entry of a participant; a player's has the player's country."""
    if isinstance(participant, Attendee):
        return participant.kind.entry_row(board, ranked, participant.row)
    return _player_row(board, ranked, participant)


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


def participants_now(areas: Areas, tx: Transaction, participants: Sequence[str]) -> list[Participant | None]:
    """Whose each entry is: a player's, of whom that player was merged into, or another's; `None`: not known yet."""
    found = tx.read_all(participant_read(areas, participant) for participant in participants)
    merged = [one.merged_into for one in found if isinstance(one, Player) and one.merged_into is not None]
    targets = iter(tx.read_all(Get(PLAYERS, (player_id,)) for player_id in merged))
    return [
        _participant(
            areas, participant, next(targets) if isinstance(one, Player) and one.merged_into is not None else one
        )
        for participant, one in zip(participants, found, strict=True)
    ]


def _participant(areas: Areas, participant: str, row: Any) -> Participant | None:  # noqa: ANN401 - the row of any kind
    kind = None if row is None else kind_of(areas, participant)
    return row if kind is None else Attendee(kind, row)


def kind_of(areas: Areas, participant: str) -> ParticipantKind[Any] | None:
    """Of which kind a participant is; `None`: a player."""
    kinds = areas.provided(ParticipantKind)
    return next((kind for kind in kinds if participant.startswith(kind.prefix)), None)


def participant_read(areas: Areas, participant: str) -> Get[Any]:
    """The row of whose entry it is."""
    kind = kind_of(areas, participant)
    return Get(PLAYERS if kind is None else kind.table, (participant,))
