"""The close of a window: attempts expire, boards are finalized, ranks are paid, and the window is closed last of all.

It is a job in steps, so a process may be killed at any moment of it, and two may run it. From the first step on the window
is `closing`, and nothing of it changes but by the close; so the outcome is the same however long it takes, while requests
go on being served and the next window of the event is open. A step goes on through the stages while it has rows left to
handle; so a small window closes in one.

Lobbies and sessions of which the time was over before the window's end, while their own due work has not run, come first:
what they still do must be done before attempts and boards are looked at.

    fill ──▶ sessions ──▶ attempts ──▶ boards ──▶ pay, for each board in turn ──▶ teams ──▶ lobbies ──▶ end
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias, cast

import attrs

from livecore.access.refusals import TestEnvironmentOnly
from livecore.competition.attempts import IN_WINDOW
from livecore.competition.boards import BOARDS_OF_WINDOW, Leaderboard, leave_out_banned
from livecore.competition.emptied import remove_emptied
from livecore.competition.ending import expire_all
from livecore.competition.event_rows import EndedWindow, EndWindow, WindowEnded
from livecore.competition.final_boards import TOP_RANKS, finalize_event_board, pay_ranks
from livecore.competition.refusals import EventNotFound
from livecore.competition.webhook_events import WindowClosed
from livecore.competition.windows import CLOSE, EVENTS, OPEN, WINDOWS, EventWindow, definition_of, open_due, open_window
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Value
from livecore.kernel.time import SECOND, Millis
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import Timestamp
from livecore.lobbies.bots import catch_up
from livecore.lobbies.lifecycle import close_lobby, closing_reads, fill_due
from livecore.lobbies.lobby import LOBBIES, LOBBIES_OF_WINDOW, Lobby
from livecore.lobbies.session_rules import trigger_of_time
from livecore.lobbies.sessions import elapsed_due
from livecore.teams.finalizing import finalize_teams

__all__ = ["CLOSING", "Ending", "Rest", "end_now", "ended_now"]

_STEPS: Final = 200
"""The most steps that a request to end a window takes itself, each a unit of work; the rest follows as due work."""
_ROWS: Final = 50
"""The most rows that such a step handles: a request goes on at once after each, so less than a step of due work."""
_BOARDS_AT_ONCE: Final = 20
"""How many boards are read at once."""
_OWN: Final[Millis] = 10 * SECOND
"""For how long nobody else goes on with a close that a request is at."""
_Stage: TypeAlias = "Callable[[_Close, Cursor], Cursor | None]"


@attrs.define
class _Close:
    """The close of one window as far as one unit takes it, and what it has done."""

    unit: Unit
    window: EventWindow
    rows_left: int
    expired: int = 0
    finalized: int = 0
    granted: int = 0
    lobbies_closed: int = 0
    boards: list[Leaderboard] = attrs.field(factory=list)
    """The next boards to finalize, as far as they are read."""

    def run(self, cursor: Cursor) -> Cursor | None:
        """Go on from a cursor; returns where to go on, or `None` once the window is closed."""
        first: Cursor = ("attempts",) if definition_of(self.window).lobby is None else ("fill", "")
        following: Cursor | None = cursor or first
        while following is not None and self.rows_left > 0:
            following = _STAGES[cast(str, following[0])](self, following)
        return following

    def fill_lobbies(self, cursor: Cursor) -> Cursor:
        """Start or close lobbies whose time to fill is over."""
        return self._due_of_lobbies(cursor, "forming", fill_due) or ("sessions", "")

    def end_sessions(self, cursor: Cursor) -> Cursor:
        """End sessions whose time is over."""
        if trigger_of_time(definition_of(self.window)) is None:
            return ("attempts",)
        return self._due_of_lobbies(cursor, "active", elapsed_due) or ("attempts",)

    def _due_of_lobbies(self, cursor: Cursor, status: str, work: Callable[[Unit, str], None]) -> Cursor | None:
        """Do the due work of the lobbies after the one that the cursor names; gives where to go on, if there are more."""
        stage, after = cursor
        most = self.rows_left
        found = self.unit.tx.scan(LOBBIES_OF_WINDOW, self.window.window_id, status, after=(after,), limit=most)
        for lobby in found:
            if self.rows_left <= 0:
                return (stage, after)
            work(self.unit, lobby.lobby_id)
            self.rows_left -= 1 if self.unit.tx.get(LOBBIES, lobby.lobby_id) == lobby else 1 + lobby.capacity
            after = lobby.lobby_id
        return (stage, after) if len(found) == most else None

    def expire_attempts(self, _: Cursor) -> Cursor:
        """Expire attempts in progress; those that are done leave the index."""
        unit, window = self.unit, self.window
        running = unit.tx.scan(IN_WINDOW, window.window_id, "in_progress", limit=self.rows_left)
        expire_all(unit, running, at=window.ends_at)
        self.expired += len(running)
        more = len(running) == self.rows_left
        self.rows_left -= len(running)
        return ("attempts",) if more else ("boards", "")

    def finalize_board(self, cursor: Cursor) -> Cursor:
        """Finalize the next board after the one that the cursor names; banned players are taken off it first."""
        unit = self.unit
        board = self._next_board(cursor[1])
        if board is None:
            return ("teams",)
        if board.finalized_at is not None:
            # Its lobby was closed before the window.
            self.rows_left -= 1
            return ("boards", board.board_id)
        left_out = leave_out_banned(unit, board.board_id, self.rows_left)
        self.rows_left -= left_out
        if left_out and self.rows_left <= 0:
            return cursor
        if board.lobby_id is not None:
            catch_up(unit, board.lobby_id, self.window)
        board = finalize_event_board(unit, self.window, board, ends_at=self.window.ends_at)
        self.finalized += 1
        self.rows_left -= TOP_RANKS
        # The members of teams are paid with the teams.
        return ("boards", board.board_id) if board.participants == "team" else ("pay", board.board_id, 0)

    def _next_board(self, after: Value) -> Leaderboard | None:
        """The board after the one with this id. Several are read at once: until it is its turn, nothing changes a board."""
        if not self.boards:
            window_id = self.window.window_id
            self.boards = self.unit.tx.scan(BOARDS_OF_WINDOW, window_id, after=(after,), limit=_BOARDS_AT_ONCE)
        return self.boards.pop(0) if self.boards else None

    def pay_ranks(self, cursor: Cursor) -> Cursor:
        """Pay the ranks after the one that the cursor names."""
        _, board_id, rank, *place = cast("tuple[str, str, int, *tuple[Any, ...]]", cursor)
        rewards = definition_of(self.window).rank_rewards
        paid = pay_ranks(
            self.unit, board_id, rewards, "event_rank", rank=rank, place=tuple(place) or None, most=self.rows_left
        )
        self.granted += paid.granted
        self.rows_left -= max(1, paid.entries)
        return ("boards", board_id) if paid.place is None else ("pay", board_id, paid.rank, *paid.place)

    def finalize_teams(self, cursor: Cursor) -> Cursor:
        """Make teams final and pay their ranks, from where the cursor says."""
        done = finalize_teams(self.unit, self.window, cursor[1:], self.rows_left)
        self.granted += done.granted
        self.rows_left -= done.rows
        if done.following is not None:
            return ("teams", *done.following)
        return ("lobbies",) if definition_of(self.window).lobby is not None else ("end",)

    def close_lobbies(self, _: Cursor) -> Cursor:
        """Close lobbies that are forming or active; those that are closed leave the index."""
        unit, window = self.unit, self.window
        found: list[Lobby] = []
        for status in ("forming", "active"):
            most = self.rows_left - len(found)
            found += unit.tx.scan(LOBBIES_OF_WINDOW, window.window_id, status, limit=most) if most else []
        full = len(found) == self.rows_left
        taken: list[Lobby] = []
        for lobby in found:
            if self.rows_left > 0:
                taken.append(lobby)
                self.rows_left -= 1 + lobby.players
        unit.tx.read_all(chain.from_iterable(map(closing_reads, taken)))
        for lobby in taken:
            close_lobby(unit, lobby, "window_ended")
        self.lobbies_closed += len(taken)
        return ("lobbies",) if full or len(taken) < len(found) else ("end",)

    def end(self, _: Cursor) -> None:
        """Close the window."""
        unit, window = self.unit, self.window
        unit.tx.put(WINDOWS, evolve(window, status="closed", closed_at=unit.now))
        unit.emit(
            WindowClosed(
                event_window_id=window.window_id,
                event_id=window.event_id,
                event_key=window.event_key,
                status="closed",
                starts_at=Timestamp(window.starts_at),
                ends_at=Timestamp(window.ends_at),
                closed_at=Timestamp(unit.now),
            )
        )
        remove_emptied(unit, window)


_STAGES: Final[dict[str, _Stage]] = {
    "fill": _Close.fill_lobbies,
    "sessions": _Close.end_sessions,
    "attempts": _Close.expire_attempts,
    "boards": _Close.finalize_board,
    "pay": _Close.pay_ranks,
    "teams": _Close.finalize_teams,
    "lobbies": _Close.close_lobbies,
    "end": _Close.end,
}


def _step(unit: Unit, window_id: str, cursor: Cursor) -> Cursor | None:
    window = unit.tx.get(WINDOWS, window_id)
    if window is None or window.status == "closed":
        return None
    if window.status == "active":
        window = evolve(window, status="closing")
        unit.tx.put(WINDOWS, window)
    following = _Close(unit, window, MOST_ROWS).run(cursor)
    if cursor == START and unit.tx.get(DUE, OPEN, window.event_key) is not None:
        # The next window may have been waiting for this one; it is open while this one is being paid.
        open_due(unit, window.event_key)
    return following


CLOSING: Final = Job(CLOSE, _step)
"""Closes the window whose id it is about."""


@attrs.frozen
class Rest:
    """What a request to end a window has still to do: the close of the window, in at most so many further steps."""

    event_key: str
    window_id: str
    steps_left: int


@attrs.frozen
class Ending:
    """What one step of a request to end a window has done, and what remains to it."""

    event_key: str
    ended: EndedWindow | None = None
    rest: Rest | None = None


def end_now(unit: Unit, args: EndWindow | Rest) -> Ending:
    """End the open window of an event at this moment, and do the first step of its close; or the next one of the rest.

    Raises `TestEnvironmentOnly` and `EventNotFound`. Until the request has done its last step, or for some seconds after it
    broke off, nobody else goes on with the close; what it leaves then follows as due work.
    """
    if isinstance(args, Rest):
        return _go_on(unit, args)
    if unit.scope.environment != "test":
        raise TestEnvironmentOnly("Only a test-environment key may end a window.")
    event = unit.tx.get(EVENTS, args.event_key)
    if event is None or event.declared is None:
        raise EventNotFound.of(args.event_key)
    window = open_window(unit, args.event_key)
    if window is None:
        return Ending(args.event_key)
    window = unit.tx.put(WINDOWS, evolve(window, status="closing", ends_at=unit.now))
    return _step_now(unit, window, START, Rest(args.event_key, window.window_id, _STEPS))


def _go_on(unit: Unit, rest: Rest) -> Ending:
    window, work = unit.tx.get(WINDOWS, rest.window_id), unit.tx.get(DUE, CLOSE, rest.window_id)
    if window is None or window.status == "closed" or work is None:
        # The request was slow, and due work has done the rest.
        return Ending(rest.event_key)
    return _step_now(unit, window, CLOSING.place(work), rest)


def _step_now(unit: Unit, window: EventWindow, cursor: Cursor, rest: Rest) -> Ending:
    close = _Close(unit, window, _ROWS)
    following = close.run(cursor)
    rest = attrs.evolve(rest, steps_left=rest.steps_left - 1)
    if following is None:
        CLOSING.cancel(unit, window.window_id)
    else:
        CLOSING.resume(unit, window.window_id, following, unit.now + _OWN if rest.steps_left else None)
    ended = EndedWindow(
        event_window_id=window.window_id,
        attempts_expired=close.expired,
        leaderboards_finalized=close.finalized,
        grants_created=close.granted,
        lobbies_closed=close.lobbies_closed,
    )
    return Ending(rest.event_key, ended, rest if following is not None and rest.steps_left else None)


def ended_now(steps: Sequence[Ending]) -> WindowEnded:
    """The answer to a request to end a window: what all its steps have done."""
    done = [step.ended for step in steps if step.ended is not None]
    if not done:
        return WindowEnded(event_key=steps[0].event_key, windows=())
    ended = EndedWindow(
        event_window_id=done[0].event_window_id,
        attempts_expired=sum(step.attempts_expired for step in done),
        leaderboards_finalized=sum(step.leaderboards_finalized for step in done),
        grants_created=sum(step.grants_created for step in done),
        lobbies_closed=sum(step.lobbies_closed for step in done),
    )
    return WindowEnded(event_key=steps[0].event_key, windows=(ended,))
