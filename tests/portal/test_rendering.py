"""How pages are made from templates."""

from __future__ import annotations

import asyncio
import threading

import pytest
from jinja2 import Environment

from livecore.api.requests.http import Request, Response
from livecore.world import World
from livecore_server.portal import environment, rendering
from tests.portal.browsing import Member, portal_of
from tests.portal.studio import made_studio, places


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each template was compiled, beginning with none; compiling in the thread of the event loop fails."""
    counts: dict[str, int] = {}
    compile_one = Environment.compile

    def compiling(self: Environment, source: str, name: str, filename: str) -> object:
        assert threading.current_thread() is not threading.main_thread(), name
        counts[name] = counts.get(name, 0) + 1
        return compile_one(self, source, name, filename)

    monkeypatch.setattr(environment, "TEMPLATES", environment._environment())
    monkeypatch.setattr(rendering, "_compiled", set())
    monkeypatch.setattr(Environment, "compile", compiling)
    return counts


def test_templates_are_compiled_beside_other_requests(compiled: dict[str, int]) -> None:
    """Compiling takes a tenth of a second, so the thread of the event loop never does it, and it is done once."""
    world = made_studio()
    member = Member.of(world, "OWNER")
    address = places(world, "/portal/studios/{studioId}/games/{gameId}/players/{externalId}")
    for _ in range(2):
        assert member.open(address).response.status == 200
    assert {"player.html", "base.html"} <= compiled.keys()
    assert set(compiled.values()) == {1}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/portal/nothing", 404),
        ("GET", "/portal/studios/std_other/members", 404),
        ("GET", "/portal/sign-out", 405),
        ("POST", "/portal/", 403),
        ("GET", "/portal/signed-out", 200),
    ],
)
def test_so_are_those_of_problems(compiled: dict[str, int], method: str, path: str, status: int) -> None:
    """Also where the first page of all is about one."""
    assert Member.of(World()).send(method, path).status == status
    assert "problem.html" in compiled
    assert set(compiled.values()) == {1}


def test_a_form_that_the_host_refuses_waits_for_no_template(compiled: dict[str, int]) -> None:
    """Its page is made where nothing can wait, from what the beginning of the request has compiled."""
    member = Member.of(World())
    envelope = Response(408, (), b'{"error": {"code": "request_timeout", "message": "Too slow."}}')

    async def scenario() -> Response:
        prepared = await member.portal.enter(Request("POST", "/portal/", "", member.headers, b"", "192.0.2.7"))
        return member.portal.failed(prepared, envelope)

    page = asyncio.run(scenario())
    assert (page.status, b"Too slow." in page.body) == (408, True)
    assert set(compiled.values()) == {1}


def test_where_no_page_can_be_made_the_host_gets_its_envelope_back(caplog: pytest.LogCaptureFixture) -> None:
    """The host is answering a failure already, so another one must not leave it without an answer."""
    world = World()
    portal = portal_of(world)
    for body in (b"", b"[]", b'{"error": {}}'):
        caplog.clear()
        prepared = world.application.begin(Request("POST", "/portal/"))
        envelope = Response(500, (), body)
        assert portal.failed(prepared, envelope) is envelope
        (record,) = caplog.records
        assert (record.name, record.exc_info is not None) == ("livecore.portal", True)
