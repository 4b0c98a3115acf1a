"""Webhook endpoints, as operators manage them."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import KEY, Area, Route
from tests.contract.stories import Scene, Thing
from tests.worlds import text_at


def _endpoint(here: Scene) -> str:
    """An endpoint of the test environment."""
    made = here.world.operator().call("webhooks.create", url="https://hooks.example.com/a", key="of-the-scene")
    return text_at(made, "endpoint", "endpointId")


def _paused(here: Scene) -> str:
    """One that is paused."""
    owner = here.world.operator()
    made = owner.call("webhooks.create", url="https://hooks.example.com/b", key="paused")
    endpoint_id = text_at(made, "endpoint", "endpointId")
    owner.call("webhooks.pause", endpoint_id=endpoint_id)
    return endpoint_id


_GONE: Final = "webhook_endpoint_not_found"
_ROUTES: Final = (
    Route("admin", "webhooks.list", "GET /webhooks", answers="endpoints:endpoint[]", permission="webhook.read"),
    Route(
        "admin", "webhooks.create", "POST /webhooks", asks=f"url key? events? {KEY}", statuses=(201,),
        answers="endpoint:endpoint secret", permission="webhook.manage", dashboard_only="live",
        refusals="webhook_endpoint_key_taken webhook_endpoint_limit_reached",
    ),
    Route(
        "admin", "webhooks.update", "PATCH /webhooks/{endpointId}", asks=f"endpointId url? key? events? {KEY}",
        answers="endpoint:endpoint", permission="webhook.manage", refusals=f"{_GONE} webhook_endpoint_key_taken",
        dashboard_only="live", dashboard_only_with=("url",),
    ),
    Route(
        "admin", "webhooks.remove", "DELETE /webhooks/{endpointId}", asks=f"endpointId {KEY}", answers="removed",
        permission="webhook.manage", refusals=_GONE,
    ),
    Route(
        "admin", "webhooks.pause", "POST /webhooks/{endpointId}/pause", asks=f"endpointId {KEY}",
        answers="endpoint:endpoint", permission="webhook.manage", refusals=f"{_GONE} webhook_state_conflict",
    ),
    Route(
        "admin", "webhooks.unpause", "POST /webhooks/{endpointId}/unpause", asks=f"endpointId {KEY}",
        answers="endpoint:endpoint", permission="webhook.manage", refusals=f"{_GONE} webhook_state_conflict",
        things={"endpointId": Thing(_paused)},
    ),
    Route(
        "admin", "webhooks.rotateSecret", "POST /webhooks/{endpointId}/rotate-secret", asks=f"endpointId {KEY}",
        answers="endpoint:endpoint secret", permission="webhook.manage", refusals=_GONE, dashboard_only="live",
    ),
    Route(
        "admin", "webhooks.sample", "POST /webhooks/{endpointId}/sample", asks=f"endpointId kind {KEY}",
        statuses=(201,), answers="delivery:delivery", permission="webhook.send_sample", refusals=_GONE,
    ),
)  # fmt: skip


AREA: Final = Area(
    routes=_ROUTES,
    rows={
        "endpoint": (
            "endpointId key environment url events status pauseReason pausedAt failing waiting held oldestWaitingAt"
            " previousSecretUntil createdAt"
        ),
        "delivery": (
            "deliveryId eventId kind endpointId endpointKey sample status attempts retries occurredAt queuedAt dueAt"
            " attemptedAt lastStatus lastError"
        ),
    },
    operated={"endpointId": Thing(_endpoint)},
)
