"""The law: two players have one row and one relation, and a friendship begins and ends by turns.

In the rows: one row for the unordered pair, a request id exactly while there is a request or the friendship that it led to,
nothing at all beside a block. In the events: between two `friend.request_accepted` of a pair lies a `friend.removed`, and
between two removals an acceptance.
"""

from __future__ import annotations

from hypothesis import given

from livecore.social.relations import Relation
from livecore.social.webhook_events import FriendRemoved, FriendRequestAccepted
from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.rows import PlaceRows
from tests.laws.sequences import sequences
from tests.laws.steps import Step


class OneRelationPerPair(Witness):
    """Looks at the rows after every write of the social graph, and at every event."""

    def __init__(self) -> None:
        self._friends: set[tuple[Place, frozenset[str]]] = set()

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Follow the events; look at the rows."""
        for event in answer.events:
            if isinstance(event, FriendRequestAccepted):
                pair = (asked.place, frozenset((event.player_id, event.friend_player_id)))
                assert pair not in self._friends
                self._friends.add(pair)
            elif isinstance(event, FriendRemoved):
                pair = (asked.place, frozenset((event.player_id, event.friend_player_id)))
                assert pair in self._friends
                self._friends.remove(pair)
        if answer.status < 300 and ":friends." in asked.name and asked.request.method != "GET":
            relations = PlaceRows.of(play.arena, asked.place).relations
            check_rows(relations)
            friends = {frozenset((row.low_id, row.high_id)) for row in relations if row.friendship == "friends"}
            assert friends == {pair for place, pair in self._friends if place == asked.place}


def check_rows(relations: list[Relation]) -> None:
    """One row for each unordered pair, and nothing contradictory in it."""
    pairs = [frozenset((row.low_id, row.high_id)) for row in relations]
    assert len(pairs) == len(set(pairs))
    assert all(len(pair) == 2 for pair in pairs)
    for row in relations:
        assert row.low_id < row.high_id
        assert (row.request_id is not None) == (row.friendship != "none")
        assert (row.accepted_by is not None) == (row.friendship == "friends")
        if row.blocked_by_low_at is not None or row.blocked_by_high_at is not None:
            assert row.friendship == "none"


@seeds
def test_one_relation_per_pair(seed: int) -> None:
    hold_on_seeds(seed, OneRelationPerPair)


@given(steps=sequences())
@generated
def test_one_relation_per_pair_in_any_sequence(steps: list[Step]) -> None:
    play(steps, OneRelationPerPair())
