"""The model's teams: who sits where, what a team has reached, and what it wins (contract, "Teams and partners").

A score is never kept: it is what those have contributed who sit in a team, and, where the event keeps that, those who have
left it. What stands on a board is sorted whenever it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import attrs

from tests.laws.areas.grants import Grants
from tests.laws.competing import Event, Window, crossed, events_of, owner, reaches
from tests.laws.model_state import EMPTIED, MOST, Call, Player, Refused, Scope
from tests.laws.routes import Body

_PAIR: Final = {"min": 2, "max": 2}
Key: TypeAlias = tuple[str, int]
"""A window, also one that is still to come: the event's key, and when it begins."""


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Seat:
    """A player's seat in a team; it stays when the player leaves."""

    player: Player
    number: int
    joined_at: int
    id_: str = ""
    contribution: int = 0
    left_at: int | None = None
    reason: str | None = None


@attrs.define(eq=False)
class Team:
    """A team or pair in one window."""

    event: Event
    starts_at: int
    created_at: int
    name: str | None = None
    key: str = ""
    id_: str = ""
    attributes: Body = attrs.field(factory=dict)
    seats: list[Seat] = attrs.field(factory=list)
    """Everybody's who ever sat in it."""
    founder: Seat | None = None
    reached_at: int | None = None
    """Since when it has its score; nothing before the first contribution."""
    milestones: list[str] = attrs.field(factory=list)
    completed_at: int | None = None
    reached_goal: int | None = None
    """The goal that it has reached, as it was then."""
    stopped_at: int | None = None
    """The score at which it stopped, where it does with its goal."""
    is_final: bool = False
    final_rank: int | None = None

    @property
    def rules(self) -> Body:
        """What the event says of teams."""
        return dict(self.event.declared["teams"])

    @property
    def size(self) -> Body:
        """The fewest and the most who play in it."""
        return size_of(self.rules)

    @property
    def members(self) -> list[Seat]:
        """The seats in which somebody sits, by how long."""
        return [seat for seat in self.seats if seat.left_at is None]

    @property
    def free(self) -> int:
        """How many more can join a team that players form; nobody joins one that everybody has left."""
        return self.size["max"] - len(self.members) if self.members else 0

    @property
    def score(self) -> int:
        """What its members have contributed, and those who have left, where the event keeps that."""
        if self.stopped_at is not None:
            return self.stopped_at
        keeps = self.rules.get("onLeave") != "remove_contribution"
        return sum(seat.contribution for seat in self.seats if keeps or seat.left_at is None)

    @property
    def goal(self) -> int | None:
        """The score at which it reaches its goal, or has reached it."""
        goal = self.rules.get("goal")
        if goal is None or self.completed_at is not None:
            return self.reached_goal
        return int(goal["target"]) * (len(self.members) if goal.get("perMember") else 1)

    @property
    def opened(self) -> bool:
        """Whether its window has opened."""
        return any(window.starts_at == self.starts_at for window in self.event.windows)

    @property
    def status(self) -> str:
        """Whether it gathers members, plays, has reached its goal, or is over."""
        if self.is_final or self.completed_at is not None:
            return "finalized" if self.is_final else "completed"
        return "active" if self.opened and len(self.members) >= self.size.get("min", 1) else "forming"


@attrs.define(eq=False)
class Invite:
    """An invitation to a pair; `team` is the pair once it was accepted."""

    where: Key
    sender: Player
    receiver: Player
    created_at: int
    expires_at: int
    id_: str = ""
    team: Team | None = None

    def is_open(self, now: int) -> bool:
        """Whether it can be answered."""
        return self.team is None and now < self.expires_at


@attrs.define
class Teams:
    """The teams and invitations of a scope, and the ids by which windows and boards are named."""

    by_window: dict[Key, list[Team]] = attrs.field(factory=dict)
    invites: list[Invite] = attrs.field(factory=list)
    windows: dict[str, Key] = attrs.field(factory=dict)
    boards: dict[str, Key] = attrs.field(factory=dict)
    paid: list[tuple[Player, Key, str]] = attrs.field(factory=list)
    """Whom a team of a window has paid for reaching something: a milestone, or the goal."""

    def of(self, where: Key) -> list[Team]:
        """The teams of a window."""
        return self.by_window.get(where, [])

    def all(self) -> Iterator[Team]:
        """The teams of all windows."""
        return (team for teams in self.by_window.values() for team in teams)


