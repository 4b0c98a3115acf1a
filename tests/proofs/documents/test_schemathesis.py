"""Schemathesis against the live server: both documents, a game in which its requests reach the operations.

It reads the document that the server serves, sends the examples, the edges of every constraint, random requests and
sequences, and holds each answer against the document: status, headers, shape, and no failure of the server's own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.api.operations import OPERATIONS
from livecore.kernel.errors import JsonObject
from livecore_server.cli.new_games import create_game
from livecore_server.storage.database import store_at
from tests.server.schemathesis_settings import SETTINGS
from tests.server.serving import Reply, Server, serving

EXAMPLES: Final = int(os.environ.get("LIVECORE_SCHEMATHESIS_EXAMPLES", "2"))
"""Random requests for each operation; `nox -s documents` makes many more."""
PHASES: Final = ("examples", "coverage", "fuzzing")
"""What is sent to each operation; coverage, the edges of every constraint, is thousands of requests."""
ANNA: Final = "sample-player-1"
"""Who asks. She and her friend have the names of the documents' examples, so that these reach somebody."""
BEN: Final = "sample-player-2"

PILE: Final = 24
"""How many open requests, pending grants, crates and blocks there are; half of the requests go each way."""

ENVIRONMENT: Final = {
    **os.environ,
    "NO_COLOR": "1",
    # It computes a table of all characters, unless it finds the one that is kept where the suite's own Hypothesis keeps it.
    "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(__file__).parents[3] / ".hypothesis"),
}

RACES: Final[list[JsonObject]] = [
    {
        "key": key,
        "name": key,
        "schedule": {"startsAt": "2020-01-01T00:00:00.000Z", "everySeconds": 315360000, "durationSeconds": 315360000},
        "metrics": [{"key": "points"}],
        "attempts": {"maxPerWindow": None},
    }
    for key in ("race", "ended", "over")
]
TEAMS: Final[list[JsonObject]] = [
    {**RACES[0], "key": key, "teams": {"formation": formation, "size": size}}  # type: ignore[dict-item] # JSON
    for key, formation, size in (
        ("crews", "open", {"max": 5}),
        ("duo", "partner", {"max": 2}),
        ("war", "external", {"max": 200}),
    )
]
ARENA: Final[JsonObject] = {
    **RACES[0],
    "key": "arena",
    "lobby": {
        "capacity": 200,
        "fillSeconds": 86400,
        "bots": {"scoreAt": [{"afterSeconds": 0, "min": 0, "max": 9}]},
    },
}
CONFIG: Final = parse_config(
    {
        "economyMode": "platform",
        "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
        "items": [{"key": "potion"}],
        "crates": [
            {
                "key": "chest",
                "name": "Chest",
                "rolls": [
                    {
                        "rows": [{"weight": 1, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]}],
                        "pity": {"after": 9, "row": 0},
                    }
                ],
            }
        ],
        "gifting": {
            "enabled": True,
            "cooldownSeconds": 0,
            "resources": [
                {"type": "item", "key": "potion", "maxAmount": 50, "costsSender": True},
                {"type": "currency", "key": "gold", "maxAmount": 50},
            ],
        },
        "guilds": {
            "createCooldownSeconds": None,
            "enabled": True,
            "help": {
                "resources": [
                    {"type": "item", "key": "potion", "maxRequest": 50, "maxDonation": 50, "costsDonor": True}
                ],
            },
        },
        # Its metric is that of the documents' examples.
        "events": [*RACES, ARENA, *TEAMS],
        "leaderboards": [{"key": "all", "name": "All time"}],
    }
)

UNFIT: Final = (
    # A well-formed request may still be refused with 400: befriending oneself, a key that the game lacks.
    "positive_data_acceptance",
    # A friend may be called `search`: DELETE is allowed where the document, path by path, shows GET alone.
    "allow_header_conformance",
)


