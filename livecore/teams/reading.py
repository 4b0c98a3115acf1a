"""Teams as clients and the studio's backend see them, and as an export lists a player's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from livecore.events.definition import EventDefinition
from livecore.events.operator_windows import require_window
from livecore.events.refusals import EventNotFound, EventWindowNotFound
from livecore.events.window_records import EVENTS, WINDOWS, EventWindow
from livecore.events.windows import named_window
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of, unpack
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.players.player import acting
from livecore.social.others import counterparties
from livecore.social.rows import Counterparty
from livecore.teams.config import TEAM_RULES, TeamRules
from livecore.teams.refusals import TeamNotFound
from livecore.teams.rows import (
    ExportedTeamSeat,
    GetOwnTeam,
    GetTeam,
    ListTeams,
    ListTeamsOfWindow,
    OfTeam,
    OneTeam,
    OwnTeam,
    TeamMember,
    TeamRow,
    Teams,
    TeamSummaries,
    TeamSummary,
    UpdateTeam,
)
from livecore.teams.team import (
    BY_KEY,
    OF_WINDOW,
    SEATS_OF_PLAYER,
    TEAMS,
    WITH_ROOM,
    Team,
    TeamSeat,
    attributes_of,
    goal_of,
    held_seat,
    members_read,
    milestones_of,
    status_of,
    teams_now,
)
from livecore.teams.windows import definitions_in, has_opened, team_window_to_read, window_read, window_to_read

# -- rows -----------------------------------------------------------------------------------------------------------------


def row(unit: Unit, team: Team) -> TeamRow:
    """A team as clients see it, with the identities of its members as they are now."""
    return _rows(unit, (team,))[0]


def _rows(unit: Unit, teams: Sequence[Team]) -> tuple[TeamRow, ...]:
    windows, members = unit.tx.read_lists(map(window_read, teams), [members_read(team.team_id) for team in teams])
    return _with_members(unit, teams, windows, members)


def _with_members(
    unit: Unit,
    teams: Sequence[Team],
    windows: Sequence[EventWindow | None],
    members: Sequence[Sequence[TeamSeat]],
) -> tuple[TeamRow, ...]:
    shown = counterparties(unit, (seat.player_id for seats in members for seat in seats))
    return tuple(map(partial(_row, shown), _summaries(unit, teams, windows), members))


def _row(shown: Mapping[str, Counterparty], summary: TeamSummary, members: Sequence[TeamSeat]) -> TeamRow:
    seats = sorted(members, key=lambda seat: (-seat.contribution, seat.number))
    rows = (_member(seat, shown[seat.player_id], rank) for rank, seat in enumerate(seats, 1))
    return TeamRow(**fields_of(summary), members=tuple(rows))


def _summaries(unit: Unit, teams: Sequence[Team], windows: Sequence[EventWindow | None]) -> tuple[TeamSummary, ...]:
    """Teams without their members, given the rows of their windows."""
    return tuple(map(partial(_summary, unit), teams, windows, definitions_in(unit, teams, windows)))


def _summary(unit: Unit, team: Team, window: EventWindow | None, definition: EventDefinition | None) -> TeamSummary:
    rules = None if definition is None else TEAM_RULES.of(definition)
    return TeamSummary(
        event_team_id=team.team_id,
        team_key=team.key,
        name=team.name,
        formation=team.formation,
        event_key=team.event_key,
        event_window_id=team.window_id,
        status=status_of(rules, team, window_has_opened=has_opened(unit, team, window)),
        member_count=team.members,
        max_members=_most(rules, team),
        score=team.score,
        goal=goal_of(rules, team),
        completed=team.completed_at is not None,
        final_rank=team.rank,
        attributes=attributes_of(team),
        milestones=milestones_of(team),
    )


def _most(rules: TeamRules | None, team: Team) -> int:
    return team.members if rules is None else rules.seats.max


def _member(seat: TeamSeat, shown: Counterparty, rank: int) -> TeamMember:
    return TeamMember(
        seat_id=seat.seat_id,
        external_player_id=shown.external_player_id,
        display_identity=shown.display_identity,
        contribution=seat.contribution,
        rank=rank,
        joined_at=Timestamp(seat.joined_at),
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def list_teams(unit: Unit, args: ListTeams) -> Teams:
    """Teams that can be joined, the fullest first.

    Refusals, in order: `ValidationFailed` for the cursor, `EventNotFound`, `EventNotActive`, `WrongFormation`.
    """
    page = PageRequest(args.limit, unpack(args.cursor, (int, int, str)))
    window_id, _ = team_window_to_read(unit, args.key, "open")
    found = unit.tx.scan(WITH_ROOM, window_id, after=page.beyond, limit=page.reach)
    teams, following = page_of(found, page, WITH_ROOM.position_of)
    return Teams(teams=_rows(unit, teams), next_cursor=following)


def get_own(unit: Unit, args: GetOwnTeam) -> OwnTeam:
    """The player's team in the open window. Refusals, in order: `EventNotFound`, `EventNotActive`, `WrongFormation`."""
    window_id, _ = team_window_to_read(unit, args.key, "open", "partner", "external")
    held = held_seat(unit, acting(unit).player_id, window_id)
    if held is None:
        return OwnTeam(team=None)
    team, window, members = unit.tx.read_together(
        Get(TEAMS, (held.team_id,)), Get(WINDOWS, (window_id,)), members_read(held.team_id)
    )
    if team is None:
        raise LookupError(f"there is no team {held.team_id}")
    return OwnTeam(team=_with_members(unit, (team,), (window,), (members,))[0])


