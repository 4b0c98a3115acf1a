"""A simulated season as it was played: each request in the form of HTTP with its answer, and how time passed in between."""

from __future__ import annotations

from typing import Any, TypeAlias
from urllib.parse import quote

import attrs
import pytest

from livecore.api.configuration.game_config import GameConfig
from livecore.api.requests.http import Request, Response
from livecore.api.requests.typed import TypedRequest
from livecore.kernel.time import Millis
from livecore.kernel.wire import compact
from livecore.simulation.season import play_season
from livecore.world import Emitted, World
from tests.laws.typed_calls import response_of


@attrs.frozen
class Sent:
    """A request, and what it was answered."""

    request: Request
    answer: Response


@attrs.frozen
class Waited:
    """Time has passed, and what was due has run."""

    until: Millis


Line: TypeAlias = Sent | Waited


class RecordedWorld(World):
    """Keeps a record of all that is done in it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as a world takes them
        self.lines: list[Line] = []
        super().__init__(*args, **kwargs)

    def handle(self, request: Request) -> Response:
        """Answer a request, and keep both as they are on a wire."""
        answer = super().handle(request)
        if isinstance(request, TypedRequest):
            self.lines.append(Sent(in_http(request), response_of(request, answer)))
        else:
            self.lines.append(Sent(request, answer))
        return answer

    def advance_to(self, moment: Millis) -> list[Emitted]:
        """Let time pass, and keep until when."""
        self.lines.append(Waited(moment))
        return super().advance_to(moment)


def in_http(typed: TypedRequest) -> Request:
    """The request that a client would send over HTTP."""
    path = typed.operation.path
    for name, value in zip(typed.operation.variables, typed.values, strict=True):
        path = path.replace("{" + name + "}", quote(value, safe=""))
    if not typed.operation.takes_body:
        return Request(typed.method, path, typed.written_query(), dict(typed.headers), b"", typed.remote)
    headers = {**typed.headers, "content-type": "application/json"}
    return Request(
        typed.method, path, typed.written_query(), headers, compact(typed.read_body()).encode(), typed.remote
    )


def record(
    config: GameConfig, monkeypatch: pytest.MonkeyPatch, *, players: int, days: int, seed: int = 0
) -> RecordedWorld:
    """Play a season; gives its world, which has the record."""
    with monkeypatch.context() as patch:
        patch.setattr("livecore.simulation.season.World", RecordedWorld)
        world = play_season(config, players=players, days=days, seed=seed)
    assert isinstance(world, RecordedWorld)
    return world
