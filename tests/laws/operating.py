"""What operators do to players, as the model sees it: as the studio's backend does it, and what only they can do.

An operation of operators that the backend has as well is judged by the backend's own rule, so the same must come of it
whichever surface it is asked on. The scenes here do it among everything else that sequences play.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Operation, Rule
from tests.laws.areas import OPERATIONS
from tests.laws.areas.economy import Holdings, is_platform, items_of
from tests.laws.areas.friends import become_friends
from tests.laws.areas.gifts import Gifts
from tests.laws.areas.grants import Grant, Grants, is_grant, pay
from tests.laws.areas.players import come_back
from tests.laws.drawing import MOST, NOBODY, Draw
from tests.laws.model_state import Call, Refused, Reply
from tests.laws.routes import Body
from tests.laws.scenes import BROAD, Deck
from tests.laws.sequences import seeded
from tests.laws.steps import Step, Wait

_AS_THE_BACKEND: Final = (
    "friends.list", "friends.listBlocks", "friends.listRequests", "gifts.list", "inventory.get", "ledger.list",
    "players.ban", "players.erase", "players.export", "players.flagDebug", "players.merge", "players.rotateSecret",
    "players.unban", "players.unflagDebug", "purchases.list", "spend.get", "wallet.get",
)  # fmt: skip
_READ: Final = [(name, read_with) for name in _AS_THE_BACKEND if (read_with := OPERATIONS[f"server:{name}"].read_with)]


# -- rules ----------------------------------------------------------------------------------------------------------------


def _backend(name: str) -> Rule:
    """The rule of the backend's operation."""
    rule = OPERATIONS[f"server:{name}"].rule
    return lambda call: rule(attrs.evolve(call, name=f"server:{name}"))


def _adjust(up: str, down: str, resource: str, number: str) -> Rule:
    """What the backend has two operations for."""

    def change(call: Call) -> Reply:
        arguments = {resource: call[resource], number: abs(call["delta"])}
        return _backend(up if call["delta"] > 0 else down)(attrs.evolve(call, arguments=arguments))

    return change


def _no_change(call: Call) -> bool:
    return not 1 <= abs(call["delta"]) <= MOST or not call["reason"]


def _set_attributes(call: Call) -> Reply:
    """All of the stack's own are replaced, which needs a stack."""
    asset, holdings = ("item", call["itemKey"]), call.me.part(Holdings)
    if call["itemKey"] not in items_of(call.scope):
        raise Refused(404, "item_not_found")
    if not is_platform(call.scope):
        raise Refused(409, "economy_not_platform_managed")
    held = next((amount for kept, amount in holdings.some().items() if kept == asset), 0)
    if held == 0:
        raise Refused(409, "insufficient_quantity")
    own = dict(call["parameters"] or {})
    holdings.attributes[("item", call["itemKey"])] = own
    shown = {**items_of(call.scope)[call["itemKey"]], **own}

    def check(data: Body) -> None:
        row = data["item"]
        assert (row["itemKey"], row["quantity"], row.get("parameters", {})) == (call["itemKey"], held, shown)
        assert row["ownParameters"] == (own or None)

    return Reply(200, (), check)


def _create_grant(call: Call) -> Reply:
    """The body and not the path names the player."""
    return _backend("grants.create")(attrs.evolve(call, player=call["externalPlayerId"]))


def _force_claim(call: Call) -> Reply:
    """However late, unless what it holds has gone back to its sender; a claimed grant is shown."""
    grant = call.scope.part(Grants).by_id.get(call["grantId"])
    if grant is None or grant.player not in call.scope.players:
        raise Refused(404, "grant_not_found")
    if grant.status == "claimed":
        return Reply(200, (), lambda data: is_grant(data["grant"], grant), "grant: claimed -force-> claimed")
    if grant.crate is not None:
        raise Refused(409, "crate_must_be_opened")
    if grant.status == "expired" and _was_paid_for(call, grant):
        raise Refused(409, "grant_refunded")
    move = f"grant: {grant.status} -force-> claimed"
    events = pay(attrs.evolve(call, player=grant.player), grant, "operator", forced=True)
    return Reply(200, tuple(events), lambda data: is_grant(data["grant"], grant), move)


def _was_paid_for(call: Call, grant: Grant) -> bool:
    return any(gift.paid for gift in call.scope.part(Gifts).by_id.values() if gift.grant is grant)


# -- operations -----------------------------------------------------------------------------------------------------------


def _as_the_backend(name: str) -> Operation:
    row = OPERATIONS[f"server:{name}"]
    return attrs.evolve(row, name=f"admin:{name}", rule=_backend(name))


_OWN: Final = (
    Operation("admin:grants.create", _create_grant, about="nobody", refuses="system_resource_locked validation_failed"),
    Operation(
        "admin:grants.forceClaim", _force_claim, about="nobody",
        refuses="crate_must_be_opened grant_not_found grant_refunded", seldom="balance_overflow",
    ),
    Operation(
        "admin:wallet.adjust", _adjust("wallet.credit", "wallet.debit", "economyKey", "amount"), faults=_no_change,
        refuses="economy_key_not_found economy_not_platform_managed insufficient_balance validation_failed",
        seldom="balance_overflow system_resource_locked",
    ),
    Operation(
        "admin:inventory.adjust", _adjust("inventory.grant", "inventory.revoke", "itemKey", "quantity"),
        faults=_no_change, refuses="economy_not_platform_managed insufficient_quantity item_not_found",
        seldom="balance_overflow",
    ),
    Operation(
        "admin:inventory.setAttributes", _set_attributes,
        refuses="economy_not_platform_managed insufficient_quantity item_not_found",
    ),
)  # fmt: skip
OPERATED: Final = {row.name: row for row in (*map(_as_the_backend, _AS_THE_BACKEND), *_OWN)}
"""What operators can do about players that the model predicts; completing an attempt for somebody is not among it."""


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _reason(d: Draw) -> dict[str, Any]:
    return {"reason": d.of("lost in a crash", "a mistake of ours")}


