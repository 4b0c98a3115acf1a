"""What has become of a player's balances and items: the entries of their ledger, newest first."""

from __future__ import annotations

from livecore.economy.config import economy_config
from livecore.economy.ledger import ENTRIES_OF_ASSET, ENTRIES_OF_PLAYER, AssetKind, Entry
from livecore.economy.refusals import EconomyKeyNotFound, ItemNotFound
from livecore.economy.rows import Ledger, LedgerRow, ListItemEntries, ListLedger, ListWalletEntries
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of
from livecore.kernel.storage.reads import Scan
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.player import acting


def list_ledger(unit: Unit, args: ListLedger) -> Ledger:
    """Every change of a player's balances and quantities, newest first."""
    rows, cursor = page_of_entries(unit, acting(unit).player_id, page_by_time(args))
    return Ledger(entries=rows, next_cursor=cursor)


def list_wallet_entries(unit: Unit, args: ListWalletEntries) -> Ledger:
    """Every change of one balance of a player, newest first. Raises `EconomyKeyNotFound`."""
    if economy_config(unit).economy_key(args.economy_key) is None:
        raise EconomyKeyNotFound.of(args.economy_key, known=economy_config(unit).economy_keys)
    return _of_asset(unit, "currency", args.economy_key, page_by_time(args))


def list_item_entries(unit: Unit, args: ListItemEntries) -> Ledger:
    """Every change of the quantity of one item of a player, newest first. Raises `ItemNotFound`."""
    if economy_config(unit).item(args.item_key) is None:
        raise ItemNotFound.of(args.item_key, known=economy_config(unit).item_keys)
    return _of_asset(unit, "item", args.item_key, page_by_time(args))


def _of_asset(unit: Unit, kind: AssetKind, key: str, page: PageRequest) -> Ledger:
    found = unit.tx.scanned(_newest_of(acting(unit).player_id, kind, key, page))
    entries, cursor = page_of(found, page, ENTRIES_OF_ASSET.position_of)
    return Ledger(entries=tuple(map(ledger_row, entries)), next_cursor=cursor)


def _newest_of(player_id: str, kind: AssetKind, key: str, page: PageRequest) -> Scan[Entry]:
    return page.newest(ENTRIES_OF_ASSET, player_id, kind, key)


def page_of_entries(unit: Unit, player_id: str, page: PageRequest) -> tuple[tuple[LedgerRow, ...], str | None]:
    """A page of a player's entries, and the cursor of the next."""
    entries, cursor = page_of(unit.tx.scanned(_newest(player_id, page)), page, ENTRIES_OF_PLAYER.position_of)
    return tuple(map(ledger_row, entries)), cursor


def _newest(player_id: str, page: PageRequest) -> Scan[Entry]:
    return page.newest(ENTRIES_OF_PLAYER, player_id)


def ledger_row(entry: Entry) -> LedgerRow:
    """An entry as the wire shows it."""
    return LedgerRow(
        entry_id=entry.entry_id,
        type=entry.asset_kind,
        resource_key=entry.asset_key,
        delta=entry.delta,
        balance=entry.balance,
        reason=entry.reason,
        source_ref_id=entry.source_ref_id,
        at=Timestamp(entry.at),
    )
