"""What the rows of lobbies and their sessions must look like whenever the power went."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from livecore.lobbies.bots import MOVE
from livecore.lobbies.lifecycle import FILL_BY
from livecore.lobbies.session_rules import ELAPSED
from livecore_server.system import now_millis
from tests.laws.rows import PlaceRows

ID_OF_KIND: Final = {
    "lobby.created": "lobbyId",
    "lobby.bot_filled": "lobbyId",
    "lobby.started": "lobbyId",
    "lobby.fill_timeout": "lobbyId",
    "lobby.closed": "lobbyId",
    "session.terminated": "lobbyId",
    "session.frozen": "attemptId",
}
"""By which id an event and its row are matched."""
_SESSION_MS: Final = 2_000
"""How long a session of this game lasts."""


def told_of_lobbies(rows: PlaceRows) -> Iterator[tuple[str, str]]:
    """What must have been told: each a kind of event, and the id in it."""
    for lobby in rows.tables.get("lobbies", []):
        yield "lobby.created", lobby.lobby_id
        if lobby.bots:
            yield "lobby.bot_filled", lobby.lobby_id
        if lobby.started_at is not None:
            yield "lobby.started", lobby.lobby_id
        if lobby.promotion_reason == "timeout":
            yield "lobby.fill_timeout", lobby.lobby_id
        if lobby.status == "closed":
            yield "lobby.closed", lobby.lobby_id
        if lobby.frozen_at is not None:
            yield "session.terminated", lobby.lobby_id
    for attempt in rows.tables.get("attempts", []):
        if attempt.frozen_at is not None:
            yield "session.frozen", attempt.attempt_id


def told_of_removed(rows: PlaceRows, told: Counter[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same of lobbies that everybody left, whose rows are gone with their window: they began and ended."""
    there = {lobby.lobby_id for lobby in rows.tables.get("lobbies", [])}
    of_lobbies = {kind for kind, name in ID_OF_KIND.items() if name == "lobbyId"}
    for kind, lobby_id in told:
        if kind in of_lobbies and lobby_id not in there:
            assert told["lobby.created", lobby_id] == told["lobby.closed", lobby_id] == 1
            assert not told["lobby.started", lobby_id]
            yield kind, lobby_id


def joined(rows: PlaceRows) -> Counter[tuple[str, str]]:
    """How often each player has come into each lobby, as it was told."""
    told = (json.loads(row.data) for row in rows.tables.get("webhook_events", []) if row.kind == "lobby.player_joined")
    return Counter((data["lobbyId"], data["playerId"]) for data in told)


def check_lobbies(rows: PlaceRows) -> None:
    """No lobby has too many, nobody sits in two at once, and each goes on as its state says."""
    _check_seats(rows)
    _check_due(rows)
    _check_sessions(rows)


def _check_seats(rows: PlaceRows) -> None:
    lobbies, seats = rows.tables.get("lobbies", []), rows.tables.get("lobby_seats", [])
    players = Counter(seat.lobby_id for seat in seats)
    bots = Counter(bot.lobby_id for bot in rows.tables.get("lobby_bots", []))
    assert players == Counter({lobby.lobby_id: lobby.players for lobby in lobbies})
    assert bots == Counter({lobby.lobby_id: lobby.bots for lobby in lobbies})
    assert [lobby for lobby in lobbies if (players + bots)[lobby.lobby_id] > lobby.capacity] == []
    open_ = {lobby.lobby_id for lobby in lobbies if lobby.status != "closed"}
    sitting = Counter((seat.player_id, seat.window_id) for seat in seats if seat.lobby_id in open_)
    assert set(sitting.values()) <= {1}
    # Who sits somewhere was told to have come there.
    assert Counter((seat.lobby_id, seat.player_id) for seat in seats) <= joined(rows)


def _check_due(rows: PlaceRows) -> None:
    """What is to happen to a lobby is due work as long as it can happen, and not longer."""
    lobbies = rows.tables.get("lobbies", [])
    due = {kind: {row.ref for row in rows.tables["due_work"] if row.kind == kind} for kind in (FILL_BY, MOVE, ELAPSED)}
    forming = {row.lobby_id for row in lobbies if row.status == "forming" and row.fill_by < row.ends_at}
    active = [row for row in lobbies if row.status == "active"]
    lasting = {row.lobby_id for row in active if row.started_at + _SESSION_MS < row.ends_at}
    # When the window of a lobby is over, only the window's close has anything to do with it.
    now = now_millis()
    over = {row.lobby_id for row in lobbies if row.ends_at <= now}
    assert forming - over <= due[FILL_BY] <= forming
    assert lasting - over <= due[ELAPSED] <= lasting
    assert due[MOVE] <= {row.lobby_id for row in active if row.bots}


def _check_sessions(rows: PlaceRows) -> None:
    """Who plays in a lobby sits in it, on its board; when a session has ended, its lobby is closed and nobody plays."""
    lobbies: dict[str, Any] = {lobby.lobby_id: lobby for lobby in rows.tables.get("lobbies", [])}
    boards = {board.board_id: board for board in rows.tables.get("leaderboards", [])}
    seats = {(seat.lobby_id, seat.player_id) for seat in rows.tables.get("lobby_seats", [])}
    for lobby in lobbies.values():
        assert boards[lobby.board_id].lobby_id == lobby.lobby_id
        assert lobby.frozen_at is None or (lobby.status, boards[lobby.board_id].finalized_at) == (
            "closed", lobby.closed_at,
        )  # fmt: skip
    for attempt in rows.tables.get("attempts", []):
        assert (attempt.lobby_id is None) == (attempt.event_key != "arena")
        if attempt.lobby_id is not None:
            lobby = lobbies[attempt.lobby_id]
            assert (lobby.lobby_id, attempt.player_id) in seats
            assert (lobby.started_at is not None, attempt.board_id) == (True, lobby.board_id)
            assert lobby.status != "closed" or attempt.status != "in_progress"
