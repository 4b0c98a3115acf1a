"""The player tools area: merging, erasing, exporting and migrating players."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.player_tools import (
    exported_events,
    exported_seats,
    exported_trail,
    history_rows,
    soundness,
    webhook_events,
)
from livecore.player_tools.migration import MIGRATED_ROWS

AREA: Final = Area(
    name="player_tools",
    tables=(MIGRATED_ROWS,),
    tags={"migrate": "Moving players, balances and items in from another backend."},
    events={
        "Player": (
            webhook_events.PlayerMerged,
            webhook_events.PlayerDeleted,
        )
    },
    exports={
        "auditEntries": Export(history_rows.ExportedAuditEntry, exported_trail.exported_entries),
        "moderation": Export(history_rows.ModerationRow, exported_trail.exported_moderation),
        "seats": Export(history_rows.SeatRow, exported_seats.exported_seats),
        "waitingWebhooks": Export(history_rows.ExportedEvent, exported_events.exported_events),
    },
    rules_over=soundness.rules_over,
)
