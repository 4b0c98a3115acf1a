"""The close of a window: attempts expire, boards are finalized, ranks are paid, and the window is closed last of all.

It is a job in steps, so a process may be killed at any moment of it, and two may run it. From the first step on the window
is `closing`, and nothing of it changes but by the close; so the outcome is the same however long it takes, while requests
go on being served and the next window of the event is open. A step goes on through the stages while it has rows left to
handle; so a small window closes in one.

Each format of the event has stages of its own. First come those in which a format does what was due before the window's end
and has not been done: it must be done before attempts and boards are looked at. The last ones follow in the reverse order of
the formats.

    stages before ──▶ attempts ──▶ boards ──▶ pay, for each board in turn ──▶ stages after ──▶ end
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

import attrs

from livecore.access.refusals import TestEnvironmentOnly
from livecore.events.attempt_ending import expire_all
from livecore.events.attempt_records import IN_WINDOW
from livecore.events.board_finalizing import finalize_event_board
from livecore.events.emptied import remove_emptied
from livecore.events.format import ClosingStep, EventFormat, Stage, formats_of, formats_to_close
from livecore.events.refusals import EventNotFound
from livecore.events.rows import EndedWindow, EndWindow, WindowEnded
from livecore.events.webhook_events import WindowClosed
from livecore.events.window_records import EVENTS, WINDOWS, EventWindow, definition_of
from livecore.events.windows import CLOSE, OPEN, open_due, open_window
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Value
from livecore.kernel.time import SECOND, Millis, Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS_OF_WINDOW, Leaderboard, leave_out_banned
from livecore.leaderboards.rank_rewards import TOP_RANKS, pay_ranks

_ATTEMPTS, _BOARDS, _PAY, _END = "attempts", "boards", "pay", "end"
_STEPS: Final = 200
"""The most steps that a request to end a window takes itself, each a unit of work; the rest follows as due work."""
_ROWS: Final = 50
"""The most rows that such a step handles: a request goes on at once after each, so less than a step of due work."""
_BOARDS_AT_ONCE: Final = 20
"""How many boards are read at once."""
_OWN: Final[Millis] = 10 * SECOND
"""For how long nobody else goes on with a close that a request is at."""
_Stage: TypeAlias = "Callable[[_Close, Cursor], Cursor | None]"
"""A stage of the close: gives the whole cursor to go on from, of which the name of the stage is the first value."""


@attrs.define
class _Close(ClosingStep):
    """The close of one window as far as one unit takes it, and what it has done."""

    expired: int = 0
    finalized: int = 0
    boards: list[Leaderboard] = attrs.field(factory=list)
    """The next boards to finalize, as far as they are read."""

    def run(self, cursor: Cursor) -> Cursor | None:
        """Go on from a cursor; returns where to go on, or `None` once the window is closed."""
        stages = _stages(formats_to_close(self.unit, self.window))
        first: Cursor = (next(iter(stages)),)
        following: Cursor | None = cursor or first
        while following is not None and self.rows_left > 0:
            if following[0] not in stages:
                # Its format is gone. What the other stages have done they find done.
                following = first
            following = stages[cast(str, following[0])](self, following)
        return following

    def expire_attempts(self, _: Cursor) -> Cursor:
        """Expire attempts in progress; those that are done leave the index."""
        unit, window = self.unit, self.window
        running = unit.tx.scan(IN_WINDOW, window.window_id, "in_progress", limit=self.rows_left)
        expire_all(unit, running, at=window.ends_at)
        self.expired += len(running)
        more = len(running) == self.rows_left
        self.rows_left -= len(running)
        return (_ATTEMPTS,) if more else (_BOARDS, "")

    def finalize_board(self, cursor: Cursor) -> Cursor | None:
        """Finalize the next board after the one that the cursor names; banned players are taken off it first."""
        unit = self.unit
        board = self._next_board(cursor[1])
        if board is None:
            return None
        if board.finalized_at is not None:
            # Its group ended before the window.
            self.rows_left -= 1
            return (_BOARDS, board.board_id)
        left_out = leave_out_banned(unit, board.board_id, self.rows_left)
        self.rows_left -= left_out
        if left_out and self.rows_left <= 0:
            return cursor
        for one in formats_of(unit, self.window):
            one.before_final(unit, self.window, board)
        board = finalize_event_board(unit, self.window, board, ends_at=self.window.ends_at)
        self.finalized += 1
        self.rows_left -= TOP_RANKS
        # Other participants than players are paid by their format.
        return (_PAY, board.board_id, 0) if board.participants == "player" else (_BOARDS, board.board_id)

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
        return (_BOARDS, board_id) if paid.place is None else (_PAY, board_id, paid.rank, *paid.place)

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


def _stages(formats: Sequence[EventFormat]) -> dict[str, _Stage]:
    """The stages of a close, in their order."""
    before = [item for one in formats for item in one.before_close.items()]
    after = [item for one in reversed(formats) for item in one.after_close.items()]
    names = [name for name, _ in (*before, *after)]
    if len({*names, _ATTEMPTS, _BOARDS, _PAY, _END}) < len(names) + 4:
        raise ValueError(f"two stages of a close have one name: {', '.join(names)}")
    following = [*(name for name, _ in before), _ATTEMPTS]
    ending = [*(name for name, _ in after), _END]
    return {
        **{
            name: _of_format(name, stage, (then, "")) for (name, stage), then in zip(before, following[1:], strict=True)
        },
        _ATTEMPTS: _Close.expire_attempts,
        _BOARDS: _then(_Close.finalize_board, ending[0]),
        _PAY: _Close.pay_ranks,
        **{name: _of_format(name, stage, (then,)) for (name, stage), then in zip(after, ending[1:], strict=True)},
        _END: _Close.end,
    }


def _of_format(name: str, stage: Stage, then: Cursor) -> _Stage:
    """A stage of a format, which knows its own part of the cursor, followed by another stage.

    The first stages begin at an empty text, as a worker of an earlier release expects that may take the next step.
    """

    def run(close: _Close, cursor: Cursor) -> Cursor:
        rest = stage(close, () if cursor[1:] == ("",) else cursor[1:])
        return then if rest is None else (name, *rest)

    return run


def _then(stage: _Stage, then: str) -> _Stage:
    return lambda close, cursor: stage(close, cursor) or (then,)


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
    return _step_now(unit, window, CLOSING.cursor_of(work), rest)


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
        lobbies_closed=close.counts.get("lobbies_closed", 0),
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
