"""Where a player's rows in guilds stand in the order of time: what the export and the timeline both read."""

from __future__ import annotations

from livecore.guilds.guild import STINTS_OF_PLAYER, Stint
from livecore.guilds.help_requests import (
    DONATIONS_OF_DONOR,
    DONATIONS_OF_RECIPIENT,
    HELP_OF_PLAYER,
    Donation,
    HelpRequest,
)
from livecore.guilds.join_requests import REQUESTS_OF_PLAYER, JoinRequest
from livecore.kernel.declarations.timeline import Track


def stints(player_id: str) -> list[Track[Stint]]:
    """Each time in a guild."""
    return [Track(STINTS_OF_PLAYER, (player_id,))]


def join_requests(player_id: str) -> list[Track[JoinRequest]]:
    """The open requests to join."""
    return [Track(REQUESTS_OF_PLAYER, (player_id,))]


def help_requests(player_id: str) -> list[Track[HelpRequest]]:
    """What the player has asked for."""
    return [Track(HELP_OF_PLAYER, (player_id,))]


def donations(player_id: str) -> list[Track[Donation]]:
    """What the player has given and received."""
    return [Track(index, (player_id,)) for index in (DONATIONS_OF_DONOR, DONATIONS_OF_RECIPIENT)]
