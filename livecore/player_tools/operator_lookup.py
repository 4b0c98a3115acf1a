"""All about one player at a glance: what a support page of operators is made of.

It is what the studio's backend reads of a player, and the player's balances and items, guild, spend and counts of friends,
requests, blocks and gifts.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from livecore.commerce.totals import of_player
from livecore.economy import inventory, wallet
from livecore.economy.config import economy_config
from livecore.economy.ledger import HOLDINGS_OF_PLAYER
from livecore.economy.rows import GetWallet, HeldItem
from livecore.guilds.guild import GUILDS, SEATS
from livecore.kernel.storage.reads import Count
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.player_tools.export import exported_player
from livecore.player_tools.lookup import get_player
from livecore.player_tools.lookup_rows import GuildMembership, PlayerLookup, SocialCounts, SpentByPlayer
from livecore.player_tools.rows import GetPlayer
from livecore.players.player import Player, acting
from livecore.social.gifts import RECEIVED, SENT
from livecore.social.relations import BLOCKS_OF_HIGH, BLOCKS_OF_LOW, OF_HIGH, OF_LOW, asked_by

_COUNTED: Final[dict[str, tuple[tuple[Index[Any], Key], ...]]] = {
    "friends": ((OF_LOW, ("friends",)), (OF_HIGH, ("friends",))),
    "requests_incoming": ((OF_LOW, (asked_by("high"),)), (OF_HIGH, (asked_by("low"),))),
    "requests_outgoing": ((OF_LOW, (asked_by("low"),)), (OF_HIGH, (asked_by("high"),))),
    "blocks": ((BLOCKS_OF_LOW, ()), (BLOCKS_OF_HIGH, ())),
    "gifts_received_pending": ((RECEIVED, ("pending",)),),
    "gifts_sent_pending": ((SENT, ("pending",)),),
}
"""What is counted for each field: under which prefixes of which indexes, behind the player's id."""


def look_up(unit: Unit, args: GetPlayer) -> PlayerLookup:
    """The path's player with everything."""
    player = acting(unit)
    seen = get_player(unit, args)
    total = of_player(unit.tx, player.player_id)
    return PlayerLookup(
        player=exported_player(unit, player),
        attempts=seen.attempts,
        grants=seen.grants,
        lobbies=seen.lobbies,
        summary=seen.summary,
        wallet=wallet.get_wallet_as_server(unit, GetWallet()).balances,
        inventory=_items(unit, player),
        guild=_guild(unit, player),
        spend=SpentByPlayer(
            lifetime_amount_minor=total.cents,
            purchase_count=total.purchases,
            verified_amount_minor=total.verified_cents,
        ),
        social=_social(unit, player),
    )


def _items(unit: Unit, player: Player) -> tuple[HeldItem, ...]:
    """The items of which the player has at least one; none where the studio keeps them."""
    if not economy_config(unit).platform_managed:
        return ()
    holdings = unit.tx.scan(HOLDINGS_OF_PLAYER, player.player_id, "item")
    return tuple(inventory.held_item(unit, holding) for holding in holdings if holding.amount > 0)


def _guild(unit: Unit, player: Player) -> GuildMembership | None:
    seat = unit.tx.get(SEATS, player.player_id)
    guild = None if seat is None else unit.tx.get(GUILDS, seat.guild_id)
    if seat is None or guild is None:
        return None
    return GuildMembership(
        guild_id=guild.guild_id, name=guild.name, role=seat.role, joined_at=Timestamp(seat.joined_at)
    )


def _social(unit: Unit, player: Player) -> SocialCounts:
    me = player.player_id
    counts = unit.tx.read_all(Count(index, (me, *rest)) for lists in _COUNTED.values() for index, rest in lists)
    found = iter(counts)
    totals = {name: sum(islice(found, len(lists))) for name, lists in _COUNTED.items()}
    return SocialCounts(**totals)
