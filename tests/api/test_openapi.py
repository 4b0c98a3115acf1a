"""The OpenAPI documents: valid, complete, with examples that fit their schemas and that the service accepts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import cast
from urllib.parse import quote, urlencode

import attrs
import pytest
from jsonschema import Draft202012Validator, FormatChecker
from openapi_spec_validator import OpenAPIV31SpecValidator

from livecore.api.areas import AREAS
from livecore.api.documents.description import describe
from livecore.api.operations import OPERATIONS, operation
from livecore.api.refusals import refusals_of
from livecore.api.requests.http import Request
from livecore.api.table.operation import Deprecation, Document, EventStream, Link, Operation, Surface
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.wire import compact, decode, encode
from livecore.webhooks.envelope import Envelope
from tests.api.documents import DESCRIBED, SURFACES, at, described_as, of, refused_codes, resolved, validate, webhooks
from tests.each import of_each
from tests.samples import sample
from tests.worlds import world

LINKS = {(entry.id, status): links for entry in OPERATIONS for status, links in entry.links.items()}
WITH_EVENTS: tuple[Surface, ...] = ("sdk", "server")
each_surface = pytest.mark.parametrize("surface", SURFACES)
each_operation = of_each(DESCRIBED)


@each_surface
def test_the_document_is_valid(surface: Surface) -> None:
    """Tools accept it as OpenAPI 3.1."""
    assert of(surface)["openapi"] == "3.1.0"
    OpenAPIV31SpecValidator(of(surface)).validate()


@each_surface
def test_every_reference_leads_somewhere(surface: Surface) -> None:
    """Nothing is referred to that the document lacks, and no definition is left that nothing refers to."""
    referred = set(re.findall(r'"\$ref": "#/components/([^"]+)"', json.dumps(of(surface))))
    defined = {f"{section}/{name}" for section, parts in at(of(surface), "components").items() for name in at(parts)}
    assert referred <= defined
    assert {name for name in defined - referred if not name.startswith("securitySchemes/")} == set()


@each_operation
def test_operators_are_told_what_they_need(entry: Operation) -> None:
    """The permission, null where none is needed, and what a personal key may not do; on no other surface."""
    described = described_as(entry)
    assert ("x-permission" in described) is (entry.surface == "admin")
    assert described.get("x-permission") == entry.permission
    assert described.get("x-dashboard-only", False) == entry.dashboard_only
    assert described.get("x-dashboard-only-with", []) == list(entry.dashboard_only_with)


def test_six_operations_need_no_permission() -> None:
    """Those about oneself, the document, and the probe."""
    admin = [entry for entry in DESCRIBED if entry.surface == "admin"]
    assert {entry.name for entry in admin if described_as(entry)["x-permission"] is None} == {
        "health", "openapi.get", "session.get", "session.signOut", "personalKeys.create", "personalKeys.revoke",
    }  # fmt: skip


@each_surface
def test_operations_are_named_as_in_the_table(surface: Surface) -> None:
    """Every operation of the surface is there, under its method and path, and none besides."""
    found = {
        (method.upper(), path, entry["operationId"])
        for path, item in at(of(surface), "paths").items()
        for method, entry in cast("dict[str, JsonObject]", item).items()
    }
    assert found == {(row.method, row.path, row.name) for row in DESCRIBED if row.surface == surface}


@each_operation
def test_an_operation_explains_itself(entry: Operation) -> None:
    """A summary that is a sentence, a subject that the document introduces, a description of each answer."""
    described = described_as(entry)
    assert cast("str", described["summary"]).endswith((".", "?"))
    introduced = {tag["name"] for tag in cast("list[JsonObject]", of(entry.surface)["tags"])}
    assert set(cast("list[str]", described["tags"])) <= introduced
    for answer in at(described, "responses").values():
        assert at(answer)["description"]


@each_operation
def test_every_code_is_listed_under_its_status(entry: Operation) -> None:
    """The document lists exactly the refusals that the operation can give, each with an example of its own."""
    assert list(refused_codes(entry)) == [(kind.status, kind.code) for kind in refusals_of(entry)]
    for status, answer in at(described_as(entry), "responses").items():
        content = at(at(answer, "content").get("application/json", {}))
        for code, example in at(content.get("examples", {})).items():
            value = resolved(entry.surface, example)["value"]
            assert at(value, "error")["code"] == code
            validate(entry.surface, content["schema"], value)
            assert (int(status), code) in set(refused_codes(entry))


@each_operation
def test_answers_are_examples_of_themselves(entry: Operation) -> None:
    """Each success has an example in the envelope that fits its schema."""
    for status, kind in entry.answers.items():
        if kind is EventStream:
            continue  # its messages are looked at beside the tests of streams
        content = at(described_as(entry), "responses", str(status), "content", "application/json")
        validate(entry.surface, content["schema"], content["example"])
        if Document not in entry.answers.values():
            assert set(at(content["example"])) == {"data"}


@each_operation
def test_requests_are_examples_of_themselves(entry: Operation) -> None:
    """Each body and parameter that has an example fits its schema, and what is required has one."""
    described = described_as(entry)
    for given in cast("list[Json]", described["parameters"]):
        parameter = resolved(entry.surface, given)
        if "example" in parameter:
            validate(entry.surface, parameter["schema"], parameter["example"])
        else:
            assert not parameter["required"]
    if "requestBody" in described:
        content = at(described, "requestBody", "content", "application/json")
        validate(entry.surface, content["schema"], content["example"])


def without_more(schema: Json) -> Json:
    """The schema, closed to all that it does not name: a reader must bear more, an example must not show it."""
    if isinstance(schema, list):
        return [without_more(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: without_more(member) for name, member in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        closed.setdefault("additionalProperties", False)
    return closed


def shown(part: Json) -> Iterator[tuple[JsonObject, Json]]:
    """Every schema of the document with each example beside it."""
    if isinstance(part, dict):
        if "schema" in part:
            schema = at(part, "schema")
            examples = at(part.get("examples", {})).values()
            yield from ((schema, example) for example in examples)
            if "example" in part:
                yield schema, {"value": part["example"]}
            return
        for member in part.values():
            yield from shown(member)


@each_surface
def test_examples_show_nothing_that_is_not_documented(surface: Surface) -> None:
    """Wherever an example stands, all of its members are in the schema."""
    whole = of(surface)
    closed = {**at(without_more(at(whole, "components", "schemas")))}
    told = 0
    for schema, example in shown(whole):
        value = resolved(surface, example)["value"]
        document = {**at(without_more(schema)), "components": {"schemas": cast("Json", closed)}}
        Draft202012Validator(document, format_checker=FormatChecker()).validate(value)
        told += 1
    assert told > 50


@each_surface
def test_a_document_is_small(surface: Surface) -> None:
    """What operations share stands in it once; a few kilobytes for each operation and event are enough."""
    parts = len(webhooks(surface)) + sum(entry.surface == surface for entry in DESCRIBED)
    shared = 80_000
    assert len(compact(of(surface)).encode()) < shared + 3_500 * parts


def example_request(entry: Operation, headers: dict[str, str]) -> Request:
    """The request that the document's examples show."""
    described = described_as(entry)
    path, query, body = entry.path, {}, b""
    for given in cast("list[Json]", described["parameters"]):
        parameter = resolved(entry.surface, given)
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"]), safe=""))
        elif parameter["in"] == "query" and "example" in parameter:
            query[str(parameter["name"])] = str(parameter["example"])
        elif "example" in parameter and parameter["name"] != "Idempotency-Key":
            headers = {**headers, str(parameter["name"]).lower(): str(parameter["example"])}
    if "requestBody" in described:
        body = json.dumps(at(described, "requestBody", "content", "application/json")["example"]).encode()
        headers = {**headers, "content-type": "application/json"}
    return Request(entry.method, path, urlencode(query), headers, body, "127.0.0.1")


