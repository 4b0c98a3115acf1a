"""The API keys of a game, as operators manage them."""

from __future__ import annotations

from typing import Final

from livecore.access import key_rows, managing_keys
from livecore.access.keys import SECRET_BYTES
from livecore.access.refusals import ApiKeyEnded, ApiKeyNotFound
from livecore.api.table.admin_routes import member_read, member_write
from livecore.api.table.operation import Operation, Reveals

_SHOWS_TEXT: Final = Reveals("text", SECRET_BYTES, managing_keys.spell_key)

OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "keys.list",
        "/keys",
        key_rows.ListApiKeys,
        key_rows.ApiKeysPage,
        managing_keys.list_keys,
        permission="api_key.read",
        reach="directory",
        summary="List the API keys of a game.",
        about=(
            "The newest first, at most `limit` (1 to 200) from `cursor` on; those of both environments unless `environment` "
            "names one, and those that have ended. A key's text is never shown again."
        ),
    ),
    member_write(
        "keys.create",
        "POST /keys",
        key_rows.CreateApiKey,
        {201: key_rows.ApiKeyMade},
        managing_keys.create_key,
        permission="api_key.manage",
        destructive=False,
        reach="directory",
        dashboard_only="live",
        judge=managing_keys.judge_creating,
        reveals=_SHOWS_TEXT,
        summary="Make an API key.",
        about=(
            "`permission` is `client` for the game's clients and `server` for the studio's backend. The key is shown this "
            "once. A GAME_DEVELOPER makes test keys only, and a personal key makes no live ones. A query that names the "
            "environment as well must name the same."
        ),
    ),
    member_write(
        "keys.rotate",
        "POST /keys/{keyId}/rotate",
        key_rows.RotateApiKey,
        {200: key_rows.ApiKeyRotated},
        managing_keys.rotate_key,
        ApiKeyNotFound,
        ApiKeyEnded,
        permission="api_key.manage",
        reach="directory",
        dashboard_only=True,
        query=("environment",),
        guard=managing_keys.guard_key,
        reveals=_SHOWS_TEXT,
        target=("api_key", "keyId"),
        summary="Replace an API key by a new one.",
        about=(
            "The successor works at once and is shown this once; the old key works for 60 more days, or until it is "
            "revoked. A GAME_DEVELOPER rotates test keys only. With `environment` a key of the other one is not found."
        ),
    ),
    member_write(
        "keys.revoke",
        "POST /keys/{keyId}/revoke",
        key_rows.RevokeApiKey,
        {200: key_rows.ApiKeyRevoked},
        managing_keys.revoke_key,
        ApiKeyNotFound,
        permission="api_key.manage",
        reach="directory",
        dashboard_only=True,
        query=("environment",),
        guard=managing_keys.guard_key,
        target=("api_key", "keyId"),
        summary="Revoke an API key.",
        about=(
            "Its next request is refused, and its open streams end. Revoking a key that has ended changes nothing. A "
            "GAME_DEVELOPER revokes test keys only. With `environment` a key of the other one is not found."
        ),
    ),
)
