"""Changes of a wallet or an inventory that a caller asks for: one ledger entry, whatever kind the asset is of.

The service's own changes, such as rewards and costs, are posted to the ledger without this.
"""

from __future__ import annotations

from livecore.economy.ledger import ENTRY_BY_KEY, Asset, Entry, post, require_managed
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.permanent_idempotency import earlier, namespaced
from livecore.kernel.units.unit import Change, Unit
from livecore.players.player import Player


def adjust(
    unit: Unit,
    player: Player,
    asset: Asset,
    delta: int,
    *,
    reason: str | None,
    source_ref_id: str | None = None,
    parameters: JsonObject | None = None,
) -> Entry:
    """Change what a player has, or give the entry that an earlier request with the same permanent key has made.

    Raises `EconomyNotPlatformManaged` before what `post` raises.
    """
    require_managed(unit)
    entry = earlier(unit, ENTRY_BY_KEY) or post(
        unit,
        player,
        asset,
        delta,
        reason=reason,
        source_ref_id=source_ref_id,
        parameters=parameters,
        durable_key=namespaced(unit),
    )
    unit.change = _change_of(entry)
    return entry


def _change_of(entry: Entry) -> Change:
    """A change for the audit trail, in the words of the asset's kind."""
    key, amount = ("economyKey", "balance") if entry.asset_kind == "currency" else ("itemKey", "quantity")
    before: JsonObject = {key: entry.asset_key, amount: entry.balance - entry.delta}
    after: JsonObject = {key: entry.asset_key, amount: entry.balance}
    return Change(before, {**after, "entryId": entry.entry_id, "reason": entry.reason})