@each_operation
def test_the_service_takes_the_example(entry: Operation) -> None:
    """Sent as it stands, an example request is understood: it succeeds, or meets a refusal that the document lists."""
    place = world()
    anna = place.player("sample-player-1")
    place.player("sample-player-2")
    callers = {"sdk": anna, "server": place.server, "admin": place.operator()}
    headers = {} if entry.credential == "none" else dict(callers[entry.surface].headers)
    response = place.handle(example_request(entry, headers))
    answer = json.loads(response.body)
    if "error" in answer:
        assert (response.status, answer["error"]["code"]) in set(refused_codes(entry))
        assert answer["error"]["code"] != "validation_failed"
    else:
        assert response.status in entry.answers
    schema = at(described_as(entry), "responses", str(response.status), "content", "application/json")["schema"]
    validate(entry.surface, schema, answer)


@each_operation
def test_credentials_are_declared(entry: Operation) -> None:
    """A tool knows which key to send, and whether the player's secret goes with it."""
    schemes: dict[str, list[dict[str, list[str]]]] = {
        "none": [],
        "client_key": [{"ClientKey": []}],
        "player": [{"ClientKey": [], "PlayerSecret": []}],
        "server_key": [{"ServerKey": []}],
        "member": [{"Session": []}] if entry.dashboard_only is True else [{"Session": []}, {"PersonalKey": []}],
    }
    assert described_as(entry)["security"] == schemes[entry.credential]
    assert {name for given in schemes[entry.credential] for name in given} <= set(
        at(of(entry.surface), "components", "securitySchemes")
    )


