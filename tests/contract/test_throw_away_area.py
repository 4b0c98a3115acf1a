"""An area more, in files of its own beside this one: the service knows it in every place, and no other file was touched.

The area is a guestbook. It has one table, one operation, one refusal, one event, one kind of due work and one rule.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import attrs
import pytest
from jsonschema import Draft202012Validator

from livecore.api.areas import AREAS
from livecore.api.documents.description import describe
from livecore.api.operations import OPERATIONS, ROWS, table_of
from livecore.kernel.declarations.area import Area
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.time import DAY
from livecore.kernel.units.due import DUE
from livecore.player_tools.schema import export_schema
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.outbox import EVENTS
from livecore.world import World, WorldPlayer
from livecore_client import AsyncSdkClient, LocalTransport, SdkClient, errors
from tests.access import test_authorization_matrix as matrix
from tests.added_game import STORES, AddedGame, Said, findings, headers_for
from tests.contract.expected import KEY, Route
from tests.contract.throw_away import guestbook
from tests.contract.throw_away.area import AREA
from tests.contract.throw_away.routes import OPERATIONS as ADDED
from tests.contract.throw_away.rows import GuestbookRow
from tests.scripts import SCRIPTS, script
from tests.worlds import RACES, config

LARGER = AREAS.plus(AREA)
TABLE = table_of((*ROWS, *ADDED), LARGER)
(SIGN,) = ADDED
EXPECTED = Route(
    "sdk", "guestbook.sign", "POST /guestbook",
    asks=f"message mood? {KEY}", answers="page:page", refusals="player_banned guestbook_full",
)  # fmt: skip
"""What a file of the area in `tests/contract/operations` would say."""


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game that knows the area, over each of the stores, with two players."""
    with STORES[request.param](tmp_path) as store:
        made = AddedGame(store, ADDED, areas=LARGER)
        for name in ("anna", "ben"):
            made.register(name)
        yield made


def sign(game: AddedGame, name: str, message: str = "I was here.", **more: object) -> Said:
    """Sign the guestbook as a player."""
    return game.as_player(name, "POST", "/guestbook", {"message": message, **more})


def as_studio(game: AddedGame, method: str, path: str, *, query: str = "") -> Said:
    """Ask on the studio's surface; `path` follows the players."""
    return game.ask(method, f"/server/v1/players{path}", query=query, headers=headers_for(game.key("server")))


def rows(game: AddedGame) -> list[guestbook.Page]:
    """The area's rows."""
    return game.rows(guestbook.PAGES)


def closing(game: AddedGame) -> list[tuple[str, int]]:
    """What is scheduled to be closed, and when."""
    return sorted((work.ref, work.due_at) for work in game.rows(DUE) if work.kind == guestbook.CLOSE)


# -- the operation, its event and its due work ----------------------------------------------------------------------------


def test_the_operation_is_dispatched_and_its_answer_kept(game: AddedGame) -> None:
    """It writes its row, answers in the envelope, and answers a repetition under the same key without effect."""
    first = sign(game, "anna", idempotencyKey="k")
    again = sign(game, "anna", idempotencyKey="k")
    assert first.status == 200
    assert first.json["data"]["page"]["signatures"] == 1
    assert again.response.body == first.response.body
    assert [page.signatures for page in rows(game)] == [1]


def test_the_refusal_reaches_the_caller_and_changes_nothing(game: AddedGame) -> None:
    """The fourth signature is refused with the code, the message and the details."""
    for _ in range(guestbook.MOST):
        assert sign(game, "anna").status == 200
    refused = sign(game, "anna", "too much")
    assert refused.status == 409
    assert refused.json["error"] == {
        "code": "guestbook_full", "message": "The page is full.", "details": {"limit": guestbook.MOST},
    }  # fmt: skip
    assert [page.message for page in rows(game)] == ["I was here."]


def test_arguments_are_validated(game: AddedGame) -> None:
    """What the shape does not allow is refused under its name."""
    refused = sign(game, "anna", "", further=1)
    assert refused.code == "validation_failed"
    assert set(refused.json["error"]["details"]["fields"]) == {"message", "further"}


def test_an_endpoint_can_subscribe_to_the_event(game: AddedGame) -> None:
    """The kind is known, and what happened is stored for the endpoint; without the area there is no such kind."""

    def subscribe(game: AddedGame) -> object:
        return game.in_unit(
            lambda unit: add_endpoint(
                unit, PlainVault(), key="main", url="https://studio.example/", events=["guestbook.signed"]
            )
        )

    subscribe(game)
    assert sign(game, "anna").kinds == ["guestbook.signed"]
    (event,) = game.rows(EVENTS)
    assert json.loads(event.data)["externalPlayerId"] == "anna"
    game.application.deployment = attrs.evolve(game.application.deployment, areas=AREAS)
    with pytest.raises(ValidationFailed):
        subscribe(game)


def test_the_due_work_runs_when_its_time_has_come(game: AddedGame) -> None:
    """The page is there until its day is over."""
    sign(game, "anna")
    game.now += DAY - 1
    game.run_due()
    assert len(rows(game)) == 1
    game.now += 1
    game.run_due()
    assert rows(game) == []
    assert closing(game) == []


