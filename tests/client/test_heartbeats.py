"""Heartbeats in the background: they begin at once, survive what passes, end at what does not, and stop cleanly.

Nothing here waits for a time: the other side counts beats and opens a gate when enough have come.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable

import httpx
import pytest

from livecore_client import AsyncSdkClient, SdkClient, errors
from livecore_client._background import Background
from livecore_client._beats import next_beat_seconds
from tests.client.flavours import BASE_URL
from tests.client.sockets import other_server, silent
from tests.contract.operations.players import PRESENCE
from tests.patience import PATIENCE_SECONDS

BEAT = httpx.Response(200, json={"data": PRESENCE})
NEVER = 3600.0
AT_ONCE = 0.0001


def _refusal(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "message": "No."}}, headers=headers)


class Receiver:
    """The other side: answers beats from a script, its last line again and again, and tells when the n-th came."""

    def __init__(self, *script: httpx.Response | Exception) -> None:
        self.script = list(script)
        self.beats: list[dict[str, object]] = []
        self._gates: dict[int, list[Callable[[], object]]] = {}

    def on(self, count: int, gate: Callable[[], object]) -> None:
        """Call `gate` when beat number `count` has come."""
        self._gates.setdefault(count, []).append(gate)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Count a beat and answer it."""
        self.beats.append(json.loads(request.content))
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        for gate in self._gates.get(len(self.beats), []):
            gate()
        if isinstance(answer, Exception):
            raise answer
        # A fresh one each time: reading a response marks it as one flavour's.
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def sync_client(self) -> SdkClient:
        """A client that this receiver answers."""
        transport = httpx.MockTransport(self.answer)
        return SdkClient(
            base_url=BASE_URL, api_key="k", external_player_id="anna", player_secret="s", transport=transport
        )

    def async_client(self) -> AsyncSdkClient:
        """A client that this receiver answers."""
        transport = httpx.MockTransport(self.answer)
        return AsyncSdkClient(
            base_url=BASE_URL, api_key="k", external_player_id="anna", player_secret="s", transport=transport
        )


PASSING: list[httpx.Response | Exception] = [
    httpx.ConnectError("refused"),
    httpx.ReadTimeout("slow"),
    _refusal(429, "rate_limited"),
    _refusal(503, "overloaded"),
    httpx.Response(200, text="<html>please log in</html>"),
]


def test_a_thread_beats_on_over_failures_that_pass_and_ends_with_its_block() -> None:
    """A bad minute of the network costs beats, not the heartbeat; after the block no thread is left and no beat comes."""
    receiver = Receiver(*PASSING, BEAT)
    enough = threading.Event()
    receiver.on(len(PASSING) + 2, enough.set)
    seen: list[errors.LivecoreError] = []
    with receiver.sync_client() as client:
        with client.presence.beating(interval_seconds=AT_ONCE, on_error=seen.append) as heartbeats:
            assert enough.wait(PATIENCE_SECONDS)
        count = len(receiver.beats)
        assert heartbeats.presence is not None
        assert heartbeats.error is None
    assert len(seen) == len(PASSING)
    assert "livecore-heartbeats" not in {thread.name for thread in threading.enumerate()}
    assert len(receiver.beats) == count


def test_a_task_beats_on_over_failures_that_pass_and_ends_with_its_block() -> None:
    """The same with an asyncio task: nothing is left running, so the loop closes without a warning."""
    receiver = Receiver(*PASSING, BEAT)
    seen: list[errors.LivecoreError] = []

    async def play() -> None:
        enough = asyncio.Event()
        receiver.on(len(PASSING) + 2, enough.set)
        async with receiver.async_client() as client:
            beating = client.presence.beating(interval_seconds=AT_ONCE, on_error=seen.append)
            async with beating as heartbeats, asyncio.timeout(PATIENCE_SECONDS):
                await enough.wait()
            assert heartbeats.presence is not None
            assert heartbeats.error is None
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(play())
    assert len(seen) == len(PASSING)


