"""A World has the clients' methods: the same names, signatures, answers and exceptions, for each operation of the table."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest

from livecore import World, WorldPlayer, WorldServer, errors
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Document, EventStream, Operation
from livecore.demo import DEMO
from livecore.kernel.wire import encode
from livecore.leaderboards.rows import BoardReady, ScoreUpdate
from livecore_client import NO_RETRIES, LocalTransport, SdkClient, ServerClient
from livecore_client.rows import RewardEntry
from tests.each import of_each
from tests.server.serving import make_game, serving
from tests.testing.scenario import Refused, play

if TYPE_CHECKING:
    from livecore.surfaces import SdkSurface, ServerSurface

    def _satisfy(player: WorldPlayer, client: SdkClient, server: WorldServer, backend: ServerClient) -> None:
        """What the type checker is to accept: the callers of a World and the clients are of one Protocol."""
        players: list[SdkSurface] = [player, client]
        servers: list[ServerSurface] = [server, backend]
        assert players
        assert servers


CALLED = [row for row in OPERATIONS if row.surface in {"sdk", "server"} and Document not in row.answers.values()]
OPERATORS = [
    row for row in OPERATIONS if row.surface == "admin" and not {Document, EventStream} & {*row.answers.values()}
]
DRAWN = re.compile(
    r"\b[a-z]+_[0-9A-Z]{26}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"  # ids
    r"|\b\d{4}-\d\d-\d\dT[\d:.]+Z"  # times
    r'|(?<="name": ")[^"]+", "avatar": "[^"]+(?=")'  # the identity that the service gives
    r'|(?<=riendCode": ")[^"]+(?=")'
)
"""What differs from one server to another."""


def snake(name: str) -> str:
    """A name of the wire as Python spells it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def method(caller: object, operation: Operation) -> Callable[..., object]:
    """What a caller has for an operation."""
    at: Any = caller
    for step in snake(operation.name).split("."):
        at = getattr(at, step)
    return cast("Callable[..., object]", at)


@cache
def caller_of(surface: str) -> object:
    """Who calls a surface in a world."""
    world = World(DEMO)
    return {"sdk": world.player("anna"), "server": world.server, "admin": world.operator()}[surface]


@cache
def client_of(surface: str) -> object:
    """The synchronous client of a surface."""
    if surface == "sdk":
        return SdkClient(base_url="http://world", api_key="k", external_player_id="anna")
    return ServerClient(base_url="http://world", api_key="k")


@of_each(CALLED)
def test_each_method_of_a_client_is_one_of_a_world(operation: Operation) -> None:
    """With the same parameters, types and docstring."""
    ours, theirs = (method(of(operation.surface), operation) for of in (caller_of, client_of))
    if operation.messages:
        assert [*inspect.signature(ours).parameters] == [*inspect.signature(theirs).parameters]
        return
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours.__doc__ == theirs.__doc__


@of_each([row for row in CALLED if not row.messages])
def test_the_protocols_declare_each_method(operation: Operation) -> None:
    """With the parameters that the methods have; the type checker compares the types."""
    name, _, called = snake(operation.name).rpartition(".")
    home = import_module(f"livecore.surfaces.protocols.{name or 'service'}")
    prefix = "Sdk" if operation.surface == "sdk" else "Server"
    kind = getattr(home, prefix + (name or "service").title().replace("_", ""))
    theirs = inspect.signature(method(client_of(operation.surface), operation))
    assert [*inspect.signature(getattr(kind, called)).parameters.values()][1:] == [*theirs.parameters.values()]


@of_each(OPERATORS)
def test_each_operation_of_operators_has_a_method(operation: Operation) -> None:
    """It takes the operation's fields; where it works is the world's unless it is said."""
    parameters = dict(inspect.signature(method(caller_of("admin"), operation)).parameters)
    if "externalId" in operation.variables:
        assert next(iter(parameters)) == "external_player_id"
        del parameters["external_player_id"]
    for place in ("studio_id", "game_id", "environment"):
        if place in parameters:
            assert parameters.pop(place).default is None
    fields = {field.name for field in attrs.fields(operation.args)}
    assert set(parameters) == fields - {"game_id", "environment"} | ({"environment"} & set(parameters))


def told(story: list[object]) -> list[str]:
    """A story as text, without what differs from one server to another."""
    return [
        f"{type(part).__name__} "
        + DRAWN.sub("…", repr(part) if isinstance(part, Refused) else json.dumps(encode(part)))
        for part in story
    ]


def in_a_world() -> list[object]:
    """The scenario with the callers of a World."""
    world = World(DEMO)
    return play(world.server, world.player("alice"), world.player("bob"))


