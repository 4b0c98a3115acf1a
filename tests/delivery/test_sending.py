"""The sender's main way: due deliveries are leased, signed, posted and recorded, each at least once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from livecore.kernel.time import DAY, HOUR, SECOND
from livecore.webhooks import endpoints, outbox
from livecore.webhooks.delivery import LEASE
from livecore_client.webhooks import WebhookVerificationError
from livecore_server.vault import KeyVault
from livecore_server.webhooks import SenderOptions
from tests.delivery.receivers import answering, closed_port, in_turn, receiver, waiting_for
from tests.delivery.rig import KIND, VAULT, Deployment, Recorder, ids, play

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


def test_waking_delivers_without_a_poll(tmp_path: Path) -> None:
    """An event that is committed while the sender sleeps is sent when the host wakes it."""

    async def never(event: asyncio.Event, seconds: float) -> None:
        assert 0 <= seconds <= 5.0
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
        assert seconds <= 5.0

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
    """Three seconds before a retry is due the sender sleeps for three seconds, and is then on time."""
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
            made.now = due_at - 3 * SECOND
            async with made.sender(wait=recorded) as sender:
                while 3.0 not in slept:
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


def test_gone_pauses_the_endpoint(tmp_path: Path) -> None:
    """After 410 nothing more is sent there, and what was under way is kept."""

    async def scenario(made: Deployment) -> None:
        async with receiver(answering(410)) as hook, made.sender(options=ONE_AT_A_TIME) as sender:
            added = await made.add(hook.url)
            await made.emit(2)
            sender.wake(made.scope)
            await made.executor.until(lambda: made.endpoint(added.endpoint.endpoint_id).status == "paused")
            await made.executor.until(lambda: [row.status for row in made.deliveries()][1] == "held")
            assert made.endpoint(added.endpoint.endpoint_id).pause_reason == "gone"
            assert len(hook.received) == 1

    play(tmp_path, scenario)


def test_a_pause_keeps_events_and_its_end_sends_the_oldest_first(tmp_path: Path) -> None:
    """Nothing arrives while paused; afterwards everything does, in the order in which it happened."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender(options=ONE_AT_A_TIME) as sender:
            added = await made.add(hook.url)
            await made.unit(lambda unit: endpoints.pause(unit, "first"))
            await made.emit(5)
            sender.wake(made.scope)
            made.now += DAY
            await made.unit(lambda unit: endpoints.unpause(unit, "first"))
            assert hook.received == []
            await made.run_due()
            await made.emit()
            sender.wake(made.scope)
            await made.until_all("delivered")
            order = [row.event_id for row in made.deliveries()]
            assert ids([request.body for request in hook.received]) == order
            assert len(order) == 6
            assert hook.received[0].event(added.secret, now=made.now).delivery_attempt == 1

    play(tmp_path, scenario)


def test_what_comes_due_during_a_pause_is_held(tmp_path: Path) -> None:
    """A retry that was waiting when the pause began is not sent before the pause ends."""

    async def scenario(made: Deployment) -> None:
        async with receiver(in_turn(answering(500), answering(200))) as hook, made.sender() as sender:
            await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            await made.until_attempts(1)
            await made.unit(lambda unit: endpoints.pause(unit, "first"))
            made.now += HOUR
            sender.wake(made.scope)
            await made.until_all("held")
            await made.unit(lambda unit: endpoints.unpause(unit, "first"))
            await made.run_due()
            sender.wake(made.scope)
            await made.until_all("delivered")
            assert len(hook.received) == 2

    play(tmp_path, scenario)


def test_a_trip_is_told_to_the_other_endpoint_once(tmp_path: Path) -> None:
    """Five failing deliveries pause their endpoint; the other gets one `webhook.endpoint.failed`, the failing one none."""

    async def scenario(made: Deployment) -> None:
        recorder = Recorder()
        async with receiver(answering(500)) as bad, receiver() as good, made.sender(observer=recorder) as sender:
            failing = await made.add(bad.url, key="bad")
            other = await made.add(good.url, key="good", events=("webhook.endpoint.failed",))
            await made.emit(5)
            sender.wake(made.scope)
            told = (await good.next()).event(other.secret, now=made.now)
            await made.executor.until(
                lambda: all(row.leased_until is None and row.attempt for row in made.deliveries())
            )
            assert told.event_name == "webhook.endpoint.failed"
            assert told.raw["data"] == {
                "endpointId": failing.endpoint.endpoint_id,
                "endpointKey": "bad",
                "url": bad.url,
                "consecutiveFailures": 5,
                "threshold": 5,
                "lastStatus": 500,
                "lastError": "the endpoint answered 500",
                "reason": "consecutive_failures",
            }
            assert made.endpoint(failing.endpoint.endpoint_id).pause_reason == "consecutive_failures"
            made.now += HOUR
            sender.wake(made.scope)
            await made.executor.until(lambda: all(row.status in {"held", "delivered"} for row in made.deliveries()))
            assert len(good.received) == 1
            assert recorder.trips == 1
            assert len(bad.received) == 5

    play(tmp_path, scenario)


def test_a_sample_is_marked_and_leaves_the_breaker_alone(tmp_path: Path) -> None:
    """A sample is signed and carries its header; five that fail pause nothing, and none is retried."""

    async def scenario(made: Deployment) -> None:
        async with receiver(answering(500)) as hook, made.sender() as sender:
            added = await made.add(hook.url, events=("gift.sent",))
            for _ in range(6):
                await made.unit(lambda unit: endpoints.send_sample(unit, "first", "friend.removed"))
            sender.wake(made.scope)
            request = await hook.next()
            await made.until_all("failed")
            assert request.headers["x-svc-webhook-test"] == "1"
            assert request.event(added.secret, now=made.now).event_name == "friend.removed"
            assert made.endpoint(added.endpoint.endpoint_id).status == "active"
            assert len(hook.received) == 6

    play(tmp_path, scenario)


