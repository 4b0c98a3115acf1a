"""Which events an endpoint wants: some kinds of the catalog by name, or all of them as `*`.

What counts is the subscription at the moment of the event. `*` means every kind, also those that the catalog learns later.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from livecore.kernel.errors import ValidationFailed
from livecore.webhooks import catalog

__all__ = ["EVERYTHING", "check_subscription", "is_subscribed"]

EVERYTHING: Final = "*"
"""The subscription to every kind."""


def check_subscription(events: Sequence[str], path: str = "events") -> tuple[str, ...]:
    """Return the kinds of a subscription, each once and in the catalog's order; `*` absorbs all others.

    Raises `ValidationFailed` with the path of each entry that is no kind, and for an empty subscription.
    """
    if not events:
        raise ValidationFailed({path: "must name at least one kind of event, or '*' for all"})
    known = catalog.CATALOG
    faults = {
        f"{path}[{place}]": "is no kind of event"
        for place, kind in enumerate(events)
        if kind != EVERYTHING and kind not in known
    }
    if faults:
        raise ValidationFailed(faults)
    if EVERYTHING in events:
        return (EVERYTHING,)
    return tuple(kind for kind in known if kind in events)


def is_subscribed(events: Collection[str], kind: str) -> bool:
    """Whether a subscription covers `kind`."""
    return EVERYTHING in events or kind in events
