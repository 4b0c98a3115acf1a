"""Finding deliveries by what they are, page by page, and sending many once more, step by step; on every store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs
import pytest

from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit
from livecore.webhooks import endpoints
from livecore.webhooks.endpoints import PlainVault
from livecore.webhooks.history import DeliveryFilter, Found, Replayed, find_deliveries, replay_step
from livecore.webhooks.outbox import DELIVERIES, DELIVERIES_BY_TIME, EVENTS, Delivery
from tests.samples import sample
from tests.webhooks.desk import START, Desk

EVERYTHING = DeliveryFilter()
FAILED = DeliveryFilter(status="failed")


def pages(desk: Desk, wanted: DeliveryFilter, limit: int) -> list[list[Delivery]]:
    """Every page of a list."""
    found: list[list[Delivery]] = []
    place: Key | None = None
    while True:
        page: Found = desk.unit(partial(find_deliveries, wanted=wanted, beyond=place, limit=limit))
        found.append(list(page.rows))
        place = page.position
        if place is None:
            return found


def replayed(desk: Desk, wanted: DeliveryFilter, *, most: int | None = None) -> int:
    """Replay in steps until the end, or so many of them; gives how many deliveries there were."""
    count, place, steps = 0, None, 0
    while most is None or steps < most:
        step: Replayed = desk.unit(partial(replay_step, wanted=wanted, beyond=place))
        count, place, steps = count + step.count, step.position, steps + 1
        if place is None:
            break
    return count


def change(desk: Desk, fits: Callable[[int], bool], **values: object) -> None:
    """Write values into the deliveries at these places of the list, oldest first."""

    def work(unit: Unit) -> None:
        for number, row in enumerate(unit.tx.scan(DELIVERIES_BY_TIME)):
            if fits(number):
                unit.tx.put(DELIVERIES, evolve(row, **values))

    desk.unit(work)


def fail(desk: Desk, fits: Callable[[int], bool] = lambda _: True) -> None:
    """Let deliveries have failed for good."""
    change(desk, fits, status="failed", attempt=7, due_at=None)


def test_pages_joined_are_the_whole_list_newest_first(desk: Desk) -> None:
    """Also where many began to wait in the same moment, and where a page ends among them."""
    desk.emit(2)
    desk.emit(5, apart=0)
    whole = [row.delivery_id for row in desk.deliveries()][::-1]
    found = pages(desk, EVERYTHING, 3)
    assert [row.delivery_id for page in found for row in page] == whole
    assert [len(page) for page in found] == [3, 3, 1]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (FAILED, [0, 2, 4]),
        (DeliveryFilter(status="pending"), [1, 3]),
        (DeliveryFilter(kind="gift.sent"), [4]),
        (DeliveryFilter(kind="friend.removed", status="failed"), [0, 2]),
        (DeliveryFilter(since=START + 1), [1, 2, 3, 4]),
        (DeliveryFilter(before=START + 2), [0, 1]),
        (DeliveryFilter(since=START + 1, before=START + 3), [1, 2]),
        (DeliveryFilter(player_id="plr_other"), [3]),
        (DeliveryFilter(player_id="plr_nobody"), []),
        (DeliveryFilter(endpoint_id="whe_nothing"), []),
    ],
    ids=str,
)
def test_a_filter_means_what_fits_all_of_it(desk: Desk, wanted: DeliveryFilter, numbers: list[int]) -> None:
    """By state, kind, time, either of the two players whom an event names, and endpoint."""
    desk.emit(4)
    desk.unit(lambda unit: unit.emit(sample("gift.sent")))
    fail(desk, lambda number: number % 2 == 0)

    def name_player(unit: Unit) -> None:
        event = unit.tx.get(EVENTS, unit.tx.scan(DELIVERIES_BY_TIME)[3].event_id)
        assert event is not None
        unit.tx.put(EVENTS, evolve(event, other_player_id=PlayerId("plr_other")))

    desk.unit(name_player)
    rows = desk.deliveries()
    found = [row for page in pages(desk, wanted, 2) for row in page]
    assert found == [rows[number] for number in numbers][::-1]


def test_a_look_is_bounded_and_says_where_to_go_on(desk: Desk) -> None:
    """A rare delivery behind very many others is found by looking on, not in one transaction over all of them."""
    desk.emit(1)
    desk.emit(1_200, apart=0)
    fail(desk, lambda number: number == 0)
    assert [len(page) for page in pages(desk, FAILED, 10)] == [1]  # which the index of states finds at once

    def rare(unit: Unit) -> None:
        (row,) = unit.tx.scan(DELIVERIES_BY_TIME, limit=1)
        event = unit.tx.get(EVENTS, row.event_id)
        assert event is not None
        unit.tx.put(EVENTS, evolve(event, kind="gift.sent"))

    desk.unit(rare)
    assert [len(page) for page in pages(desk, DeliveryFilter(kind="gift.sent"), 10)] == [0, 1]


def test_many_are_replayed_in_steps_oldest_first(desk: Desk) -> None:
    """Two hundred at a time; the same events, attempts counted on, no automatic retries."""
    desk.emit(450, apart=0)
    fail(desk)
    desk.now += 1_000
    wanted = attrs.evolve(FAILED, before=desk.now)
    assert replayed(desk, wanted, most=1) == 200
    rows = desk.deliveries()
    assert {(row.status, row.attempt, row.automatic, row.due_at) for row in rows if row.status == "pending"} == {
        ("pending", 7, False, desk.now)
    }
    (attempt, *_) = desk.lease()
    assert attempt.number == 8
    desk.end([attempt], 500)
    assert next(row for row in desk.deliveries() if row.delivery_id == attempt.delivery_id).status == "failed"
    # Interrupted and begun anew: the rest, and nothing a second time.
    assert replayed(desk, wanted) == 250
    assert replayed(desk, wanted) == 0


def test_delivered_ones_are_replayed_once_for_one_bound(desk: Desk) -> None:
    """They arrive again and are delivered again; what `before` bounds has moved on."""
    desk.emit(3)
    desk.end(desk.lease())
    desk.now += 1_000
    wanted = DeliveryFilter(status="delivered", before=desk.now)
    assert replayed(desk, wanted) == 3
    desk.end(desk.lease())
    assert {(row.status, row.attempt) for row in desk.deliveries()} == {("delivered", 2)}
    assert replayed(desk, wanted) == 0


def test_what_cannot_be_replayed_is_left_out(desk: Desk) -> None:
    """On its way, discarded, a sample, an event that was emptied, an endpoint that is removed: all stay as they are."""
    url = "https://hooks.example/second"
    second = desk.unit(
        lambda unit: endpoints.add_endpoint(unit, PlainVault(), key="second", url=url, events=["gift.sent"])
    ).endpoint
    desk.emit(3)
    desk.unit(lambda unit: endpoints.send_sample(unit, "first", "friend.removed"))
    desk.now += 1
    desk.unit(lambda unit: unit.emit(sample("gift.sent")))
    fail(desk, lambda number: number != 0)
    change(desk, lambda number: number == 1, status="discarded")

    def empty(unit: Unit) -> None:
        event = unit.tx.get(EVENTS, unit.tx.scan(DELIVERIES_BY_TIME)[2].event_id)
        assert event is not None
        unit.tx.put(EVENTS, evolve(event, personal="gone"))

    desk.unit(empty)
    desk.unit(lambda unit: endpoints.remove_endpoint(unit, "second"))
    before = {row.delivery_id: row for row in desk.deliveries()}
    desk.now += 1_000
    assert replayed(desk, DeliveryFilter(before=desk.now)) == 1
    changed = [row for row in desk.deliveries() if row != before[row.delivery_id]]
    assert [row.status for row in changed] == ["pending"]
    assert changed[0].endpoint_id != second.endpoint_id
