"""Receivers that are functions: what they are called with, what they may return, and how a late one is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.testing import Rehearsal
from tests.rehearsal.receivers import SECRET, Answered, Receiver

DELIVER: JsonObject = {"steps": [{"step": "deliver"}], "events": ["gift.claimed"]}
TOGETHER: JsonObject = {"steps": [{"step": "concurrent_duplicates"}], "events": ["gift.claimed"]}


def test_headers_are_found_in_whatever_case() -> None:
    """As frameworks give them."""
    seen: list[Mapping[str, str]] = []

    def receive(headers: Mapping[str, str], body: bytes) -> int:
        seen.append(headers)
        return 200 if body else 400

    Rehearsal().verdict(receive, scenario=DELIVER)
    (headers,) = seen
    assert headers["x-signature"] == headers["X-Signature"] == headers.get("X-SIGNATURE")
    assert "content-type" in headers
    assert headers.get("x-svc-webhook-test") is None
    with pytest.raises(KeyError):
        headers["x-svc-webhook-test"]


@pytest.mark.parametrize(
    "answer", [204, SimpleNamespace(status=204), SimpleNamespace(status_code=204), Answered(204, {})]
)
def test_an_answer_is_a_status_or_has_one(answer: object) -> None:
    """As the responses of frameworks and of their test clients do."""
    assert Rehearsal().verdict(lambda _headers, _body: answer, scenario=DELIVER).sound


@pytest.mark.parametrize("scenario", [DELIVER, TOGETHER], ids=["alone", "in threads"])
@pytest.mark.parametrize("answer", [None, True, "204", SimpleNamespace(status="204")])
def test_what_is_no_answer_is_a_mistake_of_the_test(answer: object, scenario: JsonObject) -> None:
    """Not of the receiver: it raises, and says what to return."""
    with pytest.raises(TypeError, match="must return the status, or an answer with"):
        Rehearsal().verdict(lambda _headers, _body: answer, scenario=scenario)


def test_a_coroutine_function_is_told_what_to_do() -> None:
    """It would return at once, and do nothing."""

    async def receive(headers: Mapping[str, str], body: bytes) -> int:
        raise NotImplementedError

    with pytest.raises(TypeError, match=r"asyncio\.run"):
        Rehearsal().verdict(receive)


def test_an_exception_counts_as_500_and_is_shown() -> None:
    """As frameworks answer."""

    def receive(headers: Mapping[str, str], _body: bytes) -> int:
        return len(headers["giftId"])

    (finding,) = Rehearsal().verdict(receive, scenario=DELIVER).findings
    assert finding.code == "refused_everything"
    assert finding.message == "It refused every right delivery: it answered 500 (it raised KeyError('giftId'))."


def test_a_receiver_that_takes_too_long_is_noticed() -> None:
    """By the clock that it was given."""
    moments = iter([0.0, 10.5])
    (finding,) = Rehearsal(monotonic=lambda: next(moments)).verdict(lambda *_: 200, scenario=DELIVER).findings
    assert finding.code == "too_late"
    assert finding.message.startswith("It answered too late: after 10.5 seconds")


def test_without_threads_deliveries_come_one_after_the_other() -> None:
    """All in the thread of the test."""
    receiver = Receiver()
    verdict = Rehearsal()(receiver, secret=SECRET, applied=receiver.applied, scenario=TOGETHER, threads=False)
    assert verdict.sent == 6


def test_each_rehearsal_has_events_of_its_own() -> None:
    """So a receiver may be rehearsed again, and the same seed gives the same events."""
    first, again, rehearsal = Receiver(), Receiver(), Rehearsal(seed=4)
    first.now = again.now = 1_790_000_000.0
    for _ in range(2):
        rehearsal(first, secret=SECRET, applied=first.applied, scenario=DELIVER, now=lambda: 1_790_000_000.0)
    Rehearsal(seed=4)(again, secret=SECRET, applied=again.applied, scenario=DELIVER, now=lambda: 1_790_000_000.0)
    assert len(first.effects) == 2
    assert set(again.effects) < set(first.effects)


def test_a_wrong_scenario_is_refused() -> None:
    """With its path, as in the command."""
    with pytest.raises(ValidationFailed) as refused:
        Rehearsal()(Receiver(), scenario={"step": []})
    assert list(refused.value.fields) == ["step"]
