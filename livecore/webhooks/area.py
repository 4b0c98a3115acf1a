"""The webhooks area: the endpoints of a studio, and the delivery of events to them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.webhooks import forgetting, managing_deliveries, outbox, policies, refusals, soundness, timeline, waiting
from livecore.webhooks import webhook_events as operational
from livecore.webhooks.mentions import EVENT_MENTIONS
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS, EVENTS

AREA: Final = Area(
    name="webhooks",
    tables=(ENDPOINTS, EVENTS, EVENT_MENTIONS, DELIVERIES),
    tags={
        "webhooks": "Events that the service sends to the studio's backend.",
        "deliveries": "How sending events went, and sending them again.",
    },
    refusals=refusals_in(refusals),
    events={"Operational": (operational.WebhookEndpointFailed,)},
    jobs=(
        outbox.SWEEP,
        forgetting.FORGET_BODIES,
        waiting.GATHER,
        waiting.RELEASE,
        waiting.DISCARD,
        waiting.BRING_FORWARD,
        policies.SCRUB,
        managing_deliveries.REPLAY,
    ),
    erases={EVENTS: policies.empty_events},
    rules_over=soundness.rules_over,
    timeline=timeline.SOURCES,
)
