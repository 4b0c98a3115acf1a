"""The rankings that a process keeps in memory: loaded when they are wanted, kept current by notices, dropped when idle.

A unit asks for the ranking of a board and is given it if it is loaded; otherwise it reads the stored rows, and the ranking
is loaded in the background. A `RankingSource`, which the area declares, says how rows and notices are read:

    board = rankings_of(unit).find(unit.scope, "lbd_1", SOURCE)
    if board is not None:
        board.view().rank(place)

What needs the store is a `RankingRead`: a page of rows, or the messages for the readers of a board's stream. The host runs
these reads, each in a reading unit of its own, between its other work:

    while (read := rankings.next_read()) is not None:
        read.take(await executor.read(read.scope, read.read))

A ranking is subscribed to the notices of its board before its first page is read. It receives them at once, before the
caller of the writing unit is answered, so the next request of the process sees them. Where notices may have been missed, the
ranking is dropped, and its streams are informed.

A notice can be lost when another process is killed between its commit and its notice. So all rows of a ranking are read
again from time to time, a page at a time, and what is newer takes effect.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Literal

import attrs

from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice, Notices
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import MINUTE, SECOND, Millis
from livecore.kernel.units.streams import Message
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.ranking.live_board import TAGS, BoardRows, LiveBoard, RankingSource

PAGE_ROWS: Final = 500
"""How many rows a page has where it is read on the event loop: other requests wait only some milliseconds for it."""
PIECE_ROWS: Final = 500
"""How many rows a host takes at once of a page that was read beside the event loop."""
MOST_BYTES: Final = 512 * 2**20
"""The memory of all rankings of a process, without the half as much again that Python may hold back."""
IDLE: Final[Millis] = 10 * MINUTE
"""After this long without use a ranking is dropped."""
VERIFIED_AFTER: Final[Millis] = 10 * MINUTE
"""How long after the last reading of all rows they are read again."""
_MILLIS_OF_REVISION: Final = 64
"""The revisions of a ranking begin with the time in units of this, so that they grow from one ranking to the next."""
_LONGEST_PAUSE: Final[Millis] = MINUTE
_Key = tuple[Scope, str]


@attrs.frozen(kw_only=True)
class RankingRead:
    """One short read: `read` in a transaction of the scope, which may run more than once, and then `take` its result."""

    scope: Scope
    kind: Literal["page", "messages"]
    read: Callable[[Transaction], Any]
    take: Callable[[Any], None]
    fail: Callable[[], None]
    """In place of `take`, where the read has failed for good: the ranking is dropped."""
    place: object = None
    """Of a page: the ranking and where the page begins."""
    ahead: Callable[[Any], RankingRead | None] = lambda _: None
    """Given a page that has been read: the read of the page after it, if somebody waits for it. A host may begin it before
    it takes the rows; when `next_read` gives the read with this place, its result is there."""


class Rankings:
    """The rankings of one process. Without `notices` it has none, and every unit reads the stored rows.

    `tags` draws a number, by which the revisions of two processes are told apart. `ranks_are_stored` says that the store
    counts rows as fast as a ranking, so that a ranking is only loaded for a stream. `patient` says that a ranking whose
    notices are missed again and again is loaded less and less often.
    """

    def __init__(
        self,
        notices: Notices | None = None,
        *,
        clock: Callable[[], Millis] = lambda: 0,
        tags: Callable[[], int] = lambda: 0,
        ranks_are_stored: bool = False,
        patient: bool = True,
        most_bytes: int = MOST_BYTES,
        page_rows: int = PAGE_ROWS,
    ) -> None:
        self.wake: Callable[[], None] = lambda: None
        """Called when there is a read to run."""
        self.total_bytes = 0
        """About how much memory all rankings need."""
        self.finished = 0
        """How often a ranking has been loaded completely, or read again."""
        self._notices = notices
        self._clock = clock
        self._tags = tags
        self._ranks_are_stored = ranks_are_stored
        self._patient = patient
        self._most_bytes = most_bytes
        self._page_rows = page_rows
        self._boards: dict[_Key, LiveBoard] = {}
        """The least recently used first."""
        self._reading: deque[LiveBoard] = deque()
        """The boards whose rows are being read; each has one page in turn."""
        self._talking: deque[LiveBoard] = deque()
        """The boards whose streams wait for messages."""
        self._scopes: dict[Scope, Callable[[], None]] = {}
        self._not_before: dict[_Key, tuple[Millis, Millis]] = {}
        """When a dropped ranking may be loaded again, and how long that was put off."""
        self._no_room_before: dict[_Key, Millis] = {}
        """When a ranking that made room for others may be loaded again, unless for a stream."""
        self._least_revision = 0

    # -- for units

    def loaded_board(self, scope: Scope, board_id: str) -> LiveBoard | None:
        """The ranking of a board if it is loaded; otherwise nothing happens, also where there is no such board."""
        board = self._boards.get((scope, board_id))
        return board if board is not None and board.live.state == "current" else None

    def find(self, scope: Scope, board_id: str, source: RankingSource, *, for_stream: bool = False) -> LiveBoard | None:
        """The ranking of a board if it is loaded; otherwise it is loaded in the background.

        A stream needs the ranking, so for one it is loaded also where there is no room for others.
        """
        key = (scope, board_id)
        board = self._boards.pop(key, None)
        if board is None:
            if for_stream or not (self._ranks_are_stored or self._clock() < self._no_room_before.get(key, 0)):
                self._load(key, source)
            board = self._boards.get(key)
        else:
            self._boards[key] = board
            board.used_at = self._clock()
        return self.loaded_board(scope, board_id)

    def loading(self, scope: Scope, board_id: str) -> LiveBoard | None:
        """The ranking of a board while it is being loaded."""
        board = self._boards.get((scope, board_id))
        return board if board is not None and board.live.state == "loading" else None

    # -- for the host

    def next_read(self) -> RankingRead | None:
        """The next read, if there is one; messages for streams come before pages of rows."""
        while self._talking:
            board = self._talking.popleft()
            if board.pending and self._boards.get(board.key) is board:
                return self._messages_of(board)
        while self._reading:
            board = next((board for board in self._reading if board.is_awaited), self._reading[0])
            self._reading.remove(board)
            if board.reading and self._boards.get(board.key) is board:
                return self._page_of(board, board.following)
        return None

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for a ranking that is being loaded."""
        return any(board.is_awaited for board in self._reading)

    def sweep(self) -> None:
        """Drop the rankings that are idle, and read the rows again of those whose last reading is long ago."""
        now = self._clock()
        for board in tuple(self._boards.values()):
            if self.is_followed(board):
                board.used_at = now
            else:
                board.forget_messages()
                self.weigh(board)
            if board.used_at + IDLE <= now:
                self._remove(board)
            elif board.live.state == "current" and not board.reading and board.read_at + VERIFIED_AFTER <= now:
                self._read_rows(board)
        self._not_before = {key: put_off for key, put_off in self._not_before.items() if put_off[0] + IDLE > now}
        self._no_room_before = {key: until for key, until in self._no_room_before.items() if until > now}

    def larger_than(self, size: int) -> list[tuple[Scope, str]]:
        """The loaded rankings of more than so many participants."""
        boards = self._boards.values()
        return [one.key for one in boards if one.live.state == "current" and len(one.live.ranking) > size]

    @property
    def loaded(self) -> int:
        """How many rankings are loaded."""
        return sum(board.live.state == "current" for board in self._boards.values())

    # -- for boards

    def is_followed(self, board: LiveBoard) -> bool:
        """Whether a board's stream has readers."""
        return self._notices is not None and self._notices.is_followed(board.scope, board.stream_topic)

    def want_messages(self, board: LiveBoard) -> None:
        """Have the messages of a board's updates made."""
        if len(board.pending) == 1:
            self._talking.append(board)
            self.wake()

    def weigh(self, board: LiveBoard) -> None:
        """Count the memory of a board anew."""
        weight = board.memory_bytes
        self.total_bytes += weight - board.weight
        board.weight = weight

    def drop(self, board: LiveBoard) -> None:
        """Drop a ranking that may lack changes; its streams read the state again."""
        if self._boards.get(board.key) is not board:
            return
        self._put_off(board)
        self._remove(board)
        if self._notices is not None:
            self._notices.miss_topic(board.scope, board.stream_topic)

    def hurry(self, board: LiveBoard) -> None:  # noqa: ARG002 - `next_read` finds it by who waits
        """Load a ranking before others: somebody waits for it."""
        self.wake()

    # -- loading

    def _load(self, key: _Key, source: RankingSource) -> None:
        notices, now = self._notices, self._clock()
        if notices is None or now < self._not_before.get(key, (0, 0))[0]:
            return
        scope, board_id = key
        first = max(_first_revision(now), self._least_revision)
        board = LiveBoard(self, scope, board_id, source, first, self._tags() % TAGS)
        board.used_at = board.read_at = now
        if scope not in self._scopes:
            lost = partial(self._drop_all, scope)
            self._scopes[scope] = notices.subscribe(
                scope, source.all_boards, lambda _: lost(), missed=lost, at_once=True
            )
        board.cancel = notices.subscribe(scope, source.topic(board_id), board.receive, at_once=True)
        self._boards[key] = board
        self.weigh(board)
        self._read_rows(board)

    def _read_rows(self, board: LiveBoard) -> None:
        board.reading, board.following = True, None
        self._reading.append(board)
        self.wake()

    def _page_of(self, board: LiveBoard, following: Key | None) -> RankingRead:
        def read(tx: Transaction) -> BoardRows:
            return board.source.page(tx, board.board_id, following, self._page_rows)

        def take(page: BoardRows) -> None:
            if self._boards.get(board.key) is board:
                self._take_page(board, page)

        def ahead(page: BoardRows) -> RankingRead | None:
            beyond = page.following
            return None if beyond is None or not board.is_awaited else self._page_of(board, beyond)

        return RankingRead(
            scope=board.scope,
            kind="page",
            read=read,
            take=take,
            fail=lambda: self._fail(board),
            place=(board, following),
            ahead=ahead,
        )

    def _take_page(self, board: LiveBoard, page: BoardRows) -> None:
        live = board.live
        if live.state == "loading":
            live.load(page.placed())
            if None in page.sort_keys:
                for row in page.rows():
                    if row.place is None:
                        live.apply(*row)
        else:
            for row in page.rows():
                # A newer version without another place is of no interest.
                if live.place(row.participant) != row.place:
                    board.apply(row)
        self.weigh(board)
        if page.complete:
            self._go_on(board, page.following)
        self._make_room()

    def _go_on(self, board: LiveBoard, following: Key | None) -> None:
        board.following = following
        if following is not None:
            self._reading.append(board)
            return
        board.live.finish()
        self.finished += 1
        board.reading, board.read_at = False, self._clock()
        board.settle()

    def _make_room(self) -> None:
        if self.total_bytes <= self._most_bytes:
            return
        # Those with readers go last, because their streams would end. Nothing is loaded again at once, not even for a stream
        # if there is no room besides the others that have readers.
        newest = next(reversed(self._boards.values()))
        for board in sorted(self._boards.values(), key=self.is_followed):
            if self.total_bytes <= self._most_bytes:
                return
            if board is newest or self.is_followed(board):
                self._not_before[board.key] = (self._clock() + _LONGEST_PAUSE, _LONGEST_PAUSE)
            else:
                self._no_room_before[board.key] = self._clock() + _LONGEST_PAUSE
            self._remove(board)
            if self._notices is not None:
                self._notices.miss_topic(board.scope, board.stream_topic)

    # -- messages

    def _messages_of(self, board: LiveBoard) -> RankingRead:
        updates, board.pending = board.pending, []

        def read(tx: Transaction) -> Sequence[Message]:
            return board.source.messages(tx, board.board_id, updates)

        def take(messages: Sequence[Message]) -> None:
            if self._boards.get(board.key) is not board or self._notices is None:
                return
            topic = board.stream_topic
            for update, message in zip(updates, messages, strict=True):
                payload = f'{{"number":{board.keep_message(message)},"revision":{update.revision}}}'
                self._notices.deliver([Notice(board.scope, topic, payload)])
            self.weigh(board)
            self._make_room()

        return RankingRead(scope=board.scope, kind="messages", read=read, take=take, fail=lambda: self._fail(board))

    # -- dropping

    def _fail(self, board: LiveBoard) -> None:
        self._not_before[board.key] = (self._clock() + _LONGEST_PAUSE, _LONGEST_PAUSE)
        self.drop(board)

    def _put_off(self, board: LiveBoard) -> None:
        """A ranking that was dropped soon after it was loaded is loaded again only after a pause, each time a longer one."""
        if not self._patient:
            return
        now, pause = self._clock(), 0
        if board.key in self._not_before and now - board.read_at < _LONGEST_PAUSE:
            until, pause = self._not_before[board.key]
            if now < until:
                return
            pause = min(_LONGEST_PAUSE, 2 * pause or SECOND)
        self._not_before[board.key] = (now + pause, pause)

    def _drop_all(self, scope: Scope) -> None:
        for board in tuple(self._boards.values()):
            if board.scope == scope:
                self.drop(board)

    def _remove(self, board: LiveBoard) -> None:
        board.cancel()
        board.live.miss()
        del self._boards[board.key]
        board.settle()
        self.total_bytes -= board.weight
        self._least_revision = max(self._least_revision, board.live.revision + 1)


def _first_revision(moment: Millis) -> int:
    return moment // _MILLIS_OF_REVISION


def revision_at(moment: Millis) -> int:
    """The revision of a board that has not changed since this moment, the same in every process."""
    return _first_revision(moment) * TAGS


_NO_RANKINGS: Final = Rankings()


def rankings_of(unit: Unit) -> Rankings:
    """The rankings that the process keeps in memory; none where its host keeps none."""
    kept = unit.deployment.kept.get(Rankings)
    return kept if isinstance(kept, Rankings) else _NO_RANKINGS
