"""The parts of an export for guilds: only the player's own part of each.

Other members are other people. An export of one player shows of them only the service's id.
"""

from __future__ import annotations

from livecore.guilds import tracks
from livecore.guilds.founding import FOUNDINGS, Founding
from livecore.guilds.guild import SEATS, STINTS_OF_PLAYER, Seat, Stint
from livecore.guilds.help_requests import Donation
from livecore.guilds.history_rows import GuildHistoryRow
from livecore.guilds.moderation import stint_rows
from livecore.guilds.rows import Direction, ExportedDonation, ExportedHelp, ExportedJoinRequest
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.declarations.timeline import page_of_tracks
from livecore.kernel.storage.paging import page_by_time, page_of
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp, stamp
from livecore.kernel.units.unit import Unit


def exported_stints(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Each time that the player was in a guild, newest first."""
    shown, cursor = page_of_tracks(unit, tracks.stints(player_id), wanted)
    return Exported(stint_rows(unit, shown), cursor)


def exported_history(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The same times with all that is stored of them, newest first."""
    page = page_by_time(wanted)
    found, held, founding = unit.tx.read_together(
        page.newest(STINTS_OF_PLAYER, player_id), Get(SEATS, (player_id,)), Get(FOUNDINGS, (player_id,))
    )
    shown, cursor = page_of(found, page, STINTS_OF_PLAYER.position_of)
    return Exported(tuple(_history_row(stint, held, founding) for stint in shown), cursor)


def _history_row(stint: Stint, held: Seat | None, founding: Founding | None) -> GuildHistoryRow:
    lasting = held if held is not None and held.stint_id == stint.stint_id else None
    # Whoever founds a guild joins it at the same moment.
    founded = founding is not None and founding.founded_at == stint.joined_at
    return GuildHistoryRow(
        stint_id=stint.stint_id,
        guild_id=stint.guild_id,
        role=stint.role if lasting is None else lasting.role,
        joined_at=Timestamp(stint.joined_at),
        left_at=stamp(stint.left_at),
        left_reason=stint.left_reason,
        role_since=None if lasting is None else Timestamp(lasting.role_since),
        replaced_at=None if lasting is None else stamp(lasting.away_at),
        founded_at=Timestamp(stint.joined_at) if founded else None,
    )


def exported_requests(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Open requests to join, newest first."""
    shown, cursor = page_of_tracks(unit, tracks.join_requests(player_id), wanted)
    return Exported(
        tuple(
            ExportedJoinRequest(
                request_id=request.request_id,
                guild_id=request.guild_id,
                message=request.message,
                created_at=Timestamp(request.created_at),
            )
            for request in shown
        ),
        cursor,
    )


def exported_help(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """What the player has asked for, newest first."""
    shown, cursor = page_of_tracks(unit, tracks.help_requests(player_id), wanted)
    return Exported(
        tuple(
            ExportedHelp(
                request_id=request.request_id,
                guild_id=request.guild_id,
                type=request.asset_kind,
                resource_key=request.asset_key,
                amount=request.amount,
                received=request.received,
                created_at=Timestamp(request.created_at),
                expires_at=Timestamp(request.expires_at),
            )
            for request in shown
        ),
        cursor,
    )


def exported_donations(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """What the player has given and received, newest first."""
    shown, cursor = page_of_tracks(unit, tracks.donations(player_id), wanted)
    return Exported(tuple(_donation_row(donation, player_id) for donation in shown), cursor)


def _donation_row(donation: Donation, player_id: PlayerId) -> ExportedDonation:
    direction: Direction = "incoming" if donation.recipient_id == player_id else "outgoing"
    return ExportedDonation(
        donation_id=donation.donation_id,
        guild_id=donation.guild_id,
        direction=direction,
        player_id=donation.donor_id if direction == "incoming" else donation.recipient_id,
        type=donation.asset_kind,
        resource_key=donation.asset_key,
        amount=donation.amount,
        donated_at=Timestamp(donation.donated_at),
    )
