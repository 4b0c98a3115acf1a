"""Matchmaking: which lobby a player who starts at an event comes into.

Players meet who have the same values for the keys by which the event matches. Who starts takes a seat in the lobby that has
been forming longest; where there is none, a new one is opened. While processes are in each other's way, because the players
of all of them want the same lobby, each of them fills one of its own: it has its own *slot*. So several lobbies are offered
just while demand is high, and whoever starts later fills all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Final

from livecore.events.definition import EventDefinition
from livecore.events.window_records import EventWindow
from livecore.kernel.errors import Json
from livecore.kernel.storage.reads import Scan
from livecore.kernel.time import Millis, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.lobbies.config import LOBBY_RULES
from livecore.lobbies.lifecycle import activate, announce, announce_joined, join, new_lobby, time_out
from livecore.lobbies.lobby import FORMING, Lobby, Seat, lobby_now, open_seat_read
from livecore.lobbies.refusals import LobbyForming
from livecore.lobbies.session_rules import require_thawed
from livecore.players.player import Player

_MOST_SLOTS: Final = 8
"""How many forming lobbies of one match are offered side by side at most."""
_LONGEST_VALUE: Final = 64


# -- rules ----------------------------------------------------------------------------------------------------------------


def _match_of(keys: tuple[str, ...], player: Player, context: Mapping[str, Json] | None) -> str:
    """A text that is the same for all players who may meet; empty where all may."""
    if not keys:
        return ""
    values = [player.country if key == "country" else _value(context, key) for key in keys]
    return blake2b(compact(values).encode(), digest_size=16).hexdigest()


def _value(context: Mapping[str, Json] | None, key: str) -> Json:
    """A value by which players are matched: a text of at most 64 characters, an integer or a truth value, else none."""
    value = (context or {}).get(key)
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_VALUE else None
    return value if isinstance(value, bool | int) else None


# -- operations -----------------------------------------------------------------------------------------------------------


def seat(
    unit: Unit,
    player: Player,
    window: EventWindow,
    definition: EventDefinition,
    context: Mapping[str, Json] | None,
) -> Lobby | LobbyForming:
    """The lobby in which a player's attempt begins, or the news that it is still filling.

    Raises `AttemptFrozen` where the session of the player's lobby has ended.
    """
    match = _match(player, definition, context)
    seats, forming = unit.tx.read_together(*seating_reads(unit, player, window, definition, context))
    lobby = _own(unit, seats, window) or _joined(unit, player, window, definition, match, forming)
    if lobby.status == "forming":
        return LobbyForming(
            lobby_id=lobby.lobby_id,
            participant_count=lobby.players,
            capacity=lobby.capacity,
            fill_by=_wire(lobby.fill_by),
        )
    require_thawed(unit, lobby.lobby_id, window)
    return lobby


def seating_reads(
    unit: Unit,
    player: Player,
    window: EventWindow,
    definition: EventDefinition,
    context: Mapping[str, Json] | None,
) -> tuple[Scan[Seat], Scan[Lobby]]:
    """What `seat` reads first: the player's own seat, and the lobbies that the player could join."""
    match = _match(player, definition, context)
    return open_seat_read(player.player_id, window.window_id), _forming(unit, window.window_id, match)


def _match(player: Player, definition: EventDefinition, context: Mapping[str, Json] | None) -> str:
    rules = LOBBY_RULES.of(definition)
    return _match_of(() if rules is None else rules.match_by, player, context)


def _wire(at: int | None) -> str | None:
    known = stamp(at)
    return None if known is None else known.wire


def _own(unit: Unit, seats: Iterable[Seat], window: EventWindow) -> Lobby | None:
    """The lobby in which the player sits; `None` also where it has just been closed because nobody else came."""
    seat = next(iter(seats), None)
    if seat is None:
        return None
    lobby = lobby_now(unit, seat.lobby_id)
    if lobby.status == "forming" and lobby.fill_by is not None and lobby.fill_by <= unit.now:
        lobby = time_out(unit, lobby, window)
    return None if lobby.status == "closed" else lobby


def _slot(unit: Unit) -> int | None:
    """The slot that this process fills; `None`: all of them."""
    return None if unit.tx.writer is None else unit.tx.writer % _MOST_SLOTS


def _joined(
    unit: Unit,
    player: Player,
    window: EventWindow,
    definition: EventDefinition,
    match: str,
    forming: Iterable[Lobby],
) -> Lobby:
    """One of the forming lobbies with the player in it, or a new one; it starts if that was the last seat."""
    rules = LOBBY_RULES.of(definition)
    if rules is None:
        raise LookupError(f"the event {definition.key} has no lobbies")
    lobby = _to_join(forming, unit.now)
    if lobby is None:
        lobby = new_lobby(
            unit,
            window,
            definition,
            capacity=rules.capacity,
            match=match,
            slot=_slot(unit) or 0,
            fill_seconds=rules.fill_seconds,
        )
        lobby = join(unit, lobby, player)
        announce(unit, lobby)
    else:
        lobby = join(unit, lobby, player)
    announce_joined(unit, lobby, player, lobby.players)
    if lobby.players == lobby.capacity:
        return activate(unit, lobby, window, "capacity", with_bots=False)
    return lobby


def _forming(unit: Unit, window_id: str, match: str) -> Scan[Lobby]:
    """The read of the lobbies of a match that are forming, of all slots or of one."""
    slot = _slot(unit)
    start, stop = (None, None) if slot is None else ((slot,), (slot + 1,))
    return Scan(FORMING, (window_id, match, "forming"), start=start, stop=stop)


def _to_join(forming: Iterable[Lobby], now: Millis) -> Lobby | None:
    """The lobby to join: the one that has been forming longest and whose time is not over yet."""
    open_ = [lobby for lobby in forming if lobby.fill_by is not None and now < lobby.fill_by]
    return min(open_, key=lambda lobby: (lobby.created_at, lobby.lobby_id), default=None)
