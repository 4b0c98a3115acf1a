"""What operators do about one player: the operations of the studio's backend, for members who have the permission."""

from __future__ import annotations

from typing import Any, Final

from livecore.api.routes import commerce, economy, friends, gifts, player_tools, players
from livecore.api.table.admin_routes import as_admin, member_read
from livecore.api.table.operation import Operation
from livecore.player_tools import (
    lookup_rows,
    operator_lookup,
    search,
    search_rows,
    timeline,
    timeline_rows,
)
from livecore.players.refusals import PlayerNotFound

_OF_SERVER: Final = {
    row.name: row
    for module in (players, player_tools, friends, gifts, economy, commerce)
    for row in module.OPERATIONS
    if row.surface == "server"
}


def _admin(name: str, permission: str, **changes: Any) -> Operation:  # noqa: ANN401 - the fields of a row
    return as_admin(_OF_SERVER[name], permission, **changes)


OPERATIONS: Final[tuple[Operation, ...]] = (
    member_read(
        "players.search",
        "/players",
        search_rows.SearchPlayers,
        search_rows.FoundPlayers,
        search.search_players,
        permission="player.read",
        summary="Find players.",
        about=(
            "By the studio's id, by the service's id, by friend code, or by a word of the name that begins with `q` (at "
            "least two letters or digits); without `q` all players, the last seen first. Banned players are found, players "
            "who were merged or erased are not. A page of at most `limit` (1 to 200); it may have fewer and still have a "
            "`nextCursor`."
        ),
    ),
    _admin(
        "players.get",
        "player.read",
        answers={200: lookup_rows.PlayerLookup},
        handler=operator_lookup.look_up,
        summary="Read all about a player at a glance.",
        about=(
            "The player with recent attempts, grants and lobbies, at most `limit` (1 to 200) of each; and balances, items, "
            "guild, spend, and counts of friends, open requests, blocks and unclaimed gifts."
        ),
    ),
    member_read(
        "players.timeline",
        "/players/{externalId}/timeline",
        timeline_rows.GetTimeline,
        timeline_rows.Timeline,
        timeline.get_timeline,
        PlayerNotFound,
        permission="player.read",
        summary="Read everything that has happened to a player.",
        about=(
            "In one list, newest first: changes of balances and items, grants, gifts, attempts, purchases, guilds, lobbies, "
            "teams, friends, what operators did, and webhooks. `kinds` limits it to some kinds of entries. A page of at "
            "most `limit` (1 to 200)."
        ),
        subject="existing",
    ),
    _admin("players.ban", "player.ban"),
    _admin("players.unban", "player.ban"),
    _admin("players.flagDebug", "player.debug", destructive=False),
    _admin("players.unflagDebug", "player.debug", destructive=False),
    _admin(
        "players.rotateSecret",
        "player.rotate_secret",
        about=(
            "For a player who lost their secret: have the new one handed to the player. The old one stops working at once. "
            "The secret is shown this once; only the same member gets it again, with the same `idempotency_key`."
        ),
    ),
    _admin("players.merge", "player.merge"),
    _admin("players.erase", "player.erase"),
    _admin(
        "players.export",
        "player.export",
        audited=True,
        about=(
            "Each list has up to 1,000 rows. Where `truncated` says that a list goes on, ask again with its name as `list_` "
            "and with its `cursor`. Every export leaves an entry in the audit trail."
        ),
    ),
    _admin("friends.list", "player.read"),
    _admin("friends.listRequests", "player.read"),
    _admin("friends.listBlocks", "player.read"),
    _admin("gifts.list", "player.read"),
    _admin("purchases.list", "purchase.read"),
    _admin("spend.get", "purchase.read"),
    _admin("wallet.get", "wallet.read"),
    _admin("inventory.get", "inventory.read"),
    _admin("ledger.list", "wallet.read"),
)
