"""The inventory: items in whole numbers, consumed by players, granted and revoked by the studio's backend.

An inventory lists the quantities above zero. Items may declare default `parameters`; a grant can override them key by key,
until the stack is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from livecore.economy.config import economy_config
from livecore.economy.ledger import (
    ENTRY_BY_KEY,
    HOLDINGS_OF_PLAYER,
    Asset,
    Entry,
    Holding,
    merge_parameters,
    post,
    require_managed,
)
from livecore.economy.refusals import ItemNotFound
from livecore.economy.rows import ConsumeItem, GetInventory, GrantItem, Inventory, ItemChange, ItemRow, RevokeItem
from livecore.kernel.errors import JsonObject
from livecore.kernel.permanent_idempotency import earlier, namespaced
from livecore.kernel.shapes import ABSENT
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit
from livecore.players.player import acting

__all__ = ["consume", "get_inventory", "grant_item", "inventory_ahead", "item_row", "revoke"]


def inventory_ahead(unit: Unit, _: GetInventory) -> Iterator[Wanted]:
    """The reads of `get_inventory`, to announce them."""
    if economy_config(unit).platform_managed:
        yield HOLDINGS_OF_PLAYER, (unit.player_id, "item")


def get_inventory(unit: Unit, _: GetInventory) -> Inventory:
    """The player's items; empty where the studio keeps them."""
    if not economy_config(unit).platform_managed:
        return Inventory(items=())
    holdings = unit.tx.scan(HOLDINGS_OF_PLAYER, acting(unit).player_id, "item")
    return Inventory(items=tuple(item_row(unit, holding) for holding in holdings if holding.amount > 0))


def item_row(unit: Unit, holding: Holding) -> ItemRow:
    """An item with its attributes: those of the game's configuration, overridden by those of the player's stack."""
    declared = economy_config(unit).item(holding.asset_key)
    own: JsonObject | None = json.loads(holding.parameters) if holding.parameters else None
    merged = merge_parameters(declared.parameters if declared else None, own)
    return ItemRow(item_key=holding.asset_key, quantity=holding.amount, parameters=dict(merged) if merged else ABSENT)


def consume(unit: Unit, args: ConsumeItem) -> ItemChange:
    """Use up items, as the player."""
    return _change(unit, args.item_key, -args.quantity, args.reason, None, None)


def grant_item(unit: Unit, args: GrantItem) -> ItemChange:
    """Give items, as the studio's backend."""
    return _change(unit, args.item_key, args.quantity, args.reason, args.source_ref_id, args.parameters)


def revoke(unit: Unit, args: RevokeItem) -> ItemChange:
    """Take items away, as the studio's backend; never below zero."""
    return _change(unit, args.item_key, -args.quantity, args.reason, args.source_ref_id, None)


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
        raise ItemNotFound
    require_managed(unit)
    entry = earlier(unit, ENTRY_BY_KEY) or post(
        unit,
        player,
        Asset("item", key),
        delta,
        reason=reason,
        source_ref_id=source_ref_id,
        parameters=parameters,
        durable_key=namespaced(unit),
    )
    return _row(entry)


def _row(entry: Entry) -> ItemChange:
    return ItemChange(item_key=entry.asset_key, quantity=entry.balance, delta=entry.delta, entry_id=entry.entry_id)
