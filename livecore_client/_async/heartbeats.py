"""Heartbeats in the background: they keep a player online while the game runs."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from livecore.errors.families import LivecoreError
from livecore.kernel.wire.shapes import Absent
from livecore.players.rows import Presence
from livecore_client._background import AsyncBackground
from livecore_client._beats import AsyncBeat, is_passing, next_beat_seconds
from livecore_client._failures import ConfigurationError

__all__ = ["AsyncHeartbeats"]


class AsyncHeartbeats:
    """Heartbeats in an asyncio task, from `start` to `stop` or during an `async with` block."""

    def __init__(
        self,
        beat: AsyncBeat,
        *,
        status: str | None | Absent,
        interval_seconds: float,
        most_stopping_seconds: float,
        on_error: Callable[[LivecoreError], None] | None,
    ) -> None:
        if not interval_seconds > 0:
            raise ConfigurationError("interval_seconds must be positive")
        self._beat = beat
        self._status = status
        self._interval_seconds = interval_seconds
        self._on_error = on_error
        self._background = AsyncBackground(
            self._step, name="livecore-heartbeats", most_stopping_seconds=most_stopping_seconds
        )
        self.presence: Presence | None = None
        """The answer to the last beat that was answered."""
        self.error: LivecoreError | None = None
        """The failure of the last beat, or `None` when it succeeded."""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Begin with a beat at once."""
        await self._background.start()

    async def stop(self) -> None:
        """End, without a further beat; the player goes offline when no beat has arrived for 90 seconds.

        A beat that is under way is waited for no longer than a time-out of the client.
        """
        await self._background.stop()

    def set_status(self, status: str | None) -> None:
        """Change the label, and send it at once; `None` clears it."""
        self._status = status
        self._background.wake()

    async def _step(self) -> float | None:
        """Send one beat; returns the seconds until the next, or `None` when further beats are useless.

        Each beat has the status, so the next beat restores it if the service has lost it in a restart.
        """
        try:
            self.presence = await self._beat(self._status)
        except LivecoreError as failure:
            self.error = failure
            if self._on_error is not None:
                self._on_error(failure)
            return next_beat_seconds(failure, self._interval_seconds) if is_passing(failure) else None
        self.error = None
        return self._interval_seconds
