"""What the rows of guilds must look like whenever the power went."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Final

from tests.crash.game import FOUNDING_COST, MOST_MEMBERS
from tests.laws.rows import PlaceRows

ID_OF_KIND: Final = {
    "guild.created": "guildId",
    "guild.disbanded": "guildId",
    "guild.member_joined": "playerId",
    "guild.member_left": "playerId",
    "guild.help_requested": "requestId",
    "guild.help_donated": "donationId",
}
"""By which id an event and its row are matched."""


def told_of_guilds(rows: PlaceRows) -> Iterator[tuple[str, str]]:
    """What must have been told: each a kind of event, and the id in it."""
    for guild in rows.tables.get("guilds", []):
        yield "guild.created", guild.guild_id
        if guild.disbanded_at is not None:
            yield "guild.disbanded", guild.guild_id
    for stint in rows.tables.get("guild_stints", []):
        yield "guild.member_joined", stint.player_id
        if stint.left_at is not None:
            yield "guild.member_left", stint.player_id
    for request in rows.tables.get("guild_help", []):
        yield "guild.help_requested", request.request_id
    for donation in rows.tables.get("guild_donations", []):
        yield "guild.help_donated", donation.donation_id


def check_guilds(rows: PlaceRows) -> None:
    """Every guild has one leader and the members that it counts, and was paid for; what was donated has arrived, once."""
    _check_members(rows)
    _check_founding(rows)
    _check_requests(rows)
    _check_donations(rows)


def _check_members(rows: PlaceRows) -> None:
    """The seats, the stints that last and the counts agree."""
    seats, guilds = rows.tables.get("guild_seats", []), rows.tables.get("guilds", [])
    members = Counter(seat.guild_id for seat in seats)
    exist = [guild for guild in guilds if guild.disbanded_at is None]
    assert members == Counter({guild.guild_id: guild.member_count for guild in exist})
    assert all(count <= MOST_MEMBERS for count in members.values())
    assert [guild.member_count for guild in guilds if guild.disbanded_at is not None and guild.member_count] == []
    leaders = Counter(seat.guild_id for seat in seats if seat.role == "leader")
    assert leaders == Counter(guild.guild_id for guild in exist)
    lasting = [stint for stint in rows.tables.get("guild_stints", []) if stint.left_at is None]
    assert Counter((stint.guild_id, stint.player_id) for stint in lasting) == Counter(
        (seat.guild_id, seat.player_id) for seat in seats
    )


def _check_founding(rows: PlaceRows) -> None:
    """Each guild was paid for once, and no guild that there is not."""
    paid = Counter((row.source_ref_id, row.delta) for row in rows.entries if row.reason == "guild_cost")
    assert paid == Counter((guild.guild_id, -FOUNDING_COST) for guild in rows.tables.get("guilds", []))


def _check_requests(rows: PlaceRows) -> None:
    """What a request has received is what was donated for it, and not more than it asked for."""
    given: Counter[str] = Counter()
    for donation in rows.tables.get("guild_donations", []):
        given[donation.request_id] += donation.amount
    requests = rows.tables.get("guild_help", [])
    assert given == Counter({request.request_id: request.received for request in requests})
    assert all(request.received <= request.amount for request in requests)


def _check_donations(rows: PlaceRows) -> None:
    """Each donation has taken its amount from the donor once, and granted it to the recipient once."""
    donations = rows.tables.get("guild_donations", [])
    taken = Counter(
        (row.source_ref_id, row.player_id, row.asset_kind, row.asset_key, row.delta)
        for row in rows.entries
        if row.reason == "guild_help"
    )
    assert taken == Counter(
        (row.donation_id, row.donor_id, row.asset_kind, row.asset_key, -row.amount) for row in donations
    )
    granted = Counter(
        (row.source_ref_id, row.grant_id, row.player_id, row.entries)
        for row in rows.grants
        if row.source_kind == "guild_help"
    )
    assert granted == Counter(
        (row.donation_id, row.grant_id, row.recipient_id, _entries(row.asset_kind, row.asset_key, row.amount))
        for row in donations
    )
    rewards = Counter(
        (row.source_ref_id, row.grant_id, row.player_id)
        for row in rows.grants
        if row.source_kind == "guild_help_reward"
    )
    assert rewards == Counter(
        (row.donation_id, row.reward_grant_id, row.donor_id) for row in donations if row.reward_grant_id is not None
    )
    # Only help with items is rewarded in this game.
    assert {row.asset_kind for row in donations if row.reward_grant_id is not None} <= {"item"}


def _entries(kind: str, key: str, amount: int) -> str:
    return json.dumps([{"type": kind, "resourceKey": key, "amount": amount}], separators=(",", ":"))
