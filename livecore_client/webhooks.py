"""Receiving webhooks: verify that a delivery comes from the service, then read it as a typed event.

    event = webhooks.verify(request_body, request.headers.get("X-Signature"), secret)
    match event.data:
        case webhooks.GiftClaimed(sender_external_player_id=sender, amount=amount):
            print(f"{amount} from {sender} arrived")

A receiver does three things in this order: verify the raw body, store the event's id in one transaction with the event's
effect (deliveries may come twice), and answer with any 2xx within ten seconds. A sample (see `is_sample`) is answered in the
same way, but has no effect, and its id is not stored.

Here are the payload classes of all kinds of events: `gift.claimed` is `webhooks.GiftClaimed`. They are the service's
own, of the `webhook_events` of the area that emits them; a World's `emitted` takes them too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final, cast

import attrs

from livecore.commerce.webhook_events import PurchaseTracked
from livecore.economy.webhook_events import (
    CrateOpened,
    GrantClaimed,
    GrantCreated,
    GrantExpired,
    InventoryChanged,
    WalletChanged,
)
from livecore.events.webhook_events import (
    AttemptFlagged,
    AttemptRestarted,
    AttemptStarted,
    EntryCostCharged,
    EventCompleted,
    EventExpired,
    EventForceCompleted,
    EventProgressUpdated,
    LeaderboardFinalized,
    MilestoneGranted,
    WindowClosed,
    WindowOpened,
)
from livecore.guilds.webhook_events import (
    GuildCreated,
    GuildDisbanded,
    GuildHelpDonated,
    GuildHelpRequested,
    GuildJoinRequested,
    GuildMemberJoined,
    GuildMemberLeft,
    GuildRoleChanged,
    GuildUpdated,
)
from livecore.kernel.errors import Json, JsonObject, ValidationFailed
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import decode_lenient
from livecore.leaderboards.webhook_events import LeaderboardPeriodFinalized
from livecore.lobbies.webhook_events import (
    LobbyBotFilled,
    LobbyClosed,
    LobbyCreated,
    LobbyFillTimeout,
    LobbyPlayerJoined,
    LobbyStarted,
    SessionFrozen,
    SessionTerminated,
)
from livecore.player_tools.webhook_events import PlayerDeleted, PlayerMerged
from livecore.players.webhook_events import (
    PlayerBanned,
    PlayerRegistered,
    PlayerSecretRotated,
    PlayerSecretSet,
    PlayerUnbanned,
)
from livecore.social.webhook_events import (
    FriendRemoved,
    FriendRequestAccepted,
    FriendRequestSent,
    GiftClaimed,
    GiftSent,
)
from livecore.teams.webhook_events import (
    PartnerInviteAccepted,
    PartnerInviteSent,
    TeamFinalized,
    TeamFormed,
    TeamGoalCompleted,
    TeamMemberJoined,
    TeamMemberLeft,
    TeamMilestoneUnlocked,
)
from livecore.webhooks.envelope import Envelope, is_rewritten
from livecore.webhooks.payload import Payload
from livecore.webhooks.signature import (
    FUTURE_SECONDS,
    PAST_SECONDS,
    SAMPLE_HEADER,
    SIGNATURE_HEADER,
    NothingFits,
    SignatureInvalid,
    sign,
    verify_signature,
)
from livecore.webhooks.webhook_events import WebhookEndpointFailed
from livecore_client._failures import WebhookVerificationError

# fmt: off
__all__ = [
    "SAMPLE_HEADER", "SIGNATURE_HEADER", "AttemptFlagged", "AttemptRestarted", "AttemptStarted", "CrateOpened",
    "EntryCostCharged", "EventCompleted", "EventExpired", "EventForceCompleted", "EventProgressUpdated",
    "FriendRemoved", "FriendRequestAccepted", "FriendRequestSent", "GiftClaimed", "GiftSent", "GrantClaimed",
    "GrantCreated", "GrantExpired", "GuildCreated", "GuildDisbanded", "GuildHelpDonated", "GuildHelpRequested",
    "GuildJoinRequested", "GuildMemberJoined", "GuildMemberLeft", "GuildRoleChanged", "GuildUpdated",
    "InventoryChanged", "LeaderboardFinalized", "LeaderboardPeriodFinalized", "LobbyBotFilled", "LobbyClosed",
    "LobbyCreated", "LobbyFillTimeout", "LobbyPlayerJoined", "LobbyStarted", "MilestoneGranted",
    "PartnerInviteAccepted", "PartnerInviteSent", "Payload", "PlayerBanned", "PlayerDeleted", "PlayerMerged",
    "PlayerRegistered", "PlayerSecretRotated", "PlayerSecretSet", "PlayerUnbanned", "PurchaseTracked",
    "SessionFrozen", "SessionTerminated", "TeamFinalized", "TeamFormed", "TeamGoalCompleted", "TeamMemberJoined",
    "TeamMemberLeft", "TeamMilestoneUnlocked", "WalletChanged", "WebhookEndpointFailed", "WebhookEvent",
    "WebhookVerificationError", "WindowClosed", "WindowOpened", "is_sample", "sign", "verify",
]
# fmt: on

_REWRITTEN: Final = (
    ": the body is JSON that is not spelled as the service spells it, so it was probably parsed and written again; "
    "pass the raw bytes that were received"
)


@attrs.frozen(kw_only=True)
class WebhookEvent:
    """One verified delivery.

    `id` is the same for every delivery of the event, so use it to detect repeats; `delivery_attempt` counts from 1. `data`
    is the typed payload of `event_name`, or the plain mapping where this release does not know the kind or the payload's
    form. `raw` is the whole envelope as it came, unknown fields included.
    """

    id: str
    event_name: str
    studio_id: str
    game_id: str
    occurred_at: Timestamp
    delivery_attempt: int
    data: Payload | Mapping[str, object]
    raw: Mapping[str, Json] = attrs.field(repr=False)


def verify(
    body: bytes,
    header: str | None,
    secrets: str | Sequence[str],
    *,
    now: float | None = None,
    tolerance_seconds: float = PAST_SECONDS,
    future_seconds: float = FUTURE_SECONDS,
) -> WebhookEvent:
    """The event of a delivery that was signed with any of `secrets`.

    `body` is the request's raw body, before any parsing: the page *Receive webhooks* says how frameworks give it. `header`
    is its `X-Signature`, or `None` when it has none. While a secret is being rotated pass both, the old and the new. A
    delivery may be `tolerance_seconds` old, and `future_seconds` ahead of this machine's clock, both inclusive; `now` is
    that clock in Unix seconds.

    Raises `WebhookVerificationError` for every fault of the delivery, and no other exception. Where no signature fits and
    the body was evidently written by another JSON writer than the service's, its text says that the raw bytes are needed.
    """
    try:
        verify_signature(
            body,
            header,
            secrets,
            now_seconds=time.time() if now is None else now,
            past_seconds=tolerance_seconds,
            future_seconds=future_seconds,
        )
    except NothingFits as fault:
        # Said only now, and from the body alone: it tells a sender nothing about the secret.
        raise WebhookVerificationError(f"{fault}{_REWRITTEN if is_rewritten(body) else ''}") from None
    except SignatureInvalid as fault:
        raise WebhookVerificationError(str(fault)) from None
    return _event(body)


def is_sample(header: str | None) -> bool:
    """Whether a delivery is a sample that an operator has sent, whose values are made up: answer it, and do nothing else.

        if webhooks.is_sample(request.headers.get(webhooks.SAMPLE_HEADER)): ...

    `header` is the request's `X-Svc-Webhook-Test`, or `None` when it has none. Verify the delivery first; samples are signed
    as well. The header itself is not signed: it may make a receiver do less, but never more.
    """
    return header is not None and header.strip() == "1"


def _event(body: bytes) -> WebhookEvent:
    raw = _json_object(body)
    try:
        envelope = decode_lenient(Envelope, raw)
    except ValidationFailed as fault:
        raise WebhookVerificationError(f"the body is no event: {fault.message}") from None
    return WebhookEvent(
        id=envelope.id,
        event_name=envelope.event_name,
        studio_id=envelope.studio_id,
        game_id=envelope.game_id,
        occurred_at=envelope.occurred_at,
        delivery_attempt=envelope.delivery_attempt,
        data=_payload(envelope.event_name, envelope.data),
        raw=raw,
    )


def _json_object(body: bytes) -> JsonObject:
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise WebhookVerificationError("the body is not JSON") from None
    if not isinstance(value, dict):
        raise WebhookVerificationError("the body is no event: it is not a JSON object")
    return cast(JsonObject, value)


def _payload(kind: str, data: dict[str, object]) -> Payload | Mapping[str, object]:
    """The typed payload, or `data` itself, so that a verified event of a newer service is not lost because of its form."""
    payload = _KINDS.get(kind)
    if payload is None:
        return data
    try:
        return decode_lenient(payload, cast(Json, data))
    except ValidationFailed:
        return data


_KINDS: Final[Mapping[str, type[Payload]]] = {
    kind.kind: kind
    for kind in map(globals().__getitem__, __all__)
    if isinstance(kind, type) and issubclass(kind, Payload) and kind is not Payload
}
"""The payload class of each kind, by the kind's name on the wire."""
