"""The rankings of a process: loaded in steps while rows change, equal to a sort, dropped when they may be wrong or idle.

The rows are a model of a store: each commit counts the participant's version and has a notice, which a test may hold back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.kernel.errors import JsonObject
from livecore.kernel.live_board import LiveBoard, Page, Update
from livecore.kernel.memory import MemoryStore
from livecore.kernel.notices import Notice, Notices, notice_of
from livecore.kernel.ranking import Place
from livecore.kernel.ranking_view import RankingView, Versioned
from livecore.kernel.rankings import IDLE, VERIFIED_AFTER, Rankings, revision_at
from livecore.kernel.scope import Scope
from livecore.kernel.store import Transaction
from livecore.kernel.streams import Message
from livecore.kernel.tables import Key

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

    def page(self, tx: Transaction, board_id: str, beyond: Key | None, limit: int) -> Page:  # noqa: ARG002 - the source's
        """Two rows: first those with a place, then the removed ones by name."""
        rows = self.rows.get(board_id, {})
        if beyond is None or beyond[0] == "placed":
            after = None if beyond is None else beyond[1]
            found = [place for place in self.board(board_id) if after is None or place > cast("Any", after)][:2]
            following: Any = ("placed", found[-1]) if len(found) == 2 else ("removed", "")
            return Page([rows[place.participant] for place in found], following)
        gone = [row for name, row in sorted(rows.items()) if row.place is None and name > cast("str", beyond[1])][:2]
        return Page(gone, ("removed", gone[-1].participant) if len(gone) == 2 else None)

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
        step = self.rankings.next_step()
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
        places, above = view.window(place, 2, 2)
        assert (places, above) == (board[max(0, at - 2) : at + 3], min(at, 2))


PARTICIPANTS = st.sampled_from(["a", "ba", "c", "d", "e", "f" * 32])
SCORES = st.one_of(st.none(), st.integers(0, 3))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), PARTICIPANTS, SCORES),
        st.tuples(st.just("late"), PARTICIPANTS, SCORES),
        st.tuples(st.sampled_from(["step", "deliver", "lose"]), st.just(""), st.none()),
    ),
    max_size=40,
)


@settings(max_examples=300)
@given(STEPS, st.lists(st.tuples(PARTICIPANTS, SCORES), max_size=4))
def test_a_loaded_ranking_is_the_sorted_board(steps: list[tuple[str, str, int | None]], own: list[Any]) -> None:
    """Whatever is committed while it loads, its notices come late or are lost, and a unit's own rows lie over it."""
    process = Process(Rows(), patient=False)
    late: list[Notice] = []
    process.find()
    for kind, participant, score in steps:
        if kind == "commit":
            process.notices.publish([process.rows.commit(participant, score)])
        elif kind == "late":
            late.append(process.rows.commit(participant, score))
        elif kind == "deliver":
            process.notices.deliver(late)
        elif kind == "lose":
            late.clear()
            process.notices.miss()
            assert process.find() is None
        else:
            process.step()
    process.notices.deliver(late)
    view = process.load().view()
    check(view, process.rows.board())
    mine = Rows()
    mine.rows = {BOARD: dict(process.rows.rows.get(BOARD, {}))}
    for participant, score in own:
        mine.commit(participant, score)
        view.put(mine.rows[BOARD][participant])
        check(view, mine.board())
    # Others commit meanwhile: the view stays as it is.
    for participant, score in own:
        process.notices.publish([process.rows.commit(participant, None if score is None else 3 - score)])
        process.notices.publish([process.rows.commit("z", score)])
    check(view, mine.board())
    board = process.find()
    assert board is not None
    check(board.view(), process.rows.board())


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


def test_it_is_subscribed_before_the_first_page_is_read() -> None:
    """A change between the wish and the first page, and one behind the pages that were read, are not lost."""
    process = Process(Rows())
    for name in "abcdef":
        process.rows.commit(name, ord(name))
    assert process.find() is None
    process.notices.publish([process.rows.commit("f", 1)])
    process.step()
    process.step()
    process.notices.publish([process.rows.commit("e", 2)])
    check(process.load().view(), process.rows.board())


def test_boards_are_loaded_page_by_page_in_turn() -> None:
    """A small one need not wait for a large one."""
    process = Process(Rows())
    for number in range(30):
        process.rows.commit(f"p{number}", number, "large")
    process.rows.commit("a", 1, "small")
    process.find("large")
    process.find("small")
    for _ in range(4):
        process.step()
    assert process.find("small") is not None
    assert process.find("large") is None


