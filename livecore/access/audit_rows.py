"""The audit trail on the wire."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor, ExternalPlayerId, Id, Limit, Metadata, ShownExternalId, Text

ActorKind: TypeAlias = Literal["member", "personal_key", "api_key", "system", "cli"]
"""A member who is signed in, a member's personal key, an API key, the service itself, or the command line."""

Moment = Annotated[
    str,
    Text(10, 40, r"\d{4}-\d{2}-\d{2}(T[^\s]+)?", "must be a UTC date or a timestamp, such as 2026-01-31"),
]
"""A timestamp, or a UTC date, which is its first moment."""


@shape
class ListAudit:
    """Entries of the audit trail that match all given filters; `from` is included, `to` is excluded."""

    game: Id | None = None
    environment: Literal["live", "test"] | None = None
    member: Id | None = None
    action: Annotated[str, Text(1, 100, r"[A-Za-z0-9_.-]+", "must be the name of an operation")] | None = None
    player: ExternalPlayerId | None = None
    from_: Moment | None = None
    to: Moment | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class AuditActor:
    """Who has acted.

    `id` is a member's id, a personal key's id, the prefix of an API key, or the name of the user of a command line.
    `memberId` is the member, also of a personal key. `name` is the member's name or e-mail address, or the name of the user.
    """

    kind: ActorKind
    id: str | None
    name: str | None
    member_id: str | None


@shape
class AuditTarget:
    """What the action changed."""

    type: str
    id: str


@shape
class AuditRow:
    """One entry.

    `address` is where the request came from: whole for members who hold `player.export`, for others only its network, /24 of
    an IPv4 address and /48 of an IPv6 address. `gameId` and `environment` are null where the action belongs to none.
    `externalPlayerId` is the present id of the player whom the entry is about, null if it is about none or the player was
    erased.
    """

    audit_id: str
    at: Timestamp
    actor: AuditActor
    via: Literal["session", "api", "mcp", "cli"] | None
    address: str | None
    action: str
    permission: str | None
    target: AuditTarget | None
    before: Metadata | None
    after: Metadata | None
    metadata: Metadata | None
    game_id: str | None
    environment: Literal["live", "test"] | None
    external_player_id: ShownExternalId | None


@shape
class AuditPage:
    """Entries, the newest first."""

    entries: tuple[AuditRow, ...]
    next_cursor: str | None
