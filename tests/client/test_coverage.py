"""Nothing is forgotten: each operation of the service has a method, and each method takes what its operation takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import cast

import attrs
import pytest

import livecore_client
from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import Document, Operation
from livecore.kernel.wire.shapes import ABSENT
from livecore_client import AsyncSdkClient, AsyncServerClient, SdkClient, ServerClient, errors, rows
from tests.client.flavours import BASE_URL
from tests.contract.oracle import GUARDED
from tests.each import of_each

SURFACES = ("sdk", "server")
COVERED = [
    operation
    for operation in OPERATIONS
    if operation.surface in SURFACES and Document not in operation.answers.values()
]
"""What programs call; the OpenAPI documents are for tools."""


@cache
def _clients(surface: str) -> list[object]:
    if surface == "sdk":
        kinds = (SdkClient, AsyncSdkClient)
        return [kind(base_url=BASE_URL, api_key="k", external_player_id="anna") for kind in kinds]
    return [kind(base_url=BASE_URL, api_key="k") for kind in (ServerClient, AsyncServerClient)]


def _python_name(operation: Operation) -> str:
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", operation.name)


def _method(client: object, name: str) -> Callable[..., object]:
    found = client
    for step in name.split("."):
        found = getattr(found, step)
    return cast("Callable[..., object]", found)


@of_each(COVERED)
def test_each_operation_has_a_method_that_takes_its_arguments(operation: Operation) -> None:
    """Name by name and default by default: a field that a method does not pass on cannot be used by anybody."""
    fields = {field.name: field.default for field in attrs.fields(operation.args)}
    names = re.findall(r"\{(\w+)\}", operation.path)
    for client in _clients(operation.surface):
        method = _method(client, _python_name(operation))
        parameters = dict(inspect.signature(method).parameters)
        if operation.surface == "server" and "externalId" in names:
            assert next(iter(parameters)) == "external_player_id"
            del parameters["external_player_id"]
        if operation.messages:
            parameters.pop("last_event_id")
        assert set(parameters) == set(fields)
        for name, default in fields.items():
            assert parameters[name].default == _expected_default(name, default), name


def _expected_default(name: str, default: object) -> object:
    if name == "idempotency_key":
        return None  # the client makes one
    if name == "progression" and default is ABSENT:
        return ()  # nothing extra is read
    return inspect.Parameter.empty if default is attrs.NOTHING else default


PAGED = [
    operation
    for operation in COVERED
    if {"cursor", "offset"} & {field.name for field in attrs.fields(operation.args)} and not operation.messages
]


@of_each(PAGED)
def test_each_list_that_comes_in_pages_can_be_iterated_over(operation: Operation) -> None:
    """Nobody must write the loop over cursors."""
    area, _, name = _python_name(operation).partition(".")
    rest = re.sub(r"^list(_|$)", "", name)
    for client in _clients(operation.surface):
        assert callable(_method(client, f"{area}.iterate_{rest}" if rest else f"{area}.iterate"))


@of_each(COVERED)
def test_the_route_table_written_by_hand_agrees_with_the_operations(operation: Operation) -> None:
    """What the clients were tested to send is what the service answers to, with documented statuses."""
    (route,) = (route for route in GUARDED if route.id == operation.id)
    assert route.calls or operation.messages, "the table has no call of this operation"
    assert route.python_name == _python_name(operation)
    assert (route.method, route.path, route.credential) == (operation.method, operation.path, operation.credential)
    assert {call.status or route.statuses[0] for call in route.calls} <= set(operation.answers)


def test_no_row_of_the_table_is_about_an_operation_that_does_not_exist() -> None:
    """A route that was renamed must not live on in the clients."""
    assert {route.id for route in GUARDED} == {operation.id for operation in COVERED}


def test_every_answer_can_be_imported_from_rows() -> None:
    """A program that annotates its variables finds each row, nested ones included, in one module."""
    wanted = {answer.__name__ for operation in COVERED for answer in operation.answers.values()} - {"EventStream"}
    wanted |= {message.__name__ for operation in COVERED for message in operation.messages.values()}
    assert wanted <= set(rows.__all__)


@pytest.mark.parametrize("module", [livecore_client, errors, rows], ids=lambda module: module.__name__)
def test_every_export_can_be_imported(module: ModuleType) -> None:
    """Names that are loaded late are still there when asked for, and listed."""
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)


def test_an_export_that_does_not_exist_is_an_attribute_error() -> None:
    """`hasattr` and tools that look around must get the usual answer from a module that loads late."""
    assert not hasattr(livecore_client, "Client")


def test_both_flavours_have_the_same_methods() -> None:
    """Nobody loses an operation by choosing a flavour."""
    for surface in SURFACES:
        plain, asynchronous = _clients(surface)
        areas = {one.name.partition(".")[0] for one in COVERED if one.surface == surface and "." in one.name}
        for name in areas:
            assert _public(getattr(plain, name)) == _public(getattr(asynchronous, name))


def _public(namespace: object) -> set[str]:
    return {name for name in dir(namespace) if not name.startswith("_")}
