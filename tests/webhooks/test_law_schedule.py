"""The law of the schedule: waits grow, are bounded, and come out of chance that replays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from livecore.kernel.entropy import Entropy
from livecore.webhooks.delivery import RETRY_SCHEDULE, retry_wait

attempts = st.integers(1, len(RETRY_SCHEDULE))
asked = st.none() | st.integers(0, 10**9)
seeds = st.binary(min_size=1, max_size=32)


@given(attempts, asked, seeds)
def test_waits_are_bounded(attempt: int, asked_seconds: int | None, seed: bytes) -> None:
    """No wait is shorter than its step, nor longer than the next step and a tenth of it."""
    wait = retry_wait(attempt, asked_seconds, Entropy(seed))
    following = RETRY_SCHEDULE[min(attempt, len(RETRY_SCHEDULE) - 1)]
    assert RETRY_SCHEDULE[attempt - 1] <= wait <= following + following // 10


@given(seeds)
def test_waits_grow(seed: bytes) -> None:
    """Each retry waits longer than the one before it, whatever chance adds."""
    entropy = Entropy(seed)
    waits = [retry_wait(attempt, None, entropy) for attempt in range(1, len(RETRY_SCHEDULE) + 1)]
    assert waits == sorted(set(waits))


@given(attempts, st.integers(0, 10**6), st.integers(0, 10**6), seeds)
def test_asking_for_more_never_gives_less(attempt: int, one: int, other: int, seed: bytes) -> None:
    """The wait grows with what the receiver asks for, all else being equal."""
    less, more = sorted((one, other))
    assert retry_wait(attempt, less, Entropy(seed)) <= retry_wait(attempt, more, Entropy(seed))


@given(attempts, asked, seeds)
def test_same_chance_same_wait(attempt: int, asked_seconds: int | None, seed: bytes) -> None:
    """A retried transaction computes the same due time."""
    assert retry_wait(attempt, asked_seconds, Entropy(seed)) == retry_wait(attempt, asked_seconds, Entropy(seed))


def test_jitter_spreads_over_the_whole_tenth() -> None:
    """Deliveries that failed together come back spread out, from the step itself to a tenth later."""
    waits = [retry_wait(1, None, Entropy(str(seed).encode())) for seed in range(400)]
    extra = [wait - RETRY_SCHEDULE[0] for wait in waits]
    assert min(extra) < 100
    assert max(extra) > 2_900
    assert max(extra) <= 3_000