def by_clients(
    base_url: str, client_key: str, server_key: str, transport: LocalTransport | None = None
) -> list[object]:
    """The scenario with clients."""
    with ExitStack() as stack:
        studio = stack.enter_context(
            ServerClient(base_url=base_url, api_key=server_key, transport=transport, retries=NO_RETRIES)
        )
        alice, bob = (
            stack.enter_context(
                SdkClient(
                    base_url=base_url,
                    api_key=client_key,
                    external_player_id=name,
                    transport=transport,
                    retries=NO_RETRIES,
                )
            )
            for name in ("alice", "bob")
        )
        for player in (alice, bob):
            player.players.register()
        return play(studio, alice, bob)


def test_the_answers_of_a_world_are_those_of_the_clients() -> None:
    """Row by row, of the same classes; and what is refused raises the same exceptions."""
    world = World(DEMO)
    answers = by_clients("http://world", world.keys["client"], world.keys["server"], LocalTransport(world))
    assert told(in_a_world()) == told(answers)
    assert [part.kind.__name__ for part in answers if isinstance(part, Refused)] == [
        "GiftCooldown",
        "EventNotFound",
        "PlayerAlreadyRegistered",
    ]


def test_a_scenario_runs_in_a_world_and_against_a_server_on_each_store(url: str, tmp_path: Path) -> None:
    """Written once, it gives the same answers in memory, over HTTP on SQLite, and over HTTP on PostgreSQL."""

    async def over_http() -> list[object]:
        game = await asyncio.to_thread(make_game, url)
        async with serving(tmp_path, game=game, database=url) as server:
            address = f"http://127.0.0.1:{server.port}"
            return await asyncio.to_thread(by_clients, address, server.key("client"), server.key("server"))

    assert told(asyncio.run(over_http())) == told(in_a_world())


def test_an_operator_works_in_the_world_of_the_test() -> None:
    """By methods, at the world's game and environment unless another one is named, and refused by the same exceptions."""
    world = World(DEMO)
    world.player("bob")
    owner, support = world.operator(), world.operator("sam@example.com", "GAME_DEBUGGER")
    with pytest.raises(errors.PermissionDenied):
        support.players.ban("bob", reason="spam")
    assert owner.players.ban("bob", reason="spam").banned
    (entry,) = owner.audit.iterate(action="players.ban")
    assert (entry.actor.name, entry.environment) == ("owner@example.com", "test")
    with pytest.raises(errors.PlayerNotFound):
        owner.players.get("bob", environment="live")
    with pytest.raises(errors.GameNotFound):
        owner.players.get("bob", game_id="gam_01KDVDNA00KFP8Y7Q94KNPM6B6")
    made = owner.keys.create(permission="client", environment="live")
    assert made.key in owner.keys.iterate(environment="live")
    assert owner.grants.create(
        "bob", entries=[RewardEntry(type="currency", resource_key="gold", amount=5)]
    ).grant.grant_id


def test_a_board_of_a_world_is_followed_by_the_clients_method() -> None:
    """What has come is read without waiting, and reading can go on after the next write."""
    world = World(DEMO)
    alice, bob = world.player("alice"), world.player("bob")
    world.server.wallet.credit("bob", "gold", amount=5)
    attempt = bob.events.start("daily-dash").attempt
    updates = alice.leaderboards.stream(str(attempt.leaderboard_id))
    assert isinstance(next(updates), BoardReady)
    assert list(updates) == []
    bob.events.progress("daily-dash", attempt.attempt_id, metrics={"points": 120})
    (update,) = updates
    assert isinstance(update, ScoreUpdate)
    assert (update.entry.external_player_id, update.entry.score) == ("bob", 120)
    updates.close()
    with pytest.raises(errors.LeaderboardNotFound):
        alice.leaderboards.stream("01a21162-7f47-7468-b24e-21ba994fa8d4")


def test_a_player_of_a_world_can_register_as_a_client_does() -> None:
    """The secret is used from then on, and the name stands for the same object; so a scenario can begin with it."""
    world = World(DEMO)
    anna = world.newcomer("anna")
    assert (anna.player_id, anna.player_secret) == ("", None)
    with pytest.raises(errors.PlayerNotFound):
        anna.friends.list()
    registered = anna.players.register()
    assert (anna.player_id, anna.player_secret) == (registered.player.player_id, registered.player_secret)
    assert anna.friends.list().friends == ()
    assert world.player("anna") is anna
    again = anna.players.register(force=True)
    assert again.player_secret != registered.player_secret
    assert world.player("anna").wallet.get() == anna.wallet.get()
