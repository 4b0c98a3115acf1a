"""Members, sessions and personal keys on the wire."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import attrs

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, Cursor, Id, IdempotencyKey, Int, Items, Limit, Text

Role: TypeAlias = Literal["OWNER", "ADMIN", "GAME_ADMIN", "GAME_DEVELOPER", "GAME_DEBUGGER", "VIEWER"]
"""What a member is in a studio."""

Email = Annotated[
    str,
    Text(3, 254, r"[^@\s]+@[^@\s]+", "must be an e-mail address"),
]
"""An e-mail address; upper and lower case are the same."""

Games = Annotated[tuple[Id, ...], Items(0, 1000, unique=True)]
"""The ids of some games of the studio."""


# -- sessions -------------------------------------------------------------------------------------------------------------


@shape
class GetSession:
    """Ask which member is signed in."""


@shape
class OneMember:
    """The person who is signed in."""

    member_id: str
    email: str
    name: str | None


@shape
class StudioOfSession:
    """A studio of which the person is a member, with the role; `games` is null where it is for all games."""

    studio_id: str
    name: str
    role: Role
    games: tuple[str, ...] | None


@shape
class SessionShown:
    """The member who is signed in, for which studios, and by what."""

    member: OneMember
    studios: tuple[StudioOfSession, ...]
    via: Literal["session", "api", "mcp"]


@shape
class SignOut:
    """End the session."""

    idempotency_key: IdempotencyKey | None = None


@shape
class SignedOut:
    """The session has ended."""

    signed_out: Literal[True]


# -- studios --------------------------------------------------------------------------------------------------------------


@shape
class GetStudio:
    """The studio of the path."""


@shape
class UpdateStudio:
    """Change the studio."""

    name: Annotated[str, Text(1, 100, name=True)]
    idempotency_key: IdempotencyKey | None = None


@shape
class StudioRow:
    """A studio."""

    studio_id: str
    name: str
    created_at: Timestamp


@shape
class StudioGiven:
    """A studio."""

    studio: StudioRow


# -- members --------------------------------------------------------------------------------------------------------------


@shape
class ListMembers:
    """The members of the studio."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class InviteMember:
    """Make somebody a member; `games` limits the role to some games."""

    email: Email
    role: Role
    games: Games | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"email": "colleague@example.com", "role": "GAME_ADMIN"}


@shape
class UpdateMember:
    """Change a member's role or games; `games` null is all games, and what is left out stays."""

    member_id: Id
    role: Role | Absent = ABSENT
    games: Games | None | Absent = ABSENT
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"role": "VIEWER"}


@shape
class RemoveMember:
    """End a membership."""

    member_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class MemberRow:
    """A member with the role in this studio; `games` is null where it is for all games.

    `name` and `lastSignInAt` are of the last sign-in that opened this studio, and null before the first one. `bound` is true
    once somebody has signed in with the address: from then on only that account opens this studio.
    """

    member_id: str
    email: str
    name: str | None
    role: Role
    games: tuple[str, ...] | None
    since: Timestamp
    last_sign_in_at: Timestamp | None
    bound: bool


@shape
class MembersPage:
    """Members, the newest first."""

    members: tuple[MemberRow, ...]
    next_cursor: str | None


@shape
class MemberGiven:
    """A member."""

    member: MemberRow


@shape
class Removed:
    """It is removed."""

    removed: Literal[True]


# -- personal keys --------------------------------------------------------------------------------------------------------


@shape
class ListPersonalKeys:
    """One's own personal key; owners and admins see the keys of all members."""

    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class CreatePersonalKey:
    """Make a personal key; one's earlier key for this studio is revoked."""

    name: Annotated[str, Text(1, 100, name=True)]
    expires_in_days: Annotated[int, Int(7, 365)]
    read_only: bool = False
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"name": "night report", "expires_in_days": 90}


@shape
class RevokePersonalKey:
    """End a personal key at once."""

    key_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class PersonalKeyRow:
    """A personal key, without its text."""

    key_id: str
    member_id: str
    email: str
    name: str
    prefix: str
    read_only: bool
    created_at: Timestamp
    expires_at: Timestamp
    last_used_at: Timestamp | None

    example: ClassVar = {"prefix": "svc_pk_sample"}


@shape
class PersonalKeysPage:
    """Personal keys that work, the newest first."""

    personal_keys: tuple[PersonalKeyRow, ...]
    next_cursor: str | None


@shape
class PersonalKeyGiven:
    """A new personal key; `key` is its text, which is shown this once."""

    personal_key: PersonalKeyRow
    key: str = attrs.field(repr=False)

    example: ClassVar = {"key": "svc_pk_sample_00000000"}


@shape
class PersonalKeyRevoked:
    """The key has ended."""

    revoked: Literal[True]
