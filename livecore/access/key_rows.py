"""API keys on the wire, as operators see them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import attrs

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor, Id, IdempotencyKey, Limit, Text

Environment = Literal["test", "live"]


@shape
class ListApiKeys:
    """The API keys of a game, in both environments or in one."""

    game_id: Id
    environment: Environment | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class CreateApiKey:
    """Make an API key for one environment of a game."""

    game_id: Id
    environment: Literal["test", "live"]
    permission: Literal["client", "server"]
    name: Annotated[str, Text(1, 100, name=True)] | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"environment": "test", "permission": "client", "name": "build machine"}


@shape
class RotateApiKey:
    """Make a successor for an API key."""

    game_id: Id
    key_id: Id
    environment: Environment | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class RevokeApiKey:
    """End an API key at once."""

    game_id: Id
    key_id: Id
    environment: Environment | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class ApiKeyRow:
    """An API key, without its text.

    `status` is `active`, `retiring` for a rotated key that works until `ends_at`, or `ended`.
    """

    key_id: str
    prefix: str
    environment: Literal["test", "live"]
    permission: Literal["client", "server"]
    name: str | None
    status: Literal["active", "retiring", "ended"]
    created_at: Timestamp
    rotated_at: Timestamp | None
    ends_at: Timestamp | None
    last_used_at: Timestamp | None
    last_used_sdk: str | None

    example: ClassVar = {"prefix": "lc_test_client_sample"}


@shape
class ApiKeysPage:
    """API keys, the newest first."""

    keys: tuple[ApiKeyRow, ...]
    next_cursor: str | None


@shape
class ApiKeyMade:
    """A new API key; `text` is the key itself, which is shown this once."""

    key: ApiKeyRow
    text: str = attrs.field(repr=False)

    example: ClassVar = {"text": "lc_test_client_sample_00000000"}


@shape
class ApiKeyRotated:
    """The successor with its `text`, which is shown this once, and the key in whose place it comes."""

    key: ApiKeyRow
    rotated: ApiKeyRow
    text: str = attrs.field(repr=False)

    example: ClassVar = {"text": "lc_test_client_sample_00000000"}


@shape
class ApiKeyRevoked:
    """The key has ended."""

    key: ApiKeyRow
