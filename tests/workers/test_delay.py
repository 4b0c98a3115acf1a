"""How soon a dead worker is replaced."""

from __future__ import annotations

from livecore_server.workers.restart_delay import Delay


def test_the_first_time_at_once_then_later_and_later_up_to_a_bound() -> None:
    """A worker that cannot live must not take the machine's time; one that has lived is replaced at once again."""
    delay = Delay()
    assert [delay.after(1.0) for _ in range(4)] == [0.0, 0.1, 0.2, 0.4]
    assert [delay.after(0.0) for _ in range(20)][-1] == 10.0
    assert delay.after(30.0) == 0.0
