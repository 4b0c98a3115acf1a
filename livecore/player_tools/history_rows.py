"""What an export shows of what was done about a player, of the player's seats, and of what waits to be told about them."""

from __future__ import annotations

from typing import ClassVar, Literal

from livecore.access.audit_rows import AuditTarget
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Metadata, ShownPlayerId


@shape
class Who:
    """Who has acted: `key` is the prefix of an API key, or the id of a member's personal key.

    Of a member of the studio and of the user of a command line nothing else is shown.
    """

    kind: Literal["member", "personal_key", "api_key", "player", "system", "cli"]
    key: str | None

    example: ClassVar = {"kind": "api_key", "key": "lc_live_server_ab"}


@shape
class ExportedAuditEntry:
    """An entry of the audit trail about the player; `playerId` differs for an account that was merged into the player.

    `address` is the one from which the player registered; the addresses of the studio's people are not shown. Of a guild
    only the player's role in it is shown: its texts are the group's.
    """

    audit_id: str
    at: Timestamp
    player_id: ShownPlayerId
    by: Who
    via: Literal["session", "api", "mcp", "cli"] | None
    action: str
    permission: str | None
    address: str | None
    target: AuditTarget | None
    before: Metadata | None
    after: Metadata | None
    metadata: Metadata | None


@shape
class ModerationRow:
    """A ban, the end of one, or the mark of a debug account: when, why and by whom.

    `reason` is the reason as it was after the action, or for `unban` and `unflag_debug` the one that held before.
    """

    at: Timestamp
    action: Literal["ban", "unban", "flag_debug", "unflag_debug"]
    reason: str | None
    by: Who


@shape
class SeatRow:
    """A seat of the player in a lobby or in a team; what only a seat in a team has is null for one in a lobby.

    `number` says as which one the player came.
    """

    kind: Literal["lobby", "team"]
    seat_id: str | None
    lobby_id: str | None
    event_team_id: str | None
    event_window_id: str
    number: int
    contribution: int | None
    joined_at: Timestamp
    left_at: Timestamp | None
    left_reason: Literal["left", "kicked"] | None
    unlocks_by_then: int | None


@shape
class WaitingDelivery:
    """A delivery of an event that is not over; `endpointKey` is null where the endpoint was removed a moment ago."""

    delivery_id: str
    endpoint_key: str | None
    status: Literal["pending", "held"]
    attempt: int
    queued_at: Timestamp
    due_at: Timestamp | None


@shape
class ExportedEvent:
    """An event about the player that waits to be delivered, with its body.

    Of other players the body has only the service's ids: their other fields are null. `data` is null where it cannot be told
    whom the body names.
    """

    event_id: str
    event_name: str
    occurred_at: Timestamp
    data: Metadata | None
    deliveries: tuple[WaitingDelivery, ...]


@shape
class DayCount:
    """How many of something were counted on the last UTC day on which there was any, for a limit of the game or server."""

    counted: Literal["gifts_sent", "gifts_received", "purchases_reported", "bytes_stored"]
    day: str
    count: int

    example: ClassVar = {"counted": "gifts_sent", "day": "2026-01-31"}
