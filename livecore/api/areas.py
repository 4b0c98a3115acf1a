"""The list of areas. A new area needs one line here; it declares everything else in its own `area.py`."""

from __future__ import annotations

from typing import Final

from livecore.access import area as access
from livecore.api import area as api
from livecore.commerce import area as commerce
from livecore.economy import area as economy
from livecore.events import area as events
from livecore.guilds import area as guilds
from livecore.kernel.declarations.area import Areas
from livecore.leaderboards import area as leaderboards
from livecore.lobbies import area as lobbies
from livecore.player_tools import area as player_tools
from livecore.players import area as players
from livecore.social import area as social
from livecore.teams import area as teams
from livecore.webhooks import area as webhooks

_MODULES: Final = (
    players,
    social,
    economy,
    commerce,
    events,
    leaderboards,
    lobbies,
    teams,
    guilds,
    player_tools,
    webhooks,
    access,
    api,
)

AREAS: Final = Areas(module.AREA for module in _MODULES)
"""Every area of the service, and the declarations that belong to none of them."""
