"""The service itself, its documents and its health, as the specification and the wire contract show them."""

from __future__ import annotations

from typing import Final

from livecore.kernel.errors import JsonObject
from tests.contract.expected import DOCUMENT, NOON, Area, Route, ServerCall
from tests.contract.stories import Step, Walk

PONG: Final[JsonObject] = {
    "ok": True,
    "gameId": "gam_01JZ0000000000000000000000",
    "environment": "test",
    "apiKeyPrefix": "lc_test_server_abc",
    "serverTime": NOON,
}


def _document(surface: str) -> Route:
    """A surface's description of itself, which tools read without a key."""
    return Route(
        surface, "openapi.get", "GET /openapi.json", below="", credential="none", answers=DOCUMENT,
        refusals="rate_limited",
    )  # fmt: skip


_ROUTES: Final = (
    Route(
        "server", "ping", "GET /ping", below="",
        answers="ok gameId environment apiKeyPrefix serverTime",
        calls=(ServerCall(lambda c: c.ping(), PONG),),
    ),
    _document("sdk"),
    _document("server"),
    Route("admin", "health", "GET /health", below="", credential="none", answers="status"),
)  # fmt: skip


def _look(walk: Walk) -> None:
    walk.ask(walk.server, "ping")


AREA: Final = Area(routes=_ROUTES, walk=(Step("look", _look),))
