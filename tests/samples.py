"""Sample payloads of the service's kinds of events."""

from __future__ import annotations

from livecore.api.areas import AREAS
from livecore.kernel.units.unit import Event
from livecore.webhooks.samples import sample_of


def sample(kind: str) -> Event:
    """The placeholder payload of a kind, always the same. Raises `KeyError` for a kind that no area emits."""
    return sample_of(AREAS.events[kind])
