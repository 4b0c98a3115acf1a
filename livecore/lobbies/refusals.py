"""The refusals of lobbies and their sessions, in the order of the statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Json, NotFound, NotYet


class LobbyForming(NotYet):
    """The player sits in a lobby that is still filling (`details`: `lobbyId`, `participantCount`, `capacity`, `fillBy`)."""

    code = "lobby_forming"
    text = "The lobby is still filling."
    remedy = "Start again in a while, at the latest at `details.fillBy`; nothing was charged."
    example: ClassVar[Mapping[str, Json]] = {
        "lobbyId": "lob_00000000000000000000000001",
        "participantCount": 3,
        "capacity": 8,
        "fillBy": "2026-01-31T09:31:00.000Z",
    }


class LobbyNotFound(NotFound):
    """There is no such lobby, or the player is not in it."""

    code = "lobby_not_found"
    text = "There is no such lobby."
    named = "There is no lobby {}"
    remedy = "Use the id that starting an attempt or pushing a lobby gave; only who is in a lobby can leave it."


class LobbyNotForming(Conflict):
    """The lobby has started, or is closed (`details.status`)."""

    code = "lobby_not_forming"
    text = "This lobby is not forming any more."
    remedy = "A lobby can be left only until it starts."
    example: ClassVar[Mapping[str, Json]] = {"status": "active"}


class EventHasNoLobbies(Conflict):
    """The event is played without lobbies."""

    code = "event_has_no_lobbies"
    text = "This event has no lobbies."
    remedy = "Declare `lobby` for the event in the game's configuration; it holds from the event's next window on."


class AlreadyInLobby(Conflict):
    """Players are in another lobby of the window that is forming or active (`details.externalPlayerIds`)."""

    code = "already_in_lobby"
    text = "Some of these players are in another lobby already."
    remedy = "Leave out the players whom `details.externalPlayerIds` names, or wait until their lobby is closed."
    example: ClassVar[Mapping[str, Json]] = {"externalPlayerIds": ["sample-player-1"]}
