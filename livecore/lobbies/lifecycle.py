"""How a lobby is opened, filled, started and closed."""

from __future__ import annotations

from typing import Any, Final

from livecore.events.board_finalizing import finalize_event_board
from livecore.events.definition import EventDefinition
from livecore.events.window_records import WINDOWS, EventWindow, definition_of, is_over, new_board
from livecore.kernel.declarations.player_lifecycle import EveryRow, change_all
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.time import SECOND, Millis, Timestamp, stamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import ABSENT
from livecore.leaderboards.boards import BOARDS, board_id_of
from livecore.leaderboards.rank_rewards import final_reads
from livecore.lobbies import bots, session_rules
from livecore.lobbies.config import LOBBY_RULES, bots_of
from livecore.lobbies.lobby import (
    LOBBIES,
    SEATS,
    SEATS_OF_LOBBY,
    CloseReason,
    Lobby,
    PromotionReason,
    Seat,
    metadata_of,
)
from livecore.lobbies.webhook_events import LobbyClosed, LobbyCreated, LobbyFillTimeout, LobbyPlayerJoined, LobbyStarted
from livecore.players.player import Player

FILL_BY: Final = "lobbies.fill_by"
"""Due work: the time to fill the lobby whose id it is about is over."""
_SEED_BYTES: Final = 16


# -- opening and filling --------------------------------------------------------------------------------------------------


def new_lobby(
    unit: Unit,
    window: EventWindow,
    definition: EventDefinition,
    *,
    capacity: int,
    match: str = "",
    slot: int = 0,
    fill_seconds: int | None = None,
    key: str | None = None,
    metadata: JsonText | None = None,
) -> Lobby:
    """Make a lobby without players, and its board; with `fill_seconds` it is filled for so long at most.

    The caller seats players, and announces it.
    """
    lobby_id = unit.new_id("lob")
    lobby = Lobby(
        lobby_id=lobby_id,
        event_key=window.event_key,
        event_id=window.event_id,
        window_id=window.window_id,
        board_id=board_id_of(unit.scope.id, unit.now, lobby_id),
        key=key,
        match=match,
        slot=slot,
        capacity=capacity,
        seed=unit.entropy.bytes(_SEED_BYTES).hex(),
        created_at=unit.now,
        fill_by=None if fill_seconds is None else min(unit.now + fill_seconds * SECOND, window.ends_at),
        ends_at=window.ends_at,
        metadata=metadata,
    )
    board = evolve(new_board(unit, window, definition), board_id=lobby.board_id, lobby_id=lobby.lobby_id)
    unit.tx.insert(BOARDS, board)
    if lobby.fill_by is not None and lobby.fill_by < window.ends_at:
        unit.schedule(FILL_BY, lobby.lobby_id, lobby.fill_by, fresh=True)
    return unit.tx.insert(LOBBIES, lobby)


def announce(unit: Unit, lobby: Lobby, *, pushed: bool = False) -> None:
    """Emit that a lobby was made."""
    unit.emit(
        LobbyCreated(
            lobby_id=lobby.lobby_id,
            lobby_key=lobby.key,
            event_id=lobby.event_id,
            event_key=lobby.event_key,
            event_window_id=lobby.window_id,
            leaderboard_id=lobby.board_id,
            status="active" if pushed else "forming",
            capacity=lobby.capacity,
            participant_count=lobby.players,
            bot_count=lobby.bots,
            metadata=metadata_of(lobby),
            created_at=Timestamp(lobby.created_at),
            fill_by=stamp(lobby.fill_by),
            source="server_push" if pushed else ABSENT,
        )
    )


def join(unit: Unit, lobby: Lobby, player: Player) -> Lobby:
    """Seat a player. The caller has checked that there is a seat, and that the player has none in the window."""
    number = lobby.players + 1
    seat = Seat(
        lobby_id=lobby.lobby_id,
        player_id=player.player_id,
        window_id=lobby.window_id,
        open_in=lobby.window_id,
        joined_at=unit.now,
        number=number,
    )
    unit.tx.insert(SEATS, seat)
    return unit.tx.put(LOBBIES, evolve(lobby, players=number))


def announce_joined(unit: Unit, lobby: Lobby, player: Player, number: int, *, pushed: bool = False) -> None:
    """Emit that a player has come into a lobby, who was then the `number`-th."""
    unit.emit(
        LobbyPlayerJoined(
            lobby_id=lobby.lobby_id,
            event_id=lobby.event_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            participant_count=number,
            capacity=lobby.capacity,
            joined_at=Timestamp(unit.now),
            source="server_push" if pushed else ABSENT,
        )
    )


def vacate(unit: Unit, lobby: Lobby, player_id: PlayerId) -> Lobby:
    """Free a player's seat; a forming lobby that nobody is in any more is closed."""
    unit.tx.delete(SEATS, lobby.lobby_id, player_id)
    lobby = unit.tx.put(LOBBIES, evolve(lobby, players=lobby.players - 1))
    if lobby.status == "forming" and not lobby.players:
        return close_lobby(unit, lobby, "emptied")
    return lobby


# -- starting -------------------------------------------------------------------------------------------------------------


