"""Why a grant was made, in the words of the configuration: which event, milestone, rank, crate or label of the backend.

Grants name their source by an id (an attempt, a leaderboard, a team, a crate). The ids of what is under way are remembered,
and forgotten two days after their window has closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import attrs

from livecore.economy.rows import RewardEntry
from livecore.economy.webhook_events import GrantCreated
from livecore.leaderboards.boards import BOARDS
from livecore.simulation.observed import Cause, Day, Resource, Window
from livecore.world.game import World

_KEPT_DAYS: Final = 2
_LABELLED: Final = ("backend:", "purchase:")
_OF_ATTEMPT: Final = {"event_milestone": "milestone", "event_completion": "completion"}
_OF_TEAM: Final = {
    "event_team_milestone": "team_milestone",
    "event_team_goal": "team_goal",
    "event_team_rank": "team_rank",
}


@attrs.define
class PendingGrant:
    """A grant that nobody has claimed."""

    cause: Cause
    entries: Sequence[RewardEntry]
    crate_key: str | None
    """The crate that it is, if it is one."""


@attrs.define
class OpenWindow:
    """A window, with what happens in it while it is open."""

    window: Window
    ended_on: Day | None = None
    active: set[str] = attrs.field(factory=set)
    best: dict[str, int] = attrs.field(factory=dict)
    """The best score of each player who started."""
    attempts_of: Counter[str] = attrs.field(factory=Counter)
    """How often each player has begun an attempt."""
    reached: set[tuple[str, str]] = attrs.field(factory=set)
    """The players by the milestones that they have reached."""
    attempts: list[str] = attrs.field(factory=list)
    boards: set[str] = attrs.field(factory=set)
    teams: set[str] = attrs.field(factory=set)


def resource_of(entry: RewardEntry) -> Resource:
    """The resource of an entry; a crate is `crate:<key>`."""
    return f"{entry.type}:{entry.resource_key}"


class Origins:
    """Finds the cause of what is granted."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.windows: dict[str, OpenWindow] = {}
        """By id: the windows that are open, or closed not long ago."""
        self.grants: dict[str, PendingGrant] = {}
        """By id: the grants that wait to be claimed."""
        self.closed: tuple[str, PendingGrant] | None = None
        """The last grant that was claimed, with its id."""
        self._window_of: dict[str, OpenWindow] = {}
        self._team_event: dict[str, str] = {}

    def attempt(self, attempt_id: str, window_id: str, board_id: str | None) -> OpenWindow | None:
        """An attempt has begun in a window."""
        opened = self.windows.get(window_id)
        if opened is not None:
            self._window_of[attempt_id] = opened
            opened.attempts.append(attempt_id)
            self.board(board_id, opened)
        return opened

    def board(self, board_id: str | None, opened: OpenWindow | None) -> None:
        """A leaderboard belongs to a window."""
        if board_id is not None and opened is not None:
            self._window_of[board_id] = opened
            opened.boards.add(board_id)

    def team(self, team_id: str, event_key: str, window_id: str) -> None:
        """A team was formed in a window of an event."""
        opened = self.windows.get(window_id)
        if opened is not None:
            self._team_event[team_id] = event_key
            opened.teams.add(team_id)

    def event_of_team(self, team_id: str) -> str:
        """The event that a team plays; empty for one of long ago."""
        return self._team_event.get(team_id, "")

    def window_of(self, source: str | None) -> OpenWindow | None:
        """The window of an attempt or a leaderboard."""
        return None if source is None else self._window_of.get(source)

    def forget(self, today: Day) -> list[OpenWindow]:
        """Forget the windows that closed some days ago; gives them."""
        over = [
            (window_id, opened)
            for window_id, opened in self.windows.items()
            if opened.ended_on is not None and opened.ended_on + _KEPT_DAYS <= today
        ]
        for window_id, opened in over:
            del self.windows[window_id]
            for source in (*opened.attempts, *opened.boards):
                self._window_of.pop(source, None)
            for team_id in opened.teams:
                self._team_event.pop(team_id, None)
        return [opened for _, opened in over]

    def granted(self, grant: GrantCreated) -> PendingGrant:
        """Remember a new grant with its cause."""
        made = PendingGrant(self._cause(grant), grant.entries, self._crate_key(grant))
        self.grants[grant.grant_id] = made
        return made

    def _crate_key(self, grant: GrantCreated) -> str | None:
        if grant.kind_ != "crate" or not grant.entries:
            return None
        return grant.entries[0].resource_key

    def _cause(self, grant: GrantCreated) -> Cause:
        source, ref = grant.source_kind, grant.source_ref_id
        if source in {"api", "admin"}:
            return ref if ref and ref.startswith(_LABELLED) else f"backend:{ref or 'grant'}"
        if source == "crate" and self.closed is not None and self.closed[0] == ref:
            return f"crate:{self.closed[1].crate_key}"
        if source in _OF_TEAM:
            return f"{_OF_TEAM[source]}:{self.event_of_team(ref or '')}"
        if source in _OF_ATTEMPT or source == "event_rank":
            opened = self.window_of(ref)
            return f"{_OF_ATTEMPT.get(source, 'rank')}:{'' if opened is None else opened.window.event}"
        if source == "leaderboard_rank":
            return f"rank:{'/'.join(filter(None, self.board_of(ref or '')))}"
        return source

    def board_of(self, board_id: str) -> tuple[str, str]:
        """The key of a shared leaderboard, and the division that one of its leaderboards is for; empty without one."""
        world = self._world
        board = world.store.read(world.scope, lambda tx: tx.get(BOARDS, board_id))
        return ("", "") if board is None else (board.key, board.division or "")
