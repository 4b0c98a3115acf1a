"""Costs: what a player pays for something, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.economy.ledger import Asset, AssetKind, Holding, amount_in, holding_read, post
from livecore.economy.rows import RewardEntry
from livecore.kernel.errors import Refusal
from livecore.kernel.storage.reads import Get
from livecore.kernel.units.unit import Unit
from livecore.players.player import Player

Cost = list[tuple[Asset, int]]
"""Each asset once, with the amount of it."""


def total_of(entries: Sequence[RewardEntry]) -> Cost:
    """What entries cost, each asset once; one that is listed twice is paid as one."""
    total: dict[tuple[AssetKind, str], int] = {}
    for entry in entries:
        assert entry.type != "crate"  # noqa: S101 - no configuration has one in a cost
        asset = (entry.type, entry.resource_key)
        total[asset] = total.get(asset, 0) + entry.amount
    return [(Asset(*asset), amount) for asset, amount in total.items()]


def cost_reads(player_id: str, cost: Cost) -> list[Get[Holding]]:
    """What `charge` reads, for whoever asks for something else with it."""
    return [holding_read(player_id, asset) for asset, _ in cost]


def charge(unit: Unit, player: Player, cost: Cost, *, reason: str, source_ref_id: str, refusal: type[Refusal]) -> None:
    """Take a whole cost from a player. Raises `refusal` for the first resource that lacks; then nothing is taken."""
    held = unit.tx.read_all(cost_reads(player.player_id, cost))
    for (asset, needed), holding in zip(cost, held, strict=True):
        have = amount_in(holding)
        if have < needed:
            raise refusal(resource=asset.key, needed=needed, have=have)
    for asset, needed in cost:
        post(unit, player, asset, -needed, reason=reason, source_ref_id=source_ref_id)
