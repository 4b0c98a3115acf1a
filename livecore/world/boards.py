"""Leaderboards of a world, with the live stream of an event's leaderboard."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias, cast

from livecore.leaderboards.rows import BoardClosed, BoardReady, ScoreUpdate
from livecore.surfaces.namespaces.leaderboards import SdkLeaderboards
from livecore.surfaces.resource import Sender
from livecore.world.stream import WorldStream

BoardUpdate: TypeAlias = BoardReady | ScoreUpdate | BoardClosed
"""A message of a leaderboard's stream."""


class BoardStream:
    """The messages of a leaderboard's stream so far. Reading never waits: an iteration ends where no more have come.

    updates = alice.leaderboards.stream(leaderboard_id)
    ready = next(updates)
    bob.events.progress(…)
    update = next(updates)
    """

    def __init__(self, stream: WorldStream) -> None:
        self._stream = stream
        self._waiting: deque[BoardUpdate] = deque()

    def __iter__(self) -> Iterator[BoardUpdate]:
        return self

    def __next__(self) -> BoardUpdate:
        if not self._waiting:
            self._waiting.extend(cast(BoardUpdate, received.row) for received in self._stream.read())
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()

    def close(self) -> None:
        """End the stream."""
        self._stream.close()


class WorldLeaderboards(SdkLeaderboards):
    """Who leads, in events and over weeks, months and all time, for the player that the client acts for."""

    def __init__(self, caller: Sender, follow: Callable[..., WorldStream]) -> None:
        super().__init__(caller)
        self._follow = follow

    def stream(self, leaderboard_id: str, *, last_event_id: str | None = None) -> BoardStream:
        """Follow an event's leaderboard: `BoardReady`, then a `ScoreUpdate` for each change, and at last `BoardClosed`.

        The iteration gives what has come, and can be continued later. Raises `LeaderboardNotFound`.
        """
        opened = self._follow("leaderboards.stream", leaderboard_id=leaderboard_id, last_event_id=last_event_id)
        return BoardStream(opened)
