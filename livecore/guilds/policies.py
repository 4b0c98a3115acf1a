"""How merging and erasing players changes guilds.

A merge: the target's guild wins. Where both are in one, the source leaves with the reason `merged`; where only the source
is, the target takes the seat, with its role. What the source has asked for goes on if the target is in the same guild. An
erased player leaves with the reason `erased`; of a guild that ends then, or that ended when this player left it, the texts
are emptied. A leader who goes is followed first. Requests to join end where their player
is in a guild then; of two to the same guild the target's stays.
"""

from __future__ import annotations

from livecore.guilds.forgetting import empty_texts, was_last
from livecore.guilds.guild import SEATS, STINTS_OF_PLAYER, guilds_by_id, require_guild
from livecore.guilds.join_requests import REQUESTS, REQUESTS_OF_PLAYER, open_request
from livecore.guilds.seating import move_seat, unseat
from livecore.kernel.declarations.player_lifecycle import Erasing, Merging
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.players.player import by_id


def unite_seats(unit: Unit, merging: Merging) -> None:
    """One seat is left, if there is any."""
    source, target = unit.tx.read_together(Get(SEATS, (merging.source_id,)), Get(SEATS, (merging.target_id,)))
    if source is None:
        return
    if target is None:
        move_seat(unit, source, by_id(unit, merging.target_id))
    else:
        unseat(unit, source, "merged", keeps_help=source.guild_id == target.guild_id)


def unite_requests(unit: Unit, merging: Merging) -> None:
    """Give the target the source's requests that have a purpose still."""
    seated = any(unit.tx.get(SEATS, one) is not None for one in (merging.source_id, merging.target_id))
    for request in unit.tx.scan(REQUESTS_OF_PLAYER, merging.source_id):
        unit.tx.delete(REQUESTS, request.request_id)
        if not seated and open_request(unit, merging.target_id, request.guild_id) is None:
            unit.tx.insert(REQUESTS, evolve(request, player_id=merging.target_id))


def leave_for_good(unit: Unit, erasing: Erasing) -> None:
    """Leave the guild, if there is one, and empty the texts of every guild whose last member this player is or was."""
    stints = unit.tx.scan(STINTS_OF_PLAYER, erasing.player_id)
    guilds = guilds_by_id(unit, (stint.guild_id for stint in stints))
    for stint in stints:
        if was_last(stint, guilds[stint.guild_id]):
            empty_texts(unit, guilds[stint.guild_id])
    held = unit.tx.get(SEATS, erasing.player_id)
    if held is not None:
        guild = require_guild(unit, held.guild_id)
        if guild.member_count == 1:
            # First, so that the events of its end have nothing of them.
            empty_texts(unit, guild)
        unseat(unit, held, "erased")
