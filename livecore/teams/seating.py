"""The only functions that change who is in a team.

Each keeps what always holds: a team counts its members, its founder is one of them, and its score is what they have
contributed, with the part of those who left where the event keeps it. A team is settled once, when all who go have gone and
all who come have come: what it has reached in between it has not reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from livecore.events.definition import EventDefinition
from livecore.kernel.storage.reads import AnyRead, Read, Scan
from livecore.kernel.storage.records import JsonText, PlayerId, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player, by_id
from livecore.social.codes import ALPHABET
from livecore.teams.config import TEAM_RULES, TeamRules, ranks_teams
from livecore.teams.scores import is_frozen, settle, standing_reads
from livecore.teams.team import (
    MEMBERS,
    SEATS,
    TEAMS,
    LeftReason,
    Team,
    TeamSeat,
    attributes_of,
    goal_for,
    members_of,
    members_read,
    of_team,
    room_in,
    team_now,
)
from livecore.teams.webhook_events import TeamFormed, TeamMemberJoined, TeamMemberLeft
from livecore.teams.windows import TeamWindow

_KEY_ALPHABET: Final = ALPHABET.lower()
_KEY_LENGTH: Final = 10
"""Long enough that two teams of a window never have the same; the store refuses it if they should."""


# -- forming --------------------------------------------------------------------------------------------------------------


def form(
    unit: Unit,
    window: TeamWindow,
    players: Iterable[Player],
    *,
    team_id: str | None = None,
    key: str | None = None,
    name: str | None = None,
    attributes: JsonText | None = None,
) -> Team:
    """Form a team of players, who have no seat in the window.

    Without a `key` it has one that is short enough to be told to a friend.
    """
    team = Team(
        team_id=team_id or unit.new_id("etm"),
        window_id=window.window_id,
        open_in=window.window_id,
        event_key=window.event_key,
        event_id=window.event_id,
        key=key or unit.entropy.text(_KEY_ALPHABET, _KEY_LENGTH),
        name=name,
        formation=window.rules.formation,
        attributes=JsonText("{}") if attributes is None else attributes,
        created_at=unit.now,
    )
    unit.tx.insert(TEAMS, team)
    founders = tuple(players)
    unit.emit(
        TeamFormed(
            **of_team(team),
            display_name=team.name,
            formation=team.formation,
            member_count=len(founders),
            goal_target=goal_for(window.rules, len(founders)),
            attributes=attributes_of(team),
            formed_at=Timestamp(unit.now),
        ),
        about=None if team.formation == "external" or not founders else founders[0].player_id,
    )
    return settle(unit, seat(unit, team, founders, window.definition), window.definition)


# -- taking seats ---------------------------------------------------------------------------------------------------------


def seat(unit: Unit, team: Team, players: Iterable[Player], definition: EventDefinition) -> Team:
    """Seat players, who have no seat in the window; the caller has checked that there is room, and settles the team."""
    for player in players:
        number = team.seats + 1
        taken = TeamSeat(
            seat_id=unit.new_id("est"),
            team_id=team.team_id,
            window_id=team.window_id,
            player_id=player.player_id,
            number=number,
            standing=number,
            joined_at=unit.now,
        )
        unit.tx.insert(SEATS, taken)
        founder = team.founder_seat or (None if team.formation == "external" else taken.seat_id)
        members = team.members + 1
        team = evolve(
            team, seats=number, members=members, room=room_in(TEAM_RULES.of(definition), members), founder_seat=founder
        )
        unit.emit(
            TeamMemberJoined(
                **of_team(team),
                seat_id=taken.seat_id,
                player_id=player.player_id,
                external_player_id=player.external_id,
                member_count=members,
                joined_at=Timestamp(unit.now),
            )
        )
    return team


def team_reads(unit: Unit, team_id: str, window_id: str) -> list[Read[Any]]:
    """What is read of a team while it changes, and when it is shown after that: its members, and how it stands."""
    return [members_read(team_id), *standing_reads(unit, team_id, window_id)]


def known_team_reads(unit: Unit, team: Team) -> list[Read[Any]]:
    """As `team_reads`, where the team itself has been read: before its first contribution it stands nowhere."""
    if team.reached_at is None:
        return [members_read(team.team_id)]
    return team_reads(unit, team.team_id, team.window_id)


def join_team(unit: Unit, team: Team, player: Player, definition: EventDefinition) -> Team:
    """Seat a player, and settle the team."""
    return settle(unit, seat(unit, team, (player,), definition), definition)


def give_seat_to(unit: Unit, held: TeamSeat, target_id: PlayerId) -> None:
    """Give the seat of a player who is merged to the target, who has none in the window."""
    unit.tx.put(SEATS, evolve(held, player_id=target_id))


def join_seats(unit: Unit, held: TeamSeat, kept: TeamSeat, definition: EventDefinition | None) -> None:
    """Make one seat of two in the same team, because their players are one now; what both have contributed stays."""
    team = team_now(unit, held.team_id)
    # The row stays: what the team has won by now is still paid to it.
    unit.tx.put(SEATS, evolve(_freed(unit, team, held, "left"), player_id=kept.player_id, contribution=0))
    unit.tx.put(SEATS, evolve(kept, contribution=kept.contribution + held.contribution))
    members = team.members - 1
    founder = kept.seat_id if team.founder_seat == held.seat_id else team.founder_seat
    team = evolve(team, members=members, room=room_in(_rules(definition), members), founder_seat=founder)
    _emit_left(unit, team, held, by_id(unit, held.player_id), "left", removed=False)
    settle(unit, team, definition)


# -- giving seats up ------------------------------------------------------------------------------------------------------


def leave_team(unit: Unit, held: TeamSeat, definition: EventDefinition | None, reason: LeftReason) -> None:
    """Free a seat, and settle its team."""
    player = by_id(unit, held.player_id)
    settle(unit, unseat(unit, team_now(unit, held.team_id), held, player, definition, reason), definition)


def leaving_reads(unit: Unit, team: Team, held: TeamSeat, definition: EventDefinition | None) -> Iterator[AnyRead]:
    """What is read besides the team and the player when a seat is left: the next founder, and how the team stands."""
    if team.founder_seat == held.seat_id:
        yield Scan(MEMBERS, (team.team_id,))
    if definition is not None and ranks_teams(definition) and team.reached_at is not None:
        yield from standing_reads(unit, team.team_id, team.window_id)


def unseat(
    unit: Unit, team: Team, held: TeamSeat, player: Player, definition: EventDefinition | None, reason: LeftReason
) -> Team:
    """Free a player's seat; the caller settles the team.

    A founder who goes is followed by the member of longest standing.
    """
    rules = _rules(definition)
    unit.tx.put(SEATS, _freed(unit, team, held, reason))
    members = team.members - 1
    team = evolve(team, members=members, room=room_in(rules, members), founder_seat=_founder(unit, team, held))
    removed = rules is not None and rules.on_leave == "remove_contribution" and not is_frozen(rules, team)
    if not removed:
        team = evolve(team, departed=team.departed + held.contribution)
    elif held.contribution:
        team = evolve(team, score=team.score - held.contribution, reached_at=unit.now)
    _emit_left(unit, team, held, player, reason, removed=removed)
    return team


def _freed(unit: Unit, team: Team, held: TeamSeat, reason: LeftReason) -> TeamSeat:
    return evolve(held, standing=None, left_at=unit.now, left_reason=reason, unlocks_by_then=team.unlocks)


def _rules(definition: EventDefinition | None) -> TeamRules | None:
    return None if definition is None else TEAM_RULES.of(definition)


def _founder(unit: Unit, team: Team, gone: TeamSeat) -> str | None:
    if team.founder_seat != gone.seat_id:
        return team.founder_seat
    return next((member.seat_id for member in members_of(unit, team.team_id) if member.seat_id != gone.seat_id), None)


def _emit_left(unit: Unit, team: Team, held: TeamSeat, player: Player, reason: LeftReason, *, removed: bool) -> None:
    unit.emit(
        TeamMemberLeft(
            **of_team(team),
            seat_id=held.seat_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            reason=reason,
            contribution=held.contribution,
            contribution_removed=removed,
            member_count=team.members,
            left_at=Timestamp(unit.now),
        )
    )