def get_team(unit: Unit, args: GetTeam) -> OneTeam:
    """A team by its key, in the window that is named or else in the open one.

    Refusals, in order: `EventNotFound`, `EventWindowNotFound`, `EventNotActive`, `TeamNotFound`.
    """
    return OneTeam(team=row(unit, team_of(unit, args)))


def team_of(unit: Unit, args: GetTeam | UpdateTeam) -> Team:
    """The team that a request of the studio's backend is about; refusals as of `get_team`."""
    if args.window_id is None:
        team = unit.tx.find(BY_KEY, window_to_read(unit, args.event_key), args.team_key)
    else:
        team = _team_in_window(unit, args.event_key, args.window_id, args.team_key)
    if team is None:
        raise TeamNotFound.of(args.team_key)
    return team


def _team_in_window(unit: Unit, event_key: str, window_id: str, key: str) -> Team | None:
    """A team of a window that is named. Raises `EventNotFound`, and `EventWindowNotFound` where there is neither."""
    if unit.tx.get(EVENTS, event_key) is None:
        raise EventNotFound.of(event_key)
    team = unit.tx.find(BY_KEY, window_id, key)
    if team is not None and team.event_key == event_key:
        return team
    if named_window(unit, event_key, window_id) is None:
        raise EventWindowNotFound.of(window_id)
    return None


# -- as the studio's members see them -------------------------------------------------------------------------------------


def get_team_by_id(unit: Unit, args: OfTeam) -> OneTeam:
    """A team by its id, of any window. Raises `TeamNotFound`."""
    return OneTeam(team=row(unit, team_in(unit, args.team_id)))


def team_in(unit: Unit, team_id: str) -> Team:
    """The team with this id. Raises `TeamNotFound`."""
    team = unit.tx.get(TEAMS, team_id)
    if team is None:
        raise TeamNotFound.of(team_id)
    return team


def list_of_window(unit: Unit, args: ListTeamsOfWindow) -> TeamSummaries:
    """A page of the teams of a window, by their keys, also of one that is still to come.

    Raises `ValidationFailed` for a cursor that is none, `EventNotFound` and `EventWindowNotFound`.
    """
    page = PageRequest(args.limit, unpack(args.cursor, (str, str)))
    require_window(unit, args.event_key, args.window_id)
    teams, cursor = page_of(unit.tx.scanned(_in_window(args, page)), page, OF_WINDOW.position_of)
    windows = unit.tx.read_all(map(window_read, teams))
    return TeamSummaries(teams=_summaries(unit, teams, windows), next_cursor=cursor)


def _in_window(args: ListTeamsOfWindow, page: PageRequest) -> Scan[Team]:
    return Scan(OF_WINDOW, (args.window_id,), after=page.beyond, limit=page.reach)


# -- a player's own -------------------------------------------------------------------------------------------------------


def exported_seats(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for teams, the latest first."""
    page = page_by_time(wanted)
    found = unit.tx.scanned(page.newest(SEATS_OF_PLAYER, player_id))
    seats, cursor = page_of(found, page, SEATS_OF_PLAYER.position_of)
    teams = teams_now(unit, (seat.team_id for seat in seats))
    return Exported(tuple(map(_exported, seats, teams)), cursor)


def _exported(seat: TeamSeat, team: Team) -> ExportedTeamSeat:
    return ExportedTeamSeat(
        seat_id=seat.seat_id,
        event_team_id=team.team_id,
        team_key=team.key,
        event_key=team.event_key,
        event_window_id=team.window_id,
        contribution=seat.contribution,
        joined_at=Timestamp(seat.joined_at),
        left_at=stamp(seat.left_at),
        left_reason=seat.left_reason,
    )