def test_the_first_beat_comes_at_once_and_a_new_status_is_told_at_once() -> None:
    """With beats an hour apart, a player is online and their label changed without waiting for the next."""
    receiver = Receiver(BEAT)
    gates = [threading.Event() for _ in range(3)]
    for place, gate in enumerate(gates):
        receiver.on(place + 1, gate.set)
    with receiver.sync_client() as client, client.presence.beating(interval_seconds=NEVER) as heartbeats:
        assert gates[0].wait(PATIENCE_SECONDS)
        heartbeats.set_status("In a match")
        assert gates[1].wait(PATIENCE_SECONDS)
        heartbeats.set_status(None)
        assert gates[2].wait(PATIENCE_SECONDS)
    assert receiver.beats == [{}, {"status": "In a match"}, {"status": None}]


def test_a_task_tells_a_new_status_at_once() -> None:
    """The same with an asyncio task."""
    receiver = Receiver(BEAT)

    async def play() -> None:
        gates = [asyncio.Event() for _ in range(2)]
        for place, gate in enumerate(gates):
            receiver.on(place + 1, gate.set)
        async with receiver.async_client() as client:
            beating = client.presence.beating(status="In the lobby", interval_seconds=NEVER)
            async with beating as heartbeats, asyncio.timeout(PATIENCE_SECONDS):
                await gates[0].wait()
                heartbeats.set_status("In a match")
                await gates[1].wait()

    asyncio.run(play())
    assert receiver.beats == [{"status": "In the lobby"}, {"status": "In a match"}]


@pytest.mark.parametrize(("status", "code"), [(401, "player_secret_invalid"), (403, "player_banned")])
def test_a_refusal_that_stays_ends_the_beating(status: int, code: str) -> None:
    """Beating on with a wrong secret would count as attempts and lock the player out; the program can see why it ended."""
    receiver = Receiver(_refusal(status, code))
    ended = threading.Event()
    with receiver.sync_client() as client:
        beating = client.presence.beating(interval_seconds=AT_ONCE, on_error=lambda _: ended.set())
        with beating as heartbeats:
            assert ended.wait(PATIENCE_SECONDS)
    assert len(receiver.beats) == 1
    assert isinstance(heartbeats.error, errors.ApiError)
    assert heartbeats.error.code == code


def test_a_fault_of_the_program_is_not_swallowed_by_the_thread() -> None:
    """An `on_error` that raises is a bug of the caller's, and shows where the beating is stopped."""
    came = threading.Event()

    def broken(_: errors.LivecoreError) -> None:
        came.set()
        raise ZeroDivisionError

    with Receiver(httpx.ConnectError("refused")).sync_client() as client:
        heartbeats = client.presence.beating(interval_seconds=NEVER, on_error=broken)
        heartbeats.start()
        assert came.wait(PATIENCE_SECONDS)
        with pytest.raises(ZeroDivisionError):
            heartbeats.stop()


def test_a_fault_of_the_program_is_not_swallowed_by_the_task() -> None:
    """The same with an asyncio task."""
    receiver = Receiver(httpx.ConnectError("refused"))

    def broken(_: errors.LivecoreError) -> None:
        raise ZeroDivisionError

    async def play() -> None:
        came = asyncio.Event()
        receiver.on(1, came.set)
        async with receiver.async_client() as client:
            heartbeats = client.presence.beating(interval_seconds=NEVER, on_error=broken)
            await heartbeats.start()
            await came.wait()
            with pytest.raises(ZeroDivisionError):
                await heartbeats.stop()

    asyncio.run(play())


def test_stopping_twice_or_before_the_start_is_harmless() -> None:
    """Shutdown code runs in any order."""
    receiver = Receiver(BEAT)
    with receiver.sync_client() as client:
        heartbeats = client.presence.beating(interval_seconds=NEVER)
        heartbeats.stop()
        heartbeats.start()
        heartbeats.start()
        heartbeats.stop()
        heartbeats.stop()
    assert len(receiver.beats) <= 1


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_an_interval_that_means_nothing_is_refused(seconds: float) -> None:
    """Beating without a pause would be an attack."""
    with Receiver(BEAT).sync_client() as client, pytest.raises(errors.ConfigurationError):
        client.presence.beating(interval_seconds=seconds)


