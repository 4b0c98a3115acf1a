"""Playing events in teams: finding a seat, founding, pairing up, leaving."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.simulation.behaviour import Me
from livecore.simulation.game import PlayedEvent
from livecore.simulation.sessions.events import is_open, play

_MOST_INVITED = 2


def play_in_team(me: Me, event: PlayedEvent) -> Iterator[float]:
    """Find a seat where there is none, then play."""
    row = is_open(me, event)
    if row is None or row.window is None or not me.chance(f"team-{event.key}", me.traits.activities.teams):
        return
    window = row.window.event_window_id
    if me.known.teams.get(event.key) != window:
        if event.format == "open":
            yield from _find_team(me, event, window)
        elif event.format == "partner":
            yield from _find_partner(me, event, window)
        elif me.name in me.community.seated.get(window, {}):
            me.known.teams[event.key] = window
        if me.known.teams.get(event.key) != window:
            return
    yield from play(me, event)
    if event.format != "external" and me.chance("leave-team", 0.02):
        yield from _part(me, event)


def _find_team(me: Me, event: PlayedEvent, window: str) -> Iterator[float]:
    yield me.wait("team", 2, 8)
    if me.chance("found-team", 0.15 * me.traits.friendliness):
        done = me.do("teams.create", key=event.key, name=f"Team {me.community.order[me.name] + 1}")
        me.known.founded[event.key] = window
    elif me.chance("pick-team", 0.15):
        teams = me.do("teams.list", key=event.key, limit=10)
        free = teams.row.teams if teams.ok else ()
        done = (
            me.do("teams.join", key=event.key, team_key=me.choose("team", free).team_key)
            if free
            else me.do("teams.join", key=event.key)
        )
    else:
        done = me.do("teams.join", key=event.key)
    if done.ok or done.code == "already_in_team":
        me.known.teams[event.key] = window


def _find_partner(me: Me, event: PlayedEvent, window: str) -> Iterator[float]:
    invites = me.do("partners.listInvites", key=event.key)
    if me.known.paired.get(window) is not None and invites.ok and not invites.row.outgoing:
        # Who has invited and has no open invitation any more may have been accepted.
        own = me.do("teams.getOwn", key=event.key)
        if own.ok and own.row.team is not None:
            me.known.teams[event.key] = window
            return
    for invite in invites.row.incoming if invites.ok else ():
        yield me.wait("invite", 2, 8)
        if me.chance("accept-invite", 0.8):
            if me.do("partners.accept", key=event.key, invite_id=invite.invite_id).ok:
                me.known.teams[event.key] = window
                return
        else:
            me.do("partners.decline", key=event.key, invite_id=invite.invite_id)
    waiting = {invite.player.external_player_id for invite in invites.row.outgoing} if invites.ok else set()
    if waiting and me.chance("cancel-invite", 0.1):
        me.do("partners.cancel", key=event.key, invite_id=invites.row.outgoing[-1].invite_id)
    paired = me.known.paired.get(window, set())
    friends = sorted(name for name in me.known.friends if name not in waiting and name not in paired)
    for name in me.draw("invited").weighted_sample(friends, [1.0] * len(friends), max(0, _MOST_INVITED - len(waiting))):
        yield me.wait("invite", 2, 8)
        done = me.do("partners.invite", key=event.key, external_player_id=name)
        _remember_paired(me, window, paired)
        if done.ok and done.status == 200 and done.row.team:
            me.known.teams[event.key] = window
            return
        if done.code == "already_in_team":
            paired.add(name)


def _remember_paired(me: Me, window: str, paired: set[str]) -> None:
    """Of windows that are over nothing is remembered."""
    shown = {row.window.event_window_id for row in me.known.events.values() if row.window is not None}
    me.known.paired = {one: names for one, names in me.known.paired.items() if one in shown} | {window: paired}


def _part(me: Me, event: PlayedEvent) -> Iterator[float]:
    """Leave one's team, or, as its founder, put a member out."""
    yield me.wait("part", 2, 8)
    own = me.do("teams.getOwn", key=event.key)
    team = own.row.team if own.ok else None
    if team is None:
        me.known.teams.pop(event.key, None)
        return
    others = [member.external_player_id for member in team.members if member.external_player_id != me.name]
    window = me.known.teams.get(event.key)
    if event.format == "open" and others and me.known.founded.get(event.key) == window:
        me.do("teams.kick", key=event.key, member_external_id=others[-1])
    elif me.do("teams.leave", key=event.key).ok:
        me.known.teams.pop(event.key, None)