def test_who_was_removed_before_loading_does_not_come_back_by_a_late_notice() -> None:
    """The versions of removed rows are loaded as well."""
    process = Process(Rows())
    late = process.rows.commit("a", 1)
    process.rows.commit("a", None)
    board = process.load()
    process.notices.deliver([late])
    assert board.view().size == 0


def test_a_lost_notice_is_made_good_by_reading_again() -> None:
    """Its readers are sent the change then, and a row that was only written again is no change."""
    process = Process(Rows())
    process.rows.commit("a", 1)
    process.rows.commit("b", 2)
    board = process.load()
    received: list[Notice] = []
    process.notices.subscribe(HERE, board.stream_topic, received.append)
    process.rows.commit("a", 1)
    process.rows.commit("b", 0)  # and both notices are lost
    revision = board.revision
    process.now += VERIFIED_AFTER
    process.rankings.sweep()
    while process.step():
        pass
    check(board.view(), process.rows.board())
    assert (len(received), len(board.since(revision) or ())) == (1, 1)


def test_what_may_concern_all_boards_drops_those_of_the_scope() -> None:
    """A notice about all boards, too."""
    process = Process(Rows())
    process.load()
    process.rows.commit("a", 1)
    process.notices.publish([notice_of(HERE, ALL, {})])
    assert process.find() is None
    check(process.load().view(), process.rows.board())


def test_a_ranking_that_is_missed_again_and_again_is_loaded_less_and_less_often() -> None:
    """At once, then after a second, then after two; until one has lasted."""
    process = Process(Rows())
    waits = []
    for _ in range(4):
        process.load()
        process.notices.miss()
        began = process.now
        while process.find() is None and not process.step():
            process.now += 100
        waits.append(process.now - began)
    assert waits == [0, 1_000, 2_000, 4_000]
    process.load()
    process.now += 10 * 60_000
    process.notices.miss()
    process.find()
    assert process.step()


def test_an_idle_ranking_is_dropped_and_one_with_readers_is_not() -> None:
    """Its memory is free then; it is loaded again when it is wanted."""
    process = Process(Rows())
    board = process.load()
    cancel = process.notices.subscribe(HERE, board.stream_topic, lambda _: None)
    process.now += 2 * IDLE
    process.rankings.sweep()
    assert process.rankings.loaded == 1
    cancel()
    process.now += 2 * IDLE
    process.rankings.sweep()
    assert (process.rankings.loaded, process.rankings.total_bytes) == (0, 0)
    assert list(process.notices._at_once) == [(HERE, ALL)]
    process.load()


def test_the_least_recently_used_goes_first_when_there_is_no_room() -> None:
    """And what is too large alone is not loaded at all."""
    process = Process(Rows(), most_bytes=20_000)
    for name in ("one", "two"):
        process.load(name)
    process.find("one")
    process.load("three")
    assert [process.find(name) is not None for name in ("one", "two", "three")] == [True, False, True]
    for number in range(500):
        process.rows.commit(f"p{number}", number, "large")
    process.find("large")
    while process.step():
        pass
    assert process.find("large") is None
    assert process.rankings.total_bytes <= 20_000
    assert not process.step()


def test_who_has_readers_stays_where_others_can_make_room() -> None:
    """What made room can be followed at once, but not again and again where those with readers leave no room for it."""
    process = Process(Rows(), most_bytes=20_000)
    followed = process.load("followed")
    missed: list[int] = []
    cancel = process.notices.subscribe(HERE, followed.stream_topic, lambda _: None, missed=lambda: missed.append(1))
    for name in ("one", "two", "three"):
        process.load(name)
    assert (process.find("followed"), missed) == (followed, [])
    cancel()
    for name in ("four", "five"):
        process.load(name)
    assert process.find("followed") is None
    assert not process.step()
    for name in ("followed", "six", "seven"):
        process.rankings.follow(HERE, name, process.rows)
        while process.step():
            pass
        board = process.find(name)
        if board is not None:
            process.notices.subscribe(HERE, board.stream_topic, lambda _: None)
    assert [process.find(name) is not None for name in ("followed", "six", "seven")] == [True, True, False]
    assert process.rankings.follow(HERE, "seven", process.rows) is None
    assert not process.step()


