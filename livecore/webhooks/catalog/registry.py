"""All kinds of events, in the order of the documents.

A new kind needs one class in the file of its subject, and its name among the exports of `livecore_client.webhooks`. Its
sample, its documentation and the receiver's typed event follow from that.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Final

from livecore.commerce import webhook_events as commerce
from livecore.competition import leaderboard_webhook_events as leaderboards
from livecore.competition import webhook_events as competition
from livecore.economy import webhook_events as economy
from livecore.guilds import webhook_events as guilds
from livecore.lobbies import webhook_events as lobbies
from livecore.player_tools import webhook_events as player_tools
from livecore.players import webhook_events as players
from livecore.social import webhook_events as social
from livecore.teams import webhook_events as teams
from livecore.webhooks.catalog import operational
from livecore.webhooks.catalog.payload import Payload

if TYPE_CHECKING:
    from livecore.kernel.area import Areas
    from livecore.kernel.unit import Event

__all__ = ["CATALOG", "GROUPS", "groups", "known"]

_SUBJECTS: Final = (
    players,
    player_tools,
    social,
    economy,
    commerce,
    competition,
    leaderboards,
    teams,
    lobbies,
    guilds,
    operational,
)


def _payloads_in(module: ModuleType) -> tuple[type[Payload], ...]:
    """Every kind that a file declares, in its order."""
    found = (kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Payload))
    return tuple(payload for payload in found if payload.__module__ == module.__name__ and hasattr(payload, "kind"))


GROUPS: Mapping[str, tuple[type[Payload], ...]] = MappingProxyType(
    {subject.TITLE: _payloads_in(subject) for subject in _SUBJECTS}
)
"""The payload classes by the name of their group."""

CATALOG: Mapping[str, type[Payload]] = MappingProxyType(
    {payload.kind: payload for group in GROUPS.values() for payload in group}
)
"""The payload class of each kind, by the kind's name on the wire."""


def groups(areas: Areas) -> Mapping[str, tuple[type[Event], ...]]:
    """The groups of the catalog, followed by the further kinds that these areas emit, under the areas' names."""
    further = {
        area.name.capitalize(): tuple(event for event in area.events if event.kind not in CATALOG) for area in areas.all
    }
    return {**GROUPS, **{name: events for name, events in further.items() if events}}


def known(areas: Areas) -> Mapping[str, type[Event]]:
    """The payload class of each kind, those of the catalog and those of these areas."""
    return {event.kind: event for events in groups(areas).values() for event in events}
