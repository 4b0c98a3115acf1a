"""API keys: their format, the requests that they authenticate, rotation and revocation.

A key reads `lc_<test|live>_<client|server>_<random>_<checksum>`: a person who finds a key in a log can see what it is for,
and a scanner recognises it by the checksum. It holds 200 random bits and is stored as a SHA-256 hash. Rotation makes a
successor at once; the old key works for 60 more days, or until it is revoked. Revocation is immediate (specification 5).
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Final, Literal, TypeAlias

import attrs

from livecore.access.directory import API_KEYS, KEY_BY_HASH, ApiKey
from livecore.access.refusals import (
    ApiKeyEnded,
    ApiKeyInvalid,
    ApiKeyMissing,
    ApiKeyNotFound,
    ApiKeyRevoked,
    WrongPermissionSet,
)
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import new_id
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, Millis, Timestamp

GRACE: Final[Millis] = 60 * DAY
"""How long a rotated key continues to work."""
SECRET_BYTES: Final = 25
"""The random bytes of a key."""

Permission: TypeAlias = Literal["client", "server"]
_LONGEST_TOKEN = 256


@attrs.frozen
class KeyOnce:
    """A new key with its text, which is shown only once."""

    key: ApiKey
    text: str = attrs.field(repr=False)


# -- rules ----------------------------------------------------------------------------------------------------------------


def checksum_of(body: str) -> str:
    """The end of a key's text, by which scanners recognise it."""
    return f"{zlib.crc32(body.encode('utf-8', 'surrogatepass')):08x}"


def spelled(environment: str, permission: str, secret: bytes) -> str:
    """The text of a key with these random bytes."""
    body = f"lc_{environment}_{permission}_{base64.b32encode(secret).decode().lower()}"
    return f"{body}_{checksum_of(body)}"


def _prefix(text: str) -> str:
    """The part of a key that lists and logs show: it leaves out most of the random part."""
    return "_".join(text.split("_")[:3]) + "_" + text.split("_")[3][:6]


def key_hash(text: str) -> str:
    """What is stored for a key: its SHA-256 in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bearer_token(authorization: str | None) -> str:
    """The token of an `Authorization: Bearer` header. Raises `ApiKeyMissing`."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiKeyMissing
    return token.strip()


# -- operations -----------------------------------------------------------------------------------------------------------


def authenticate(tx: Transaction, authorization: str | None, permission: Permission, now: Millis) -> ApiKey:
    """The key that a request carries.

    Refusals, in order: `ApiKeyMissing`, `ApiKeyInvalid`, `ApiKeyRevoked`, `WrongPermissionSet`.
    """
    token = bearer_token(authorization)
    key = tx.find(KEY_BY_HASH, key_hash(token)) if len(token) <= _LONGEST_TOKEN else None
    if key is None:
        raise ApiKeyInvalid
    if key.ends_at is not None and now >= key.ends_at:
        raise ApiKeyRevoked
    if key.permission != permission:
        raise WrongPermissionSet
    return key


def add_key(
    tx: Transaction,
    scope: Scope,
    permission: Permission,
    now: Millis,
    entropy: Entropy,
    *,
    name: str | None = None,
    secret: bytes | None = None,
) -> KeyOnce:
    """A new key for one environment of a game; `secret` gives its random bytes, which are drawn otherwise."""
    key_id = new_id("key", now, entropy)
    text = spelled(scope.environment, permission, entropy.bytes(SECRET_BYTES) if secret is None else secret)
    key = ApiKey(
        key_id=key_id,
        game_id=scope.game_id,
        environment="live" if scope.environment == "live" else "test",
        permission=permission,
        prefix=_prefix(text),
        hash=key_hash(text),
        bucket=key_id,
        name=name,
        created_at=now,
    )
    return KeyOnce(tx.insert(API_KEYS, key), text)


def require_key(tx: Transaction, game_id: str, key_id: str) -> ApiKey:
    """The game's key of this id. Raises `ApiKeyNotFound`."""
    key = tx.get(API_KEYS, key_id)
    if key is None or key.game_id != game_id:
        raise ApiKeyNotFound
    return key


def rotate_key(
    tx: Transaction, game_id: str, key_id: str, now: Millis, entropy: Entropy, *, secret: bytes | None = None
) -> KeyOnce:
    """Make a successor for a key, as `add_key` makes one. The key itself works for 60 more days.

    Raises `ApiKeyNotFound`, and `ApiKeyEnded` for a key that has ended or has a successor.
    """
    key = require_key(tx, game_id, key_id)
    if key.ends_at is not None:
        if now < key.ends_at:
            until = Timestamp(key.ends_at).wire
            raise ApiKeyEnded(f"This API key was rotated before and works until {until}: rotate its successor instead.")
        raise ApiKeyEnded
    tx.put(API_KEYS, evolve(key, rotated_at=now, ends_at=now + GRACE))
    text = spelled(key.environment, key.permission, entropy.bytes(SECRET_BYTES) if secret is None else secret)
    successor = evolve(
        key, key_id=new_id("key", now, entropy), prefix=_prefix(text), hash=key_hash(text), created_at=now
    )
    return KeyOnce(tx.insert(API_KEYS, successor), text)


def revoke_key(tx: Transaction, game_id: str, key_id: str, now: Millis) -> ApiKey:
    """End a key at once. Raises `ApiKeyNotFound`."""
    key = require_key(tx, game_id, key_id)
    if key.ends_at is not None and key.ends_at <= now:
        return key
    return tx.put(API_KEYS, evolve(key, ends_at=now))
