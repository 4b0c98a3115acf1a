"""The country: the operator's override, else the client's context, else a proxy's header, else the offline file."""

from __future__ import annotations

import itertools
import json

import pytest

from livecore.api.requests.http import Request
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Origin
from livecore.players.country import country_seen, country_stated
from livecore.world import World
from tests.worlds import Reply, ask, world

SOURCES = ("context", "header", "file")
CODES = {"context": "SE", "header": "NO", "file": "DK"}


@pytest.mark.parametrize("given", [chosen for count in range(4) for chosen in itertools.combinations(SOURCES, count)])
def test_the_first_source_that_knows_wins(given: tuple[str, ...]) -> None:
    """Every combination of the three sources that a request has."""
    known = {name: CODES[name] if name in given else None for name in SOURCES}
    origin = Origin(header_country=known["header"], address_country=known["file"])
    context: JsonObject = {"country": known["context"]}
    assert (country_stated(context) or country_seen(origin)) == (known[given[0]] if given else None)


@pytest.mark.parametrize("code", ["XX", "T1", "ZZ", "", "Sweden", "S", 46, None, ["SE"], "🇸🇪"])
def test_what_is_no_country_is_passed_over(code: object) -> None:
    """Codes that proxies use for 'unknown', and anything that is no code, do not hide the next source."""
    assert country_stated({"country": code}) is None  # type: ignore[dict-item] # bad on purpose
    if isinstance(code, str):
        assert country_seen(Origin(header_country=code, address_country="DK")) == "DK"


def test_case_and_spaces_are_forgiven() -> None:
    """A client may say `se`."""
    assert country_stated({"country": " se "}) == "SE"


def _register(
    game: World,
    context: dict[str, str],
    header: str | None,
    file: str | None,
    *,
    query: str = "force=true",
    player: str = "anna",
) -> Reply:
    body = json.dumps({"playerContext": context}).encode()
    headers = {"authorization": f"Bearer {game.keys['client']}", "content-type": "application/json"}
    path = f"/sdk/v1/players/{player}/register"
    request = Request("POST", path, query, headers, body, "192.0.2.1", (header, file))
    return Reply(game.handle(request))


def test_registering_resolves_the_country_anew() -> None:
    """Each registration looks again; where nothing is known, what was known stays; the override always wins."""
    game = world()
    assert _register(game, {}, None, "DK")["country"] == "DK"
    assert _register(game, {}, "NO", "DK")["country"] == "NO"
    assert _register(game, {"country": "SE"}, "NO", "DK")["country"] == "SE"
    assert _register(game, {}, None, None)["country"] == "SE"
    ask(game.server, "players.setIdentity", external_id="anna", name="Anna", country="FI")
    assert _register(game, {"country": "SE"}, "NO", "DK")["country"] == "FI"


def test_what_the_player_stated_stands_until_the_player_states_another() -> None:
    """A later request without it, or with a context that speaks of other things, does not fall back to the address."""
    game = world()
    assert _register(game, {"country": "SE"}, "NO", "DK")["country"] == "SE"
    assert _register(game, {}, "NO", "DK")["country"] == "SE"
    assert _register(game, {"mood": "good", "country": "Sweden"}, "NO", None)["country"] == "SE"
    assert _register(game, {"country": "FI"}, "NO", "DK")["country"] == "FI"


def test_a_statement_outlives_a_merge() -> None:
    """The target's own comes first, then what the source stated, then where either was seen."""
    for context, united in (({}, "SE"), ({"country": "IS"}, "IS")):
        game = world()
        _register(game, context, "NO", None, player="account")
        _register(game, {"country": "SE"}, "DK", None, player="guest")
        ask(game.server, "players.merge", external_id="guest", to_external_id="account")
        assert ask(game.server, "players.get", external_id="account")["player.country"] == united


def test_the_studios_own_country_is_not_the_players() -> None:
    """First contact by a server grant takes no country from where the server is."""
    game = world()
    body = {
        "idempotencyKey": "g",
        "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
    }
    headers = {"authorization": f"Bearer {game.keys['server']}", "content-type": "application/json"}
    game.handle(
        Request(
            "POST", "/server/v1/players/anna/grants", "", headers, json.dumps(body).encode(), "192.0.2.1", ("US", "US")
        )
    )
    assert _register(game, {}, None, None, query="")["country"] is None
