"""The generator of client methods: each argument arrives as the shape holds it, and what it cannot make it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from types import ModuleType
from typing import Annotated, Any, Final

import pytest

from livecore.api.table.operation import Operation
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import (
    ABSENT,
    Absent,
    Comma,
    ExternalPlayerId,
    Id,
    IdempotencyKey,
    Items,
    Metadata,
    Text,
)
from livecore_client._async.resource import AsyncServerResource
from tests.scripts import script

NOON: Final = datetime(2026, 1, 31, 12, tzinfo=UTC)
AT_NOON: Final = Timestamp.of(NOON)
Tags = Annotated[tuple[Annotated[str, Text(1, 20)], ...], Items(0, 5)]


@shape
class Change:
    """A change of everything that can be changed."""

    thing_id: str
    title: str
    tags: Tags | Absent = ABSENT
    notes: Tags | None = None
    data: Metadata | None | Absent = ABSENT
    due_at: Timestamp | None | Absent = ABSENT
    made_at: Timestamp
    extra: Metadata
    idempotency_key: IdempotencyKey | None = None


@shape
class Look:
    """A look at some of it."""

    with_: Annotated[Tags, Comma()] | Absent = ABSENT


@shape
class Twice:
    """Somebody else, under the same name."""

    external_player_id: str


@shape
class HandOver:
    """A thing that somebody else has from now on."""

    because: Annotated[str, Text(1, 20)]
    to_player: ExternalPlayerId
    instead_id: Id | None = None
    thing_id: Id


@shape
class Done:
    """It is done."""

    done: bool


@shape
class Undone:
    """It is not."""

    undone: bool


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The generator, loaded from its script."""
    return script("client_methods")


def operation(args: type, method: str = "PATCH", name: str = "things.change", **more: Any) -> Operation:  # noqa: ANN401 - fields
    """An operation of the server surface on a player's thing."""
    path = "/server/v1/players/{externalId}/things" + ("/{thingId}" if args is Change else "")
    usual: dict[str, Any] = {"answers": {200: Done}, "subject": "existing", "path": path, **more}
    return Operation(
        name=name, surface="server", method=method, credential="server_key", bucket="server_api", args=args,  # type: ignore[arg-type] # as given
        handler=lambda _, __: None, summary="Change it.", **usual,
    )  # fmt: skip


def sent(generator: ModuleType, row: Operation, *arguments: object, **named: object) -> tuple[Any, Mapping[str, Any]]:
    """What the generated method sends: the shape, and the options of the call."""
    imports = generator.Imports()
    made = generator.method(row, imports)
    text = "\n".join(["from __future__ import annotations", *imports.lines(), "class Made(Base):", *made.lines()])
    calls: list[tuple[Any, Mapping[str, Any]]] = []

    class Base(AsyncServerResource):
        async def _send(self, *call: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever is sent
            calls.append((call[2], options))

    names: dict[str, Any] = {"Base": Base}
    exec(text, names)  # noqa: S102 - what the generator has just written
    asyncio.run(getattr(names["Made"](None), made.name)(*arguments, **named))
    (call,) = calls
    return call


def test_every_kind_of_argument_arrives_as_the_shape_holds_it(generator: ModuleType) -> None:
    """A sequence as a tuple, a mapping as an object, a `datetime` as a timestamp."""
    made, options = sent(
        generator, operation(Change), "anna", "t1", title="T", tags=["a", "b"], notes=("c",), data={"x": 1}, due_at=NOON,
        made_at=AT_NOON, extra={}, idempotency_key="k",
    )  # fmt: skip
    assert made == Change(
        thing_id="t1", title="T", tags=("a", "b"), notes=("c",), data={"x": 1}, due_at=AT_NOON, made_at=AT_NOON,
        extra={}, idempotency_key="k",
    )  # fmt: skip
    assert options["player"] == "anna"


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({}, {"tags": ABSENT, "notes": None, "data": ABSENT, "due_at": ABSENT}),
        ({"tags": [], "notes": []}, {"tags": (), "notes": ()}),
        ({"tags": "one"}, {"tags": ("one",)}),
        ({"data": None, "due_at": None, "notes": None}, {"data": None, "due_at": None, "notes": None}),
    ],
)
def test_left_out_empty_and_none_are_told_apart(
    generator: ModuleType, given: dict[str, Any], held: dict[str, object]
) -> None:
    """A list in a body can be emptied, and an optional value be cleared or left as it is."""
    made, _ = sent(generator, operation(Change), "anna", "t1", title="T", made_at=NOON, extra={}, **given)
    assert {name: getattr(made, name) for name in held} == held


def test_an_empty_list_of_a_query_is_left_out(generator: ModuleType) -> None:
    """There it has no other meaning, and it is the default."""
    for given, held in (
        ({}, ABSENT),
        ({"with_": []}, ABSENT),
        ({"with_": "one"}, ("one",)),
        ({"with_": ["a"]}, ("a",)),
    ):
        made, _ = sent(generator, operation(Look, "GET"), "anna", **given)
        assert made.with_ == held


def test_an_id_that_the_body_must_have_comes_by_position_after_those_of_the_path(generator: ModuleType) -> None:
    """Whatever the order of the shape; each may be named as well, and an id that may be left out has to be."""
    row = operation(HandOver, path="/server/v1/players/{externalId}/things/{thingId}")
    held = HandOver(thing_id="t1", to_player="bea", because="sold")
    for given, named in ((("anna", "t1", "bea"), {}), (("anna",), {"to_player": "bea", "thing_id": "t1"})):
        made, _ = sent(generator, row, *given, because="sold", **named)
        assert made == held
    with pytest.raises(TypeError, match="positional"):
        sent(generator, row, "anna", "t1", "bea", "t2", because="sold")


def test_a_docstring_spells_names_as_python_does(generator: ModuleType) -> None:
    """Those of arguments and answers; a name that is neither is of JSON, and stays."""
    about = "From `dueAt` on it is `done`, as `onLeave` says; `null` clears the `due_at`."
    doc = generator.method(operation(Change, about=about), generator.Imports()).doc
    assert "From `due_at` on it is `done`, as `onLeave` says; `None` clears the `due_at`." in doc


@pytest.mark.parametrize(
    "row",
    [
        operation(Look, "GET", "things.import"),
        operation(Twice),
        operation(Change, answers={200: Done, 201: Undone}),
    ],
    ids=["keyword", "the same name twice", "answers of two shapes"],
)
def test_what_it_cannot_make_is_refused(generator: ModuleType, row: Operation) -> None:
    """With the operation's name, so that somebody writes the method by hand."""
    with pytest.raises(TypeError, match=r"server:things\."):
        generator.method(row, generator.Imports())


def test_a_player_who_is_not_in_the_path_is_not_sent() -> None:
    """A game's client names its player only where the route is about one."""
    from livecore_client._arguments import build_call  # noqa: PLC0415 - what is tested

    call = build_call("GET", "/sdk/v1/leaderboards/weekly", Look(), player="anna")
    assert (call.path, call.query, call.body) == ("/sdk/v1/leaderboards/weekly", (), None)
