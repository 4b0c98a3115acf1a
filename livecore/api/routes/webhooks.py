"""Webhook endpoints, as operators manage them."""

from __future__ import annotations

from typing import Final

from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Operation, Reveals
from livecore.webhooks import delivery_rows, operating, operator_rows
from livecore.webhooks.refusals import (
    EndpointKeyTaken,
    EndpointLimitReached,
    WebhookEndpointNotFound,
    WebhookStateConflict,
)
from livecore.webhooks.rotation import SECRET_BYTES

_MANAGE: Final = "webhook.manage"
_TARGET: Final = ("webhook_endpoint", "endpointId")
_SHOWS_SECRET: Final = Reveals("secret", SECRET_BYTES, operating.spell_secret)

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "webhooks.list",
        "/webhooks",
        operator_rows.ListEndpoints,
        operator_rows.EndpointsGiven,
        operating.list_all,
        permission="webhook.read",
        summary="List the webhook endpoints of an environment.",
        about=(
            "The oldest first; there are at most twenty. Secrets are never shown again, and the query of a `url`, which may "
            "hold a token, only to members who are signed in and can manage endpoints of that environment."
        ),
    ),
    member_write(
        "webhooks.create",
        "POST /webhooks",
        operator_rows.CreateEndpoint,
        {201: operator_rows.EndpointMade},
        operating.create,
        EndpointKeyTaken,
        EndpointLimitReached,
        permission=_MANAGE,
        destructive=False,
        dashboard_only="live",
        reveals=_SHOWS_SECRET,
        summary="Register a webhook endpoint.",
        about=(
            "`url` is https on a public address, or inside a network that the deployment allows; in the test environment "
            "also http to localhost, unless the deployment is for production. `events` are kinds of events, or `*` for "
            "all, which is the default. The signing secret is shown this once."
        ),
    ),
    member_write(
        "webhooks.update",
        "PATCH /webhooks/{endpointId}",
        operator_rows.UpdateEndpoint,
        {200: operator_rows.EndpointGiven},
        operating.update,
        WebhookEndpointNotFound,
        EndpointKeyTaken,
        permission=_MANAGE,
        dashboard_only="live",
        dashboard_only_with=("url",),
        target=_TARGET,
        summary="Change where an endpoint sends, which events it gets, or its name.",
        about=(
            "What is left out stays. What waits goes to the new `url`; the new `events` count for events from now on. In "
            "the live environment a request that gives a `url`, even the same one, needs somebody who is signed in; with a "
            "personal key the other fields can be changed."
        ),
    ),
    member_write(
        "webhooks.remove",
        "DELETE /webhooks/{endpointId}",
        operator_rows.RemoveEndpoint,
        {200: operator_rows.EndpointRemoved},
        operating.remove,
        WebhookEndpointNotFound,
        permission=_MANAGE,
        target=_TARGET,
        summary="Remove a webhook endpoint.",
        about="What waits for it is discarded.",
    ),
    member_write(
        "webhooks.pause",
        "POST /webhooks/{endpointId}/pause",
        operator_rows.PauseEndpoint,
        {200: operator_rows.EndpointGiven},
        operating.pause,
        WebhookEndpointNotFound,
        WebhookStateConflict,
        permission=_MANAGE,
        target=_TARGET,
        summary="Stop sending to an endpoint.",
        about="Its events are kept for 30 days.",
    ),
    member_write(
        "webhooks.unpause",
        "POST /webhooks/{endpointId}/unpause",
        operator_rows.UnpauseEndpoint,
        {200: operator_rows.EndpointGiven},
        operating.unpause,
        WebhookEndpointNotFound,
        WebhookStateConflict,
        permission=_MANAGE,
        destructive=False,
        target=_TARGET,
        summary="Send to an endpoint again.",
        about="What was held is sent at once, the oldest first.",
    ),
    member_write(
        "webhooks.rotateSecret",
        "POST /webhooks/{endpointId}/rotate-secret",
        operator_rows.RotateEndpointSecret,
        {200: operator_rows.EndpointMade},
        operating.rotate_secret,
        WebhookEndpointNotFound,
        permission=_MANAGE,
        dashboard_only="live",
        reveals=_SHOWS_SECRET,
        target=_TARGET,
        summary="Give an endpoint a new secret.",
        about="It is shown this once and signs at once; the one before also signs for 24 more hours.",
    ),
    member_write(
        "webhooks.sample",
        "POST /webhooks/{endpointId}/sample",
        operator_rows.SendSample,
        {201: delivery_rows.DeliveryGiven},
        operating.send_sample,
        WebhookEndpointNotFound,
        permission="webhook.send_sample",
        destructive=False,
        target=_TARGET,
        summary="Send a sample to an endpoint.",
        about=(
            "An event of `kind` with placeholders, signed and sent like any other, with the header `X-Svc-Webhook-Test: 1`; "
            "also to a paused endpoint, and whatever its subscription."
        ),
    ),
)
