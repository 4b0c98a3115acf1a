"""Lobbies as clients and the studio's backend see them, and as an export lists a player's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from livecore.access.refusals import GameNotFound
from livecore.events.config import events_config
from livecore.events.operator_windows import require_window
from livecore.events.window_records import WINDOWS_OF_EVENT
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.lobbies.config import LOBBY_RULES
from livecore.lobbies.lobby import (
    BOTS_OF_LOBBY,
    LOBBIES,
    LOBBIES_OF_WINDOW,
    SEATS_OF_LOBBY,
    SEATS_OF_PLAYER,
    Bot,
    Lobby,
    Seat,
    lobbies_now,
    metadata_of,
    open_seat_read,
)
from livecore.lobbies.refusals import LobbyNotFound
from livecore.lobbies.rows import (
    ExportedSeat,
    GetLobby,
    GetLobbyAsServer,
    ListLobbiesOfWindow,
    Lobbies,
    LobbyParticipant,
    LobbyRow,
    LobbyStatus,
    LobbySummary,
    OneLobby,
)
from livecore.players.rows import Identity
from livecore.social.others import counterparties
from livecore.social.rows import Counterparty

# -- rows -----------------------------------------------------------------------------------------------------------------


def row(unit: Unit, lobby: Lobby) -> LobbyRow:
    """A lobby as clients see it, with the identities of its players as they are now."""
    seats, bots = unit.tx.read_together(Scan(SEATS_OF_LOBBY, (lobby.lobby_id,)), Scan(BOTS_OF_LOBBY, (lobby.lobby_id,)))
    shown = counterparties(unit, (seat.player_id for seat in seats))
    players = [_of_player(seat, shown[seat.player_id]) for seat in seats]
    return LobbyRow(**fields_of(_summary(lobby)), participants=(*players, *(_of_bot(bot, lobby) for bot in bots)))


def _summary(lobby: Lobby) -> LobbySummary:
    return LobbySummary(
        lobby_id=lobby.lobby_id,
        event_id=lobby.event_id,
        event_key=lobby.event_key,
        event_window_id=lobby.window_id,
        leaderboard_id=lobby.board_id,
        key=lobby.key,
        status=lobby.status,
        capacity=lobby.capacity,
        participant_count=lobby.players,
        bot_count=lobby.bots,
        fill_by=stamp(lobby.fill_by),
        started_at=stamp(lobby.started_at),
        ends_at=Timestamp(lobby.ends_at),
        closed_at=stamp(lobby.closed_at),
        promotion_reason=lobby.promotion_reason,
        metadata=metadata_of(lobby),
    )


def _of_player(seat: Seat, shown: Counterparty) -> LobbyParticipant:
    return LobbyParticipant(
        external_player_id=shown.external_player_id,
        display_identity=shown.display_identity,
        is_bot=False,
        joined_at=Timestamp(seat.joined_at),
    )


def _of_bot(bot: Bot, lobby: Lobby) -> LobbyParticipant:
    return LobbyParticipant(
        external_player_id=None,
        display_identity=Identity(name=bot.name, avatar=bot.avatar, country=None),
        is_bot=True,
        joined_at=Timestamp(lobby.created_at if lobby.started_at is None else lobby.started_at),
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def get_lobby(unit: Unit, args: GetLobby) -> OneLobby:
    """A lobby by its id. Raises `LobbyNotFound`."""
    return _one(unit, args.lobby_id)


def get_lobby_as_server(unit: Unit, args: GetLobbyAsServer) -> OneLobby:
    """A lobby by its id, as the studio's backend reads it. Raises `GameNotFound` and `LobbyNotFound`."""
    require_own_game(unit, args.game_id)
    return _one(unit, args.lobby_id)


def _one(unit: Unit, lobby_id: str) -> OneLobby:
    lobby = unit.tx.get(LOBBIES, lobby_id)
    if lobby is None:
        raise LobbyNotFound.of(lobby_id)
    return OneLobby(lobby=row(unit, lobby))


def require_own_game(unit: Unit, game_id: str) -> None:
    """Raises `GameNotFound` if the path names another game than the key's."""
    if game_id != unit.scope.game_id:
        raise GameNotFound


# -- those of a window ----------------------------------------------------------------------------------------------------


def list_of_window(unit: Unit, args: ListLobbiesOfWindow) -> Lobbies:
    """A page of the lobbies of a window, newest first, of one state or of all.

    Raises `ValidationFailed` for a cursor that is none, `EventNotFound` and `EventWindowNotFound`.
    """
    page = PageRequest(args.limit, unpack(args.cursor, (str,)))
    require_window(unit, args.event_key, args.window_id)
    found = unit.tx.scan_all(_in_window(args, page))
    found.sort(key=LOBBIES_OF_WINDOW.position_of, reverse=True)
    shown, cursor = page_of(found, page, LOBBIES_OF_WINDOW.position_of)
    return Lobbies(lobbies=tuple(map(_summary, shown)), next_cursor=cursor)


def _in_window(args: ListLobbiesOfWindow, page: PageRequest) -> Iterator[Scan[Lobby]]:
    for status in get_args(LobbyStatus) if args.status is None else (args.status,):
        yield Scan(LOBBIES_OF_WINDOW, (args.window_id, status), stop=page.beyond, reverse=True, limit=page.reach)


# -- a player's own -------------------------------------------------------------------------------------------------------


def _newest_of(unit: Unit, player_id: str, page: PageRequest) -> tuple[tuple[ExportedSeat, ...], str | None]:
    """A page of the lobbies in which a player was, the latest first."""
    found = unit.tx.scanned(page.newest(SEATS_OF_PLAYER, player_id))
    seats, cursor = page_of(found, page, SEATS_OF_PLAYER.position_of)
    return tuple(map(_exported, seats, lobbies_now(unit, (seat.lobby_id for seat in seats)))), cursor


def overview(unit: Unit, player_id: str, page: PageRequest) -> tuple[tuple[ExportedSeat, ...], int]:
    """The latest lobbies of a player, and in how many the player is that have started and are not closed."""
    rows, more = _newest_of(unit, player_id, page)
    active = sum(row.status == "active" for row in rows) if more is None else _count_active(unit, player_id)
    return rows, active


def _count_active(unit: Unit, player_id: str) -> int:
    """The same where there are more lobbies than are shown: at most one for each event."""
    with_lobbies = [event.key for event in events_config(unit).events if LOBBY_RULES.of(event) is not None]
    newest = unit.tx.scan_all(Scan(WINDOWS_OF_EVENT, (key,), reverse=True, limit=1) for key in with_lobbies)
    seats = unit.tx.scan_all(open_seat_read(player_id, window.window_id) for window in newest)
    return sum(lobby.status == "active" for lobby in lobbies_now(unit, (seat.lobby_id for seat in seats)))


def _exported(seat: Seat, lobby: Lobby) -> ExportedSeat:
    return ExportedSeat(
        lobby_id=lobby.lobby_id,
        event_key=lobby.event_key,
        event_window_id=lobby.window_id,
        status=lobby.status,
        joined_at=Timestamp(seat.joined_at),
        started_at=stamp(lobby.started_at),
        closed_at=stamp(lobby.closed_at),
    )


def exported_seats(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for lobbies, the latest first."""
    rows, cursor = _newest_of(unit, player_id, page_by_time(wanted))
    return Exported(rows, cursor)