def test_a_replay_sends_the_same_event_once_more(tmp_path: Path) -> None:
    """Same id, attempts counted on, and no retry when it fails."""

    async def scenario(made: Deployment) -> None:
        async with receiver(in_turn(answering(200), answering(500))) as hook, made.sender() as sender:
            added = await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            first = await hook.next()
            await made.until_all("delivered")
            await made.unit(lambda unit: endpoints.replay(unit, made.deliveries()[0].delivery_id))
            sender.wake(made.scope)
            second = await hook.next()
            await made.until_all("failed")
        one, two = (request.event(added.secret, now=made.now) for request in (first, second))
        assert one.id == two.id
        assert (one.delivery_attempt, two.delivery_attempt) == (1, 2)

    play(tmp_path, scenario)


def test_secrets_overlap_for_a_day_after_a_rotation(tmp_path: Path) -> None:
    """Within 24 hours a delivery carries two signatures, either secret proves it; afterwards only the new one does."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender() as sender:
            old = await made.add(hook.url)
            new = await made.unit(lambda unit: endpoints.rotate_endpoint_secret(unit, VAULT, "first"))
            await made.emit()
            sender.wake(made.scope)
            during, then = await hook.next(), made.now
            await made.until_all("delivered")
            made.now += DAY
            await made.emit()
            sender.wake(made.scope)
            after = await hook.next()
            await made.until_all("delivered")
        assert during.headers["x-signature"].count("v1=") == 2
        assert during.event(old.secret, now=then) == during.event(new.secret, now=then)
        assert after.headers["x-signature"].count("v1=") == 1
        assert after.event(new.secret, now=made.now).event_name == KIND
        with pytest.raises(WebhookVerificationError):
            after.event(old.secret, now=made.now)

    play(tmp_path, scenario)


def test_a_wrong_vault_key_delays_and_blames_nobody(tmp_path: Path) -> None:
    """Where no configured key opens the secret nothing is sent or counted; with the right key it is delivered."""

    async def scenario(made: Deployment) -> None:
        recorder = Recorder()
        async with receiver() as hook:
            added = await made.add(hook.url)
            await made.emit()
            async with made.sender(vault=KeyVault([b"x" * 32]), observer=recorder):
                await made.executor.until(lambda: made.deliveries()[0].leased_until is not None)
            assert recorder.unsealed == 1
            assert made.deliveries()[0].attempt == 0
            made.now += LEASE
            async with made.sender():
                assert (await hook.next()).event(added.secret, now=made.now).delivery_attempt == 1
                await made.until_all("delivered")

    play(tmp_path, scenario)


def test_a_lease_that_its_sender_lost_lapses(tmp_path: Path) -> None:
    """A process that dies between lease and sending loses nothing: a minute later another one sends."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            await made.add(hook.url)
            await made.emit()
            leased = await made.unit(lambda unit: outbox.lease_due(unit, 10))
            assert len(leased) == 1
            async with made.sender() as sender:
                sender.wake(made.scope)
                await made.emit()
                sender.wake(made.scope)
                await hook.next()
                await made.executor.until(lambda: made.deliveries()[1].status == "delivered")
                assert len(hook.received) == 1
                made.now += LEASE
                sender.wake(made.scope)
                assert (await hook.next()).body == leased[0].body
                await made.until_all("delivered")

    play(tmp_path, scenario)


def test_an_outcome_that_was_lost_is_delivered_again(tmp_path: Path) -> None:
    """A process that dies after the answer and before the record sends again: same event, same attempt."""

    async def scenario(made: Deployment) -> None:
        answer = asyncio.Event()
        async with receiver(waiting_for(answer, answering(200))) as hook:
            added = await made.add(hook.url)
            await made.emit()
            async with made.sender():
                first = await hook.next()
                made.executor.dead = True
                answer.set()
            made.executor.dead = False
            assert made.deliveries()[0].status == "pending"
            made.now += LEASE
            async with made.sender():
                second = await hook.next()
                await made.until_all("delivered")
        assert first.body == second.body
        assert second.event(added.secret, now=made.now).delivery_attempt == 1

    play(tmp_path, scenario)


def test_stopping_waits_for_what_is_under_way(tmp_path: Path) -> None:
    """A stop takes nothing on, and ends once the answer has come and is recorded."""

    async def scenario(made: Deployment) -> None:
        answer = asyncio.Event()
        async with receiver(waiting_for(answer, answering(200))) as hook:
            await made.add(hook.url)
            await made.emit(6)
            async with made.sender() as sender:
                for _ in range(4):
                    await hook.next()
                stopping = asyncio.ensure_future(sender.stop())
                await asyncio.sleep(0)
                assert not stopping.done()
                answer.set()
                await stopping
                sender.wake(made.scope)
            assert [row.status for row in made.deliveries()] == ["delivered"] * 4 + ["pending"] * 2

    play(tmp_path, scenario)


def test_an_endpoint_that_nobody_answers_at_is_retried(tmp_path: Path) -> None:
    """A refused connection is a failure like any other, and is reported under its name."""

    async def scenario(made: Deployment) -> None:
        recorder = Recorder()
        await made.add(f"http://localhost:{closed_port()}/")
        await made.emit()
        async with made.sender(observer=recorder):
            await made.until_attempts(1)
        assert recorder.results == ["connection_failed"]
        assert made.deliveries()[0].last_error == "connection_failed"
        assert recorder.counts[-1] == 0

    play(tmp_path, scenario)
