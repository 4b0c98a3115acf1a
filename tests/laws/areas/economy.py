"""Wallets and inventories (specification 2.13 and 2.14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from tests.laws.area import Area, Operation, plainly
from tests.laws.areas.players import Profile
from tests.laws.drawing import Draw
from tests.laws.model_state import MOST, SYSTEM_KEYS, Asset, Call, Player, Refused, Reply, Scope
from tests.laws.routes import Body
from tests.laws.steps import Step

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define
class Holdings:
    """What a player has."""

    held: dict[Asset, int] = attrs.field(factory=dict)
    attributes: dict[Asset, Body] = attrs.field(factory=dict)
    """What stacks of items have of their own, over what the game declares."""

    def amount(self, asset: Asset) -> int:
        """How much the player has of something."""
        return self.held.get(asset, 0)

    def add(self, asset: Asset, amount: int, attributes: Body | None = None) -> None:
        """Give or take; the last one that goes takes the stack's attributes with it."""
        self.held[asset] = self.amount(asset) + amount
        own = {**self.attributes.get(asset, {}), **(attributes or {})}
        self.attributes[asset] = own if self.held[asset] else {}

    def some(self) -> dict[Asset, int]:
        """All amounts above zero."""
        return {asset: amount for asset, amount in self.held.items() if amount}


# -- the game's configuration ---------------------------------------------------------------------------------------------


def is_platform(scope: Scope) -> bool:
    """Whether the service keeps wallet and inventory."""
    return bool(scope.config["economyMode"] == "platform")


def kinds_of(scope: Scope) -> dict[str, str]:
    """The kinds of the economy keys."""
    return {entry["key"]: entry["kind"] for entry in scope.config["economy"]}


def items_of(scope: Scope) -> dict[str, Body]:
    """The attributes that the game declares for each item."""
    return {entry["key"]: entry.get("parameters", {}) for entry in scope.config["items"]}


def is_kept(scope: Scope, asset: Asset) -> bool:
    """Whether the service keeps how much there is: everything, or, where the studio keeps the economy, progression.

    Of a crate there is no amount: each is a grant of its own.
    """
    if asset[0] == "crate":
        return False
    return is_platform(scope) or (asset[0] == "currency" and kinds_of(scope).get(asset[1]) == "progression")


def change_event(asset: Asset) -> str:
    """The event that a ledger entry of this asset emits."""
    return "wallet.changed" if asset[0] == "currency" else "inventory.changed"


# -- changing -------------------------------------------------------------------------------------------------------------


def _wallet_is_kept(call: Call) -> None:
    if call["economyKey"] in SYSTEM_KEYS:
        raise Refused(409, "system_resource_locked")
    if call["economyKey"] not in kinds_of(call.scope):
        raise Refused(404, "economy_key_not_found")
    _is_managed(call)


def _item_is_kept(call: Call) -> None:
    if call["itemKey"] not in items_of(call.scope):
        raise Refused(404, "item_not_found")
    _is_managed(call)


def _is_managed(call: Call) -> None:
    if not is_platform(call.scope):
        raise Refused(409, "economy_not_platform_managed")


def _change(call: Call, asset: Asset, delta: int) -> Reply:
    holdings = call.me.part(Holdings)
    after = holdings.amount(asset) + delta
    if after < 0:
        raise Refused(409, "insufficient_balance" if asset[0] == "currency" else "insufficient_quantity")
    if after > MOST:
        raise Refused(409, "balance_overflow")
    holdings.add(asset, delta, call["parameters"])

    def check(data: Body) -> None:
        names = ("economyKey", "balance") if asset[0] == "currency" else ("itemKey", "quantity")
        assert (data[names[0]], data[names[1]], data["delta"]) == (asset[1], after, delta)

    return Reply(200, (change_event(asset),), check)


def _wallet(sign: int) -> Callable[[Call], Reply]:
    def change(call: Call) -> Reply:
        _wallet_is_kept(call)
        return _change(call, ("currency", call["economyKey"]), sign * call["amount"])

    return change


