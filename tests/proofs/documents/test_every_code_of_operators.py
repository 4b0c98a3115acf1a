"""Every code that an operation of operators can give leaves the real server: by sequences, and by requests of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import attrs
import httpx
import pytest

from livecore.api.operations import OPERATIONS
from livecore.api.refusals import refusals_of
from livecore.api.requests.http import Request
from livecore.events.attempt_records import ATTEMPTS
from livecore.kernel.storage.records import evolve
from livecore.world import Caller, World
from tests.access.test_operators_matrix import Office, body_of, build
from tests.api.test_settings import by_studio
from tests.contract.oracle import OPERATED
from tests.laws.arena import Arena
from tests.laws.operating import operated
from tests.laws.playing import play
from tests.laws.wires import Wire, served, shared_store
from tests.proofs.documents.test_every_code import ELSEWHERE, as_far_as_new, code_of
from tests.worlds import RACES, befriend, config, gift, give, put, rows_of, text_at

SEEDS: Final = range(2)
SCENES: Final = 120
NOT_OF_THE_GAME: Final = frozenset({"studioId", "gameId"})


def test_every_code_of_operators_is_met_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None that their document lists is out of reach."""
    theirs = [operation for operation in OPERATIONS if operation.credential == "member"]
    listed = {refusal.code for operation in theirs for refusal in refusals_of(operation)}
    met = set(sequences(tmp_path))
    with closing(shared_store(tmp_path / "game.db")) as store:
        monkeypatch.setattr("livecore.world.game.MemoryStore", lambda: store)
        office = build()
        with served(office.world, store) as address, httpx.Client(base_url=address) as client:
            for codes in (refused_at_the_door, about_nothing, refused_by_the_state):
                met |= set(codes(Socket(office, client)))
    assert listed - met - ELSEWHERE.keys() == set()
    assert met <= listed


def sequences(folder: Path) -> Iterator[str]:
    """The codes of what operators do to players in sequences of the laws."""
    met: set[str] = set()
    for number in SEEDS:
        steps = as_far_as_new(operated(number, SCENES), met)
        with closing(shared_store(folder / f"{number}.db")) as store:
            arena = Arena(store)
            with served(arena, store) as address, httpx.Client(base_url=address) as client:
                journal = play(steps, arena=arena, through=Wire(client)).journal
        refused = [(asked, answer) for asked, answer in journal if answer.code is not None]
        met |= {str(answer.code) for _, answer in refused}
        yield from (str(answer.code) for asked, answer in refused if asked.name.startswith("admin:"))


@attrs.frozen
class Socket:
    """Asks the server about the scene of the operators' matrix."""

    office: Office
    client: httpx.Client

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None = b"{}", query: str = "") -> str:
        """The code of a request as it stands, which is refused."""
        given = {**headers} if body is None else {"content-type": "application/json", **headers}
        answer = self.client.request(method, f"{path}?{query}", headers=given, content=body or b"")
        assert answer.status_code >= 400, (method, path, answer.content)
        return code_of(answer.content)

    def ask(self, operation: str, /, caller: Caller | None = None, **arguments: object) -> str:
        """The code of an operation's request."""
        made: Request = (caller or self.office.operator()).request(operation, **arguments)
        return self.send(made.method, made.path, dict(made.headers), made.body or None, made.query)


def refused_at_the_door(socket: Socket) -> Iterator[str]:
    """Keys, sessions, origins, places, permissions, and bodies that are none."""
    office = socket.office
    path, owner = f"/admin/v1/studios/{office.world.game.studio_id}", office.headers()
    yield socket.send("PATCH", path, {"sec-fetch-site": "same-origin"})
    for token in ("Bearer x", "Basic abc", f"Bearer {office.world.keys['server']}"):
        yield socket.send("PATCH", path, {"authorization": token})
    yield socket.send("PATCH", path, {"cookie": owner["cookie"]})
    yield socket.send("PATCH", f"/admin/v1/studios/{office.other_studio}", owner)
    yield socket.send("GET", f"{path}/games/{office.other_game}", owner, None)
    yield socket.send("PATCH", path, office.headers("VIEWER"))
    earlier, key = office.key_headers("ADMIN"), office.key_headers("ADMIN")
    yield socket.send("PATCH", path, earlier)
    yield socket.send("POST", f"{path}/members", key)
    yield socket.send("PATCH", path, office.key_headers("ADMIN", read_only=True))
    yield socket.send("PATCH", path, owner, b"{")
    yield socket.send("PATCH", path, {**owner, "content-type": "text/plain"})
    yield socket.send("PATCH", path, owner, b" " * 2_000_000)
    assert socket.client.patch(path, headers={**owner, "idempotency-key": "k"}, json={"name": "One"}).status_code == 200
    yield socket.send("PATCH", path, {**owner, "idempotency-key": "k"}, b'{"name": "Other"}')


