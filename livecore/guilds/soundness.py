"""The invariants of guilds.

guilds      one that exists has as many seats as it counts, exactly one leader, its name and its words; one that ended, none
seats       the player and the guild exist, and the stint agrees
stints      one that lasts has its seat
requests    the guild exists, and the player is in none
foundings   the player exists
help        what was received is the sum of the donations, and at most what was asked for
donations   the request and both grants exist
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.economy.grants import GRANTS
from livecore.guilds.founding import FOUNDINGS, Founding
from livecore.guilds.guild import (
    GUILDS,
    MEMBERS_BY_ROLE,
    SEATS,
    STINTS,
    WORDS_OF_GUILD,
    Guild,
    Seat,
    Stint,
    member_scans,
    name_key,
)
from livecore.guilds.help_requests import DONATIONS, DONATIONS_FOR, HELP, Donation, HelpRequest
from livecore.guilds.join_requests import REQUESTS, JoinRequest
from livecore.guilds.roles import ROLES
from livecore.guilds.seating import INACTIVE
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.units.due import DUE
from livecore.kernel.words import beginnings
from livecore.players.player import PLAYERS


def _guild_needs(guild: Guild) -> Iterator[AnyRead]:
    yield from member_scans(guild.guild_id)
    yield Scan(WORDS_OF_GUILD, (guild.guild_id,))
    yield Get(DUE, (INACTIVE, guild.guild_id))


def _judge_guild(reader: Reader, guild: Guild) -> Iterator[str]:
    seats = [seat for role in ROLES for seat in all_under(reader, MEMBERS_BY_ROLE, guild.guild_id, role)]
    if len(seats) != guild.member_count:
        yield f"counts {guild.member_count} members and has {len(seats)}"
    exists = guild.disbanded_at is None
    leaders = sum(seat.role == "leader" for seat in seats)
    if leaders != exists:
        yield f"has {leaders} leaders, and {'exists' if exists else 'was disbanded'}"
    if guild.name_key != (name_key(guild.name) if exists else None):
        yield "has a name that is not compared as it should be"
    if guild.listed_at != (guild.created_at if exists else None):
        yield "is not listed as it should be"
    words = {word.text for word in all_under(reader, WORDS_OF_GUILD, guild.guild_id)}
    if words != set(beginnings(guild.name) if exists else ()):
        yield "is not found by the words of its name"
    if (guild.metadata_until is not None) != (not exists and guild.metadata is not None):
        yield "says otherwise when its metadata is removed"
    if (reader.get(DUE, (INACTIVE, guild.guild_id)) is not None) != exists:
        yield "has a leader who is not watched, or is watched without one"


def _judge_seat(reader: Reader, seat: Seat) -> Iterator[str]:
    if reader.get(PLAYERS, (seat.player_id,)) is None:
        yield "is of a player who does not exist"
    guild = reader.get(GUILDS, (seat.guild_id,))
    if guild is None or guild.disbanded_at is not None:
        yield "is in a guild that does not exist"
    stint = reader.get(STINTS, (seat.stint_id,))
    agrees = stint is not None and (stint.player_id, stint.guild_id, stint.role, stint.joined_at, stint.left_at) == (
        seat.player_id, seat.guild_id, seat.role, seat.joined_at, None,
    )  # fmt: skip
    if not agrees:
        yield "has no stint that agrees with it"


def _judge_stint(reader: Reader, stint: Stint) -> Iterator[str]:
    if (stint.left_at is None) != (stint.left_reason is None):
        yield "has ended without a reason, or lasts with one"
    seat = reader.get(SEATS, (stint.player_id,))
    if stint.left_at is None and (seat is None or seat.stint_id != stint.stint_id):
        yield "lasts without a seat"


def _judge_request(reader: Reader, request: JoinRequest) -> Iterator[str]:
    guild = reader.get(GUILDS, (request.guild_id,))
    if guild is None or guild.disbanded_at is not None:
        yield "is to a guild that does not exist"
    if reader.get(SEATS, (request.player_id,)) is not None:
        yield "is of a player who is in a guild"


def _judge_help(reader: Reader, request: HelpRequest) -> Iterator[str]:
    given = sum(donation.amount for donation in all_under(reader, DONATIONS_FOR, request.request_id))
    if given != request.received:
        yield f"has received {request.received}, and was given {given}"
    if not 0 <= request.received <= request.amount:
        yield f"has received {request.received} of {request.amount}"


def _donation_needs(donation: Donation) -> Iterator[AnyRead]:
    yield Get(HELP, (donation.request_id,))
    yield Get(GRANTS, (donation.grant_id,))
    if donation.reward_grant_id is not None:
        yield Get(GRANTS, (donation.reward_grant_id,))


def _judge_donation(reader: Reader, donation: Donation) -> Iterator[str]:
    if reader.get(HELP, (donation.request_id,)) is None:
        yield "is for a request that does not exist"
    for grant_id in (donation.grant_id, donation.reward_grant_id):
        if grant_id is not None and reader.get(GRANTS, (grant_id,)) is None:
            yield f"names the grant {grant_id}, which does not exist"


def _judge_founding(reader: Reader, founding: Founding) -> Iterator[str]:
    if reader.get(PLAYERS, (founding.player_id,)) is None:
        yield "is by a player who does not exist"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=FOUNDINGS, needs=lambda founding: [Get(PLAYERS, (founding.player_id,))], judge=_judge_founding),
    Rule(table=GUILDS, needs=_guild_needs, judge=_judge_guild),
    Rule(
        table=SEATS,
        needs=lambda seat: [
            Get(PLAYERS, (seat.player_id,)),
            Get(GUILDS, (seat.guild_id,)),
            Get(STINTS, (seat.stint_id,)),
        ],
        judge=_judge_seat,
    ),
    Rule(table=STINTS, needs=lambda stint: [Get(SEATS, (stint.player_id,))], judge=_judge_stint),
    Rule(
        table=REQUESTS,
        needs=lambda request: [Get(GUILDS, (request.guild_id,)), Get(SEATS, (request.player_id,))],
        judge=_judge_request,
    ),
    Rule(table=HELP, needs=lambda request: [Scan(DONATIONS_FOR, (request.request_id,))], judge=_judge_help),
    Rule(table=DONATIONS, needs=_donation_needs, judge=_judge_donation),
)
