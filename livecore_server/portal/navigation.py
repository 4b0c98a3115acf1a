"""The pages that every page of a game or a studio leads to, and how roles are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from livecore.access.member_rows import Role


@attrs.frozen
class Entry:
    """A link of the navigation. `below` is the address below the game, or below the studio."""

    area: str
    label: str
    below: str
    of_game: bool


NAVIGATION: Final = (
    Entry("players", "Players", "/players", of_game=True),
    Entry("events", "Events", "/events", of_game=True),
    Entry("guilds", "Guilds", "/guilds", of_game=True),
    Entry("revenue", "Revenue", "/revenue", of_game=True),
    Entry("webhooks", "Webhooks", "/webhooks", of_game=True),
    Entry("deliveries", "Deliveries", "/deliveries", of_game=True),
    Entry("keys", "API keys", "/keys", of_game=True),
    Entry("games", "Games", "/games", of_game=False),
    Entry("settings", "Settings", "/settings", of_game=True),
    Entry("members", "Members", "/members", of_game=False),
    Entry("personal-keys", "Personal key", "/personal-keys", of_game=False),
    Entry("audit", "Audit", "/audit", of_game=False),
)

FIRST_PAGE: Final = next(entry.below for entry in NAVIGATION if entry.of_game)
"""The page of a game on which one arrives."""


def first_page_of(area: str) -> str:
    """The page of a game with which an area begins, or where there is no such area the one on which one arrives."""
    return next((entry.below for entry in NAVIGATION if entry.of_game and entry.area == area), FIRST_PAGE)


ROLE_NAMES: Final[Mapping[Role, str]] = {
    "OWNER": "Owner",
    "ADMIN": "Administrator",
    "GAME_ADMIN": "Game administrator",
    "GAME_DEVELOPER": "Game developer",
    "GAME_DEBUGGER": "Game debugger",
    "VIEWER": "Viewer",
}
