"""The ranking of one board in a process: what units look at, and what the readers of its stream are sent.

`livecore.leaderboards.ranking.rankings` makes, loads and drops it. A `RankingSource`, which the area declares, says how
rows and notices are read.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar
from weakref import WeakSet

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Millis
from livecore.kernel.units.streams import Message
from livecore.kernel.values import keyword_value, value
from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.ranking.replica import Change, LiveRanking, Moved
from livecore.leaderboards.ranking.view import GrowingRows, RankingView, UncommittedRows, Versioned

TAGS: Final = 4_096
"""How many tags there are, by which the revisions of two rankings of a board are told apart."""
_BOARD_BYTES: Final = 8_000
"""What a board needs besides its places and messages."""
_MESSAGE_BYTES: Final = 800
"""What a message for the readers of a stream needs, and a change of which one will be made."""
_MOST_BATCHES: Final = 4
"""Of how many batches that are under way at once the rows are kept."""
_MOST_MESSAGES: Final = 2_048
"""How many of a board's last messages are kept for readers that take them later than others."""
U = TypeVar("U", bound=UncommittedRows)


@value
class BoardRows:
    """Some rows of a board, and from where to go on; `None`: these were the last.

    They come column by column, because a page of thousands of objects costs more than all that is done with it.
    """

    participants: Sequence[str]
    versions: Sequence[int]
    sort_keys: Sequence[int | None]
    """`None`: the participant was removed."""
    reached_at: Sequence[Millis]
    following: Key | None
    complete: bool = True
    """`False` for a piece of a page that others follow; `following` then says nothing."""

    def pieces(self, size: int) -> Iterator[BoardRows]:
        """The same rows in pieces, for a host that does something else in between."""
        last = max(0, (len(self.participants) - 1) // size * size)
        for first in range(0, last, size):
            yield BoardRows(*self._part(first, first + size), None, complete=False)
        yield BoardRows(*self._part(last, last + size), self.following)

    def placed(self) -> Iterator[tuple[tuple[int, Millis, str], int]]:
        """The place and the version of each participant who was not removed."""
        columns = zip(self.sort_keys, self.reached_at, self.participants, self.versions, strict=True)
        return (((key, at, who), version) for key, at, who, version in columns if key is not None)

    def rows(self) -> Iterator[Versioned]:
        """The rows one by one."""
        columns = zip(self.participants, self.versions, self.sort_keys, self.reached_at, strict=True)
        for who, version, key, at in columns:
            yield Versioned(who, version, None if key is None else Place(key, at, who))

    def _part(
        self, first: int, end: int
    ) -> tuple[Sequence[str], Sequence[int], Sequence[int | None], Sequence[Millis]]:
        part = slice(first, end)
        return self.participants[part], self.versions[part], self.sort_keys[part], self.reached_at[part]


@keyword_value
class Update:
    """What the readers of a board's stream must be sent: a change of an entry, or another notice about the board."""

    revision: int
    moved: Moved | None = None
    rank: int | None = None
    """The rank after the change."""
    size: int
    """How many entries the board has since then."""
    payload: JsonObject | None = None
    """The notice, where it is about no entry."""


class RankingSource(Protocol):
    """How the rows and notices of boards are read. One object for all boards."""

    all_boards: str
    """The topic of a notice that any board of a scope may have changed."""

    def topic(self, board_id: str) -> str:
        """The topic of the notices about a board."""

    def page(self, tx: Transaction, board_id: str, beyond: Key | None, limit: int) -> BoardRows:
        """The rows of a board in its order, and then the rows of those who were removed; from the start or `beyond`."""

    def uncommitted(self, tx: Transaction) -> Sequence[Sequence[Any]]:
        """The rows of all boards that are not committed yet, as `Transaction.uncommitted` gives them."""

    def written(self, tx: Transaction) -> Sequence[Any]:
        """The rows of all boards that the unit has written, as `Transaction.written` gives them."""

    def row(self, board_id: str, row: Any) -> Versioned | None:  # noqa: ANN401 - a row of the source's table
        """One of these rows, if it is one of this board's."""

    def change(self, payload: JsonObject) -> Versioned | None:
        """The row that a notice is about; `None` for another notice about the board."""

    def messages(self, tx: Transaction, board_id: str, updates: Sequence[Update]) -> Sequence[Message]:
        """The message of each update, for all readers of the board's stream."""


class _Owner(Protocol):
    """What a board asks of the rankings of its process."""

    def is_followed(self, board: LiveBoard) -> bool:
        """Whether a board's stream has readers."""

    def want_messages(self, board: LiveBoard) -> None:
        """Have the messages of a board's updates made."""

    def weigh(self, board: LiveBoard) -> None:
        """Count the memory of a board anew."""

    def drop(self, board: LiveBoard) -> None:
        """Drop a ranking that may lack changes."""

    def hurry(self, board: LiveBoard) -> None:
        """Load a ranking before others: somebody waits for it."""


class LiveBoard:
    """The ranking of one board; `Rankings` makes it."""

    def __init__(self, owner: _Owner, scope: Scope, board_id: str, source: RankingSource, first: int, tag: int) -> None:
        self.scope = scope
        self.board_id = board_id
        self.source = source
        self.live = LiveRanking(first)
        self.stream_topic = f"live:{source.topic(board_id)}"
        """The topic on which readers of the board's stream are informed of new messages, within this process."""
        self.used_at: Millis = 0
        self.read_at: Millis = 0
        """When all rows had been read; before that, when their reading began."""
        self.following: Key | None = None
        self.reading = False
        """Whether its rows are being read."""
        self.pending: list[Update] = []
        self.weight = 0
        self._waiting: dict[object, Callable[[], None]] = {}
        self.cancel: Callable[[], None] = lambda: None
        self._owner = owner
        self._tag = tag
        self._read = partial(source.row, board_id)
        self._views: WeakSet[RankingView] = WeakSet()
        self._batches: deque[GrowingRows[UncommittedRows]] = deque(maxlen=_MOST_BATCHES)
        """The uncommitted rows of the batches that have asked last."""
        self._messages: dict[int, Message] = {}
        self._number = 0

    @property
    def key(self) -> tuple[Scope, str]:
        """What it is known by."""
        return self.scope, self.board_id

    @property
    def revision(self) -> int:
        """The number of the present state. It grows with each change; no other ranking of the board has had it."""
        return self.live.revision * TAGS + self._tag

    def since(self, revision: int) -> list[Change] | None:
        """The newest change of each participant after a revision, numbered as `revision` is; `None`: not known."""
        number, tag = divmod(revision, TAGS)
        changes = self.live.since(number) if tag == self._tag else None
        if changes is None:
            return None
        return [Change(one.revision * TAGS + tag, one.participant, one.place) for one in changes]

    def view(self) -> RankingView:
        """The board as it is now; it remains so while the board changes."""
        return self._viewed(None)

    def view_of(self, tx: Transaction) -> RankingView:
        """The board as it was when the unit first asked, with what is not committed and what the unit has written."""
        own: GrowingRows[RankingView] | None = tx.kept.get(self)
        if own is None:
            batch = self.source.uncommitted(tx)
            view = self._viewed(self._rows_of(batch) if batch else None)
            own = tx.kept[self] = self._growing(view, (self.source.written(tx),))
        return own.current()

    def _viewed(self, uncommitted: UncommittedRows | None) -> RankingView:
        view = RankingView(self.live, uncommitted)
        self._views.add(view)
        return view

    def _rows_of(self, batch: Sequence[Sequence[Any]]) -> UncommittedRows:
        for known in reversed(self._batches):
            if known.are_from(batch):
                return known.current()
        rows = self._growing(UncommittedRows(self.live), batch)
        self._batches.append(rows)
        return rows.current()

    def _growing(self, rows: U, lists: Sequence[Sequence[Any]]) -> GrowingRows[U]:
        return GrowingRows(rows, lists, self._read)

    def message(self, number: int) -> Message | None:
        """The message with this number, the same for all readers; `None` where it is too old."""
        return self._messages.get(number)

    def when_settled(self, call: Callable[[], None]) -> Callable[[], None]:
        """Have a function called once the ranking is loaded or dropped; returns what takes this back.

        As long as somebody waits, the ranking is loaded before others.
        """
        token = object()
        self._waiting[token] = call
        self._owner.hurry(self)
        return partial(self._waiting_no_more, token)

    def _waiting_no_more(self, token: object) -> None:
        self._waiting.pop(token, None)

    # -- for the owner

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for it to be loaded."""
        return bool(self._waiting)

    def settle(self) -> None:
        """Tell those who wait that it is loaded or dropped."""
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            call()

    @property
    def memory_bytes(self) -> int:
        """About how much memory the board needs, with what waits for its readers."""
        messages = len(self._messages) + len(self.pending)
        return self.live.memory_bytes + _BOARD_BYTES + messages * _MESSAGE_BYTES

    def forget_messages(self) -> None:
        """Drop what was kept for readers: there are none."""
        self._messages.clear()
        self.pending.clear()

    def receive(self, notice: Notice) -> None:
        """Take a notice about the board."""
        try:
            payload: JsonObject = json.loads(notice.payload)
            row = self.source.change(payload)
            if row is not None:
                self.apply(row)
            elif self._is_followed():
                self._note(Update(revision=self.revision, size=len(self.live.ranking), payload=payload))
        except BaseException:
            self._owner.drop(self)
            raise

    def apply(self, row: Versioned) -> None:
        """Let a row take effect if it is newer than the one that is known."""
        moved = self.live.apply(*row)
        if moved is None:
            return
        for batch in self._batches:
            batch.rows.follow(row.version, moved)
        if self._views:
            for view in self._views:
                view.keep(moved)
        if moved.before is None:
            self._owner.weigh(self)
        if self.live.state == "current" and self._is_followed():
            place = moved.change.place
            rank = None if place is None else self.live.ranking.rank(place)
            size = len(self.live.ranking)
            self._note(Update(revision=self.revision, size=size, moved=moved, rank=rank))

    def keep_message(self, message: Message) -> int:
        """Keep a message for the readers; returns its number."""
        self._number += 1
        self._messages[self._number] = message
        self._messages.pop(self._number - _MOST_MESSAGES, None)
        return self._number

    def _is_followed(self) -> bool:
        return self._owner.is_followed(self)

    def _note(self, update: Update) -> None:
        self.pending.append(update)
        self._owner.weigh(self)
        self._owner.want_messages(self)
