"""The sender's main way: due deliveries are leased, signed, posted and recorded, each at least once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from examples.own_server import free_port
from livecore.access.directory import delete_game
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.time import DAY, HOUR, SECOND
from livecore_client.webhooks import WebhookVerificationError
from livecore_server.background.webhooks import SenderOptions
from tests.delivery.receivers import answering, in_turn, receiver
from tests.delivery.rig import KIND, Deployment, Recorder, play

ONE_AT_A_TIME = SenderOptions(under_way=1)


def test_an_event_arrives_signed(tmp_path: Path) -> None:
    """What arrives verifies with the endpoint's secret, and says what happened, where and when."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            added = await made.add(hook.url)
            await made.emit()
            async with made.sender():
                request = await hook.next()
                await made.until_all("delivered")
        event = request.event(added.secret, now=made.now)
        assert request.line == "POST /hook HTTP/1.1"
        assert request.headers["content-type"] == "application/json"
        assert request.headers["user-agent"].startswith("Livecore-Webhooks/")
        assert "x-svc-webhook-test" not in request.headers
        assert (event.event_name, event.delivery_attempt) == (KIND, 1)
        assert (event.game_id, event.studio_id) == (made.games[0].game_id, made.games[0].studio_id)
        with pytest.raises(WebhookVerificationError):
            request.event("whsec_another", now=made.now)

    play(tmp_path, scenario)


def test_nothing_of_a_deleted_game_is_sent(tmp_path: Path) -> None:
    """What waits when the game is deleted waits for ever, also where a sender knows the game; another game's arrives."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as gone, receiver() as hook, made.sender() as sender:
            await made.add(gone.url)
            await made.add(hook.url, scope=made.other_scope)
            game = made.games[0]
            await made.executor.write(DIRECTORY, lambda tx: delete_game(tx, game, made.now))
            await sender.look_around()
            await made.emit()
            sender.wake(made.scope)
            await made.emit(scope=made.other_scope)
            sender.wake(made.other_scope)
            await hook.next()
            await made.until_all("delivered", scope=made.other_scope)
        assert [row.attempt for row in made.deliveries()] == [0]

    play(tmp_path, scenario)


def test_waking_delivers_without_a_poll(tmp_path: Path) -> None:
    """An event that is committed while the sender sleeps is sent when the host wakes it."""

    async def never(event: asyncio.Event, seconds: float) -> None:
        assert 0 <= seconds <= 2.0
        await event.wait()

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender(wait=never) as sender:
            await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            await hook.next()
            await made.until_all("delivered")

    play(tmp_path, scenario)


def test_a_poll_finds_what_nobody_announced(tmp_path: Path) -> None:
    """What another process wrote, in a game that it made, is sent after the next poll."""
    poll = asyncio.Event()

    async def by_hand(event: asyncio.Event, seconds: float) -> None:
        waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(poll.wait())]
        _, left = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in left:
            task.cancel()
        poll.clear()
        assert seconds <= 2.0

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender(wait=by_hand):
            await made.make_game()
            scope = made.other_scope
            await made.add(hook.url, scope=scope)
            await made.emit(scope=scope)
            poll.set()
            await hook.next()
            await made.until_all("delivered", scope=scope)

    play(tmp_path, scenario)


def test_the_sleep_ends_when_the_next_delivery_is_due(tmp_path: Path) -> None:
    """A second before a retry is due the sender sleeps for a second, and is then on time."""
    slept: list[float] = []
    sleeping = asyncio.Event()

    async def recorded(event: asyncio.Event, seconds: float) -> None:
        slept.append(seconds)
        sleeping.set()
        await event.wait()

    async def scenario(made: Deployment) -> None:
        async with receiver(in_turn(answering(500), answering(200))) as hook:
            await made.add(hook.url)
            await made.emit()
            async with made.sender():
                await hook.next()
                await made.until_attempts(1)
            due_at = made.deliveries()[0].due_at
            assert due_at is not None
            made.now = due_at - SECOND
            async with made.sender(wait=recorded) as sender:
                while 1.0 not in slept:
                    sleeping.clear()
                    await sleeping.wait()
                made.now = due_at
                sender.wake(made.scope)
                await hook.next()
                await made.until_all("delivered")

    play(tmp_path, scenario)


def test_a_retry_is_the_same_event_signed_anew(tmp_path: Path) -> None:
    """The second attempt has the same id and payload, the next number, and the signature of its own moment."""

    async def scenario(made: Deployment) -> None:
        async with receiver(in_turn(answering(500), answering(204))) as hook, made.sender() as sender:
            added = await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            first = await hook.next()
            await made.until_attempts(1)
            row = made.deliveries()[0]
            assert (row.last_status, row.last_error) == (500, "the endpoint answered 500")
            assert row.due_at is not None
            assert 30 * SECOND <= row.due_at - made.now <= 33 * SECOND
            early = made.now
            made.now += HOUR
            sender.wake(made.scope)
            second = await hook.next()
            await made.until_all("delivered")
        one, two = first.event(added.secret, now=early), second.event(added.secret, now=made.now)
        assert (one.id, one.data, one.occurred_at) == (two.id, two.data, two.occurred_at)
        assert (one.delivery_attempt, two.delivery_attempt) == (1, 2)
        with pytest.raises(WebhookVerificationError):
            first.event(added.secret, now=made.now)

    play(tmp_path, scenario)


def test_after_the_sixth_retry_a_delivery_has_failed(tmp_path: Path) -> None:
    """Seven attempts are made in all, and then none."""

    async def scenario(made: Deployment) -> None:
        async with receiver(answering(503)) as hook, made.sender() as sender:
            await made.add(hook.url)
            await made.emit()
            for attempt in range(1, 8):
                sender.wake(made.scope)
                await hook.next()
                await made.until_attempts(attempt)
                made.now += 2 * DAY
            assert [row.status for row in made.deliveries()] == ["failed"]
            assert [json.loads(request.body)["deliveryAttempt"] for request in hook.received] == list(range(1, 8))

    play(tmp_path, scenario)


def test_retry_after_is_honoured_up_to_the_next_step(tmp_path: Path) -> None:
    """A 429 that asks for a minute gets it; one that asks for a day gets the schedule's next step."""

    async def scenario(made: Deployment) -> None:
        patient = in_turn(answering(429, "Retry-After: 60"), answering(429, "Retry-After: 86400"))
        async with receiver(patient) as hook, made.sender(options=ONE_AT_A_TIME) as sender:
            await made.add(hook.url)
            await made.emit(2)
            sender.wake(made.scope)
            await made.until_attempts(2)
            waits = [(row.due_at or 0) - made.now for row in made.deliveries()]
            assert 60 * SECOND <= waits[0] <= 66 * SECOND
            assert 120 * SECOND <= waits[1] <= 132 * SECOND

    play(tmp_path, scenario)


def test_an_endpoint_that_nobody_answers_at_is_retried(tmp_path: Path) -> None:
    """A refused connection is a failure like any other, and is reported under its name."""

    async def scenario(made: Deployment) -> None:
        recorder = Recorder()
        await made.add(f"http://localhost:{free_port()}/")
        await made.emit()
        async with made.sender(observer=recorder):
            await made.until_attempts(1)
        assert recorder.results == ["connection_failed"]
        assert made.deliveries()[0].last_error == "connection_failed"
        assert recorder.counts[-1] == 0

    play(tmp_path, scenario)
