"""Guilds: founding, joining, leading and leaving, and the studio's moderation (contract, "Guilds")."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import attrs

from tests.laws.area import Area, Due, Operation
from tests.laws.areas.economy import Holdings, is_platform
from tests.laws.drawing import Draw
from tests.laws.guild_scenes import NAMES
from tests.laws.model_state import DAY, EMPTIED, Call, Player, Refused, Reply, Scope, newest_first, stamp, stamps, told
from tests.laws.routes import Body
from tests.laws.steps import Step

ROLES: Final = ("leader", "co_leader", "member")
_DARNED: Final = "The Darned"
"""The one that a filter refuses."""


# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Seat:
    """Somebody in a guild, now or in the past."""

    name: str
    player_id: str
    role: str
    joined_at: int
    role_since: int
    left_at: int | None = None
    reason: str | None = None
    away_at: int = 0
    """When they were last replaced as a leader who was away."""


@attrs.define(eq=False)
class Guild:
    """A guild and everybody who was ever in it."""

    guild_id: str
    name: str
    join_type: str
    created_at: int
    check_at: int = 0
    """When its leader is looked at."""
    description: str | None = None
    stints: list[Seat] = attrs.field(factory=list)
    disbanded_at: int | None = None

    @property
    def seats(self) -> list[Seat]:
        """The members in the order of lists."""
        present = [seat for seat in self.stints if seat.left_at is None]
        return sorted(present, key=lambda seat: (ROLES.index(seat.role), seat.joined_at, seat.player_id))

    @property
    def leader(self) -> Seat:
        """Who leads it."""
        (found,) = (seat for seat in self.seats if seat.role == "leader")
        return found


@attrs.define(eq=False)
class JoinRequest:
    """An open request to join."""

    player: str
    guild: Guild
    at: int
    message: str | None


@attrs.define
class Founded:
    """When a player last founded a guild."""

    at: int | None = None


@attrs.define
class Guilds:
    """The guilds of a scope, and the open requests to join them."""

    by_id: dict[str, Guild] = attrs.field(factory=dict)
    requests: dict[str, JoinRequest] = attrs.field(factory=dict)

    def of(self, name: str) -> tuple[Guild, Seat] | None:
        """The guild in which somebody is, and the seat."""
        return next(((guild, seat) for guild in self.existing() for seat in guild.seats if seat.name == name), None)

    def existing(self) -> Iterable[Guild]:
        """The guilds that were not disbanded."""
        return [guild for guild in self.by_id.values() if guild.disbanded_at is None]

    def requests_of(self, name: str) -> dict[str, JoinRequest]:
        """Somebody's open requests."""
        return {id_: request for id_, request in self.requests.items() if request.player == name}


def require_enabled(call: Call) -> dict[str, Any]:
    """What the game says of guilds."""
    settings: dict[str, Any] = call.scope.config["guilds"]
    if not settings["enabled"]:
        raise Refused(403, "guilds_disabled")
    return settings


def own_guild(call: Call) -> tuple[Guild, Seat]:
    """The guild of the caller."""
    require_enabled(call)
    found = call.scope.part(Guilds).of(call.player)
    if found is None:
        raise Refused(409, "not_in_guild")
    return found


# -- who is in it ---------------------------------------------------------------------------------------------------------


def schedule(scope: Scope, guild: Guild, active_at: int, now: int) -> None:
    """Note when the leader is looked at next, who was active then."""
    days = scope.config["guilds"].get("inactiveLeaderDays", 30)
    tomorrow = now + DAY
    at = tomorrow if days is None else active_at + days * DAY
    guild.check_at = at if now < at < tomorrow else tomorrow


def seat_new(scope: Scope, guild: Guild, name: str, role: str, now: int) -> list[str]:
    """Give somebody a seat, which ends all their requests."""
    most = scope.config["guilds"].get("maxMembers", 50)
    if len(guild.seats) >= most:
        raise Refused(409, "guild_full")
    guild.stints.append(Seat(name, scope.players[name].player_id or "", role, now, now))
    end_requests(scope, name)
    return ["guild.member_joined"]


