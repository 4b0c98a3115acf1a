"""Lobbies on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    Cursor,
    DefinitionKey,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Int,
    Items,
    Limit,
    Metadata,
    ShownExternalId,
    Text,
)
from livecore.players.rows import Identity

LobbyStatus: TypeAlias = Literal["forming", "active", "closed"]
"""Whether a lobby is filling, is being played in, or is over."""
MOST_PUSHED = 200
PushKey = Annotated[str, Text(1, 255, r"[\x20-\x7e]+", "must be 1 to 255 printable ASCII characters")]
"""The studio's own name for a lobby that it makes, unique among those of an event."""


# -- requests -------------------------------------------------------------------------------------------------------------


@shape
class GetLobby:
    """One lobby."""

    lobby_id: Id


@shape
class LeaveLobby:
    """Leave a lobby that is forming."""

    lobby_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class PushLobby:
    """A lobby of players whom the studio has matched itself; it starts at once.

    `capacity` is the event's by default. With `fillBots` the event's bots take the free seats.
    """

    game_id: Id
    event_key: DefinitionKey
    key: PushKey
    external_player_ids: Annotated[tuple[ExternalPlayerId, ...], Items(1, MOST_PUSHED, unique=True)]
    capacity: Annotated[int, Int(1, MOST_PUSHED)] | None = None
    fill_bots: bool = False
    metadata: Metadata | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class GetLobbyAsServer:
    """One lobby, as the studio's backend reads it."""

    game_id: Id
    lobby_id: Id


@shape
class ListLobbiesOfWindow:
    """The lobbies of a window, newest first, of one state or of all."""

    event_key: DefinitionKey
    window_id: Id
    status: LobbyStatus | None = None
    limit: Limit = 50
    cursor: Cursor | None = None

    example: ClassVar = {"status": "forming"}


# -- answers --------------------------------------------------------------------------------------------------------------


@shape
class LobbyParticipant:
    """A player or a bot in a lobby; a bot has no id."""

    external_player_id: ShownExternalId | None
    display_identity: Identity
    is_bot: bool
    joined_at: Timestamp


@shape
class LobbySummary:
    """A lobby: the event it belongs to, its state and its seats.

    `participantCount` counts players. `key` and `metadata` are those of a lobby that the studio's backend has made.
    """

    lobby_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    key: str | None
    status: LobbyStatus
    capacity: int
    participant_count: int
    bot_count: int
    fill_by: Timestamp | None
    started_at: Timestamp | None
    ends_at: Timestamp
    closed_at: Timestamp | None
    promotion_reason: Literal["capacity", "timeout", "external_push"] | None
    metadata: dict[str, object] | None

    example: ClassVar = {"lobby_id": "lob_00000000000000000000000001", "capacity": 8}


@shape
class LobbyRow(LobbySummary):
    """A lobby: the event it belongs to, its state, its seats and who sits in them, players before bots.

    `participantCount` counts players. `key` and `metadata` are those of a lobby that the studio's backend has made.
    """

    participants: tuple[LobbyParticipant, ...]

    example: ClassVar = {"lobby_id": "lob_00000000000000000000000001", "capacity": 8}


@shape
class Lobbies:
    """A page of lobbies, newest first."""

    lobbies: tuple[LobbySummary, ...]
    next_cursor: str | None


@shape
class OneLobby:
    """A lobby."""

    lobby: LobbyRow


@shape
class LobbyLeft:
    """The player is not in the lobby any more."""

    left: Literal[True]


@shape
class ExportedSeat:
    """A time that a player was in a lobby."""

    lobby_id: str
    event_key: str
    event_window_id: str
    status: LobbyStatus
    joined_at: Timestamp
    started_at: Timestamp | None
    closed_at: Timestamp | None

    example: ClassVar = {"lobby_id": "lob_00000000000000000000000001"}
