"""The pages, area by area."""

from __future__ import annotations

from typing import Final

from livecore_server.portal.pages import (
    audit,
    boards,
    deliveries,
    events,
    guilds,
    home,
    keys,
    members,
    personal_keys,
    player_actions,
    player_endings,
    players,
    revenue,
    settings,
    webhooks,
)
from livecore_server.portal.views import Route

__all__ = ["ROUTES"]

ROUTES: Final[tuple[Route, ...]] = (
    *home.ROUTES,
    *members.ROUTES,
    *personal_keys.ROUTES,
    *audit.ROUTES,
    *players.ROUTES,
    *player_actions.ROUTES,
    *player_endings.ROUTES,
    *events.ROUTES,
    *boards.ROUTES,
    *guilds.ROUTES,
    *revenue.ROUTES,
    *webhooks.ROUTES,
    *deliveries.ROUTES,
    *keys.ROUTES,
    *settings.ROUTES,
)
"""Every page; of two that match an address the first answers."""
