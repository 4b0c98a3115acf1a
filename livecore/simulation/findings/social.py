"""Findings about gifts and guilds."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.simulation.findings.finding import Finding, percent
from livecore.simulation.observed import Observed

_EXPIRED: Final = 0.3


def social_findings(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    """Gifts that expire or that nobody sends; guilds that nobody founds or joins."""
    if config.gifting.enabled:
        yield from _gifts(observed, config)
    if config.guilds.enabled:
        yield from _guilds(observed, config)


def _gifts(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    ended = sum(one.claimed + one.expired for one in observed.gifts.values())
    expired = sum(one.expired for one in observed.gifts.values())
    if ended and expired / ended > _EXPIRED:
        text = f"{percent(expired / ended)} of the gifts expire before somebody claims them."
        yield Finding("warning", "gifts", text, "gifting.claimExpirySeconds")
    for place, resource in enumerate(config.gifting.resources):
        sent = observed.gifts.get(f"{resource.type}:{resource.key}")
        if sent is None or not sent.sent:
            yield Finding("note", "gifts", f"Nobody gave any {resource.key}.", f"gifting.resources[{place}]")


def _guilds(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    if not observed.guilds_founded:
        cost = ", ".join(f"{entry.amount} {entry.resource_key}" for entry in config.guilds.create_cost)
        why = f" Founding one costs {cost}." if cost else ""
        yield Finding("warning", "guilds", f"Nobody founded a guild.{why}", "guilds.createCost")
    elif observed.guild_sizes and median(observed.guild_sizes) <= 1:
        yield Finding("note", "guilds", "Half of the guilds have one member.", "guilds")
