"""All kinds of events in the order in which documents show them.

A new kind is one class in the file of its subject and one name below; its sample, its place in the documents and its typed
event at the receiver follow from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from livecore.webhooks.catalog import (
    commerce,
    events,
    friends,
    grants,
    guilds,
    inventory,
    lobbies,
    operational,
    player,
    teams,
    windows,
)
from livecore.webhooks.catalog.payload import Payload

if TYPE_CHECKING:
    from livecore.kernel.area import Areas
    from livecore.kernel.unit import Event

__all__ = ["CATALOG", "GROUPS", "groups", "known"]

GROUPS: Mapping[str, tuple[type[Payload], ...]] = MappingProxyType(
    {
        "Player": (
            player.PlayerRegistered,
            player.PlayerSecretSet,
            player.PlayerSecretRotated,
            player.PlayerMerged,
            player.PlayerDeleted,
            player.PlayerBanned,
            player.PlayerUnbanned,
        ),
        "Friends and gifts": (
            friends.FriendRequestSent,
            friends.FriendRequestAccepted,
            friends.FriendRemoved,
            friends.GiftSent,
            friends.GiftClaimed,
        ),
        "Grants and crates": (
            grants.GrantCreated,
            grants.GrantClaimed,
            grants.GrantExpired,
            grants.CrateOpened,
        ),
        "Inventory and wallet": (
            inventory.InventoryChanged,
            inventory.WalletChanged,
        ),
        "Commerce": (commerce.PurchaseTracked,),
        "Events and attempts": (
            events.AttemptStarted,
            events.AttemptRestarted,
            events.EventProgressUpdated,
            events.EventCompleted,
            events.EventForceCompleted,
            events.EventExpired,
            events.AttemptFlagged,
            events.MilestoneGranted,
            events.EntryCostCharged,
        ),
        "Windows, leaderboards and sessions": (
            windows.WindowOpened,
            windows.WindowClosed,
            windows.LeaderboardFinalized,
            windows.LeaderboardPeriodFinalized,
            windows.SessionTerminated,
            windows.SessionFrozen,
        ),
        "Teams and partners": (
            teams.TeamFormed,
            teams.TeamMemberJoined,
            teams.TeamMemberLeft,
            teams.TeamMilestoneUnlocked,
            teams.TeamGoalCompleted,
            teams.TeamFinalized,
            teams.PartnerInviteSent,
            teams.PartnerInviteAccepted,
        ),
        "Lobbies": (
            lobbies.LobbyCreated,
            lobbies.LobbyPlayerJoined,
            lobbies.LobbyBotFilled,
            lobbies.LobbyStarted,
            lobbies.LobbyFillTimeout,
            lobbies.LobbyClosed,
        ),
        "Guilds": (
            guilds.GuildCreated,
            guilds.GuildUpdated,
            guilds.GuildDisbanded,
            guilds.GuildMemberJoined,
            guilds.GuildMemberLeft,
            guilds.GuildRoleChanged,
            guilds.GuildJoinRequested,
            guilds.GuildHelpRequested,
            guilds.GuildHelpDonated,
        ),
        "Operational": (operational.WebhookEndpointFailed,),
    }
)
"""The payload classes by the name of their group."""

CATALOG: Mapping[str, type[Payload]] = MappingProxyType(
    {payload.kind: payload for group in GROUPS.values() for payload in group}
)
"""The payload class of each kind, by the kind's name on the wire."""


def groups(areas: Areas) -> Mapping[str, tuple[type[Event], ...]]:
    """The groups of the catalog, and behind them what these areas emit besides, under their own names."""
    further = {
        area.name.capitalize(): tuple(event for event in area.events if event.kind not in CATALOG) for area in areas.all
    }
    return {**GROUPS, **{name: events for name, events in further.items() if events}}


def known(areas: Areas) -> Mapping[str, type[Event]]:
    """The payload class of each kind, those of the catalog and those of these areas."""
    return {event.kind: event for events in groups(areas).values() for event in events}
