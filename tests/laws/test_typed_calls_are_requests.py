"""The law: a typed call is the request with the same arguments, less its JSON; here on one seed and on hostile arguments.

`tests/proofs/laws` looks further.
"""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws.hostile_calls import Ask, Twins, asks
from tests.laws.sequences import broad
from tests.laws.typed_calls import compare


def test_typed_calls_are_requests() -> None:
    """On a fixed seed; nearly every request has a shape that says the same."""
    typed = compare(broad(5_000, 80), "The broad sequence of seed 5000, 80 scenes")
    assert sum(typed.typed.values()) > 20 * sum(typed.plain.values())
    assert len(typed.typed) > 80


@given(st.lists(asks(), min_size=15, max_size=30))
@settings(
    max_examples=25, derandomize=True, database=None, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
def test_hostile_arguments_are_refused_alike(calls: list[Ask]) -> None:
    """Status, code, message and details are those of the request, and nothing else changes either."""
    twins = Twins()
    for ask in calls:
        requested, typed = twins.ask(ask)
        assert typed == requested, ask
    twins.compare()
