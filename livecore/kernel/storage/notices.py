"""Notices: messages that a unit of work publishes after its commit to the current subscribers.

A notice has a topic and a small payload. It is not stored: it is delivered at most once, to the current subscribers in all
processes that serve the same database. A refused unit publishes nothing, and neither does an attempt of a transaction that
is retried. Notices of one process and one topic arrive in the order of their commits. Streams and caches are updated by
notices; data that must not be lost may not depend on them.

    unit.notify("board:brd_1", {"playerId": "plr_1", "score": 10})

    cancel = notices.subscribe(scope, "board:brd_1", inbox.put, missed=inbox.miss)

A subscriber that may have missed a notice gets a call of `missed`, and then reads the data from the store again. That
happens after a lost connection between processes, or when too many notices wait. A subscriber must subscribe first and read
the committed data after that; so it loses no change.

A subscriber `at_once` is called before the caller of the unit has its answer, and before all other subscribers. It must be
quick. It is for data that the next request of the same process must already see.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.values import value
from livecore.kernel.wire.checks import compact

MOST_TOPIC_BYTES: Final = 200
MOST_PAYLOAD_BYTES: Final = 2_000
"""The longest payload as compact JSON. A notice says what has changed; large data is read from the store."""
MOST_OF_A_UNIT: Final = 100
"""How many notices one unit of work may publish."""


@value
class Notice:
    """A message about something that has happened in a scope."""

    scope: Scope
    topic: str
    payload: str
    """A JSON object as compact text."""


_Subscriber: TypeAlias = "Callable[[Notice], None]"
"""Called in the publishing thread. It must only take note of the notice, and must not raise."""
_Relay: TypeAlias = "Callable[[Sequence[Notice]], None]"
"""Sends notices to other processes; it must not block or raise."""


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
    subscriber: _Subscriber
    missed: Callable[[], None]


_Subscriptions: TypeAlias = "dict[tuple[Scope, str], list[_Subscription]]"


class Notices:
    """The subscribers of one process. The store publishes notices here after it has committed them.

    A subscriber that raises is cancelled, and `failed` gets the exception. The commit stands, and the other subscribers are
    called.
    """

    def __init__(self, failed: Callable[[Exception], None] = lambda _: None) -> None:
        self.relay: _Relay | None = None
        """Where other processes serve the same database: what sends notices to them."""
        self.failed = failed
        self._at_once: _Subscriptions = {}
        self._subscriptions: _Subscriptions = {}
        self._coming: deque[Notice] = deque()
        self._delivering = False

    def subscribe(
        self,
        scope: Scope,
        topic: str,
        subscriber: _Subscriber,
        *,
        missed: Callable[[], None] = lambda: None,
        at_once: bool = False,
    ) -> Callable[[], None]:
        """Call `subscriber` with every notice of this topic from now on; returns a function that cancels the subscription.

        `missed` is called when notices may have been lost.
        """
        subscription, topic_in_scope = _Subscription(subscriber, missed), (scope, topic)
        subscriptions = self._at_once if at_once else self._subscriptions
        subscriptions.setdefault(topic_in_scope, []).append(subscription)
        return lambda: _cancel(subscriptions, topic_in_scope, subscription)

    def is_followed(self, scope: Scope, topic: str) -> bool:
        """Whether anyone but the subscribers at once follows a topic."""
        return (scope, topic) in self._subscriptions

    @property
    def passes_on(self) -> bool:
        """Whether there is anybody to pass notices on to: subscribers but for those at once, or other processes."""
        return bool(self._subscriptions) or self.relay is not None

    def publish(self, notices: Sequence[Notice]) -> None:
        """Publish notices that this process has committed, in this process and to the others."""
        if notices:
            self.take_note(notices)
            self.pass_on(notices)

    def take_note(self, notices: Sequence[Notice]) -> None:
        """The first half of `publish`: call the subscribers at once."""
        for notice in notices:
            self._call_all(self._at_once, notice)

    def pass_on(self, notices: Sequence[Notice]) -> None:
        """The second half of `publish`: call the other subscribers, and send the notices to other processes."""
        self._deliver(notices)
        if self.relay is not None:
            self.relay(notices)

    def deliver(self, notices: Sequence[Notice]) -> None:
        """Call the subscribers of this process. Notices that a subscriber publishes itself are delivered after these."""
        self.take_note(notices)
        self._deliver(notices)

    def _deliver(self, notices: Sequence[Notice]) -> None:
        self._coming.extend(notices)
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._coming:
                self._call_all(self._subscriptions, self._coming.popleft())
        finally:
            self._delivering = False

    def miss(self) -> None:
        """Call `missed` of every subscriber: notices of other processes may have been lost."""
        for subscriptions in (self._at_once, self._subscriptions):
            for scope, topic in tuple(subscriptions):
                self._miss(subscriptions, scope, topic)

    def miss_topic(self, scope: Scope, topic: str) -> None:
        """Call `missed` of the subscribers to one topic, but for those at once."""
        self._miss(self._subscriptions, scope, topic)

    def _miss(self, subscriptions: _Subscriptions, scope: Scope, topic: str) -> None:
        for subscription in tuple(subscriptions.get((scope, topic), ())):
            self._call(subscriptions, (scope, topic), subscription, None)

    def _call_all(self, subscriptions: _Subscriptions, notice: Notice) -> None:
        topic_in_scope = (notice.scope, notice.topic)
        for subscription in tuple(subscriptions.get(topic_in_scope, ())):
            self._call(subscriptions, topic_in_scope, subscription, notice)

    def _call(
        self,
        subscriptions: _Subscriptions,
        topic_in_scope: tuple[Scope, str],
        subscription: _Subscription,
        notice: Notice | None,
    ) -> None:
        try:
            if notice is None:
                subscription.missed()
            else:
                subscription.subscriber(notice)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the subscriber's
            _cancel(subscriptions, topic_in_scope, subscription)
            self.failed(error)


def _cancel(subscriptions: _Subscriptions, topic_in_scope: tuple[Scope, str], subscription: _Subscription) -> None:
    left = [other for other in subscriptions.get(topic_in_scope, ()) if other is not subscription]
    if left:
        subscriptions[topic_in_scope] = left
    else:
        subscriptions.pop(topic_in_scope, None)


class Inbox:
    """A bounded queue of notices for one reader. When more than `most` would wait, all are dropped and count as missed."""

    def __init__(self, *, most: int, wake: Callable[[], None] = lambda: None) -> None:
        self._most = most
        self._wake = wake
        self._waiting: list[Notice] = []
        self._missed = False

    def put(self, notice: Notice) -> None:
        """Add a notice. If too many wait already, all of them are dropped and count as missed."""
        if self._missed:
            return
        if len(self._waiting) == self._most:
            self.miss()
            return
        self._waiting.append(notice)
        self._wake()

    def miss(self) -> None:
        """Note that notices may have been lost; those that wait are dropped."""
        self._waiting, self._missed = [], True
        self._wake()

    def take(self) -> list[Notice] | None:
        """The notices since the last call, in their order, or `None` where some were missed: then read all data again."""
        waiting, missed = self._waiting, self._missed
        self._waiting, self._missed = [], False
        return None if missed else waiting
