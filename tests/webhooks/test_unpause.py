"""The end of a pause: everything that waits goes at once and oldest first, on every store."""

from __future__ import annotations

import pytest

from livecore.kernel.time import DAY, HOUR
from livecore.webhooks import dispatch, endpoints
from livecore.webhooks.dispatch import Attempt
from livecore.webhooks.endpoint import MAX_IN_FLIGHT
from tests.webhooks.desk import Desk


def pause(desk: Desk) -> None:
    """An operator pauses the endpoint."""
    desk.unit(lambda unit: endpoints.pause(unit, "first"))


def unpause(desk: Desk) -> None:
    """An operator unpauses the endpoint."""
    desk.unit(lambda unit: endpoints.unpause(unit, "first"))


def all_sent(desk: Desk) -> list[Attempt]:
    """Everything that can be sent without time passing, each answered with success, in the order of sending."""
    sent: list[Attempt] = []
    while attempts := desk.lease():
        assert len(attempts) <= MAX_IN_FLIGHT
        sent += attempts
        desk.end(attempts)
    return sent


def test_what_waits_for_a_retry_goes_before_what_was_held(desk: Desk) -> None:
    """Two that failed before the pause are older than two that happened in it: all four go at once, in their order."""
    desk.emit(2)
    desk.fail_all()
    pause(desk)
    desk.emit(2)
    order = [row.delivery_id for row in desk.deliveries()]
    unpause(desk)
    sent = all_sent(desk)
    assert [attempt.delivery_id for attempt in sent] == order
    assert [attempt.number for attempt in sent] == [2, 2, 1, 1]


def test_one_order_is_made_of_all_that_waits(desk: Desk) -> None:
    """A retry may come due in the pause, be seen by a sender or not, or lie hours ahead: only its age counts."""
    desk.emit(3)
    desk.fail_all()
    desk.now += HOUR
    desk.end(desk.lease(1), 500)  # the oldest: its second attempt fails, and the third lies ten minutes ahead
    pause(desk)
    desk.emit()
    desk.unit(lambda unit: dispatch.lease_due(unit, 1))  # a sender comes by and holds what is due
    desk.now += DAY
    desk.emit()
    order = [row.delivery_id for row in desk.deliveries()]
    unpause(desk)
    desk.emit()
    assert [attempt.delivery_id for attempt in all_sent(desk)] == [*order, desk.deliveries()[-1].delivery_id]


@pytest.mark.parametrize("answered_in", ["pause", "afterwards"])
def test_what_is_in_flight_is_not_sent_twice(desk: Desk, answered_in: str) -> None:
    """A pause that begins and ends around an attempt takes nothing out of the sender's hands; what it answers counts."""
    desk.emit(2)
    (attempt,) = desk.lease(1)
    pause(desk)
    if answered_in == "pause":
        desk.end([attempt], 500)
    unpause(desk)
    oldest, other = (row.delivery_id for row in desk.deliveries())
    if answered_in == "pause":
        assert [(each.delivery_id, each.number) for each in all_sent(desk)] == [(oldest, 2), (other, 1)]
    else:
        assert [each.delivery_id for each in all_sent(desk)] == [other]
        desk.end([attempt], 500)
        assert all_sent(desk) == []  # it has failed after the pause, and waits as the schedule says
        desk.now += HOUR
        assert [(each.delivery_id, each.number) for each in all_sent(desk)] == [(oldest, 2)]


def test_a_lease_that_nobody_answers_lapses_after_the_pause(desk: Desk) -> None:
    """The sender died: the attempt is made again, with the same number."""
    desk.emit()
    (lost,) = desk.lease()
    pause(desk)
    unpause(desk)
    assert desk.lease() == []
    desk.now += HOUR
    (again,) = desk.lease()
    assert (again.delivery_id, again.number) == (lost.delivery_id, 1)


def test_a_long_queue_is_released_in_steps_and_in_order(desk: Desk) -> None:
    """No unit of work touches more than a hundred deliveries, and the oldest still goes first."""
    desk.emit(600, apart=0)
    desk.fail_all()
    pause(desk)
    desk.now += 1
    desk.emit(600, apart=0)
    order = [row.delivery_id for row in desk.deliveries()]
    unpause(desk)
    assert desk.lease() == []  # the first step has only gathered
    steps = 0
    while desk.run_due():
        steps += 1
    assert steps == 18
    waiting = sorted(desk.deliveries(), key=lambda row: (row.due_at or 0, row.queued_at, row.delivery_id))
    assert [row.delivery_id for row in waiting] == order
    assert {(row.status, row.attempt) for row in waiting[:600]} == {("pending", 1)}
    assert [each.delivery_id for each in desk.lease()] == order[:MAX_IN_FLIGHT]


def test_a_pause_in_the_middle_of_a_release_is_a_pause(desk: Desk) -> None:
    """What was gathered stays held, nothing is lost, and the next end of a pause goes on."""
    desk.emit(600, apart=0)
    desk.fail_all()
    pause(desk)
    unpause(desk)
    pause(desk)
    while desk.run_due():
        pass
    assert desk.lease() == []
    unpause(desk)
    while desk.run_due():
        pass
    assert {row.status for row in desk.deliveries()} == {"pending"}
    assert len(desk.lease()) == MAX_IN_FLIGHT


def test_a_paused_endpoint_gets_four_samples_at_once_as_well(desk: Desk) -> None:
    """Samples are sent in a pause, and the bound on what is in flight holds for them; what else is due is held."""
    desk.emit()
    pause(desk)
    for _ in range(6):
        desk.unit(lambda unit: endpoints.send_sample(unit, "first", "gift.sent"))
    first = desk.lease()
    assert [attempt.sample for attempt in first] == [True] * MAX_IN_FLIGHT
    assert desk.lease() == []
    desk.end(first)
    assert len(desk.lease()) == 2
    assert desk.deliveries()[0].status == "held"
