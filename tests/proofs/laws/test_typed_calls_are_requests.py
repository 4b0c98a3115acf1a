"""The law: a typed call is the request with the same arguments, less its JSON.

The same sequences, numbered alike, are played by requests and by typed calls: the same answers, refusals and events come
back, every row is what a client reads from the answer, and in the end the same rows are in all scopes and the directory.
"""

from __future__ import annotations

from hypothesis import given

from tests.laws.lawful import generated, seeds
from tests.laws.sequences import broad, broad_sequences
from tests.laws.sequences_with_merges import with_merges
from tests.laws.steps import Step
from tests.laws.typed_calls import compare


@seeds
def test_typed_calls_are_requests(seed: int) -> None:
    """On fixed seeds, over all areas."""
    compare(broad(5_000 + seed, 120), f"The broad sequence of seed {5_000 + seed}, 120 scenes")


@seeds
def test_typed_calls_are_requests_among_merges(seed: int) -> None:
    """While players are merged, erased, banned and registered anew."""
    compare(with_merges(5_100 + seed, 100), f"The sequence with merges of seed {5_100 + seed}, 100 scenes")


@given(steps=broad_sequences())
@generated
def test_typed_calls_are_requests_in_any_sequence(steps: list[Step]) -> None:
    compare(steps)