@attrs.define
class Place:
    """What the game holds for the one who asks: the secret, and ids that an operation can take once each."""

    secret: str
    board: str = ""
    final: str = ""
    attempt: str = ""
    requests: list[str] = attrs.field(factory=list)
    grants: list[str] = attrs.field(factory=list)
    held: list[str] = attrs.field(factory=list)
    """Crates."""
    blocked: list[str] = attrs.field(factory=list)
    lobby: str = ""
    invite: str = ""
    game: str = ""
    guild: str = ""
    joining: list[str] = attrs.field(factory=list)
    helping: list[str] = attrs.field(factory=list)


async def populate(server: Server) -> Place:
    """Give the game a friend, a gift, and many requests, grants, crates and blocks."""
    ben = await server.register(BEN)
    place = Place(await server.register(ANNA))
    for name in (ANNA, BEN):
        await succeed(server.studio("POST", f"/players/{name}/wallet/gold/credit", {"amount": 1_000}))
        await succeed(server.studio("POST", f"/players/{name}/inventory/potion/grant", {"quantity": 1_000}))
    await befriend(server, ANNA, place.secret, BEN)
    await befriend(server, BEN, ben, ANNA)
    gift = {"externalPlayerId": ANNA, "type": "item", "resourceKey": "potion", "amount": 1}
    await succeed(server.sdk("POST", f"/{BEN}/friends/gifts", gift, secret=ben))
    for name in ("spare-0", "spare-1"):
        await server.register(name)
    attempt = (await succeed(server.sdk("POST", f"/{ANNA}/events/race/start", {}, secret=place.secret)))["attempt"]
    place.board, place.attempt = attempt["leaderboardId"], attempt["attemptId"]
    # Nobody guesses that an object's only member is to be called `points`, so this is the request that succeeds.
    path = f"/{ANNA}/events/race/attempts/{place.attempt}/progress"
    await succeed(server.sdk("POST", path, {"metrics": {"points": 1}}, secret=place.secret))
    attempt = (await succeed(server.sdk("POST", f"/{ANNA}/events/over/start", {}, secret=place.secret)))["attempt"]
    place.final = attempt["leaderboardId"]
    await succeed(server.studio("POST", "/dev/events/over/end-now"))
    for number in range(PILE):
        name = f"stranger-{number}"
        secret = await server.register(name)
        asking, asked = (name, ANNA) if number % 2 else (ANNA, name)
        data = await befriend(server, asking, secret if number % 2 else place.secret, asked)
        place.requests.append(data["request"]["requestId"])
        grant = {"idempotencyKey": name, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 5}]}
        data = await succeed(server.studio("POST", f"/players/{ANNA}/grants", grant))
        place.grants.append(data["grant"]["grantId"])
        crate = {"type": "crate", "resourceKey": "chest", "amount": 1}
        grant = {"idempotencyKey": f"crate-{number}", "kind": "crate", "entries": [crate]}
        data = await succeed(server.studio("POST", f"/players/{ANNA}/grants", grant))
        place.held.append(data["grant"]["grantId"])
        place.blocked.append(f"blocked-{number}")
        await server.register(place.blocked[-1])
        body = {"externalPlayerId": place.blocked[-1]}
        await succeed(server.sdk("POST", f"/{ANNA}/friends/blocks", body, secret=place.secret))
    await settle(server, place, ben)
    await wait_and_leave(server, place)
    await team_up(server, place, ben)
    return place


async def team_up(server: Server, place: Place, ben: str) -> None:
    """Let a team and a pair live through everything once, and put the other one on a roster."""
    secrets = {ANNA: place.secret, BEN: ben}

    async def ask(who: str, method: str, path: str, body: JsonObject | None = None) -> Any:  # noqa: ANN401 - JSON
        return await succeed(server.sdk(method, f"/{who}/events{path}", body, secret=secrets[who]))

    team = (await ask(ANNA, "POST", "/crews/team", {}))["team"]
    for leaves in (f"DELETE {ANNA} /crews/team/members/{BEN}", f"POST {BEN} /crews/team/leave"):
        await ask(BEN, "POST", "/crews/team/join", {"teamKey": team["teamKey"]})
        method, who, path = leaves.split()
        await ask(who, method, path, {} if method == "POST" else None)
    for path in ("/crews/teams", "/crews/team", "/duo/partner/invites"):
        await ask(ANNA, "GET", path)
    for who, verb in ((BEN, "decline"), (ANNA, "cancel"), (BEN, "accept")):
        invited = await ask(ANNA, "POST", "/duo/partner/invites", {"externalPlayerId": BEN})
        place.invite = invited["invite"]["inviteId"]
        await ask(who, "POST", f"/duo/partner/invites/{place.invite}/{verb}", {})
    await succeed(server.studio("PUT", "/events/war/teams/owls", {"externalPlayerIds": [BEN]}))
    await succeed(server.studio("GET", "/events/war/teams/owls"))
    await succeed(server.studio("PATCH", "/events/war/teams/owls", {"name": "The Owls"}))