def test_messages_for_readers_count_as_memory_until_there_are_no_readers() -> None:
    """Each is some hundred bytes, and there may be thousands."""
    process = Process(Rows())
    board = process.load()
    cancel = process.notices.subscribe(HERE, board.stream_topic, lambda _: None)
    process.notices.publish([process.rows.commit("a", 1)])
    while process.step():
        pass
    before = process.rankings.total_bytes
    for score in range(2, 102):
        process.notices.publish([process.rows.commit("a", score)])
    assert process.rankings.total_bytes >= before + 100 * 500
    while process.step():
        pass
    assert process.rankings.total_bytes >= before + 100 * 500
    cancel()
    process.rankings.sweep()
    assert process.rankings.total_bytes < before + 100 * 500


def test_a_ranking_that_is_missed_while_it_is_loaded_is_put_off_too() -> None:
    """Or it would be loaded for ever, and never be current."""
    process = Process(Rows())
    for number in range(10):
        process.rows.commit(f"p{number}", number)
    begun = 0
    for _ in range(12):
        process.find()
        begun += process.step()
        process.notices.miss()
        process.now += 1_000
    assert begun < 6


def test_revisions_differ_between_processes_and_loads() -> None:
    """A revision is known only to the ranking that gave it; they grow from one ranking to the next."""
    rows = Rows()
    one, other = Process(rows, tags=lambda: 1), Process(rows, tags=lambda: 2, patient=False)
    board, elsewhere = one.load(), other.load()
    before = elsewhere.revision
    assert board.since(elsewhere.revision) is None
    assert elsewhere.since(before) == []
    notice = rows.commit("a", 1)
    for process in (one, other):
        process.notices.deliver([notice])
    assert [change.participant for change in elsewhere.since(before) or ()] == ["a"]
    assert board.since(before) is None
    other.notices.miss()
    again = other.load()
    assert again.since(before) is None
    assert again.revision > elsewhere.revision >= revision_at(other.now)
    assert again.revision < 2**53


def test_messages_are_made_once_and_in_order_for_all_readers() -> None:
    """Each with the rank of its own revision, although several changes came together; without readers none is made."""
    process = Process(Rows())
    board = process.load()
    process.notices.publish([process.rows.commit("a", 5)])
    assert not process.step()
    received: tuple[list[Notice], list[Notice]] = ([], [])
    for reader in received:
        process.notices.subscribe(HERE, board.stream_topic, reader.append)
    process.notices.publish([process.rows.commit("b", 6), process.rows.commit("c", 4), process.rows.commit("b", 3)])
    assert received == ([], [])
    assert process.step()
    assert received[0] == received[1]
    assert [board.message(number) for number in (1, 2, 3)] == [Message(event="update", data=rank) for rank in (2, 1, 1)]
    assert process.rows.described == [3]


def test_a_step_that_fails_drops_the_ranking_and_informs_its_readers() -> None:
    """Nobody is left with a ranking that is not kept up."""
    process = Process(Rows())
    board = process.load()
    missed: list[bool] = []
    process.notices.subscribe(HERE, board.stream_topic, lambda _: None, missed=lambda: missed.append(True))
    process.notices.publish([process.rows.commit("a", 5)])
    step = process.rankings.next_step()
    assert step is not None
    step.fail()
    assert (missed, process.find()) == ([True], None)


def test_a_notice_that_does_not_fit_drops_the_ranking() -> None:
    """Its subscriber fails, and nobody reads what it has missed."""
    process = Process(Rows())
    process.load()
    failed: list[Exception] = []
    process.notices.failed = failed.append
    process.notices.publish([process.rows.commit("a" * 40, 5)])
    assert [type(error) for error in failed] == [ValueError]
    assert process.find() is None


@pytest.mark.parametrize("stored", [True, False])
def test_where_the_store_counts_fast_a_ranking_is_only_for_streams(stored: bool) -> None:
    """A World has none before a stream is opened."""
    process = Process(Rows(), ranks_are_stored=stored)
    process.find()
    assert process.step() is not stored
    process.rankings.follow(HERE, BOARD, process.rows)
    while process.step():
        pass
    assert process.find() is not None


def test_without_notices_there_are_none() -> None:
    """As in a command beside the server."""
    rankings = Rankings()
    assert rankings.find(HERE, BOARD, Rows()) is None
    assert rankings.next_step() is None