# -- the player tools -----------------------------------------------------------------------------------------------------


def test_a_merge_folds_the_rows_of_both_players(game: AddedGame) -> None:
    """By the area's own function, which also moves the due work."""
    sign(game, "anna")
    game.now += 1_000
    sign(game, "ben", "Me too.")
    (first, _) = closing(game)
    assert as_studio(game, "POST", "/anna/merge-into/ben").json["data"]["status"] == "merged"
    (page,) = rows(game)
    assert (page.signatures, page.message) == (2, "Me too.")
    assert closing(game) == [(page.player_id, min(at for _, at in [first]))]


def test_an_erasure_takes_the_row_away(game: AddedGame) -> None:
    """By the declared word, and the other player's row stays."""
    for name in ("anna", "ben"):
        sign(game, name, f"I am {name}.")
    assert as_studio(game, "POST", "/anna/delete").json["data"]["status"] == "erased"
    assert [page.message for page in rows(game)] == ["I am ben."]


def test_an_export_has_the_list_of_the_area(game: AddedGame) -> None:
    """In the whole bundle and alone, as the schema says; a list that no area has is refused."""
    sign(game, "anna")
    whole = as_studio(game, "GET", "/anna/export").json["data"]
    alone = as_studio(game, "GET", "/anna/export", query="list=guestbook").json["data"]
    assert [row["signatures"] for row in whole["guestbook"]] == [1]
    assert alone["guestbook"] == whole["guestbook"]
    assert whole["truncated"]["guestbook"] is False
    Draft202012Validator(export_schema(LARGER)).validate(whole)
    assert set(whole) - set(cast("JsonObject", export_schema()["properties"])) == {"guestbook"}
    assert as_studio(game, "GET", "/anna/export", query="list=diary").code == "validation_failed"


@pytest.mark.parametrize("game", ["postgres", "sqlite"], indirect=True)
def test_the_checker_finds_a_planted_fault(game: AddedGame) -> None:
    """A page that will never close is found by the area's rule, and work that has no handler without the area.

    The store in memory has no order of keys to walk in, so only databases are checked.
    """
    sign(game, "anna")
    sign(game, "ben")
    assert findings(game, LARGER) == []
    assert {problem for _, problem in findings(game, AREAS)} == {"is of a kind without a handler"}
    (page, _) = rows(game)
    game.in_unit(lambda unit: unit.cancel(guestbook.CLOSE, page.player_id))
    assert findings(game, LARGER) == [("guestbook_pages", "will never close")]


# -- what is derived from the lists ---------------------------------------------------------------------------------------


