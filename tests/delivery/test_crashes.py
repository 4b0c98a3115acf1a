"""What happens when somebody dies in the middle: nothing is lost, and nothing is held against the endpoint."""

from __future__ import annotations

import asyncio
from pathlib import Path

from livecore.webhooks import dispatch, endpoints
from livecore.webhooks.delivery import LEASE
from livecore_server.background.webhooks import SenderOptions
from livecore_server.vault import KeyVault
from tests.delivery.receivers import answering, receiver, waiting_for
from tests.delivery.rig import Deployment, Recorder, play

ONE_AT_A_TIME = SenderOptions(under_way=1)


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


def test_new_secrets_help_at_once_where_a_vault_key_is_lost(tmp_path: Path) -> None:
    """The secret before still counts for a day, and cannot be opened any more: what is new signs alone."""

    async def scenario(made: Deployment) -> None:
        recorder, new = Recorder(), KeyVault([b"x" * 32])
        async with receiver() as hook:
            await made.add(hook.url)
            await made.emit()
            once = await made.unit(lambda unit: endpoints.rotate_endpoint_secret(unit, new, "first"))
            async with made.sender(vault=new, observer=recorder):
                sent = await hook.next()
                assert sent.headers["x-signature"].count("v1=") == 1
                assert sent.event(once.secret, now=made.now).delivery_attempt == 1
                await made.until_all("delivered")
            assert recorder.unsealed == 0
            await made.emit()
            old_and_new = KeyVault([b"x" * 32, bytes(range(32))])
            async with made.sender(vault=old_and_new):
                assert (await hook.next()).headers["x-signature"].count("v1=") == 2

    play(tmp_path, scenario)


def test_a_lease_that_its_sender_lost_lapses(tmp_path: Path) -> None:
    """A process that dies between lease and sending loses nothing: a minute later another one sends."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook:
            await made.add(hook.url)
            await made.emit()
            leased = await made.unit(lambda unit: dispatch.lease_due(unit, 10))
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