def end_requests(scope: Scope, name: str) -> None:
    """End all requests of somebody."""
    guilds = scope.part(Guilds)
    for id_ in guilds.requests_of(name):
        del guilds.requests[id_]


def leave(scope: Scope, guild: Guild, seat: Seat, reason: str, now: int) -> list[str]:
    """Take a seat away; the leader is followed first, and the last one disbands the guild."""
    events: list[str] = []
    if seat.role == "leader" and len(guild.seats) > 1:
        successor = guild.seats[1]
        successor.role, successor.role_since = "leader", now
        schedule(scope, guild, now, now)
        events.append("guild.role_changed")
    seat.left_at, seat.reason = now, reason
    events.append("guild.member_left")
    return events if guild.seats else [*events, *disband(scope, guild, now)]


def disband(scope: Scope, guild: Guild, now: int) -> list[str]:
    """End a guild that has nobody in it."""
    guilds = scope.part(Guilds)
    guild.disbanded_at = now
    guilds.requests = {id_: request for id_, request in guilds.requests.items() if request.guild is not guild}
    return ["guild.disbanded"]


def change(seat: Seat, role: str, now: int) -> list[str]:
    """Give somebody another role."""
    seat.role, seat.role_since = role, now
    return ["guild.role_changed"]


def hand_over(call: Call, guild: Guild, leader: Seat, other: Seat) -> list[str]:
    """Make another the leader; gives the kinds of the events."""
    events = [*change(other, "leader", call.now), *change(leader, "co_leader", call.now)]
    schedule(call.scope, guild, call.now, call.now)
    return events


# -- rows -----------------------------------------------------------------------------------------------------------------


def is_guild(row: Body, guild: Guild) -> None:
    """The row of a guild."""
    assert (row["guildId"], told(row["name"]), row["joinType"]) == (guild.guild_id, guild.name, guild.join_type)
    assert (row["description"], row["memberCount"]) == (guild.description, len(guild.seats))
    assert stamps(row, "createdAt", "disbandedAt") == [guild.created_at, guild.disbanded_at]
    leads = None if row["leader"] is None else row["leader"]["externalPlayerId"]
    assert leads == (None if guild.disbanded_at is not None else guild.leader.name)


def is_detail(row: Body, guild: Guild) -> None:
    """The same, with its members."""
    is_guild(row, guild)
    shown = [(one["externalPlayerId"], one["role"], stamp(one["joinedAt"])) for one in row["members"]]
    assert shown == [(seat.name, seat.role, seat.joined_at) for seat in guild.seats]


def is_full(call: Call, row: Body, guild: Guild) -> None:
    """The same, with requests and history."""
    is_detail(row, guild)
    requests = call.scope.part(Guilds).requests
    expected = {id_ for id_, request in requests.items() if request.guild is guild}
    assert {one["requestId"] for one in row["requests"]} == expected
    newest_first(one["joinedAt"] for one in row["history"])
    shown = [(one["externalPlayerId"], *stint(one)) for one in row["history"]]
    assert sorted(shown, key=repr) == sorted(((seat.name, *of_seat(seat)) for seat in guild.stints), key=repr)


def stint(row: Body) -> tuple[object, ...]:
    """What a row says of one time in a guild."""
    return (row["role"], *stamps(row, "joinedAt", "leftAt"), row["leftReason"])


def of_seat(seat: Seat) -> tuple[object, ...]:
    """What it must say."""
    return seat.role, seat.joined_at, seat.left_at, seat.reason


def shows(guild: Guild) -> Callable[[Body], None]:
    """A check that the answer shows this guild."""
    return lambda data: is_guild(data["guild"], guild)


# -- founding and changing ------------------------------------------------------------------------------------------------


