"""Friends on the wire: requests and answers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Comma,
    Cursor,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Int,
    Items,
    Key,
    Limit,
    ShownExternalId,
    ShownPlayerId,
    Text,
)
from livecore.players.rows import Identity

FriendCode = Annotated[str, Text(1, 32)]
"""A friend code as a person types it; a text that is not a code finds nobody."""
ProgressionKeys = Annotated[tuple[Key, ...], Comma(), Items(0, 8, unique=True)]
"""Economy keys whose values are shown with each player, at most eight."""
Direction = Literal["incoming", "outgoing"]


# -- friends: requests ----------------------------------------------------------------------------------------------------


@shape
class GetCode:
    """The caller's own friend code."""

    progression: ProgressionKeys | Absent = ABSENT


@shape
class SendRequest:
    """Ask a player to be friends, by friend code or by the studio's id: exactly one of the two."""

    friend_code: FriendCode | None = None
    external_player_id: ExternalPlayerId | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class OfRequest:
    """One friend request, to accept, decline or cancel."""

    request_id: Id
    idempotency_key: IdempotencyKey | None = None


@shape
class ListFriends:
    """The caller's friends, newest first; without `limit` all of them."""

    progression: ProgressionKeys | Absent = ABSENT
    limit: Limit | None = None
    cursor: Cursor | None = None


@shape
class ListRequests:
    """The caller's open requests, newest first, in both directions or in the one that `direction` names.

    `limit` counts both directions together. Without it the answer has all outgoing requests and the newest 500 incoming
    ones.
    """

    direction: Direction | None = None
    progression: ProgressionKeys | Absent = ABSENT
    limit: Limit | None = None
    cursor: Cursor | None = None


@shape
class Suggest:
    """Players whom the caller might know; a `limit` outside 1 to 25 is moved to the nearest bound."""

    limit: Annotated[int, Int(1, 25, clamp=True)] = 5
    progression: ProgressionKeys | Absent = ABSENT


@shape
class Search:
    """Players whose name has a word that begins with `q` (2 to 40 characters after trimming)."""

    q: Annotated[str, Text(1, 100)]
    limit: Annotated[int, Int(1, 50)] = 20
    progression: ProgressionKeys | Absent = ABSENT


@shape
class RemoveFriend:
    """End a friendship."""

    friend_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


@shape
class Block:
    """Block a player, by friend code or by the studio's id: exactly one of the two."""

    friend_code: FriendCode | None = None
    external_player_id: ExternalPlayerId | None = None
    idempotency_key: IdempotencyKey | None = None


@shape
class ListBlocks:
    """The caller's blocks, newest first; without `limit` all of them."""

    limit: Limit | None = None
    cursor: Cursor | None = None


@shape
class Unblock:
    """Lift one's own block."""

    blocked_external_id: ExternalPlayerId
    idempotency_key: IdempotencyKey | None = None


# -- friends: rows --------------------------------------------------------------------------------------------------------


@shape
class Counterparty:
    """The other player of a request or a gift."""

    external_player_id: ShownExternalId
    display_identity: Identity

    example: ClassVar = {"external_player_id": "sample-player-2"}


@shape
class FriendRow:
    """One friend of the player whose list this is."""

    external_player_id: ShownExternalId
    display_identity: Identity
    friends_since: Timestamp
    online: bool
    last_active_at: Timestamp | None
    status: str | None
    gift_cooldown_until: Timestamp | Absent = ABSENT
    progression: dict[str, int] | None | Absent = ABSENT

    example: ClassVar = {
        "external_player_id": "sample-player-2",
        "online": True,
        "status": "in the lobby",
        "progression": {"xp": 120},
    }


@shape
class SuggestionRow:
    """One player whom the caller might know."""

    external_player_id: ShownExternalId
    display_identity: Identity
    online: bool
    last_active_at: Timestamp | None
    status: str | None
    progression: dict[str, int] | None | Absent = ABSENT

    example: ClassVar = {"external_player_id": "sample-player-2", "online": True}


@shape
class SearchHit:
    """One player found by name, and the relation to the caller."""

    external_player_id: ShownExternalId
    display_identity: Identity
    relationship: Literal["none", "friends", "request_incoming", "request_outgoing"]
    progression: dict[str, int] | None | Absent = ABSENT

    example: ClassVar = {"external_player_id": "sample-player-2"}


@shape
class FriendRequestRow:
    """One open friend request, seen from one of its two sides."""

    request_id: str
    direction: Direction
    player: Counterparty
    created_at: Timestamp
    progression: dict[str, int] | None | Absent = ABSENT


@shape
class BlockRow:
    """One block that the caller set."""

    external_player_id: ShownExternalId
    display_identity: Identity
    blocked_at: Timestamp

    example: ClassVar = {"external_player_id": "sample-player-2"}


# -- friends: answers -----------------------------------------------------------------------------------------------------


@shape
class OwnCode:
    """The caller's friend code and display identity."""

    friend_code: str
    display_identity: Identity
    progression: dict[str, int] | None | Absent = ABSENT


@shape
class RequestSent:
    """`pending` with the open request, or `accepted` with the new friend where the other had asked first."""

    status: Literal["pending", "accepted"]
    request: FriendRequestRow | Absent = ABSENT
    friend: FriendRow | Absent = ABSENT


@shape
class FriendAdded:
    """The new friend."""

    friend: FriendRow


@shape
class FriendRequestEnded:
    """The request that was declined or cancelled."""

    request: FriendRequestRow


@shape
class Friends:
    """A page of friends."""

    friends: tuple[FriendRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}


@shape
class FriendRequests:
    """A page of the player's open requests, each list newest first."""

    incoming: tuple[FriendRequestRow, ...]
    outgoing: tuple[FriendRequestRow, ...]
    next_cursor: str | None


@shape
class Suggestions:
    """A fresh weighted sample of players."""

    suggestions: tuple[SuggestionRow, ...]


@shape
class SearchHits:
    """Players found by name."""

    players: tuple[SearchHit, ...]


@shape
class FriendRemoved:
    """The friendship has ended."""

    removed: Literal[True]


@shape
class Blocked:
    """The block that is set now."""

    block: BlockRow


@shape
class Blocks:
    """A page of blocks."""

    blocks: tuple[BlockRow, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}


@shape
class Unblocked:
    """The caller's block is lifted."""

    unblocked: Literal[True]


# -- exports --------------------------------------------------------------------------------------------------------------


@shape
class ExportedFriend:
    """A friendship in an export; the friend is shown only by the service's id."""

    player_id: ShownPlayerId
    friends_since: Timestamp


@shape
class ExportedFriendRequest:
    """An open request in an export."""

    request_id: str
    direction: Direction
    player_id: ShownPlayerId
    created_at: Timestamp


@shape
class ExportedBlock:
    """A block that the player set, in an export."""

    player_id: ShownPlayerId
    blocked_at: Timestamp


@shape
class ExportedGift:
    """A gift in an export; the message is shown only in the export of the player who wrote it."""

    gift_id: str
    grant_id: str
    direction: Direction
    player_id: ShownPlayerId
    type: Literal["item", "currency"]
    resource_key: str
    amount: int
    message: str | None
    status: Literal["pending", "claimed", "expired"]
    sent_at: Timestamp
    claimed_at: Timestamp | None
    expires_at: Timestamp | None
