"""Every row that the clients return or take, in one place to import from; the service's own definitions.

Unknown fields of an answer are ignored and unknown values of an enumeration pass through as text, so a newer service does
not break an older game. A field that an answer left out is `ABSENT`, which is false; `None` is the wire's `null`.
"""

from __future__ import annotations

from livecore.access.rows import Pong
from livecore.economy.rows import (
    BalanceRow,
    GrantRow,
    Inventory,
    ItemChange,
    ItemRow,
    OneGrant,
    PendingGrants,
    RewardEntry,
    Wallet,
    WalletChange,
)
from livecore.kernel.shapes import ABSENT, Absent, Timestamp
from livecore.players.rows import (
    Identity,
    IdentitySet,
    LoginStreak,
    Platform,
    PlayerRef,
    Presence,
    Profile,
    Registered,
    SecretRotated,
)
from livecore.social.gift_rows import GiftableResource, GiftCatalog, GiftRow, Gifts, OneGift
from livecore.social.rows import (
    Blocked,
    BlockRow,
    Blocks,
    Counterparty,
    FriendAdded,
    FriendRemoved,
    FriendRequestEnded,
    FriendRequestRow,
    FriendRequests,
    FriendRow,
    Friends,
    OwnCode,
    RequestSent,
    SearchHit,
    SearchHits,
    SuggestionRow,
    Suggestions,
    Unblocked,
)

__all__ = [
    "ABSENT",
    "Absent",
    "BalanceRow",
    "BlockRow",
    "Blocked",
    "Blocks",
    "Counterparty",
    "FriendAdded",
    "FriendRemoved",
    "FriendRequestEnded",
    "FriendRequestRow",
    "FriendRequests",
    "FriendRow",
    "Friends",
    "GiftCatalog",
    "GiftRow",
    "GiftableResource",
    "Gifts",
    "GrantRow",
    "Identity",
    "IdentitySet",
    "Inventory",
    "ItemChange",
    "ItemRow",
    "LoginStreak",
    "OneGift",
    "OneGrant",
    "OwnCode",
    "PendingGrants",
    "Platform",
    "PlayerRef",
    "Pong",
    "Presence",
    "Profile",
    "Registered",
    "RequestSent",
    "RewardEntry",
    "SearchHit",
    "SearchHits",
    "SecretRotated",
    "SuggestionRow",
    "Suggestions",
    "Timestamp",
    "Unblocked",
    "Wallet",
    "WalletChange",
]
