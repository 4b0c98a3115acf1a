"""Enumerations that grow: what the service answers may gain a value without notice, and no reader breaks over it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, cast

import pytest

from livecore.access.roles import ROLES
from livecore.api.areas import AREAS
from livecore.api.table.operation import Document, EventStream, Operation, Surface
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.wire import decode_lenient, encode
from livecore.kernel.wire.schema import OPEN
from tests.api.documents import DESCRIBED, SURFACES, at, described_as, of, resolved, validate, webhooks

NEW: Final = "something_new"
ANSWERED: Final = [
    (entry, status)
    for entry in DESCRIBED
    for status, kind in entry.answers.items()
    if kind not in (Document, EventStream)
]


def parts_of(surface: Surface, schema: Json, seen: set[str] | None = None) -> Iterator[JsonObject]:
    """A schema and every schema below it, references followed once."""
    seen = set() if seen is None else seen
    if isinstance(schema, list):
        for member in schema:
            yield from parts_of(surface, member, seen)
    elif isinstance(schema, dict):
        name = schema.get("$ref")
        if isinstance(name, str):
            if name not in seen:
                seen.add(name)
                yield from parts_of(surface, resolved(surface, schema), seen)
            return
        yield schema
        for member in schema.values():
            yield from parts_of(surface, member, seen)


def grown(surface: Surface, schema: Json, value: Json) -> Json:
    """The value with another word in each place where an enumeration may have one that is not known today."""
    part = resolved(surface, schema)
    for further in cast(
        "list[Json]", [*cast("list[Json]", part.get("allOf", [])), *cast("list[Json]", part.get("anyOf", []))]
    ):
        value = grown(surface, further, value)
    if isinstance(value, dict):
        properties = at(part.get("properties", {}))
        return {name: grown(surface, properties[name], member) if name in properties else member
                for name, member in value.items()}  # fmt: skip
    if isinstance(value, list) and "items" in part:
        return [grown(surface, part["items"], member) for member in value]
    return NEW if OPEN in part and isinstance(value, str) else value


@pytest.mark.parametrize(("entry", "status"), ANSWERED, ids=lambda part: getattr(part, "id", str(part)))
def test_an_answer_with_new_words_is_read(entry: Operation, status: int) -> None:
    """It fits the document, as generated clients have it, and our own clients give the new words on."""
    content = at(described_as(entry), "responses", str(status), "content", "application/json")
    answer = grown(entry.surface, content["schema"], content["example"])
    validate(entry.surface, content["schema"], answer)
    data = at(answer)["data"]
    assert encode(decode_lenient(entry.answers[status], data)) == data


def test_answers_have_words_that_may_grow() -> None:
    """Otherwise the test above would hold of documents that know no enumeration."""
    found = {
        entry.name
        for entry, status in ANSWERED
        for content in [at(described_as(entry), "responses", str(status), "content", "application/json")]
        if grown(entry.surface, content["schema"], content["example"]) != content["example"]
    }
    assert {"gifts.send", "friends.search", "grants.create", "wallet.get", "purchases.list", "players.merge"} <= found


@pytest.mark.parametrize("kind", AREAS.events)
def test_an_event_with_new_words_is_read(kind: str) -> None:
    """A receiver that was generated, or typed by hand, keeps the payload of a newer sender."""
    content = at(webhooks("server")[kind], "requestBody", "content", "application/json")
    event = grown("server", content["schema"], content["example"])
    validate("server", content["schema"], event)
    data = at(event)["data"]
    assert encode(decode_lenient(AREAS.events[kind], data)) == data


@pytest.mark.parametrize("surface", SURFACES)
def test_what_is_answered_closes_no_enumeration(surface: Surface) -> None:
    """Neither do refusals: not one schema of an answer says which words there are for good."""
    told = of(surface)
    answers: list[Json] = [at(entry, "responses") for item in at(told, "paths").values() for entry in at(item).values()]
    events: list[Json] = [at(entry, "post", "requestBody") for entry in at(told.get("webhooks", {})).values()]
    for part in parts_of(surface, [*answers, *events]):
        if "schema" in part:  # not an example
            for schema in parts_of(surface, part["schema"]):
                assert "enum" not in schema, schema
                words = schema.get("const")
                assert not isinstance(words, str) or words in {*AREAS.events, "true"}, schema


@pytest.mark.parametrize("surface", SURFACES)
def test_what_is_asked_closes_its_enumerations(surface: Surface) -> None:
    """A request with a word that the service does not know is refused, and a generated client need not send it."""
    told = of(surface)
    bodies: list[Json] = [
        at(entry).get("requestBody") for item in at(told, "paths").values() for entry in at(item).values()
    ]
    schemas = list(parts_of(surface, bodies))
    assert not any(OPEN in schema for schema in schemas)
    known: dict[str, list[Json]] = {
        "sdk": ["item", "currency"],
        "server": ["item", "currency", "crate"],
        "admin": [*ROLES],
    }
    kinds = known[surface]
    assert kinds in [schema.get("enum") for schema in schemas]


def test_every_known_word_is_listed() -> None:
    """A reader of the document sees what there is today."""
    schemas = at(of("server"), "components", "schemas")
    assert at(schemas, "GiftRow", "properties", "status")[OPEN] == ["pending", "claimed", "expired"]
    assert OPEN in json.dumps(at(schemas, "Error"))
