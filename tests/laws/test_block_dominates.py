"""The law: while there is a block between two players, whoever set it, they are nothing to each other.

No friendship, no request, no search hit, no suggestion; adding and gifting are refused with `player_blocked`, both ways, and
the refusal changes nothing.
"""

from __future__ import annotations

from hypothesis import given

from tests.laws.games import Place
from tests.laws.lawful import generated, hold_on_seeds, seeds
from tests.laws.playing import Answered, Asked, Play, Witness, play
from tests.laws.reading import as_player, as_server, call_as_player, names_in, registered_in
from tests.laws.routes import Body
from tests.laws.sequences import sequences
from tests.laws.steps import Step


class BlockDominates(Witness):
    """After every write of the social graph, every blocked pair of the place is looked at from both sides."""

    def answered(self, play: Play, asked: Asked, answer: Answered) -> None:
        """Look at the blocked pairs of the place."""
        if answer.status < 300 and ":friends." in asked.name and asked.request.method != "GET":
            for one, other in blocked_pairs(play, asked.place):
                check_side(play, asked.place, one, other)


def blocked_pairs(play: Play, place: Place) -> list[tuple[str, str]]:
    """Every pair with a block between them, in both orders."""
    blocks = [
        (name, row["externalPlayerId"])
        for name in names_in(play, place)
        for row in as_server(play, place, "friends.listBlocks", name)["blocks"]
    ]
    return sorted({*blocks, *((other, one) for one, other in blocks)})


def _named(rows: list[Body]) -> set[str]:
    return {row["externalPlayerId"] if "externalPlayerId" in row else row["player"]["externalPlayerId"] for row in rows}


def check_side(play: Play, place: Place, one: str, other: str) -> None:
    """`one` sees nothing of `other` and cannot reach them."""
    requests = as_server(play, place, "friends.listRequests", one)
    assert other not in _named(as_server(play, place, "friends.list", one)["friends"])
    assert other not in _named(requests["incoming"] + requests["outgoing"])
    if one not in registered_in(play, place):
        return
    assert other not in _named(as_player(play, place, "friends.suggestions", one, limit=25)["suggestions"])
    for query in ("le", "da", "an", "ca"):
        assert other not in _named(as_player(play, place, "friends.search", one, q=query)["players"])
    before = play.arena.store.dump()
    for name, arguments in (
        ("friends.sendRequest", {}),
        ("gifts.send", {"type": "currency", "resourceKey": "xp", "amount": 1}),
    ):
        answer = call_as_player(play, place, name, one, {**arguments, "externalPlayerId": other})
        assert answer.code in {"player_blocked", "gifting_disabled"}, (one, other, answer.body)
        assert not answer.events
    assert play.arena.store.dump() == before


@seeds
def test_block_dominates(seed: int) -> None:
    hold_on_seeds(seed, BlockDominates)


@given(steps=sequences())
@generated
def test_block_dominates_in_any_sequence(steps: list[Step]) -> None:
    play(steps, BlockDominates())
