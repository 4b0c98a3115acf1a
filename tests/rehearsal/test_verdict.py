"""Verdicts on answers that are written down here: what is known of effects, and what is left open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from livecore.kernel.errors import Json
from livecore.rehearsal.answers import Answer, Exchange, is_hopeless, read_applied
from livecore.rehearsal.deliveries import Delivery
from livecore.rehearsal.plan import make_plan
from livecore.rehearsal.report import json_of, lines_of
from livecore.rehearsal.scenario import parse_scenario
from livecore.rehearsal.verdict import Applied, Verdict, judge

ACTED, NOT, UNKNOWN, REFUSED = (200, True), (200, False), (200, None), (400, None)


def _sent(*steps: str) -> list[Delivery]:
    chosen: list[Json] = [{"step": step, "times": 1} for step in steps]
    scenario = parse_scenario({"steps": chosen, "events": ["gift.claimed"]})
    plan = make_plan(scenario, ["whsec_x"], seed=b"verdict", now=1_790_000_000_000)
    return [delivery for group in plan.groups for delivery in group]


def _judged(
    sent: Sequence[Delivery], answers: Sequence[tuple[int | None, bool | None]], applied: Applied | None = None
) -> Verdict:
    """The verdict on these answers, each of a status and of what the receiver says of the effect."""
    exchanges = [
        Exchange(
            delivery=delivery,
            answer=Answer(status=status, applied=acted, seconds=0.01, fault="timeout" if status is None else None),
        )
        for delivery, (status, acted) in zip(sent, answers, strict=True)
    ]
    return judge(exchanges, planned=len(exchanges), timeout_seconds=10, applied=applied)


def _codes(verdict: Verdict) -> list[str]:
    return [f"{finding.step} {finding.code}" for finding in verdict.findings]


RETRIES = "retry_after_timeout"
EFFECTS: dict[str, tuple[list[tuple[int | None, bool | None]], list[str]]] = {
    "by the first attempt": ([ACTED, NOT, NOT], []),
    "by the second, as the first was cut off": ([NOT, ACTED, NOT], []),
    "perhaps by the first, which nobody heard": ([(None, None), NOT, NOT], []),
    "twice, whatever the first did": ([(None, None), ACTED, ACTED], [f"{RETRIES} applied_twice"]),
    "twice, one answer left open": ([ACTED, UNKNOWN, ACTED], [f"{RETRIES} applied_twice"]),
    "never": ([NOT, NOT, NOT], [f"{RETRIES} lost"]),
    "perhaps never, one answer left open": ([NOT, UNKNOWN, NOT], []),
}


@pytest.mark.parametrize(("answers", "found"), EFFECTS.values(), ids=EFFECTS)
def test_what_is_not_known_of_an_effect_is_no_finding(
    answers: list[tuple[int | None, bool | None]], found: list[str]
) -> None:
    """An event of a kind on which the receiver acts is applied: once, more often, or not at all."""
    assert _codes(_judged(_sent("deliver", RETRIES), [ACTED, *answers])) == found


def test_an_event_of_a_kind_on_which_the_receiver_does_not_act_is_not_lost() -> None:
    """It is accepted and does nothing, every time; a note says that effects could not be judged."""
    verdict = _judged(_sent("deliver", "samples", RETRIES), [NOT] * 6)
    assert _codes(verdict) == []
    assert verdict.notes[0].startswith("Whether an event would be applied twice is not known")


def test_a_forged_delivery_that_is_refused_and_applied_is_a_finding() -> None:
    """By the count of the caller; where it was accepted as well, that is said once."""
    sent = _sent("deliver", "wrong_times")
    refused = _judged(sent, [ACTED, REFUSED, REFUSED, REFUSED], lambda _: 1)
    assert _codes(refused) == ["wrong_times applied_forged"] * 3
    accepted = _judged(sent, [ACTED, UNKNOWN, UNKNOWN, UNKNOWN], lambda _: 1)
    assert _codes(accepted) == ["wrong_times accepted_forged"] * 3


def test_the_count_of_the_caller_is_believed_more_than_the_answers() -> None:
    """A receiver may say that it did nothing, and be wrong."""
    assert _codes(_judged(_sent("duplicates"), [ACTED, NOT], lambda _: 2)) == ["duplicates applied_twice"]
    assert _codes(_judged(_sent("duplicates"), [ACTED, ACTED], lambda _: 1)) == []


def test_the_report_says_the_same_to_people_and_to_scripts() -> None:
    """Each finding with its sentence, what to change, and its numbers."""
    verdict = _judged(_sent("deliver", "duplicates"), [ACTED, ACTED, (409, False)])
    data = json_of(verdict)
    assert (data["sound"], data["sent"], data["planned"]) == (False, 3, 3)
    assert isinstance(data["findings"], list)
    (finding,) = data["findings"]
    assert isinstance(finding, dict)
    assert (finding["code"], finding["status"], finding["milliseconds"]) == ("refused_right", 409, 10)
    lines = list(lines_of(verdict))
    assert lines[0] == "deliver       1 of   1 as expected, slowest 10 ms"
    assert lines[2:5] == ["duplicates: refused_right", f"  {finding['message']}", f"  {finding['change']}"]


@pytest.mark.parametrize(
    ("header", "applied"), [("1", True), ("0", False), (" 1 ", True), (None, None), ("", None), ("yes", None)]
)
def test_the_header_of_an_answer_is_1_or_0(header: str | None, applied: object) -> None:
    """Anything else says nothing."""
    assert read_applied(header) is applied


def test_a_sender_that_hangs_up_is_no_reason_to_give_up() -> None:
    """Three attempts without an answer are one only where the sender waited for it."""
    silent = Answer(status=None, seconds=1, fault="timeout")
    hung, waited, _ = _sent(RETRIES)
    assert not is_hopeless([Exchange(delivery=hung, answer=silent)] * 3)
    assert not is_hopeless([Exchange(delivery=waited, answer=silent)] * 2)
    assert is_hopeless([Exchange(delivery=waited, answer=silent)] * 3)
