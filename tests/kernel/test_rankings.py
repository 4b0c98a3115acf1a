"""The rankings of a process: loaded in steps while rows change, equal to a sort, dropped when they may be wrong or idle.

The rows are a model of a store: each commit counts the participant's version and has a notice, which a test may hold back.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from livecore.kernel.storage.notices import Notice, notice_of
from livecore.kernel.units.streams import Message
from livecore.leaderboards.ranking.rankings import IDLE, VERIFIED_AFTER, Rankings, revision_at
from tests.kernel.boards_in_memory import (
    ALL,
    BOARD,
    HERE,
    PARTICIPANTS,
    SCORES,
    Process,
    Rows,
    check,
    page_of,
)

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


def test_what_somebody_waits_for_is_loaded_first() -> None:
    """Before a small one that was wanted earlier; who gives up no longer hurries it."""
    process = Process(Rows())
    for number in range(6):
        process.rows.commit(f"p{number}", number, "large")
    process.rows.commit("a", 1, "small")
    process.find("small")
    process.find("large")
    board = process.rankings.loading(HERE, "large")
    assert board is not None
    settled: list[str] = []
    board.when_settled(lambda: settled.append("one"))
    board.when_settled(lambda: settled.append("two"))()  # who waited is gone
    assert process.rankings.is_awaited
    while process.find("large") is None:
        assert settled == []
        assert process.step()
    assert (settled, process.find("small"), process.rankings.is_awaited) == (["one"], None, False)
    other = process.rankings.loading(HERE, "small")
    assert other is not None
    other.when_settled(lambda: settled.append("other"))()
    assert not process.rankings.is_awaited


def test_the_page_after_one_can_be_read_ahead() -> None:
    """Where somebody waits; what was read for a ranking that is dropped is not that of the next one."""
    process = Process(Rows(), patient=False)
    for number in range(5):
        process.rows.commit(f"p{number}", number)
    process.find()
    board, step = process.rankings.loading(HERE, BOARD), process.rankings.next_read()
    assert board is not None
    assert step is not None
    page = process.store.read(HERE, step.read)
    assert step.ahead(page) is None
    board.when_settled(lambda: None)
    ahead = step.ahead(page)
    assert ahead is not None
    step.take(page)
    following = process.rankings.next_read()
    assert following is not None
    assert following.place == ahead.place != step.place
    assert process.store.read(HERE, ahead.read) == process.store.read(HERE, following.read)
    process.notices.miss()
    process.find()
    again = process.rankings.next_read()
    assert again is not None
    assert again.place not in (step.place, ahead.place)
    last = page_of([], None)
    assert again.ahead(last) is None


def test_who_waits_is_told_when_the_loading_fails() -> None:
    """And when the ranking is dropped for another reason."""
    process = Process(Rows(), patient=False)
    for fail in (True, False):
        process.rows.commit("a", 1)
        process.now += 100_000
        process.find()
        board, step = process.rankings.loading(HERE, BOARD), process.rankings.next_read()
        assert board is not None
        assert step is not None
        settled: list[int] = []
        board.when_settled(partial(settled.append, 1))
        if fail:
            step.fail()
        else:
            process.notices.miss()
        assert (settled, process.rankings.loading(HERE, BOARD)) == ([1], None)


def test_a_page_is_taken_in_pieces_and_changes_come_in_between() -> None:
    """The ranking is loaded with the last piece; an older version in a piece does not undo a newer one."""
    process = Process(Rows())
    for number in range(7):
        process.rows.commit(f"p{number}", number)
    rows = list(process.rows.rows[BOARD].values())
    page = page_of(rows, None)
    assert [len(piece.versions) for piece in page.pieces(3)] == [3, 3, 1]
    assert [len(piece.versions) for piece in page.pieces(7)] == [7]
    assert list(page_of([], ("removed",)).pieces(3)) == [page_of([], ("removed",))]
    assert [row for piece in page.pieces(3) for row in piece.rows()] == rows
    process.find()
    step = process.rankings.next_read()
    assert step is not None
    for piece in page.pieces(3):
        assert process.rankings.loaded_board(HERE, BOARD) is None
        step.take(piece)
        process.notices.publish([process.rows.commit("p6", 3), process.rows.commit("p0", None)])
    board = process.find()
    assert board is not None
    check(board.view(), process.rows.board())


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
        process.rankings.find(HERE, name, process.rows, for_stream=True)
        while process.step():
            pass
        board = process.find(name)
        if board is not None:
            process.notices.subscribe(HERE, board.stream_topic, lambda _: None)
    assert [process.find(name) is not None for name in ("followed", "six", "seven")] == [True, True, False]
    assert process.rankings.find(HERE, "seven", process.rows, for_stream=True) is None
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
    step = process.rankings.next_read()
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
    process.rankings.find(HERE, BOARD, process.rows, for_stream=True)
    while process.step():
        pass
    assert process.find() is not None


def test_without_notices_there_are_none() -> None:
    """As in a command beside the server."""
    rankings = Rankings()
    assert rankings.find(HERE, BOARD, Rows()) is None
    assert rankings.next_read() is None
