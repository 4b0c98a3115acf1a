"""What a player's timeline shows of lobbies."""

from __future__ import annotations

from typing import Any, Final

from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Get
from livecore.kernel.timeline import TimelineSource, Track, moment
from livecore.kernel.unit import Unit
from livecore.lobbies.lobby import LOBBIES, SEATS_OF_PLAYER, Seat, lobby_now

__all__ = ["SOURCES"]


def _seat(unit: Unit, seat: Seat, _: str) -> JsonObject:
    lobby = lobby_now(unit, seat.lobby_id)
    return {
        "eventKey": lobby.event_key,
        "eventWindowId": lobby.window_id,
        "status": lobby.status,
        "startedAt": moment(lobby.started_at),
        "closedAt": moment(lobby.closed_at),
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="lobby",
        about="The player joined a lobby, with its state now.",
        thing="lobby",
        covers=("lobbies", "seats"),
        tracks=lambda player_id: [Track(SEATS_OF_PLAYER, (player_id,))],
        further=lambda seat, _: [Get(LOBBIES, (seat.lobby_id,))],
        show=_seat,
    ),
)
