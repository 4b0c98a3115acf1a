"""The rehearsal of a receiver that is a Python function: what the fixture `livecore_rehearsal` is.

Deliveries of one moment are handed over in threads, which all begin together. There is no network.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from threading import Barrier, Thread
from typing import Any, Final, TypeAlias, TypedDict, Unpack, cast

import attrs

from livecore.kernel.errors import Json
from livecore.rehearsal.answers import APPLIED_HEADER, Answer, Exchange, is_hopeless, read_applied
from livecore.rehearsal.deliveries import Delivery
from livecore.rehearsal.plan import make_plan
from livecore.rehearsal.report import findings_of
from livecore.rehearsal.scenario import parse_scenario
from livecore.rehearsal.verdict import Applied, Verdict, judge

Receive: TypeAlias = Callable[[Mapping[str, str], bytes], object]
"""A receiver: from the headers and the raw body to the status, or to an answer with `status_code` or `status`."""
SECRET: Final = "whsec_rehearsal"  # noqa: S105 - of a receiver in a test
"""The secret that signs where a test gives none."""
_NO_HEADERS: Final[Mapping[str, str]] = {}


class Headers(dict[str, str]):
    """The headers of a delivery, found in whatever case they are asked for."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__(headers)
        self._spelled = {name.lower(): name for name in headers}

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(self._spelled.get(name.lower(), name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._spelled

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - as a dictionary's
        """The header's value, or the default."""
        return super().get(self._spelled.get(name.lower(), name), default)


class Options(TypedDict, total=False):
    """The options of a rehearsal: see `Rehearsal.verdict`."""

    secret: str
    applied: Applied | None
    scenario: Mapping[str, object] | None
    threads: bool
    now: Callable[[], float]


@attrs.define(eq=False)
class Rehearsal:
    """Rehearses receivers; each call sends events of its own."""

    seed: int = 0
    monotonic: Callable[[], float] = time.perf_counter  # noqa: TID251 - a receiver runs in real time
    _rehearsed: int = attrs.field(init=False, default=0)

    def __call__(self, receive: Receive, **options: Unpack[Options]) -> Verdict:
        """Rehearse `receive`, with the options of `verdict`. Raises `AssertionError` with what is wrong with it."""
        __tracebackhide__ = True
        verdict = self.verdict(receive, **options)
        if not verdict.sound:
            raise AssertionError("\n".join(["the receiver fails the rehearsal:", *findings_of(verdict)]))
        return verdict

    def verdict(
        self,
        receive: Receive,
        *,
        secret: str = SECRET,
        applied: Applied | None = None,
        scenario: Mapping[str, object] | None = None,
        threads: bool = True,
        now: Callable[[], float] = time.time,  # noqa: TID251 - a receiver compares with it
    ) -> Verdict:
        """Rehearse `receive` and judge it.

        `receive` is called with the headers and the raw body of each delivery; an exception counts as 500. `secret` is the
        one that it verifies with. `applied` gives, after all deliveries, how often the effect of an event was applied;
        without it the header `X-Svc-Webhook-Applied` of the answers is believed. `scenario` is the JSON of a scenario.
        Without `threads`, deliveries of one moment come one after the other. `now` is the receiver's clock, in Unix
        seconds. Raises `ValidationFailed` for a wrong scenario.
        """
        if inspect.iscoroutinefunction(receive):
            raise TypeError("the receiver must be a plain function; let it run its coroutine with asyncio.run")
        self._rehearsed += 1
        seed = f"livecore rehearsal {self.seed} {self._rehearsed}".encode()
        parsed = parse_scenario(cast("Json", dict(scenario or {})))
        plan = make_plan(parsed, [secret], seed=seed, now=round(now() * 1000))
        exchanges: list[Exchange] = []
        for group in plan.groups:
            calls = [_Call(receive, delivery, now, self.monotonic) for delivery in group]
            exchanges += _at_once(calls) if threads and len(group) > 1 else [call.made() for call in calls]
            if is_hopeless(exchanges):
                break
        return judge(exchanges, planned=plan.deliveries, timeout_seconds=plan.timeout_seconds, applied=applied)


@attrs.define(eq=False)
class _Call:
    """One call of a receiver."""

    receive: Receive
    delivery: Delivery
    now: Callable[[], float]
    monotonic: Callable[[], float]
    exchange: Exchange | None = None

    def made(self) -> Exchange:
        """Make the call."""
        headers = Headers(self.delivery.headers(int(self.now())))
        began = self.monotonic()
        status, told, fault = self._answer(headers)
        answer = Answer(
            status=status, seconds=self.monotonic() - began, applied=read_applied(told.get(APPLIED_HEADER)), fault=fault
        )
        self.exchange = Exchange(delivery=self.delivery, answer=answer)
        return self.exchange

    def _answer(self, headers: Headers) -> tuple[int, Mapping[str, str], str | None]:
        try:
            answered = self.receive(headers, self.delivery.body)
        except Exception as fault:  # noqa: BLE001 - a framework answers 500 to each of them
            return 500, _NO_HEADERS, f"it raised {fault!r}"
        return _status(answered), getattr(answered, "headers", _NO_HEADERS), None


def _status(answered: object) -> int:
    """The status of an answer. Raises `TypeError` for what is none."""
    for status in (answered, getattr(answered, "status_code", None), getattr(answered, "status", None)):
        if isinstance(status, int) and not isinstance(status, bool):
            return int(status)
    raise TypeError(
        f"the receiver must return the status, or an answer with `status_code` or `status`, and not {answered!r}"
    )


def _at_once(calls: Sequence[_Call]) -> list[Exchange]:
    """Make the calls in threads that begin together. Raises what the first of them raised that is no answer."""
    together = Barrier(len(calls))
    faults: list[Exception] = []

    def run(call: _Call) -> None:
        together.wait()
        try:
            call.made()
        except Exception as fault:  # noqa: BLE001 - handed on below
            faults.append(fault)

    threads = [Thread(target=run, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return [call.exchange for call in calls if call.exchange is not None]
