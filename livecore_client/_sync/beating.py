# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Presence with heartbeats in the background, while a block of code runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from livecore.errors.families import LivecoreError
from livecore.kernel.wire.shapes import ABSENT, Absent
from livecore.players.rows import Heartbeat, Presence
from livecore.surfaces.checking import checked
from livecore.surfaces.namespaces.presence import SdkPresence
from livecore_client._retry import NO_RETRIES
from livecore_client._sync.caller import Caller
from livecore_client._sync.heartbeats import Heartbeats

__all__ = ["BeatingPresence"]

_GRACE_SECONDS: Final = 0.5
"""What leaving waits beyond the time-out, so that a beat that ends with it has ended."""


class BeatingPresence(SdkPresence):
    """The player's presence: online or offline, and the status label."""

    _caller: Caller

    def beating(
        self,
        *,
        status: str | None | Absent = ABSENT,
        interval_seconds: float = 30.0,
        on_error: Callable[[LivecoreError], None] | None = None,
    ) -> Heartbeats:
        """Send heartbeats in the background, from entering the returned context to leaving it.

            with client.presence.beating(status="In the lobby") as heartbeat:
                ...
                heartbeat.set_status("In a match")

        A lost connection, a rate limit or a fault of the server costs one beat only. Any other refusal, such as a wrong
        secret, ends the heartbeats: repeating it would only lock the player out. `on_error` is called in both cases. Leaving
        takes about one time-out of the client at most, also where the server does not answer.
        """
        return Heartbeats(
            self._beat,
            status=status,
            interval_seconds=interval_seconds,
            most_stopping_seconds=self._caller.settings.timeout_seconds + _GRACE_SECONDS,
            on_error=on_error,
        )

    def _beat(self, status: str | None | Absent) -> Presence:
        """One beat without retries, and with one time-out for the whole of it: the next beat is the retry."""
        path = "/sdk/v1/players/{externalId}/presence"
        caller = self._caller.with_options(deadline_seconds=self._caller.settings.timeout_seconds, retries=NO_RETRIES)
        return caller.send_arguments(
            "POST",
            path,
            checked(Heartbeat(status=status), path),
            Presence,
            player=self._caller.external_player_id,
            needs_secret=True,
        )
