# Generated from livecore_client/_async by .ci/unasync.py: edit there.
"""Leaderboards, with the live stream of an event's leaderboard, which is opened again by itself."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import closing
from typing import Final, TypeAlias

from livecore.errors.families import LivecoreError, UnreadableAnswer
from livecore.leaderboards.rows import BoardClosed, BoardReady, FollowBoard, ScoreUpdate
from livecore.surfaces.namespaces.leaderboards import SdkLeaderboards
from livecore_client._arguments import build_call, read_row
from livecore_client._events import EventReader, Message, Reopening
from livecore_client._failures import ConnectionFailed
from livecore_client._sync.caller import Caller

__all__ = ["BoardUpdate", "FollowingLeaderboards"]

BoardUpdate: TypeAlias = "BoardReady | ScoreUpdate | BoardClosed"
"""A message of a leaderboard's stream."""
_KINDS: Final[dict[str, type[BoardReady | ScoreUpdate | BoardClosed]]] = {
    "ready": BoardReady,
    "score_update": ScoreUpdate,
    "closed": BoardClosed,
}
_REOPENED: Final = frozenset({"key_revoked", "server_draining"})
"""After these reasons the stream is opened again; with a key that was revoked, that says so as an exception."""


class FollowingLeaderboards(SdkLeaderboards):
    """Who leads, in events and over weeks, months and all time, for the player that the client acts for."""

    _caller: Caller

    def stream(self, leaderboard_id: str, *, last_event_id: str | None = None) -> Generator[BoardUpdate, None]:
        """Follow an event's leaderboard: `BoardReady`, then a `ScoreUpdate` for each change, and at last `BoardClosed`.

            for update in client.leaderboards.stream(leaderboard_id):
                ...

        A connection that breaks, and a server that ends, are opened again with the last revision, so that nothing is
        missed; then `BoardReady` comes again. Closing the iteration closes the connection. With its `resync` the
        leaderboard must be read again. The iteration ends with a `BoardClosed` whose reason is `finalized` or
        `lobby_closed`. `last_event_id` is the revision of the last `ScoreUpdate` of an earlier stream, or, before the first
        one, of its `BoardReady`. That of a `BoardReady` after which updates were still to come would leave those out.

        Raises `LeaderboardNotFound`, `Unauthorized` also when the key is revoked while the stream is open, and like any
        call if the stream cannot be opened at all.
        """
        path = "/sdk/v1/event-leaderboards/{leaderboardId}/stream"
        call = build_call("GET", path, FollowBoard(leaderboard_id=leaderboard_id), needs_secret=False)
        caller = self._caller
        reader, reopening = EventReader(last_event_id), Reopening(caller.settings.bounded_retries)
        while True:
            reader.begin()
            failure: LivecoreError = ConnectionFailed("the stream has ended")
            try:
                with closing(caller.receive(call, last_event_id=reader.last_event_id)) as pieces:
                    for piece in pieces:
                        for message in reader.feed(piece):
                            update = _read(message)
                            if update is None:
                                continue
                            reopening.arrived()
                            yield update
                            if isinstance(update, BoardClosed) and update.reason not in _REOPENED:
                                return
            except LivecoreError as fault:
                failure = fault
            chance = caller.chance()
            pause = reopening.pause_seconds(failure, least_seconds=reader.retry_seconds, chance=chance)
            if pause is None:
                raise failure
            caller.pause(pause)


def _read(message: Message) -> BoardUpdate | None:
    """A message as its row; `None` for a name that this release does not know."""
    kind = _KINDS.get(message.event)
    if kind is None:
        return None
    try:
        data = json.loads(message.data)
    except ValueError:
        raise UnreadableAnswer(f"a message {message.event!r} is no JSON") from None
    return read_row(kind, data)
