"""`?environment=` on every route below a game: what works in one environment, and what is about both, take it alike."""

from __future__ import annotations

from typing import Final

from livecore.api.operations import OPERATIONS
from livecore.api.requests.arguments import read_arguments
from livecore.api.requests.http import Request
from livecore.api.table.operation import Operation
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.wire import compact

REFUSE: Final = {
    "settings.apply": "it replaces the configuration of both environments, and nobody may think that it is of one",
    "settings.restore": "it does what applying does",
    "games.delete": "it deletes both environments, and nobody may think that one stays",
}
"""What goes on refusing the parameter, each with its reason."""
OF_GAMES: Final = [entry for entry in OPERATIONS if entry.surface == "admin" and "{gameId}" in entry.path]


def faults(operation: Operation, query: str, body: JsonObject | None = None) -> dict[str, str]:
    """What is wrong with the arguments of a request that gives nothing but these."""
    path = operation.path.replace("{", "").replace("}", "")
    headers = {} if body is None else {"content-type": "application/json"}
    request = Request(operation.method, path, query, headers, b"" if body is None else compact(body).encode())
    try:
        read_arguments(operation, request, operation.variables)
    except ValidationFailed as fault:
        return dict(fault.fields)
    return {}


def test_every_route_below_a_game_takes_the_environment() -> None:
    """All but those of a short list, which name the field in their refusal; other values are refused by all."""
    assert len(OF_GAMES) > 70
    refused = "is not a parameter of this request"
    refuse = {
        entry.name
        for entry in OF_GAMES
        for one in ("test", "live")
        if faults(entry, f"environment={one}").get("environment") == refused
    }
    assert refuse == REFUSE.keys()
    for query in ("environment=nowhere", "environment=", "environment=test&environment=live"):
        assert [entry.name for entry in OF_GAMES if "environment" not in faults(entry, query)] == [], query


def test_a_new_key_is_of_one_environment() -> None:
    """Where the body names the environment, the query may only say the same."""
    (create,) = [entry for entry in OF_GAMES if entry.name == "keys.create"]
    body: JsonObject = {"environment": "test", "permission": "client"}
    assert faults(create, "environment=test", body) == {}
    assert faults(create, "", body) == {}
    assert faults(create, "environment=live", body).keys() == {"environment"}
