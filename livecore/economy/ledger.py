"""Ledgers: every change of a balance or a quantity appends an entry with its reason, in the same transaction.

Wallet (currencies and progression) and inventory (items) use one mechanism. A *holding* is what a player has of one asset
now; an *entry* is one change and the holding after it. For every player and asset the holding equals the sum of the
entries, is never below zero and never above 2^53 - 1. A stack of items may have its own attributes until it is empty; a
later stack begins with those of the game's configuration. In a platform-managed game every entry emits `wallet.changed` or
`inventory.changed`; in a studio-managed game the service keeps progression only, and emits no event for it.
"""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from livecore.economy.config import economy_config
from livecore.economy.refusals import (
    BalanceOverflow,
    EconomyNotPlatformManaged,
    InsufficientBalance,
    InsufficientQuantity,
)
from livecore.economy.webhook_events import InventoryChanged, WalletChanged
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.values import value
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.players.player import Player

AssetKind: TypeAlias = Literal["currency", "item"]
"""`currency` covers progression resources such as XP."""


@value
class Asset:
    """Something that can be owned in whole numbers: a kind and the key that the configuration declares."""

    kind: AssetKind
    key: str


@record
class Holding:
    """How much of one asset a player has, and the stack's own attributes; an empty stack has none."""

    player_id: PlayerId
    asset_kind: AssetKind
    asset_key: str
    amount: int
    parameters: JsonText | None = None
    changed_at: Millis


@record
class Entry:
    """One change of one holding. `idempotency_key` is a hash of the caller's key, and never expires."""

    entry_id: str
    player_id: PlayerId
    asset_kind: AssetKind
    asset_key: str
    delta: int
    balance: int
    reason: str | None
    source_ref_id: str | None
    at: Millis
    idempotency_key: str | None = None
    fingerprint: str | None = None


HOLDINGS = Table(
    "holdings",
    Holding,
    key=("player_id", "asset_kind", "asset_key"),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.ANONYMISE, personal=("parameters",))},
    export=("wallet", "inventory"),
)
HOLDINGS_OF_PLAYER = HOLDINGS.index("of_player", prefix=("player_id", "asset_kind"), order=("asset_key",))

ENTRIES = Table(
    "ledger_entries",
    Entry,
    key=("entry_id",),
    players={
        "player_id": PlayerColumn(
            Merge.REASSIGN,
            Erase.ANONYMISE,
            personal=("reason", "source_ref_id", "fingerprint"),
        )
    },
    export="ledger",
)
ENTRIES_OF_PLAYER = ENTRIES.index("of_player", prefix=("player_id",), order=("at",))
ENTRIES_OF_ASSET = ENTRIES.index("of_asset", prefix=("player_id", "asset_kind", "asset_key"), order=("at",))
ENTRY_BY_KEY = ENTRIES.unique("idempotency_key")


# -- rules ----------------------------------------------------------------------------------------------------------------


def managed_here(unit: Unit, asset: Asset) -> bool:
    """Whether the service keeps this asset: everything in a platform-managed game, progression in any game."""
    if economy_config(unit).platform_managed:
        return True
    declared = economy_config(unit).economy_key(asset.key) if asset.kind == "currency" else None
    return declared is not None and declared.kind == "progression"


def require_managed(unit: Unit) -> None:
    """Raises `EconomyNotPlatformManaged` where the studio keeps wallet and inventory itself."""
    if not economy_config(unit).platform_managed:
        raise EconomyNotPlatformManaged


def merge_parameters(*layers: JsonObject | None) -> JsonObject:
    """Item attributes combined key by key; the last layer wins."""
    merged: JsonObject = {}
    for layer in layers:
        merged.update(layer or {})
    return merged


def _after(asset: Asset, have: int, delta: int) -> int:
    balance = have + delta
    if balance < 0:
        refusal = InsufficientBalance if asset.kind == "currency" else InsufficientQuantity
        raise refusal(resource=asset.key, needed=-delta, have=have)
    if balance > MAX_AMOUNT:
        raise BalanceOverflow(resource=asset.key)
    return balance


# -- operations -----------------------------------------------------------------------------------------------------------


def holding_read(player_id: str, asset: Asset) -> Get[Holding]:
    """The read of what a player has of an asset."""
    return Get(HOLDINGS, (player_id, asset.kind, asset.key))


def amount_in(holding: Holding | None) -> int:
    """How much somebody has of an asset of whom this holding was found."""
    return 0 if holding is None else holding.amount


def holding_of(unit: Unit, player_id: str, asset: Asset) -> int:
    """How much of an asset a player has."""
    return amount_in(unit.tx.get(HOLDINGS, player_id, asset.kind, asset.key))


def post(
    unit: Unit,
    player: Player,
    asset: Asset,
    delta: int,
    *,
    reason: str | None = None,
    source_ref_id: str | None = None,
    parameters: JsonObject | None = None,
    durable_key: str | None = None,
    fresh: bool = False,
) -> Entry:
    """Append one entry and change the holding. A `fresh` player was made just now, and has nothing that could be read.

    Raises `InsufficientBalance` or `InsufficientQuantity` below zero and `BalanceOverflow` above 2^53 - 1.
    """
    holding = None if fresh else unit.tx.get(HOLDINGS, player.player_id, asset.kind, asset.key)
    balance = _after(asset, amount_in(holding), delta)
    store = unit.tx.insert if fresh else unit.tx.put
    store(
        HOLDINGS,
        Holding(
            player_id=player.player_id,
            asset_kind=asset.kind,
            asset_key=asset.key,
            amount=balance,
            parameters=_attributes(holding, balance, parameters),
            changed_at=unit.now,
        ),
    )
    entry = Entry(
        entry_id=unit.new_id("ent"),
        player_id=player.player_id,
        asset_kind=asset.kind,
        asset_key=asset.key,
        delta=delta,
        balance=balance,
        reason=reason,
        source_ref_id=source_ref_id,
        at=unit.now,
        idempotency_key=durable_key,
        fingerprint=unit.fingerprint if durable_key is not None else None,
    )
    unit.tx.insert(ENTRIES, entry)
    if economy_config(unit).platform_managed:
        _announce(unit, player, entry)
    return entry


def _attributes(holding: Holding | None, balance: int, parameters: JsonObject | None) -> JsonText | None:
    """The stack's own attributes once it has `balance` items, combined with those of the new items."""
    if balance == 0:
        return None
    stored = None if holding is None or holding.amount == 0 else holding.parameters
    if not parameters:
        return stored
    return JsonText(compact(merge_parameters(json.loads(stored) if stored else None, parameters)))


def _announce(unit: Unit, player: Player, entry: Entry) -> None:
    if entry.asset_kind == "currency":
        unit.emit(
            WalletChanged(
                player_id=player.player_id,
                external_player_id=player.external_id,
                economy_key=entry.asset_key,
                delta=entry.delta,
                balance=entry.balance,
                reason=entry.reason,
                source_ref_id=entry.source_ref_id,
                entry_id=entry.entry_id,
                changed_at=Timestamp(entry.at),
            )
        )
    else:
        unit.emit(
            InventoryChanged(
                player_id=player.player_id,
                external_player_id=player.external_id,
                item_key=entry.asset_key,
                delta=entry.delta,
                quantity=entry.balance,
                reason=entry.reason,
                source_ref_id=entry.source_ref_id,
                entry_id=entry.entry_id,
                changed_at=Timestamp(entry.at),
            )
        )
