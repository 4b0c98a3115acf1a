"""What a player's timeline shows of guilds: each time in one, open requests to join, and help both ways."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from livecore.guilds.guild import GUILDS, STINTS_OF_PLAYER, Guild, Stint, require_guild
from livecore.guilds.help_requests import (
    DONATIONS_OF_DONOR,
    DONATIONS_OF_RECIPIENT,
    HELP_OF_PLAYER,
    Donation,
    HelpRequest,
)
from livecore.guilds.join_requests import REQUESTS_OF_PLAYER, JoinRequest
from livecore.kernel.errors import JsonObject
from livecore.kernel.reads import Get
from livecore.kernel.timeline import TimelineSource, Track, moment
from livecore.kernel.unit import Unit
from livecore.players.player import PLAYERS, external_id_of

__all__ = ["SOURCES"]


def _guild_of(row: Stint | JoinRequest, _: str) -> Iterable[Get[Guild]]:
    return [Get(GUILDS, (row.guild_id,))]


def _stint(unit: Unit, row: Stint, _: str) -> JsonObject:
    return {
        "guildId": row.guild_id,
        "guildName": require_guild(unit, row.guild_id).name,
        "role": row.role,
        "leftAt": moment(row.left_at),
        "leftReason": row.left_reason,
    }


def _request(unit: Unit, row: JoinRequest, _: str) -> JsonObject:
    return {"guildId": row.guild_id, "guildName": require_guild(unit, row.guild_id).name}


def _help(_: Unit, row: HelpRequest, __: str) -> JsonObject:
    return {
        "guildId": row.guild_id,
        "type": row.asset_kind,
        "resourceKey": row.asset_key,
        "amount": row.amount,
        "received": row.received,
        "expiresAt": moment(row.expires_at),
    }


def _partner_of(row: Donation, player_id: str) -> tuple[str, str]:
    """The direction of a donation, as the player sees it, and the other player."""
    if row.recipient_id == player_id:
        return "incoming", row.donor_id
    return "outgoing", row.recipient_id


def _donation(unit: Unit, row: Donation, player_id: str) -> JsonObject:
    direction, other = _partner_of(row, player_id)
    return {
        "direction": direction,
        "externalPlayerId": external_id_of(unit, other),
        "guildId": row.guild_id,
        "type": row.asset_kind,
        "resourceKey": row.asset_key,
        "amount": row.amount,
        "grantId": row.grant_id if direction == "incoming" else row.reward_grant_id,
    }


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="guild",
        about="The player joined a guild; it says when and why the player left it.",
        thing="stint",
        covers=("guilds", "guildHistory"),
        tracks=lambda player_id: [Track(STINTS_OF_PLAYER, (player_id,))],
        further=_guild_of,
        show=_stint,
    ),
    TimelineSource(
        kind="guild_request",
        about="The player asked to join a guild, and the request is still open.",
        thing="guild_request",
        covers=("guildRequests",),
        tracks=lambda player_id: [Track(REQUESTS_OF_PLAYER, (player_id,))],
        further=_guild_of,
        show=_request,
    ),
    TimelineSource(
        kind="guild_help",
        about="The player asked the guild for help.",
        thing="help_request",
        covers=("guildHelp",),
        tracks=lambda player_id: [Track(HELP_OF_PLAYER, (player_id,))],
        show=_help,
    ),
    TimelineSource(
        kind="guild_donation",
        about="The player helped a member of the guild, or was helped by one.",
        thing="donation",
        covers=("guildDonations",),
        tracks=lambda player_id: [Track(index, (player_id,)) for index in (DONATIONS_OF_DONOR, DONATIONS_OF_RECIPIENT)],
        further=lambda row, player_id: [Get(PLAYERS, (_partner_of(row, player_id)[1],))],
        show=_donation,
    ),
)
