"""A stream in a world. Reading never waits: it returns the messages since the last read.

board = anna.follow("leaderboards.stream", event_leaderboard_id=…)
[ready] = board.read()
bert.call("events.progress", …)
[update] = board.read()
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import attrs

from livecore.api.application import Application
from livecore.api.requests.answering import refuse
from livecore.api.requests.http import Request, Response
from livecore.api.requests.prepared import Prepared
from livecore.kernel.errors import JsonObject, Overloaded, Refusal
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.notices import Notices
from livecore.kernel.units.streams import Follower, Message, Stream
from livecore.kernel.wire import encode

_TRIES: Final = 4


@attrs.frozen
class Received:
    """One message of a stream: its name, its data as on the wire, its id if it has one, and its data as the row."""

    event: str
    data: JsonObject
    id: str | None = None
    row: object = attrs.field(default=None, eq=False, repr=False)


class StreamRefused(Exception):
    """A stream that was not opened; `response` says why."""

    def __init__(self, response: Response) -> None:
        super().__init__(f"the stream was refused with {response.status}")
        self.response = response


class WorldStream:
    """An open stream. Raises `StreamRefused` where it cannot be opened."""

    def __init__(self, application: Application, request: Request, notices: Notices) -> None:
        self._application = application
        self._notices = notices
        self._follower = Follower()
        self._prepared = application.store.read(DIRECTORY, partial(application.prepare, request))
        if self._prepared.refused is not None:
            raise StreamRefused(self._prepared.refused)
        try:
            self._begin(self._prepared)
        except Refusal as refusal:
            self.close()
            raise StreamRefused(refuse(self._prepared, refusal)) from None

    def read(self) -> list[Received]:
        """The messages since the last read, oldest first.

        A stream ends when its key no longer works, and when its reader has not read for too long.
        """
        if not self._follower.ended:
            self._recheck()
        if self._follower.missed:
            self._prepared.last_event_id = self._follower.last_id
            self._begin(self._prepared)
        waiting = [] if self._follower.too_slow else self._follower.take()
        if not self.is_open:
            self.close()
        return [_received(message) for message in waiting]

    def __iter__(self) -> Iterator[Received]:
        """The messages since the last read; see `read`."""
        return iter(self.read())

    @property
    def is_open(self) -> bool:
        """Whether further messages may come."""
        return not (self._follower.ended or self._follower.too_slow)

    def close(self) -> None:
        """End the stream."""
        self._follower.close()

    def _begin(self, prepared: Prepared) -> None:
        self._application.read(prepared)
        stream = self._ask()
        for _ in range(_TRIES):
            self._follower.subscribe(self._notices, prepared.scope, stream.topics)
            topics, stream = stream.topics, self._ask()
            if stream.topics == topics:
                self._follower.begin(stream)
                return
        raise Overloaded

    def _ask(self) -> Stream:
        prepared, application = self._prepared, self._application
        stream = application.store.read(prepared.scope, partial(application.run, prepared)).stream
        if stream is None:
            raise TypeError("this operation answers at once: call it")
        if stream.loading:
            raise Overloaded
        return stream

    def _recheck(self) -> None:
        application = self._application
        try:
            game = application.store.read(DIRECTORY, partial(application.recheck, self._prepared))
        except Refusal:
            self._follower.end("key_revoked")
        else:
            if self._prepared.renew(game):
                self._follower.miss()


def _received(message: Message) -> Received:
    data = encode(message.data)
    assert isinstance(data, dict)  # noqa: S101 - a message's data is a shape
    return Received(message.event, data, message.id, message.data)
