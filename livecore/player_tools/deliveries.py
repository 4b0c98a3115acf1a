"""Deliveries of the webhooks that name a player, whom members name by the studio's id."""

from __future__ import annotations

from livecore.kernel.units.unit import Unit
from livecore.players.player import require
from livecore.webhooks import managing_deliveries
from livecore.webhooks.delivery_rows import DeliveriesPage, DeliveriesReplayed, ListDeliveries, ReplayDeliveries


def list_page(unit: Unit, args: ListDeliveries) -> DeliveriesPage:
    """A page of deliveries. Raises `PlayerNotFound`."""
    return managing_deliveries.list_page(unit, args, player_id=_player_id(unit, args.player))


def replay_many(unit: Unit, args: ReplayDeliveries) -> DeliveriesReplayed:
    """Send all deliveries that fit and were queued before now again, in steps. Raises `PlayerNotFound`."""
    return managing_deliveries.replay_many(unit, args, player_id=_player_id(unit, args.player))


def _player_id(unit: Unit, named: str | None) -> str | None:
    return None if named is None else require(unit, named).player_id
