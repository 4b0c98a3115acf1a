"""The audit trail: who changed what, for the studio to read later.

Every change by the studio's backend adds an entry with the key's prefix. Registering a player and rotating a secret add one
with the caller's address. Changes to keys and configuration add one with the person who ran the command. Client calls add
no entries: for them the time, operation and SDK of a key's last use are noted in the ephemeral state, and flushed to the
key's usage row (specification 5, rules 8 and 9).

An entry holds the kind of the principal and the permission that the action needed. If the handler provides it, the entry
also holds the state before and after. Everything that an entry holds about a player is emptied when the player is erased.

An entry is in the scope of the change: in an environment of a game, or in the directory, where studios, games and keys are.
Each scope deletes its own entries once they are older than the deployment keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from livecore.access.principals import PrincipalKind, Via
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import rewrite_all
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.ids import new_id
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import JsonText, PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, next_midnight
from livecore.kernel.units.ephemeral import EphemeralKind
from livecore.kernel.units.unit import Actor, Change, Unit
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import compact

MOST_BYTES: Final = 4 * 1024
"""How large one side of a change may be as compact JSON; of a larger one only the size is kept."""
HIDDEN: Final = "[hidden]"
"""The text that replaces a secret."""
_SECRET: Final = re.compile("secret(?!Prefix|RotatedAt)|password|token|hash", re.IGNORECASE)


@record
class AuditEntry:
    """One change: when, by whom, what, to whom, from where."""

    audit_id: str
    at: Millis
    actor_kind: str
    actor_ref: str
    action: str
    player_id: PlayerId | None = None
    address: str | None = None
    metadata: JsonText | None = None
    principal: str | None = None
    """The kind of principal that asked, one of `livecore.access.principals.KINDS`; entries of older releases have none."""
    permission: str | None = None
    """The permission that the action needed."""
    before: JsonText | None = None
    after: JsonText | None = None
    via: str | None = None
    """Through what the principal acted, one of `livecore.access.principals.Via`; nothing for the service itself."""
    member_id: str | None = None
    """The member who acted, by session or by personal key."""
    key_id: str | None = None
    """The personal key by which the member acted."""
    target_kind: str | None = None
    target_id: str | None = None
    studio_id: str | None = None
    """In the directory: the studio that the change is about."""
    game_id: str | None = None
    """In the directory: the game that the change is about."""


_PERSONAL: Final = ("address", "metadata", "before", "after")

AUDIT = Table(
    "audit_entries",
    AuditEntry,
    key=("audit_id",),
    players={"player_id": PlayerColumn(Merge.RETAIN, Erase.ANONYMISE, personal=_PERSONAL)},
    export=("auditEntries", "moderation"),
)
AUDIT_BY_TIME = AUDIT.index("by_time", order=("at",))
AUDIT_OF_PLAYER = AUDIT.index("of_player", prefix=("player_id",), order=("at",))
AUDIT_OF_MEMBER = AUDIT.index("of_member", prefix=("member_id",), order=("at",))
AUDIT_OF_MEMBERS_ACTION = AUDIT.index("of_members_action", prefix=("member_id", "action"), order=("at",))
AUDIT_OF_ACTION = AUDIT.index("of_action", prefix=("action",), order=("at",))
AUDIT_OF_STUDIO = AUDIT.index("of_studio", prefix=("studio_id",), order=("at",))
AUDIT_OF_TARGET = AUDIT.index("of_target", prefix=("target_kind", "target_id"), order=("at",))


@record
class KeyUsage:
    """When a key was last used, for which operation, and by which SDK, if known."""

    key_id: str
    at: Millis
    operation: str
    sdk: str | None = None


KEY_USAGE = Table("api_key_usage", KeyUsage, key=("key_id",))


def later_use(one: KeyUsage, other: KeyUsage) -> KeyUsage:
    """The later of two uses of a key. The choice between two uses of the same time does not depend on their order."""
    return max(one, other, key=lambda usage: (usage.at, usage.operation, usage.sdk is not None, usage.sdk or ""))


LAST_USED: EphemeralKind[KeyUsage] = EphemeralKind(
    "access.last_used", capacity=100_000, record=KeyUsage, join=later_use
)


def audit(
    tx: Transaction,
    now: Millis,
    entropy: Entropy,
    actor: Actor,
    action: str,
    *,
    player_id: str | None = None,
    address: str | None = None,
    metadata: JsonObject | None = None,
    principal: PrincipalKind = "system",
    permission: str | None = None,
    change: Change | None = None,
    via: Via | None = None,
    key_id: str | None = None,
    target: tuple[str, str] | None = None,
    studio_id: str | None = None,
    game_id: str | None = None,
) -> AuditEntry:
    """Add an entry. Without other arguments it is one of the system itself.

    The entry holds no secrets of a change, and at most `MOST_BYTES` for each side.
    """
    return tx.insert(
        AUDIT,
        AuditEntry(
            audit_id=new_id("aud", now, entropy),
            at=now,
            actor_kind=actor.kind,
            actor_ref=actor.ref,
            action=action,
            player_id=None if player_id is None else PlayerId(player_id),
            address=address or None,
            metadata=None if metadata is None else JsonText(compact(metadata)),
            principal=principal,
            permission=permission,
            before=None if change is None else _shown(change.before),
            after=None if change is None else _shown(change.after),
            via=via,
            member_id=actor.ref if actor.kind == "member" else None,
            key_id=key_id,
            target_kind=None if target is None else target[0],
            target_id=None if target is None else target[1],
            studio_id=studio_id,
            game_id=game_id,
        ),
    )


def forget_changes(tx: Transaction, target_kind: str, target_id: str) -> None:
    """Empty what the entries about one thing say of its state before and after, because it names somebody."""
    rewrite_all(tx, AUDIT_OF_TARGET, (target_kind, target_id), {"before": None, "after": None})


def _shown(state: JsonObject | None) -> JsonText | None:
    """One side of a change as the trail keeps it."""
    if state is None:
        return None
    text = compact(_without_secrets(state))
    size = len(text.encode())
    if size > MOST_BYTES:
        text = compact({"tooLarge": True, "bytes": size})
    return JsonText(text)


def _without_secrets(state: Json) -> Json:
    """The same, without the values of members whose names say that they are secrets."""
    if isinstance(state, list):
        return [_without_secrets(member) for member in state]
    if not isinstance(state, dict):
        return state
    return {name: HIDDEN if _SECRET.search(name) else _without_secrets(member) for name, member in state.items()}


def note_use(usage: KeyUsage | None, key_id: str, operation: str, sdk: str | None, now: Millis) -> KeyUsage | None:
    """The usage to note, or `None` where the same use was noted within the last ten seconds."""
    same = usage is not None and usage.operation == operation and usage.sdk == sdk
    if usage is not None and same and 0 <= now - usage.at < 10_000:
        return None
    return KeyUsage(key_id=key_id, at=now, operation=operation, sdk=sdk)


def flush(tx: Transaction, noted: Sequence[tuple[str, KeyUsage]]) -> tuple[str, ...]:
    """Write noted uses to the rows of the keys with these ids; `tx` is a transaction of the directory."""
    # Another process may already have written a later use.
    found = tx.read_all(Get(KEY_USAGE, (key_id,)) for key_id, _ in noted)
    for (_, usage), written in zip(noted, found, strict=True):
        tx.put(KEY_USAGE, usage if written is None else later_use(written, usage))
    return ()


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.audit
    rows = [] if kept_for is None else unit.tx.scan(AUDIT_BY_TIME, stop=(unit.now - kept_for,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(AUDIT, row.audit_id)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("audit.sweep", _sweep, recurs=next_midnight, in_directory=True)
"""Deletes each day the entries that are older than the deployment keeps them."""
