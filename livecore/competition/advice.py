"""Advice on events and leaderboards: values that are allowed, and that have no effect or probably another one than meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from livecore.competition.board_config import Division, LeaderboardDefinition
from livecore.competition.config import CompetitionConfig
from livecore.competition.definition_rows import Milestone, RankReward
from livecore.competition.event_config import EventDefinition
from livecore.kernel.time import Millis
from livecore.kernel.wire.config import Advice
from livecore.players.config import PlayersConfig

__all__ = ["advice_at", "advice_on"]

_MEET: Final = (
    "is the country, so whoever meets there knows the country of the others, which 'privacy.strangers' hides; choose "
    "another key, or write true for 'privacy.strangers.country'"
)


def advice_on(config: CompetitionConfig) -> Iterator[Advice]:
    """What is probably not meant in events and leaderboards."""
    for place, event in enumerate(config.events):
        yield from _on_event(event, f"events[{place}]")
    for place, board in enumerate(config.leaderboards):
        yield from _on_board(board, f"leaderboards[{place}]")
    yield from _on_countries(config)


def advice_at(config: CompetitionConfig, now: Millis) -> Iterator[Advice]:
    """Events of which no window opens any more."""
    for place, event in enumerate(config.events):
        windows = event.schedule.windows
        last = event.schedule.until if windows is None else max(window.ends_at for window in windows)
        if last is not None and last <= now:
            yield f"events[{place}].schedule", "is over, so no window of the event opens any more"


def _on_countries(config: CompetitionConfig) -> Iterator[Advice]:
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
        yield from _out_of_reach(event.rank_rewards, event.lobby.capacity, "seats of a lobby", f"{path}.rankRewards")
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


def _out_of_reach(rewards: Sequence[RankReward], seats: int, of: str, path: str) -> Iterator[Advice]:
    for place, reward in enumerate(rewards):
        if reward.from_ > seats:
            yield f"{path}[{place}].from", f"is beyond the {seats} {of}, so nobody reaches this rank"


def _on_board(board: LeaderboardDefinition, path: str) -> Iterator[Advice]:
    if not board.divisions:
        return
    if board.reset == "never":
        yield (
            f"{path}.reset",
            "is 'never', so nobody ever changes the division: write 'weekly' or 'monthly', or leave out the divisions",
        )
    if board.divisions[0].relegate:
        yield f"{path}.divisions[0].relegate", "has no effect: there is no division below the first one"
    last = len(board.divisions) - 1
    if board.divisions[last].promote:
        yield f"{path}.divisions[{last}].promote", "has no effect: there is no division above the last one"
    if board.cohort_size is not None:
        yield from _out_of_reach(board.rank_rewards, board.cohort_size, "players of a cohort", f"{path}.rankRewards")
        for place, division in enumerate(board.divisions):
            yield from _on_division(division, board.cohort_size, f"{path}.divisions[{place}]")


def _on_division(division: Division, cohort_size: int, path: str) -> Iterator[Advice]:
    for name, moved in (("promote", division.promote), ("relegate", division.relegate)):
        if moved > cohort_size:
            yield f"{path}.{name}", f"is more than the 'cohortSize' of {cohort_size}, so everybody of a cohort moves"
    yield from _out_of_reach(division.rank_rewards, cohort_size, "players of a cohort", f"{path}.rankRewards")
