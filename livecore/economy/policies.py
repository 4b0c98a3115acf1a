"""How merging combines holdings, so that both ledgers stay consistent, and the counts for the pity of crates.

One entry takes everything out of the source's holding of an asset, and one entry adds the same amount to the target's. Then
all entries are reassigned to the target. The source's entries now begin and end at 0, so each running balance still follows
from another one, and the sum of all entries is the holding.
"""

from __future__ import annotations

import json
from typing import Final, get_args

from livecore.economy.crates import WAITS, WAITS_OF_PLAYER, CrateWaits, waits_in
from livecore.economy.ledger import HOLDINGS, HOLDINGS_OF_PLAYER, Asset, AssetKind, Holding, merge_parameters, post
from livecore.economy.refusals import BalanceOverflow
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.players.player import Player, by_id
from livecore.players.refusals import InvalidMerge

MERGED: Final = "player_merged"
"""The reason of the two entries that move a balance; they refer to the source player."""


def unite_holdings(unit: Unit, merging: Merging) -> None:
    """Move all holdings of the source to the target. Raises `InvalidMerge` where a balance would overflow."""
    source, target = by_id(unit, merging.source_id), by_id(unit, merging.target_id)
    held = unit.tx.scan_all(Scan(HOLDINGS_OF_PLAYER, (source.player_id, kind)) for kind in get_args(AssetKind))
    owned = unit.tx.read_all(Get(HOLDINGS, (target.player_id, row.asset_kind, row.asset_key)) for row in held)
    for row, own in zip(held, owned, strict=True):
        try:
            _carry(unit, row, own, source, target)
        except BalanceOverflow as refusal:
            raise InvalidMerge(
                "A balance would become too large.", reason="balance_overflow", resource=row.asset_key
            ) from refusal


def _carry(unit: Unit, row: Holding, own: Holding | None, source: Player, target: Player) -> None:
    """Move one holding of the source to the target, who has `own` of it."""
    asset = Asset(row.asset_kind, row.asset_key)
    if row.amount:
        post(unit, source, asset, -row.amount, reason=MERGED, source_ref_id=source.player_id)
        post(
            unit,
            target,
            asset,
            row.amount,
            reason=MERGED,
            source_ref_id=source.player_id,
            parameters=merge_parameters(_own(row), _own(own)),
        )
    elif own is None:
        # Also for an amount of 0: where there are entries, there must be a holding.
        unit.tx.insert(HOLDINGS, evolve(row, player_id=target.player_id, parameters=None))
    unit.tx.delete(HOLDINGS, source.player_id, asset.kind, asset.key)


def unite_waits(unit: Unit, merging: Merging) -> None:
    """Keep the longer wait of the two for each row of pity, so that nobody loses a row that is due."""
    found = unit.tx.scan(WAITS_OF_PLAYER, merging.source_id)
    owned = unit.tx.read_all(Get(WAITS, (merging.target_id, row.crate_key)) for row in found)
    for row, own in zip(found, owned, strict=True):
        waits = {} if own is None else waits_in(own.waits)
        for name, waited in waits_in(row.waits).items():
            waits[name] = max(waited, waits.get(name, 0))
        united = CrateWaits(player_id=merging.target_id, crate_key=row.crate_key, waits=JsonText(compact(dict(waits))))
        unit.tx.put(WAITS, united)
        unit.tx.delete(WAITS, merging.source_id, row.crate_key)


def _own(holding: Holding | None) -> JsonObject | None:
    """The attributes of a stack. When both are combined, the target's win, key by key."""
    if holding is None or holding.amount == 0 or holding.parameters is None:
        return None
    own: JsonObject = json.loads(holding.parameters)
    return own
