"""Addresses of the audit trail: whole while somebody may still look into what has just happened, then only the network.

A daily job in steps goes backwards from the youngest entries whose address is old. It stops where a few days of entries were
shortened before, because all that are older were as well.
"""

from __future__ import annotations

from typing import Final

from livecore.access.audit import AUDIT, AUDIT_BY_TIME, AuditEntry
from livecore.kernel.client_network import shortened
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import DAY, Millis, next_midnight
from livecore.kernel.units.unit import Unit

_LOOKED_BACK: Final[Millis] = 3 * DAY


def _has_full_address(entry: AuditEntry) -> bool:
    return entry.address is not None and "/" not in entry.address


def _shorten(unit: Unit, _: str, cursor: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.addresses
    if kept_for is None:
        return None
    before = unit.now - kept_for
    rows = unit.tx.scan(AUDIT_BY_TIME, stop=cursor or (before,), reverse=True, limit=MOST_ROWS)
    with_full_address = [entry for entry in rows if _has_full_address(entry)]
    for entry in with_full_address:
        unit.tx.put(AUDIT, evolve(entry, address=shortened(entry.address or "")))
    if len(rows) < MOST_ROWS:
        return None
    # Entries without an address say nothing of those that are older.
    silent = all(entry.address is None for entry in rows)
    near = rows[-1].at > before - _LOOKED_BACK
    return AUDIT_BY_TIME.position_of(rows[-1]) if with_full_address or silent or near else None


SHORTEN: Final = Job("audit.shorten_addresses", _shorten, recurs=next_midnight, in_directory=True)
"""Shortens each day the addresses that the deployment no longer keeps whole."""
