"""The plan of a rehearsal: the deliveries of each step, in the order in which they are sent.

Deliveries of one group are sent at the same moment, groups one after the other. A step is a function from the planner to
its groups, and the table `_MAKERS` has all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle
from operator import attrgetter
from typing import Final, TypeAlias

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Millis
from livecore.kernel.wire import compact
from livecore.rehearsal.deliveries import WRONG_SIGNATURES, WRONG_TIMES, Delivery
from livecore.rehearsal.played import Play, RehearsedEvent
from livecore.rehearsal.scenario import Scenario, StepName
from livecore.webhooks.envelope import body_of
from livecore.webhooks.rotation import new_secret
from livecore.webhooks.signature import MAX_SIGNATURES

Group: TypeAlias = tuple[Delivery, ...]
"""Deliveries that are sent at the same moment."""
_LAST_ATTEMPT: Final = 7
"""The number of a delivery's last automatic attempt."""
_TIMES: Final[dict[str, int]] = {"concurrent_duplicates": 3}
"""How often a step is made by default, unless once."""
_MORE: Final[JsonObject] = {
    "rehearsalText": "Grüße, 世界 🎮",
    "rehearsalNumber": 9_007_199_254_740_991,
    "rehearsalNothing": None,
    "rehearsalList": [{"nested": [True, 0.5]}],
}
"""Members that no receiver knows."""


@attrs.frozen(kw_only=True)
class Plan:
    """All deliveries of a rehearsal."""

    groups: tuple[Group, ...]
    timeout_seconds: float

    @property
    def deliveries(self) -> int:
        """How many deliveries there are."""
        return sum(map(len, self.groups))


