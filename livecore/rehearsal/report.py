"""A verdict as lines for people and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator

from livecore.kernel.errors import Json, JsonObject
from livecore.rehearsal.verdict import Finding, Verdict


def lines_of(verdict: Verdict) -> Iterator[str]:
    """The steps, the findings with what to change, and the end in a sentence."""
    width = max((len(step.step) for step in verdict.steps), default=0)
    for step in verdict.steps:
        yield (
            f"{step.step:<{width}}  {step.as_expected:>3} of {step.sent:>3} as expected, "
            f"slowest {_milliseconds(step.slowest_seconds)} ms"
        )
    yield from findings_of(verdict)
    for note in verdict.notes:
        yield f"Note: {note}"
    yield (
        f"{verdict.sent} deliveries, answered in {_milliseconds(verdict.median_seconds)} ms (median) and "
        f"{_milliseconds(verdict.slowest_seconds)} ms (slowest)."
    )
    count = len(verdict.findings)
    yield "Nothing is wrong with the receiver." if not count else f"{count} found wrong."


def findings_of(verdict: Verdict) -> Iterator[str]:
    """Each finding on three lines: where, what, and what to change."""
    for finding in verdict.findings:
        times = "" if finding.deliveries == 1 else f", {finding.deliveries} times"
        yield f"{finding.step}: {finding.code}{times}"
        yield f"  {finding.message}"
        yield f"  {finding.change}"


def json_of(verdict: Verdict) -> JsonObject:
    """The whole verdict."""
    steps: list[Json] = [
        {
            "step": step.step,
            "sent": step.sent,
            "asExpected": step.as_expected,
            "slowestMilliseconds": _milliseconds(step.slowest_seconds),
        }
        for step in verdict.steps
    ]
    return {
        "sound": verdict.sound,
        "findings": [_finding(finding) for finding in verdict.findings],
        "notes": [*verdict.notes],
        "steps": steps,
        "planned": verdict.planned,
        "sent": verdict.sent,
        "medianMilliseconds": _milliseconds(verdict.median_seconds),
        "slowestMilliseconds": _milliseconds(verdict.slowest_seconds),
    }


def _finding(finding: Finding) -> JsonObject:
    event, answer = finding.exchange.delivery.event, finding.exchange.answer
    return {
        "code": finding.code,
        "step": finding.step,
        "forgery": finding.exchange.delivery.forgery,
        "message": finding.message,
        "change": finding.change,
        "deliveries": finding.deliveries,
        "event": event.kind,
        "eventId": event.id,
        "status": answer.status,
        "milliseconds": _milliseconds(answer.seconds),
    }


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
