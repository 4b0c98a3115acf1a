"""Lobbies, on all surfaces."""

from __future__ import annotations

from typing import Final

import attrs

from livecore.access.refusals import GameNotFound
from livecore.api.table.admin_routes import as_admin, member_read
from livecore.api.table.operation import Answer, Link, Operation
from livecore.api.table.player_routes import SDK, SERVER
from livecore.events.refusals import EventNotActive, EventNotFound, EventWindowNotFound
from livecore.kernel.units.unit import Unit
from livecore.lobbies import leaving, pushing, reading, rows
from livecore.lobbies.refusals import AlreadyInLobby, EventHasNoLobbies, LobbyNotForming, LobbyNotFound


def _push(unit: Unit, args: rows.PushLobby) -> Answer:
    made, lobby = pushing.push(unit, args)
    return Answer(201 if made else 200, lobby)


_PLAYED: Final[tuple[Operation, ...]] = (
    attrs.evolve(
        SDK.question(
            "lobbies.get",
            "/lobbies/{lobbyId}",
            rows.GetLobby,
            rows.OneLobby,
            reading.get_lobby,
            LobbyNotFound,
            summary="Read a lobby.",
            about="Its state, its seats and who sits in them. One that is closed can still be read.",
        ),
        credential="client_key",
    ),
    SDK.write(
        "lobbies.leave",
        "POST /lobbies/{lobbyId}/leave",
        rows.LeaveLobby,
        {200: rows.LobbyLeft},
        leaving.leave,
        LobbyNotFound,
        LobbyNotForming,
        summary="Leave a lobby that is forming.",
        about="A lobby that nobody is in any more is closed.",
    ),
    Operation(
        name="lobbies.push",
        surface="server",
        method="POST",
        path="/server/v1/games/{gameId}/events/{eventKey}/lobbies",
        credential="server_key",
        bucket="server_api",
        args=rows.PushLobby,
        answers={201: rows.OneLobby, 200: rows.OneLobby},
        handler=_push,
        summary="Make a lobby of players whom the studio has matched.",
        about=(
            "It starts at once. All of it happens or nothing; players who are not known yet are created. A `key` that a "
            "lobby of the event has already gives that lobby (200), whatever else the body says. `game_id` is the key's own "
            "game, as `server.ping` gives it."
        ),
        errors=(GameNotFound, EventNotFound, EventHasNoLobbies, AlreadyInLobby, EventNotActive),
        links={201: (Link("lobbies.get", "lobbyId", "lobby/lobbyId"),)},
        writes=True,
        keyed=True,
    ),
    attrs.evolve(
        SERVER.question(
            "lobbies.get",
            "/games/{gameId}/lobbies/{lobbyId}",
            rows.GetLobbyAsServer,
            rows.OneLobby,
            reading.get_lobby_as_server,
            GameNotFound,
            LobbyNotFound,
            summary="Read a lobby.",
            about="Its state, its seats and who sits in them. One that is closed can still be read.",
        ),
    ),
)

_OPERATED: Final[tuple[Operation, ...]] = (
    *(as_admin(row, "lobby.read", "/lobbies/{lobbyId}") for row in _PLAYED if row.id == "sdk:lobbies.get"),
    member_read(
        "lobbies.listOfWindow",
        "/events/{eventKey}/windows/{windowId}/lobbies",
        rows.ListLobbiesOfWindow,
        rows.Lobbies,
        reading.list_of_window,
        EventNotFound,
        EventWindowNotFound,
        permission="lobby.read",
        summary="List the lobbies of a window.",
        about="Newest first, of one `status` or of all, at most `limit` (1 to 200) from `cursor` on, without their players.",
    ),
)

OPERATIONS: Final[tuple[Operation, ...]] = (*_PLAYED, *_OPERATED)
"""Operations of players and of the studio's backend, and those of the studio's members."""
