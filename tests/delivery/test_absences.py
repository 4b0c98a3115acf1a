"""A receiver that is away: a restart pauses nothing, a long absence does, and whoever reads of it learns the way out."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import get_args

import pytest

from examples.own_server import free_port
from livecore.kernel.scope import Scope
from livecore.kernel.storage.records import JsonText
from livecore.kernel.time import MINUTE, SECOND
from livecore.webhooks import endpoints
from livecore.webhooks.endpoint import BreakerState, EndpointState
from livecore.webhooks.outbox import Endpoint, with_endpoint_state
from livecore.webhooks.outcome import unanswered
from livecore_server.background.webhooks import Sender, SenderOptions
from livecore_server.background.webhooks.paused import notice_of_pause, unpause_command
from tests.delivery.receivers import answering, receiver, saying_then_hanging
from tests.delivery.rig import START, Deployment, Kind, ids, play
from tests.server.commands import Command

KINDS: tuple[Kind, ...] = get_args(Kind)
LONGEST_FIRST_WAIT = 33 * SECOND
"""The schedule's first step with all of its random part."""


async def tried(made: Deployment, sender: Sender) -> None:
    """Let the sender try all that is due, and wait until each outcome is recorded."""
    sender.wake(made.scope)

    def done() -> bool:
        rows = [row for row in made.deliveries() if row.status == "pending"]
        return all(row.leased_until is None and (row.due_at or 0) > made.now for row in rows)

    await made.executor.until(done)


@pytest.mark.parametrize("kind", KINDS)
def test_a_receiver_that_is_restarted_is_not_paused(tmp_path: Path, kind: Kind) -> None:
    """Two seconds without a listener while twelve events flow: each arrives once, within the first retry's wait."""
    port = free_port()

    async def scenario(made: Deployment) -> None:
        async with made.sender() as sender:
            async with receiver(port=port) as before:
                added = await made.add(before.url)
                await made.emit()
                await tried(made, sender)
            for _ in range(12):
                await made.emit()
                await tried(made, sender)
                made.now += 2 * SECOND // 12
            assert made.endpoint(added.endpoint.endpoint_id).status == "active"
            async with receiver(port=port) as after:
                made.now += LONGEST_FIRST_WAIT
                sender.wake(made.scope)
                await made.until_all("delivered")
            happened = [row.event_id for row in made.deliveries()]
            assert ids([request.body for request in before.received]) == happened[:1]
            assert sorted(ids([request.body for request in after.received])) == happened[1:]
            assert made.endpoint(added.endpoint.endpoint_id).breaker == ""

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_burst_that_finds_nobody_counts_once(tmp_path: Path, kind: Kind) -> None:
    """Twelve attempts within a second are one absence, also where outcomes are recorded side by side or by two senders."""

    async def scenario(made: Deployment) -> None:
        added = await made.add(f"http://127.0.0.1:{free_port()}/hook")
        for _ in range(2):  # the second sender knows nothing of the first but what is stored
            await made.emit(6)
            async with made.sender() as sender:
                await tried(made, sender)
        endpoint = made.endpoint(added.endpoint.endpoint_id)
        assert (endpoint.status, len(endpoint.breaker.split())) == ("active", 1)

    play(tmp_path, scenario, kind)


def test_a_receiver_that_never_answers_is_paused_in_the_end(tmp_path: Path) -> None:
    """It accepts connections and says nothing, so that each attempt takes all its time: the fifth minute is its last."""

    async def scenario(made: Deployment) -> None:
        async with receiver(saying_then_hanging("")) as hook, made.sender(timeout_seconds=0.05) as sender:
            added = await made.add(hook.url)
            for _ in range(5):
                assert made.endpoint(added.endpoint.endpoint_id).status == "active"
                await made.emit(3)
                await tried(made, sender)
                made.now += MINUTE
            endpoint = made.endpoint(added.endpoint.endpoint_id)
            assert (endpoint.status, endpoint.pause_reason) == ("paused", "consecutive_failures")

    play(tmp_path, scenario)


def test_the_end_of_a_pause_sends_at_once_what_waited_for_a_retry(tmp_path: Path) -> None:
    """After a long absence an operator unpauses: nothing waits for the hours that its schedule has reached."""
    port = free_port()

    async def scenario(made: Deployment) -> None:
        added = await made.add(f"http://127.0.0.1:{port}/hook")
        async with made.sender() as sender:
            while made.endpoint(added.endpoint.endpoint_id).status == "active":
                await made.emit()
                await tried(made, sender)
                made.now += MINUTE
            assert made.now < START + 5 * MINUTE + SECOND
            await made.emit()
            async with receiver(port=port) as hook:
                await made.unit(lambda unit: endpoints.unpause(unit, "first"))
                sender.wake(made.scope)
                await made.until_all("delivered")
                assert sorted(ids([request.body for request in hook.received])) == [
                    row.event_id for row in made.deliveries()
                ]

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    ("answer", "because", "count"),
    [
        (500, "keeps failing", "5 deliveries in a row failed, and "),
        (410, "answered that it is gone (410)", ""),
    ],
)
def test_a_pause_is_told_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: int, because: str, count: str
) -> None:
    """What the sender says has the last answer, the address, and the command that sends again, and it does."""
    told: list[str] = []

    async def scenario(made: Deployment) -> None:
        options = SenderOptions(database=f"sqlite:///{tmp_path / 'delivery.db'}")
        async with receiver(answering(answer)) as hook, made.sender(options=options, tell=told.append) as sender:
            added = await made.add(f"{hook.url}?token=secret")
            await made.emit(6)
            await tried(made, sender)
            (notice,) = told
            host = hook.url.rpartition("/")[0]
            assert notice.startswith(f"endpoint {added.endpoint.endpoint_id} {because} and was paused; ")
            assert f"; {count}the last attempt, to {host}, was answered {answer}; its events are kept" in notice
            assert "secret" not in notice
            command = shlex.split(notice.partition(": livecore ")[2])
            await asyncio.to_thread(Command(capsys).done, *command)
            assert made.endpoint(added.endpoint.endpoint_id).status == "active"

    play(tmp_path, scenario)


def test_a_pause_without_an_answer_names_the_fault() -> None:
    """Nor does the line show what stands before the host of an address."""
    state = EndpointState(
        status="paused", pause_reason="consecutive_failures", breaker=BreakerState(("whd_1", "whd_2")), paused_at=START
    )
    row = Endpoint(
        endpoint_id="whe_1", key="first", url="https://me:hunter22@backend.example:8443/in?k=v#f", events=JsonText("[]"),
        secrets=JsonText("[]"), created_at=START,
    )  # fmt: skip
    notice = notice_of_pause(Scope("gam_1", "live"), with_endpoint_state(row, state), unanswered("timeout"))
    assert (
        "; 2 deliveries in a row failed, and the last attempt, to https://backend.example:8443, ended with timeout;"
        in (notice)
    )
    assert "hunter22" not in notice


def test_the_way_out_shows_no_password() -> None:
    """The URL of a database in the command has asterisks where its password stands."""
    command = unpause_command(
        Scope("gam_1", "live"), "whe_1", database="postgresql://me:hunter22@db/x?application_name=a b"
    )
    assert command == (
        "livecore webhooks unpause --database 'postgresql://me:***@db/x?application_name=a b' "
        "--game gam_1 --environment live whe_1"
    )
