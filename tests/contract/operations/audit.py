"""The audit trail, as the wire contract shows it."""

from __future__ import annotations

from typing import Final

from tests.contract.expected import PAGE, Area, Route

AREA: Final = Area(
    routes=(
        Route(
            "admin", "audit.list", "GET /audit", below="/studios/{studioId}",
            asks=f"game? environment? member? action? player? from? to? {PAGE}",
            answers="entries:auditEntry[] nextCursor",
            permission="audit.read",
        ),
    ),
    rows={
        "auditEntry": "auditId at actor:auditActor via address action permission target:auditTarget before after metadata "
        "gameId environment externalPlayerId",
        "auditActor": "kind id name memberId",
        "auditTarget": "type id",
    },
)  # fmt: skip
