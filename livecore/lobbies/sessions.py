"""Sessions: how the play in a lobby ends before its window does.

A session ends once, by the first trigger that is met, in the transaction that meets it; the trigger for time is due work.
Every attempt in progress is frozen then: it takes no more progress, and keeps its rank and what the rank wins. With the
resolution `freeze` the board can be read until the window closes; with `close` the board is final at once, its ranks are
paid, and the lobby is closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from livecore.events.attempt_ending import EXPIRE, UPDATED, expire, tell_waiting
from livecore.events.attempt_records import ATTEMPTS, COUNTED, OF_PLAYER_BY_STATUS, Attempt, is_running
from livecore.events.board_finalizing import finalize_event_board
from livecore.events.definition import EventDefinition
from livecore.events.window_records import WINDOWS, EventWindow, definition_of, is_over
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, BoardEntry
from livecore.leaderboards.exclusions import is_excluded
from livecore.leaderboards.rank_rewards import final_reads, pay_ranks
from livecore.lobbies import bots
from livecore.lobbies.config import SessionTrigger, resolution_of, triggers_of
from livecore.lobbies.lifecycle import close_lobby, closing_reads
from livecore.lobbies.lobby import LOBBIES, SEATS_OF_LOBBY, Lobby, Seat, seats_of
from livecore.lobbies.session_rules import ELAPSED, end, frozen_since, trigger_of_time
from livecore.lobbies.webhook_events import SessionFrozen, SessionTerminated
from livecore.players.player import PLAYERS, Player

# -- triggers -------------------------------------------------------------------------------------------------------------


def attempt_ended(unit: Unit, attempt: Attempt, how: Literal["completed", "expired"]) -> None:
    """Judge the triggers of a lobby after an attempt in it has come to its end."""
    if attempt.lobby_id is not None:
        _judge(unit, attempt.lobby_id, completed=how == "completed")


def player_gone(unit: Unit, lobby_id: str) -> None:
    """Judge the triggers of a lobby after a player has gone from it; all rows of the player must be changed by then."""
    _judge(unit, lobby_id, completed=False)


def _judge(unit: Unit, lobby_id: str, *, completed: bool) -> None:
    lobby = unit.tx.get(LOBBIES, lobby_id)
    window = None if lobby is None else unit.tx.get(WINDOWS, lobby.window_id)
    if lobby is None or window is None or lobby.status != "active" or is_over(unit, window):
        return
    if frozen_since(lobby, window, unit.now) is not None:
        return
    trigger = _met(unit, lobby, window, completed=completed)
    if trigger is not None:
        _terminate(unit, lobby, window, trigger, unit.now)


def _met(unit: Unit, lobby: Lobby, window: EventWindow, *, completed: bool) -> SessionTrigger | None:
    """The first trigger of the session that is met, in the order in which the event declares them."""
    definition = definition_of(window)
    in_play: int | None = None
    for trigger in triggers_of(definition):
        if trigger.type == "first_to_target" and completed:
            return trigger
        if trigger.type == "remaining":
            in_play = _in_play(unit, lobby, window) if in_play is None else in_play
            if in_play <= (trigger.value or 0):
                return trigger
    return None


def _in_play(unit: Unit, lobby: Lobby, window: EventWindow) -> int:
    """How many players of a lobby can still make progress in it: those in an attempt, and those who may still start."""
    seats = seats_of(unit, lobby.lobby_id)
    players, attempts, entries = unit.tx.read_lists(
        [Get(PLAYERS, (seat.player_id,)) for seat in seats],
        [_attempts_in(window, seat.player_id) for seat in seats],
        [Get(ENTRIES, (lobby.board_id, seat.player_id)) for seat in seats],
    )
    return sum(
        _plays(unit, lobby, window, found, entry)
        for player, found, entry in zip(players, attempts, entries, strict=True)
        if player is not None and not player.gone
    )


def _plays(
    unit: Unit, lobby: Lobby, window: EventWindow, attempts: Iterable[Attempt], entry: BoardEntry | None
) -> bool:
    """Whether a player can still make progress in a lobby, who has these attempts in its window and this entry."""
    own = [attempt for attempt in attempts if attempt.lobby_id == lobby.lobby_id]
    if not own:
        return entry is None or not is_excluded(unit, lobby.board_id, entry.participant)
    return any(is_running(attempt, window, unit.now) for attempt in own)


def _attempts_in(window: EventWindow, player_id: str) -> Scan[Attempt]:
    """The read of a player's attempts in a window."""
    window_id = window.window_id
    return Scan(COUNTED, (player_id, window.event_key), start=(window_id,), stop=(f"{window_id}~",))


def elapsed_due(unit: Unit, lobby_id: str) -> None:
    """End a session whose time is over, as of that moment, as due work or before something else that comes later.

    Also once the window is over, if the session was to end before it.
    """
    lobby = unit.tx.get(LOBBIES, lobby_id)
    window = None if lobby is None else unit.tx.get(WINDOWS, lobby.window_id)
    if lobby is None or window is None or lobby.status != "active" or lobby.frozen_at is not None:
        return
    over_at, trigger = frozen_since(lobby, window, unit.now), trigger_of_time(definition_of(window))
    if over_at is not None and trigger is not None:
        _terminate(unit, lobby, window, trigger, over_at)


