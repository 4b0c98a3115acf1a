"""The parts of an export that come from the audit trail: every entry about the player, and bans in a list of their own.

The trail is the studio's record, and names the studio's people. Of them an export shows no more than the kind of actor and
the key. The directory has no entries about players, so all are in the scope of the player.
"""

from __future__ import annotations

import json
from typing import Final, Literal, cast

from livecore.access.audit import AUDIT_OF_PLAYER, AuditEntry
from livecore.access.audit_rows import AuditTarget
from livecore.access.audit_search import short_action
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.player_tools.accounts import Track, exported_over_accounts
from livecore.player_tools.history_rows import ExportedAuditEntry, ModerationRow, Who

_Moderating = Literal["ban", "unban", "flag_debug", "unflag_debug"]
_MODERATION: Final[dict[str, _Moderating]] = {
    "players.ban": "ban",
    "players.unban": "unban",
    "players.flagDebug": "flag_debug",
    "players.unflagDebug": "unflag_debug",
}
_CLIENT: Final = "sdk:"
"""What the action of an entry begins with where the player's client has acted."""
_OF_GUILDS: Final = "guilds."
_NO_TEXTS: Final = frozenset({"guildId", "role", "disbanded"})
"""What is shown of a guild before and after an action; its texts are written by others."""


def _tracks(account: str) -> list[Track]:
    return [(AUDIT_OF_PLAYER, (account,))]


def exported_entries(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Every entry about the player, of each account the newest first."""
    return exported_over_accounts(unit, player_id, wanted, _tracks, _entry)


def exported_moderation(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Bans and marks as debug account that the trail still has, of each account the newest first."""
    return exported_over_accounts(unit, player_id, wanted, _tracks, _moderation)


def _entry(entry: AuditEntry, account: str) -> ExportedAuditEntry:
    action = short_action(entry.action)
    read = _of_guild if action.startswith(_OF_GUILDS) else _as_object
    target = None
    if entry.target_kind is not None and entry.target_id is not None:
        target = AuditTarget(type=entry.target_kind, id=entry.target_id)
    return ExportedAuditEntry(
        audit_id=entry.audit_id,
        at=Timestamp(entry.at),
        player_id=account,
        by=_who(entry),
        via=cast("Literal['session', 'api', 'mcp', 'cli'] | None", entry.via),
        action=action,
        permission=entry.permission,
        address=entry.address if entry.action.startswith(_CLIENT) else None,
        target=target,
        before=read(entry.before),
        after=read(entry.after),
        metadata=_as_object(entry.metadata),
    )


def _as_object(text: JsonText | None) -> JsonObject | None:
    return None if text is None else cast(JsonObject, json.loads(text))


def _of_guild(text: JsonText | None) -> JsonObject | None:
    state = _as_object(text)
    return None if state is None else {name: member for name, member in state.items() if name in _NO_TEXTS}


def _who(entry: AuditEntry) -> Who:
    if entry.via == "cli":
        return Who(kind="cli", key=None)
    if entry.member_id is not None or entry.actor_kind == "member":
        return Who(kind="member" if entry.key_id is None else "personal_key", key=entry.key_id)
    if entry.actor_kind == "api_key":
        return Who(kind="api_key", key=entry.actor_ref)
    return Who(kind="player" if entry.actor_kind == "player" else "system", key=None)


def _moderation(entry: AuditEntry, _: str) -> ModerationRow | None:
    action = _MODERATION.get(short_action(entry.action))
    if action is None:
        return None
    state = _as_object(entry.before if action in {"unban", "unflag_debug"} else entry.after)
    reason: Json = None if state is None else state.get("reason")
    return ModerationRow(
        at=Timestamp(entry.at), action=action, reason=None if reason is None else str(reason), by=_who(entry)
    )
