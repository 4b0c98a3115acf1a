"""What the studio's backend reads of guilds and does with them (specification 4.3, contract "Guilds")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.guild_reading import fits, is_own, known
from tests.laws.areas.guilds import Guild, Guilds, Seat, apply, disband, hand_over, is_full, leave, of_seat, stint
from tests.laws.drawing import NOBODY, Draw
from tests.laws.guild_scenes import changed, gather
from tests.laws.model_state import Call, Refused, Reply, newest_first, told
from tests.laws.routes import Body
from tests.laws.steps import Step


def _list_all(call: Call) -> Reply:
    """Guilds, also those that have ended."""
    guilds = [guild for guild in call.scope.part(Guilds).by_id.values() if fits(call, guild)]
    if call["player"] is not None:
        guilds = [guild for guild in guilds if _was_in(guild, call["player"])]
    if not call["includeDisbanded"]:
        guilds = [guild for guild in guilds if guild.disbanded_at is None]

    def check(data: Body) -> None:
        assert sorted(row["guildId"] for row in data["guilds"]) == sorted(guild.guild_id for guild in guilds)
        assert (data["total"], data["offset"]) == (len(guilds), 0)
        newest_first(row["createdAt"] for row in data["guilds"])

    return Reply(check=check)


def _was_in(guild: Guild, name: str) -> bool:
    return any(seat.name == name and (seat.left_at is None or guild.disbanded_at is not None) for seat in guild.stints)


def _get_all(call: Call) -> Reply:
    """A guild with everything."""
    guild = known(call)
    return Reply(check=lambda data: is_full(call, data["guild"], guild))


def _moderated(call: Call) -> Guild:
    guild = known(call)
    if guild.disbanded_at is not None:
        raise Refused(404, "guild_not_found")
    return guild


def _seat_of(call: Call, guild: Guild, argument: str) -> Seat:
    found = next((seat for seat in guild.seats if seat.name == call[argument]), None)
    if found is None:
        raise Refused(404, "guild_member_not_found")
    return found


def _change_all(call: Call) -> Reply:
    """Change a guild, whatever its name, also one that has ended."""
    guild = known(call)
    offered = call.scope.config["guilds"].get("joinTypes", ["open", "request"])
    if call["joinType"] not in {None, guild.join_type, *offered}:
        raise Refused(400, "validation_failed")
    events = apply(call, guild)
    return Reply(200, tuple(events), lambda data: is_full(call, data["guild"], guild), "guild: changed by the studio")


def _remove(call: Call) -> Reply:
    """Remove anybody."""
    guild = _moderated(call)
    seat = _seat_of(call, guild, "memberExternalId")
    role = "leader" if seat.role == "leader" else "member"
    events = leave(call.scope, guild, seat, "removed", call.now)
    return Reply(200, tuple(events), lambda data: is_full(call, data["guild"], guild), f"{role} -remove-> none")


def _appoint(call: Call) -> Reply:
    """Make somebody lead."""
    guild = _moderated(call)
    other = _seat_of(call, guild, "externalPlayerId")
    if other is guild.leader:
        raise Refused(409, "guild_role_conflict")
    events = hand_over(call, guild, guild.leader, other)
    return Reply(200, tuple(events), lambda data: is_full(call, data["guild"], guild), "leader -appoint-> co_leader")


def _end(call: Call) -> Reply:
    """End a guild."""
    guild = known(call)
    events: list[str] = []
    if guild.disbanded_at is None:
        for seat in guild.seats:
            seat.left_at, seat.reason = call.now, "disbanded"
            events.append("guild.member_left")
        events += disband(call.scope, guild, call.now)
    move = "guild: disbanded" if events else "guild: disbanded again"
    return Reply(200, tuple(events), lambda data: is_full(call, data["guild"], guild), move)


def _of_player(call: Call) -> Reply:
    """Guild, role and history of somebody."""
    all_of = [(guild, seat) for guild in call.scope.part(Guilds).by_id.values() for seat in guild.stints]
    own = [(guild.guild_id, guild.name, *of_seat(seat)) for guild, seat in all_of if seat.name == call.player]

    def check(data: Body) -> None:
        is_own(call, data)
        shown = [(row["guildId"], told(row["guildName"]), *stint(row)) for row in data["stints"]]
        assert sorted(shown, key=repr) == sorted(own, key=repr)
        newest_first(row["joinedAt"] for row in data["stints"])

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _moderate(d: Draw) -> Iterator[Step]:
    """The studio looks, and acts."""
    player, other = d.two()
    if d.one_in(2):
        yield from gather(d, player, other)
    guild = d.of("@guild:-1", "@guild:-1", d.ref("guild"))
    yield d.call("server:guilds.get", NOBODY, guildId=guild)
    one = d.of(player, other, other, "nobody")
    verb = d.of("update", "removeMember", "removeMember", "transfer", "transfer", "disband")
    if verb == "update":
        yield changed(d, "server:guilds.update", NOBODY, guildId=guild)
    elif verb == "transfer":
        yield d.call("server:guilds.transfer", NOBODY, key=d.key(), guildId=guild, externalPlayerId=one)
    elif verb == "removeMember":
        yield d.call("server:guilds.removeMember", NOBODY, key=d.key(), guildId=guild, memberExternalId=one)
    else:
        for _ in range(1 + d.one_in(2)):
            yield d.call("server:guilds.disband", NOBODY, key=d.key(), guildId=guild)
    more: dict[str, Any] = {"includeDisbanded": True} if d.one_in(2) else {}
    more |= {"q": d.of("owls", "ni", "lar")} if d.one_in(2) else {}
    yield d.call("server:guilds.list", NOBODY, limit=200, **more, **({"player": one} if d.one_in(3) else {}))


# -- the area -------------------------------------------------------------------------------------------------------------


_ON_GUILD: Final = "guild_not_found"

AREA: Final = Area(
    operations=(
        Operation("server:guilds.list", _list_all, about="nobody"),
        Operation("server:guilds.get", _get_all, about="nobody", refuses=_ON_GUILD),
        Operation("server:guilds.update", _change_all, about="nobody", refuses=_ON_GUILD, seldom="guild_name_taken"),
        Operation(
            "server:guilds.removeMember", _remove, about="nobody", refuses="guild_not_found guild_member_not_found"
        ),
        Operation(
            "server:guilds.transfer",
            _appoint,
            about="nobody",
            refuses="guild_not_found guild_member_not_found guild_role_conflict",
        ),
        Operation("server:guilds.disband", _end, about="nobody", refuses=_ON_GUILD),
        Operation("server:guilds.getOfPlayer", _of_player, read_with=plainly),
    ),
    transitions=(
        "guild: changed by the studio",
        "guild: disbanded",
        "guild: disbanded again",
        "leader -appoint-> co_leader",
        "leader -remove-> none",
        "member -remove-> none",
    ),
    scenes=((4, _moderate),),
)
