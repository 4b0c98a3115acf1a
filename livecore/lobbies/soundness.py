"""The invariants of lobbies.

lobbies  each has its board, as many seats and bots as it counts, no more than it has room for, and goes on: one that is
         forming will start, one that is closed says when it was
seats    each is a player's in a lobby, is open as long as the lobby is not closed, and is the player's only open one in
         its window
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.events.window_records import WINDOWS
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS
from livecore.lobbies.lifecycle import FILL_BY
from livecore.lobbies.lobby import BOTS_OF_LOBBY, LOBBIES, OPEN_SEATS, SEATS, SEATS_OF_LOBBY, Lobby, Seat


def _lobby_needs(lobby: Lobby) -> Iterator[AnyRead]:
    yield Get(WINDOWS, (lobby.window_id,))
    yield Get(BOARDS, (lobby.board_id,))
    yield Scan(SEATS_OF_LOBBY, (lobby.lobby_id,))
    yield Scan(BOTS_OF_LOBBY, (lobby.lobby_id,))
    yield Get(DUE, (FILL_BY, lobby.lobby_id))


def _judge_lobby(reader: Reader, lobby: Lobby) -> Iterator[str]:
    window = reader.get(WINDOWS, (lobby.window_id,))
    board = reader.get(BOARDS, (lobby.board_id,))
    if window is None or window.event_id != lobby.event_id:
        yield "belongs to a window that does not exist"
        return
    if board is None or board.lobby_id != lobby.lobby_id:
        yield "has no board of its own"
    seats, bots = all_under(reader, SEATS_OF_LOBBY, lobby.lobby_id), all_under(reader, BOTS_OF_LOBBY, lobby.lobby_id)
    if (len(seats), len(bots)) != (lobby.players, lobby.bots):
        yield f"counts {lobby.players} players and {lobby.bots} bots, and has {len(seats)} and {len(bots)}"
    if len(seats) + len(bots) > lobby.capacity:
        yield f"has {len(seats) + len(bots)} in {lobby.capacity} seats"
    yield from _judge_state(reader, lobby, window_is_closed=window.status == "closed")


def _judge_state(reader: Reader, lobby: Lobby, *, window_is_closed: bool) -> Iterator[str]:
    if (lobby.status == "closed") != (lobby.closed_at is not None):
        yield f"is {lobby.status}, and says otherwise when it closed"
    if lobby.status != "closed" and window_is_closed:
        yield f"is {lobby.status} in a window that is closed"
    if lobby.status == "active" and lobby.started_at is None:
        yield "is active and has not started"
    if lobby.status != "forming":
        return
    if not lobby.players or lobby.bots or lobby.started_at is not None:
        yield "is forming, with nobody in it or as if it had started"
    in_time = lobby.fill_by is not None and lobby.fill_by < lobby.ends_at
    if in_time and not window_is_closed and reader.get(DUE, (FILL_BY, lobby.lobby_id)) is None:
        yield "is forming and will not start"


def _seat_needs(seat: Seat) -> Iterator[AnyRead]:
    yield Get(LOBBIES, (seat.lobby_id,))
    yield Scan(OPEN_SEATS, (seat.player_id, seat.window_id))


def _judge_seat(reader: Reader, seat: Seat) -> Iterator[str]:
    lobby = reader.get(LOBBIES, (seat.lobby_id,))
    if lobby is None or lobby.window_id != seat.window_id:
        yield "is in a lobby that does not exist"
        return
    is_open = lobby.status != "closed"
    if seat.open_in != (seat.window_id if is_open else None):
        yield f"is {'not open' if is_open else 'open'}, and its lobby is {lobby.status}"
    for other in all_under(reader, OPEN_SEATS, seat.player_id, seat.window_id) if is_open else ():
        if other.lobby_id != seat.lobby_id:
            yield f"is not the player's only one in the window: there is one in {other.lobby_id}"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=LOBBIES, needs=_lobby_needs, judge=_judge_lobby),
    Rule(table=SEATS, needs=_seat_needs, judge=_judge_seat),
)
