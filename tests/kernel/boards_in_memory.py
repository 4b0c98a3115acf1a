"""Rows of boards in memory, and a process with rankings of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from hypothesis import strategies as st

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.notices import Notice, Notices, notice_of
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.streams import Message
from livecore.leaderboards.ranking.live_board import BoardRows, LiveBoard, Update
from livecore.leaderboards.ranking.order import Place, first_rank_around
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.leaderboards.ranking.view import RankingView, Versioned

HERE: Final = Scope("gam_1", "test")
BOARD: Final = "lbd_1"
TOPIC: Final = f"board:{BOARD}"
ALL: Final = "boards"


class Rows:
    """The committed rows of all boards, and the source of rankings of them. Its pages are of two rows."""

    all_boards = ALL

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Versioned]] = {}
        self.described: list[int] = []
        self.batches: list[list[tuple[str, Versioned]]] = []

    def uncommitted(self, tx: Transaction) -> Sequence[Sequence[tuple[str, Versioned]]]:  # noqa: ARG002 - the source's
        """The lists of the batches that are under way."""
        return tuple(self.batches)

    def written(self, tx: Transaction) -> Sequence[tuple[str, Versioned]]:
        """The list of a unit."""
        return written_by(tx)

    def row(self, board_id: str, row: tuple[str, Versioned]) -> Versioned | None:
        """A row of a batch."""
        return row[1] if row[0] == board_id else None

    def commit(self, participant: str, score: int | None, board_id: str = BOARD) -> Notice:
        """Change a row; returns its notice."""
        rows = self.rows.setdefault(board_id, {})
        version = rows[participant].version + 1 if participant in rows else 1
        rows[participant] = Versioned(participant, version, None if score is None else Place(score, 5, participant))
        payload: JsonObject = {"participant": participant, "version": version, "score": score}
        return notice_of(HERE, f"board:{board_id}", payload)

    def board(self, board_id: str = BOARD) -> list[Place]:
        """The places in their order."""
        return sorted(row.place for row in self.rows.get(board_id, {}).values() if row.place is not None)

    def topic(self, board_id: str) -> str:
        """The topic of the notices about a board."""
        return f"board:{board_id}"

    def page(self, tx: Transaction, board_id: str, beyond: Key | None, limit: int) -> BoardRows:  # noqa: ARG002 - the source's
        """Two rows: first those with a place, then the removed ones by name."""
        rows = self.rows.get(board_id, {})
        if beyond is None or beyond[0] == "placed":
            after = None if beyond is None else beyond[1]
            found = [place for place in self.board(board_id) if after is None or place > cast("Any", after)][:2]
            following: Any = ("placed", found[-1]) if len(found) == 2 else ("removed", "")
            return page_of([rows[place.participant] for place in found], following)
        gone = [row for name, row in sorted(rows.items()) if row.place is None and name > cast("str", beyond[1])][:2]
        return page_of(gone, ("removed", gone[-1].participant) if len(gone) == 2 else None)

    def change(self, payload: JsonObject) -> Versioned | None:
        """The row of a notice."""
        if "participant" not in payload:
            return None
        participant, score = str(payload["participant"]), payload["score"]
        place = None if score is None else Place(cast("int", score), 5, participant)
        return Versioned(participant, cast("int", payload["version"]), place)

    def messages(self, tx: Transaction, board_id: str, updates: Sequence[Update]) -> Sequence[Message]:  # noqa: ARG002 - the source's
        """A message for each update, with its rank."""
        self.described.append(len(updates))
        return [Message(event="update", data=update.rank) for update in updates]


def page_of(rows: Sequence[Versioned], following: Key | None) -> BoardRows:
    """Rows as a source gives them."""
    places = [row.place or Place(0, 5, row.participant) for row in rows]
    return BoardRows(
        [row.participant for row in rows],
        [row.version for row in rows],
        [None if row.place is None else row.place.sort_key for row in rows],
        [place.reached_at for place in places],
        following,
    )


def written_by(tx: Transaction) -> list[tuple[str, Versioned]]:
    """What a unit has written so far."""
    return cast("list[tuple[str, Versioned]]", tx.kept.setdefault("written", []))


class Process:
    """A process with its rankings, over the rows."""

    def __init__(self, rows: Rows, **options: Any) -> None:  # noqa: ANN401 - of `Rankings`
        self.now = 1_000_000
        self.rows = rows
        self.notices = Notices()
        self.rankings = Rankings(self.notices, clock=lambda: self.now, **options)
        self.store = MemoryStore()

    def find(self, board_id: str = BOARD) -> LiveBoard | None:
        """The ranking, if it is loaded."""
        return self.rankings.find(HERE, board_id, self.rows)

    def step(self) -> bool:
        """Run one step; `False`: there is none."""
        step = self.rankings.next_read()
        if step is not None:
            step.take(self.store.read(step.scope, step.read))
        return step is not None

    def load(self, board_id: str = BOARD) -> LiveBoard:
        """Load the ranking."""
        self.find(board_id)
        while self.step():
            pass
        board = self.find(board_id)
        assert board is not None
        return board


def check(view: RankingView, board: list[Place]) -> None:
    """A view gives what a sorted list gives."""
    assert view.size == len(board)
    assert view.first(3) == board[:3]
    for at, place in enumerate(board):
        assert (view.rank(place), view.place(place.participant)) == (at + 1, place)
        assert view.after(place, 2) == board[at + 1 : at + 3]
        assert view.standing(place.participant) == (at + 1, place)
        for limit in (1, 3, 4):
            first_rank = first_rank_around(at + 1, len(board), limit)
            assert view.around(place, limit) == (first_rank, board[first_rank - 1 :][:limit])


PARTICIPANTS = st.sampled_from(["a", "ba", "c", "d", "e", "f" * 32])
SCORES = st.one_of(st.none(), st.integers(0, 3))
