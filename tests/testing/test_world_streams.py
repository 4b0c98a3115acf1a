"""A stream in a world: read whenever one likes; over a local transport it is what there is to tell now."""

from __future__ import annotations

import json
from typing import Final, cast

import httpx
import pytest
from jsonschema import Draft202012Validator

from livecore.access.directory import KEY_BY_HASH
from livecore.access.keys import key_hash, revoke_key
from livecore.api.documents.description import describe
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import EventStream
from livecore.kernel.errors import Json
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.world import Caller, World, WorldRefused
from livecore.world.stream import Received
from livecore_client import LocalTransport
from tests.api.documents import at
from tests.boards import BOARD, ENDED, Ready, board, notice

READY: Final = Received("ready", {"revision": 0, "resync": False}, "0")


def make() -> tuple[World, Caller]:
    """A world with the board, and a game client of no player."""
    world = World(operations=(*OPERATIONS, BOARD))
    return world, Caller(world, "sdk", {"authorization": f"Bearer {world.keys['client']}"}, None)


def publish(world: World, revision: int, player: str = "ann") -> None:
    """Publish a notice."""
    world.store.notices.publish([notice(Scope(world.game.game_id, "test"), revision, player)])


def listening(world: World) -> int:
    """How many topics somebody has subscribed to."""
    return len(world.store.notices._subscriptions)


def test_it_gives_what_has_come_since() -> None:
    """First how things stand, then what happened between two readings, until it is over or closed."""
    world, client = make()
    stream = client.follow("boards.stream", board_key="main")
    assert stream.read() == [READY]
    assert stream.read() == []
    publish(world, 1)
    publish(world, 2, "bob")
    assert [message.id for message in stream] == ["1", "2"]
    publish(world, 3, "")
    assert stream.read() == [Received("closed", {"reason": "finalized"})]
    assert (stream.is_open, listening(world)) == (False, 0)


def test_it_says_what_it_has_had() -> None:
    """The last id goes along when it is opened again."""
    _, client = make()
    (ready,) = client.follow("boards.stream", board_key="main", last_event_id="7")
    assert ready.data["resync"] is True


def test_who_reads_too_seldom_is_cut_off() -> None:
    """As over a network."""
    world, client = make()
    stream = client.follow("boards.stream", board_key="main")
    for number in range(1, 10):
        publish(world, number, f"p{number}")
    assert (stream.read(), stream.is_open, listening(world)) == ([], False, 0)


def test_what_was_missed_is_read_anew() -> None:
    """How things stand comes once more, in place of what was published since, and says whether that is more than before."""
    world, client = make()
    stream = client.follow("boards.stream", board_key="main")
    stream.read()
    publish(world, 3)
    assert [message.id for message in stream.read()] == ["3"]
    world.store.notices.miss()
    publish(world, 4)
    assert stream.read() == [Received("ready", {"revision": 0, "resync": True}, "0")]
    publish(world, 5)
    assert [message.id for message in stream] == ["5"]


def test_closing_it_stops_listening() -> None:
    """Nothing more is kept for it."""
    world, client = make()
    stream = client.follow("boards.stream", board_key="main")
    stream.close()
    publish(world, 1)
    assert (stream.read(), listening(world)) == ([READY], 0)


def test_a_revoked_key_ends_it() -> None:
    """With the message that it has for that."""
    world, client = make()
    stream = client.follow("boards.stream", board_key="main")
    stream.read()

    def revoke(tx: Transaction) -> None:
        key = tx.find(KEY_BY_HASH, key_hash(world.keys["client"]))
        assert key is not None
        revoke_key(tx, key.game_id, key.key_id, world.now)

    world.store.write(DIRECTORY, revoke)
    assert stream.read() == [Received("closed", {"reason": "key_revoked"})]
    assert not stream.is_open


def test_it_is_refused_as_a_call_is() -> None:
    """By the entrance and by the handler; what is no stream is called and not followed."""
    world, client = make()
    with pytest.raises(WorldRefused) as refused:
        client.follow("boards.stream", board_key="unknown")
    assert (refused.value.status, refused.value.code) == (404, "game_not_found")
    stranger = Caller(world, "sdk", {}, None)
    with pytest.raises(WorldRefused) as refused:
        stranger.follow("boards.stream", board_key="main")
    assert refused.value.code == "api_key_missing"
    with pytest.raises(TypeError, match="answers at once"):
        world.server.follow("ping")
    assert listening(world) == 0


@pytest.mark.parametrize("key", ["main", ENDED])
def test_over_a_local_transport_it_is_what_there_is_now(key: str) -> None:
    """The same bytes as over a network, and then it ends: whoever follows comes back with the last id."""
    world, _ = make()
    with httpx.Client(transport=LocalTransport(world), base_url="http://game.local") as client:
        headers = {"Authorization": f"Bearer {world.keys['client']}"}
        answer = client.get(f"/sdk/v1/boards/{key}/stream", headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")
    closed = 'event: closed\ndata: {"reason":"finalized"}\n\n' if key == ENDED else ""
    assert answer.text == 'id: 0\nevent: ready\ndata: {"revision":0,"resync":false}\n\n' + closed


def test_the_document_describes_it() -> None:
    """Its media type, the shape of each message by its name, the header of who comes back, and an example of each."""
    document = describe("sdk", (BOARD,))
    described = at(document, "paths", BOARD.path, "get")
    content = at(described, "responses", "200", "content", "text/event-stream")
    assert list(at(content, "schema", "x-messages")) == list(BOARD.messages)
    for name, reference in at(content, "schema", "x-messages").items():
        shape = str(at(reference)["$ref"]).removeprefix("#/components/schemas/")
        Draft202012Validator.check_schema(at(document, "components", "schemas", shape))
        shown = at(content, "examples", name, "value")
        assert shown["event"] == name
        assert isinstance(json.loads(str(shown["data"])), dict)
    assert {"$ref": "#/components/parameters/LastEventId"} in cast("list[Json]", described["parameters"])
    assert "LastEventId" in at(document, "components", "parameters")
    without = [entry for entry in OPERATIONS if not entry.messages]
    assert "LastEventId" not in at(describe("sdk", without), "components", "parameters")


def test_a_row_says_what_it_sends() -> None:
    """A stream lists its messages, nothing else does, and no stream changes rows."""
    wrong: tuple[dict[str, object], ...] = ({"messages": {}}, {"answers": {200: Ready}}, {"writes": True})
    for changes in wrong:
        with pytest.raises(ValueError, match="is a stream that changes rows, or does not say what it sends"):
            board(**changes)
    assert EventStream in BOARD.answers.values()
