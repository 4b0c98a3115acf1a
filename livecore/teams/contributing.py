"""What progress of an attempt adds to the team of its player, in the transaction of the progress."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.events.definition import EventDefinition
from livecore.kernel.storage.reads import AnyRead, Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.teams.config import TEAM_RULES
from livecore.teams.refusals import TeamRequired
from livecore.teams.scores import is_frozen, settle, standing_reads
from livecore.teams.team import SEATS, TEAMS, TeamSeat, held_seat, held_seat_read, team_now


def require_seat(unit: Unit, player_id: str, window_id: str, definition: EventDefinition) -> TeamSeat | None:
    """The seat that a player needs to start; `None` at an event without teams. Raises `TeamRequired`."""
    rules = TEAM_RULES.of(definition)
    if rules is None:
        return None
    held = held_seat(unit, player_id, window_id)
    if held is None:
        raise TeamRequired(formation=rules.formation)
    return held


def _countable(gained: int, *sums: int) -> int:
    """The part of a change that keeps every sum within what can be shown."""
    most = min(MAX_AMOUNT - known for known in sums)
    least = max(-MAX_AMOUNT - known for known in sums)
    return max(least, min(most, gained))


def contribution_reads(unit: Unit, player_id: str, window_id: str, team_id: str) -> Iterator[AnyRead]:
    """What `contribute` reads where the player still sits in this team."""
    yield held_seat_read(player_id, window_id)
    yield Get(TEAMS, (team_id,))
    yield from standing_reads(unit, team_id, window_id)


def contribute(
    unit: Unit, player_id: str, window_id: str, definition: EventDefinition, before: int | None, after: int | None
) -> None:
    """Add what an attempt's score has changed by to the seat of its player, and to the team.

    Nothing is added where the player sits in no team now. What would make either pass 2^53 - 1 does not count, so that one
    member's score does not refuse the others'.
    """
    held = held_seat(unit, player_id, window_id)
    rules = TEAM_RULES.of(definition)
    if held is None or rules is None or after is None:
        return
    team = team_now(unit, held.team_id)
    stops = is_frozen(rules, team)
    gained = _countable(after - (before or 0), held.contribution, *(() if stops else (team.score,)))
    unit.tx.put(SEATS, evolve(held, contribution=held.contribution + gained))
    if stops:
        return
    reached_at = unit.now if gained or team.reached_at is None else team.reached_at
    settle(unit, evolve(team, score=team.score + gained, reached_at=reached_at), definition)
