"""Events about the webhooks themselves (specification 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.kernel.values import keyword_value as shape
from livecore.webhooks.payload import Payload


@shape
class WebhookEndpointFailed(Payload):
    """An endpoint was paused after too many failures in a row; sent to the environment's other subscribed endpoints.

    Every failed answer counts; attempts that found nobody (refused, reset, timed out, no name) count at most once a minute.
    `url` is without its query, which may hold a token. `lastStatus` is null if there was no answer, `lastError` if there was
    one.
    """

    kind: ClassVar[str] = "webhook.endpoint.failed"
    endpoint_id: str
    endpoint_key: str
    url: str
    consecutive_failures: int
    threshold: int
    last_status: int | None
    last_error: str | None
    reason: Literal["consecutive_failures"]
