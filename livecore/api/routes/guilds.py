"""Guilds for players: finding, founding, joining and leading them."""

from __future__ import annotations

from typing import Final

from livecore.api.table.operation import Answer, Link, Operation
from livecore.api.table.player_routes import SDK
from livecore.economy.refusals import InsufficientBalance
from livecore.guilds import helping, membership, profiles, reading, rows
from livecore.guilds.refusals import (
    AlreadyInGuild,
    CannotHelpSelf,
    GuildCooldown,
    GuildFull,
    GuildMemberNotFound,
    GuildNameRejected,
    GuildNameTaken,
    GuildNotFound,
    GuildRequestNotFound,
    GuildRoleConflict,
    GuildRoleRequired,
    GuildsDisabled,
    HelpAmountInvalid,
    HelpCooldown,
    HelpFilled,
    HelpNotAllowed,
    HelpRequestNotFound,
    NotInGuild,
)
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import SHOWN
from livecore.social.refusals import RequestLimitReached


def _join(unit: Unit, args: rows.JoinGuild) -> Answer:
    fresh, joined = membership.join(unit, args)
    return Answer(201 if fresh else 200, joined)


OPERATIONS: Final[tuple[Operation, ...]] = (
    SDK.read(
        "guilds.search",
        "/guilds",
        rows.SearchGuilds,
        rows.Guilds,
        reading.search,
        GuildsDisabled,
        summary="Find guilds.",
        about=(
            "By a word of the name that begins with `q` (2 to 40 characters), in the order of the names; without `q` newest "
            "first. A page of at most `limit` (1 to 200)."
        ),
        links={200: (Link("guilds.get", "guildId", "guilds/0/guildId"),)},
    ),
    SDK.read(
        "guilds.get",
        "/guilds/{guildId}",
        rows.OfGuild,
        rows.OneGuildInDetail,
        reading.get,
        GuildsDisabled,
        GuildNotFound,
        summary="Read a guild with its members.",
        about="The leader comes first, then the co-leaders, then the others, each by how long they are in it.",
    ),
    SDK.read(
        "guilds.getOwn",
        "/guild",
        rows.GetOwnGuild,
        rows.OwnGuild,
        reading.get_own,
        GuildsDisabled,
        summary="Read one's own guild and role.",
        about="Both are `null` without a guild.",
    ),
    SDK.write(
        "guilds.create",
        "POST /guild",
        rows.CreateGuild,
        {201: rows.OneGuild},
        profiles.create,
        GuildsDisabled,
        GuildNameRejected,
        AlreadyInGuild,
        GuildCooldown,
        GuildNameTaken,
        InsufficientBalance,
        summary="Found a guild, and lead it.",
        about=(
            "The `name` differs from that of every other guild in more than case, accents and punctuation. Founding may "
            "cost: where the service keeps the economy, the cost is taken."
        ),
        links={201: (Link("guilds.get", "guildId", "guild/guildId"),)},
    ),
    SDK.write(
        "guilds.update",
        "PATCH /guild",
        rows.UpdateGuild,
        {200: rows.OneGuild},
        profiles.update,
        GuildsDisabled,
        GuildNameRejected,
        NotInGuild,
        GuildRoleRequired,
        GuildNameTaken,
        summary="Change the profile of one's guild.",
        about="As the leader or a co-leader. A field that is left out stays as it is.",
    ),
    SDK.write(
        "guilds.join",
        "POST /guild/join",
        rows.JoinGuild,
        {200: rows.JoinAnswer, 201: rows.JoinAnswer},
        _join,
        GuildsDisabled,
        AlreadyInGuild,
        GuildNotFound,
        GuildFull,
        RequestLimitReached,
        summary="Join a guild, or ask to.",
        about=(
            "An open guild is joined at once, which ends all requests to others. Another one is asked, with a `message`; "
            "asking again gives the same request."
        ),
        links={201: (Link("guilds.cancelRequest", "requestId", "request/requestId"),)},
        examples={
            200: {rows.JoinAnswer: {"status": "joined", "guild": SHOWN}},
            201: {
                rows.JoinAnswer: {"status": "requested", "request": SHOWN},
                rows.JoinRequestRow: {"direction": "outgoing"},
            },
        },
    ),
    SDK.write(
        "guilds.leave",
        "POST /guild/leave",
        rows.LeaveGuild,
        {200: rows.Left},
        membership.leave,
        GuildsDisabled,
        NotInGuild,
        summary="Leave one's guild.",
        about=(
            "When the leader leaves, the co-leader who joined first becomes leader, or the member who joined first if there "
            "is no co-leader. The guild ends with its last member."
        ),
    ),
    SDK.read(
        "guilds.listRequests",
        "/guild/requests",
        rows.ListJoinRequests,
        rows.JoinRequests,
        membership.list_requests,
        GuildsDisabled,
        summary="List open requests to join.",
        about="One's own, and, as the leader or a co-leader, those to the guild: the newest 200 of each.",
        links={
            200: (
                Link("guilds.acceptRequest", "requestId", "incoming/0/requestId"),
                Link("guilds.declineRequest", "requestId", "incoming/0/requestId"),
                Link("guilds.cancelRequest", "requestId", "outgoing/0/requestId"),
            )
        },
    ),
    SDK.write(
        "guilds.acceptRequest",
        "POST /guild/requests/{requestId}/accept",
        rows.OfJoinRequest,
        {200: rows.OneGuild},
        membership.accept_request,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildRequestNotFound,
        GuildFull,
        summary="Let a player join who has asked to.",
        about="As the leader or a co-leader.",
    ),
    SDK.write(
        "guilds.declineRequest",
        "POST /guild/requests/{requestId}/decline",
        rows.OfJoinRequest,
        {200: rows.JoinRequestEnded},
        membership.decline_request,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildRequestNotFound,
        summary="Decline a request to join.",
        about="As the leader or a co-leader. The player may ask again.",
    ),
    SDK.write(
        "guilds.cancelRequest",
        "POST /guild/requests/{requestId}/cancel",
        rows.OfJoinRequest,
        {200: rows.JoinRequestEnded},
        membership.cancel_request,
        GuildsDisabled,
        GuildRequestNotFound,
        summary="Cancel one's own request to join.",
        examples={200: {rows.JoinRequestRow: {"direction": "outgoing"}}},
    ),
    SDK.write(
        "guilds.promote",
        "POST /guild/members/{memberExternalId}/promote",
        rows.OfMember,
        {200: rows.OneGuild},
        membership.promote,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildMemberNotFound,
        GuildRoleConflict,
        summary="Make a member a co-leader.",
        about="As the leader. The game may limit how many co-leaders there are.",
    ),
    SDK.write(
        "guilds.demote",
        "POST /guild/members/{memberExternalId}/demote",
        rows.OfMember,
        {200: rows.OneGuild},
        membership.demote,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildMemberNotFound,
        GuildRoleConflict,
        summary="Make a co-leader a member.",
        about="As the leader.",
    ),
    SDK.write(
        "guilds.kick",
        "POST /guild/members/{memberExternalId}/kick",
        rows.OfMember,
        {200: rows.OneGuild},
        membership.kick,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildMemberNotFound,
        GuildRoleConflict,
        summary="Remove a member.",
        about="As the leader, or as a co-leader a member who is no co-leader. A removed member may join again.",
    ),
    SDK.write(
        "guilds.transfer",
        "POST /guild/leader",
        rows.TransferLead,
        {200: rows.OneGuild},
        membership.transfer,
        GuildsDisabled,
        NotInGuild,
        GuildRoleRequired,
        GuildMemberNotFound,
        GuildRoleConflict,
        summary="Hand the lead over to a member.",
        about="As the leader, who becomes a co-leader.",
    ),
    SDK.write(
        "guilds.requestHelp",
        "POST /guild/help",
        rows.RequestHelp,
        {201: rows.HelpRequested},
        helping.request_help,
        GuildsDisabled,
        NotInGuild,
        HelpNotAllowed,
        HelpAmountInvalid,
        HelpCooldown,
        summary="Ask the guild for a resource.",
        about="One that the game lists, and at most as much as it allows.",
        links={201: (Link("guilds.donate", "requestId", "request/requestId"),)},
    ),
    SDK.read(
        "guilds.listHelp",
        "/guild/help",
        rows.ListHelp,
        rows.HelpRequests,
        helping.list_help,
        GuildsDisabled,
        NotInGuild,
        summary="List what members have asked for.",
        about="Newest first, without what has expired.",
        links={200: (Link("guilds.donate", "requestId", "requests/0/requestId"),)},
    ),
    SDK.write(
        "guilds.donate",
        "POST /guild/help/{requestId}/donate",
        rows.Donate,
        {201: rows.Donated},
        helping.donate,
        GuildsDisabled,
        NotInGuild,
        HelpRequestNotFound,
        CannotHelpSelf,
        HelpNotAllowed,
        HelpAmountInvalid,
        HelpFilled,
        InsufficientBalance,
        summary="Give what another member has asked for.",
        about=(
            "More than is missing gives what is missing. It waits for the other in a grant. It may cost the donor, and may "
            "earn a reward, which waits in a grant too."
        ),
        links={201: (Link("grants.claim", "grantId", "donation/rewardGrantId"),)},
    ),
)
