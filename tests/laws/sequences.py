"""The generator of sequences: what a few players, two studios' backends and the clock do to each other, from one seed.

A sequence is a list of scenes. Scenes do not know of each other, and a step that refers to something finds the latest of its
kind when it is played; so any sublist of a sequence is a sequence, and a failing one can be made smaller by leaving scenes
out, by Hypothesis (`sequences()`) or by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from hypothesis import strategies as st

from livecore.kernel.entropy import Entropy
from tests.laws.drawing import PLAYERS, Draw
from tests.laws.games import Place
from tests.laws.scenes import BROAD, DECK, Deck
from tests.laws.steps import Call, Scene, Step

_PLACES: Final = (
    *(Place(0, "test"),) * 5,
    *(Place(0, "live"),) * 2,
    *(Place(1, "test"),) * 2,
    Place(1, "live"),
)


_FROM_SOMEWHERE: Final = 2
"""How many players state their country when they register."""


def scene(seed: int, deck: Deck = DECK) -> Scene:
    """The scene of this seed."""
    chance = Entropy(seed.to_bytes(8, "big"))
    place = chance.choice(_PLACES)
    return list(chance.choice(deck)(Draw(chance, place)))


def _dealt(seed: int, length: int, deck: Deck) -> Deck:
    """So many kinds of scenes from the deck, which is shuffled, dealt to its end, and shuffled again.

    Each kind comes as often as its weight says, a rare one too; so another scene in the deck makes none scarce by chance.
    """
    chance = Entropy(f"the order of {seed}".encode())
    kinds: list[Callable[[Draw], Iterator[Step]]] = []
    while len(kinds) < length:
        kinds += chance.weighted_sample(deck, [1.0] * len(deck), len(deck))
    return tuple(kinds[:length])


def opening() -> Scene:
    """How every sequence begins: all but the last of the players register in each place and learn their codes.

    The first of them state their country.
    """
    begun: Scene = []
    for place in sorted(set(_PLACES)):
        for number, player in enumerate(PLAYERS[:-1]):
            stated = {"playerContext": {"country": "SE"}} if number < _FROM_SOMEWHERE else {}
            begun += [Call(place, "sdk:players.register", player, stated), Call(place, "sdk:friends.getCode", player)]
    return begun


def steps_of(scenes: list[Scene]) -> list[Step]:
    """The opening and the scenes as one list."""
    return [step for part in [opening(), *scenes] for step in part]


def seeded(seed: int, length: int, deck: Deck = DECK) -> list[Step]:
    """The sequence of this seed, of `length` scenes."""
    kinds = _dealt(seed, length, deck)
    return steps_of([scene(seed * 1_000_003 + place, (kind,)) for place, kind in enumerate(kinds)])


def broad(seed: int, length: int) -> list[Step]:
    """The sequence of this seed over all areas: players come and go, are banned, buy, and move in."""
    return seeded(seed, length, BROAD)


def sequences(most: int = 40, deck: Deck = DECK) -> st.SearchStrategy[list[Step]]:
    """Sequences for Hypothesis, which makes failing ones smaller by leaving scenes out."""
    return st.lists(st.builds(scene, st.integers(0, 2**40), st.just(deck)), max_size=most).map(steps_of)


def broad_sequences(most: int = 40) -> st.SearchStrategy[list[Step]]:
    """The same over all areas."""
    return sequences(most, BROAD)
