"""Joining and leaving guilds, and what those who lead them do with members (contract, "Guilds")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.guilds import (
    Guild,
    Guilds,
    JoinRequest,
    Seat,
    change,
    hand_over,
    leave,
    own_guild,
    require_enabled,
    require_role,
    seat_new,
    shows,
)
from tests.laws.drawing import DAY_MS, PLAYERS, Draw
from tests.laws.guild_scenes import NAMES, a_name, changed, gather
from tests.laws.model_state import Call, Refused, Reply, newest_first, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step, Switch, Wait

# -- joining and leaving --------------------------------------------------------------------------------------------------


def _ask_in(call: Call) -> Reply:
    """Join, or ask to."""
    settings = require_enabled(call)
    guilds = call.scope.part(Guilds)
    if guilds.of(call.player) is not None:
        raise Refused(409, "already_in_guild")
    guild = guilds.by_id.get(call["guildId"])
    if guild is None or guild.disbanded_at is not None:
        raise Refused(404, "guild_not_found")
    if guild.join_type == "open":
        events = seat_new(call.scope, guild, call.player, "member", call.now)
        return Reply(200, tuple(events), shows(guild), "none -join-> member")
    known = next((id_ for id_, one in guilds.requests_of(call.player).items() if one.guild is guild), None)
    if known is not None:
        return Reply(200, (), lambda data: _is_request(data["request"], known, call), "request: open -join-> open")
    if len(guild.seats) >= settings.get("maxMembers", 50):
        raise Refused(409, "guild_full")
    request = JoinRequest(call.player, guild, call.now, call["message"])

    def learn(data: Body) -> None:
        guilds.requests[data["request"]["requestId"]] = request
        assert data["status"] == "requested"
        _is_request(data["request"], data["request"]["requestId"], call)

    return Reply(201, ("guild.join_requested",), learn, "request: none -join-> open")


def _is_request(row: Body, id_: str, call: Call) -> None:
    request = call.scope.part(Guilds).requests[id_]
    assert (row["requestId"], row["guildId"]) == (id_, request.guild.guild_id)
    assert (row["player"]["externalPlayerId"], row["message"]) == (request.player, request.message)
    assert stamp(row["createdAt"]) == request.at


def _go(call: Call) -> Reply:
    """Leave."""
    guild, seat = own_guild(call)
    role = "leader" if seat.role == "leader" else "member"
    events = leave(call.scope, guild, seat, "left", call.now)
    gone = guild.disbanded_at is not None

    def check(data: Body) -> None:
        assert data == {"left": True, "disbanded": gone}

    return Reply(200, tuple(events), check, f"{role} -leave-> none{', disbanded' if gone else ''}")


def _list_requests(call: Call) -> Reply:
    """One's own, and those to the guild."""
    require_enabled(call)
    guilds = call.scope.part(Guilds)
    own, found = set(guilds.requests_of(call.player)), guilds.of(call.player)
    to_guild: set[str] = set()
    if found is not None and found[1].role != "member":
        to_guild = {id_ for id_, request in guilds.requests.items() if request.guild is found[0]}

    def check(data: Body) -> None:
        for direction, expected in (("incoming", to_guild), ("outgoing", own)):
            assert {row["requestId"] for row in data[direction]} == expected
            assert {row["direction"] for row in data[direction]} <= {direction}
            newest_first(row["createdAt"] for row in data[direction])

    return Reply(check=check)


def _to_answer(call: Call) -> tuple[Guild, JoinRequest]:
    guild, seat = own_guild(call)
    require_role(seat, "co_leader")
    request = call.scope.part(Guilds).requests.get(call["requestId"])
    if request is None or request.guild is not guild:
        raise Refused(404, "guild_request_not_found")
    return guild, request


def _accept(call: Call) -> Reply:
    """Let somebody in who has asked."""
    guild, request = _to_answer(call)
    events = seat_new(call.scope, guild, request.player, "member", call.now)
    return Reply(200, tuple(events), shows(guild), "request: open -accept-> joined")


def _decline(call: Call) -> Reply:
    """Do not."""
    _to_answer(call)
    return _ended(call, "decline")


