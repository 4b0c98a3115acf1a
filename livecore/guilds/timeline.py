"""What a player's timeline shows of guilds: each time in one, open requests to join, and help both ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from livecore.guilds import tracks
from livecore.guilds.guild import GUILDS, Guild, Stint
from livecore.guilds.help_requests import (
    Donation,
    HelpRequest,
)
from livecore.guilds.join_requests import JoinRequest
from livecore.kernel.declarations.timeline import TimelineSource, moment
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.players.player import PLAYERS, Player


def _guild_of(_unit: Unit, row: Stint | JoinRequest, _: str) -> Iterable[Get[Guild]]:
    return [Get(GUILDS, (row.guild_id,))]


def _stint(_: Unit, row: Stint, found: Sequence[Guild]) -> JsonObject:
    (guild,) = found
    return {
        "guildId": row.guild_id,
        "guildName": guild.name,
        "role": row.role,
        "leftAt": moment(row.left_at),
        "leftReason": row.left_reason,
    }


def _request(_: Unit, row: JoinRequest, found: Sequence[Guild]) -> JsonObject:
    (guild,) = found
    return {"guildId": row.guild_id, "guildName": guild.name}


def _help(_: Unit, row: HelpRequest, __: Sequence[Any]) -> JsonObject:
    return {
        "guildId": row.guild_id,
        "type": row.asset_kind,
        "resourceKey": row.asset_key,
        "amount": row.amount,
        "received": row.received,
        "expiresAt": moment(row.expires_at),
    }


def _other(_unit: Unit, row: Donation, player_id: str) -> Iterable[Get[Player]]:
    return [Get(PLAYERS, (row.donor_id if row.recipient_id == player_id else row.recipient_id,))]


def _donation(_: Unit, row: Donation, found: Sequence[Player]) -> JsonObject:
    (other,) = found
    direction = "incoming" if other.player_id == row.donor_id else "outgoing"
    return {
        "direction": direction,
        "externalPlayerId": other.external_id,
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
        tracks=tracks.stints,
        further=_guild_of,
        show=_stint,
    ),
    TimelineSource(
        kind="guild_request",
        about="The player asked to join a guild, and the request is still open.",
        thing="guild_request",
        covers=("guildRequests",),
        tracks=tracks.join_requests,
        further=_guild_of,
        show=_request,
    ),
    TimelineSource(
        kind="guild_help",
        about="The player asked the guild for help.",
        thing="help_request",
        covers=("guildHelp",),
        tracks=tracks.help_requests,
        show=_help,
    ),
    TimelineSource(
        kind="guild_donation",
        about="The player helped a member of the guild, or was helped by one.",
        thing="donation",
        covers=("guildDonations",),
        tracks=tracks.donations,
        further=_other,
        show=_donation,
    ),
)
