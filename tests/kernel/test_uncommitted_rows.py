"""What a unit sees of a board that is being written: the rows of its batch and its own, after any failure."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.kernel.storage.store import Transaction
from livecore.leaderboards.ranking.view import Versioned
from tests.kernel.boards_in_memory import (
    BOARD,
    HERE,
    PARTICIPANTS,
    SCORES,
    Process,
    Rows,
    check,
    written_by,
)


def copy_of(rows: Rows) -> Rows:
    """The same rows, to be changed apart."""
    copy = Rows()
    copy.rows = {board_id: dict(held) for board_id, held in rows.rows.items()}
    return copy


class Batches:
    """Units that share transactions: the batch that is being committed, if there is one, and the one after it."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.now = copy_of(process.rows)
        """The rows as the next unit sees them."""
        self._published = False
        self._own: list[tuple[str, Versioned]] = []
        process.rows.batches = [self._own]

    def write(self, participant: str, score: int | None, board_id: str) -> None:
        """Another unit of the latest batch has finished."""
        self.now.commit(participant, score, board_id)
        self._own.append((board_id, self.now.rows[board_id][participant]))

    def commit(self) -> None:
        """The latest batch is being committed, and the next one runs ahead."""
        self.begin()
        self._own = []
        self.process.rows.batches.append(self._own)

    def publish(self) -> None:
        """The batch that is being committed is durable: its notices come, while units still run ahead."""
        if len(self.process.rows.batches) == 2 and not self._published:
            self._published = True
            for board_id, row in self.process.rows.batches[0]:
                score = None if row.place is None else row.place.sort_key
                self.process.notices.publish([self.process.rows.commit(row.participant, score, board_id)])

    def begin(self) -> None:
        """The batch that ran ahead begins."""
        self.publish()
        del self.process.rows.batches[:-1]
        self._published = False

    def give_up(self) -> None:
        """The disk refused: nothing of what is under way was written."""
        if self._published:
            return
        self.now = copy_of(self.process.rows)
        self._own = []
        self.process.rows.batches = [self._own]

    def elsewhere(self, score: int | None) -> None:
        """Another process commits a row of its own."""
        self.process.notices.publish([self.process.rows.commit("z", score)])
        self.now.commit("z", score)


BATCH_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PARTICIPANTS, SCORES, st.sampled_from([BOARD, "other"])),
        st.tuples(st.sampled_from(["commit", "publish", "begin", "give_up"])),
        st.tuples(st.just("elsewhere"), SCORES),
    ),
    max_size=30,
)


@settings(max_examples=200)
@given(BATCH_STEPS)
def test_a_view_of_a_unit_has_what_earlier_units_of_the_batch_have_written(steps: list[tuple[Any, ...]]) -> None:
    """Whether they are being committed or not begun; and a unit that waits keeps its state."""
    process = Process(Rows(), patient=False)

    def unit() -> Transaction:
        return Transaction(HERE, process.store.reader(HERE))

    boards = {board_id: process.load(board_id) for board_id in (BOARD, "other")}
    batches = Batches(process)
    for kind, *given_ in steps:
        waits, then = unit(), copy_of(batches.now)
        for participant, score in (("a", 1), ("ba", None), ("a", 0)):
            check(boards[BOARD].view_of(waits), then.board())
            then.commit(participant, score)
            written_by(waits).append((BOARD, then.rows[BOARD][participant]))
        getattr(batches, kind)(*given_)
        for board_id, board in boards.items():
            check(board.view_of(unit()), batches.now.board(board_id))
            process.rows.batches, under_way = [], process.rows.batches
            check(board.view_of(unit()), process.rows.board(board_id))
            process.rows.batches = under_way
        check(boards[BOARD].view_of(waits), then.board())