@each_operation
def test_headers_are_declared(entry: Operation) -> None:
    """Where the caller stands in the bucket, the request id, when to come back, and whether it is a replay."""
    for status, answer in at(described_as(entry), "responses").items():
        headers = set(at(at(answer)["headers"]))
        assert "X-Request-Id" in headers
        assert ("RateLimit-Remaining" in headers) is (entry.bucket is not None)
        assert ("Retry-After" in headers) is (status in {"429", "503"})
        assert ("Idempotent-Replay" in headers) is ((entry.keyed or entry.derives) and int(status) < 300)
    sent = {
        str(given["$ref"]) for given in cast("list[JsonObject]", described_as(entry)["parameters"]) if "$ref" in given
    }
    of_game = () if entry.surface == "admin" else ("Platform", "AppVersion")
    assert {f"#/components/parameters/{name}" for name in ("SdkName", *of_game, "RequestId")} <= sent
    assert ("#/components/parameters/Environment" in sent) is entry.takes_environment
    assert ("#/components/parameters/IdempotencyKey" in sent) is any(
        field.name == "idempotency_key" for field in attrs.fields(entry.args)
    )


@each_surface
def test_every_code_is_known(surface: Surface) -> None:
    """A client can look up any code, also of another surface; those that an operation answers have an example."""
    answered = {code for entry in DESCRIBED if entry.surface == surface for _, code in refused_codes(entry)}
    assert set(at(of(surface), "components", "examples")) == answered
    code = at(of(surface), "components", "schemas", "Error", "properties", "error", "properties", "code")
    assert code["x-extensible-enum"] == [kind.code for kind in AREAS.refusals]


@of_each(LINKS.items(), name=str)
def test_links_lead_from_an_answer_to_an_operation(found: tuple[tuple[str, int], tuple[Link, ...]]) -> None:
    """What a link points at stands in the example answer, and the operation it leads to has that variable."""
    place, links = found
    entry = operation(place[0])
    answer = at(described_as(entry), "responses", str(place[1]))
    assert set(at(answer, "links")) == {link.operation for link in links}
    for link in links:
        assert link.variable in operation(f"{entry.surface}:{link.operation}").variables
        shown_there: Json = at(answer, "content", "application/json", "example")["data"]
        for step in link.pointer.split("/"):
            within = shown_there
            shown_there = within[int(step)] if isinstance(within, list) else cast("JsonObject", within)[step]
        assert isinstance(shown_there, str)


# -- webhooks -------------------------------------------------------------------------------------------------------------


@of_each(product(WITH_EVENTS, AREAS.events), name=" ".join)
def test_every_kind_of_event_is_described_with_its_sample(told: tuple[Surface, str]) -> None:
    """A receiver finds the payload's shape and a delivery that fits it, which reads back as the typed payload."""
    surface, kind = told
    described = webhooks(surface)[kind]
    assert described["description"]
    content = at(described, "requestBody", "content", "application/json")
    validate(surface, content["schema"], content["example"])
    envelope = decode(Envelope, content["example"])
    assert envelope.event_name == kind
    assert decode(AREAS.events[kind], cast("Json", envelope.data)) == sample(kind)
    assert at(content["example"])["data"] == json.loads(json.dumps(encode(sample(kind))))


@each_surface
def test_no_other_event_is_described(surface: Surface) -> None:
    """The catalog is all there is; operators look events up in the other documents."""
    assert list(webhooks(surface)) == ([] if surface == "admin" else list(AREAS.events))


# -- serving --------------------------------------------------------------------------------------------------------------


@each_surface
def test_the_document_is_served(surface: Surface) -> None:
    """Its body is the document itself, without the envelope; that of operators is served to members."""
    place = world()
    headers = dict(place.operator().headers) if surface == "admin" else {}
    response = place.handle(Request("GET", f"/{surface}/v1/openapi.json", headers=headers, remote="127.0.0.1"))
    assert response.status == 200
    assert dict(response.headers)["Content-Type"] == "application/json"
    assert json.loads(response.body) == of(surface)


def test_a_deprecated_operation_says_so() -> None:
    """The mark and the headers of a deprecation are derived from the operation's row."""
    old = attrs.evolve(
        operation("sdk:friends.list"),
        deprecation=Deprecation(reason="renamed", sunset=Timestamp.parse("2027-01-01T00:00:00.000Z")),
    )
    described = at(describe("sdk", [old]), "paths", old.path, "get")
    assert described["deprecated"] is True
    assert {"Deprecation", "Sunset", "Link", "X-Svc-Deprecation-Reason"} <= set(
        at(described, "responses", "200", "headers")
    )
    assert not any("deprecated" in described_as(entry) for entry in DESCRIBED if entry.deprecation is None)


def test_documents_do_not_depend_on_the_table_of_the_moment() -> None:
    """Two descriptions of the same operations are equal, so a generated page is stable."""
    assert describe("server", OPERATIONS) == of("server")
