"""The records of mutual help: what members have asked their guild for, and what was given.

open ──donations reach the amount──▶ filled
└──its time passes, or the member leaves──▶ expired
"""

from __future__ import annotations

from typing import Literal

from livecore.guilds.rows import HelpRow, ResourceType
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.social.rows import Counterparty


@record
class HelpRequest:
    """What a member has asked for, and how much of it has been given."""

    request_id: str
    player_id: PlayerId
    guild_id: str
    asset_kind: ResourceType
    asset_key: str
    amount: int
    received: int
    created_at: Millis
    expires_at: Millis


@record
class Donation:
    """What one member has given for a request of another."""

    donation_id: str
    request_id: str
    guild_id: str
    donor_id: PlayerId
    recipient_id: PlayerId
    asset_kind: ResourceType
    asset_key: str
    amount: int
    grant_id: str
    reward_grant_id: str | None
    donated_at: Millis


HELP = Table(
    "guild_help",
    HelpRequest,
    key=("request_id",),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN)},
    export="guildHelp",
)
HELP_OF_PLAYER = HELP.index("of_player", prefix=("player_id",), order=("created_at",))
_LASTING_HELP_OF_PLAYER = HELP.index("lasting_of_player", prefix=("player_id",), order=("expires_at",))
HELP_OF_GUILD = HELP.index("of_guild", prefix=("guild_id",), order=("expires_at",))

DONATIONS = Table(
    "guild_donations",
    Donation,
    key=("donation_id",),
    players={
        "donor_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN),
        "recipient_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN),
    },
    export="guildDonations",
)
DONATIONS_OF_DONOR = DONATIONS.index("of_donor", prefix=("donor_id",), order=("donated_at",))
DONATIONS_OF_RECIPIENT = DONATIONS.index("of_recipient", prefix=("recipient_id",), order=("donated_at",))
DONATIONS_FOR = DONATIONS.index("for_request", prefix=("request_id",), order=("donated_at",))


def status_of(request: HelpRequest, now: Millis) -> Literal["open", "filled", "expired"]:
    """The state of a request for help."""
    if now >= request.expires_at:
        return "expired"
    return "filled" if request.received >= request.amount else "open"


def help_row(unit: Unit, request: HelpRequest, player: Counterparty) -> HelpRow:
    """A player's request for help as members see it."""
    return HelpRow(
        request_id=request.request_id,
        player=player,
        type=request.asset_kind,
        resource_key=request.asset_key,
        amount=request.amount,
        received=request.received,
        status=status_of(request, unit.now),
        created_at=Timestamp(request.created_at),
        expires_at=Timestamp(request.expires_at),
    )


def end_help_of(unit: Unit, player_id: PlayerId) -> None:
    """End what a member who leaves has asked the guild for; what was given stays given."""
    for request in lasting_help_of(unit, player_id):
        unit.tx.put(HELP, evolve(request, expires_at=unit.now))


def lasting_help_of(unit: Unit, player_id: str) -> list[HelpRequest]:
    """What a player has asked for and has not expired, the earliest end first."""
    return unit.tx.scanned(lasting_help(unit, player_id))


def lasting_help(unit: Unit, player_id: str) -> Scan[HelpRequest]:
    """The scan of what a player has asked for and has not expired."""
    return Scan(_LASTING_HELP_OF_PLAYER, (player_id,), start=(unit.now + 1,))
