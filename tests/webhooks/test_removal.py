"""Removing an endpoint: what was on its way to it is discarded, however much it is, on every store."""

from __future__ import annotations

from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.webhooks import dispatch, endpoints
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, EVENTS
from tests.webhooks.desk import Desk


def test_a_long_queue_is_discarded_in_steps(desk: Desk) -> None:
    """One unit of work discards at most a hundred; nothing of the rest is sent meanwhile, nor to a new endpoint."""
    desk.emit(300, apart=0)
    desk.unit(lambda unit: endpoints.pause(unit, "first"))
    desk.emit(600, apart=0)
    desk.unit(lambda unit: endpoints.remove_endpoint(unit, "first"))
    url = "https://hooks.example/other"
    desk.unit(lambda unit: endpoints.add_endpoint(unit, PlainVault(), key="first", url=url, events=["*"]))
    assert desk.lease() == []
    for step in range(1, 10):
        assert sum(row.status == "discarded" for row in desk.deliveries()) == 100 * step
        assert desk.run_due() == 1
    assert {row.status for row in desk.deliveries()} == {"discarded"}
    assert desk.run_due() == 0
    assert desk.unit(dispatch.next_due) is None


def test_what_named_an_erased_player_is_emptied_with_the_last_step(desk: Desk) -> None:
    """A body that was kept for the sake of its delivery alone goes when the delivery is discarded."""

    def mark_going(unit: Unit) -> None:
        for row in unit.tx.scan(DELIVERIES_BY_TIME):
            event = unit.tx.get(EVENTS, row.event_id)
            assert event is not None
            unit.tx.put(EVENTS, evolve(event, personal="going"))

    desk.emit(501, apart=0)
    desk.unit(mark_going)
    desk.unit(lambda unit: endpoints.remove_endpoint(unit, "first"))
    while desk.run_due():
        pass
    events = desk.unit(lambda unit: [unit.tx.get(EVENTS, row.event_id) for row in unit.tx.scan(DELIVERIES_BY_TIME)])
    assert {(event.personal, event.data) for event in events if event is not None} == {("gone", "{}")}
