"""Subscriptions: the kinds of events that an endpoint receives, by name, or all of them as `*`.

The subscription at the moment of the event counts. `*` means every kind, also kinds that a later release adds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from livecore.kernel.errors import ValidationFailed

EVERYTHING: Final = "*"
"""The subscription to every kind."""


def check_subscription(events: Sequence[str], known: Iterable[str], path: str = "events") -> tuple[str, ...]:
    """Return the kinds of a subscription, each once and in the order of `known`; `*` replaces all others.

    Raises `ValidationFailed` with the path of each unknown kind, and for an empty subscription.
    """
    if not events:
        raise ValidationFailed({path: "must name at least one kind of event, or '*' for all"})
    kinds = tuple(known)
    faults = {
        f"{path}[{place}]": "is no kind of event"
        for place, kind in enumerate(events)
        if kind != EVERYTHING and kind not in kinds
    }
    if faults:
        raise ValidationFailed(faults)
    if EVERYTHING in events:
        return (EVERYTHING,)
    return tuple(kind for kind in kinds if kind in events)


def is_subscribed(events: Collection[str], kind: str) -> bool:
    """Whether a subscription covers `kind`."""
    return EVERYTHING in events or kind in events
