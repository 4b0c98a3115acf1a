"""Rosters: the teams that the studio's backend forms, as of the members of a guild. All of a roster is taken, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.kernel.storage.reads import Find, Get
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.players.player import BY_EXTERNAL_ID, PLAYERS, Player
from livecore.players.refusals import PlayerNotFound
from livecore.teams.reading import row
from livecore.teams.refusals import LockedElsewhere, TeamFull
from livecore.teams.rows import PutRoster, Roster, RosterWindow
from livecore.teams.scores import settle
from livecore.teams.seating import form, seat, team_reads, unseat
from livecore.teams.team import BY_KEY, Team, held_seat_read, members_of
from livecore.teams.windows import TeamWindow, window_of_roster

_MOST_NAMED = 100
"""How many players a refusal names."""


def put_roster(unit: Unit, args: PutRoster) -> Roster:
    """Make a team have exactly these members; who is not among them any more has left.

    Refusals, in order: `EventNotFound`, `EventWindowNotFound`, `EventNotActive`, `WrongFormation`, `PlayerNotFound`,
    `TeamFull`, `LockedElsewhere`.
    """
    window = window_of_roster(unit, args.event_key, args.window_id)
    found, (team,) = unit.tx.read_lists(
        (Find(BY_EXTERNAL_ID, (external_id,)) for external_id in args.external_player_ids),
        [Find(BY_KEY, (window.window_id, args.team_key))],
    )
    players = _known(args.external_player_ids, found)
    most = window.rules.seats.max
    if len(players) > most:
        raise TeamFull(max_members=most)
    team_id = unit.new_id("etm") if team is None else team.team_id
    _refuse_locked(unit, window, team_id, players)
    attributes = None if args.attributes is None else JsonText(compact(dict(args.attributes)))
    if team is None:
        team = form(unit, window, players, team_id=team_id, key=args.team_key, name=args.name, attributes=attributes)
    else:
        team = _changed(unit, window, team, players, args.name, attributes)
    shown = RosterWindow(
        event_window_id=window.window_id,
        starts_at=Timestamp(window.span.starts_at),
        ends_at=Timestamp(window.span.ends_at),
        status="active" if window.opened else "scheduled",
    )
    return Roster(team=row(unit, team), window=shown)


def _known(external_ids: Sequence[str], found: Sequence[Player | None]) -> list[Player]:
    unknown = [external_id for external_id, player in zip(external_ids, found, strict=True) if player is None]
    if unknown:
        raise PlayerNotFound.of(unknown[0], external_player_ids=list(unknown[:_MOST_NAMED]))
    return [player for player in found if player is not None]


def _refuse_locked(unit: Unit, window: TeamWindow, team_id: str, players: Sequence[Player]) -> None:
    """Raises `LockedElsewhere`; what is read of the team after that is asked for as well."""
    named = {player.player_id: player.external_id for player in players}
    held_by, _ = unit.tx.read_lists(
        (held_seat_read(player_id, window.window_id) for player_id in named),
        team_reads(unit, team_id, window.window_id),
    )
    locked = [named[held.player_id] for seats in held_by for held in seats if held.team_id != team_id]
    if locked:
        raise LockedElsewhere(external_player_ids=list(locked[:_MOST_NAMED]))


def _changed(
    unit: Unit, window: TeamWindow, team: Team, players: Sequence[Player], name: str | None, attributes: JsonText | None
) -> Team:
    """Bring a team to its new roster: who is not on it leaves, before who is new comes."""
    team = evolve(
        team,
        name=team.name if name is None else name,
        attributes=team.attributes if attributes is None else attributes,
    )
    wanted = {player.player_id for player in players}
    members = members_of(unit, team.team_id)
    leaving = [held for held in members if held.player_id not in wanted]
    gone = unit.tx.read_all(Get(PLAYERS, (held.player_id,)) for held in leaving)
    for held, player in zip(leaving, gone, strict=True):
        if player is None:
            raise PlayerNotFound
        team = unseat(unit, team, held, player, window.definition, "left")
    seated = {held.player_id for held in members}
    fresh = [player for player in players if player.player_id not in seated]
    return settle(unit, seat(unit, team, fresh, window.definition), window.definition)