# -- finding --------------------------------------------------------------------------------------------------------------


def size_of(rules: Body) -> Body:
    """The fewest and the most who play in a team; a pair has two seats."""
    return dict(rules.get("size", _PAIR))


def rules_of(event: Event) -> Body | None:
    """What an event says of teams; nothing where it is played alone."""
    rules: Body | None = event.declared.get("teams")
    return rules


def ranks_teams(event: Event) -> bool:
    """Whether the teams of a window have a leaderboard."""
    rules = rules_of(event)
    return rules is not None and bool(rules.get("board", True))


def is_over(scope: Scope, where: Key) -> bool:
    """Whether a window is closed."""
    windows = events_of(scope)[where[0]].windows
    return any(window.starts_at == where[1] and window.final is not None for window in windows)


def held(scope: Scope, player: Player, where: Key) -> tuple[Team, Seat] | None:
    """The seat in which a player sits in a window, and the team."""
    teams = scope.part(Teams).of(where)
    found = [(team, seat) for team in teams for seat in team.members if seat.player is player]
    assert len(found) <= 1, "a player sits in one team of a window"
    return found[0] if found else None


def seats_of(scope: Scope, player: Player) -> list[Seat]:
    """Every seat that a player has or had, also as somebody who was merged into the player."""
    return [seat for team in scope.part(Teams).all() for seat in team.seats if owner(scope, seat.player) is player]


@attrs.define
class Place:
    """The window of an event that a request is about, which may be due to open, or still to come."""

    event: Event
    starts_at: int
    ends_at: int
    window: Window | None

    @property
    def key(self) -> Key:
        """By what its teams are found."""
        return self.event.key, self.starts_at

    @classmethod
    def now(cls, event: Event, at: int) -> Place:
        """The window that is open, or due to open. Raises 409."""
        window, span = event.present(at), event.following()
        if window is not None:
            return cls(event, window.starts_at, window.ends_at, window)
        if span is None or not span[0] <= at < span[1]:
            raise Refused(409, "event_not_active")
        return cls(event, *span, None)

    @classmethod
    def of(cls, call: Call, *formations: str) -> Place:
        """Where a player asks. Raises 404 and 409."""
        event = events_of(call.scope).get(call["key"])
        if event is None:
            raise Refused(404, "event_not_found")
        place = cls.now(event, call.now)
        place.require(*formations)
        return place

    def require(self, *formations: str) -> None:
        """Raises 409 where teams are formed in another way."""
        if (rules_of(self.event) or {}).get("formation") not in formations:
            raise Refused(409, "wrong_formation")

    def enter(self) -> list[str]:
        """Open the window, if it is due; gives the kinds of the events."""
        if self.window is not None:
            return []
        self.window = self.event.open((self.starts_at, self.ends_at))
        return ["window.opened"]


# -- what a team reaches --------------------------------------------------------------------------------------------------


def _pay(scope: Scope, team: Team, entries: list[Body] | None, now: int) -> list[str]:
    """Everybody who sits in a team wins it."""
    members = team.members if entries else []
    for seat in members:
        scope.part(Grants).award(seat.player.name, entries or [], now)
    return ["grant.created"] * len(members)


def _pay_once(scope: Scope, team: Team, what: str, entries: list[Body] | None, now: int) -> list[str]:
    """Everybody who sits in a team, and whom no other team of the window has paid for the same, wins it."""
    where, known = (team.event.key, team.starts_at), scope.part(Teams).paid
    won: list[str] = []
    for seat in team.members if entries else []:
        if all(owner(scope, one) is not seat.player or key != where or reward != what for one, key, reward in known):
            known.append((seat.player, where, what))
            scope.part(Grants).award(seat.player.name, entries or [], now)
            won.append("grant.created")
    return won


