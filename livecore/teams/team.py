"""Teams in the windows of events, and the seats in them.

    formed ──▶ forming ⇄ active ──goal──▶ completed ──▶ finalized
                  └────────────window closes──────────────▲

A player has at most one seat in a window. A seat says what its player has contributed; when the player leaves, the row of
the seat stays, because an earlier milestone may still have to be paid to it. A team's score is what its members have
contributed, and what those who left have contributed where the event keeps that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, cast

from livecore.events.definition_rows import Formation
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.teams.config import TeamRules

Status: TypeAlias = Literal["forming", "active", "completed", "finalized"]
"""Whether a team still gathers members, plays, has reached its goal, or is over."""
LeftReason: TypeAlias = Literal["left", "kicked"]
"""Whether a member went, or was removed by the founder."""


# -- records --------------------------------------------------------------------------------------------------------------


@record
class Team:
    """A team in one window. `members` counts those who sit in it, `seats` all who ever did.

    `open_in` is the window until the team is final. `room` is how many more can join an open team; it is empty for a team
    that nobody can join. `departed` is the part of the score that came from those who left. `reached_at` is since when the
    team has its score, empty before the first contribution. `goal` is the goal that it has reached, as it was then.
    `unlocks` counts what its members have won.
    """

    team_id: str
    window_id: str
    event_key: str
    event_id: str
    key: str
    name: str | None
    formation: Formation
    open_in: str | None
    members: int = 0
    seats: int = 0
    room: int | None = None
    founder_seat: str | None = None
    score: int = 0
    departed: int = 0
    reached_at: Millis | None = None
    unlocks: int = 0
    milestones: JsonText = JsonText("[]")
    goal: int | None = None
    completed_at: Millis | None = None
    rank: int | None = None
    finalized_at: Millis | None = None
    attributes: JsonText = JsonText("{}")
    created_at: Millis


@record
class TeamSeat:
    """A player's seat in a team; `number` counts the team's seats. `standing` is the number while the player sits there.

    `unlocks_by_then` is how much the team had unlocked when the player left: what came later is not paid to this seat.
    """

    seat_id: str
    team_id: str
    window_id: str
    player_id: PlayerId
    number: int
    standing: int | None
    contribution: int = 0
    joined_at: Millis
    left_at: Millis | None = None
    left_reason: LeftReason | None = None
    unlocks_by_then: int | None = None


@record
class TeamUnlock:
    """What a team has won: a milestone, or its goal. It is paid to the seats up to `last_seat` that had not left by then.

    `unpaid_in` is the window, until every seat has been paid.
    """

    team_id: str
    number: int
    milestone: str | None
    last_seat: int
    unlocked_at: Millis
    paid_at: Millis | None = None
    unpaid_in: str | None = None


TEAMS = Table("event_teams", Team, key=("team_id",))
BY_KEY = TEAMS.unique("window_id", "key")
WITH_ROOM = TEAMS.index("with_room", prefix=("window_id",), order=("room", "created_at"))
"""Teams that can be joined, the fullest first."""
AHEAD = TEAMS.index("ahead", prefix=("event_key",), order=("open_in",))
"""Teams of an event that are not final, by when their windows begin: an id of a window sorts by that."""
OF_WINDOW = TEAMS.index("of_window", prefix=("window_id",), order=("key",))
OPEN_IN = TEAMS.index("open_in", prefix=("open_in",), order=("team_id",))

SEATS = Table(
    "event_team_seats",
    TeamSeat,
    key=("seat_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.RETAIN)},
    export=("teams", "seats"),
)
SEATS_OF_TEAM = SEATS.index("of_team", prefix=("team_id",), order=("number",))
MEMBERS = SEATS.index("members", prefix=("team_id",), order=("standing",))
HELD = SEATS.index("held", prefix=("player_id", "window_id"), order=("standing",))
SEATS_OF_PLAYER = SEATS.index("of_player", prefix=("player_id",), order=("joined_at",))
SEATS_IN_WINDOW = SEATS.index("in_window", prefix=("player_id", "window_id"), order=("joined_at",))
"""Also those that a player has left."""

UNLOCKS = Table("event_team_unlocks", TeamUnlock, key=("team_id", "number"))
UNLOCKS_OF_TEAM = UNLOCKS.index("of_team", prefix=("team_id",), order=("number",))
UNPAID_IN = UNLOCKS.index("unpaid_in", prefix=("unpaid_in",), order=("team_id", "number"))

TEAM_PREFIX: Final = "etm_"
"""With what the ids of teams begin."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def milestones_of(team: Team) -> tuple[str, ...]:
    """The keys of the milestones that a team has unlocked, in their order."""
    return tuple(json.loads(team.milestones))


def attributes_of(team: Team) -> dict[str, object]:
    """What the studio's backend keeps with a team."""
    return cast("dict[str, object]", json.loads(team.attributes))


def goal_for(rules: TeamRules, members: int) -> int | None:
    """The score at which a team of so many members reaches its goal; `None` without one."""
    if rules.goal is None:
        return None
    return rules.goal.target * members if rules.goal.per_member else rules.goal.target


def goal_of(rules: TeamRules | None, team: Team) -> int | None:
    """The score at which a team reaches its goal, or has reached it; `None` without one."""
    return team.goal if team.completed_at is not None or rules is None else goal_for(rules, team.members)


def room_in(rules: TeamRules | None, members: int) -> int | None:
    """How many more can join a team of so many members; `None` where nobody can."""
    if rules is None:
        return None
    free = rules.seats.max - members
    return free if rules.formation == "open" and members and free > 0 else None


def status_of(rules: TeamRules | None, team: Team, *, window_has_opened: bool) -> Status:
    """A team's state: it plays from the opening of its window on, with as many members as the event asks for."""
    if team.finalized_at is not None:
        return "finalized"
    if team.completed_at is not None:
        return "completed"
    enough = 1 if rules is None else rules.seats.min
    return "active" if window_has_opened and team.members >= enough else "forming"


def of_team(team: Team) -> dict[str, str]:
    """What every event about a team says of it."""
    return {
        "event_team_id": team.team_id,
        "team_key": team.key,
        "event_key": team.event_key,
        "event_window_id": team.window_id,
    }


# -- operations -----------------------------------------------------------------------------------------------------------


def team_now(unit: Unit, team_id: str) -> Team:
    """A team that there is, as the unit sees it. Raises `LookupError`."""
    return teams_now(unit, (team_id,))[0]


def teams_now(unit: Unit, team_ids: Iterable[str]) -> list[Team]:
    """Several teams that there are. Raises `LookupError`."""
    return unit.tx.existing(TEAMS, team_ids)


def members_of(unit: Unit, team_id: str) -> list[TeamSeat]:
    """The seats in which somebody sits, by how long."""
    return unit.tx.scanned(members_read(team_id))


def members_read(team_id: str) -> Scan[TeamSeat]:
    """The read of the seats in which somebody sits."""
    return Scan(MEMBERS, (team_id,))


def held_seat_read(player_id: str, window_id: str) -> Scan[TeamSeat]:
    """The read of the seat in which a player sits in a window; there is one at most."""
    return Scan(HELD, (player_id, window_id), limit=1)


def held_seat(unit: Unit, player_id: str, window_id: str) -> TeamSeat | None:
    """The seat in which a player sits in a window."""
    return next(iter(unit.tx.scanned(held_seat_read(player_id, window_id))), None)
