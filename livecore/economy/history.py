"""What has become of a player's balances and items: the entries of their ledger, newest first."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.economy.ledger import ENTRIES_OF_PLAYER, Entry
from livecore.economy.rows import Ledger, LedgerRow, ListLedger
from livecore.kernel.paging import Page, page_by_time, page_of
from livecore.kernel.scans import ScanOf, scanned
from livecore.kernel.shapes import Timestamp
from livecore.kernel.store import Wanted
from livecore.kernel.unit import Unit
from livecore.players.player import acting

__all__ = ["list_ahead", "list_ledger", "page_of_entries"]


def list_ledger(unit: Unit, args: ListLedger) -> Ledger:
    """Every change of a player's balances and quantities, newest first."""
    rows, cursor = page_of_entries(unit, acting(unit).player_id, page_by_time(args))
    return Ledger(entries=rows, next_cursor=cursor)


def list_ahead(unit: Unit, args: ListLedger) -> Iterator[Wanted]:
    """The reads of `list_ledger`, to announce them."""
    yield _newest(unit.player_id or "", page_by_time(args))


def page_of_entries(unit: Unit, player_id: str, page: Page) -> tuple[tuple[LedgerRow, ...], str | None]:
    """A page of a player's entries, and the cursor of the next."""
    entries, cursor = page_of(scanned(unit.tx, _newest(player_id, page)), page, ENTRIES_OF_PLAYER.place_of)
    return tuple(map(_row, entries)), cursor


def _newest(player_id: str, page: Page) -> ScanOf[Entry]:
    return page.newest(ENTRIES_OF_PLAYER), (player_id,)


def _row(entry: Entry) -> LedgerRow:
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
