"""Requests to join a guild that takes members by request.

none ──join──▶ open ──accept──▶ joined
├──decline, cancel──▶ none
└──joins a guild, the guild ends──▶ none
"""

from __future__ import annotations

from livecore.guilds.rows import Direction, JoinRequestRow
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.social.rows import Counterparty

MOST_SHOWN = 200
"""How many requests a list shows, the newest first."""


@record
class JoinRequest:
    """An open request of a player to join a guild."""

    request_id: str
    player_id: PlayerId
    guild_id: str
    message: str | None
    created_at: Millis


REQUESTS = Table(
    "guild_requests",
    JoinRequest,
    key=("request_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="guildRequests",
)
REQUESTS_OF_PLAYER = REQUESTS.index("of_player", prefix=("player_id",), order=("created_at",))
_REQUESTS_OF_GUILD = REQUESTS.index("of_guild", prefix=("guild_id",), order=("created_at",))
WITH_MESSAGE = REQUESTS.index("with_message", order=("created_at", "message"))
"""Only requests that have a message."""


def newest_to_guild(guild_id: str) -> Scan[JoinRequest]:
    """The scan of the newest requests to a guild."""
    return Scan(_REQUESTS_OF_GUILD, (guild_id,), reverse=True, limit=MOST_SHOWN)


def newest_of_player(player_id: str) -> Scan[JoinRequest]:
    """The scan of a player's newest requests."""
    return Scan(REQUESTS_OF_PLAYER, (player_id,), reverse=True, limit=MOST_SHOWN)


def open_request(unit: Unit, player_id: str, guild_id: str) -> JoinRequest | None:
    """The request of a player to a guild; there is at most one."""
    return next((one for one in unit.tx.scan(REQUESTS_OF_PLAYER, player_id) if one.guild_id == guild_id), None)


def request_row(request: JoinRequest, direction: Direction, player: Counterparty) -> JoinRequestRow:
    """A request of a player as one of its sides sees it."""
    return JoinRequestRow(
        request_id=request.request_id,
        direction=direction,
        guild_id=request.guild_id,
        player=player,
        message=request.message,
        created_at=Timestamp(request.created_at),
    )


def end_requests_of(unit: Unit, player_id: PlayerId) -> None:
    """End all requests of a player, who has joined a guild."""
    for request in unit.tx.scan(REQUESTS_OF_PLAYER, player_id):
        unit.tx.delete(REQUESTS, request.request_id)


def requests_to(guild_id: str) -> Scan[JoinRequest]:
    """The scan of all requests to a guild."""
    return Scan(_REQUESTS_OF_GUILD, (guild_id,))


def end_requests_to(unit: Unit, guild_id: str) -> None:
    """End all requests to a guild that is disbanded."""
    for request in unit.tx.scanned(requests_to(guild_id)):
        unit.tx.delete(REQUESTS, request.request_id)