def _inventory(sign: int) -> Callable[[Call], Reply]:
    def change(call: Call) -> Reply:
        _item_is_kept(call)
        return _change(call, ("item", call["itemKey"]), sign * call["quantity"])

    return change


# -- reading --------------------------------------------------------------------------------------------------------------


def _get_wallet(call: Call) -> Reply:
    """Every key that the game defines and the two system keys; nothing where the studio keeps the economy."""
    profile, holdings = call.me.part(Profile), call.me.part(Holdings)
    expected = {key: (kind, holdings.amount(("currency", key))) for key, kind in kinds_of(call.scope).items()}
    expected["sessions"] = ("progression", profile.sessions)
    expected["login_streak"] = ("progression", profile.streak_on(call.now))
    if not is_platform(call.scope):
        # Of what the service keeps even so, progression, only the studio's backend has a wallet shown.
        backend = call.name.startswith("server:")
        expected = {key: row for key, row in expected.items() if backend and row[0] == "progression"}

    def check(data: Body) -> None:
        assert {row["key"]: (row["kind"], row["balance"]) for row in data["balances"]} == expected
        assert len(data["balances"]) == len(expected)

    return Reply(check=check)


def _get_inventory(call: Call) -> Reply:
    """Every item above zero, each with what the game declares and over it what the stack has of its own."""
    holdings, declared = call.me.part(Holdings), items_of(call.scope)
    expected = {
        asset[1]: (amount, {**declared[asset[1]], **holdings.attributes[asset]})
        for asset, amount in holdings.some().items()
        if asset[0] == "item"
    }

    def check(data: Body) -> None:
        shown = {row["itemKey"]: (row["quantity"], row.get("parameters", {})) for row in data["items"]}
        assert shown == expected
        assert len(data["items"]) == len(expected)

    return Reply(check=check)


def _list_ledger(call: Call) -> Reply:
    """Each entry says how much there was after it; all of them together are what the player has."""
    held = call.me.part(Holdings)

    def check(data: Body) -> None:
        sums: dict[Asset, int] = {}
        for row in data["entries"]:
            asset = (row["type"], row["resourceKey"])
            sums[asset] = sums.get(asset, 0) + row["delta"]
            assert row["balance"] >= 0
        if data["nextCursor"] is None:
            assert {asset: amount for asset, amount in sums.items() if amount} == held.some()

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


_CURRENCIES: Final = ("gold", "gold", "gold", "gems", "xp")


def _change_wallet(d: Draw) -> Iterator[Step]:
    name = d.of(
        "server:wallet.credit", "server:wallet.credit", "server:wallet.debit", "sdk:wallet.debit", "sdk:wallet.debit"
    )
    player = d.one()
    if name.endswith("debit") and d.one_in(2):
        yield d.call("server:wallet.credit", player, economyKey="gold", amount=d.of(20, 200))
    amount = 1 + d.chance.below(30) if name.endswith("debit") and not d.one_in(3) else d.amount()
    key = d.of("doubloons", "sessions", "login_streak") if d.one_in(15) else d.of(*_CURRENCIES)
    reason = {"reason": "because"} if d.one_in(4) else {}
    yield d.call(name, player, key=d.key(), economyKey=key, amount=amount, **reason)


def _change_items(d: Draw) -> Iterator[Step]:
    name = d.of("server:inventory.grant", "server:inventory.revoke", "sdk:inventory.consume")
    item = "anvil" if d.one_in(20) else d.of("potion", "potion", "sword")
    player = d.one()
    if not name.endswith("grant") and not d.one_in(3):
        yield d.call("server:inventory.grant", player, itemKey=item, quantity=2, parameters={"runes": ["ash"]})
    quantity = d.amount() if name.endswith("grant") or d.one_in(3) else 1
    yield d.call(name, player, key=d.key(), itemKey=item, quantity=quantity)
    if name == "sdk:inventory.consume":
        # What is left of the stack, and what the next one begins with.
        yield d.call(name, player, itemKey=item, quantity=1)
        yield d.call("server:inventory.grant", player, itemKey=item, quantity=1)
        yield d.call("sdk:inventory.get", player)


