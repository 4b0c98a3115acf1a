"""Deliveries of webhooks, as operators see them."""

from __future__ import annotations

from functools import partial
from typing import Final

from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.webhooks.outbox import DELIVERIES, require_delivery
from tests.contract.expected import KEY, PAGE, Area, Route
from tests.contract.stories import MARK, Life, Scene, Step, Thing
from tests.worlds import text_at


def _delivery(here: Scene) -> str:
    """A sample that has failed."""
    owner = here.world.operator()
    made = owner.call("webhooks.create", url="https://hooks.example.com/d", key="of-deliveries")
    sent = owner.call("webhooks.sample", endpoint_id=text_at(made, "endpoint", "endpointId"), kind="gift.sent")
    delivery_id = text_at(sent, "delivery", "deliveryId")
    here.world.unit_of_work(partial(_fail, delivery_id=delivery_id))
    return delivery_id


def _fail(unit: Unit, delivery_id: str) -> None:
    row = require_delivery(unit, delivery_id)
    unit.tx.put(DELIVERIES, evolve(row, status="failed", attempt=1, due_at=None))


_FILTER: Final = "endpoint? kind? status? player?"
_ROUTES: Final = (
    Route(
        "admin", "deliveries.list", "GET /deliveries", asks=f"{_FILTER} {PAGE}",
        answers="deliveries:delivery[] nextCursor total", permission="webhook.read", refusals="player_not_found",
    ),
    Route(
        "admin", "deliveries.get", "GET /deliveries/{deliveryId}", asks="deliveryId",
        answers="delivery:delivery request:deliveryRequest attempts:deliveryAttempt[]", permission="webhook.read",
        refusals="webhook_delivery_not_found",
    ),
    Route(
        "admin", "deliveries.replay", "POST /deliveries/{deliveryId}/replay", asks=f"deliveryId {KEY}",
        answers="delivery:delivery", permission="webhook.replay",
        refusals="webhook_delivery_not_found webhook_endpoint_not_found webhook_state_conflict",
    ),
    Route(
        "admin", "deliveries.replayMany", "POST /deliveries/replay", asks=f"{_FILTER} {KEY}",
        answers="queued goesOn", permission="webhook.replay", refusals="player_not_found",
    ),
)  # fmt: skip


# -- the marked life ------------------------------------------------------------------------------------------------------


def _send_marked_again(life: Life) -> None:
    """An operator sends whatever is about the marked player once more."""
    life.ask(life.world.operator(), "deliveries.replayMany", player=MARK)


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "deliveryRequest": "url headers body",
        "deliveryAttempt": "number at status error",
    },
    operated={"deliveryId": Thing(_delivery)},
    marked=(Step("part", _send_marked_again),),
    names_nobody={
        "endpoint": "the id or the key of an endpoint",
        "admin:deliveries.replay idempotencyKey": "it is about a delivery, and about no player",
        "admin:deliveries.replayMany kind": "a kind of event",
    },
)
