"""The examples, run as a reader would run them; the webhook receivers have their own tests in `tests/examples`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from examples.own_server import free_port, own_server
from examples.webhook_receiver import Receiver
from livecore_client import webhooks

ROOT = Path(__file__).parent.parent


def run(*arguments: str, **environment: str) -> str:
    """What a Python program prints, started in the repository; fails when the program does."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_equal_seeds_give_equal_weeks() -> None:
    """The simulated week of a seed is the same to the last letter, however Python hashes; another seed's is not."""
    one = run("examples/simulated_week.py", "1", PYTHONHASHSEED="1")
    assert run("examples/simulated_week.py", "1", PYTHONHASHSEED="2") == one
    assert run("examples/simulated_week.py", "2") != one


def test_the_week_tells_what_happened() -> None:
    """Seven days, twelve players, gifts that came back, and where the gold is."""
    lines = run("examples/simulated_week.py").splitlines()
    assert [line.partition(":")[0] for line in lines[:7]] == [f"day {day}" for day in range(1, 8)]
    assert len(lines) == 7 + 12 + 1
    assert any(" 0 came back" not in line for line in lines[:7])
    assert lines[-1].startswith("gold: ")


def test_the_games_own_tests_pass() -> None:
    """A studio's unit tests run against the world by pytest and the plugin alone."""
    assert " passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/game_tests")


def test_the_walk_through_ends_with_exactly_the_events_that_are_written_down() -> None:
    """Two players go from registering to a claimed gift over HTTP, and the receiver hears of all of it, once and signed."""
    lines = run("-m", "examples.walkthrough").splitlines()
    assert lines[-1] == "13 events came, every signature was right, none is missing and none too much"
    assert sum(line.startswith("    webhook ") for line in lines) == 13


def test_the_walk_through_can_be_told_to_a_server_that_runs_already() -> None:
    """Given an address and keys it plays there, any number of times; given a port and a secret it also receives."""
    with own_server() as server:
        where = [server.base_url, server.client_key, server.server_key]
        assert "Bob claims it" in run("-m", "examples.walkthrough", *where).splitlines()[-1]
        port = str(free_port())
        secret = server.add_webhook(f"http://localhost:{port}/")
        assert run("-m", "examples.walkthrough", *where, port, secret).splitlines()[-1].startswith("13 events came")


def test_the_receiver_takes_an_event_once_and_nothing_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second delivery of an event is answered and not taken; a wrong signature is refused and counted."""
    monkeypatch.setattr("livecore_client.webhooks.time.time", lambda: 1_769_850_000.0)
    event = {
        "id": "evt_1",
        "eventName": "weather.changed",
        "studioId": "std_1",
        "gameId": "gam_1",
        "occurredAt": "2026-01-31T09:00:00.000Z",
        "deliveryAttempt": 1,
        "data": {},
    }
    body = json.dumps(event).encode()
    with Receiver(0, "whsec_right") as receiver:
        for secret, status in (("whsec_right", 204), ("whsec_right", 204), ("whsec_wrong", 400)):
            header = {webhooks.SIGNATURE_HEADER: webhooks.sign([secret], 1_769_850_000, body)}
            assert httpx.post(receiver.url, content=body, headers=header).status_code == status
        assert httpx.post(receiver.url, content=body).status_code == 400
        assert receiver.kinds() == {"weather.changed": 1}
        assert receiver.refused == 2


def test_an_example_is_short_enough_to_be_read() -> None:
    """An example that needs 120 lines needs to be two."""
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "examples").rglob("*.py")}
    assert {name: length for name, length in lengths.items() if length >= 120} == {}
