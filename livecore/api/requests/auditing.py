"""What a request leaves in the audit trail.

Every change by the studio leaves an entry, whoever of it has made it: its backend by a key, or a member. Of players only
registering does, with the caller's address. Reads that the table of operations marks leave one too.
"""

from __future__ import annotations

from collections.abc import Sequence

from livecore.access.audit import audit
from livecore.access.principals import player_principal
from livecore.api.requests.prepared import Prepared
from livecore.api.table.operation import Operation
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import Unit
from livecore.players.player import find


def audit_request(prepared: Prepared, unit: Unit) -> None:
    """Add the entry of a request that leaves one, in the unit that makes its change."""
    operation = prepared.operation
    assert operation is not None  # noqa: S101 - the request has been prepared
    principal = prepared.principal
    if operation.credential == "player":
        principal = player_principal(unit.player_id or "")
    player_id = _player_of(unit)
    target = unit.audit_target or _target_of(operation, prepared.values)
    game = prepared.game
    # An entry in a scope of a game needs no names of the studio and the game: the scope has them.
    in_directory = unit.scope == DIRECTORY
    audit(
        unit.tx,
        unit.now,
        unit.entropy,
        principal.actor,
        operation.id,
        player_id=player_id,
        address=unit.origin.address,
        principal=principal.kind,
        permission=operation.permission,
        change=unit.change,
        via=principal.via or "api",
        key_id=principal.credential if principal.kind == "personal_key" else None,
        target=("player", player_id) if target is None and player_id is not None else target,
        metadata=unit.audit_metadata,
        studio_id=(unit.studio_id or None) if in_directory else None,
        game_id=game.game_id if in_directory and game is not None else None,
    )


def _player_of(unit: Unit) -> str | None:
    """The player whom the change is about: of a merge the one who stays, in whose trail it belongs."""
    if unit.audit_target is not None and unit.audit_target[0] == "player":
        return unit.audit_target[1]
    if unit.player_id is not None or unit.external_id is None:
        return unit.player_id
    player = find(unit, unit.external_id)
    return None if player is None else player.player_id


def _target_of(operation: Operation, values: Sequence[str]) -> tuple[str, str] | None:
    """What the path names as the thing that the operation changes."""
    if operation.target is None:
        return None
    kind, variable = operation.target
    return kind, values[operation.variables.index(variable)]
