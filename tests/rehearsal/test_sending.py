"""The sender of a rehearsal, against sockets that misbehave: nothing that they do raises, and each fault is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from livecore.kernel.errors import Json
from livecore.rehearsal.plan import Plan, make_plan
from livecore.rehearsal.scenario import parse_scenario
from livecore.rehearsal.verdict import Verdict, judge
from livecore_server.operations.rehearse import rehearse
from livecore_server.system import now_millis
from tests.delivery.receivers import (
    Manner,
    Receiver,
    answering,
    certificate,
    in_turn,
    receiver,
    saying,
    saying_then_hanging,
    saying_then_resetting,
)
from tests.patience import PATIENCE_SECONDS
from tests.rehearsal.receivers import SECRET

OK = answering(200, "X-Svc-Webhook-Applied: 0")


def _plan(*steps: str, timeout_seconds: float = 10) -> Plan:
    """A plan of these steps about one kind of event."""
    chosen: list[Json] = [{"step": step, "times": 1} for step in steps]
    scenario = parse_scenario({"steps": chosen, "events": ["gift.claimed"]})
    return attrs.evolve(
        make_plan(scenario, [SECRET], seed=b"sending", now=now_millis()), timeout_seconds=timeout_seconds
    )


def _rehearsed(plan: Plan, manner: Manner, then: Callable[[Receiver], None] = lambda _: None) -> Verdict:
    """The verdict on a receiver of this manner."""

    async def play() -> Verdict:
        async with receiver(manner) as there:
            exchanges = await rehearse(plan, there.url)
            then(there)
        return judge(exchanges, planned=plan.deliveries, timeout_seconds=plan.timeout_seconds)

    return asyncio.run(play())


FAULTS: dict[str, tuple[Manner, str, str]] = {
    "no answer in time": (saying_then_hanging(""), "too_late", "gave no complete answer (timeout)"),
    "half an answer": (saying_then_hanging("HTTP/1.1 200 OK\r\nContent-Le"), "too_late", "timeout"),
    "no end of the body": (
        saying_then_hanging("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12"), "too_late", "timeout",
    ),
    "a closed connection": (saying(""), "no_answer", "connection_reset"),
    "a reset connection": (saying_then_resetting("HTTP/1.1 200 OK\r\n"), "no_answer", "connection_reset"),
    "no HTTP": (saying("hello\r\n\r\n"), "no_answer", "malformed_answer"),
    "a redirect": (answering(307, "Location: /elsewhere"), "redirected", "answered 307"),
}  # fmt: skip


@pytest.mark.parametrize(("manner", "code", "told"), FAULTS.values(), ids=FAULTS)
def test_a_receiver_that_answers_wrongly_or_not_at_all(manner: Manner, code: str, told: str) -> None:
    """Each has its finding; the time-out is shortened here."""
    verdict = _rehearsed(_plan("deliver", timeout_seconds=0.2), manner)
    assert [finding.code for finding in verdict.findings] == [code]
    assert told in verdict.findings[0].exchange.answer.shown


def test_a_sender_that_hangs_up_tries_again_twice() -> None:
    """The first attempt has no answer, which is no finding; the next ones are judged."""

    def looked_at(there: Receiver) -> None:
        attempts = [request.event(SECRET, now=now_millis()).delivery_attempt for request in there.received]
        assert attempts == [1, 2, 3]
        assert len({request.body[:60] for request in there.received}) == 1

    patient = _plan("retry_after_timeout", timeout_seconds=PATIENCE_SECONDS)
    verdict = _rehearsed(patient, in_turn(saying_then_hanging(""), OK), looked_at)
    assert (verdict.findings, verdict.sent) == ((), 3)


def test_a_redirect_is_not_followed() -> None:
    """One request comes, and no second one to where it points."""

    def looked_at(there: Receiver) -> None:
        assert [request.line for request in there.received] == ["POST /hook HTTP/1.1"]

    _rehearsed(_plan("deliver"), answering(302, "Location: /hook"), looked_at)


def test_deliveries_of_one_moment_are_under_way_together() -> None:
    """The receiver answers none of them before it has got all."""
    came = 0
    both = asyncio.Event()

    async def manner(writer: asyncio.StreamWriter) -> None:
        nonlocal came
        came += 1
        if came == 2:
            both.set()
        await both.wait()
        await OK(writer)

    assert _rehearsed(_plan("concurrent_duplicates"), manner).findings == ()


def test_a_receiver_that_never_answers_is_given_up() -> None:
    """After three deliveries, of the nine that are planned at least."""
    verdict = _rehearsed(_plan("deliver", "wrong_signatures", timeout_seconds=0.1), saying_then_hanging(""))
    assert (verdict.sent, verdict.planned) == (3, 10)
    assert {finding.code for finding in verdict.findings} == {"too_late"}
    assert "stopped after 3 of 10" in verdict.notes[0]


def test_the_certificate_is_checked(tmp_path: Path) -> None:
    """One that nobody trusts is a fault, as it is for the server; one that is trusted is none."""
    own = certificate(tmp_path, "127.0.0.1")
    plan = _plan("deliver")

    async def play() -> list[str | None]:
        async with receiver(OK, tls=own.serving) as there:
            url = there.url.replace("http://", "https://")
            tried = [await rehearse(plan, url), await rehearse(plan, url, tls=own.trusting)]
        return [exchanges[0].answer.fault for exchanges in tried]

    assert asyncio.run(play()) == ["tls_failed", None]