def test_the_document_describes_it(game: AddedGame) -> None:
    """The served document has the operation with its example and its code, the subject, the event and the export's list."""
    document = game.ask("GET", "/sdk/v1/openapi.json").json
    described = document["paths"][SIGN.path]["post"]
    asked = described["requestBody"]["content"]["application/json"]["example"]
    assert (asked["message"], asked["mood"]) == ("Hello.", "merry")
    content = described["responses"]["200"]["content"]["application/json"]
    assert content["example"]["data"]["page"]["message"] == "Hello."
    assert described["tags"] == ["guestbook"]
    assert {"name": "guestbook", "description": "What players leave behind."} in document["tags"]
    assert "guestbook_full" in json.dumps(document["components"]["responses"])
    assert document["components"]["examples"]["guestbook_full"]["value"]["error"]["code"] == "guestbook_full"
    sample = document["webhooks"]["guestbook.signed"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert sample["data"] == {"playerId": "plr_00000000000000000000000001", "externalPlayerId": "sample-player-1",
                              "signatures": 1}  # fmt: skip
    exported = game.ask("GET", "/server/v1/openapi.json").json
    assert "guestbook" in exported["components"]["schemas"]["PlayerExport"]["properties"]


@pytest.mark.parametrize("surface", ["sdk", "server"])
def test_the_documents_of_the_service_do_not_change(surface: Any) -> None:  # noqa: ANN401 - a surface
    """What the larger table describes besides is the added area, and the service's own table describes none of it."""
    assert "guestbook" not in json.dumps(describe(surface, OPERATIONS))
    larger, own = describe(surface, TABLE, LARGER), describe(surface, OPERATIONS)
    paths, larger_paths = cast("JsonObject", own["paths"]), cast("JsonObject", larger["paths"])
    assert larger_paths.keys() - paths.keys() == ({SIGN.path} if surface == "sdk" else set())


def test_the_reference_pages_describe_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operation, code and event have their sections, and everything else stands there as before."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    reference = script("reference")
    before, after = reference.render(), reference.render(TABLE, LARGER)
    assert "(operation-sdk-guestbook.sign)=" in after["client/guestbook.md"]
    assert "(error-guestbook-full)=" in after["errors/throw-away.md"]
    assert "(event-guestbook-signed)=" in "".join(text for name, text in after.items() if name.startswith("events/"))
    assert "guestbook" in after["player-export.schema.json"]
    assert not any("guestbook" in text for text in before.values())


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """The modules that clients and worlds would have of the larger table, asynchronous and synchronous, by their names."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    client, unasync = script("client"), script("unasync")
    texts = client.modules(client.namespaces_of((*ROWS, *ADDED), LARGER), {})
    made: dict[str, ModuleType] = {}
    for package, written in (("livecore_client._async", str), ("livecore.surfaces", unasync.synchronous)):
        for part in ("guestbook", "sdk"):
            name = f"{package}.namespaces.{part}"
            made[name] = ModuleType(name)
            monkeypatch.setitem(sys.modules, name, made[name])
            exec(written(texts[part]), vars(made[name]))  # noqa: S102 - what the generator has just written
    return made


def test_the_clients_have_a_method_for_it(generated: dict[str, ModuleType]) -> None:
    """Both flavours and a World call it, read its answer as its row, and say what it refuses with the code's details."""
    world = World(config(), areas=LARGER, operations=TABLE)
    secret = world.player("anna").headers["x-player-secret"]
    options: dict[str, Any] = {
        "base_url": "http://game.local", "api_key": world.keys["client"], "external_player_id": "anna",
        "player_secret": secret, "transport": LocalTransport(world),
    }  # fmt: skip
    plain: Any = type("Client", (generated["livecore.surfaces.namespaces.sdk"].SdkNamespaces, SdkClient), {})
    page = plain(**options).guestbook.sign(message="Hello.", mood="merry").page
    assert (type(page), page.signatures) == (GuestbookRow, 1)
    player: Any = type("Player", (generated["livecore.surfaces.namespaces.sdk"].SdkNamespaces, WorldPlayer), {})
    bob = world.player("bob")
    named = player(world, bob.surface, bob.headers, bob.external_id).guestbook.sign(message="Hello.", mood="merry")
    assert (type(named.page), named.page.signatures) == (GuestbookRow, 1)
    root = generated["livecore_client._async.namespaces.sdk"].AsyncSdkNamespaces
    asynchronous: Any = type("Client", (root, AsyncSdkClient), {})(**options)
    for signatures in range(2, guestbook.MOST + 1):
        assert asyncio.run(asynchronous.guestbook.sign(message="Again.")).page.signatures == signatures
    with pytest.raises(errors.ApiError) as refused:
        asyncio.run(asynchronous.guestbook.sign(message="Too much."))
    assert (refused.value.code, refused.value.details) == ("guestbook_full", {"limit": guestbook.MOST})
    assert "GuestbookFull" in asynchronous.guestbook.sign.__doc__


MATRIX: tuple[Any, ...] = (
    matrix.test_without_a_key,
    matrix.test_with_a_key_that_is_nearly_right,
    matrix.test_with_a_revoked_key,
    matrix.test_with_the_other_permission_set,
    matrix.test_with_a_key_of_the_other_environment,
    matrix.test_with_a_key_of_another_game,
    matrix.test_without_the_players_own_secret,
    matrix.test_about_an_unknown_player,
    matrix.test_as_a_banned_player,
    matrix.test_with_the_right_credentials,
)


@pytest.mark.parametrize("judge", MATRIX, ids=lambda judge: judge.__name__)
def test_the_authorization_matrix_holds_for_it(
    judge: Any,  # noqa: ANN401 - a test that has its check beside it
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every row of the matrix, on a world that knows the area."""
    with scenes_of(World(config(events=RACES), areas=LARGER, operations=TABLE), monkeypatch):
        judge.check(EXPECTED)


@contextmanager
def scenes_of(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the matrix build its scene in this world."""
    kept = (matrix.scene, matrix.scene_for_guesses, matrix.scene_of_a_banned_player)
    for scene in kept:
        scene.cache_clear()
    monkeypatch.setattr(matrix, "world", lambda **_: world)
    yield
    for scene in kept:
        scene.cache_clear()


def test_a_world_knows_it() -> None:
    """Its players call the operation by name, and its events are read by kind."""
    world = World(config(), areas=LARGER, operations=TABLE)
    assert world.player("anna").call("guestbook.sign", message="Hello.")["page"]["signatures"] == 1  # type: ignore[index,call-overload] # JSON
    assert [event["signatures"] for event in world.emitted("guestbook.signed")] == [1]
    world.advance(days=1)
    assert not world.store.dump()[world.scopes[0].id].get(guestbook.PAGES.name)


@pytest.mark.parametrize(
    "claimed",
    [
        {"tables": AREA.tables},
        {"refusals": AREA.refusals},
        {"events": AREA.events},
        {"due": AREA.due},
        {"exports": AREA.exports},
    ],
    ids=lambda claimed: next(iter(claimed)),
)
def test_two_areas_cannot_claim_the_same(claimed: dict[str, Any]) -> None:
    """Or else one of them would be forgotten without a word."""
    with pytest.raises(ValueError, match="claim"):
        LARGER.plus(attrs.evolve(Area(name="other"), **claimed))
