"""The inventory: items in whole numbers, consumed by players, granted and revoked by the studio's backend.

An inventory lists the quantities above zero. Items may declare default `parameters`; a grant can override them key by key,
until the stack is empty, and an operator can replace the player's own.
"""

from __future__ import annotations

import json

from livecore.economy import adjusting
from livecore.economy.config import SYSTEM_KEYS, Item, economy_config
from livecore.economy.ledger import (
    HOLDINGS,
    HOLDINGS_OF_PLAYER,
    Asset,
    Holding,
    merge_parameters,
    require_managed,
)
from livecore.economy.refusals import InsufficientQuantity, ItemNotFound, SystemResourceLocked
from livecore.economy.rows import (
    AdjustItemAsOperator,
    ConsumeItem,
    GetInventory,
    GrantItem,
    HeldItem,
    Inventory,
    ItemChange,
    ItemRow,
    OneHeldItem,
    RevokeItem,
    SetAttributes,
)
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Change, Unit
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import ABSENT
from livecore.players.player import acting


def get_inventory(unit: Unit, _: GetInventory) -> Inventory:
    """The player's items; empty where the studio keeps them."""
    if not economy_config(unit).platform_managed:
        return Inventory(items=())
    holdings = unit.tx.scan(HOLDINGS_OF_PLAYER, acting(unit).player_id, "item")
    return Inventory(items=tuple(item_row(unit, holding) for holding in holdings if holding.amount > 0))


def item_row(unit: Unit, holding: Holding) -> ItemRow:
    """An item with its attributes: those of the game's configuration, overridden by those of the player's stack."""
    declared = economy_config(unit).item(holding.asset_key)
    merged = merge_parameters(declared.parameters if declared else None, _own(holding))
    return ItemRow(item_key=holding.asset_key, quantity=holding.amount, parameters=dict(merged) if merged else ABSENT)


def held_item(unit: Unit, holding: Holding) -> HeldItem:
    """An item as operators see it: also with the stack's own attributes apart."""
    shown, own = item_row(unit, holding), _own(holding)
    return HeldItem(
        item_key=shown.item_key,
        quantity=shown.quantity,
        parameters=shown.parameters,
        own_parameters=None if own is None else dict(own),
    )


def _own(holding: Holding) -> JsonObject | None:
    own: JsonObject | None = json.loads(holding.parameters) if holding.parameters else None
    return own


def consume(unit: Unit, args: ConsumeItem) -> ItemChange:
    """Use up items, as the player."""
    return _change(unit, args.item_key, -args.quantity, args.reason, None, None)


def grant_item(unit: Unit, args: GrantItem) -> ItemChange:
    """Give items, as the studio's backend."""
    return _change(unit, args.item_key, args.quantity, args.reason, args.source_ref_id, args.parameters)


def revoke(unit: Unit, args: RevokeItem) -> ItemChange:
    """Take items away, as the studio's backend; never below zero."""
    return _change(unit, args.item_key, -args.quantity, args.reason, args.source_ref_id, None)


def adjust(unit: Unit, args: AdjustItemAsOperator) -> ItemChange:
    """Change a quantity up or down, as an operator."""
    _declared_item(unit, args.item_key)
    return _change(unit, args.item_key, args.delta, args.reason, None, None)


def _declared_item(unit: Unit, key: str) -> Item:
    """The item with this key, for operators. Raises `SystemResourceLocked` and `ItemNotFound`."""
    declared = economy_config(unit).item(key)
    if declared is not None:
        return declared
    # The service's own counters are not declared, and operators are told that they are locked, not that they are unknown.
    raise SystemResourceLocked if key in SYSTEM_KEYS else _unknown(unit, key)


def _unknown(unit: Unit, key: str) -> ItemNotFound:
    return ItemNotFound.of(key, known=economy_config(unit).item_keys)


def set_attributes(unit: Unit, args: SetAttributes) -> OneHeldItem:
    """Replace the player's own attributes of an item; without any, the stack has those of the game's configuration.

    Refusals, in order: unknown item, a counter of the service, a studio-managed economy, an empty stack.
    """
    player = acting(unit)
    _declared_item(unit, args.item_key)
    require_managed(unit)
    before = unit.tx.get(HOLDINGS, player.player_id, "item", args.item_key)
    if before is None or before.amount == 0:
        # An empty stack has no attributes of its own, so they would be lost.
        raise InsufficientQuantity(resource=args.item_key, needed=1, have=0)
    given: JsonObject | None = args.parameters
    own = JsonText(compact(dict(given))) if given else None
    after = unit.tx.put(HOLDINGS, evolve(before, parameters=own, changed_at=unit.now))
    unit.change = Change(_attributes_of(before), _attributes_of(after))
    unit.audit_metadata = None if args.reason is None else {"reason": args.reason}
    return OneHeldItem(item=held_item(unit, after))


def _attributes_of(holding: Holding) -> JsonObject:
    """A stack's own attributes for the audit trail."""
    return {"itemKey": holding.asset_key, "ownParameters": _own(holding)}


def _change(
    unit: Unit,
    key: str,
    delta: int,
    reason: str | None,
    source_ref_id: str | None,
    parameters: JsonObject | None,
) -> ItemChange:
    """Refusals, in order: unknown item, a studio-managed economy, the quantity itself."""
    player = acting(unit)
    if economy_config(unit).item(key) is None:
        raise _unknown(unit, key)
    entry = adjusting.adjust(
        unit, player, Asset("item", key), delta, reason=reason, source_ref_id=source_ref_id, parameters=parameters
    )
    return ItemChange(item_key=entry.asset_key, quantity=entry.balance, delta=entry.delta, entry_id=entry.entry_id)
