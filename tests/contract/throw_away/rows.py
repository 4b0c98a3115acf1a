"""The throw-away area on the wire: what its operation takes and answers, and its event."""

from __future__ import annotations

from typing import Annotated, ClassVar

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import IdempotencyKey, ShownExternalId, ShownPlayerId, Text
from livecore.webhooks.payload import Payload


@shape
class Sign:
    """Sign the guestbook."""

    message: Annotated[str, Text(1, 200)]
    mood: Annotated[str, Text(1, 20)] | None = None
    idempotency_key: IdempotencyKey | None = None

    example: ClassVar = {"message": "Hello.", "mood": "merry"}


@shape
class GuestbookRow:
    """What one player has left in the guestbook."""

    message: str
    signatures: int
    closes_at: Timestamp

    example: ClassVar = {"message": "I was here.", "signatures": 2}


@shape
class Signed:
    """The player has signed."""

    page: GuestbookRow


@shape
class GuestbookSigned(Payload):
    """A player has signed the guestbook."""

    kind: ClassVar[str] = "guestbook.signed"
    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    signatures: int
