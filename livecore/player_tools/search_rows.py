"""The search for players on the wire, as operators see it."""

from __future__ import annotations

from typing import Annotated, ClassVar

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Cursor, Limit, ShownExternalId, ShownPlayerId, Text
from livecore.players.rows import Identity


@shape
class SearchPlayers:
    """Players by an id, by a friend code or by name; without `q` those who were seen last."""

    q: Annotated[str, Text(1, 128)] | None = None
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class FoundPlayer:
    """A player in a list; `online` is as of now, `lastSeenAt` may lag a few seconds behind."""

    player_id: ShownPlayerId
    external_player_id: ShownExternalId
    display_identity: Identity
    country: str | None
    banned: bool
    debug: bool
    online: bool
    first_seen_at: Timestamp
    last_seen_at: Timestamp


@shape
class FoundPlayers:
    """A page of players."""

    players: tuple[FoundPlayer, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}
