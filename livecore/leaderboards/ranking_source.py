"""Leaderboards as rankings in memory: how their rows and notices are read, and what the readers of a stream are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal, cast

from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.streams import Message
from livecore.kernel.wire.shapes import ABSENT
from livecore.leaderboards.boards import (
    ALL_BOARDS,
    BOARDS,
    BY_RANK,
    ENTRIES,
    REMOVED,
    BoardEntry,
    Leaderboard,
    place_of,
    topic_of,
)
from livecore.leaderboards.participants import Participant, Ranked, entry_row, participants_now, status_of
from livecore.leaderboards.ranking.live_board import BoardRows, Update
from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.ranking.replica import Moved
from livecore.leaderboards.ranking.view import Versioned
from livecore.leaderboards.rows import BoardClosed, BoardReady, ScoreUpdate

_PLACED: Final = "placed"
_REMOVED: Final = "removed"
_COLUMNS: Final = ("participant", "version", "sort_key", "reached_at", "removed_at")
"""What a ranking needs of an entry, and what the removed ones are ordered by."""


def versioned(entry: BoardEntry) -> Versioned:
    """An entry as a ranking needs it."""
    return Versioned(entry.participant, entry.version, place_of(entry))


class _LiveBoards:
    """The source of the rankings of leaderboards, whose participants the areas know."""

    all_boards = ALL_BOARDS

    def __init__(self, areas: Areas) -> None:
        self._areas = areas

    def topic(self, board_id: str) -> str:
        """The topic of the notices about a board."""
        return topic_of(board_id)

    def page(self, tx: Transaction, board_id: str, beyond: Key | None, limit: int) -> BoardRows:
        """Entries in the order of the board, and then those that were removed."""
        part, *after = beyond or (_PLACED,)
        index = BY_RANK if part == _PLACED else REMOVED
        columns = tx.columns(Scan(index, (board_id,), after=tuple(after) or None, limit=limit), _COLUMNS)
        following: Key | None = (_REMOVED,) if part == _PLACED else None
        if len(columns[0]) == limit:
            following = (part, *(columns[_COLUMNS.index(name)][-1] for name in index.order))
        participants, versions, sort_keys, reached_at, _ = cast("list[Any]", columns)
        return BoardRows(participants, versions, sort_keys, reached_at, following)

    def uncommitted(self, tx: Transaction) -> Sequence[Sequence[BoardEntry]]:
        """The entries that are not committed yet."""
        return tx.uncommitted(ENTRIES)

    def written(self, tx: Transaction) -> Sequence[BoardEntry]:
        """The entries that the unit has written."""
        return tx.written(ENTRIES)

    def row(self, board_id: str, entry: BoardEntry) -> Versioned | None:
        """An entry of this board as its ranking needs it."""
        return versioned(entry) if entry.board_id == board_id else None

    def change(self, payload: JsonObject) -> Versioned | None:
        """The entry that a notice is about."""
        if "participant" not in payload:
            return None
        participant, version = cast("str", payload["participant"]), cast("int", payload["version"])
        sort_key, reached_at = cast("int | None", payload["sortKey"]), cast("int", payload["reachedAt"])
        return Versioned(participant, version, None if sort_key is None else Place(sort_key, reached_at, participant))

    def messages(self, tx: Transaction, board_id: str, updates: Sequence[Update]) -> Sequence[Message]:
        """A score update for each change; where an entry was removed, the readers are told to read the board again."""
        board = tx.get(BOARDS, board_id)
        if board is None:
            raise LookupError(f"there is no leaderboard {board_id}")
        moved = [update.moved.change.participant for update in updates if update.moved is not None]
        known = dict(zip(moved, participants_now(self._areas, tx, moved), strict=True))
        return [_message(board, update, known) for update in updates]


@lru_cache(maxsize=16)
def live_boards(areas: Areas) -> _LiveBoards:
    """The source of the rankings of leaderboards in a service with these areas."""
    return _LiveBoards(areas)


def _message(board: Leaderboard, update: Update, known: Mapping[str, Participant | None]) -> Message:
    if update.moved is None:
        return closed(board, board.closed or "finalized")
    return _moved(board, update, update.moved, known[update.moved.change.participant])


def _moved(board: Leaderboard, update: Update, moved: Moved, participant: Participant | None) -> Message:
    place = moved.change.place
    if place is None or update.rank is None or participant is None:
        return anew(board, update.size, update.revision)
    return score_update(board, Ranked(update.rank, place), participant, update.revision, moved.previous_rank)


def ready(board: Leaderboard, entry_count: int, revision: int, *, resync: bool) -> Message:
    """The message with which a stream begins."""
    data = BoardReady(
        leaderboard_id=board.board_id,
        status=status_of(board),
        entry_count=entry_count,
        revision=revision,
        resync=True if resync else ABSENT,
    )
    return Message(event="ready", data=data, id=str(revision))


def anew(board: Leaderboard, entry_count: int, revision: int) -> Message:
    """The message that the reader of an open stream must read the board again."""
    return evolve(ready(board, entry_count, revision, resync=True), replaces="ready")


def score_update(
    board: Leaderboard, ranked: Ranked, participant: Participant, revision: int, previous_rank: int | None
) -> Message:
    """The message that the entry of a participant has changed."""
    return Message(
        event="score_update",
        data=ScoreUpdate(
            leaderboard_id=board.board_id,
            revision=revision,
            entry=entry_row(board, ranked, participant),
            previous_rank=previous_rank,
        ),
        id=str(revision),
        replaces=ranked.place.participant,
    )


def closed(
    board: Leaderboard, reason: Literal["finalized", "lobby_closed", "key_revoked", "server_draining"]
) -> Message:
    """The last message of a stream."""
    return Message(
        event="closed",
        data=BoardClosed(leaderboard_id=board.board_id, status=status_of(board), reason=reason),
        last=True,
    )
