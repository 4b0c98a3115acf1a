"""Advice on events: values that are allowed, and that have no effect or probably another one than meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from livecore.events.config import EventsConfig
from livecore.events.definition import EventDefinition
from livecore.events.definition_rows import Milestone
from livecore.kernel.config import Advice
from livecore.kernel.time import Millis
from livecore.leaderboards.advice import out_of_reach
from livecore.players.config import PlayersConfig

__all__ = ["advice_at", "advice_on"]

_MEET: Final = (
    "is the country, so whoever meets there knows the country of the others, which 'privacy.strangers' hides; choose "
    "another key, or write true for 'privacy.strangers.country'"
)


def advice_on(config: EventsConfig) -> Iterator[Advice]:
    """What is probably not meant in events."""
    for place, event in enumerate(config.events):
        yield from _on_event(event, f"events[{place}]")
    yield from _on_countries(config)


def advice_at(config: EventsConfig, now: Millis) -> Iterator[Advice]:
    """Events of which no window opens any more."""
    for place, event in enumerate(config.events):
        windows = event.schedule.windows
        last = event.schedule.until if windows is None else max(window.ends_at for window in windows)
        if last is not None and last <= now:
            yield f"events[{place}].schedule", "is over, so no window of the event opens any more"


def _on_countries(config: EventsConfig) -> Iterator[Advice]:
    """Players whom their country brings together, in a game that hides it."""
    if not isinstance(config, PlayersConfig) or config.privacy_of_players.to_strangers.country:
        return
    for place, event in enumerate(config.events):
        if event.boards_by == "segment" and event.board.segment == "country":
            yield f"events[{place}].board.segment", _MEET
        if event.lobby is not None and "country" in event.lobby.match_by:
            yield f"events[{place}].lobby.matchBy[{event.lobby.match_by.index('country')}]", _MEET


def _on_event(event: EventDefinition, path: str) -> Iterator[Advice]:
    if event.target is not None:
        yield from _beyond(event.milestones, event.target, f"{path}.milestones", falls=event.order == "asc")
        if event.score is None and len(event.metrics) > 1:
            yield (
                f"{path}.score",
                f"is left out, so the target counts the first metric, '{event.metrics[0].key}': name the one that is meant",
            )
    if event.lobby is not None:
        yield from out_of_reach(event.rank_rewards, event.lobby.capacity, "seats of a lobby", f"{path}.rankRewards")
    teams = event.teams
    if teams is not None and teams.goal is not None and teams.on_complete == "stop_contributions":
        most = teams.goal.target * (teams.seats.max if teams.goal.per_member else 1)
        yield from _beyond(teams.milestones, most, f"{path}.teams.milestones", falls=event.order == "asc")


def _beyond(milestones: Sequence[Milestone], target: int, path: str, *, falls: bool) -> Iterator[Advice]:
    for place, milestone in enumerate(milestones):
        if milestone.threshold < target if falls else milestone.threshold > target:
            yield (
                f"{path}[{place}].threshold",
                f"is beyond the target of {target}, so only a score that passes the target at once reaches it",
            )