def _check_profile(call: Call, settings: dict[str, Any]) -> None:
    if call["name"] == _DARNED and "nameFilter" in settings:
        raise Refused(400, "guild_name_rejected")
    offered = settings.get("joinTypes", ["open", "request"])
    if call["joinType"] is not None and call["joinType"] not in offered:
        raise Refused(400, "validation_failed")


def _check_free(call: Call, but: Guild | None = None) -> None:
    taken = {key_of(guild.name) for guild in call.scope.part(Guilds).existing() if guild is not but}
    if key_of(call["name"]) in taken:
        raise Refused(409, "guild_name_taken")


def key_of(name: str) -> str:
    """The name as it is compared with others."""
    return NAMES.get(name, name.lower())


def _create(call: Call) -> Reply:
    """A new guild, which may cost."""
    settings = require_enabled(call)
    _check_profile(call, settings)
    guilds = call.scope.part(Guilds)
    if guilds.of(call.player) is not None:
        raise Refused(409, "already_in_guild")
    founded, cooldown = call.me.part(Founded), settings.get("createCooldownSeconds", 60) or 0
    if founded.at is not None and call.now < founded.at + cooldown * 1_000:
        raise Refused(409, "guild_cooldown")
    _check_free(call)
    cost = sum(entry["amount"] for entry in settings["createCost"])
    events = ["guild.created"]
    if is_platform(call.scope):
        holdings = call.me.part(Holdings)
        if holdings.amount(("currency", "gold")) < cost:
            raise Refused(409, "insufficient_balance")
        holdings.add(("currency", "gold"), -cost)
        events.append("wallet.changed")
    founded.at = call.now
    join_type = call["joinType"] or settings.get("joinTypes", ["open"])[0]
    guild = Guild("", call["name"], join_type, call.now)
    events += seat_new(call.scope, guild, call.player, "leader", call.now)
    schedule(call.scope, guild, call.now, call.now)

    def learn(data: Body) -> None:
        guild.guild_id = data["guild"]["guildId"]
        assert guild.guild_id.startswith("gld_")
        guilds.by_id[guild.guild_id] = guild
        is_guild(data["guild"], guild)

    return Reply(201, tuple(events), learn, "guild: founded")


def apply(call: Call, guild: Guild) -> list[str]:
    """Change the profile; gives the kinds of the events."""
    if call["name"] is not None and call["name"] != guild.name and guild.disbanded_at is None:
        _check_free(call, guild)
    before = (guild.name, guild.description, guild.join_type)
    guild.name = call["name"] or guild.name
    guild.join_type = call["joinType"] or guild.join_type
    if "description" in call.arguments:
        guild.description = call["description"]
    same = before == (guild.name, guild.description, guild.join_type)
    return [] if same or guild.disbanded_at is not None else ["guild.updated"]


def _update(call: Call) -> Reply:
    """Change what the guild says of itself."""
    _check_profile(call, require_enabled(call))
    guild, seat = own_guild(call)
    require_role(seat, "co_leader")
    events = apply(call, guild)
    return Reply(200, tuple(events), shows(guild), "guild: changed" if events else "")


def require_role(seat: Seat, least: str) -> None:
    """A role, or one above it."""
    if ROLES.index(seat.role) > ROLES.index(least):
        raise Refused(403, "guild_role_required")


def _ill_formed(d: Draw) -> list[Step]:
    return [
        attrs.evolve(d.call("sdk:guilds.create", d.one()), arguments={"name": "ab"}),
    ]


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    return [("guild", data["guild"]["guildId"])] if data.get("guild") is not None else []


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, now: int) -> list[str]:
    """The target's guild wins; a seat that only the source has becomes the target's."""
    guilds = scope.part(Guilds)
    founded = [at for at in (source.part(Founded).at, target.part(Founded).at) if at is not None]
    target.part(Founded).at = max(founded, default=None)
    theirs, own = guilds.of(source.name), guilds.of(target.name)
    asked = {request.guild.guild_id for request in guilds.requests_of(target.name).values()}
    for id_, request in guilds.requests_of(source.name).items():
        if theirs is not None or own is not None or request.guild.guild_id in asked:
            del guilds.requests[id_]
    for guild in guilds.by_id.values():
        for seat in guild.stints:
            if seat.name == source.name and seat.left_at is not None:
                seat.player_id = target.player_id or ""
    if theirs is None:
        return []
    if own is not None:
        events = leave(scope, *theirs, "merged", now)
        theirs[1].player_id = target.player_id or ""
        return events
    end_requests(scope, target.name)
    theirs[1].player_id = target.player_id or ""
    return ["guild.member_joined"]


