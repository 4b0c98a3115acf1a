"""Advice on events: values that are allowed, and that have no effect or probably another one than meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from livecore.events.config import EventsConfig
from livecore.events.definition import EventDefinition, format_parts
from livecore.events.definition_rows import Milestone
from livecore.kernel.time import Millis
from livecore.kernel.wire.config import Advice
from livecore.players.config import PlayersConfig

MEET_BY_COUNTRY: Final = (
    "is the country, so players who meet there know each other's country, which 'privacy.strangers' hides; choose "
    "another key, or write true for 'privacy.strangers.country'"
)
"""Advice on a key by which players meet, where it is the country and the game hides it."""


def advice_on(config: EventsConfig) -> Iterator[Advice]:
    """What is probably not meant in events."""
    for index, event in enumerate(config.events):
        path = f"events[{index}]"
        yield from _on_event(event, path)
        if event.board.by == "segment" and event.board.segment == "country" and hides_countries(config):
            yield f"{path}.board.segment", MEET_BY_COUNTRY
        for part in format_parts():
            yield from part.advice(config, event, path)


def advice_at(config: EventsConfig, now: Millis) -> Iterator[Advice]:
    """Events of which no window opens any more."""
    for index, event in enumerate(config.events):
        windows = event.schedule.windows
        last = event.schedule.until if windows is None else max(window.ends_at for window in windows)
        if last is not None and last <= now:
            yield f"events[{index}].schedule", "is over, so no window of the event opens any more"


def hides_countries(config: EventsConfig) -> bool:
    """Whether the game hides the countries of players from strangers."""
    return isinstance(config, PlayersConfig) and not config.to_strangers.country


def _on_event(event: EventDefinition, path: str) -> Iterator[Advice]:
    if event.target is not None:
        yield from beyond(event.milestones, event.target, f"{path}.milestones", falls=event.order == "asc")
        if event.score is None and len(event.metrics) > 1:
            yield (
                f"{path}.score",
                f"is left out, so the target counts the first metric, '{event.metrics[0].key}': name the one that is meant",
            )


def beyond(milestones: Sequence[Milestone], target: int, path: str, *, falls: bool) -> Iterator[Advice]:
    """Milestones beyond a target, after which nothing is counted."""
    for index, milestone in enumerate(milestones):
        if milestone.threshold < target if falls else milestone.threshold > target:
            yield (
                f"{path}[{index}].threshold",
                f"is beyond the target of {target}, so only a score that passes the target at once reaches it",
            )
