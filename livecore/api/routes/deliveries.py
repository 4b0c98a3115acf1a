"""Deliveries of webhooks, as operators see them."""

from __future__ import annotations

from typing import Final

from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Operation
from livecore.player_tools import deliveries
from livecore.players.refusals import PlayerNotFound
from livecore.webhooks import delivery_rows, managing_deliveries
from livecore.webhooks.refusals import WebhookDeliveryNotFound, WebhookEndpointNotFound, WebhookStateConflict

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "deliveries.list",
        "/deliveries",
        delivery_rows.ListDeliveries,
        delivery_rows.DeliveriesPage,
        deliveries.list_page,
        PlayerNotFound,
        permission="webhook.read",
        summary="List deliveries.",
        about=(
            "Those that fit all that is given, the newest first, at most `limit` (1 to 200) from `cursor` on. `endpoint` "
            "is an id or a key, `kind` a kind of event, and `player` the external id of somebody whom the event names. "
            "They are in the order in which they, or their last replay, were queued; with `kind` or `player`, in that of "
            "their events. Deliveries are kept for 30 days."
        ),
    ),
    member_read(
        "deliveries.get",
        "/deliveries/{deliveryId}",
        delivery_rows.GetDelivery,
        delivery_rows.DeliveryShown,
        managing_deliveries.get,
        WebhookDeliveryNotFound,
        permission="webhook.read",
        summary="Read a delivery.",
        about="With the request as it is sent, and the last twenty attempts.",
    ),
    member_write(
        "deliveries.replay",
        "POST /deliveries/{deliveryId}/replay",
        delivery_rows.ReplayDelivery,
        {200: delivery_rows.DeliveryGiven},
        managing_deliveries.replay,
        WebhookDeliveryNotFound,
        WebhookEndpointNotFound,
        WebhookStateConflict,
        permission="webhook.replay",
        destructive=False,
        target=("webhook_delivery", "deliveryId"),
        summary="Send a delivery again.",
        about=(
            "The same event with the same id; attempts are counted further, and a failure is not retried by schedule. Only "
            "what was delivered or has failed can be sent again."
        ),
    ),
    member_write(
        "deliveries.replayMany",
        "POST /deliveries/replay",
        delivery_rows.ReplayDeliveries,
        {200: delivery_rows.DeliveriesReplayed},
        deliveries.replay_many,
        PlayerNotFound,
        permission="webhook.replay",
        destructive=False,
        summary="Send many deliveries again.",
        about=(
            "All that fit what is given and were queued before now; `status` is `failed` if it is left out. Samples, and "
            "what cannot be sent again, are passed over. The first hundred are queued at once, and where `goesOn` is true "
            "the others follow in the background, whatever happens to the server meanwhile."
        ),
    ),
)