def settle(scope: Scope, team: Team, now: int) -> list[str]:
    """What a team has reached, each once, after its score or its members have changed."""
    if team.reached_at is None or not team.members:
        return []
    events: list[str] = []
    declared, rules = team.event.declared, team.rules
    if team.stopped_at is None:
        for row in crossed(declared, rules.get("milestones", []), team.score):
            if row["key"] not in team.milestones:
                team.milestones.append(row["key"])
                events += [
                    "event_team.milestone_unlocked",
                    *_pay_once(scope, team, row["key"], row.get("entries"), now),
                ]
    goal = team.goal
    if goal is not None and team.completed_at is None and reaches(declared, team.score, goal):
        if rules.get("onComplete") == "stop_contributions":
            team.stopped_at = team.score
        team.completed_at, team.reached_goal = now, goal
        events += ["event_team.goal_completed", *_pay_once(scope, team, "the goal", rules.get("goalRewards"), now)]
    return events


def required_team(call: Call, event: Event) -> Team | None:
    """The team of who starts an attempt; nothing where none is needed. Raises 409."""
    if rules_of(event) is None:
        return None
    found = held(call.scope, call.me, Place.now(event, call.now).key)
    if found is None:
        raise Refused(409, "team_required")
    return found[0]


def contribution(call: Call, window: Window, gained: int) -> Callable[[], list[str]]:
    """What makes an attempt's change of its score the team's, as far as it can be counted; gives the kinds of events."""
    found = held(call.scope, call.me, (window.event.key, window.starts_at))
    if found is None:
        return list
    team, own = found
    for known in (own.contribution, *(() if team.stopped_at is not None else (team.score,))):
        gained = max(-MOST - known, min(MOST - known, gained))

    def contribute() -> list[str]:
        own.contribution += gained
        if team.stopped_at is not None:
            return []
        if gained or team.reached_at is None:
            team.reached_at = call.now
        return settle(call.scope, team, call.now)

    return contribute


# -- who sits where -------------------------------------------------------------------------------------------------------


def form(
    scope: Scope, place: Place, players: list[Player], now: int, *, name: str | None = None, key: str = ""
) -> tuple[Team, list[str]]:
    """A new team of players; gives also the kinds of the events."""
    team = Team(place.event, place.starts_at, now, name, key)
    scope.part(Teams).by_window.setdefault(place.key, []).append(team)
    return team, ["event_team.formed", *seat(scope, team, players, now)]


def seat(scope: Scope, team: Team, players: list[Player], now: int, *, settles: bool = True) -> list[str]:
    """Seat players, the first of whom founds a team that players form."""
    for player in players:
        team.seats.append(Seat(player, len(team.seats) + 1, now))
        if team.founder is None and team.rules["formation"] != "external":
            team.founder = team.seats[-1]
    return [*["event_team.member_joined"] * len(players), *(settle(scope, team, now) if settles else [])]


def empty_seat(
    scope: Scope, team: Team, gone: Seat, now: int, reason: str = "left", *, settles: bool = True
) -> list[str]:
    """Somebody leaves, or has to; a founder is followed by the member of longest standing."""
    removes = team.rules.get("onLeave") == "remove_contribution"
    if removes and gone.contribution and team.stopped_at is None:
        team.reached_at = now
    gone.left_at, gone.reason = now, reason
    if team.founder is gone:
        team.founder = next(iter(team.members), None)
    return ["event_team.member_left", *(settle(scope, team, now) if settles else [])]


# -- the end --------------------------------------------------------------------------------------------------------------


def ranking(scope: Scope, where: Key) -> list[Team]:
    """The teams of a window that have contributed and in which somebody sits: by score, then since when, then id."""
    teams = [team for team in scope.part(Teams).of(where) if team.reached_at is not None and team.members]
    sign = 1 if events_of(scope)[where[0]].declared.get("order") == "asc" else -1
    return sorted(teams, key=lambda team: (sign * team.score, team.reached_at or 0, team.id_))