def _on_erase(scope: Scope, player: Player, now: int) -> list[str]:
    """They leave; what was written by the members of a guild of which they are or were the last one goes with them."""
    found = scope.part(Guilds).of(player.name)
    for guild in scope.part(Guilds).by_id.values():
        # Of a guild that goes on the leader has not left, and neither has it ended.
        last = {seat.name for seat in guild.stints if seat.role == "leader" and seat.left_at == guild.disbanded_at}
        if player.name in last and len(guild.seats) < 2:
            guild.name, guild.description = EMPTIED, None
    end_requests(scope, player.name)
    return [] if found is None else leave(scope, *found, "erased", now)


def _on_rename(scope: Scope, old: str, new: str) -> None:
    guilds = scope.part(Guilds)
    for guild in guilds.by_id.values():
        for seat in guild.stints:
            seat.name = new if seat.name == old else seat.name
    for request in guilds.requests.values():
        request.player = new if request.player == old else request.player


def _is_exported(call: Call, data: Body) -> None:
    guilds = call.scope.part(Guilds)
    own = [seat for guild in guilds.by_id.values() for seat in guild.stints if seat.name == call.player]
    assert sorted((stint(row) for row in data["guilds"]), key=repr) == sorted(map(of_seat, own), key=repr)
    assert {row["requestId"] for row in data["guildRequests"]} == set(guilds.requests_of(call.player))


def _due(scope: Scope) -> Iterable[Due]:
    for guild in scope.part(Guilds).existing():
        yield guild.check_at, guild.guild_id, partial(_look_at, scope, guild)


def _look_at(scope: Scope, guild: Guild) -> Reply:
    """A leader who has been away for too long is followed, by nobody who was replaced so and has not been back."""
    now, leader, settings = guild.check_at, guild.leader, scope.config["guilds"]
    days, seen_at = settings.get("inactiveLeaderDays", 30), scope.players[leader.name].last_seen
    active_at = max(seen_at, leader.role_since)
    schedule(scope, guild, active_at, now)
    if days is None or now < active_at + days * DAY or not settings["enabled"]:
        return Reply(move="")
    fit = [seat for seat in guild.seats[1:] if scope.players[seat.name].last_seen >= seat.away_at]
    if not fit:
        return Reply(move="")
    events = [*change(fit[0], "leader", now), *change(leader, "co_leader", now)]
    leader.away_at = now
    schedule(scope, guild, now, now)
    return Reply(events=tuple(events), move="leader -is away-> co_leader")


_OFTEN: Final = "guilds_disabled"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:guilds.create",
            _create,
            faults=lambda call: len(call["name"]) < 3,
            refuses=(
                "guild_name_rejected already_in_guild guild_cooldown guild_name_taken insufficient_balance guilds_disabled"
            ),
        ),
        Operation(
            "sdk:guilds.update",
            _update,
            refuses="guild_name_rejected not_in_guild guild_role_required guild_name_taken",
            seldom=_OFTEN,
        ),
    ),
    transitions=(
        "guild: founded",
        "guild: changed",
        "leader -is away-> co_leader",
    ),
    on_merge=_on_merge,
    on_erase=_on_erase,
    on_rename=_on_rename,
    is_exported=_is_exported,
    due=_due,
    ill_formed=_ill_formed,
    ids=_ids,
)
