"""What a player's timeline shows of the audit trail: what the studio did about the player, and the player's registration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from livecore.access.audit import AUDIT_OF_PLAYER, AuditEntry
from livecore.kernel.declarations.timeline import TimelineSource, Track
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit


def _entry(_: Unit, row: AuditEntry, __: Sequence[Any]) -> JsonObject:
    return {
        "action": row.action,
        "actor": {"kind": row.actor_kind, "id": row.actor_ref},
        "via": row.via,
        "permission": row.permission,
        "target": None if row.target_kind is None else {"type": row.target_kind, "id": row.target_id},
        "before": None if row.before is None else json.loads(row.before),
        "after": None if row.after is None else json.loads(row.after),
        "metadata": None if row.metadata is None else json.loads(row.metadata),
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="audit",
        about="Somebody did something about the player, such as a ban: who, and what was before and after.",
        thing="audit_entry",
        covers=("auditEntries", "moderation"),
        tracks=lambda player_id: [Track(AUDIT_OF_PLAYER, (player_id,))],
        show=_entry,
    ),
)
