"""The refusals about webhook endpoints and deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Json, NotFound


class WebhookEndpointNotFound(NotFound):
    """No such webhook endpoint."""

    code = "webhook_endpoint_not_found"
    text = "There is no such webhook endpoint."
    named = "There is no webhook endpoint {}"
    remedy = "List the endpoints and name one of them."


class WebhookDeliveryNotFound(NotFound):
    """No such webhook delivery."""

    code = "webhook_delivery_not_found"
    text = "There is no such webhook delivery."
    named = "There is no webhook delivery {}"
    remedy = "List the deliveries and name one of them; old ones are not kept."


class EndpointKeyTaken(Conflict):
    """Another endpoint of this environment has the same key."""

    code = "webhook_endpoint_key_taken"
    text = "There is a webhook endpoint with this key."
    remedy = "Choose another key, or remove the endpoint that has it."


class EndpointLimitReached(Conflict):
    """An environment of a game has at most twenty endpoints (`details.limit`)."""

    code = "webhook_endpoint_limit_reached"
    text = "There are too many webhook endpoints."
    remedy = "Remove an endpoint first."
    example: ClassVar[Mapping[str, Json]] = {"limit": 20}


class WebhookStateConflict(Conflict):
    """The state of the endpoint or delivery does not allow this."""

    code = "webhook_state_conflict"
    text = "This cannot be done in the present state."
    remedy = "Read the current state, and check whether anything is left to do."