def test_a_server_that_asks_for_a_longer_pause_gets_it() -> None:
    """Never sooner than usual, and later where `Retry-After` says so."""
    asked = errors.RateLimited("later", status=429, retry_after_seconds=90)
    assert next_beat_seconds(asked, 30) == 90
    assert next_beat_seconds(errors.Overloaded("later", status=503, retry_after_seconds=1), 30) == 30
    assert next_beat_seconds(errors.ConnectionFailed("lost"), 30) == 30


def test_leaving_takes_one_time_out_at_most_where_the_server_does_not_answer() -> None:
    """It took 8.7 s with a time-out of 2: one beat is under way, it is not tried again, and no other is sent."""
    seen: list[errors.LivecoreError] = []
    with (
        other_server(silent) as other,
        SdkClient(
            base_url=f"http://{other.place}",
            api_key="k",
            external_player_id="anna",
            player_secret="s",
            timeout_seconds=0.5,
        ) as client,
    ):
        with client.presence.beating(on_error=seen.append):
            assert other.taken.wait(PATIENCE_SECONDS)
        assert other.count == 1
    assert len(seen) <= 1


def test_leaving_a_task_breaks_off_the_beat_that_is_under_way() -> None:
    """The time-out is an hour: whoever waited for it would not come back."""

    async def play() -> None:
        with other_server(silent) as other:
            async with (
                asyncio.timeout(PATIENCE_SECONDS),
                AsyncSdkClient(
                    base_url=f"http://{other.place}",
                    api_key="k",
                    external_player_id="anna",
                    player_secret="s",
                    timeout_seconds=NEVER,
                ) as client,
            ):
                async with client.presence.beating():
                    await asyncio.to_thread(other.taken.wait, PATIENCE_SECONDS)
                assert other.count == 1

    asyncio.run(play())


def test_a_beat_has_one_time_out_for_all_of_it() -> None:
    """Its deadline is the time-out of the client, and it is not tried again whatever the client's policy is."""
    allowed: list[dict[str, float]] = []
    came = threading.Event()

    def answer(request: httpx.Request) -> httpx.Response:
        allowed.append(request.extensions["timeout"])
        came.set()
        raise httpx.ReadTimeout("slow", request=request)

    with (
        SdkClient(
            base_url=BASE_URL,
            api_key="k",
            external_player_id="anna",
            player_secret="s",
            timeout_seconds=2,
            deadline_seconds=60,
            transport=httpx.MockTransport(answer),
        ) as client,
        client.presence.beating(interval_seconds=NEVER),
    ):
        assert came.wait(PATIENCE_SECONDS)
    assert allowed == [dict.fromkeys(("connect", "read", "write", "pool"), 2)]


def test_a_step_that_cannot_be_broken_off_is_not_waited_for() -> None:
    """A name that is looked up without a network takes longer than any time-out; what was begun takes no further step."""
    begun, gate = threading.Event(), threading.Event()
    steps: list[int] = []

    def step() -> float | None:
        steps.append(1)
        begun.set()
        assert gate.wait(PATIENCE_SECONDS)
        return AT_ONCE

    background = Background(step, name="livecore-stuck", most_stopping_seconds=0.01)
    background.start()
    assert begun.wait(PATIENCE_SECONDS)
    (stuck,) = (thread for thread in threading.enumerate() if thread.name == "livecore-stuck")
    background.stop()
    assert stuck.is_alive()
    begun.clear()
    background.start()  # another one, that the first one does not disturb
    assert begun.wait(PATIENCE_SECONDS)
    gate.set()
    stuck.join(PATIENCE_SECONDS)
    background.stop()
    assert not stuck.is_alive()
