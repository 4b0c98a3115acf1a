"""Streams: answers that continue with further messages, which follow from notices.

A handler of a stream runs like that of any read, and returns a `Stream`: the topics that it follows, the messages with the
current state, and a function from a notice to further messages. It returns plain data, so no transaction is open while the
stream is open.

The host first gets the topics, subscribes to them, and then calls the handler again: so no notice is lost between reading
and subscribing. A notice about a change that was already read may still arrive; the function recognises it by a version or
a revision. A `Follower` holds the messages that wait for one reader, at most as many as the stream allows:

    notice -> following(notice) -> messages wait -> the sender takes them

If notices may have been missed, the handler is called again, with the id of the last message that was taken. Its messages
are sent after the waiting ones.

A message replaces a waiting message of the same name. Without room, a droppable message is dropped; for any other message
the reader is too slow, and its stream ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import attrs

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice, Notices
from livecore.kernel.values import keyword_value

EndReason: TypeAlias = Literal["key_revoked", "server_draining"]
"""Why the host ends a stream; any other end is a message of the handler."""
_MOST_EARLY: Final = 10_000
"""How many notices are kept while the first messages are being read."""


@keyword_value
class Message:
    """One message of a stream."""

    event: str
    """Its name, one of those of the operation."""
    data: Any
    """A shape."""
    id: str | None = None
    """The id that a reader sends as the last one received when it reconnects."""
    replaces: str | None = None
    """A name of the subject: it replaces a waiting message with the same name."""
    droppable: bool = False
    """Whether it may be dropped if there is no room."""
    last: bool = False
    """Whether the stream ends with it."""


@attrs.frozen(kw_only=True)
class Stream:
    """The result of a stream's handler."""

    topics: tuple[str, ...]
    first: tuple[Message, ...]
    """The current state, for this reader."""
    following: Callable[[JsonObject], Iterable[Message]]
    """The messages that follow from the payload of a notice, usually one or none. It must not change the payload."""
    closing: Callable[[EndReason], Message | None] = lambda _: None
    """The last message when the host ends the stream."""
    most_waiting: int = 256
    """How many messages may wait for a slow reader, besides the first ones."""
    loading: bool = False
    """Whether the process is still loading what the stream shows: then the handler is called again in a moment."""


class Follower:
    """The messages that wait for one reader of a stream, from the subscription on.

    `woken` is called when there are messages to take. `relieved` is called when a message finds no room: it may take the
    waiting messages; otherwise the reader is too slow.
    """

    def __init__(
        self, *, woken: Callable[[], None] = lambda: None, relieved: Callable[[], None] = lambda: None
    ) -> None:
        self.too_slow = False
        """Whether a message found no room: then the stream must end, because its reader would miss it."""
        self.ended = False
        """Whether the last message has come; waiting messages can still be taken."""
        self.missed = False
        """Whether notices may have been lost: then the current state must be read again, with `restart` and `begin`."""
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

    def receive(self, notice: Notice) -> None:
        """Take a notice; none while notices may have been lost, because it follows a state that will be read again."""
        if self.ended or self.too_slow or self.missed:
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
        """Queue the first messages, and then those of the notices received so far."""
        self._stream = stream
        self._most = len(self._waiting) + stream.most_waiting + len(stream.first)
        for message in stream.first:
            self._put(message)
        early, self._early = self._early, []
        for notice in early:
            self.receive(notice)
        self._woken()

    def restart(self) -> None:
        """Drop the received notices, because the handler will be called again."""
        self._stream = None
        self.missed = False
        self._early.clear()

    def subscribe(self, notices: Notices, scope: Scope, topics: Iterable[str]) -> None:
        """Subscribe to exactly these topics; the handler will be called again."""
        self.close()
        self.restart()
        self._cancels = [notices.subscribe(scope, topic, self.receive, missed=self.miss) for topic in topics]

    def close(self) -> None:
        """End the subscriptions; can be repeated safely."""
        cancels, self._cancels = self._cancels, []
        for cancel in cancels:
            cancel()

    def end(self, reason: EndReason) -> None:
        """End the stream for a reason of the host, with the stream's message for it; without one if it has not begun."""
        if self.ended:
            return
        message = None if self._stream is None else self._stream.closing(reason)
        if message is not None:
            self._waiting[self._name(message)] = message
        self.ended = True
        self._woken()

    def take(self) -> list[Message]:
        """Take all waiting messages, oldest first."""
        waiting, self._waiting = list(self._waiting.values()), {}
        if self._stream is not None:
            self._most = self._stream.most_waiting
        self.last_id = next((message.id for message in reversed(waiting) if message.id is not None), self.last_id)
        return waiting

    def _put(self, message: Message) -> None:
        if self.ended or self.too_slow:
            return
        name = self._name(message)
        # The new message gets the last place, because the waiting messages after the old one may already be newer.
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
    """A notice's payload, parsed once for all subscribers."""
    payload: JsonObject = json.loads(text)
    return payload
