"""Teams at events: those that players form, those that the studio's backend forms, and their board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.competing import Event, events_of
from tests.laws.model_state import Call, Player, Refused, Reply, equal, stamps
from tests.laws.routes import Body
from tests.laws.teaming import (
    Place,
    Seat,
    Team,
    Teams,
    empty_seat,
    erase,
    form,
    held,
    seat,
    seats_of,
    unite,
)
from tests.laws.teaming_up import found_some, roster, stray, team_up, unite_some
from tests.laws.teams_shown import is_team, learn_window


def _shows(call: Call, team: Team) -> Reply:
    return Reply(check=lambda data: is_team(call.scope, data["team"], team))


def _refuse_seated(call: Call, place: Place, player: Player) -> None:
    if held(call.scope, player, place.key) is not None:
        raise Refused(409, "already_in_team")


# -- what players do ------------------------------------------------------------------------------------------------------


def _list(call: Call) -> Reply:
    """Teams with a free seat, the fullest first."""
    place = Place.of(call, "open")
    known = {team.id_: team for team in call.scope.part(Teams).of(place.key) if team.free}

    def check(data: Body) -> None:
        rows = data["teams"]
        assert len(rows) == min(call["limit"] or 50, len(known))
        assert (data["nextCursor"] is None) is (len(rows) == len(known))
        free = [known[row["eventTeamId"]].free for row in rows]
        assert free == sorted(team.free for team in known.values())[: len(rows)]
        for row in rows:
            is_team(call.scope, row, known[row["eventTeamId"]])

    return Reply(check=check)


def _get_own(call: Call) -> Reply:
    """One's own team, however it was formed."""
    place = Place.of(call, "open", "partner", "external")
    own = held(call.scope, call.me, place.key)
    return Reply(check=lambda data: equal(data, {"team": None})) if own is None else _shows(call, own[0])


def _create(call: Call) -> Reply:
    """Found a team."""
    place = Place.of(call, "open")
    _refuse_seated(call, place, call.me)
    opened = place.enter()
    team, events = form(call.scope, place, [call.me], call.now, name=call["name"])
    return Reply(201, (*opened, *events), _shows(call, team).check, "team: founded")


def _join(call: Call) -> Reply:
    """Join the team with a key, or the fullest one, the oldest of several, or found one."""
    place = Place.of(call, "open")
    teams, key = call.scope.part(Teams).of(place.key), call["teamKey"]
    wanted = [team for team in teams if team.key == key and team.members]
    if key is not None and not wanted:
        raise Refused(404, "team_not_found")
    _refuse_seated(call, place, call.me)
    if key is not None and not wanted[0].free:
        raise Refused(409, "team_full")
    if key is None:
        wanted = sorted((team for team in teams if team.free), key=lambda team: (team.free, team.created_at, team.id_))
    opened = place.enter()
    if wanted:
        events, move = seat(call.scope, wanted[0], [call.me], call.now), "team: joined"
        return Reply(200, (*opened, *events), _shows(call, wanted[0]).check, move)
    team, events = form(call.scope, place, [call.me], call.now)
    return Reply(200, (*opened, *events), _shows(call, team).check, "team: founded for want of a seat")


def _own(call: Call, place: Place) -> tuple[Team, Seat]:
    own = held(call.scope, call.me, place.key)
    if own is None:
        raise Refused(409, "not_in_team")
    return own


def _leave(call: Call) -> Reply:
    """Leave a team or a pair."""
    team, own = _own(call, Place.of(call, "open", "partner"))
    move = "team: the founder left" if team.founder is own else "team: left"
    events = empty_seat(call.scope, team, own, call.now)
    return Reply(200, tuple(events), lambda data: equal(data, {"left": True}), move)


def _kick(call: Call) -> Reply:
    """Remove a member from the team that one has founded."""
    team, own = _own(call, place := Place.of(call, "open", "partner"))
    if team.founder is not own:
        raise Refused(403, "not_team_founder")
    if call["memberExternalId"] == call.player:
        raise Refused(400, "validation_failed")
    member = call.scope.players.get(call["memberExternalId"])
    found = None if member is None else held(call.scope, member, place.key)
    if found is None or found[0] is not team:
        raise Refused(409, "not_in_team")
    events = empty_seat(call.scope, team, found[1], call.now, "kicked")
    return Reply(200, tuple(events), lambda data: equal(data, {"removed": True}), "team: kicked")


# -- what the studio's backend does ---------------------------------------------------------------------------------------


def _event(call: Call) -> Event:
    event = events_of(call.scope).get(call["eventKey"])
    if event is None:
        raise Refused(404, "event_not_found")
    return event


def _named_window(call: Call, event: Event) -> int | None:
    """When the window begins that a call names, if it names one. Raises 404."""
    if call["windowId"] is None:
        return None
    key, starts_at = call.scope.part(Teams).windows.get(call["windowId"], ("", 0))
    if key != event.key:
        raise Refused(404, "event_window_not_found")
    return starts_at


def _get(call: Call) -> Reply:
    """A team of a window, also of one that is over or still to come."""
    return _shows(call, _found(call))


def _found(call: Call) -> Team:
    event = _event(call)
    starts_at = _named_window(call, event)
    if starts_at is None:
        starts_at = Place.now(event, call.now).starts_at
    teams = call.scope.part(Teams).of((event.key, starts_at))
    found = next((team for team in teams if team.key == call["teamKey"]), None)
    if found is None:
        raise Refused(404, "team_not_found")
    return found


