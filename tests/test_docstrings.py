"""The examples in docstrings run, as those of the documentation do; a proof beside this test checks their types.

Each is a program of its own, in an empty directory. A client in it talks to nobody: whatever it asks is answered with the
example of the documents.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from types import ModuleType

import httpx
import pytest

from livecore.api.documents.examples import answer_example
from livecore.api.operations import OPERATIONS
from livecore.api.requests.routing import Router
from livecore.api.table.operation import EventStream
from livecore.kernel.storage import tables
from livecore.kernel.wire import encode
from livecore.webhooks.samples import placeholder
from tests.docstring_contexts import CONTEXTS
from tests.docstring_examples import EXAMPLES, Example, blocks_in, is_python, looks_like_code

ROUTER = Router(OPERATIONS)


def answer(request: httpx.Request) -> httpx.Response:
    """The documents' example of an answer to a request; of a stream, its last message."""
    operation, _ = ROUTER.find(request.method, request.url.path)
    if EventStream in operation.answers.values():
        kind = operation.messages["closed"]
        end = json.dumps(encode(placeholder("data", kind, {kind: {"reason": "finalized"}})))
        return httpx.Response(
            200, headers={"content-type": "text/event-stream"}, content=f"event: closed\ndata: {end}\n\n".encode()
        )
    return httpx.Response(operation.status, json={"data": answer_example(operation, operation.status)})


async def answer_later(request: httpx.Request) -> httpx.Response:
    """The same for an asynchronous client."""
    return answer(request)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty directory, no network, and tables that are forgotten afterwards."""
    monkeypatch.setattr(tables, "_TABLES", dict(tables._TABLES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda _, request: answer(request))
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", lambda _, request: answer_later(request))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.place)
def test_an_example_runs(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who copies it gets what it says, given the names that it presumes."""
    module = ModuleType(example.module)
    monkeypatch.setitem(sys.modules, example.module, module)  # where the types of a shape are looked up
    exec(compile(example.source, example.place, "exec"), module.__dict__)  # noqa: S102 - our own docstrings
    if example.waits:
        asyncio.run(module.example())


@pytest.mark.parametrize(
    "block",
    [
        "with Client(key=…) as client:\n    client.ping()",
        "value = …",
        "while (step := next step) is not None: ...",
        "case GiftClaimed(amount=…): ...",
        "call(one, …)",
    ],
)
def test_code_that_cannot_be_read_is_no_table(block: str) -> None:
    """It is an example with a mistake, and not passed over."""
    assert not is_python(block)
    assert looks_like_code(block)


@pytest.mark.parametrize(
    "block", ["start    open the store, then listen", "a ──▶ b", "    ()    the first", "with a key    who sends it"]
)
def test_a_table_is_no_code(block: str) -> None:
    """It needs no context."""
    assert not is_python(block)
    assert not looks_like_code(block)


def test_the_blocks_of_a_docstring_are_its_indented_parts() -> None:
    """With the empty lines inside them, and without their indentation."""
    text = "One.\n\n    a = 1\n\n    if a:\n        b\n\nTwo.\n\n    c\n"
    assert list(blocks_in(text)) == ["a = 1\n\nif a:\n    b", "c"]


def test_every_context_belongs_to_an_example() -> None:
    """An example that was moved takes its context along."""
    assert CONTEXTS.keys() <= {example.place for example in EXAMPLES}
