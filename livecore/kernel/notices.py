"""Notices: what a unit of work publishes, after its commit, to whoever is listening at that moment.

A notice has a topic and a small payload. It leaves no row: it comes at most once, to the subscribers that there are, in any
process that serves the same database. A unit that is refused, or whose transaction is retried, publishes nothing of what it
wanted to say in vain. Notices of one process and one topic come in the order of their commits. Streams and what is kept in
memory beside the store are fed by them; nothing that must not be lost may rest on them.

    unit.notify("board:brd_1", {"playerId": "plr_1", "score": 10})

    cancel = notices.subscribe(scope, "board:brd_1", inbox.put, missed=inbox.miss)

Whoever may have missed one is called back with `missed`, and reads again from the store what the notices were about: after a
connection between processes was lost, or where more came than was taken. A subscriber reads first and counts on notices
then: it subscribes, and reads what is committed after that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from livecore.kernel.checks import compact
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.values import value

__all__ = [
    "MOST_OF_A_UNIT",
    "MOST_PAYLOAD_BYTES",
    "MOST_TOPIC_BYTES",
    "Inbox",
    "Notice",
    "Notices",
    "Relay",
    "Subscriber",
    "notice_of",
]

MOST_TOPIC_BYTES: Final = 200
MOST_PAYLOAD_BYTES: Final = 2_000
"""The longest payload as compact JSON. A notice says what has changed; what is large is read from the store."""
MOST_OF_A_UNIT: Final = 100
"""How many notices one unit of work may publish."""


@value
class Notice:
    """Something that has happened in a scope."""

    scope: Scope
    topic: str
    payload: str
    """A JSON object as compact text."""


Subscriber: TypeAlias = "Callable[[Notice], None]"
"""Called in the thread that publishes, so it only notes what has come, and raises nothing."""
Relay: TypeAlias = "Callable[[Sequence[Notice]], None]"
"""Takes notices on their way to other processes; it neither waits nor raises."""


def notice_of(scope: Scope, topic: str, payload: JsonObject) -> Notice:
    """A notice. Raises `ValueError` for a topic or a payload that is too long."""
    text = compact(payload)
    if len(topic.encode()) > MOST_TOPIC_BYTES:
        raise ValueError(f"a topic is longer than {MOST_TOPIC_BYTES} bytes")
    if len(text.encode()) > MOST_PAYLOAD_BYTES:
        raise ValueError(f"a payload is longer than {MOST_PAYLOAD_BYTES} bytes")
    return Notice(scope, topic, text)


@value
class _Subscription:
    subscriber: Subscriber
    missed: Callable[[], None]


class Notices:
    """The subscribers of one process. Notices are published here by the store that has committed them.

    A subscriber that raises is cancelled, and `failed` is told why: the commit has happened, and the others are served.
    """

    def __init__(self, failed: Callable[[Exception], None] = lambda _: None) -> None:
        self.relay: Relay | None = None
        """Where notices go besides, where other processes serve the same database."""
        self.failed = failed
        self._subscriptions: dict[tuple[Scope, str], list[_Subscription]] = {}
        self._coming: deque[Notice] = deque()
        self._delivering = False

    def subscribe(
        self, scope: Scope, topic: str, subscriber: Subscriber, *, missed: Callable[[], None] = lambda: None
    ) -> Callable[[], None]:
        """Call `subscriber` with every notice of this topic from now on; gives what ends that.

        `missed` is called when some may have been lost.
        """
        subscription, place = _Subscription(subscriber, missed), (scope, topic)
        self._subscriptions.setdefault(place, []).append(subscription)
        return lambda: self._cancel(place, subscription)

    def publish(self, notices: Sequence[Notice]) -> None:
        """Take notices that have been committed by this process, here and to the others."""
        self.deliver(notices)
        if self.relay is not None:
            self.relay(notices)

    def deliver(self, notices: Sequence[Notice]) -> None:
        """Call the subscribers of this process; what these publish in their turn comes after it."""
        self._coming.extend(notices)
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._coming:
                notice = self._coming.popleft()
                place = (notice.scope, notice.topic)
                for subscription in tuple(self._subscriptions.get(place, ())):
                    self._call(place, subscription, notice)
        finally:
            self._delivering = False

    def miss(self) -> None:
        """Notices of other processes may have been lost: say so to every subscriber."""
        for place, subscriptions in tuple(self._subscriptions.items()):
            for subscription in tuple(subscriptions):
                self._call(place, subscription, None)

    def _call(self, place: tuple[Scope, str], subscription: _Subscription, notice: Notice | None) -> None:
        try:
            if notice is None:
                subscription.missed()
            else:
                subscription.subscriber(notice)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the subscriber's
            self._cancel(place, subscription)
            self.failed(error)

    def _cancel(self, place: tuple[Scope, str], subscription: _Subscription) -> None:
        left = [other for other in self._subscriptions.get(place, ()) if other is not subscription]
        if left:
            self._subscriptions[place] = left
        else:
            self._subscriptions.pop(place, None)


class Inbox:
    """Notices for somebody who takes them in their own time: at most `most` wait, and more are as good as missed."""

    def __init__(self, *, most: int, wake: Callable[[], None] = lambda: None) -> None:
        self._most = most
        self._wake = wake
        self._waiting: list[Notice] = []
        self._missed = False

    def put(self, notice: Notice) -> None:
        """Keep a notice; where too many wait already, all of them are forgotten and counted as missed."""
        if self._missed:
            return
        if len(self._waiting) == self._most:
            self.miss()
            return
        self._waiting.append(notice)
        self._wake()

    def miss(self) -> None:
        """Some may have been lost: what waits is of no use any more."""
        self._waiting, self._missed = [], True
        self._wake()

    def take(self) -> list[Notice] | None:
        """What has come since the last time, in its order; `None`: something was missed, so read everything again."""
        waiting, missed = self._waiting, self._missed
        self._waiting, self._missed = [], False
        return None if missed else waiting