def _roster_place(call: Call, event: Event) -> Place:
    """The window that is named, else the open one, else the next. Raises 404 and 409."""
    starts_at = _named_window(call, event)
    try:
        present = Place.now(event, call.now)
    except Refused:
        present = None
    if present is not None and starts_at in {None, present.starts_at}:
        return present
    coming = event.coming(call.now if starts_at is None else max(call.now, starts_at - 1))
    if coming is None or starts_at not in {None, coming[0]}:
        raise Refused(409, "event_not_active")
    return Place(event, *coming, None)


def _put_roster(call: Call) -> Reply:
    """The whole roster of a team: who is not on it leaves, who is new comes; all of it or nothing."""
    event = _event(call)
    place = _roster_place(call, event)
    place.require("external")
    players = [call.scope.known(name) for name in call["externalPlayerIds"]]
    team = next((team for team in call.scope.part(Teams).of(place.key) if team.key == call["teamKey"]), None)
    if len(players) > event.declared["teams"]["size"]["max"]:
        raise Refused(409, "team_full")
    sitting = [held(call.scope, player, place.key) for player in players]
    if any(found is not None and found[0] is not team for found in sitting):
        raise Refused(409, "locked_elsewhere")
    scheduled = place.starts_at > call.now
    events = [] if scheduled else place.enter()
    move = "roster: changed"
    if team is None:
        team, formed = form(call.scope, place, players, call.now, key=call["teamKey"])
        events, move = events + formed, "roster: of a window to come" if scheduled else "roster: formed"
    else:
        for gone in [one for one in team.members if one.player not in players]:
            events += empty_seat(call.scope, team, gone, call.now, settles=False)
        fresh = [player for player, found in zip(players, sitting, strict=True) if found is None]
        # What the team would have reached in between, it has not reached.
        events += seat(call.scope, team, fresh, call.now)
    team.name = team.name if call["name"] is None else call["name"]
    team.attributes = team.attributes if call["attributes"] is None else call["attributes"]

    def check(data: Body) -> None:
        window = data["window"]
        learn_window(call.scope, window["eventWindowId"], place.key)
        assert stamps(window, "startsAt", "endsAt") == [place.starts_at, place.ends_at]
        assert window["status"] == ("scheduled" if scheduled else "active")
        is_team(call.scope, data["team"], team)

    return Reply(200, tuple(events), check, move)


def _update(call: Call) -> Reply:
    """Other texts for a team, as for reading it."""
    team = _found(call)
    team.name = call["name"] if "name" in call.arguments else team.name
    team.attributes = team.attributes if call["attributes"] is None else call["attributes"]
    return attrs.evolve(_shows(call, team), move="team: changed by the studio")


def _ill_roster(call: Call) -> bool:
    names: Any = call["externalPlayerIds"]
    return not isinstance(names, list) or len(set(names)) < len(names)


# -- the area -------------------------------------------------------------------------------------------------------------


def _ids(_: str, data: Body) -> Iterator[tuple[str, str]]:
    if isinstance(data.get("team"), dict):
        yield f"{data['team']['formation']}-team", data["team"]["teamKey"]
    # Of all lists only that of events tells windows before anybody plays in them.
    for row in data.get("events", ()):
        for window in (row["window"], row["nextWindow"]):
            if window is not None:
                yield f"{row['eventKey']}-window", window["eventWindowId"]
        if row["window"] is not None and row["window"]["teamLeaderboardId"] is not None:
            yield "team-board", row["window"]["teamLeaderboardId"]


def _is_exported(call: Call, data: Body) -> None:
    own = {one.id_: one for one in seats_of(call.scope, call.me)}
    assert {row["seatId"] for row in data["teams"]} == set(own)
    for row in data["teams"]:
        one = own[row["seatId"]]
        assert (row["contribution"], row["leftReason"]) == (one.contribution, one.reason)
        assert stamps(row, "joinedAt", "leftAt") == [one.joined_at, one.left_at]


_EVENT: Final = "event_not_found event_not_active wrong_formation"

AREA: Final = Area(
    operations=(
        Operation("sdk:teams.list", _list, refuses=_EVENT),
        Operation("sdk:teams.getOwn", _get_own, refuses=_EVENT),
        Operation("sdk:teams.create", _create, refuses=f"{_EVENT} already_in_team", seldom="team_limit_reached"),
        Operation(
            "sdk:teams.join",
            _join,
            refuses=f"{_EVENT} team_not_found already_in_team team_full",
            seldom="team_limit_reached",
        ),
        Operation("sdk:teams.leave", _leave, refuses=f"{_EVENT} not_in_team"),
        Operation("sdk:teams.kick", _kick, refuses=f"{_EVENT} not_in_team not_team_founder validation_failed"),
        Operation(
            "server:teams.get",
            _get,
            about="nobody",
            refuses="event_not_found event_window_not_found event_not_active team_not_found",
        ),
        Operation(
            "server:teams.update",
            _update,
            about="nobody",
            refuses="event_not_found event_window_not_found event_not_active team_not_found",
        ),
        Operation(
            "server:teams.putRoster",
            _put_roster,
            about="nobody",
            faults=_ill_roster,
            refuses=f"{_EVENT} event_window_not_found player_not_found team_full locked_elsewhere validation_failed",
        ),
    ),
    transitions=(
        "team: founded",
        "team: joined",
        "team: founded for want of a seat",
        "team: left",
        "team: the founder left",
        "team: kicked",
        "team: changed by the studio",
        "roster: formed",
        "roster: changed",
        "roster: of a window to come",
        "team: reached its goal",
    ),
    on_merge=unite,
    on_erase=erase,
    is_exported=_is_exported,
    ids=_ids,
    broad_scenes=((3, team_up), (1, found_some), (3, roster), (2, unite_some), (1, stray)),
)
