"""A server that others reach is for production unless told otherwise: no test endpoint reaches the server's own machine."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.outcome import Outcome
from livecore_server import running
from livecore_server.background.webhooks import NameService, Poster
from livecore_server.production import production_of
from livecore_server.settings import Settings
from livecore_server.system import now_millis
from tests.delivery.receivers import receiver
from tests.server.serving import make_game, serving
from tests.server.test_operators_at_once import signed_in

EVERYWHERE = ["0.0.0.0"]  # noqa: S104 - nothing listens there
LIVE = "https://live.example.com"


@pytest.mark.parametrize(
    ("settings", "hosts", "on", "says"),
    [
        ({}, ["127.0.0.1"], False, "only this machine reaches it"),
        ({}, ["localhost", "::1", "127.8.8.8"], False, "only this machine reaches it"),
        ({"public_url": "http://localhost:8787"}, ["127.0.0.1"], False, "only this machine reaches it"),
        ({"public_url": LIVE}, ["127.0.0.1"], True, f"its public URL is {LIVE}"),
        ({"public_url": LIVE.upper()}, ["127.0.0.1"], True, f"its public URL is {LIVE}"),
        ({}, EVERYWHERE, True, "it listens on 0.0.0.0"),
        ({}, ["127.0.0.1", "::"], True, "it listens on ::"),
        ({}, ["game.internal"], True, "it listens on game.internal"),
        ({"production": True}, ["127.0.0.1"], True, "--production or LIVECORE_PRODUCTION says so"),
        (
            {"production": False, "public_url": LIVE},
            EVERYWHERE,
            False,
            "--no-production or LIVECORE_PRODUCTION says so",
        ),
    ],
)
def test_what_others_reach_is_for_production_unless_told_otherwise(
    settings: dict[str, Any], hosts: list[str], on: bool, says: str
) -> None:
    """An https address for browsers, or an address that is not of this machine alone; and one line says why."""
    found = production_of(Settings(**settings), hosts)
    assert found.on is on
    line = found.line(key_beside_data=False)
    assert says in line
    assert line.startswith("for production" if on else "not for production")
    assert ("--no-production says otherwise" in line) is (on and not found.is_set)
    assert ("can call what listens on this machine" in line) is (not on and found.reachable)
    assert ("LIVECORE_VAULT_KEY" in found.line(key_beside_data=True)) is on


@pytest.mark.parametrize(
    ("settings", "status"), [({}, 201), ({"public_url": LIVE}, 400), ({"public_url": LIVE, "production": False}, 201)]
)
def test_a_test_endpoint_of_a_server_that_others_reach_is_not_on_it(
    tmp_path: Path, settings: dict[str, Any], status: int
) -> None:
    """Whoever develops on their own machine has a receiver there."""

    async def scenario() -> None:
        async with serving(tmp_path, **settings) as server:
            headers = await signed_in(server)
            game = server.game.game
            path = f"/admin/v1/studios/{game.studio_id}/games/{game.game_id}/webhooks?environment=test"
            if settings:
                headers["Cookie"] = f"__Host-{headers['Cookie']}"
            reply = await server.ask("POST", path, {"url": "http://localhost:6379/"}, headers=headers)
            assert reply.status == status, reply
            if status == 400:
                assert reply.json["error"]["details"] == {"fields": {"url": "must begin with https://"}}

    asyncio.run(scenario())


def test_in_production_a_delivery_does_not_tell_which_ports_are_open() -> None:
    """To this machine, by any spelling, the outcome is the same for a port where something listens and for one where not."""

    async def outcomes() -> set[Outcome]:
        names = NameService(lambda _: ["127.0.0.1"])
        poster = Poster(NetworkRules(production=True), now=now_millis, names=names)
        await poster.open()
        with socket.create_server(("127.0.0.1", 0)) as closed:
            unused = closed.getsockname()[1]
        found: set[Outcome] = set()
        async with receiver() as listening:
            open_port = int(listening.url.rpartition(":")[2].partition("/")[0])
            for port in (open_port, unused):
                for url in (
                    "http://localhost",
                    "http://127.0.0.1",
                    "http://[::1]",
                    "https://127.0.0.1",
                    "https://a.example",
                ):
                    found.add(await poster.post("test", f"{url}:{port}/in", {}, b"{}"))
        await poster.close()
        return found

    (outcome,) = asyncio.run(outcomes())
    assert (outcome.delivered, outcome.status) == (False, None)
    assert outcome.error == "address_refused"


def test_the_log_says_once_which_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, beside the line that says where it listens."""
    monkeypatch.setattr(running, "settle_process", lambda: None)
    database = f"sqlite:///{tmp_path / 'game.db'}"
    make_game(database)
    for public_url, said in ((None, "not for production, because only"), (LIVE, "for production, because its")):
        chosen = Settings(database=database, port=0, public_url=public_url)
        running.run_service(chosen, lambda _: os.kill(os.getpid(), signal.SIGTERM), ends_process=False)
        assert capsys.readouterr().err.count(f" {said}") == 1