def _cancel(call: Call) -> Reply:
    """Take one's own request back."""
    require_enabled(call)
    if call["requestId"] not in call.scope.part(Guilds).requests_of(call.player):
        raise Refused(404, "guild_request_not_found")
    return _ended(call, "cancel")


def _ended(call: Call, verb: str) -> Reply:
    request = call.scope.part(Guilds).requests.pop(call["requestId"])

    def check(data: Body) -> None:
        assert data["request"]["requestId"] == call["requestId"]
        assert data["request"]["player"]["externalPlayerId"] == request.player

    return Reply(check=check, move=f"request: open -{verb}-> none")


# -- leading --------------------------------------------------------------------------------------------------------------


def _of_member(call: Call, needed: str, argument: str = "memberExternalId") -> tuple[Guild, Seat, Seat]:
    """The caller's guild and seat, and that of another member."""
    guild, mine = own_guild(call)
    require_role(mine, needed)
    other = next((seat for seat in guild.seats if seat.name == call[argument]), None)
    if other is None:
        raise Refused(404, "guild_member_not_found")
    if other is mine:
        raise Refused(409, "guild_role_conflict")
    return guild, mine, other


def _promote(call: Call) -> Reply:
    """Make a co-leader."""
    guild, _, other = _of_member(call, "leader")
    most = call.scope.config["guilds"].get("maxCoLeaders")
    leaders = sum(seat.role == "co_leader" for seat in guild.seats)
    if other.role != "member" or (most is not None and leaders >= most):
        raise Refused(409, "guild_role_conflict")
    return Reply(200, tuple(change(other, "co_leader", call.now)), shows(guild), "member -promote-> co_leader")


def _demote(call: Call) -> Reply:
    """Make a member again."""
    guild, _, other = _of_member(call, "leader")
    if other.role != "co_leader":
        raise Refused(409, "guild_role_conflict")
    return Reply(200, tuple(change(other, "member", call.now)), shows(guild), "co_leader -demote-> member")


def _kick(call: Call) -> Reply:
    """Remove somebody below oneself."""
    guild, mine, other = _of_member(call, "co_leader")
    if other.role != "member":
        require_role(mine, "leader")
    events = leave(call.scope, guild, other, "kicked", call.now)
    return Reply(200, tuple(events), shows(guild), "member -kick-> none")


def _transfer(call: Call) -> Reply:
    """Hand the lead over."""
    guild, mine, other = _of_member(call, "leader", "externalPlayerId")
    return Reply(200, tuple(hand_over(call, guild, mine, other)), shows(guild), "leader -transfer-> co_leader")


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _found(d: Draw) -> Iterator[Step]:
    """Somebody founds a guild, or tries to."""
    player = d.one()
    extra = {"joinType": d.of("open", "request", "request")}
    if d.one_in(2):
        yield d.call("sdk:guilds.leave", player)
    if not d.one_in(3):
        yield d.call("server:wallet.credit", player, economyKey="gold", amount=6)
    yield attrs.evolve(d.call("sdk:guilds.create", player, key=d.key()), arguments={"name": a_name(d), **extra})
    for other in PLAYERS:
        if other != player and d.one_in(2):
            yield from _come(d, other, player)


def _come(d: Draw, player: str, leader: str) -> Iterator[Step]:
    if d.one_in(2):
        yield d.call("sdk:guilds.leave", player, key=d.key())
    extra = {"message": d.of("Hi", None)} if d.one_in(2) else {}
    guild = d.of("@guild:-1", "@guild:-1", d.ref("guild"))
    for _ in range(1 + d.one_in(3)):
        yield d.call("sdk:guilds.join", player, key=d.key(), guildId=guild, **extra)
    answer = d.of("accept", "accept", "decline", "cancel", "cancel", None)
    if answer is not None:
        caller = player if answer == "cancel" else leader
        caller = d.one() if d.one_in(5) else caller
        yield d.call(f"sdk:guilds.{answer}Request", caller, key=d.key(), requestId="@join-request:-1")
    if d.one_in(3):
        yield d.call("sdk:guilds.listRequests", d.of(player, leader))


