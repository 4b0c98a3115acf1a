"""How an event is played in lobbies: the moments at which lobbies, their bots and their sessions have a say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar, Final, Literal, cast

from livecore.events.attempt_records import Attempt
from livecore.events.definition import EventDefinition
from livecore.events.format import ClosingStep, Entrant, EventFormat, Rows
from livecore.events.operator_rows import LobbyCounts
from livecore.events.rows import EventLobbyRow
from livecore.events.window_records import WINDOWS, EventWindow, definition_of
from livecore.kernel.declarations.jobs import Cursor
from livecore.kernel.errors import NotYet
from livecore.kernel.storage.reads import Count, Get, Read
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, Leaderboard
from livecore.lobbies.bots import catch_up as move_bots_now
from livecore.lobbies.bots import next_move_of
from livecore.lobbies.config import LOBBY_RULES, SESSION_RULES
from livecore.lobbies.emptied import remove_empty_lobbies
from livecore.lobbies.lifecycle import close_lobby, closing_reads, fill_due
from livecore.lobbies.lobby import LOBBIES, LOBBIES_OF_WINDOW, Lobby
from livecore.lobbies.matching import seat, seating_reads
from livecore.lobbies.refusals import LobbyForming
from livecore.lobbies.session_rules import frozen_since, require_thawed, trigger_of_time
from livecore.lobbies.sessions import attempt_ended, elapsed_due, player_gone

_STATES: Final = ("forming", "active", "closed")


# -- the close of a window ------------------------------------------------------------------------------------------------


def _fill(step: ClosingStep, cursor: Cursor) -> Cursor | None:
    """Start or close lobbies whose time to fill is over."""
    return _due_of_lobbies(step, cursor, "forming", fill_due)


def _end_sessions(step: ClosingStep, cursor: Cursor) -> Cursor | None:
    """End sessions whose time is over."""
    timed = trigger_of_time(definition_of(step.window)) is not None
    return _due_of_lobbies(step, cursor, "active", elapsed_due) if timed else None


def _due_of_lobbies(step: ClosingStep, cursor: Cursor, status: str, work: Callable[[Unit, str], None]) -> Cursor | None:
    """Do the due work of the lobbies after the one that the cursor names; gives where to go on, if there are more."""
    unit, most = step.unit, step.rows_left
    after = cursor or ("",)
    found = unit.tx.scan(LOBBIES_OF_WINDOW, step.window.window_id, status, after=after, limit=most)
    for lobby in found:
        if step.rows_left <= 0:
            return after
        work(unit, lobby.lobby_id)
        step.rows_left -= 1 if unit.tx.get(LOBBIES, lobby.lobby_id) == lobby else 1 + lobby.capacity
        after = (lobby.lobby_id,)
    return after if len(found) == most else None


def _close_lobbies(step: ClosingStep, _: Cursor) -> Cursor | None:
    """Close lobbies that are forming or active; those that are closed leave the index."""
    unit, window = step.unit, step.window
    found: list[Lobby] = []
    for status in ("forming", "active"):
        most = step.rows_left - len(found)
        found += unit.tx.scan(LOBBIES_OF_WINDOW, window.window_id, status, limit=most) if most else []
    full = len(found) == step.rows_left
    taken: list[Lobby] = []
    for lobby in found:
        if step.rows_left > 0:
            taken.append(lobby)
            step.rows_left -= 1 + lobby.players
    unit.tx.read_all(chain.from_iterable(map(closing_reads, taken)))
    for lobby in taken:
        close_lobby(unit, lobby, "window_ended")
    step.count("lobbies_closed", len(taken))
    return () if full or len(taken) < len(found) else None


# -- the format -----------------------------------------------------------------------------------------------------------


class LobbyFormat(EventFormat):
    """Players meet in lobbies, each with a board of its own, on which bots may play, and whose session may end early."""

    parts: ClassVar = (LOBBY_RULES, SESSION_RULES)
    refusals: ClassVar = {"events.start": (LobbyForming,)}
    before_close: ClassVar = {"fill": _fill, "sessions": _end_sessions}
    after_close: ClassVar = {"lobbies": _close_lobbies}
    clean_up: ClassVar = {"lobbies": remove_empty_lobbies}

    def reads_to_start(self, unit: Unit, entrant: Entrant) -> Iterator[Read[Any]]:
        """The player's seat, the lobbies that are forming, and the lobby of the last attempt."""
        yield from seating_reads(unit, entrant.player, entrant.window, entrant.definition, entrant.context)
        if entrant.before is not None and entrant.before.lobby_id is not None:
            yield Get(LOBBIES, (entrant.before.lobby_id,))

    def expected_board(self, unit: Unit, entrant: Entrant) -> str | None:
        """The board of the last attempt, whose lobby the player has not left by that."""
        return None if entrant.before is None else entrant.before.board_id

    def seat(self, unit: Unit, entrant: Entrant) -> Leaderboard | NotYet:
        """The board of the lobby in which the player sits or takes a seat, once it has started."""
        lobby = seat(unit, entrant.player, entrant.window, entrant.definition, entrant.context)
        if isinstance(lobby, NotYet):
            return lobby
        board, _ = unit.tx.read_together(
            Get(BOARDS, (lobby.board_id,)), Get(ENTRIES, (lobby.board_id, entrant.player.player_id))
        )
        if board is None:
            raise LookupError(f"the lobby {lobby.lobby_id} has no board")
        return board

    def reads_to_progress(self, unit: Unit, attempt: Attempt) -> Iterator[Read[Any]]:
        """The lobby, and when its bots move next."""
        if attempt.lobby_id is not None:
            yield Get(LOBBIES, (attempt.lobby_id,))
            yield next_move_of(attempt.lobby_id)

    def reads_to_show(self, attempt: Attempt) -> tuple[Get[Lobby], ...]:
        """The lobby."""
        return () if attempt.lobby_id is None else (Get(LOBBIES, (attempt.lobby_id,)),)

    def frozen_since(self, attempt: Attempt, window: EventWindow, rows: Rows, now: Millis) -> Millis | None:
        """Since when the time of the session is over."""
        if attempt.lobby_id is None or trigger_of_time(definition_of(window)) is None:
            return None
        lobby = rows.get(Get(LOBBIES, (attempt.lobby_id,)))
        return None if lobby is None else frozen_since(lobby, window, now)

    def require_in_play(self, unit: Unit, attempt: Attempt, window: EventWindow) -> None:
        """Raises `AttemptFrozen` if the session has ended."""
        if attempt.lobby_id is not None:
            require_thawed(unit, attempt.lobby_id, window)

    def before_progress(self, unit: Unit, attempt: Attempt, window: EventWindow) -> None:
        """Write the moves of the bots that are due."""
        if attempt.lobby_id is not None:
            move_bots_now(unit, attempt.lobby_id, window)

    def ended(self, unit: Unit, attempt: Attempt, how: Literal["completed", "expired"]) -> None:
        """Judge whether the session ends by it."""
        attempt_ended(unit, attempt, how)

    def reads_to_catch_up(self, subject: Attempt | Leaderboard) -> Iterator[Read[Any]]:
        """The lobby and its window."""
        if subject.lobby_id is not None:
            yield Get(LOBBIES, (subject.lobby_id,))
            yield Get(WINDOWS, (subject.window_id or "",))

    def catch_up(self, unit: Unit, subject: Attempt | Leaderboard) -> None:
        """End the session, if its time is over and due work has not noted that."""
        if subject.lobby_id is not None:
            elapsed_due(unit, subject.lobby_id)

    def left(self, unit: Unit, board: Leaderboard) -> None:
        """Judge whether the session ends because the player is gone."""
        if board.lobby_id is not None:
            player_gone(unit, board.lobby_id)

    def before_final(self, unit: Unit, window: EventWindow, board: Leaderboard) -> None:
        """Write the moves of the bots up to the end."""
        if board.lobby_id is not None:
            move_bots_now(unit, board.lobby_id, window)

    def shown(self, definition: EventDefinition) -> Mapping[str, Any]:
        """How many seats each lobby has."""
        rules = LOBBY_RULES.of(definition)
        return {} if rules is None else {"lobby": EventLobbyRow(capacity=rules.capacity)}

    def counts(self, window_id: str) -> list[Count]:
        """The counts of the lobbies in each state."""
        return [Count(LOBBIES_OF_WINDOW, (window_id, status)) for status in _STATES]

    def counted(self, window_id: str, found: Mapping[Count, int]) -> Mapping[str, Any]:
        """How many lobbies the window has, by their state."""
        counts = {cast("str", count.prefix[1]): found[count] for count in self.counts(window_id)}
        return {"lobbies": LobbyCounts(**counts)}


LOBBY_FORMAT: Final = LobbyFormat()
