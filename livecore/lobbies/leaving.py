"""Leaving a lobby, and what merging and erasing players changes in lobbies.

A lobby can be left only while it is forming. A merge leaves one seat of two: where both players sit in lobbies of one window
that are not closed, the target's seat stays, and so it does where both sat in the same lobby. But a target who only waits in
a lobby leaves it for one in which the source plays. Who is erased leaves a lobby that is forming; elsewhere the seat stays,
and shows the pool identity.

Whoever goes from a lobby that is played may thereby end its session. That is judged once the merge or the erasure has
changed all rows: seats, attempts and entries of both players.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from livecore.events.attempt_ending import expire
from livecore.events.attempt_records import Attempt, is_running
from livecore.events.attempts import running
from livecore.events.window_records import WINDOWS, is_over
from livecore.kernel.declarations.player_lifecycle import Erasing, Merging
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.units.unit import Unit
from livecore.lobbies.lifecycle import vacate
from livecore.lobbies.lobby import LOBBIES, SEATS, SEATS_OF_PLAYER, Lobby, Seat, lobbies_now, open_seat_read
from livecore.lobbies.refusals import LobbyNotForming, LobbyNotFound
from livecore.lobbies.rows import LeaveLobby, LobbyLeft
from livecore.lobbies.session_rules import frozen_since
from livecore.lobbies.sessions import player_gone
from livecore.players.player import acting, by_id


def leave(unit: Unit, args: LeaveLobby) -> LobbyLeft:
    """Leave a forming lobby. Raises `LobbyNotFound`, also for one that the player is not in, and `LobbyNotForming`."""
    player = acting(unit)
    lobby = unit.tx.get(LOBBIES, args.lobby_id)
    if lobby is None or unit.tx.get(SEATS, args.lobby_id, player.player_id) is None:
        raise LobbyNotFound.of(args.lobby_id)
    status = _status_now(unit, lobby)
    if status != "forming":
        raise LobbyNotForming(status=status)
    vacate(unit, lobby, player.player_id)
    return LobbyLeft(left=True)


def _status_now(unit: Unit, lobby: Lobby) -> str:
    """The status of a lobby, whether its due work and the close of its window have run or not."""
    if lobby.status != "forming":
        return lobby.status
    window = unit.tx.get(WINDOWS, lobby.window_id)
    if window is None or is_over(unit, window):
        return "closed"
    return "active" if lobby.fill_by is not None and lobby.fill_by <= unit.now else "forming"


def unite_seats(unit: Unit, merging: Merging) -> None:
    """Leave the target one seat in each lobby, and in one lobby of a window that is not closed."""
    seats = unit.tx.scan(SEATS_OF_PLAYER, merging.source_id)
    lobbies = lobbies_now(unit, (seat.lobby_id for seat in seats))
    same = unit.tx.read_all(Get(SEATS, (seat.lobby_id, merging.target_id)) for seat in seats)
    # In each window that is not closed the source has one open seat at most, so no seat that is united changes this.
    elsewhere = _open_lobbies(unit, merging.target_id, lobbies)
    for seat, lobby, known in zip(seats, lobbies, same, strict=True):
        own = None if lobby.status == "closed" else elsewhere.get(lobby.window_id)
        if known is not None:
            # An attempt of either goes on; of two in progress `unite_attempts` ends one.
            vacate(unit, lobby, seat.player_id)
            merging.afterwards.append(partial(player_gone, unit, lobby.lobby_id))
        elif own is None:
            _move(unit, seat, merging)
        elif own.status == "forming" and _plays(unit, lobby, seat):
            vacate(unit, own, merging.target_id)
            _move(unit, seat, merging)
        else:
            _give_up(unit, lobby, seat)
            merging.afterwards.append(partial(player_gone, unit, lobby.lobby_id))


def _open_lobbies(unit: Unit, player_id: PlayerId, lobbies: Iterable[Lobby]) -> dict[str, Lobby]:
    """The lobbies in which a player sits in the windows of those of these lobbies that are not closed, by the window."""
    windows = dict.fromkeys(lobby.window_id for lobby in lobbies if lobby.status != "closed")
    seats = unit.tx.scan_all(open_seat_read(player_id, window_id) for window_id in windows)
    return {lobby.window_id: lobby for lobby in lobbies_now(unit, (seat.lobby_id for seat in seats))}


def _move(unit: Unit, seat: Seat, merging: Merging) -> None:
    unit.tx.delete(SEATS, seat.lobby_id, seat.player_id)
    unit.tx.insert(SEATS, evolve(seat, player_id=merging.target_id))


def _under_way(unit: Unit, lobby: Lobby, seat: Seat) -> Attempt | None:
    found = running(unit, seat.player_id).get(lobby.window_id)
    return found if found is not None and found.lobby_id == lobby.lobby_id else None


def _plays(unit: Unit, lobby: Lobby, seat: Seat) -> bool:
    """Whether a player is in an attempt in a lobby that still takes progress."""
    attempt, window = _under_way(unit, lobby, seat), unit.tx.get(WINDOWS, lobby.window_id)
    if attempt is None or window is None or not is_running(attempt, window, unit.now):
        return False
    return frozen_since(lobby, window, unit.now) is None


def _give_up(unit: Unit, lobby: Lobby, seat: Seat) -> None:
    """Free the source's seat; an attempt that is in progress there ends, and what it has scored stands."""
    attempt = _under_way(unit, lobby, seat)
    if attempt is not None:
        expire(unit, by_id(unit, seat.player_id), attempt, at=unit.now)
    vacate(unit, lobby, seat.player_id)


def give_up_seats(unit: Unit, erasing: Erasing) -> None:
    """Leave every lobby that is forming; whoever plays in the others is out of play."""
    seats = unit.tx.scan(SEATS_OF_PLAYER, erasing.player_id)
    for lobby in lobbies_now(unit, (seat.lobby_id for seat in seats)):
        if lobby.status == "forming":
            vacate(unit, lobby, erasing.player_id)
        elif lobby.status == "active":
            erasing.afterwards.append(partial(player_gone, unit, lobby.lobby_id))
