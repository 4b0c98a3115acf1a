"""What operators and breakers do to endpoints, as a receiver sees it: pauses, samples, replays and rotations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from livecore.kernel.time import DAY, HOUR
from livecore.kernel.units.unit import Unit
from livecore.webhooks import dispatch, endpoints, outbox
from livecore.webhooks.outcome import answered
from livecore.webhooks.refusals import WebhookEndpointNotFound, WebhookStateConflict
from livecore_client.webhooks import WebhookVerificationError
from livecore_server.background.webhooks import SenderOptions
from tests.delivery.receivers import answering, in_turn, receiver
from tests.delivery.rig import KIND, VAULT, Deployment, Recorder, ids, play
from tests.samples import sample

ONE_AT_A_TIME = SenderOptions(under_way=1)


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


def test_what_belongs_to_a_removed_endpoint_is_not_replayed(tmp_path: Path) -> None:
    """A delivery outlives its endpoint in the list, and cannot be sent to it any more."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, made.sender() as sender:
            await made.add(hook.url)
            await made.emit()
            sender.wake(made.scope)
            await made.until_all("delivered")
            await made.unit(lambda unit: endpoints.remove_endpoint(unit, "first"))
            with pytest.raises(WebhookEndpointNotFound):
                await made.unit(lambda unit: endpoints.replay(unit, made.deliveries()[0].delivery_id))

    play(tmp_path, scenario)


def test_removing_an_endpoint_discards_what_was_on_its_way(tmp_path: Path) -> None:
    """Nothing of it is ever due again, a late answer is nobody's, and after thirty days it is forgotten, events and all."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            await made.add(hook.url)
            await made.emit()
            (attempt,) = await made.unit(lambda unit: dispatch.lease_due(unit, 10))
            await made.unit(lambda unit: endpoints.pause(unit, "first"))
            await made.emit()
            await made.unit(lambda unit: endpoints.remove_endpoint(unit, "first"))
            assert [row.status for row in made.deliveries()] == ["discarded", "discarded"]
            assert await made.unit(dispatch.next_due) is None
            done = answered(204, now=made.now)
            await made.unit(lambda unit: dispatch.record_attempt(unit, attempt.delivery_id, attempt.number, done))
            assert {row.status for row in made.deliveries()} == {"discarded"}
            made.now += 31 * DAY
            await made.unit(outbox.SWEEP.start_now)
            assert made.deliveries() == []
            assert made.store.read(made.scope, lambda tx: tx.get(outbox.EVENTS, attempt_event(attempt))) is None

    play(tmp_path, scenario)


def attempt_event(attempt: dispatch.Attempt) -> str:
    """The id of the event that an attempt carries."""
    return str(json.loads(attempt.body)["id"])


def test_what_was_held_for_thirty_days_is_given_up(tmp_path: Path) -> None:
    """When a pause ends after more than that, the receiver hears of what is younger and of nothing older."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            await made.add(hook.url)
            await made.unit(lambda unit: endpoints.pause(unit, "first"))
            await made.emit()
            made.now += DAY
            await made.emit()
            made.now += 29 * DAY
            await made.unit(lambda unit: endpoints.unpause(unit, "first"))
            assert [row.status for row in made.deliveries()] == ["discarded", "pending"]
            with pytest.raises(WebhookStateConflict, match="was discarded"):
                await made.unit(lambda unit: endpoints.replay(unit, made.deliveries()[0].delivery_id))

    play(tmp_path, scenario)


def _emit_many(unit: Unit) -> None:
    for _ in range(101):
        unit.emit(sample(KIND))


def test_a_long_pause_ends_in_batches(tmp_path: Path) -> None:
    """More than one unit of work may take is released by due work, and still before what is new."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            await made.add(hook.url)
            await made.unit(lambda unit: endpoints.pause(unit, "first"))
            await made.unit(_emit_many)
            await made.unit(lambda unit: endpoints.unpause(unit, "first"))
            assert sum(row.status == "held" for row in made.deliveries()) == 1
            await made.run_due()
            assert {row.status for row in made.deliveries()} == {"pending"}

    play(tmp_path, scenario)
