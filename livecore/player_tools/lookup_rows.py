"""All about one player at a glance, as operators see it on the wire."""

from __future__ import annotations

from typing import ClassVar

from livecore.economy.rows import BalanceRow, GrantRow, HeldItem
from livecore.events.rows import AttemptRow
from livecore.guilds.rows import Role
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.lobbies.rows import ExportedSeat
from livecore.player_tools.export_rows import ExportedPlayer
from livecore.player_tools.rows import PlayerSummary


@shape
class GuildMembership:
    """The guild that a player is in, and the player's role there."""

    guild_id: str
    name: str
    role: Role
    joined_at: Timestamp


@shape
class SpentByPlayer:
    """What a player has spent so far, in US cents; `verifiedAmountMinor` is the verified part of it."""

    lifetime_amount_minor: int
    purchase_count: int
    verified_amount_minor: int


@shape
class SocialCounts:
    """How many friends, open friend requests, blocks and unclaimed gifts a player has."""

    friends: int
    requests_incoming: int
    requests_outgoing: int
    blocks: int
    gifts_received_pending: int
    gifts_sent_pending: int

    example: ClassVar = {"friends": 12, "requests_incoming": 1, "requests_outgoing": 0, "blocks": 0}


@shape
class PlayerLookup:
    """A player with recent attempts, grants and lobbies, newest first, and with what they have and where they belong."""

    player: ExportedPlayer
    attempts: tuple[AttemptRow, ...]
    grants: tuple[GrantRow, ...]
    lobbies: tuple[ExportedSeat, ...]
    summary: PlayerSummary
    wallet: tuple[BalanceRow, ...]
    inventory: tuple[HeldItem, ...]
    guild: GuildMembership | None
    spend: SpentByPlayer
    social: SocialCounts
