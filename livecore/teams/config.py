"""How an event declares its teams, and what contradicts itself in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from livecore.economy.entries import faults_of_entries
from livecore.economy.rows import Entries
from livecore.events.advice import beyond
from livecore.events.config import EventsConfig
from livecore.events.definition import EventDefinition, FormatPart
from livecore.events.definition_rows import Formation, Milestone, TeamSize
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Fault, declared_twice
from livecore.kernel.wire.shapes import MAX_AMOUNT, Int, Items
from livecore.leaderboards.config import faults_of_rank_rewards
from livecore.leaderboards.definition_rows import RankRewards, Score

_MOST_IN_OPEN_TEAM: Final = 200
"""The most seats of a team that players form themselves: its members are listed with it."""
_PAIR: Final = 2


@shape
class TeamGoal:
    """The score at which a team has reached its goal; with `perMember`, so much for each member."""

    target: Score
    per_member: bool = False


@shape
class TeamRules:
    """Teams of an event: who forms them, how large they are, and what they win together.

    A team's score is what its members' attempts add to the event's score while they sit in it. `onLeave` says whether that
    stays when a member leaves, `onComplete` whether the score goes on after the goal. With `board` the teams of a window
    have a leaderboard, whose ranks can win `rankRewards`. An invitation to a pair is open for `inviteSeconds`.
    """

    formation: Formation
    size: TeamSize | None = None
    goal: TeamGoal | None = None
    milestones: Annotated[tuple[Milestone, ...], Items(0, 100)] = ()
    goal_rewards: Entries = ()
    rank_rewards: RankRewards = ()
    on_leave: Literal["keep_contribution", "remove_contribution"] = "keep_contribution"
    on_complete: Literal["continue", "stop_contributions"] = "continue"
    board: bool = True
    invite_seconds: Annotated[int, Int(1, 30 * 86_400)] = 86_400

    @property
    def seats(self) -> TeamSize:
        """How many seats a team has; a pair has two."""
        return self.size or TeamSize(min=_PAIR, max=_PAIR)


# -- contradictions -------------------------------------------------------------------------------------------------------


def _faults_of_teams(config: EventsConfig, event: EventDefinition, path: str) -> Iterator[Fault]:
    """The contradictions in the teams of an event."""
    rules, path = TEAM_RULES.of(event), f"{path}.teams"
    if rules is None:
        return
    yield from _faults_of_size(rules, f"{path}.size")
    yield from declared_twice(f"{path}.milestones", (milestone.key for milestone in rules.milestones))
    for index, milestone in enumerate(rules.milestones):
        yield from faults_of_entries(config, milestone.entries, f"{path}.milestones[{index}].entries")
    yield from faults_of_entries(config, rules.goal_rewards, f"{path}.goalRewards")
    if rules.goal is not None and rules.goal.per_member and abs(rules.goal.target) * rules.seats.max > MAX_AMOUNT:
        yield f"{path}.goal.target", f"would pass {MAX_AMOUNT} for a team of {rules.seats.max}"
    if rules.goal_rewards and rules.goal is None:
        yield f"{path}.goalRewards", "are never paid: there is no 'goal'"
    if rules.rank_rewards and not rules.board:
        yield f"{path}.rankRewards", "are never paid: without 'board' teams have no ranks"
    yield from faults_of_rank_rewards(config, rules.rank_rewards, f"{path}.rankRewards")


def _faults_of_size(rules: TeamRules, path: str) -> Iterator[Fault]:
    size = rules.size
    if size is None:
        if rules.formation != "partner":
            yield path, "is required; only a pair has its size by itself"
        return
    if size.min > size.max:
        yield f"{path}.min", "must not be larger than 'max'"
    if rules.formation == "partner" and size.max != _PAIR:
        yield f"{path}.max", "must be 2: a pair has two seats"
    if rules.formation == "open" and size.max > _MOST_IN_OPEN_TEAM:
        yield f"{path}.max", f"must be at most {_MOST_IN_OPEN_TEAM}, where players form the teams"


# -- advice ---------------------------------------------------------------------------------------------------------------


def _advice_on_teams(_: EventsConfig, event: EventDefinition, path: str) -> Iterator[Advice]:
    rules = TEAM_RULES.of(event)
    if rules is not None and rules.goal is not None and rules.on_complete == "stop_contributions":
        most = rules.goal.target * (rules.seats.max if rules.goal.per_member else 1)
        yield from beyond(rules.milestones, most, f"{path}.teams.milestones", falls=event.order == "asc")


TEAM_RULES: Final = FormatPart("teams", TeamRules, faults=_faults_of_teams, advice=_advice_on_teams, written_empty=True)
"""How the teams of an event are declared."""


def ranks_teams(event: EventDefinition) -> bool:
    """Whether the teams of a window have a leaderboard."""
    rules = TEAM_RULES.of(event)
    return rules is not None and rules.board