def _lead(d: Draw) -> Iterator[Step]:
    """Leaders, and others, do what leaders may do."""
    one, other = d.two()
    third = next(name for name in PLAYERS if name not in {one, other})
    yield from gather(d, one, other, third)
    if d.one_in(2):
        fourth = next(name for name in PLAYERS if name not in {one, other, third})
        yield d.call("sdk:guilds.join", fourth, key=d.key(), guildId="@guild:-1")
    for _ in range(4 + d.chance.below(4)):
        verb = d.of("promote", "promote", "demote", "demote", "kick", "transfer", "leave")
        caller, member = d.of((one, other), (one, other), (one, third), (other, third), (other, one), (one, one))
        member = "nobody" if d.one_in(10) else member
        if verb == "leave":
            yield d.call("sdk:guilds.leave", caller, key=d.key())
        elif verb == "transfer":
            yield d.call("sdk:guilds.transfer", caller, key=d.key(), externalPlayerId=member)
        else:
            yield d.call(f"sdk:guilds.{verb}", caller, key=d.key(), memberExternalId=member)
    for caller in (one, other):
        yield changed(d, "sdk:guilds.update", caller)
    if d.one_in(5):
        yield Wait(2 * DAY_MS)
        yield d.call("sdk:guilds.getOwn", d.one())


def _same_name(d: Draw) -> Iterator[Step]:
    """Two guilds, and one takes the name of the other."""
    one, other = d.two()
    yield from gather(d, one)
    yield from gather(d, other)
    name = d.of(*NAMES)
    for player in (one, other):
        yield attrs.evolve(d.call("sdk:guilds.update", player, key=d.key()), arguments={"name": name})


def _switched_off(d: Draw) -> Iterator[Step]:
    """A game that has no guilds for a while."""
    player = d.one()
    yield Switch(d.place.game, enabled=False)
    yield attrs.evolve(d.call("sdk:guilds.create", player), arguments={"name": a_name(d)})
    for name in ("sdk:guilds.getOwn", "sdk:guilds.leave", "sdk:guilds.listHelp"):
        yield d.call(name, player)
    yield d.call("server:guilds.getOfPlayer", player)
    yield Switch(d.place.game, enabled=True)


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    request = data.get("request")
    asked = request is not None and str(request["requestId"]).startswith("grq_")
    return [("join-request", request["requestId"])] if request is not None and asked else []


# -- the area -------------------------------------------------------------------------------------------------------------


_BY_ROLE: Final = "not_in_guild guild_role_required guild_member_not_found guild_role_conflict"
_OFTEN: Final = "guilds_disabled"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:guilds.join",
            _ask_in,
            refuses="already_in_guild guild_not_found guild_full",
            seldom=f"request_limit_reached {_OFTEN}",
        ),
        Operation("sdk:guilds.leave", _go, refuses="not_in_guild", seldom=_OFTEN),
        Operation("sdk:guilds.listRequests", _list_requests, read_with=plainly, seldom=_OFTEN),
        Operation(
            "sdk:guilds.acceptRequest",
            _accept,
            refuses="not_in_guild guild_role_required guild_request_not_found",
            seldom=f"guild_full {_OFTEN}",
        ),
        Operation(
            "sdk:guilds.declineRequest",
            _decline,
            refuses="not_in_guild guild_role_required guild_request_not_found",
            seldom=_OFTEN,
        ),
        Operation("sdk:guilds.cancelRequest", _cancel, refuses="guild_request_not_found", seldom=_OFTEN),
        Operation("sdk:guilds.promote", _promote, refuses=_BY_ROLE, seldom=_OFTEN),
        Operation("sdk:guilds.demote", _demote, refuses=_BY_ROLE, seldom=_OFTEN),
        Operation("sdk:guilds.kick", _kick, refuses=_BY_ROLE, seldom=_OFTEN),
        Operation("sdk:guilds.transfer", _transfer, refuses=_BY_ROLE, seldom=_OFTEN),
    ),
    transitions=(
        "none -join-> member",
        "request: none -join-> open",
        "request: open -join-> open",
        "request: open -accept-> joined",
        "request: open -decline-> none",
        "request: open -cancel-> none",
        "leader -leave-> none",
        "leader -leave-> none, disbanded",
        "member -leave-> none",
        "member -promote-> co_leader",
        "co_leader -demote-> member",
        "member -kick-> none",
        "leader -transfer-> co_leader",
    ),
    scenes=((5, _found), (6, _lead), (1, _same_name), (1, _switched_off)),
    ids=_ids,
)
