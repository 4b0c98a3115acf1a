"""Where a player's rows about others stand in the order of time: what the export and the timeline both read."""

from __future__ import annotations

from typing import get_args

from livecore.economy.grants import Status
from livecore.kernel.declarations.timeline import Track
from livecore.social.gifts import RECEIVED, SENT, Gift
from livecore.social.relations import BLOCKS_OF_HIGH, BLOCKS_OF_LOW, OF_HIGH, OF_LOW, Relation, asked_by


def gifts_sent(player_id: str) -> list[Track[Gift]]:
    """The gifts that the player sent."""
    return [Track(SENT, (player_id, status)) for status in get_args(Status)]


def gifts_received(player_id: str) -> list[Track[Gift]]:
    """The gifts that the player was sent."""
    return [Track(RECEIVED, (player_id, status)) for status in get_args(Status)]


def friendships(player_id: str) -> list[Track[Relation]]:
    """The friendships that there are."""
    return [Track(index, (player_id, "friends")) for index in (OF_LOW, OF_HIGH)]


def requests(player_id: str) -> list[Track[Relation]]:
    """The open requests, from the player and to the player."""
    askers = (asked_by("low"), asked_by("high"))
    return [Track(index, (player_id, asker)) for asker in askers for index in (OF_LOW, OF_HIGH)]


def blocks(player_id: str) -> list[Track[Relation]]:
    """The blocks that the player set."""
    return [Track(index, (player_id,)) for index in (BLOCKS_OF_LOW, BLOCKS_OF_HIGH)]