def about_nothing(socket: Socket) -> Iterator[str]:
    """What each variable of each path names is not there."""
    scene, owner = socket.office.here, socket.office.headers()
    for route in OPERATED:
        own = {variable: scene.variables[f"{route.id} {variable}"] for variable in route.things}
        named = {**scene.variables, **route.named, **own}
        # Who is not there can be erased.
        for variable in set(route.variables) - NOT_OF_THE_GAME if route.operation != "players.erase" else ():
            value = "99" if variable == "version" else f"{str(named[variable])[:-4]}none"
            body = json.dumps(body_of(scene, route)).encode() if route.takes_body else None
            path = route.path_with({**named, variable: value})
            environment = "environment=test" if socket.office.world.operations[route.id].takes_environment else ""
            yield socket.send(route.method, path, owner, body, environment)


def refused_by_the_state(socket: Socket) -> Iterator[str]:
    """What is there is in a state in which it cannot be done."""
    owner, ask = socket.office.operator(), socket.ask
    yield ask("members.invite", email="owner@example.com", role="VIEWER")
    (boss,) = (row for row in _rows(owner.call("members.list"), "members") if row["email"] == "owner@example.com")
    yield ask("members.remove", member_id=boss["memberId"])
    yield from _of_keys_and_hooks(socket)
    yield from _of_guilds(socket)
    yield from _of_settings(socket)
    yield from _of_attempts(socket)


def _rows(answer: Any, name: str) -> list[Any]:  # noqa: ANN401 - JSON
    found: list[Any] = answer[name]
    return found


def _of_keys_and_hooks(socket: Socket) -> Iterator[str]:
    owner, ask = socket.office.operator(), socket.ask
    made = owner.call("keys.create", environment="test", permission="client")
    key = text_at(made, "key", "keyId")
    owner.call("keys.revoke", key_id=key)
    yield ask("keys.rotate", key_id=key)
    url = "https://hooks.example.com/a"
    yield ask("webhooks.create", url=url, key="of-the-scene")
    hook = text_at(owner.call("webhooks.create", url=url, key="twice"), "endpoint", "endpointId")
    owner.call("webhooks.pause", endpoint_id=hook)
    yield ask("webhooks.pause", endpoint_id=hook)
    for number in range(50):
        if len(_rows(owner.call("webhooks.list"), "endpoints")) >= 20:
            break
        owner.call("webhooks.create", url=url, key=f"further-{number}")
    yield ask("webhooks.create", url=url, key="too-many")


def _of_guilds(socket: Socket) -> Iterator[str]:
    world, ask = socket.office.world, socket.ask
    lea, ada = world.player("lea"), world.player("ada")
    for player, name in ((lea, "The owls"), (ada, "The foxes")):
        player.call("guilds.create", name=name)
    owls = text_at(lea.call("guilds.getOwn"), "guild", "guildId")
    yield ask("guilds.update", guild_id=owls, name="The foxes")
    yield ask("guilds.transfer", guild_id=owls, external_player_id="lea")


def _of_attempts(socket: Socket) -> Iterator[str]:
    world, ask = socket.office.world, socket.ask
    racers = [world.player(name) for name in ("quick", "slow", "still")]
    ids = []
    for racer in racers:
        give(racer, "gold", 50)
        give(racer, "potion", 5)
        ids.append(text_at(racer.call("events.start", key="race"), "attempt", "attemptId"))
    quick, slow, still = ids
    yield ask("attempts.retryRewardRoll", attempt_id=slow)
    racers[0].call("events.progress", key="race", attempt_id=quick, metrics={"points": 100})
    yield ask("attempts.forceComplete", attempt_id=quick, reason="stuck")
    yield ask("attempts.retryRewardRoll", attempt_id=quick)
    (row,) = (row for row in rows_of(world, ATTEMPTS) if row.attempt_id == still)
    put(world, ATTEMPTS, evolve(row, frozen_at=int(world.now)))
    yield ask("attempts.forceComplete", attempt_id=still, reason="stuck")
    yield ask("leaderboards.get", leaderboard_id="best", around="slow")
    yield ask("leaderboards.get", leaderboard_id="best", period="previous")
    board = text_at(racers[0].call("events.getAttempt", key="race", attempt_id=quick), "attempt", "leaderboardId")
    world.advance(days=8)
    yield ask("leaderboards.removeEntry", leaderboard_id=board, external_id="quick")


def _of_settings(socket: Socket) -> Iterator[str]:
    ask = socket.ask
    yield ask("settings.apply", config=config(events=RACES), version=99)
    # An event is running.
    yield ask("settings.apply", config=config(), version=1)
    paid, never = World(config(), seed=8), World(seed=9)
    one, other = paid.player("one"), paid.player("other")
    befriend(one, other)
    give(one, "gold", 100)
    assert gift(one, other).status == 201
    yield ask("settings.apply", paid.operator("owner@paid.example"), config=by_studio(), version=1)
    never.player("anna")
    yield ask("gifts.list", never.operator("owner@never.example"), external_id="anna", direction="sent")
