"""What the studio's backend does in a season by itself: it forms the teams of events that leave this to it.

The teams are the guilds; where there are none, players in the order of their coming. Whoever has a seat keeps it until the
window closes, whatever guild the player joins meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from livecore.events.webhook_events import WindowClosed, WindowOpened
from livecore.guilds.webhook_events import GuildCreated, GuildMemberJoined, GuildMemberLeft
from livecore.kernel.units.unit import Event
from livecore.simulation.community import Community
from livecore.simulation.game import PlayedGame
from livecore.simulation.watching import Watcher
from livecore.teams.config import TEAM_RULES

if TYPE_CHECKING:
    from livecore.world import World

BACKEND: Final = "backend"
"""Whose calls these are, where a watcher counts by behaviour."""
_WITHOUT_GUILDS: Final = 10


@attrs.define(eq=False)
class Backend:
    """The studio's backend during one season."""

    world: World
    game: PlayedGame
    community: Community
    watch: Watcher
    registered: list[str] = attrs.field(factory=list)
    _open: dict[str, str] = attrs.field(factory=dict)
    """The open window of each event whose teams it forms."""

    def heard(self, event: Event) -> None:
        """Take notice of what a webhook says."""
        guild_of = self.community.guild_of
        if isinstance(event, GuildCreated):
            guild_of[event.leader_external_player_id] = event.guild_id
        elif isinstance(event, GuildMemberJoined):
            guild_of[event.external_player_id] = event.guild_id
        elif isinstance(event, GuildMemberLeft):
            guild_of.pop(event.external_player_id, None)
        elif isinstance(event, WindowOpened):
            played = self.game.events.get(event.event_key)
            if played is not None and played.format == "external":
                self._open[event.event_key] = event.event_window_id
        elif isinstance(event, WindowClosed) and self._open.get(event.event_key) == event.event_window_id:
            del self._open[event.event_key]

    def form_teams(self) -> None:
        """Write the rosters of all open windows, as they are meant now."""
        for key, window in self._open.items():
            seated = self.community.seated.setdefault(window, {})
            changed = self._seat(key, seated)
            for team in sorted(changed):
                members = tuple(name for name, where in seated.items() if where == team)
                self._put(key, team, window, members)
        for window in set(self.community.seated) - set(self._open.values()):
            del self.community.seated[window]

    def _seat(self, key: str, seated: dict[str, str]) -> set[str]:
        """Give a seat to everybody who has none; returns the teams that have changed."""
        rules = TEAM_RULES.of(self.game.events[key].definition)
        most = rules.seats.max if rules is not None else 1
        sizes: dict[str, int] = {}
        for taken in seated.values():
            sizes[taken] = sizes.get(taken, 0) + 1
        changed: set[str] = set()
        for place, name in enumerate(self.registered):
            team: str | None = self.community.guild_of.get(name)
            if team is None and not self.game.config.guilds.enabled:
                team = f"team-{place // min(most, _WITHOUT_GUILDS) + 1}"
            if team is not None and name not in seated and sizes.get(team, 0) < most:
                seated[name] = team
                sizes[team] = sizes.get(team, 0) + 1
                changed.add(team)
        return changed

    def _put(self, key: str, team: str, window: str, members: tuple[str, ...]) -> None:
        result = self.world.server.try_call(
            "teams.putRoster", event_key=key, team_key=team, window_id=window, external_player_ids=members
        )
        answer = result.row if result.ok else result.refusal
        self.watch.called("server:teams.putRoster", BACKEND, result.status, result.code, answer)
