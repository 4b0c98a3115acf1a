"""Erasing a player without a request, in the unit of work of a command: the server's own operation, and its audit entry."""

from __future__ import annotations

from typing import Literal, TypeAlias

from livecore.access.audit import audit
from livecore.kernel.units.unit import Unit
from livecore.player_tools.erasure import erase
from livecore.player_tools.rows import Erased, ErasePlayer
from livecore.players.player import find

Reason: TypeAlias = Literal["gdpr_erasure", "studio_request", "test"]


def erase_player(unit: Unit, external_id: str, reason: Reason) -> Erased:
    """Erase the player with this external id, and note in the audit trail who did it, if that changes anything."""
    player = find(unit, external_id)
    unit.external_id = external_id
    erased = erase(unit, ErasePlayer(reason=reason))
    if player is not None and erased.status == "erased":
        audit(
            unit.tx, unit.now, unit.entropy, unit.actor, "players.erase", via="cli", player_id=player.player_id,
            target=("player", player.player_id), metadata=unit.audit_metadata,
        )  # fmt: skip
    return erased
