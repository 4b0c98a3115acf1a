"""Exports on the wire: everything that a game holds about one player."""

from __future__ import annotations

from typing import Literal, TypeAlias

from livecore.commerce.rows import PurchaseRow
from livecore.economy.rows import BalanceRow, GrantRow, ItemRow, LedgerRow
from livecore.kernel.shapes import Cursor, Timestamp, shape
from livecore.player_tools.rows import PlayerDetails
from livecore.players.rows import Presence
from livecore.social.rows import ExportedBlock, ExportedFriend, ExportedFriendRequest, ExportedGift

__all__ = ["ExportPlayer", "ExportedPlayer", "ListName", "PlayerExport"]

ListName: TypeAlias = Literal[
    "attempts",
    "grants",
    "inventory",
    "wallet",
    "ledger",
    "lobbies",
    "friends",
    "friendRequests",
    "blocks",
    "gifts",
    "purchases",
]
"""The lists of an export, by their names on the wire."""


@shape
class ExportPlayer:
    """Everything about a player, each list up to 1,000 rows; or, with `list`, one list alone from a `cursor` on."""

    list_: ListName | None = None
    cursor: Cursor | None = None


@shape
class ExportedPlayer(PlayerDetails):
    """The player's own record: what the support desk sees, and how they are reached and told apart."""

    friend_code: str | None
    presence: Presence
    registered_at: Timestamp | None
    secret_prefix: str | None
    secret_rotated_at: Timestamp | None


@shape
class PlayerExport:
    """All that is held about one player, and nothing about another one beyond the service's id of them.

    `truncated` says for each list whether there is more of it, and `cursors` from where to go on: ask again with `list` and
    `cursor`. Such an answer has the same form, with that list alone.
    """

    exported_at: Timestamp
    player: ExportedPlayer
    attempts: tuple[dict[str, object], ...]
    grants: tuple[GrantRow, ...]
    inventory: tuple[ItemRow, ...]
    wallet: tuple[BalanceRow, ...]
    ledger: tuple[LedgerRow, ...]
    lobbies: tuple[dict[str, object], ...]
    friends: tuple[ExportedFriend, ...]
    friend_requests: tuple[ExportedFriendRequest, ...]
    blocks: tuple[ExportedBlock, ...]
    gifts: tuple[ExportedGift, ...]
    purchases: tuple[PurchaseRow, ...]
    truncated: dict[str, bool]
    cursors: dict[str, str | None]
