"""An answer that carries an error envelope and still commits: 202, "not yet", proven with an operation of the test's own.

The operation is what starting an event with a lobby will be: the first who ask wait together, the one who fills the lobby is
let in. Whoever waits is told so with a refusal's envelope, and has taken a seat all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

import attrs
import httpx
import pytest

from livecore.api.documents.description import describe
from livecore.api.refusals import refusals_of
from livecore.api.requests.idempotency import ANSWERS
from livecore.api.table.player_routes import SDK
from livecore.kernel.errors import Conflict, Json, JsonObject, NotYet
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import IdempotencyKey
from livecore.players.moderation import ALL_DEBUG_ACCOUNTS, DEBUG_ACCOUNTS, DebugAccount
from livecore.players.player import acting
from livecore.players.webhook_events import Actor, PlayerUnbanned
from livecore_client import errors
from livecore_client._exchange import read_answer
from tests.added_game import STORES, AddedGame, Said
from tests.api.documents import at

CAPACITY: Final = 2


class LobbyForming(NotYet):
    """The lobby still waits for players."""

    code = "test_lobby_forming"
    text = "The lobby is still forming."
    remedy = "Ask again in a moment."
    example: ClassVar[Mapping[str, Json]] = {"participantCount": 1, "capacity": CAPACITY}


class LobbyFull(Conflict):
    """The lobby takes nobody any more."""

    code = "test_lobby_full"
    text = "The lobby is full."


@shape
class Start:
    """Start, or wait until enough others do."""

    idempotency_key: IdempotencyKey | None = None


@shape
class Started:
    """It has begun."""

    participant_count: int


def start(unit: Unit, _: Start) -> Started | LobbyForming:
    """Take a seat (a row and an event stand for it), and say whether the lobby is full."""
    seated = [account.player_id for account in unit.tx.scanned(ALL_DEBUG_ACCOUNTS)]
    player = acting(unit)
    if len(seated) == CAPACITY:
        raise LobbyFull
    if player.player_id not in seated:
        unit.tx.insert(DEBUG_ACCOUNTS, DebugAccount(player_id=player.player_id, flagged_at=unit.now))
        unit.emit(
            PlayerUnbanned(
                player_id=player.player_id,
                external_player_id=player.external_id,
                unbanned_at=Timestamp(unit.now),
                actor=Actor.of(unit.actor),
            )
        )
    count = len(unit.tx.scanned(ALL_DEBUG_ACCOUNTS))
    return Started(participant_count=count) if count == CAPACITY else LobbyForming(participant_count=count, capacity=2)


START: Final = SDK.write(
    "events.start",
    "POST /lobby/start",
    Start,
    {201: Started},
    start,
    LobbyFull,
    LobbyForming,
    summary="Start, or wait for others.",
)


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game over each store, with three players."""
    with STORES[request.param](tmp_path) as store:
        made = AddedGame(store, (START,))
        for name in ("anna", "bert", "carl"):
            made.register(name)
        yield made


def begin(game: AddedGame, name: str, key: str | None = None) -> Said:
    """Ask to start."""
    return game.as_player(name, "POST", "/lobby/start", {} if key is None else {"idempotencyKey": key})


def envelope_of(count: int) -> JsonObject:
    """What whoever waits is told."""
    details: JsonObject = {"participantCount": count, "capacity": CAPACITY}
    return {"error": {"code": "test_lobby_forming", "message": "The lobby is still forming.", "details": details}}


def test_it_commits_and_tells(game: AddedGame) -> None:
    """202 with an error envelope and no data; the row is there and the event went out, as after any answer."""
    said = begin(game, "anna")
    assert (said.status, said.json, said.kinds) == (202, envelope_of(1), ["player.unbanned"])
    assert len(game.rows(DEBUG_ACCOUNTS)) == 1


def test_the_next_request_goes_on_from_there(game: AddedGame) -> None:
    """Who asks again keeps the one seat, who fills the lobby is let in, and a refusal still changes nothing."""
    begin(game, "anna")
    again = begin(game, "anna")
    assert (again.status, again.json, again.kinds) == (202, envelope_of(1), [])
    filled = begin(game, "bert")
    assert (filled.status, filled.json) == (201, {"data": {"participantCount": 2}})
    before = game.store.dump()
    assert (refused := begin(game, "carl")).status == 409, refused.json
    assert game.store.dump() == before


def test_it_is_kept_and_replayed_under_its_key(game: AddedGame) -> None:
    """The same key is told the same with the same status, though the lobby is full by now, and nothing happens again."""
    first = begin(game, "anna", "one-key")
    begin(game, "bert")
    assert len(game.rows(ANSWERS)) == 1
    before = game.store.dump()
    again = begin(game, "anna", "one-key")
    assert (again.status, again.response.body, again.kinds) == (202, first.response.body, [])
    assert (first.response.header("Idempotent-Replay"), again.response.header("Idempotent-Replay")) == (None, "true")
    assert game.store.dump() == before


def test_another_request_under_its_key_is_a_conflict(game: AddedGame) -> None:
    """The answer is kept like any other, fingerprint and all."""
    begin(game, "anna", "one-key")
    path, headers = "/friends/requests", {"externalPlayerId": "bert", "idempotencyKey": "one-key"}
    assert game.as_player("anna", "POST", path, headers).json["error"]["code"] == "idempotency_conflict"


def test_a_client_raises_it_by_its_family(game: AddedGame) -> None:
    """`NotYet` with the code and the details; no retry is hidden in it, for 202 is none of the statuses that are retried."""
    response = begin(game, "anna").response
    url = httpx.URL("http://game.local")
    with pytest.raises(errors.NotYet) as raised:
        read_answer(url, response.status, dict(response.headers), response.body, now_seconds=0.0)
    assert (raised.value.status, raised.value.code) == (202, "test_lobby_forming")
    assert raised.value.details == {"participantCount": 1, "capacity": CAPACITY}


def test_the_document_describes_it() -> None:
    """Beside the success stands 202 with the error envelope, the code's description, and the header of a replay."""
    answers = at(describe("sdk", (START,)), "paths", START.path, "post", "responses")
    assert list(answers)[:2] == ["201", "202"]
    described = at(answers, "202")
    if "$ref" in described:
        described = at(describe("sdk", (START,)), "components", "responses", "LobbyForming")
    content = at(described, "content", "application/json")
    assert content["schema"] == {"$ref": "#/components/schemas/Error"}
    assert list(at(content, "examples")) == ["test_lobby_forming"]
    assert described["description"] == "`test_lobby_forming`: The lobby still waits for players."
    assert "Idempotent-Replay" in at(described, "headers")
    assert LobbyForming in refusals_of(START)


def test_raising_it_is_a_mistake(tmp_path: Path) -> None:
    """A handler that raises it would commit nothing and say that something is under way: it fails instead."""

    def raising(_: Unit, __: Start) -> Started:
        raise LobbyForming

    with STORES["memory"](tmp_path) as store:
        game = AddedGame(store, (attrs.evolve(START, handler=raising),))
        game.register("anna")
        with pytest.raises(TypeError, match="is to be returned"):
            begin(game, "anna")
        assert game.rows(DEBUG_ACCOUNTS) == []


def test_a_row_cannot_have_both_with_one_status() -> None:
    """An answer of 202 and a `NotYet` could not be told apart in the document."""
    with pytest.raises(ValueError, match=r"sdk:events.start has an answer and a refusal with status \[202\]"):
        attrs.evolve(START, answers={202: Started})
