"""Converts a player's export into rows for the migration routes, which make the same player elsewhere.

The rows hold the chosen name and picture, the country, the first and the last time the player was seen, the context, and
every balance and item. Migration has no rows for anything else: the secret (the game registers again), the friend code, the
anonymised identity (composed anew), sessions and login streak, platform and app version, ban and debug flag, friends,
requests, blocks, gifts, grants, past ledger entries and purchases. Unclaimed gifts and grants are not part of a balance
yet, so their contents are not moved.

The key of a row is made from the service's id of the player and the subject of the row. So a second export of the same
player gives rows with the same keys, and nothing is paid twice: a row that has changed since is refused as
`idempotency_conflict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final, cast

import attrs

from livecore.economy.config import SYSTEM_KEYS
from livecore.kernel.errors import JsonObject
from livecore.kernel.wire.shapes import ABSENT
from livecore.player_tools.export_rows import ExportedPlayer, PlayerExport
from livecore.player_tools.migration_rows import MigrateInventoryRow, MigratePlayerRow, MigrateWalletRow

_NEEDED: Final = ("wallet", "inventory")
"""The lists of an export that migration has rows for: their names on the wire, and the fields of `PlayerExport`."""


class IncompleteExport(ValueError):
    """The pages are not the whole export of one player."""


@attrs.frozen
class MigrationRows:
    """Rows for the three routes, in the order in which to send them."""

    players: tuple[MigratePlayerRow, ...]
    wallet: tuple[MigrateWalletRow, ...]
    inventory: tuple[MigrateInventoryRow, ...]


def migration_rows(pages: Iterable[PlayerExport]) -> MigrationRows:
    """The rows that make the player of an export again in another game, environment or service.

    `pages` begins with the whole export. If a list was truncated, its further pages follow. Raises `IncompleteExport` where
    there is no page, where pages are of different players, and where balances or items are missing.
    """
    exported = tuple(pages)
    player = _player_of(exported)
    return MigrationRows(
        players=(_player_row(player),),
        wallet=tuple(_wallet_rows(player, exported)),
        inventory=tuple(_inventory_rows(player, exported)),
    )


def _player_of(pages: tuple[PlayerExport, ...]) -> ExportedPlayer:
    if not pages:
        raise IncompleteExport("an export has at least one page")
    if len({page.player.id for page in pages}) > 1:
        raise IncompleteExport("the pages are of different players")
    for name in _NEEDED:
        shown = [page for page in pages if getattr(page, name)]
        if shown and shown[-1].cursors[name] is not None:
            raise IncompleteExport(f"`{name}` has more rows: read its further pages as well")
    return pages[0].player


def _player_row(player: ExportedPlayer) -> MigratePlayerRow:
    """Takes name and picture only if they were chosen: otherwise an export shows the anonymised identity in their place."""
    shown = player.display_identity
    chosen: Any = {} if shown == player.anonymized_identity else {"name": shown.name, "avatar": shown.avatar}
    return MigratePlayerRow(
        idempotency_key=player.id,
        external_player_id=player.external_player_id,
        country=player.country if player.country is not None else ABSENT,
        first_seen_at=player.first_seen_at,
        last_seen_at=player.last_seen_at,
        player_context=cast(JsonObject, player.last_context_snapshot) or ABSENT,
        **chosen,
    )


def _wallet_rows(player: ExportedPlayer, pages: tuple[PlayerExport, ...]) -> Iterator[MigrateWalletRow]:
    for row in chain.from_iterable(page.wallet for page in pages):
        if row.balance > 0 and row.key not in SYSTEM_KEYS:
            yield MigrateWalletRow(
                idempotency_key=f"{player.id}:{row.key}",
                external_player_id=player.external_player_id,
                economy_key=row.key,
                amount=row.balance,
            )


def _inventory_rows(player: ExportedPlayer, pages: tuple[PlayerExport, ...]) -> Iterator[MigrateInventoryRow]:
    for row in chain.from_iterable(page.inventory for page in pages):
        if row.quantity > 0:
            yield MigrateInventoryRow(
                idempotency_key=f"{player.id}:{row.item_key}",
                external_player_id=player.external_player_id,
                item_key=row.item_key,
                quantity=row.quantity,
                parameters=cast(JsonObject, row.parameters) or None,
            )
