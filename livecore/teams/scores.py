"""What a team's score has reached: its milestones and its goal, each once, and the team's place on the board."""

from __future__ import annotations

import json
from collections.abc import Sequence

from livecore.events.definition import EventDefinition
from livecore.events.definition_rows import Milestone
from livecore.events.scoring import crossed_of
from livecore.kernel.ids import moment_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import (
    BOARDS,
    ENTRIES,
    BoardEntry,
    Leaderboard,
    board_id_of,
    remove_entry,
    write_team_entry,
)
from livecore.leaderboards.scoring import reaches
from livecore.teams.config import TEAM_RULES, TeamRules, ranks_teams
from livecore.teams.rewards import pay_unlocked
from livecore.teams.team import TEAMS, Team, goal_of, milestones_of, of_team
from livecore.teams.webhook_events import TeamGoalCompleted, TeamMilestoneUnlocked


def is_frozen(rules: TeamRules, team: Team) -> bool:
    """Whether the team's score and milestones stay as they are, because it has reached its goal."""
    return team.completed_at is not None and rules.on_complete == "stop_contributions"


def settle(unit: Unit, team: Team, definition: EventDefinition | None) -> Team:
    """Unlock what a team has reached, and bring its entry up to its score; stores the team."""
    if definition is None:
        return unit.tx.put(TEAMS, team)
    rules = TEAM_RULES.of(definition)
    if rules is not None and team.reached_at is not None and team.members:
        if not is_frozen(rules, team):
            team = _with_milestones(unit, team, definition, rules.milestones)
        team = _with_goal(unit, team, definition, rules)
    unit.tx.put(TEAMS, team)
    if ranks_teams(definition):
        _write_entry(unit, team)
    return team


def _with_milestones(unit: Unit, team: Team, definition: EventDefinition, milestones: Sequence[Milestone]) -> Team:
    for milestone in crossed_of(milestones, definition.order, team.score, milestones_of(team)):
        keys = JsonText(json.dumps([*milestones_of(team), milestone.key], separators=(",", ":")))
        team = evolve(team, milestones=keys, unlocks=team.unlocks + 1)
        paid = pay_unlocked(unit, team, milestone.entries, milestone.key)
        unit.emit(
            TeamMilestoneUnlocked(
                event_team_id=team.team_id,
                team_key=team.key,
                event_key=team.event_key,
                milestone_key=milestone.key,
                threshold=milestone.threshold,
                team_score=team.score,
                seat_count=team.members,
                paid_seat_count=paid or 0,
                pay_state="pending" if paid is None else "inline_done",
            )
        )
    return team


def _with_goal(unit: Unit, team: Team, definition: EventDefinition, rules: TeamRules) -> Team:
    goal = goal_of(rules, team)
    if goal is None or team.completed_at is not None or not reaches(definition.order, team.score, goal):
        return team
    team = evolve(team, goal=goal, completed_at=unit.now, unlocks=team.unlocks + 1)
    pay_unlocked(unit, team, rules.goal_rewards, None)
    unit.emit(
        TeamGoalCompleted(
            **of_team(team),
            score=team.score,
            goal_target=goal,
            member_count=team.members,
            completed_at=Timestamp(unit.now),
        )
    )
    return team


def team_board_id_in(unit: Unit, window_id: str) -> str:
    """The id of the board of the teams of a window, whose beginning is in its own id."""
    return board_id_of(unit.scope.id, moment_of(window_id) or 0, f"{window_id}/teams")


def standing_reads(unit: Unit, team_id: str, window_id: str) -> tuple[Get[Leaderboard], Get[BoardEntry]]:
    """The reads of the board of the teams of a window, and of a team's entry on it."""
    board_id = team_board_id_in(unit, window_id)
    return Get(BOARDS, (board_id,)), Get(ENTRIES, (board_id, team_id))


def _write_entry(unit: Unit, team: Team) -> None:
    """A team has an entry from the first contribution on, as long as somebody is in it."""
    if team.reached_at is None:
        return
    board, entry = unit.tx.read_together(*standing_reads(unit, team.team_id, team.window_id))
    if board is None:
        return
    if not team.members:
        if entry is not None and entry.sort_key is not None:
            remove_entry(unit, entry)
        return
    stands = entry is not None and entry.sort_key is not None
    if entry is None or not stands or (entry.score, entry.reached_at) != (team.score, team.reached_at):
        write_team_entry(unit, board, team.team_id, team.score, team.reached_at)