def activate(
    unit: Unit,
    lobby: Lobby,
    window: EventWindow,
    reason: PromotionReason,
    *,
    with_bots: bool,
    at: Millis | None = None,
) -> Lobby:
    """Start a lobby, now or as of a moment: its seats are final, and bots take those that are free, if it has bots."""
    definition = definition_of(window)
    rules = bots_of(definition)
    count = lobby.capacity - lobby.players if with_bots and rules is not None else 0
    if rules is not None and count:
        bots.fill(unit, lobby, rules, count)
    started_at = unit.now if at is None else at
    lobby = evolve(lobby, status="active", match="", bots=count, started_at=started_at, promotion_reason=reason)
    unit.tx.put(LOBBIES, lobby)
    if lobby.fill_by is not None:
        unit.cancel(FILL_BY, lobby.lobby_id)
    _emit_started(unit, lobby, LobbyStarted, reason)
    if reason == "timeout":
        _emit_started(unit, lobby, LobbyFillTimeout, reason)
    if count:
        bots.move_bots(unit, lobby, window)
    session_rules.begin(unit, lobby, window)
    return lobby


def _emit_started(
    unit: Unit, lobby: Lobby, kind: type[LobbyStarted | LobbyFillTimeout], reason: PromotionReason
) -> None:
    unit.emit(
        kind(
            lobby_id=lobby.lobby_id,
            leaderboard_id=lobby.board_id,
            capacity=lobby.capacity,
            participant_count=lobby.players,
            bot_count=lobby.bots,
            started_at=Timestamp(unit.now if lobby.started_at is None else lobby.started_at),
            ends_at=Timestamp(lobby.ends_at),
            promotion_reason=reason,
        )
    )


def time_out(unit: Unit, lobby: Lobby, window: EventWindow) -> Lobby:
    """Start a lobby whose time to fill is over with who is there; one player alone needs bots to play with.

    As long as its window is open it starts now, because nobody could play in it before. Where that comes so late that the
    window is over, it has started when its time was over: so its rows and events, and those of its bots and its session,
    are as if it had come in time.
    """
    rules = LOBBY_RULES.of(definition_of(window))
    if lobby.players < _ENOUGH and (rules is None or rules.bots is None):
        return close_lobby(unit, lobby, "unfilled", at=lobby.fill_by)
    at = lobby.fill_by if is_over(unit, window) else None
    return activate(unit, lobby, window, "timeout", with_bots=True, at=at)


_ENOUGH: Final = 2


def fill_due(unit: Unit, lobby_id: str) -> None:
    """Start or close a lobby whose time to fill is over, as due work. One that fills until its window ends ends with it."""
    lobby = unit.tx.get(LOBBIES, lobby_id)
    window = None if lobby is None else unit.tx.get(WINDOWS, lobby.window_id)
    if lobby is None or window is None or lobby.status != "forming" or lobby.fill_by is None:
        return
    if lobby.fill_by < window.ends_at:
        time_out(unit, lobby, window)


# -- closing --------------------------------------------------------------------------------------------------------------


def closing_reads(lobby: Lobby) -> list[Read[Any]]:
    """What closing a lobby reads, which is asked for at once."""
    rows: list[Read[Any]] = [Get(WINDOWS, (lobby.window_id,)), _closed_seats(lobby.lobby_id).read]
    work = [Get(DUE, (kind, lobby.lobby_id)) for kind in (FILL_BY, bots.MOVE, session_rules.ELAPSED)]
    ending = lobby.status == "forming"
    board = [Get(BOARDS, (lobby.board_id,)), *final_reads(lobby.board_id)] if ending else []
    return [*rows, *work, *board]


def _closed_seats(lobby_id: str) -> EveryRow:
    return EveryRow(SEATS_OF_LOBBY, (lobby_id,), {"open_in": None})


def close_lobby(unit: Unit, lobby: Lobby, reason: CloseReason, *, at: Millis | None = None) -> Lobby:
    """Close a lobby. The board of one that nobody has played in ends with it, now or at a moment before.

    The boards of the others are final and paid first.
    """
    unit.tx.read_all(closing_reads(lobby))
    unit.cancel(FILL_BY, lobby.lobby_id)
    bots.stop(unit, lobby.lobby_id)
    session_rules.end(unit, lobby.lobby_id)
    window = unit.tx.get(WINDOWS, lobby.window_id)
    board = unit.tx.get(BOARDS, lobby.board_id) if lobby.status == "forming" else None
    if window is not None and board is not None and board.finalized_at is None:
        finalize_event_board(unit, window, board, ends_at=unit.now if at is None else at, closed="lobby_closed")
    ends_at = lobby.ends_at if window is None else min(lobby.ends_at, window.ends_at)
    lobby = unit.tx.put(LOBBIES, evolve(lobby, status="closed", match="", closed_at=unit.now, ends_at=ends_at))
    change_all(unit.tx, [_closed_seats(lobby.lobby_id)])
    unit.emit(
        LobbyClosed(
            lobby_id=lobby.lobby_id,
            lobby_key=lobby.key,
            event_id=lobby.event_id,
            event_key=lobby.event_key,
            event_window_id=lobby.window_id,
            leaderboard_id=lobby.board_id,
            status="closed",
            reason=reason,
            capacity=lobby.capacity,
            participant_count=lobby.players,
            bot_count=lobby.bots,
            started_at=stamp(lobby.started_at),
            ends_at=Timestamp(lobby.ends_at),
            closed_at=Timestamp(unit.now),
        )
    )
    return lobby
