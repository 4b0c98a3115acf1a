"""What a player's timeline shows of lobbies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from livecore.kernel.declarations.timeline import TimelineSource, Track, moment
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.lobbies.lobby import LOBBIES, SEATS_OF_PLAYER, Lobby, Seat


def _lobby(_: Unit, __: Seat, found: Sequence[Lobby]) -> JsonObject:
    (lobby,) = found
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
        further=lambda _, seat, __: [Get(LOBBIES, (seat.lobby_id,))],
        show=_lobby,
    ),
)
