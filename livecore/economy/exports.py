"""The parts of an export for balances, items, ledgers, grants and opened crates."""

from __future__ import annotations

from livecore.economy import grants
from livecore.economy.config import economy_config
from livecore.economy.crate_rows import ExportedOpening, RollResult
from livecore.economy.crates import OPENINGS_OF_PLAYER, CrateOpening, rolls_of, waits_in
from livecore.economy.history import page_of_entries
from livecore.economy.inventory import item_row
from livecore.economy.ledger import HOLDINGS_OF_PLAYER, Holding
from livecore.economy.rows import BalanceRow
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of, unpack
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit


def exported_wallet(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Balances of currencies and progression, by key; in a studio-managed game only what the service keeps."""
    rows, cursor = _holdings(unit, player_id, "currency", wanted)
    declared = {entry.key: entry.kind for entry in economy_config(unit).economy}
    return Exported(
        tuple(
            BalanceRow(key=row.asset_key, kind=declared.get(row.asset_key, "currency"), balance=row.amount)
            for row in rows
        ),
        cursor,
    )


def exported_inventory(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Items, by key, also those with a quantity of 0."""
    rows, cursor = _holdings(unit, player_id, "item", wanted)
    return Exported(tuple(item_row(unit, row) for row in rows), cursor)


def _holdings(unit: Unit, player_id: PlayerId, kind: str, wanted: Slice) -> tuple[list[Holding], str | None]:
    page = PageRequest(wanted.limit, unpack(wanted.cursor, (str,)))
    found = unit.tx.scan(HOLDINGS_OF_PLAYER, player_id, kind, after=page.beyond, limit=page.reach)
    return page_of(found, page, HOLDINGS_OF_PLAYER.position_of)


def exported_ledger(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Every change of a balance or quantity, newest first."""
    return Exported(*page_of_entries(unit, player_id, page_by_time(wanted)))


def exported_grants(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Grants in every state, newest first."""
    rows, cursor = grants.newest(unit, player_id, page_by_time(wanted))
    return Exported(tuple(map(grants.row, rows)), cursor)


def exported_openings(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Opened crates with what was rolled, newest first."""
    page = page_by_time(wanted)
    found = unit.tx.scanned(page.newest(OPENINGS_OF_PLAYER, player_id))
    shown, cursor = page_of(found, page, OPENINGS_OF_PLAYER.position_of)
    return Exported(tuple(map(_opening, shown)), cursor)


def _opening(opening: CrateOpening) -> ExportedOpening:
    return ExportedOpening(
        crate_id=opening.crate_id,
        crate_key=opening.crate_key,
        opened_at=Timestamp(opening.opened_at),
        rolls=tuple(RollResult(roll=rolled.roll, row=rolled.row) for rolled in rolls_of(opening)),
        contents_grant_id=opening.contents_id,
        definition_digest=opening.definition,
        seed=opening.seed,
        waits=waits_in(opening.waits),
        waits_after=waits_in(opening.waits_after),
    )
