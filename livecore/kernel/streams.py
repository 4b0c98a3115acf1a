"""Streams: an answer that goes on, as messages that follow from notices.

A handler of a stream runs like that of any read, and returns a `Stream`: the topics whose notices it follows, the messages
that say how things stand, and a function from a notice to further messages. It returns plain data, so no transaction is open
while the stream is.

Whoever serves it first learns the topics, subscribes to them, and then asks the handler again: so no notice is lost between
what was read and what is heard. One of a change that had been read already may come a second time; the function tells by a
version or a revision. A `Follower` holds what waits for one reader, and never more than the stream allows:

    notice -> following(notice) -> messages wait -> taken by whoever sends them

Where notices may have been missed, the handler is asked once more, with the last message that was taken as the one that the
reader has had, and what it answers is sent after the rest.

A message that says the same of the same thing as one that still waits takes its place; one that may be dropped is, where
there is no room. For any other message without room the reader is too slow, and its stream ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import attrs

from livecore.kernel.errors import JsonObject
from livecore.kernel.notices import Notice, Notices
from livecore.kernel.scope import Scope
from livecore.kernel.values import keyword_value

__all__ = ["EndReason", "Follower", "Message", "Stream"]

EndReason: TypeAlias = Literal["key_revoked", "server_draining"]
"""Why a stream ends from without; what else ends it is a message of its own."""
_MOST_EARLY: Final = 10_000
"""How many notices are kept while the first messages are being read."""


@keyword_value
class Message:
    """One message of a stream."""

    event: str
    """Its name, one of those that the operation lists."""
    data: Any
    """A shape."""
    id: str | None = None
    """What a reader that comes back shows as the last that it has had."""
    replaces: str | None = None
    """A name for what it is about: a message of the same name that still waits is void."""
    droppable: bool = False
    """Whether it may be left out where there is no room."""
    last: bool = False
    """Whether the stream ends with it."""


@attrs.frozen(kw_only=True)
class Stream:
    """What a handler of a stream answers."""

    topics: tuple[str, ...]
    first: tuple[Message, ...]
    """How things stand, for this reader."""
    following: Callable[[JsonObject], Iterable[Message]]
    """The messages that follow from the payload of a notice, most often one or none; it changes nothing in it."""
    closing: Callable[[EndReason], Message | None] = lambda _: None
    """The message that ends the stream from without."""
    most_waiting: int = 256
    """How many messages may wait for a reader that is slow, besides the first."""


class Follower:
    """What waits for one reader of a stream, from the moment on when the notices are subscribed to.

    `woken` is called when there is something to take. `relieved` is called when a message finds no room: it may take what
    waits, and nothing else is done for who is too slow.
    """

    def __init__(
        self, *, woken: Callable[[], None] = lambda: None, relieved: Callable[[], None] = lambda: None
    ) -> None:
        self.too_slow = False
        """Whether a message found no room: the stream has to end, for its reader would miss something."""
        self.ended = False
        """Whether the last message has come; what waits is still to be taken."""
        self.missed = False
        """Whether notices may have been lost: it is to be read anew how things stand, from `restart` to `begin`."""
        self.last_id: str | None = None
        """The id of the last message that was taken and had one."""
        self._woken = woken
        self._relieved = relieved
        self._stream: Stream | None = None
        self._cancels: list[Callable[[], None]] = []
        self._early: list[Notice] = []
        self._waiting: dict[str | int, Message] = {}
        self._number = 0
        self._most = 0

    def hear(self, notice: Notice) -> None:
        """Take a notice."""
        if self.ended or self.too_slow:
            return
        if self._stream is None:
            self._early.append(notice)
            self.too_slow = len(self._early) > _MOST_EARLY
            return
        for message in self._stream.following(_payload(notice.payload)):
            self._put(message)
        if self._waiting or self.too_slow:
            self._woken()

    def miss(self) -> None:
        """Note that notices may have been lost."""
        self.missed = True
        self._woken()

    def begin(self, stream: Stream) -> None:
        """Let the first messages wait, and after them what has been heard so far."""
        self._stream = stream
        self._most = len(self._waiting) + stream.most_waiting + len(stream.first)
        for message in stream.first:
            self._put(message)
        early, self._early = self._early, []
        for notice in early:
            self.hear(notice)
        self._woken()

    def restart(self) -> None:
        """Forget what was heard: the handler is about to be asked anew."""
        self._stream = None
        self.missed = False
        self._early.clear()

    def subscribe(self, notices: Notices, scope: Scope, topics: Iterable[str]) -> None:
        """Hear these topics and no others; the handler is about to be asked anew."""
        self.close()
        self.restart()
        self._cancels = [notices.subscribe(scope, topic, self.hear, missed=self.miss) for topic in topics]

    def close(self) -> None:
        """Hear no more; harmless to repeat."""
        cancels, self._cancels = self._cancels, []
        for cancel in cancels:
            cancel()

    def end(self, reason: EndReason) -> None:
        """End it from without, with the message that the stream has for that; at once where it has not begun."""
        if self.ended:
            return
        message = None if self._stream is None else self._stream.closing(reason)
        if message is not None:
            self._waiting[self._name(message)] = message
        self.ended = True
        self._woken()

    def take(self) -> list[Message]:
        """Everything that waits, oldest first."""
        waiting, self._waiting = list(self._waiting.values()), {}
        if self._stream is not None:
            self._most = self._stream.most_waiting
        self.last_id = next((message.id for message in reversed(waiting) if message.id is not None), self.last_id)
        return waiting

    def _put(self, message: Message) -> None:
        if self.ended or self.too_slow:
            return
        name = self._name(message)
        # The place of the newer one: what comes after the older one may already say so.
        self._waiting.pop(name, None)
        if len(self._waiting) >= self._most and not message.droppable:
            self._relieved()
        if len(self._waiting) < self._most or message.last:
            self._waiting[name] = message
        elif not message.droppable:
            self.too_slow = True
        self.ended = self.ended or message.last

    def _name(self, message: Message) -> str | int:
        self._number += 1
        return self._number if message.replaces is None else message.replaces


@lru_cache(maxsize=64)
def _payload(text: str) -> JsonObject:
    """A notice's payload, read once for all who hear it."""
    payload: JsonObject = json.loads(text)
    return payload