def _adjust_something(d: Draw) -> Iterator[Step]:
    player = d.one()
    key = d.of("gold", "gold", "xp", "gems", "doubloons")
    delta = 0 if d.one_in(12) else d.of(1, 1, -1) * d.amount()
    yield d.operator("wallet.adjust", player, economyKey=key, delta=delta, **_reason(d))
    item = "anvil" if d.one_in(6) else d.of("potion", "sword")
    yield d.operator("inventory.adjust", player, itemKey=item, delta=d.of(2, 1, -1, -500), **_reason(d))
    yield d.operator("inventory.setAttributes", player, itemKey=item, parameters=d.of({"runes": ["oak"]}, {}, None))
    yield d.operator(d.of("wallet.get", "inventory.get", "ledger.list"), player)
    yield d.call(d.of("sdk:wallet.get", "sdk:inventory.get"), player)


def _force_something(d: Draw) -> Iterator[Step]:
    """A grant of an operator's, or a crate, is claimed for its player: at once, too late, twice."""
    player, number = d.one(), d.chance.below(2**40)
    kind, key = d.of(("currency", "gold"), ("item", "potion"), ("currency", "xp"), ("currency", "sessions"))
    entries: list[Any] = [{"type": kind, "resourceKey": key, "amount": d.amount()}]
    extra: dict[str, Any] = {"expiresAt": f"@in:{d.of(0, 3_600_000)}"} if d.one_in(2) else {}
    if d.one_in(4):
        extra, entries = {"kind": "crate"}, [{"type": "crate", "resourceKey": "chest", "amount": 1}]
    about = {"externalPlayerId": player, "idempotencyKey": f"operator {number}", "sourceKind": "api"}
    yield d.operator("grants.create", NOBODY, entries=entries, **about, **extra)
    if d.one_in(2):
        yield Wait(7_200_000)
    if d.one_in(4):
        yield d.call("sdk:grants.claim", player, grantId="@grant:-1")
    for _ in range(1 + d.one_in(3)):
        yield d.operator("grants.forceClaim", NOBODY, grantId=d.of("@grant:-1", "@grant:-1", d.ref("grant")))
    yield d.call("sdk:wallet.get", player)


def _force_a_gift(d: Draw) -> Iterator[Step]:
    """A gift that has cost its sender is claimed for whom it is for, or too late, when it has gone back."""
    one, other = d.two()
    yield from become_friends(d, one, other)
    yield d.operator("inventory.adjust", one, itemKey="potion", delta=2, **_reason(d))
    yield d.call("sdk:gifts.send", one, type="item", resourceKey="potion", amount=1, externalPlayerId=other)
    if d.one_in(2):
        yield Wait(3 * 86_400_000)
    yield d.operator("grants.forceClaim", NOBODY, grantId="@grant-of-gift:-1")
    yield d.operator("gifts.list", other, direction="received")
    yield d.call("sdk:gifts.sent", one)


def _ban_somebody(d: Draw) -> Iterator[Step]:
    player = "nobody" if d.one_in(8) else d.one()
    yield d.operator("players.ban", player, reason=d.of("spam", "cheating"))
    yield d.call("sdk:presence.heartbeat", player)
    yield d.operator("players.ban", player, reason="again")
    yield d.operator("players.unban", player)
    for name in ("players.flagDebug", "players.rotateSecret", "players.unflagDebug"):
        yield d.operator(name, player)
    yield d.call("server:players.unban", player)


def _end_somebody(d: Draw) -> Iterator[Step]:
    """Somebody is folded into another or erased, perhaps by the backend the second time."""
    one, other = d.two()
    step = {"players.merge": {"toExternalId": other}, "players.erase": {}}
    name = d.of(*step)
    yield d.operator(name, one, **step[name])
    if d.one_in(3):
        yield d.call(f"server:{name}", one, **step[name])
    yield d.operator("players.export", other)
    yield from come_back(d, one)


def _look(d: Draw) -> Iterator[Step]:
    player = "nobody" if d.one_in(10) else d.one()
    for _ in range(2):
        name, arguments = d.of(*_READ)
        yield d.operator(name, player, **arguments(d))


def _ill_formed(d: Draw) -> Iterator[Step]:
    player = d.one()
    yield d.operator("players.ban", player, reason="")
    yield d.operator("players.erase", player, reason="boredom")
    yield d.operator("players.merge", player, toExternalId=player)
    yield d.operator("spend.get", player, windows=[0])


SCENES: Final[Deck] = (
    *(_adjust_something,) * 6, *(_force_something,) * 8, *(_force_a_gift,) * 5, *(_ban_somebody,) * 5, *(_end_somebody,) * 4,
    *(_look,) * 6, _ill_formed,
)  # fmt: skip


def operated(seed: int, length: int) -> list[Step]:
    """The sequence of this seed, in which operators have their hands in everything."""
    return seeded(seed, length, SCENES * 3 + BROAD)
