"""The verdict on a receiver: findings from the deliveries and its answers, each with what to change.

A finding is one kind of mistake in one step, however many deliveries show it. Whether an effect was doubled is known only
from the receiver: by the header of its answers, or by a count that the caller gives for each event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from statistics import median
from typing import Final, Literal, TypeAlias

import attrs

from livecore.rehearsal.advice import CHANGES, TWICE, WORDS
from livecore.rehearsal.answers import Exchange
from livecore.rehearsal.deliveries import FORGERIES
from livecore.rehearsal.played import RehearsedEvent
from livecore.rehearsal.scenario import StepName

FindingCode: TypeAlias = Literal[
    "refused_everything",
    "accepted_forged",
    "failed_at_forged",
    "applied_forged",
    "refused_right",
    "redirected",
    "gone",
    "no_answer",
    "too_late",
    "applied_twice",
    "applied_sample",
    "lost",
]
Applied: TypeAlias = Callable[[RehearsedEvent], int]
"""How often the effect of an event was applied."""
_LOSING_STEPS: Final = ("retry_after_timeout", "samples")
"""The steps after which an event must have been applied: no later event was delivered before it."""


@attrs.frozen(kw_only=True)
class Finding:
    """One mistake of the receiver: a sentence that says it, and one that says what to change.

    `deliveries` is how many deliveries show it, `exchange` the first of them.
    """

    code: FindingCode
    step: StepName
    message: str
    change: str
    deliveries: int
    exchange: Exchange = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class StepTaken:
    """A step of the rehearsal: how many deliveries were sent, and how many went as they should."""

    step: StepName
    sent: int
    as_expected: int
    slowest_seconds: float


@attrs.frozen(kw_only=True)
class Verdict:
    """What a rehearsal has found; `notes` are sentences about what it could not find out."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    steps: tuple[StepTaken, ...]
    sent: int
    planned: int
    median_seconds: float
    slowest_seconds: float

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with the receiver, as far as it was tried."""
        return not self.findings


def judge(
    exchanges: Sequence[Exchange], *, planned: int, timeout_seconds: float, applied: Applied | None = None
) -> Verdict:
    """Judge the answers of a receiver, in the order in which the deliveries were sent.

    `planned` is how many deliveries the plan had. `applied`, where there is one, says how often the effect of an event was
    applied, and is believed more than the receiver's answers.
    """
    found = [*_of_answers(exchanges, timeout_seconds)]
    found += _of_effects(_Effects(exchanges, applied))
    if _refused_everything(exchanges):
        found = [finding for finding in found if finding.code not in {"refused_right", "gone", "failed_at_forged"}]
        right = [exchange for exchange in exchanges if exchange.delivery.right]
        found.insert(0, _finding("refused_everything", right, WORDS["refused_everything"]))
    seconds = [exchange.answer.seconds for exchange in exchanges]
    return Verdict(
        findings=tuple(found),
        notes=tuple(_notes(exchanges, planned, applied)),
        steps=tuple(_steps(exchanges, found)),
        sent=len(exchanges),
        planned=planned,
        median_seconds=median(seconds) if seconds else 0.0,
        slowest_seconds=max(seconds, default=0.0),
    )


def _refused_everything(exchanges: Sequence[Exchange]) -> bool:
    right = [exchange.answer for exchange in exchanges if exchange.delivery.right and not exchange.delivery.hangs_up]
    refused = [answer for answer in right if answer.status is not None and answer.status >= 400]
    return bool(right) and len(refused) == len(right)


# -- by the answers -------------------------------------------------------------------------------------------------------


def _of_answers(exchanges: Sequence[Exchange], timeout_seconds: float) -> Iterator[Finding]:
    """What is wrong with the answers themselves, by step and kind of mistake, in the order in which it showed first."""
    grouped: dict[tuple[FindingCode, StepName, str | None], list[Exchange]] = {}
    for exchange in exchanges:
        code = _mistake(exchange, timeout_seconds)
        if code is not None:
            grouped.setdefault((code, exchange.delivery.step, exchange.delivery.forgery), []).append(exchange)
    for (code, _, _), shown in grouped.items():
        yield _finding(code, shown, WORDS[code])


def _mistake(exchange: Exchange, timeout_seconds: float) -> FindingCode | None:
    """What is wrong with an answer; a sender that hung up waits for none."""
    answer, right = exchange.answer, exchange.delivery.right
    if answer.status is None:
        if exchange.delivery.hangs_up:
            return None
        return "too_late" if answer.fault == "timeout" else ("no_answer" if right else "failed_at_forged")
    if answer.seconds > timeout_seconds:
        return "too_late"
    if not right:
        return "accepted_forged" if answer.accepted else ("failed_at_forged" if answer.status >= 500 else None)
    if answer.accepted:
        return None
    if answer.status == 410:
        return "gone"
    return "redirected" if 300 <= answer.status < 400 else "refused_right"


def _finding(code: FindingCode, shown: Sequence[Exchange], words: str, **more: object) -> Finding:
    first = shown[0]
    delivery = first.delivery
    forgery = FORGERIES.get(delivery.forgery or "")
    changes = {
        "accepted_forged": forgery.change if forgery else "",
        "applied_twice": TWICE.get(delivery.step, TWICE["duplicates"]),
        "refused_right": CHANGES.get(delivery.step, ""),
        "no_answer": CHANGES.get(delivery.step, ""),
    }
    message = words.format(
        shown=first.answer.shown,
        about=forgery.about if forgery else "",
        kind=delivery.event.kind,
        event=delivery.event.id,
        seconds=f"{max(exchange.answer.seconds for exchange in shown):.1f}",
        **more,
    )
    return Finding(
        code=code,
        step=delivery.step,
        message=message,
        change=changes.get(code) or CHANGES[code],
        deliveries=len(shown),
        exchange=first,
    )


# -- by the effects -------------------------------------------------------------------------------------------------------


class _Effects:
    """How often each event was applied, and which deliveries were about it."""

    def __init__(self, exchanges: Sequence[Exchange], applied: Applied | None) -> None:
        self.by_event: dict[str, list[Exchange]] = {}
        for exchange in exchanges:
            self.by_event.setdefault(exchange.delivery.event.id, []).append(exchange)
        self._applied = applied
        self.counts = {event_id: self._count(shown) for event_id, shown in self.by_event.items()}

    def _count(self, shown: Sequence[Exchange]) -> int | None:
        """How often an event was applied; `None` where the receiver left it open."""
        if self._applied is not None:
            return self._applied(shown[0].delivery.event)
        told = [exchange.answer.applied for exchange in shown]
        known = sum(1 for one in told if one)
        # More than once is certain, even if another delivery's answer is unknown; less is not.
        return known if known > 1 or None not in told else None

    def applied_kinds(self) -> set[str]:
        """The kinds of events on which the receiver acts."""
        return {self.by_event[event_id][0].delivery.event.kind for event_id, count in self.counts.items() if count}


def _of_effects(effects: _Effects) -> Iterator[Finding]:
    """What is wrong with the effects, by step and kind of mistake, in the order in which it showed first."""
    acts_on = effects.applied_kinds()
    grouped: dict[tuple[FindingCode, StepName, str | None], list[tuple[Exchange, int]]] = {}
    for event_id, shown in effects.by_event.items():
        count = effects.counts[event_id]
        code = _wrong_effect(shown, count, acts_on)
        if code is not None:
            delivery = shown[0].delivery
            grouped.setdefault((code, delivery.step, delivery.forgery), []).append((shown[0], count or 0))
    for (code, _, _), found in grouped.items():
        events = f"{len(found)} event{'' if len(found) == 1 else 's'}"
        most = max(count for _, count in found)
        yield _finding(code, [exchange for exchange, _ in found], WORDS[code], events=events, count=most)


def _wrong_effect(shown: Sequence[Exchange], count: int | None, acts_on: Collection[str]) -> FindingCode | None:
    """What is wrong with the effect of an event that was applied `count` times."""
    first = shown[0].delivery
    if not first.right:
        # Where it was accepted as well, that is the finding.
        acted = (count or shown[0].answer.applied) and not shown[0].answer.accepted
        return "applied_forged" if acted else None
    if any(exchange.delivery.sample and exchange.answer.applied for exchange in shown):
        return "applied_sample"
    if count is not None and count > 1:
        return "applied_twice"
    expected = first.step in _LOSING_STEPS and first.event.kind in acts_on and _settled(shown)
    return "lost" if count == 0 and expected else None


def _settled(shown: Sequence[Exchange]) -> bool:
    """Whether the service would not send an event again."""
    return any(exchange.answer.accepted and not exchange.delivery.sample for exchange in shown)


# -- the rest -------------------------------------------------------------------------------------------------------------


def _notes(exchanges: Sequence[Exchange], planned: int, applied: Applied | None) -> Iterator[str]:
    if len(exchanges) < planned:
        yield f"The rehearsal stopped after {len(exchanges)} of {planned} deliveries, because it could learn nothing more."
        return
    told = [exchange.answer.applied for exchange in exchanges if exchange.answer.applied is not None]
    if applied is not None:
        return
    if not told:
        yield (
            "Whether an event was applied twice is not known: the receiver's answers have no header "
            "X-Svc-Webhook-Applied with 1 or 0."
        )
    elif not any(told):
        yield (
            "Whether an event would be applied twice is not known: the receiver says that it applied none. "
            "Give the scenario kinds of events on which it acts."
        )


def _steps(exchanges: Sequence[Exchange], found: Sequence[Finding]) -> Iterator[StepTaken]:
    wrong = Counter[StepName]()
    for finding in found:
        wrong[finding.step] += finding.deliveries
    by_step: dict[StepName, list[Exchange]] = {}
    for exchange in exchanges:
        by_step.setdefault(exchange.delivery.step, []).append(exchange)
    for step, sent in by_step.items():
        yield StepTaken(
            step=step,
            sent=len(sent),
            as_expected=max(0, len(sent) - wrong[step]),
            slowest_seconds=max(exchange.answer.seconds for exchange in sent),
        )
