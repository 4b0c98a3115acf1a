"""Mutual help in guilds: asking for a resource, and giving it (contract, "Guilds")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.economy import Holdings, change_event, is_platform
from tests.laws.areas.grants import Grants
from tests.laws.areas.guilds import Guild, Guilds, Seat, own_guild
from tests.laws.drawing import Draw
from tests.laws.guild_scenes import gather
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, newest_first, stamps
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class _Help:
    """What a member has asked for; `seat` is where they sat then."""

    request_id: str
    player: str
    guild: Guild
    seat: Seat
    kind: Any
    key: str
    amount: int
    at: int
    expires_at: int
    given: Counter[str] = attrs.field(factory=Counter)
    """By whom."""

    @property
    def received(self) -> int:
        """How much came."""
        return sum(self.given.values())

    def is_open(self, now: int) -> bool:
        """Whether it can be seen."""
        return self.seat.left_at is None and now < self.expires_at


@attrs.define
class _Helps:
    by_id: dict[str, _Help] = attrs.field(factory=dict)
    donations: list[tuple[str, str]] = attrs.field(factory=list)
    """Donor and recipient of each."""


def _resource(call: Call, kind: str, key: str) -> dict[str, Any]:
    resources: list[dict[str, Any]] = call.scope.config["guilds"]["help"]["resources"]
    found = next((one for one in resources if (one["type"], one["key"]) == (kind, key)), None)
    if found is None:
        raise Refused(403, "help_not_allowed")
    return found


# -- asking ---------------------------------------------------------------------------------------------------------------


def _ask(call: Call) -> Reply:
    """Ask the guild."""
    guild, seat = own_guild(call)
    resource, rules = _resource(call, call["type"], call["resourceKey"]), call.scope.config["guilds"]["help"]
    if not 1 <= call["amount"] <= resource["maxRequest"]:
        raise Refused(400, "help_amount_invalid")
    helps = call.scope.part(_Helps)
    asked = [one.at for one in helps.by_id.values() if one.player == call.player]
    if asked and call.now < max(asked) + rules.get("cooldownSeconds", 0) * 1_000:
        raise Refused(409, "help_cooldown")
    expires_at = call.now + rules.get("expirySeconds", 86_400) * 1_000
    made = _Help("", call.player, guild, seat, call["type"], call["resourceKey"], call["amount"], call.now, expires_at)

    def learn(data: Body) -> None:
        made.request_id = data["request"]["requestId"]
        helps.by_id[made.request_id] = made
        _is_help(data["request"], made)

    return Reply(201, ("guild.help_requested",), learn, "help: none -ask-> open")


def _is_help(row: Body, one: _Help) -> None:
    assert (row["requestId"], row["player"]["externalPlayerId"]) == (one.request_id, one.player)
    assert (row["type"], row["resourceKey"], row["amount"]) == (one.kind, one.key, one.amount)
    assert (row["received"], row["status"]) == (one.received, "filled" if one.received == one.amount else "open")
    assert stamps(row, "createdAt", "expiresAt") == [one.at, one.expires_at]


def _list(call: Call) -> Reply:
    """What members have asked for."""
    guild, _ = own_guild(call)
    helps = call.scope.part(_Helps).by_id.values()
    seen = {one.request_id: one for one in helps if one.guild is guild and one.is_open(call.now)}

    def check(data: Body) -> None:
        assert {row["requestId"] for row in data["requests"]} == set(seen)
        for row in data["requests"]:
            _is_help(row, seen[row["requestId"]])
        newest_first(row["createdAt"] for row in data["requests"])

    return Reply(check=check)


# -- giving ---------------------------------------------------------------------------------------------------------------


def _donate(call: Call) -> Reply:
    """Give at most what is missing."""
    guild, _ = own_guild(call)
    one = call.scope.part(_Helps).by_id.get(call["requestId"])
    if one is None or one.guild is not guild or not one.is_open(call.now):
        raise Refused(404, "help_request_not_found")
    if one.player == call.player:
        raise Refused(400, "cannot_help_self")
    amount, resource = _allowed(call, one)
    events = ["guild.help_donated", "grant.created", *_paid(call, one, amount, resource)]
    one.given[call.player] += amount
    call.scope.part(_Helps).donations.append((call.player, one.player))
    grants = call.scope.part(Grants)
    made = grants.award(one.player, [{"type": one.kind, "resourceKey": one.key, "amount": amount}], call.now)
    rewarded = grants.award(call.player, resource["donorReward"], call.now) if resource.get("donorReward") else None
    if rewarded is not None:
        events.append("grant.created")
    filled = one.received == one.amount

    def learn(data: Body) -> None:
        donation = data["donation"]
        assert (donation["amount"], donation["filled"]) == (amount, filled)
        grants.name(made, donation["grantId"])
        if rewarded is None:
            assert donation["rewardGrantId"] is None
        else:
            grants.name(rewarded, donation["rewardGrantId"])

    return Reply(201, tuple(events), learn, f"help: open -donate-> {'filled' if filled else 'open'}")


def _allowed(call: Call, one: _Help) -> tuple[int, dict[str, Any]]:
    """How much is given, and under which rules."""
    resource = _resource(call, one.kind, one.key)
    if call["amount"] < 1:
        raise Refused(400, "help_amount_invalid")
    if one.received == one.amount:
        raise Refused(409, "help_filled")
    amount = min(call["amount"], one.amount - one.received)
    if one.given[call.player] + amount > resource["maxDonation"]:
        raise Refused(400, "help_amount_invalid")
    return amount, resource


def _paid(call: Call, one: _Help, amount: int, resource: dict[str, Any]) -> list[str]:
    if not resource.get("costsDonor") or not is_platform(call.scope):
        return []
    holdings, asset = call.me.part(Holdings), (one.kind, one.key)
    if holdings.amount(asset) < amount:
        raise Refused(409, "insufficient_balance")
    holdings.add(asset, -amount)
    return [change_event(asset)]


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _help(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield from gather(d, one, other)
    kind, key = d.of(("currency", "gold"), ("currency", "gold"), ("item", "potion"), ("item", "sword"))
    yield d.call(
        "sdk:guilds.requestHelp", one, key=d.key(), type=kind, resourceKey=key, amount=d.of(0, 2, 3, 4, 4, 20, 21)
    )
    if d.one_in(3):
        yield d.call("sdk:guilds.requestHelp", one, key=d.key(), type="currency", resourceKey="gold", amount=2)
    if d.one_in(6):
        yield Wait(14_400_000)
    if not d.one_in(3):
        yield d.call("server:wallet.credit", other, economyKey="gold", amount=20)
    for _ in range(1 + d.chance.below(3)):
        donor = one if d.one_in(6) else other
        amount = d.of(0, 1, 2, 8, 9, 30)
        yield d.call("sdk:guilds.donate", donor, key=d.key(), requestId=d.of("@help:-1", d.ref("help")), amount=amount)
    if d.one_in(3):
        yield d.call("sdk:guilds.listHelp", d.of(one, other))


def _ids(_: str, data: Body) -> list[tuple[str, str]]:
    request = data.get("request")
    return [("help", request["requestId"])] if request is not None and "expiresAt" in request else []


# -- the area -------------------------------------------------------------------------------------------------------------


def _on_merge(scope: Scope, source: Player, target: Player, _: int) -> list[str]:
    guilds = scope.part(Guilds)
    theirs, own = guilds.of(source.name), guilds.of(target.name)
    for one in scope.part(_Helps).by_id.values():
        if theirs is not None and own is not None and theirs[0] is own[0] and one.seat is theirs[1]:
            one.seat = own[1]
        one.given[target.name] += one.given.pop(source.name, 0)
    return []


def _on_rename(scope: Scope, old: str, new: str) -> None:
    helps = scope.part(_Helps)
    for one in helps.by_id.values():
        one.player = new if one.player == old else one.player
        if old in one.given:
            one.given[new] += one.given.pop(old)
    helps.donations = [
        (new if donor == old else donor, new if recipient == old else recipient) for donor, recipient in helps.donations
    ]


def _is_exported(call: Call, data: Body) -> None:
    helps = call.scope.part(_Helps)
    own = {one.request_id for one in helps.by_id.values() if one.player == call.player}
    assert {row["requestId"] for row in data["guildHelp"]} == own
    assert len(data["guildDonations"]) == sum(call.player in pair for pair in helps.donations)


_OFTEN: Final = "guilds_disabled"

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:guilds.requestHelp",
            _ask,
            judges_amount=True,
            refuses="not_in_guild help_not_allowed help_amount_invalid help_cooldown",
            seldom=_OFTEN,
        ),
        Operation("sdk:guilds.listHelp", _list, read_with=plainly, refuses="not_in_guild", seldom=_OFTEN),
        Operation(
            "sdk:guilds.donate",
            _donate,
            judges_amount=True,
            refuses="not_in_guild help_request_not_found cannot_help_self help_amount_invalid help_filled",
            seldom=f"help_not_allowed insufficient_balance {_OFTEN}",
        ),
    ),
    transitions=("help: none -ask-> open", "help: open -donate-> open", "help: open -donate-> filled"),
    on_merge=_on_merge,
    on_rename=_on_rename,
    is_exported=_is_exported,
    scenes=((7, _help),),
    ids=_ids,
)
