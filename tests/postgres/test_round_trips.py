"""Reads on PostgreSQL: the round trips are those that are counted over the store in memory.

So what is asserted of rounds is asserted there, over all operations: `tests/laws/test_rounds.py`. Here samples of it are
made by an executor on a real server: of reads of all kinds, and of a sequence in which players are merged and erased.
"""

from __future__ import annotations

import pytest

from livecore.api.requests.http import Response
from tests.laws.arena import Arena
from tests.laws.crowd import STRICT, crowd_over
from tests.laws.far_store import FarStore
from tests.laws.playing import play
from tests.laws.sequences_with_merges import with_merges
from tests.postgres.executed import executed
from tests.postgres.server import ready_database


def test_a_sequence_takes_the_round_trips_that_are_counted_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its units, whether a request or time has caused it, and the answers are the same."""
    steps, far = with_merges(4_000, 6), FarStore(warm=False)
    expected = play(steps, arena=Arena(far))
    with ready_database() as url, executed(url, monkeypatch) as store:
        found = play(steps, arena=Arena(store))
        assert store.round_trips == [unit.round_trips for unit in far.units]
        assert max(store.round_trips) > 2
    answers: list[list[Response]] = [[answer.response for _, answer in run.journal] for run in (expected, found)]
    assert answers[0] == answers[1]


def test_each_read_takes_the_round_trips_that_are_counted_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a player who has something to do with many, where strangers see less."""
    far = FarStore(warm=False)
    crowd = crowd_over(far, STRICT)
    crowd.grow(2)
    counted = crowd.rounds(far.taken_rounds)
    with ready_database() as url, executed(url, monkeypatch) as store:
        crowd = crowd_over(store, STRICT)
        crowd.grow(2)
        assert crowd.rounds(store.taken_rounds) == counted