# -- the end of a session -------------------------------------------------------------------------------------------------


def _terminate(unit: Unit, lobby: Lobby, window: EventWindow, trigger: SessionTrigger, at: Millis) -> None:
    """End a session as of a moment: the present one, or the earlier one when its time was over."""
    definition = definition_of(window)
    _ask_to_terminate(unit, lobby, definition)
    bots.catch_up(unit, lobby.lobby_id, window)
    bots.stop(unit, lobby.lobby_id)
    end(unit, lobby.lobby_id)
    lobby = unit.tx.put(LOBBIES, evolve(lobby, frozen_at=at, fired=trigger.label))
    attempts = _to_freeze(unit, lobby, at)
    resolution = resolution_of(definition)
    unit.emit(
        SessionTerminated(
            lobby_id=lobby.lobby_id,
            event_id=lobby.event_id,
            event_key=lobby.event_key,
            event_window_id=lobby.window_id,
            leaderboard_id=lobby.board_id,
            fired_trigger=trigger.label,
            fired_trigger_type=trigger.type,
            resolution=resolution,
            frozen_count=len(attempts),
            terminated_at=Timestamp(at),
        )
    )
    players = _players_of(unit, attempts, (UPDATED, EXPIRE) if resolution == "close" else (UPDATED,))
    frozen = [
        (player, _freeze(unit, lobby, player, attempt, trigger, at))
        for player, attempt in zip(players, attempts, strict=True)
        if player is not None
    ]
    if resolution == "close":
        _close(unit, lobby, window, frozen, at)


def _ask_to_terminate(unit: Unit, lobby: Lobby, definition: EventDefinition) -> None:
    """Ask for what the end of a session reads, in two steps: of the lobby, and then of those who are in it."""
    lobby_id = lobby.lobby_id
    further: list[Read[Any]] = []
    if resolution_of(definition) == "close":
        further = [Get(BOARDS, (lobby.board_id,)), *final_reads(lobby.board_id), *closing_reads(lobby)]
    seats, *_ = unit.tx.read_together(
        Scan(SEATS_OF_LOBBY, (lobby_id,)), Get(DUE, (bots.MOVE, lobby_id)), Get(DUE, (ELAPSED, lobby_id))
    )
    unit.tx.read_lists(map(_under_way, seats), (Get(PLAYERS, (seat.player_id,)) for seat in seats), further)


def _under_way(seat: Seat) -> Scan[Attempt]:
    return Scan(OF_PLAYER_BY_STATUS, (seat.player_id, "in_progress"))


def _to_freeze(unit: Unit, lobby: Lobby, at: Millis) -> list[Attempt]:
    """The attempts of a lobby that were in progress at that moment."""
    seats = seats_of(unit, lobby.lobby_id)
    found = unit.tx.scan_all(map(_under_way, seats))
    return [attempt for attempt in found if attempt.lobby_id == lobby.lobby_id and at < attempt.ends_at]


def _players_of(unit: Unit, attempts: Sequence[Attempt], kinds: Sequence[str]) -> list[Player | None]:
    """The players of these attempts; the due work of these kinds, which ends with them, is read at the same time."""
    players, _ = unit.tx.read_lists(
        [Get(PLAYERS, (attempt.player_id,)) for attempt in attempts],
        [Get(DUE, (kind, attempt.attempt_id)) for attempt in attempts for kind in kinds],
    )
    return players


def _freeze(unit: Unit, lobby: Lobby, player: Player, attempt: Attempt, trigger: SessionTrigger, at: Millis) -> Attempt:
    tell_waiting(unit, player, attempt)
    attempt = unit.tx.put(ATTEMPTS, evolve(attempt, frozen_at=at))
    unit.emit(
        SessionFrozen(
            lobby_id=lobby.lobby_id,
            event_id=attempt.event_id,
            event_key=attempt.event_key,
            event_window_id=attempt.window_id,
            leaderboard_id=attempt.board_id,
            attempt_id=attempt.attempt_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            status="frozen",
            score=attempt.score,
            fired_trigger=trigger.label,
            fired_trigger_type=trigger.type,
            frozen_at=Timestamp(at),
        )
    )
    return attempt


def _close(unit: Unit, lobby: Lobby, window: EventWindow, frozen: Iterable[tuple[Player, Attempt]], at: Millis) -> None:
    """Make the board final, pay its ranks and close the lobby; there are few seats, so all of it is one unit of work."""
    for player, attempt in frozen:
        expire(unit, player, attempt, at=at)
    board = unit.tx.get(BOARDS, lobby.board_id)
    if board is not None:
        board = finalize_event_board(unit, window, board, ends_at=at, closed="lobby_closed")
        most = board.entry_count or 0
        rewards = definition_of(window).rank_rewards
        pay_ranks(unit, board.board_id, rewards, "event_rank", rank=0, place=None, most=most)
    close_lobby(unit, lobby, "session_ended")
