"""Leaving a lobby, and what merging and erasing players changes in lobbies.

A lobby can be left only while it is forming. A merge leaves one seat of two: where both players sit in lobbies of one window
that are not closed, the target's seat stays; so it does where both sat in the same lobby. Who is erased leaves a lobby that
is forming; elsewhere the seat stays, and shows the pool identity.
"""

from __future__ import annotations

from livecore.competition.attempts import running
from livecore.competition.ending import expire
from livecore.kernel.player_lifecycle import Erasing, Merging
from livecore.kernel.records import evolve
from livecore.kernel.unit import Unit
from livecore.lobbies.lifecycle import vacate
from livecore.lobbies.lobby import LOBBIES, SEATS, SEATS_OF_PLAYER, Lobby, Seat, lobby_now, open_seat
from livecore.lobbies.refusals import LobbyNotForming, LobbyNotFound
from livecore.lobbies.rows import LeaveLobby, LobbyLeft
from livecore.players.player import acting, by_id

__all__ = ["give_up_seats", "leave", "unite_seats"]


def leave(unit: Unit, args: LeaveLobby) -> LobbyLeft:
    """Leave a forming lobby. Raises `LobbyNotFound`, also for one that the player is not in, and `LobbyNotForming`."""
    player = acting(unit)
    lobby = unit.tx.get(LOBBIES, args.lobby_id)
    if lobby is None or unit.tx.get(SEATS, args.lobby_id, player.player_id) is None:
        raise LobbyNotFound
    if lobby.status != "forming" or (lobby.fill_by is not None and lobby.fill_by <= unit.now):
        # Its time is over, whether its due work has run or not.
        raise LobbyNotForming(status="active" if lobby.status == "forming" else lobby.status)
    vacate(unit, lobby, player.player_id)
    return LobbyLeft(left=True)


def unite_seats(unit: Unit, merging: Merging) -> None:
    """Leave the target one seat in each lobby, and in one lobby of a window that is not closed."""
    for seat in unit.tx.scan(SEATS_OF_PLAYER, merging.source_id):
        lobby = lobby_now(unit, seat.lobby_id)
        if unit.tx.get(SEATS, lobby.lobby_id, merging.target_id) is not None:
            # An attempt of either goes on; of two in progress `unite_attempts` ends one.
            vacate(unit, lobby, seat.player_id)
        elif lobby.status != "closed" and open_seat(unit, merging.target_id, lobby.window_id) is not None:
            _give_up(unit, lobby, seat)
        else:
            unit.tx.delete(SEATS, seat.lobby_id, seat.player_id)
            unit.tx.insert(SEATS, evolve(seat, player_id=merging.target_id))


def _give_up(unit: Unit, lobby: Lobby, seat: Seat) -> None:
    """Free the source's seat; an attempt that is in progress there ends, and what it has scored stands."""
    under_way = running(unit, seat.player_id).get(lobby.window_id)
    if under_way is not None and under_way.lobby_id == lobby.lobby_id:
        expire(unit, by_id(unit, seat.player_id), under_way, at=unit.now)
    vacate(unit, lobby, seat.player_id)


def give_up_seats(unit: Unit, erasing: Erasing) -> None:
    """Leave every lobby that is forming."""
    for seat in unit.tx.scan(SEATS_OF_PLAYER, erasing.player_id):
        lobby = lobby_now(unit, seat.lobby_id)
        if lobby.status == "forming":
            vacate(unit, lobby, erasing.player_id)
