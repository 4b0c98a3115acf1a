"""What an event may say of its lobbies and sessions, and what contradicts itself."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.kernel.errors import JsonObject, ValidationFailed
from tests.competition.games import event
from tests.lobbies.groups import BOTS, arena
from tests.worlds import config

_LOBBY: Final[JsonObject] = {"capacity": 2, "fillSeconds": 60}
_WON: Final[JsonObject] = {"label": "won", "type": "first_to_target"}
_MINUTE: Final[JsonObject] = {"label": "time-up", "type": "elapsed", "value": 60}
_POINT: Final[JsonObject] = {"afterSeconds": 10, "min": 5, "max": 9}


def _session(*triggers: JsonObject, **more: object) -> JsonObject:
    return {"lobby": _LOBBY, "session": {"triggers": list(triggers)}, **more}  # type: ignore[dict-item] # JSON


def _bots(*points: JsonObject, **more: object) -> JsonObject:
    return {"lobby": {**_LOBBY, "bots": {"scoreAt": list(points), **more}}}  # type: ignore[dict-item] # JSON


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (_session(), "session.triggers"),
        (_session(_WON), "session.triggers[0].type"),
        (_session({**_WON, "value": 3}, target=9), "session.triggers[0].value"),
        (_session({"label": "x", "type": "elapsed"}), "session.triggers[0].value"),
        (_session({"label": "x", "type": "elapsed", "value": 0}), "session.triggers[0].value"),
        (_session({"label": "x", "type": "remaining"}), "session.triggers[0].value"),
        (_session({"label": "x", "type": "never"}), "session.triggers[0].type"),
        (_session(_MINUTE, _MINUTE), "session.triggers[1].label"),
        ({**_session(_MINUTE), "lobby": None}, "session"),
        ({"lobby": _LOBBY, "board": {"by": "segment", "segment": "country"}}, "board.by"),
        ({"board": {"by": "lobby"}}, "board.by"),
        ({"lobby": {**_LOBBY, "capacity": 0}}, "lobby.capacity"),
        ({"lobby": {**_LOBBY, "capacity": 201}}, "lobby.capacity"),
        ({"lobby": {**_LOBBY, "fillSeconds": 0}}, "lobby.fillSeconds"),
        ({"lobby": {"capacity": 2}}, "lobby.fillSeconds"),
        ({"lobby": {**_LOBBY, "matchBy": ["a", "a"]}}, "lobby.matchBy"),
        (_bots(), "lobby.bots.scoreAt"),
        (_bots(_POINT, names=[]), "lobby.bots.names"),
        (_bots(_POINT, names=["A", "A"]), "lobby.bots.names"),
        (_bots(_POINT, names=["A", "x" * 41]), "lobby.bots.names[1]"),
        (_bots(_POINT, names=["A\u202eB"]), "lobby.bots.names[0]"),
        (_bots(_POINT, _POINT), "lobby.bots.scoreAt[1].afterSeconds"),
        (_bots({**_POINT, "max": 4}), "lobby.bots.scoreAt[0].max"),
    ],
)
def test_what_contradicts_itself_is_refused(fields: dict[str, Any], path: str) -> None:
    """With the path of what is wrong."""
    with pytest.raises(ValidationFailed) as refused:
        parse_config({**config(), "events": [event(**fields)]})
    assert [name for name in refused.value.fields if name == f"events[0].{path}"] != [], refused.value.fields


def test_what_an_event_may_say_is_taken() -> None:
    """With bots, matching, all triggers, and a board by lobby, which is what lobbies give anyway."""
    triggers: list[JsonObject] = [_WON, _MINUTE, {"label": "last", "type": "remaining", "value": 1}]
    for board in ({}, {"by": "lobby"}):
        here = arena(
            {"bots": BOTS, "matchBy": ["country", "region"]},
            board=board,
            target=9,
            session={"triggers": triggers, "resolution": "close"},
        )
        assert here.player("anna").external_id == "anna"
