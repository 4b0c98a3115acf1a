"""Generator 1: golden vectors, computed once and fixed for good, and what each way of drawing promises."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from livecore import World
from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.players.pool import compose
from livecore.players.registration import new_secret
from livecore.social.codes import ALPHABET
from tests.worlds import ask

SEED: Final = bytes(range(32))
STREAM: Final = (
    "63893208b6be41b94bdc88a45a8f6912877ebefc260049b31af1cf9437bec35fda88b626709681ce756659cad30fa8c1f5d56affc9832d2f"
    "12f89f92a2dcf7adfdd474bc2a52"
)


def test_the_stream() -> None:
    """The first bytes of a known seed."""
    assert Entropy(SEED).bytes(70).hex() == STREAM


def test_the_stream_is_the_documented_construction() -> None:
    """BLAKE2b-512 keyed with the seed over `livecore/1` and the block's number."""
    blocks = [hashlib.blake2b(b"livecore/1" + number.to_bytes(8, "big"), key=SEED).digest() for number in range(3)]
    assert Entropy(SEED).bytes(150) == b"".join(blocks)[:150]


def test_the_draws() -> None:
    """Integers, fractions, choices, texts and samples of a known seed."""
    entropy = Entropy(SEED)
    assert [entropy.below(bound) for bound in (1, 2, 6, 31, 100, 256, 1000, 2**53)] == [
        0, 1, 2, 8, 82, 65, 435, 8_031_538_823_260_434,
    ]  # fmt: skip
    entropy = Entropy(SEED)
    assert [entropy.unit_interval() for _ in range(3)] == [
        0.3888121863626504, 0.7238138040159845, 0.41043898434053055,
    ]  # fmt: skip
    entropy = Entropy(SEED)
    assert "".join(entropy.choice("abcdef") for _ in range(8)) == "dfccceff"
    assert entropy.text(ALPHABET, 6) == "QDPK7W"
    assert Entropy(SEED).weighted_sample("abcdef", [1, 2, 3, 4, 5, 6], 4) == ["b", "c", "e", "f"]
    assert derive_seed(SEED, "world", 1).hex() == "f043d43eaec509f335d2581e4081fc344b246e2ed3730557a677afc8f388ef14"


def test_what_is_made_of_draws() -> None:
    """A pool identity and a player secret of a known seed."""
    assert compose(GameConfig(), Entropy(SEED)) == ("Vivid Dragonfly", "avatar_19")
    assert new_secret(Entropy(SEED)) == "lcs_moetecfwxza3ss64rcsfvd3jckdx5px4eyaetmy2"


def test_a_seeded_world() -> None:
    """The first ids, code and name of the world of seed 1."""
    world = World(seed=1)
    alice = world.player("alice")
    assert world.game.game_id == "gam_01KDVDNA00Y264KM6Q0TKW09FW"
    assert alice.player_id == "plr_01KDVDNA00SF662H3E8CA3265X"
    assert ask(alice, "friends.getCode")["friendCode"] == "WAS4NC"
    assert ask(alice, "players.getProfile")["syntheticIdentity.name"] == "Frosty Yak"
    assert World(seed=-1).game.game_id != world.game.game_id


@given(st.lists(st.integers(0, 200), max_size=20))
def test_pieces_joined_are_the_stream(sizes: list[int]) -> None:
    """However the bytes are asked for, they are the same."""
    entropy = Entropy(SEED)
    joined = b"".join(entropy.bytes(size) for size in sizes)
    assert joined == Entropy(SEED).bytes(len(joined))


@given(st.integers(1, 2**70), st.binary(min_size=1, max_size=64))
def test_below_stays_below(bound: int, seed: bytes) -> None:
    """From 0 to `bound - 1`, for bounds of any size."""
    assert 0 <= Entropy(seed).below(bound) < bound


def test_below_is_uniform() -> None:
    """With a bound that does not divide 256, no remainder is drawn more often than it should be."""
    entropy = Entropy(SEED)
    counts = Counter(entropy.below(200) for _ in range(40_000))
    assert len(counts) == 200
    assert max(counts.values()) < 300
    assert min(counts.values()) > 120


def test_fractions_are_strictly_between_0_and_1() -> None:
    """So that a logarithm of one always exists."""
    entropy = Entropy(SEED)
    assert all(0 < entropy.unit_interval() < 1 for _ in range(2_000))


@given(st.lists(st.floats(0.001, 1000), max_size=20), st.integers(0, 30), st.binary(min_size=1, max_size=32))
def test_a_sample_has_nobody_twice(weights: list[float], count: int, seed: bytes) -> None:
    """As many as asked for, or all, each at most once."""
    items = list(range(len(weights)))
    drawn = Entropy(seed).weighted_sample(items, weights, count)
    assert len(drawn) == min(count, len(items))
    assert len(set(drawn)) == len(drawn)


def test_weights_are_chances() -> None:
    """Of two items with weights 3 and 1, the first is drawn first three times as often."""
    entropy = Entropy(SEED)
    firsts = Counter(entropy.weighted_sample("ab", [3, 1], 1)[0] for _ in range(8_000))
    assert 2.7 < firsts["a"] / firsts["b"] < 3.3


def test_a_stream_can_be_started_again() -> None:
    """The seed is all there is to it: a retried transaction draws the same."""
    entropy = Entropy(SEED)
    first = entropy.bytes(33)
    assert Entropy(entropy.seed).bytes(33) == first