def _ill_formed(d: Draw) -> list[Step]:
    return [
        d.call("sdk:wallet.debit", d.one(), economyKey="gold", amount=0),
        d.call("server:wallet.credit", d.one(), economyKey="gold", amount=MOST + 1),
        d.call("server:inventory.grant", d.one(), itemKey="potion", quantity=-1),
    ]


# -- the area -------------------------------------------------------------------------------------------------------------


def _cannot_merge(_scope: Scope, source: Player, target: Player) -> bool:
    """Whether a balance would overflow."""
    return any(
        amount + target.part(Holdings).amount(asset) > MOST for asset, amount in source.part(Holdings).some().items()
    )


def _on_merge(scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """All sums; of a stack's attributes the target's hold."""
    old, new = source.part(Holdings), target.part(Holdings)
    # What leaves the source, and what comes to the target.
    events = [change_event(asset) for asset in old.some()] * 2 if is_platform(scope) else []
    for asset, amount in old.held.items():
        new.add(asset, amount, {**old.attributes.get(asset, {}), **new.attributes.get(asset, {})})
    return events


def _is_exported(call: Call, data: Body) -> None:
    held = {("currency", row["key"]): row["balance"] for row in data["wallet"]}
    held |= {("item", row["itemKey"]): row["quantity"] for row in data["inventory"]}
    assert {asset: amount for asset, amount in held.items() if amount} == call.me.part(Holdings).some()


AREA: Final = Area(
    operations=(
        Operation("sdk:wallet.get", _get_wallet, read_with=plainly),
        Operation("server:wallet.get", _get_wallet, read_with=plainly),
        Operation(
            "sdk:wallet.debit",
            _wallet(-1),
            guards=_wallet_is_kept,
            key_kept_by="ledger",
            refuses="economy_key_not_found economy_not_platform_managed insufficient_balance validation_failed",
            seldom="system_resource_locked",
        ),
        Operation(
            "server:wallet.credit",
            _wallet(+1),
            guards=_wallet_is_kept,
            key_kept_by="ledger",
            refuses=(
                "balance_overflow economy_key_not_found economy_not_platform_managed "
                "system_resource_locked validation_failed"
            ),
        ),
        Operation(
            "server:wallet.debit",
            _wallet(-1),
            guards=_wallet_is_kept,
            key_kept_by="ledger",
            refuses="economy_key_not_found economy_not_platform_managed insufficient_balance",
            seldom="system_resource_locked",
        ),
        Operation("sdk:inventory.get", _get_inventory, read_with=plainly),
        Operation("server:inventory.get", _get_inventory, read_with=plainly),
        Operation("server:ledger.list", _list_ledger, read_with=plainly, broad=True),
        Operation(
            "sdk:inventory.consume",
            _inventory(-1),
            guards=_item_is_kept,
            key_kept_by="ledger",
            refuses="economy_not_platform_managed insufficient_quantity item_not_found",
        ),
        Operation(
            "server:inventory.grant",
            _inventory(+1),
            guards=_item_is_kept,
            key_kept_by="ledger",
            refuses="economy_not_platform_managed item_not_found validation_failed",
            seldom="balance_overflow",
        ),
        Operation(
            "server:inventory.revoke",
            _inventory(-1),
            guards=_item_is_kept,
            key_kept_by="ledger",
            refuses="economy_not_platform_managed insufficient_quantity item_not_found",
        ),
    ),
    cannot_merge=_cannot_merge,
    on_merge=_on_merge,
    is_exported=_is_exported,
    scenes=((8, _change_wallet), (5, _change_items)),
    ill_formed=_ill_formed,
)