async def wait_and_leave(server: Server, place: Place) -> None:
    """Let a lobby form, be left and be made by the studio, and let another one form for more requests."""
    place.game = (await succeed(server.studio("GET", "/ping")))["gameId"]
    start = f"/{ANNA}/events/arena/start"
    for leaves in (True, False):
        waiting = await server.sdk("POST", start, {}, secret=place.secret)
        assert waiting.status == 202, waiting
        place.lobby = waiting.json["error"]["details"]["lobbyId"]
        if leaves:
            await succeed(server.sdk("POST", f"/{ANNA}/lobbies/{place.lobby}/leave", {}, secret=place.secret))
    pushed = {"key": "first", "externalPlayerIds": [BEN], "fillBots": True, "capacity": 2}
    await succeed(server.studio("POST", f"/games/{place.game}/events/arena/lobbies", pushed))


async def settle(server: Server, place: Place, ben: str) -> None:
    """Let a guild live through everything once, which in random order none would, and found another for more requests."""

    async def ask(who: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - JSON
        secret = {ANNA: place.secret, BEN: ben}.get(who) or secrets[who]
        return await succeed(
            server.sdk(method, f"/{who}{path}", body if method == "GET" else body or {}, secret=secret)
        )

    secrets: dict[str, str] = {}
    first = (await ask(ANNA, "POST", "/guild", {"name": "The first"}))["guild"]["guildId"]
    await ask(BEN, "POST", "/guild/join", {"guildId": first})
    for verb in ("promote", "demote", "kick"):
        await ask(ANNA, "POST", f"/guild/members/{BEN}/{verb}")
    await ask(ANNA, "PATCH", "/guild", {"joinType": "request"})
    for verb, who in (("decline", ANNA), ("cancel", BEN), ("accept", ANNA)):
        request = (await ask(BEN, "POST", "/guild/join", {"guildId": first}))["request"]["requestId"]
        await ask(who, "POST", f"/guild/requests/{request}/{verb}")
    need = {"type": "item", "resourceKey": "potion", "amount": 50}
    needed = (await ask(BEN, "POST", "/guild/help", need))["request"]["requestId"]
    await ask(ANNA, "POST", f"/guild/help/{needed}/donate", {"amount": 1})
    await ask(ANNA, "GET", "/guild/help")
    await ask(ANNA, "POST", "/guild/leader", {"externalPlayerId": BEN})
    await ask(ANNA, "POST", "/guild/leave")
    for path in ("leader", f"members/{BEN}/remove", "disband"):
        if path == "leader":
            await ask(BEN, "PATCH", "/guild", {"joinType": "open"})
            await ask(ANNA, "POST", "/guild/join", {"guildId": first})
        body = {"externalPlayerId": ANNA} if path == "leader" else {}
        await succeed(server.studio("POST", f"/guilds/{first}/{path}", body))
    founded = await ask(ANNA, "POST", "/guild", {"name": "The second", "joinType": "request"})
    place.guild = founded["guild"]["guildId"]
    await succeed(server.studio("PATCH", f"/guilds/{place.guild}", {"description": "of the test"}))
    for number in range(4):
        secrets[f"asking-{number}"] = await server.register(f"asking-{number}")
        data = await ask(f"asking-{number}", "POST", "/guild/join", {"guildId": place.guild})
        place.joining.append(data["request"]["requestId"])
        if number:
            await ask(ANNA, "POST", f"/guild/requests/{place.joining[-1]}/accept")
            data = await ask(f"asking-{number}", "POST", "/guild/help", need)
            place.helping.append(data["request"]["requestId"])


async def befriend(server: Server, asking: str, secret: str, asked: str) -> Any:  # noqa: ANN401 - JSON
    """Send a friend request; gives the answer's data."""
    body = {"externalPlayerId": asked}
    return await succeed(server.sdk("POST", f"/{asking}/friends/requests", body, secret=secret))


async def succeed(call: Awaitable[Reply]) -> Any:  # noqa: ANN401 - JSON
    """Wait for a call that must succeed; gives the answer's data."""
    reply = await call
    assert reply.status < 300, reply
    return reply.json["data"]


def credentials(server: Server, surface: str, secret: str) -> str:
    """What the document's security schemes ask for, as schemathesis is told."""
    if surface == "server":
        return f'ServerKey = {{ bearer = "{server.key("server")}" }}'
    return f'ClientKey = {{ bearer = "{server.key("client")}" }}\nPlayerSecret = {{ api_key = "{secret}" }}'


def settings_for(place: Place, shown: str, further: str = "") -> str:
    """What schemathesis is told of a place: the credentials, and the values that reach something."""
    told = SETTINGS.format(
        credentials=shown,
        anna=ANNA,
        ben=BEN,
        board=place.board,
        final=place.final,
        attempt=place.attempt,
        requests=json.dumps(place.requests),
        acceptable=json.dumps(place.requests[1::4]),
        declinable=json.dumps(place.requests[3::4]),
        cancellable=json.dumps(place.requests[0::2]),
        grants=json.dumps(place.grants),
        held=json.dumps(place.held),
        blocked=json.dumps(place.blocked),
        guild=place.guild,
        joining=json.dumps(place.joining),
        helping=json.dumps(place.helping),
        lobby=place.lobby,
        invite=place.invite,
        game=place.game,
    )
    return told + further


async def examine(surface: str, folder: Path) -> tuple[int, str, set[str]]:
    """Run schemathesis against a server; gives its exit status, what it said and what succeeded."""
    with store_at(f"sqlite:///{folder / 'game.db'}", create=True) as store:
        game = create_game(store, CONFIG, "Test studio")
    async with serving(folder, game=game) as server:
        settings = folder / "schemathesis.toml"
        place = await populate(server)
        text = settings_for(place, credentials(server, surface, place.secret))
        settings.write_text(text, "utf-8")
        program = await asyncio.create_subprocess_exec(
            Path(sys.executable).with_name("st"), "--config-file", settings, "run",
            f"http://127.0.0.1:{server.port}/{surface}/v1/openapi.json",
            "--phases", ",".join((*PHASES, "stateful")),
            "--exclude-checks", ",".join(UNFIT),
            "--max-examples", str(EXAMPLES),
            "--generation-deterministic", "--continue-on-failure", "--warnings", "off",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, env=ENVIRONMENT,
        )  # fmt: skip
        said, _ = await program.communicate()
        assert program.returncode is not None
        return program.returncode, said.decode(), answered(server)


def answered(server: Server) -> set[str]:
    """The operations that have answered with a success."""
    return {
        sample.labels["operation"]
        for metric in server.service.metrics.collect()
        for sample in metric.samples
        if metric.name == "livecore_requests" and sample.labels["status"].startswith("2") and sample.value
    }


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("surface", ["sdk", "server"])
def test_the_server_is_what_its_document_says(surface: str, tmp_path: Path) -> None:
    """No request that schemathesis can think of meets a failure or an answer that is not documented."""
    status, said, succeeded = asyncio.run(examine(surface, tmp_path))
    assert status == 0, said
    assert "Stateful (not applicable)" not in said
    # Otherwise all of the above would hold of a server that refuses everything.
    assert {entry.id for entry in OPERATIONS if entry.surface == surface} <= succeeded
