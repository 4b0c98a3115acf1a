"""Events about lobbies, from their creation to their end, and about sudden-death sessions (specification 3.6 and 6.2)."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import ABSENT, Absent, ShownExternalId, ShownPlayerId
from livecore.webhooks.payload import Payload

PushSource: TypeAlias = Literal["server_push"] | Absent
"""Present when the studio's backend pushed the lobby; left out when a client's matchmaking caused the event."""


@shape
class LobbyBot:
    """One bot that filled a seat."""

    id: str
    bot_id: str
    name: str


@shape
class LobbyCreated(Payload):
    """A lobby formed, by matchmaking or by a push; `lobbyKey` is the push's own key."""

    kind: ClassVar[str] = "lobby.created"
    lobby_id: str
    lobby_key: str | None
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str | None
    status: Literal["forming", "active"]
    capacity: int
    participant_count: int
    bot_count: int
    metadata: dict[str, object] | None
    created_at: Timestamp
    fill_by: Timestamp | None
    source: PushSource = ABSENT


@shape
class LobbyPlayerJoined(Payload):
    """A player joined a lobby."""

    kind: ClassVar[str] = "lobby.player_joined"
    lobby_id: str
    event_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    participant_count: int
    capacity: int
    joined_at: Timestamp
    source: PushSource = ABSENT


@shape
class LobbyBotFilled(Payload):
    """Bots took the empty seats; one event for each fill."""

    kind: ClassVar[str] = "lobby.bot_filled"
    lobby_id: str
    leaderboard_id: str
    bot_count: int
    bots: tuple[LobbyBot, ...]


@shape
class _LobbyBegins(Payload):
    """A lobby when it becomes active."""

    lobby_id: str
    leaderboard_id: str
    capacity: int
    participant_count: int
    bot_count: int
    started_at: Timestamp
    ends_at: Timestamp | None
    promotion_reason: Literal["capacity", "timeout", "external_push"]


@shape
class LobbyStarted(_LobbyBegins):
    """A lobby became active, for any reason."""

    kind: ClassVar[str] = "lobby.started"


@shape
class LobbyFillTimeout(_LobbyBegins):
    """A lobby became active because the time to fill it was over; emitted in addition to `lobby.started`."""

    kind: ClassVar[str] = "lobby.fill_timeout"

    example: ClassVar = {"promotion_reason": "timeout"}


@shape
class LobbyClosed(Payload):
    """A lobby was closed: its window or its session ended, or it never started (`unfilled`, `emptied`)."""

    kind: ClassVar[str] = "lobby.closed"
    lobby_id: str
    lobby_key: str | None
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    status: Literal["closed"]
    reason: Literal["window_ended", "session_ended", "unfilled", "emptied"]
    capacity: int
    participant_count: int
    bot_count: int
    started_at: Timestamp | None
    ends_at: Timestamp | None
    closed_at: Timestamp


@shape
class SessionTerminated(Payload):
    """A trigger ended a sudden-death session early; `frozenCount` is the number of attempts that were still in progress."""

    kind: ClassVar[str] = "session.terminated"
    lobby_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    fired_trigger: str
    fired_trigger_type: str
    resolution: Literal["freeze", "close"]
    frozen_count: int
    terminated_at: Timestamp


@shape
class SessionFrozen(Payload):
    """One player's attempt froze in a sudden-death session, once for each attempt and session."""

    kind: ClassVar[str] = "session.frozen"
    lobby_id: str
    event_id: str
    event_key: str
    event_window_id: str
    leaderboard_id: str
    attempt_id: str
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    status: Literal["frozen"]
    score: int | None
    fired_trigger: str
    fired_trigger_type: str
    frozen_at: Timestamp
