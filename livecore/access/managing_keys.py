"""What members do about the API keys of a game. Keys are in the directory, so a unit here is of the directory.

Whether a member may depends on the key's environment, which the request's body (`judge_creating`) or the key itself
(`guard_key`) names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from livecore.access import keys as rules
from livecore.access.audit import KEY_USAGE, KeyUsage
from livecore.access.directory import KEYS_OF_ENVIRONMENT, KEYS_OF_GAME, ApiKey
from livecore.access.key_rows import (
    ApiKeyMade,
    ApiKeyRevoked,
    ApiKeyRotated,
    ApiKeyRow,
    ApiKeysPage,
    CreateApiKey,
    ListApiKeys,
    RevokeApiKey,
    RotateApiKey,
)
from livecore.access.keys import SECRET_BYTES
from livecore.access.principals import Principal
from livecore.access.refusals import ApiKeyNotFound
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import scope_of
from livecore.kernel.storage.paging import page_by_time, page_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Change, Unit


def judge_creating(principal: Principal, body: JsonObject) -> None:
    """Raises `PermissionDenied`, and `DashboardOnly` for a live key that a personal key asks for."""
    if body.get("environment") == "live":
        principal.require("api_key.manage", "live")
        principal.require_signed_in()


def guard_key(unit: Unit, args: RotateApiKey | RevokeApiKey) -> None:
    """Raises `ApiKeyNotFound`, also for a key of another environment than the request names; `PermissionDenied`."""
    key = rules.require_key(unit.tx, args.game_id, args.key_id)
    if args.environment not in (None, key.environment):
        raise ApiKeyNotFound
    unit.principal.require("api_key.manage", key.environment)


def list_keys(unit: Unit, args: ListApiKeys) -> ApiKeysPage:
    """The keys of a game or of one of its environments, those that have ended too, the newest first."""
    page = page_by_time(args)
    if args.environment is None:
        found = unit.tx.scan(KEYS_OF_GAME, args.game_id, stop=page.beyond, reverse=True, limit=page.reach)
    else:
        prefix = (args.game_id, args.environment)
        found = unit.tx.scan(KEYS_OF_ENVIRONMENT, *prefix, stop=page.beyond, reverse=True, limit=page.reach)
    shown, following = page_of(found, page, KEYS_OF_GAME.position_of)
    return ApiKeysPage(keys=_rows(unit, shown), next_cursor=following)


def create_key(unit: Unit, args: CreateApiKey) -> ApiKeyMade:
    """Make a key."""
    scope = scope_of(args.game_id, args.environment)
    secret = unit.secret_bytes(SECRET_BYTES)
    once = rules.add_key(unit.tx, scope, args.permission, unit.now, unit.entropy, name=args.name, secret=secret)
    unit.audit_target = ("api_key", once.key.key_id)
    unit.change = Change(None, shown_for_audit(once.key))
    return ApiKeyMade(key=_row(unit, once.key), text=once.text)


def rotate_key(unit: Unit, args: RotateApiKey) -> ApiKeyRotated:
    """Make a successor for a key, which works for 60 more days. Raises `ApiKeyNotFound`, `ApiKeyEnded`."""
    before = rules.require_key(unit.tx, args.game_id, args.key_id)
    secret = unit.secret_bytes(SECRET_BYTES)
    once = rules.rotate_key(unit.tx, args.game_id, args.key_id, unit.now, unit.entropy, secret=secret)
    after = rules.require_key(unit.tx, args.game_id, args.key_id)
    unit.change = Change(shown_for_audit(before), shown_for_audit(after))
    unit.audit_metadata = {"successorId": once.key.key_id, "successorPrefix": once.key.prefix}
    return ApiKeyRotated(key=_row(unit, once.key), rotated=_row(unit, after), text=once.text)


def revoke_key(unit: Unit, args: RevokeApiKey) -> ApiKeyRevoked:
    """End a key at once; one that has ended stays as it is. Raises `ApiKeyNotFound`."""
    before = rules.require_key(unit.tx, args.game_id, args.key_id)
    after = rules.revoke_key(unit.tx, args.game_id, args.key_id, unit.now)
    unit.change = Change(shown_for_audit(before), shown_for_audit(after))
    return ApiKeyRevoked(key=_row(unit, after))


def spell_key(data: JsonObject, secret: bytes) -> str:
    """The text of a key that was made with these random bytes."""
    key = data["key"]
    assert isinstance(key, dict)  # noqa: S101 - the answer's own shape
    return rules.spelled(str(key["environment"]), str(key["permission"]), secret)


def _rows(unit: Unit, keys: Sequence[ApiKey]) -> tuple[ApiKeyRow, ...]:
    """Several keys, whose uses are read together."""
    usages = unit.tx.read_all(Get(KEY_USAGE, (key.key_id,)) for key in keys)
    return tuple(map(partial(_row_of, unit.now), keys, usages))


def _row(unit: Unit, key: ApiKey) -> ApiKeyRow:
    return _rows(unit, [key])[0]


def _row_of(now: Millis, key: ApiKey, usage: KeyUsage | None) -> ApiKeyRow:
    return ApiKeyRow(
        key_id=key.key_id,
        prefix=key.prefix,
        environment=key.environment,
        permission=key.permission,
        name=key.name,
        status="active" if key.ends_at is None else "retiring" if now < key.ends_at else "ended",
        created_at=Timestamp(key.created_at),
        rotated_at=_moment(key.rotated_at),
        ends_at=_moment(key.ends_at),
        last_used_at=_moment(None if usage is None else usage.at),
        last_used_sdk=None if usage is None else usage.sdk,
    )


def _moment(at: Millis | None) -> Timestamp | None:
    return None if at is None else Timestamp(at)


def shown_for_audit(key: ApiKey) -> JsonObject:
    """A key as the audit trail shows it."""
    return {
        "name": key.name,
        "prefix": key.prefix,
        "environment": key.environment,
        "permission": key.permission,
        "endsAt": None if key.ends_at is None else Timestamp(key.ends_at).wire,
    }
