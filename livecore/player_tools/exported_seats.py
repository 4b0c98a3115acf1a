"""The part of an export for seats in lobbies and teams, all that is stored of each, in one list by time."""

from __future__ import annotations

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import page_by_time, page_of
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.lobbies.lobby import SEATS_OF_PLAYER as LOBBY_SEATS
from livecore.lobbies.lobby import Seat
from livecore.player_tools.history_rows import SeatRow
from livecore.teams.team import SEATS_OF_PLAYER as TEAM_SEATS
from livecore.teams.team import TeamSeat


def exported_seats(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Every seat of the player, the latest first."""
    page = page_by_time(wanted)
    lobbies, teams = unit.tx.read_together(page.newest(LOBBY_SEATS, player_id), page.newest(TEAM_SEATS, player_id))
    found: list[Seat | TeamSeat] = [*lobbies, *teams]
    found.sort(key=_position_of, reverse=True)
    shown, cursor = page_of(found, page, _position_of)
    return Exported(tuple(_in_lobby(seat) if isinstance(seat, Seat) else _in_team(seat) for seat in shown), cursor)


def _position_of(seat: Seat | TeamSeat) -> Key:
    """The position of a seat in both indexes: they are in the order of time and id."""
    return seat.joined_at, seat.lobby_id if isinstance(seat, Seat) else seat.seat_id


def _in_lobby(seat: Seat) -> SeatRow:
    return SeatRow(
        kind="lobby",
        seat_id=None,
        lobby_id=seat.lobby_id,
        event_team_id=None,
        event_window_id=seat.window_id,
        number=seat.number,
        contribution=None,
        joined_at=Timestamp(seat.joined_at),
        left_at=None,
        left_reason=None,
        unlocks_by_then=None,
    )


def _in_team(seat: TeamSeat) -> SeatRow:
    return SeatRow(
        kind="team",
        seat_id=seat.seat_id,
        lobby_id=None,
        event_team_id=seat.team_id,
        event_window_id=seat.window_id,
        number=seat.number,
        contribution=seat.contribution,
        joined_at=Timestamp(seat.joined_at),
        left_at=stamp(seat.left_at),
        left_reason=seat.left_reason,
        unlocks_by_then=seat.unlocks_by_then,
    )