def finalize(scope: Scope, window: Window, now: int) -> list[str]:
    """Give the teams of a window their ranks, and what these win; gives the kinds of the events."""
    rules = rules_of(window.event)
    if rules is None:
        return []
    part, where = scope.part(Teams), (window.event.key, window.starts_at)
    events = ["leaderboard.finalized"] if ranks_teams(window.event) else []
    for rank, team in enumerate(ranking(scope, where) if events else [], 1):
        team.final_rank = rank
        for reward in rules.get("rankRewards", []):
            if reward["from"] <= rank <= reward["to"]:
                events += _pay(scope, team, reward["entries"], now)
    for team in part.of(where):
        team.is_final = True
        events.append("event_team.finalized")
    if where in part.by_window:
        # Who left a team that nobody is in any more is not in its history either.
        part.by_window[where] = [team for team in part.by_window[where] if team.members or not team.seats]
    part.invites = [invite for invite in part.invites if invite.where != where]
    return events


# -- players who become one, or go ----------------------------------------------------------------------------------------


def unite(scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    """Leave the target one seat in each window that is not over: the own one, with what both gave if it is the same team."""
    events: list[str] = []
    part = scope.part(Teams)
    for where in part.by_window:
        theirs, own = _at_stake(scope, source, where), _at_stake(scope, target, where)
        if theirs is None:
            continue
        team, theirs_there = theirs
        if own is None:
            theirs_there.player = target
            part.invites = [
                one
                for one in part.invites
                if one.where != where or one.team is not None or target not in {one.sender, one.receiver}
            ]
        elif own[0] is team:
            own[1].contribution, theirs_there.contribution = own[1].contribution + theirs_there.contribution, 0
            theirs_there.player, theirs_there.left_at, theirs_there.reason = target, now, "left"
            team.founder = own[1] if team.founder is theirs_there else team.founder
            events += ["event_team.member_left", *settle(scope, team, now)]
        else:
            events += empty_seat(scope, team, theirs_there, now)
    _unite_invites(scope, source, target, now)
    return events


def _at_stake(scope: Scope, player: Player, where: Key) -> tuple[Team, Seat] | None:
    """A seat that is held in a window that is not over; what is over stays as it was."""
    return None if is_over(scope, where) else held(scope, player, where)


def _unite_invites(scope: Scope, source: Player, target: Player, now: int) -> None:
    """What the source was invited to, or has invited to, is the target's if it can still lead to a pair."""
    part = scope.part(Teams)
    moving = [invite for invite in part.invites if source in {invite.sender, invite.receiver}]
    part.invites = [invite for invite in part.invites if invite not in moving]
    for invite in moving:
        invite.sender, invite.receiver = (
            target if player is source else player for player in (invite.sender, invite.receiver)
        )
        between = [other for other in part.invites if _of_the_same(invite, other)]
        seated = held(scope, target, invite.where) is not None
        answered = any(other.is_open(now) for other in between) or invite.sender is invite.receiver
        if invite.is_open(now) and not answered and not seated:
            part.invites = [other for other in part.invites if not (other in between and other.sender is invite.sender)]
            part.invites.append(invite)


def _of_the_same(one: Invite, other: Invite) -> bool:
    """Whether both are between the same two players, in whichever direction."""
    return one.where == other.where and {one.sender, one.receiver} == {other.sender, other.receiver}


def erase(scope: Scope, player: Player, now: int) -> list[str]:
    """Somebody leaves every window that is not over, and every invitation; names of teams that they founded are emptied."""
    part = scope.part(Teams)
    gone = {player, *player.absorbed}
    for team in part.all():
        founders = [team.founder, *(seat for seat in team.seats if seat.number == 1)]
        of_players = team.name is not None and team.rules["formation"] != "external"
        if of_players and any(seat is not None and seat.player in gone for seat in founders):
            team.name = EMPTIED
    part.invites = [invite for invite in part.invites if player not in {invite.sender, invite.receiver}]
    found = [_at_stake(scope, player, where) for where in part.by_window]
    return [kind for one in found if one is not None for kind in empty_seat(scope, *one, now)]
