"""Guilds: finding one, founding one, leading it, helping each other, and leaving."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.kernel.time import SECOND
from livecore.simulation.behaviour import Me

_MOST_DONATIONS = 2


def live_in_guild(me: Me) -> Iterator[float]:
    """What a player does about guilds in a session."""
    if me.known.guild_id is None and not me.chance("guilds", me.traits.activities.guilds):
        return
    if not me.known.guild_read or (me.first_today and me.chance("read-guild", 0.1)):
        own = me.do("guilds.getOwn")
        if own.ok:
            me.known.guild_read = True
            me.known.guild_id = own.row.guild.guild_id if own.row.guild is not None else None
            me.known.role = own.row.role
    if me.known.guild_id is None:
        yield from _find_guild(me)
    elif me.chance("leave-guild", 0.004):
        me.do("guilds.leave")
        _forget_guild(me)
    else:
        yield from _lead(me)
        if me.first_today:
            yield from _help(me)


def _forget_guild(me: Me) -> None:
    me.known.guild_id = me.known.role = None
    me.known.guild_read = False


def _find_guild(me: Me) -> Iterator[float]:
    yield me.wait("guild", 3, 10)
    found = me.do("guilds.search", limit=20)
    free = [row for row in found.row.guilds if row.member_count < row.max_members] if found.ok else []
    founds = me.chance("found-guild", 0.02 + 0.06 * me.traits.friendliness) or not free
    if founds and _can_found(me):
        yield from _found(me)
        return
    if not free:
        return
    wanted = me.choose("guild", free)
    if me.chance("look-at-guild", 0.3):
        me.do("guilds.get", guild_id=wanted.guild_id)
        yield me.wait("guild", 3, 10)
    joined = me.do("guilds.join", guild_id=wanted.guild_id)
    if joined.ok and joined.row.status == "joined":
        me.known.guild_id, me.known.role = wanted.guild_id, "member"
    elif joined.code == "already_in_guild":
        me.known.guild_read = False
    elif joined.ok:
        requests = me.do("guilds.listRequests")
        # Read again next time: a leader may have accepted by then.
        me.known.guild_read = False
        if requests.ok and requests.row.outgoing and me.chance("cancel-join", 0.1):
            me.do("guilds.cancelRequest", request_id=requests.row.outgoing[-1].request_id)


def _can_found(me: Me) -> bool:
    if not me.game.managed:
        return True
    held = {"currency": me.known.wallet, "item": me.known.items}
    cost = me.game.config.guilds.create_cost
    return all(held.get(entry.type, {}).get(entry.resource_key, 0) >= entry.amount for entry in cost)


def _found(me: Me) -> Iterator[float]:
    types = me.game.config.guilds.join_types
    by_request = "request" in types and (len(types) == 1 or me.chance("closed-guild", 0.25))
    number = f"{me.community.order[me.name] + 1}-{me.sessions}"
    done = me.do("guilds.create", name=f"Guild {number}", join_type="request" if by_request else "open")
    if done.ok:
        me.known.guild_id, me.known.role = done.row.guild.guild_id, "leader"
        for entry in me.game.config.guilds.create_cost if me.game.managed else ():
            if entry.type == "currency":
                me.known.spent(entry.resource_key, entry.amount)
        yield me.wait("guild", 5, 20)
        me.do("guilds.update", description=f"Founded by number {number}.")


def _lead(me: Me) -> Iterator[float]:
    """Answer who wants to join; now and then promote, demote, put out or hand over."""
    if me.known.role not in ("leader", "co_leader") or not me.chance("lead", 0.5):
        return
    requests = me.do("guilds.listRequests")
    if not requests.ok:
        me.known.guild_read = False
        return
    for request in requests.row.incoming[:5]:
        yield me.wait("lead", 2, 8)
        which = "guilds.acceptRequest" if me.chance("admit", 0.85) else "guilds.declineRequest"
        me.do(which, request_id=request.request_id)
    if me.known.role == "leader" and me.chance("manage-guild", 0.15):
        yield from _manage(me)


def _manage(me: Me) -> Iterator[float]:
    guild = me.do("guilds.get", guild_id=me.known.guild_id)
    yield me.wait("lead", 3, 10)
    others = [one for one in guild.row.guild.members if one.external_player_id != me.name] if guild.ok else []
    if not others:
        return
    member = me.choose("managed", others)
    kind = me.draw("manage").below(12)
    usual = "guilds.promote" if kind else "guilds.kick"
    which = "guilds.demote" if member.role == "co_leader" else usual
    if kind == 1:
        if me.do("guilds.transfer", external_player_id=member.external_player_id).ok:
            me.known.role = "co_leader"
    else:
        me.do(which, member_external_id=member.external_player_id)


def _help(me: Me) -> Iterator[float]:
    rules = me.game.config.guilds.help
    if rules is None or not rules.resources:
        return
    if me.now >= me.known.help_after and me.chance("ask-help", 0.4):
        resource = me.choose("help", rules.resources)
        amount = 1 + me.draw("help-amount").below(resource.max_request)
        done = me.do("guilds.requestHelp", type=resource.type, resource_key=resource.key, amount=amount)
        me.known.help_after = me.now + rules.cooldown_seconds * SECOND
        if done.code == "not_in_guild":
            _forget_guild(me)
            return
    if me.chance("help-others", 0.3 + 0.6 * me.traits.generosity):
        yield from _donate(me)


def _donate(me: Me) -> Iterator[float]:
    yield me.wait("donate", 3, 10)
    listed = me.do("guilds.listHelp")
    if not listed.ok:
        _forget_guild(me)
        return
    given = 0
    shown = {request.request_id for request in listed.row.requests}
    me.known.helped = {request: None for request in me.known.helped if request in shown}
    for request in listed.row.requests:
        closed = request.status != "open" or request.player.external_player_id == me.name
        if closed or given >= _MOST_DONATIONS or request.request_id in me.known.helped:
            continue
        resource = me.game.config.help_resource(request.type, request.resource_key)
        if resource is None:
            continue
        held = me.known.wallet if request.type == "currency" else me.known.items
        amount = min(resource.max_donation, request.amount - request.received)
        if resource.costs_donor and me.game.managed:
            amount = min(amount, held.get(request.resource_key, 0))
        if amount < 1:
            continue
        done = me.do("guilds.donate", request_id=request.request_id, amount=amount)
        me.known.helped[request.request_id] = None
        given += 1
        if done.ok and resource.costs_donor and me.game.managed:
            held[request.resource_key] = held.get(request.resource_key, 0) - amount
