"""A slow receiver delays only itself: not another endpoint, not another game, whatever it does with its connections."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from livecore.webhooks.endpoint import MAX_IN_FLIGHT
from livecore_server.background.webhooks import NameService, SenderOptions
from tests.delivery.receivers import answering, receiver, waiting_for
from tests.delivery.rig import Deployment, Recorder, play
from tests.patience import let_pass


def test_at_most_four_are_under_way_to_one_endpoint(tmp_path: Path) -> None:
    """While four answers are open a fifth attempt does not begin; each answer lets one more begin."""

    async def scenario(made: Deployment) -> None:
        answer = asyncio.Event()
        async with receiver(waiting_for(answer, answering(200))) as hook, made.sender() as sender:
            await made.add(hook.url)
            await made.emit(11)
            sender.wake(made.scope)
            for _ in range(MAX_IN_FLIGHT):
                await hook.next()
            # Two more rounds of looking: nothing may come of them.
            for _ in range(2):
                await made.emit()
                sender.wake(made.scope)
            assert len(hook.received) == MAX_IN_FLIGHT
            answer.set()
            await made.executor.until(lambda: all(row.status == "delivered" for row in made.deliveries()))
            assert len(hook.received) == 13
            assert hook.most_open_requests == MAX_IN_FLIGHT

    play(tmp_path, scenario)


def test_a_slow_endpoint_delays_neither_its_neighbour_nor_another_game(tmp_path: Path) -> None:
    """While one endpoint answers nothing, the other of the same game and one of another game get everything."""

    async def scenario(made: Deployment) -> None:
        never = asyncio.Event()
        hang = waiting_for(never, answering(200))
        async with receiver(hang) as slow, receiver() as near, receiver() as far, made.sender() as sender:
            await made.add(slow.url, key="slow")
            await made.add(near.url, key="near")
            await made.add(far.url, scope=made.other_scope)
            await made.emit(12)
            await made.emit(12, scope=made.other_scope)
            sender.wake(made.scope)
            sender.wake(made.other_scope)
            for _ in range(12):
                await near.next()
                await far.next()
            assert len(slow.received) == MAX_IN_FLIGHT
            assert {row.status for row in made.deliveries()} <= {"pending", "delivered"}
            never.set()
            await made.until_all("delivered")

    play(tmp_path, scenario)


def test_the_cap_of_the_process_leaves_room_for_the_next_game(tmp_path: Path) -> None:
    """A game whose endpoints all hang takes at most half of what may be under way; the other game goes on."""

    async def scenario(made: Deployment) -> None:
        never = asyncio.Event()
        recorder = Recorder()
        options = SenderOptions(under_way=8)
        hang = waiting_for(never, answering(200))
        async with receiver(hang) as slow, receiver() as far:
            for number in range(5):
                await made.add(slow.url, key=f"slow {number}")
            await made.add(far.url, scope=made.other_scope)
            await made.emit(3)
            async with made.sender(options=options, observer=recorder) as sender:
                for _ in range(4):
                    await slow.next()
                await made.emit(20, scope=made.other_scope)
                sender.wake(made.other_scope)
                for _ in range(20):
                    await far.next()
                await made.until_all("delivered", scope=made.other_scope)
                held_back = len(slow.received)
                never.set()
                await made.until_all("delivered")
            assert held_back <= 7
            assert len(slow.received) == 15
            assert max(recorder.counts) <= 8

    play(tmp_path, scenario)


def test_a_slow_name_server_holds_up_its_own_name_alone(tmp_path: Path) -> None:
    """While nobody answers for one name, attempts at it share one look-up, and other endpoints are served."""
    asked: list[str] = []

    async def scenario(made: Deployment) -> None:
        answers = NameAnswers(asked)
        names = NameService(answers.lookup, threads=2)
        async with receiver() as near, made.sender(names=names, timeout_seconds=60.0) as sender:
            await made.add("https://slow.example/", key="slow")
            await made.add(near.url, key="near")
            await made.emit(4)
            sender.wake(made.scope)
            for _ in range(4):
                await near.next()
            await made.until_attempts(4)
            let_pass(60.0)
            await made.until_attempts(8)
            answers.release()
        assert asked == ["slow.example"]
        assert [row.last_error for row in made.deliveries() if row.status == "pending"] == ["timeout"] * 4

    play(tmp_path, scenario)


class NameAnswers:
    """A name server that answers once it is released."""

    def __init__(self, asked: list[str]) -> None:
        self._asked = asked
        self._released = threading.Event()

    def lookup(self, host: str) -> list[str]:
        """No address, after a long time."""
        self._asked.append(host)
        self._released.wait()
        raise OSError("no such name")

    def release(self) -> None:
        """Let every look-up end."""
        self._released.set()
