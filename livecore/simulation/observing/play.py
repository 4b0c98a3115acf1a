"""Counts windows, attempts, scores, lobbies, teams and guilds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.events.webhook_events import (
    AttemptStarted,
    EventCompleted,
    EventExpired,
    EventProgressUpdated,
    LeaderboardFinalized,
    WindowClosed,
    WindowOpened,
)
from livecore.guilds.webhook_events import (
    GuildCreated,
    GuildDisbanded,
    GuildHelpDonated,
    GuildHelpRequested,
    GuildMemberJoined,
    GuildMemberLeft,
    GuildRoleChanged,
)
from livecore.kernel.time import SECOND
from livecore.lobbies.webhook_events import LobbyClosed, LobbyCreated, LobbyPlayerJoined, LobbyStarted
from livecore.simulation.observed import Lobbies, Observed, Window
from livecore.simulation.observing.origins import OpenWindow, Origins
from livecore.simulation.observing.people import People
from livecore.teams.webhook_events import TeamFormed, TeamGoalCompleted, TeamMemberJoined, TeamMemberLeft

_QUANTILES: Final = 20
_SUCCESSION: Final = "succession_"


class PlayObserver:
    """Events, lobbies, teams and guilds."""

    def __init__(self, observed: Observed, people: People, origins: Origins) -> None:
        self._seen = observed
        self._people = people
        self._origins = origins
        self._lobbies: dict[str, str] = {}
        """The events of the lobbies that are forming."""
        self._joined: dict[str, list[int]] = {}
        """When the players joined them."""
        self._guilds: dict[str, int] = {}
        """The members of each guild."""

    # -- windows and attempts

    def window_opened(self, event: WindowOpened) -> None:
        """A window of an event has opened."""
        # What is due at midnight runs before the day ends, so the day of a start is not the present one.
        starts_on = self._people.day_of(event.opened_at)
        if starts_on >= self._seen.days:
            return
        window = Window(event.event_key, starts_on)
        self._seen.windows.append(window)
        self._origins.windows[event.event_window_id] = OpenWindow(window)

    def session(self, external_id: str) -> None:
        """A player is there while windows are open."""
        for opened in self._origins.windows.values():
            if opened.ended_on is None:
                opened.active.add(external_id)

    def attempt_started(self, event: AttemptStarted) -> None:
        """An attempt has begun."""
        opened = self._origins.attempt(event.attempt_id, event.event_window_id, event.leaderboard_id)
        if opened is not None:
            opened.window.started += 1
            opened.attempts_of[event.external_player_id] += 1
            opened.best.setdefault(event.external_player_id, 0)

    def progress(self, event: EventProgressUpdated | EventCompleted | EventExpired) -> None:
        """An attempt has a score."""
        opened = self._origins.windows.get(event.event_window_id)
        if opened is not None and event.score is not None:
            best = opened.best
            best[event.external_player_id] = max(best.get(event.external_player_id, 0), event.score)

    def completed(self, event: EventCompleted) -> None:
        """An attempt was completed."""
        self.progress(event)
        opened = self._origins.windows.get(event.event_window_id)
        if opened is not None:
            opened.window.completed += 1

    def expired(self, event: EventExpired) -> None:
        """An attempt's time was over."""
        self.progress(event)
        opened = self._origins.windows.get(event.event_window_id)
        if opened is not None:
            opened.window.expired += 1

    def board_finalized(self, event: LeaderboardFinalized) -> None:
        """A leaderboard of a window is final."""
        opened = self._origins.windows.get(event.event_window_id)
        if opened is not None:
            opened.window.ranked += event.entry_count
            self._origins.board(event.leaderboard_id, opened)

    def window_closed(self, event: WindowClosed) -> None:
        """A window has closed; what it settles afterwards still belongs to it."""
        opened = self._origins.windows.get(event.event_window_id)
        if opened is not None:
            opened.ended_on = opened.window.ends_on = self._people.day
            _sum_up(opened)

    def end_day(self) -> None:
        """Forget the windows that are over."""
        for opened in self._origins.forget(self._people.day):
            _sum_up(opened)

    # -- lobbies and teams

    def lobby_created(self, event: LobbyCreated) -> None:
        """A lobby waits for players."""
        self._lobbies[event.lobby_id] = event.event_key
        self._seen.lobbies.setdefault(event.event_key, Lobbies()).created += 1
        self._origins.board(event.leaderboard_id, self._origins.windows.get(event.event_window_id))

    def lobby_joined(self, event: LobbyPlayerJoined) -> None:
        """A player has a seat."""
        self._joined.setdefault(event.lobby_id, []).append(event.joined_at)

    def lobby_started(self, event: LobbyStarted) -> None:
        """The players of a lobby play."""
        lobbies = self._seen.lobbies.setdefault(self._lobbies.pop(event.lobby_id, ""), Lobbies())
        lobbies.started += 1
        lobbies.seats += event.capacity
        lobbies.bots += event.bot_count
        for joined_at in self._joined.pop(event.lobby_id, ()):
            lobbies.waits[(event.started_at - joined_at) // SECOND] += 1

    def lobby_closed(self, event: LobbyClosed) -> None:
        """A lobby is over; one that was never started still waited."""
        self._lobbies.pop(event.lobby_id, None)
        self._joined.pop(event.lobby_id, None)

    def team_formed(self, event: TeamFormed) -> None:
        """A team was formed."""
        self._origins.team(event.event_team_id, event.event_key, event.event_window_id)
        self._seen.teams[event.event_key, "formed"] += 1

    def team_joined(self, event: TeamMemberJoined) -> None:
        """A player joined a team."""
        self._origins.team(event.event_team_id, event.event_key, event.event_window_id)
        self._seen.teams[event.event_key, "joined"] += 1

    def team_left(self, event: TeamMemberLeft) -> None:
        """A player left a team."""
        self._seen.teams[event.event_key, "left"] += 1

    def team_completed(self, event: TeamGoalCompleted) -> None:
        """A team has reached its goal."""
        self._seen.teams[event.event_key, "completed"] += 1

    # -- guilds

    def guild_created(self, event: GuildCreated) -> None:
        """A guild was founded."""
        self._guilds.setdefault(event.guild_id, 1)
        self._seen.guilds_founded[self._people.day] += 1

    def guild_joined(self, event: GuildMemberJoined) -> None:
        """A guild has one more member."""
        self._guilds[event.guild_id] = event.member_count

    def guild_left(self, event: GuildMemberLeft) -> None:
        """A guild has one member less."""
        self._guilds[event.guild_id] = event.member_count

    def guild_ended(self, event: GuildDisbanded) -> None:
        """A guild is no more."""
        self._guilds.pop(event.guild_id, None)
        self._seen.guilds_ended[self._people.day] += 1

    def role_changed(self, event: GuildRoleChanged) -> None:
        """A member has another role."""
        self._seen.guild_successions += event.reason.startswith(_SUCCESSION) and event.to == "leader"

    def help_requested(self, _: GuildHelpRequested) -> None:
        """A member has asked for something."""
        self._seen.guild_help["requested"] += 1

    def help_donated(self, event: GuildHelpDonated) -> None:
        """A member has given something."""
        self._seen.guild_help["donated"] += 1
        self._seen.guild_help["filled"] += event.filled

    def end(self) -> None:
        """Add up what is still open."""
        for opened in self._origins.windows.values():
            _sum_up(opened)
        self._seen.guild_sizes = sorted(size for size in self._guilds.values() if size > 0)


def _sum_up(opened: OpenWindow) -> None:
    window, scores = opened.window, sorted(opened.best.values())
    window.active_players, window.players = len(opened.active), len(scores)
    window.most_attempts = max(opened.attempts_of.values(), default=0)
    window.scores = quantiles(scores)


def quantiles(ascending: Sequence[int]) -> list[int]:
    """The quantiles in steps of five per cent, each the nearest value that occurs."""
    last = len(ascending) - 1
    return (
        [ascending[(last * step + _QUANTILES // 2) // _QUANTILES] for step in range(_QUANTILES + 1)]
        if ascending
        else []
    )
