"""What the commands about endpoints and those about deliveries share: kinds of events, and what is said when one is sent."""

from __future__ import annotations

from difflib import get_close_matches

import click

from livecore.api.areas import AREAS
from livecore.webhooks.outbox import Delivery
from livecore.webhooks.subscription import EVERYTHING
from livecore_server.cli.output import show


def known_kind(kind: str) -> str:
    """A kind of event, or all of them. Raises `click.BadParameter` with what may have been meant."""
    if kind == EVERYTHING or kind in AREAS.events:
        return kind
    meant = get_close_matches(kind, AREAS.events, n=1)
    raise click.BadParameter(f"{kind!r} is no kind of event" + (f"; is {meant[0]} meant?" if meant else ""))


def show_queued(row: Delivery, *, as_json: bool) -> None:
    """Say that a delivery will be sent."""
    said = f"{row.delivery_id} is queued; `livecore webhooks deliveries` shows how it went"
    show({"deliveryId": row.delivery_id, "eventId": row.event_id}, (said,), as_json=as_json)
