"""The law: whatever two players see of their friendship or request, they both see, each from their own side."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given

from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.reading import as_server, names_in
from tests.laws.sequences import sequences
from tests.laws.steps import Step


class FriendshipIsSymmetric(Witness):
    """After every write of the social graph both sides are compared, through the studio's reads."""

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Compare every pair of the place."""
        if answer.status < 300 and ":friends." in asked.name and asked.request.method != "GET":
            compare(play, asked.place)


def compare(play: Play, place: Place) -> None:
    """Both sides of every pair of the place agree."""
    names = names_in(play, place)
    friends = {
        name: {row["externalPlayerId"]: row["friendsSince"] for row in _friends(play, place, name)} for name in names
    }
    requests = {name: as_server(play, place, "friends.listRequests", name) for name in names}
    for one, other in combinations(names, 2):
        assert friends[one].get(other) == friends[other].get(one), (one, other)
        for asker, asked in ((one, other), (other, one)):
            sent = _between(requests[asker]["outgoing"], asked)
            received = _between(requests[asked]["incoming"], asker)
            assert sent == received, (asker, asked)


def _friends(play: Play, place: Place, name: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = as_server(play, place, "friends.list", name)["friends"]
    return rows


def _between(rows: list[dict[str, object]], other: str) -> list[tuple[object, object]]:
    return [(row["requestId"], row["createdAt"]) for row in rows if row["player"]["externalPlayerId"] == other]  # type: ignore[index] # a row


@seeds
def test_friendship_is_symmetric(seed: int) -> None:
    hold_on_seeds(seed, FriendshipIsSymmetric)


@given(steps=sequences())
@generated
def test_friendship_is_symmetric_in_any_sequence(steps: list[Step]) -> None:
    play(steps, FriendshipIsSymmetric())
