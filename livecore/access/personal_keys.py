"""Personal keys: by them a script or an assistant acts as a member, in one studio.

A key reads `svc_pk_<random>_<checksum>` and is stored as a hash. It may do what its member's role allows at that moment,
or only read, and nothing that needs somebody who is signed in. A member has one key in each studio: a new one revokes the
old one. It ends after 7 to 365 days, when it is revoked, and with the membership (specification 5, rule 7). Whoever uses one
that has ended is told so for 30 more days; then a sweep deletes it.
"""

from __future__ import annotations

import base64
from typing import Final

import attrs

from livecore.access.audit import KEY_USAGE
from livecore.access.keys import checksum_of, key_hash
from livecore.access.member_rows import PersonalKeyRow
from livecore.access.refusals import ApiKeyInvalid, ApiKeyRevoked, PersonalKeyNotFound
from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.entropy import Entropy
from livecore.kernel.ids import new_id
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import DAY, Millis, Timestamp, next_midnight, stamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record

PREFIX: Final = "svc_pk_"
"""The beginning of every personal key."""
KEPT_FOR: Final[Millis] = 30 * DAY
"""How long the row of a key that has ended is kept."""
_SHOWN: Final = 6
_LONGEST: Final = 256


@record
class PersonalKey:
    """A personal key. Only the hash is stored; lists show `prefix`."""

    key_id: str
    studio_id: str
    member_id: str
    name: str
    prefix: str
    hash: str
    read_only: bool
    created_at: Millis
    ends_at: Millis


PERSONAL_KEYS: Final = Table("personal_keys", PersonalKey, key=("key_id",))
BY_HASH: Final = PERSONAL_KEYS.unique("hash")
# Of two indexes that seem to cost the same in an empty table, PostgreSQL takes the one that was made later.
OF_STUDIO: Final = PERSONAL_KEYS.index("of_studio", prefix=("studio_id",), order=("created_at",))
OF_MEMBER: Final = PERSONAL_KEYS.index("of_member", prefix=("studio_id", "member_id"), order=("created_at",))
BY_END: Final = PERSONAL_KEYS.index("by_end", order=("ends_at",))


@attrs.frozen
class PersonalKeyOnce:
    """A new personal key with its text, which is shown only once."""

    key: PersonalKey
    text: str = attrs.field(repr=False)


def spelled(random: bytes) -> str:
    """The text of a key with these random bytes."""
    body = f"{PREFIX}{base64.b32encode(random).decode().lower()}"
    return f"{body}_{checksum_of(body)}"


def authenticate_personal_key(tx: Transaction, text: str, now: Millis) -> PersonalKey:
    """The key with this text. Raises `ApiKeyInvalid`, and `ApiKeyRevoked` for one that has ended."""
    key = tx.find(BY_HASH, key_hash(text)) if len(text) <= _LONGEST else None
    if key is None:
        raise ApiKeyInvalid
    if now >= key.ends_at:
        raise ApiKeyRevoked("This personal key has ended.")
    return key


def add_personal_key(
    tx: Transaction,
    studio_id: str,
    member_id: str,
    name: str,
    now: Millis,
    entropy: Entropy,
    *,
    secret: bytes,
    expires_in_days: int,
    read_only: bool,
) -> PersonalKeyOnce:
    """A new key of a member; the earlier one is revoked. `secret` are the 25 random bytes of its text."""
    end_personal_keys(tx, studio_id, member_id, now)
    text = spelled(secret)
    key = PersonalKey(
        key_id=new_id("key", now, entropy),
        studio_id=studio_id,
        member_id=member_id,
        name=name,
        prefix=text[: len(PREFIX) + _SHOWN],
        hash=key_hash(text),
        read_only=read_only,
        created_at=now,
        ends_at=now + expires_in_days * DAY,
    )
    return PersonalKeyOnce(tx.insert(PERSONAL_KEYS, key), text)


def personal_keys_of(tx: Transaction, studio_id: str, member_id: str, now: Millis) -> list[PersonalKey]:
    """The keys of a member that work: at most one."""
    return [key for key in tx.scan(OF_MEMBER, studio_id, member_id) if now < key.ends_at]


def require_personal_key(tx: Transaction, studio_id: str, key_id: str) -> PersonalKey:
    """The key of a studio with this id. Raises `PersonalKeyNotFound`."""
    key = tx.get(PERSONAL_KEYS, key_id)
    if key is None or key.studio_id != studio_id:
        raise PersonalKeyNotFound
    return key


def revoke_personal_key(tx: Transaction, key: PersonalKey, now: Millis) -> PersonalKey:
    """End a key at once."""
    return key if key.ends_at <= now else tx.put(PERSONAL_KEYS, evolve(key, ends_at=now))


def end_personal_keys(tx: Transaction, studio_id: str, member_id: str, now: Millis) -> None:
    """End the keys of a member in a studio."""
    for key in personal_keys_of(tx, studio_id, member_id, now):
        revoke_personal_key(tx, key, now)


def _sweep(unit: Unit, _ref: str, _cursor: Cursor) -> Cursor | None:
    rows = unit.tx.scan(BY_END, stop=(unit.now - KEPT_FOR + 1,), limit=MOST_ROWS)
    for row in rows:
        unit.tx.delete(PERSONAL_KEYS, row.key_id)
        unit.tx.delete(KEY_USAGE, row.key_id)
    return START if len(rows) == MOST_ROWS else None


SWEEP: Final = Job("access.personal_keys", _sweep, recurs=next_midnight, in_games=False, in_directory=True)
"""Deletes each day the personal keys that ended 30 days ago, with their last use."""


def personal_key_row(key: PersonalKey, email: str, used_at: Millis | None) -> PersonalKeyRow:
    """A key as lists show it."""
    return PersonalKeyRow(
        key_id=key.key_id,
        member_id=key.member_id,
        email=email,
        name=key.name,
        prefix=key.prefix,
        read_only=key.read_only,
        created_at=Timestamp(key.created_at),
        expires_at=Timestamp(key.ends_at),
        last_used_at=stamp(used_at),
    )