@attrs.define(eq=False)
class _Planner:
    """What the steps make deliveries from."""

    scenario: Scenario
    secrets: tuple[str, ...]
    origin: tuple[str, str]
    play: Play
    kinds: tuple[str, ...]
    other_secret: str
    step: StepName = "deliver"
    _turn: Iterator[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Kinds come in turn where a step is about one event."""
        self._turn = cycle(self.kinds)

    def one(self) -> RehearsedEvent:
        """A recent event of the kind whose turn it is."""
        return self.play.recent(next(self._turn))

    def each(self) -> list[RehearsedEvent]:
        """A recent event of each kind."""
        return [self.play.recent(kind) for kind in self.kinds]

    def body(self, event: RehearsedEvent, attempt: int = 1) -> bytes:
        """The body of one attempt, as the service writes it."""
        studio_id, game_id = self.origin
        return body_of(
            event_id=event.id,
            kind=event.kind,
            studio_id=studio_id,
            game_id=game_id,
            occurred_at=event.occurred_at,
            delivery_attempt=attempt,
            data=compact(event.data),
        )

    def delivery(
        self,
        event: RehearsedEvent,
        attempt: int = 1,
        *,
        body: bytes | None = None,
        secrets: Sequence[str] | None = None,
        forgery: str | None = None,
        sample: bool = False,
        hangs_up: bool = False,
    ) -> Delivery:
        """A delivery of the current step, by default a right one."""
        return Delivery(
            step=self.step,
            event=event,
            body=self.body(event, attempt) if body is None else body,
            secrets=self.secrets if secrets is None else tuple(secrets),
            forgery=forgery,
            sample=sample,
            hangs_up=hangs_up,
        )


def make_plan(
    scenario: Scenario,
    secrets: Sequence[str],
    *,
    seed: bytes,
    now: Millis,
    origin: tuple[str, str] | None = None,
    kinds: Sequence[str] | None = None,
) -> Plan:
    """The plan of a rehearsal that begins at `now`; equal arguments give equal plans.

    `secrets` sign every right delivery, the newest first. `origin` is the studio's and the game's id in the envelopes, by
    default that of the game in which the events were played. `kinds` are the kinds of events that the scenario sends where
    it names none. Every seed has events of its own, so that a receiver knows none of them from an earlier rehearsal.
    """
    entropy = Entropy(seed)
    times = [(step.step, step.times or _TIMES.get(step.step, 1)) for step in scenario.steps]
    late = sum(count for name, count in times if name == "late")
    play = Play(now=now, players=scenario.players, entropy=entropy, old_rounds=max(1, late))
    planner = _Planner(
        scenario=scenario,
        secrets=tuple(secrets),
        origin=origin or play.origin,
        play=play,
        kinds=scenario.events or tuple(kinds or play.kinds),
        other_secret=new_secret(entropy),
    )
    groups: list[Group] = []
    for name, count in times:
        planner.step = name
        for _ in range(count):
            groups += _MAKERS[name](planner)
    return Plan(groups=tuple(groups), timeout_seconds=scenario.timeout_seconds)


# -- right deliveries -----------------------------------------------------------------------------------------------------


def _deliver(plan: _Planner) -> Iterator[Group]:
    """Each kind once."""
    for event in plan.each():
        yield (plan.delivery(event),)


def _duplicates(plan: _Planner) -> Iterator[Group]:
    """Each event twice, with another event between the two where there are several."""
    events = plan.each()
    for event in events:
        yield (plan.delivery(event),)
    for event in events:
        yield (plan.delivery(event, 2),)


def _concurrent_duplicates(plan: _Planner) -> Iterator[Group]:
    """Each event several times at the same moment."""
    for event in plan.each():
        yield tuple(plan.delivery(event, attempt) for attempt in range(1, plan.scenario.copies + 1))


def _disorder(plan: _Planner) -> Iterator[Group]:
    """The newest event first."""
    for event in sorted(plan.each(), key=attrgetter("occurred_at"), reverse=True):
        yield (plan.delivery(event),)


def _late(plan: _Planner) -> Iterator[Group]:
    """The events of a month ago by their last attempt, each signed now and sent twice."""
    for kind in plan.kinds:
        event = plan.play.old(kind)
        yield (plan.delivery(event, _LAST_ATTEMPT),)
        yield (plan.delivery(event, _LAST_ATTEMPT + 1),)


def _retry_after_timeout(plan: _Planner) -> Iterator[Group]:
    """A sender that does not wait for the answer, and tries again twice."""
    for event in plan.each():
        yield (plan.delivery(event, 1, hangs_up=True),)
        yield (plan.delivery(event, 2),)
        yield (plan.delivery(event, 3),)


def _unknown_events(plan: _Planner) -> Iterator[Group]:
    """Kinds of a later release, with little and with much in them."""
    unknown: list[tuple[str, JsonObject]] = [
        ("rehearsal.happened", _MORE), ("gift.rehearsed", {}), ("rehearsal", {"giftId": None})
    ]  # fmt: skip
    for kind, data in unknown:
        yield (plan.delivery(plan.play.made_up(kind, data)),)


def _unknown_members(plan: _Planner) -> Iterator[Group]:
    """Members of a later release, in the envelope and in the payload."""
    for event in plan.each():
        envelope = json.loads(plan.body(event))
        larger = {**envelope, **_MORE, "data": {**event.data, **_MORE}}
        yield (plan.delivery(event, body=compact(larger).encode()),)


def _large_bodies(plan: _Planner) -> Iterator[Group]:
    """A body of the size that the scenario says, twice."""
    event = plan.one()
    envelope = json.loads(plan.body(event))
    padding = "x" * max(0, plan.scenario.large_bytes - len(plan.body(event)))
    body = compact({**envelope, "data": {**event.data, "rehearsal": padding}}).encode()
    yield (plan.delivery(event, body=body),)
    yield (plan.delivery(event, body=body),)


def _samples(plan: _Planner) -> Iterator[Group]:
    """A sample, and then the event whose id it had: a recorded delivery can be sent with the header of samples."""
    for event in plan.each():
        yield (plan.delivery(event, sample=True),)
        yield (plan.delivery(event),)


def _rotation(plan: _Planner) -> Iterator[Group]:
    """Two signatures in either order, then the newest secret alone; a receiver knows only one of the two."""
    other, known = plan.other_secret, plan.secrets[: MAX_SIGNATURES - 1]
    for secrets in ((other, *known), (*known, other), known[:1]):
        yield (plan.delivery(plan.one(), secrets=secrets),)


# -- forged deliveries ----------------------------------------------------------------------------------------------------


def _forged(plan: _Planner, names: Sequence[str]) -> Iterator[Group]:
    """One of each forgery, with an event that is never delivered rightly."""
    for name in names:
        event = plan.one()
        by_another = name in {"other_secret", "forged_sample", "no_json"}
        yield (
            plan.delivery(
                event,
                body=b"\xff{rehearsal" if name == "no_json" else None,
                secrets=(plan.other_secret,) if by_another else None,
                forgery=name,
                sample=name == "forged_sample",
            ),
        )


_MAKERS: Final[dict[StepName, Callable[[_Planner], Iterator[Group]]]] = {
    "deliver": _deliver,
    "duplicates": _duplicates,
    "concurrent_duplicates": _concurrent_duplicates,
    "disorder": _disorder,
    "late": _late,
    "retry_after_timeout": _retry_after_timeout,
    "unknown_events": _unknown_events,
    "unknown_members": _unknown_members,
    "large_bodies": _large_bodies,
    "samples": _samples,
    "rotation": _rotation,
    "wrong_signatures": partial(_forged, names=WRONG_SIGNATURES),
    "wrong_times": partial(_forged, names=WRONG_TIMES),
}
"""What each step sends, once."""
