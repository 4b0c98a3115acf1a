"""Schemathesis against the operators' surface of a live server, as an owner with a personal key.

The document is behind sign-in, so it is read from a file. Each answer is held against it as in `test_schemathesis`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.access.directory import STUDIOS
from livecore.access.members import add_member
from livecore.access.personal_keys import add_personal_key
from livecore.api.openapi import document
from livecore.api.operations import OPERATIONS
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from livecore_server.system import draw_seed, now_millis
from tests.proofs.documents.test_schemathesis import (
    CONFIG,
    ENVIRONMENT,
    EXAMPLES,
    PHASES,
    UNFIT,
    answered,
    populate,
    settings_for,
    succeed,
)
from tests.server.serving import Server, serving

FURTHER: Final = """
[dictionaries.studios]
values = ["{studio}"]
[dictionaries.environments]
values = ["test"]
[dictionaries.codes]
values = ["race"]
[dictionaries.windows]
values = ["{window}"]
[dictionaries.endpoints]
values = ["{endpoint}"]
[dictionaries.paused]
values = {paused}
[dictionaries.deliveries]
values = ["{delivery}"]
[dictionaries.crewmates]
values = ["{team}"]

[[operations]]
include-path-regex = "/admin/"
[operations.parameters]
"path.studioId" = {{ dictionary = "studios", probability = 0.95 }}
"query.environment" = {{ dictionary = "environments", probability = 0.95 }}
"path.eventKey" = {{ dictionary = "codes", probability = 0.8 }}
"path.windowId" = {{ dictionary = "windows", probability = 0.8 }}
"path.endpointId" = {{ dictionary = "endpoints", probability = 0.8 }}
"path.deliveryId" = {{ dictionary = "deliveries", probability = 0.8 }}
"path.teamId" = {{ dictionary = "crewmates", probability = 0.8 }}

[[operations]]
include-operation-id = "webhooks.unpause"
[operations.parameters]
"path.endpointId" = {{ dictionary = "paused", probability = 0.8 }}

[[operations]]
include-operation-id = "webhooks.remove"
[operations.parameters]
"path.endpointId" = {{ dictionary = "paused", probability = 0.8 }}
"""
"""What the paths of operators name besides."""
MISSED: Final = 20
"""How many operations random requests may miss: a guild is disbanded before it is changed, an attempt must be completed."""


async def things(server: Server, studio: str, key: str) -> dict[str, str]:
    """What the paths of operators name: a window, endpoints, a delivery, a team."""
    headers = {"Authorization": f"Bearer {key}"}
    game = f"/admin/v1/studios/{studio}/games/{server.game.game.game_id}"

    async def ask(method: str, below: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
        return await succeed(server.ask(method, f"{game}{below}?environment=test", body, headers=headers))

    endpoints = []
    for number in range(4):
        body = {"key": f"hook {number}", "url": "http://localhost:9/hook", "events": ["gift.sent"]}
        endpoints.append((await ask("POST", "/webhooks", body))["endpoint"]["endpointId"])
    for endpoint in endpoints[1:]:
        await ask("POST", f"/webhooks/{endpoint}/pause", {})
    await ask("POST", f"/webhooks/{endpoints[0]}/sample", {"kind": "gift.sent"})
    windows = (await ask("GET", "/events/race/windows"))["windows"]
    crews = (await ask("GET", "/events/crews/windows"))["windows"]
    teams = (await ask("GET", f"/events/crews/windows/{crews[0]['eventWindowId']}/teams"))["teams"]
    return {
        "studio": studio,
        "window": windows[0]["eventWindowId"],
        "endpoint": endpoints[0],
        "paused": json.dumps(endpoints[1:]),
        "delivery": (await ask("GET", "/deliveries"))["deliveries"][0]["deliveryId"],
        "team": teams[0]["eventTeamId"] if teams else "etm_none",
    }


async def examine(folder: Path) -> tuple[int, str, set[str]]:
    """Run schemathesis against a server; gives its exit status, what it said and what succeeded."""
    with store_at(f"sqlite:///{folder / 'game.db'}", create=True) as store:
        game = create_game(store, CONFIG, "Test studio")
        now, entropy = now_millis(), Entropy(draw_seed())

        def employ(tx: Transaction) -> str:
            studio = tx.get(STUDIOS, game.game.studio_id)
            assert studio is not None
            member, _ = add_member(tx, studio, "owner@example.com", "OWNER", now, entropy)
            return add_personal_key(
                tx, studio.studio_id, member.member_id, "tests", now, entropy,
                secret=entropy.bytes(25), expires_in_days=7, read_only=False,
            ).text  # fmt: skip

        key = store.write(DIRECTORY, employ)
    (folder / "operators.json").write_text(json.dumps(document("admin")), "utf-8")
    async with serving(folder, game=game) as server:
        place = await populate(server)
        settings = folder / "schemathesis.toml"
        further = FURTHER.format(**await things(server, game.game.studio_id, key))
        text = settings_for(place, f'PersonalKey = {{ bearer = "{key}" }}', further)
        settings.write_text(text, "utf-8")
        program = await asyncio.create_subprocess_exec(
            Path(sys.executable).with_name("st"), "--config-file", settings, "run", folder / "operators.json",
            "--url", f"http://127.0.0.1:{server.port}",
            "--phases", ",".join(PHASES),
            "--exclude-checks", ",".join(UNFIT),
            "--max-examples", str(max(2, EXAMPLES // 2)),
            "--generation-deterministic", "--continue-on-failure", "--warnings", "off",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, env=ENVIRONMENT,
        )  # fmt: skip
        said, _ = await program.communicate()
        assert program.returncode is not None
        return program.returncode, said.decode(), answered(server)


@pytest.mark.timeout(1800)
def test_operators_get_what_their_document_says(tmp_path: Path) -> None:
    """No request that schemathesis can think of meets a failure or an answer that is not documented."""
    status, said, succeeded = asyncio.run(examine(tmp_path))
    assert status == 0, said
    reached = {entry.id for entry in OPERATIONS if entry.surface == "admin" and entry.dashboard_only is not True}
    # Otherwise all of the above would hold of a server that refuses everything; the matrix succeeds with each of them.
    assert len(reached - succeeded) <= MISSED, sorted(reached - succeeded)
