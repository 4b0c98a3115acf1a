"""Who may call what: every operation of the table with every wrong credential, each with its exact status and code."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import pytest

from livecore.access.keys import GRACE, revoke_key, rotate_key
from livecore.api.configuration.game_config import parse_config
from livecore.api.documents.examples import argument_examples
from livecore.api.maintenance import make_game
from livecore.api.operations import OPERATIONS
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import SYSTEM
from livecore.world import World
from tests.contract.expected import Route
from tests.contract.oracle import GUARDED, THINGS
from tests.contract.stories import Scene
from tests.each import of_each
from tests.worlds import RACES, Reply, ban, config, http, world

PLAYERS_OWN: Final = [route for route in GUARDED if route.credential == "player"]
OF_A_PLAYER: Final = [route for route in GUARDED if route.about_existing]
ONE_OF_EACH: Final = [next(route for route in GUARDED if route.surface == surface) for surface in ("sdk", "server")]


def foreign(route: Route) -> dict[str, str]:
    """The variables of a path that name what belongs to one player, and the code for everybody else."""
    things = {**THINGS, **route.things}
    return {variable: code for variable in route.variables if (code := things[variable].code) is not None}


def variables(here: Scene, route: Route) -> dict[str, str]:
    """What the variables of a path are in the player's own requests."""
    own = {variable: here.variables[f"{route.id} {variable}"] for variable in route.things}
    return {**here.variables, **route.named, **own}


def call(here: Scene, route: Route, key: str | None, secret: str | None, **other: str) -> Reply:
    """Make a good request with these credentials, about the player and what they own."""
    headers = {"authorization": None if key is None else f"Bearer {key}", "x-player-secret": secret}
    body: Json | bytes = _body(here, route) if route.takes_body else b""
    path = route.path_with({**variables(here, route), **other})
    return http(here.world, route.method, path, body, query=route.query_string, headers=headers)


def _body(here: Scene, route: Route) -> JsonObject:
    """A body that fits the scene, or else the one that the documents show; `@guildId` is what a path has in its place."""
    body = route.body or argument_examples(here.world.operations[route.id], "body")
    named = {f"@{variable}": value for variable, value in here.variables.items()}
    return {name: named.get(value, value) if isinstance(value, str) else value for name, value in body.items()}


def key_of(here: Scene, route: Route) -> str:
    """The right key."""
    return here.world.keys[_permission(route)]


def _permission(route: Route) -> str:
    return "server" if route.credential == "server_key" else "client"


def _other(permission: str) -> str:
    return "client" if permission == "server" else "server"


def _more_keys(game: World) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """A revoked pair of keys, a rotated pair, and the pair of another game in the same deployment."""

    def make(tx: Transaction) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        entropy = Entropy(b"further keys")
        games = [
            make_game(tx, parse_config(config()), game.now, entropy, studio_name="Other", actor=SYSTEM)
            for _ in range(3)
        ]
        texts = [{name: made.keys["test", name].text for name in ("client", "server")} for made in games]
        for name in ("client", "server"):
            first, second = (made.keys["test", name].key for made in games[:2])
            revoke_key(tx, first.game_id, first.key_id, game.now)
            rotate_key(tx, second.game_id, second.key_id, game.now, entropy)
        return texts[0], texts[1], texts[2]

    return game.store.write(DIRECTORY, make)


def build() -> Scene:
    """The scene, with what every area puts there."""
    game = world(events=RACES)
    me, friend, *_ = (game.player(name) for name in ("me", "friend", "third", "fourth"))
    here = Scene(game, me, friend, *_more_keys(game))
    here.variables.update({variable: thing.make(here) for variable, thing in THINGS.items()})
    for route in GUARDED:
        here.variables.update({f"{route.id} {variable}": thing.make(here) for variable, thing in route.things.items()})
    return here


@cache
def scene() -> Scene:
    """A scene for requests that are refused, which leave it as it is."""
    return build()


@cache
def scene_for_guesses() -> Scene:
    """A scene for requests that are refused, whose time goes on."""
    return build()


@cache
def scene_of_a_banned_player() -> Scene:
    """A scene whose player may only read."""
    here = build()
    ban(here.me)
    return here


@of_each(GUARDED)
def test_without_a_key(route: Route) -> None:
    """401 `api_key_missing`, whatever secret comes along."""
    assert call(scene(), route, None, scene().me.secret).refusal == (401, "api_key_missing")


@of_each(product(ONE_OF_EACH, ["", "Bearer", "Bearer ", "Basic abc", "lc_test_client_abc"]), name=str)
def test_without_a_bearer_token(asked: tuple[Route, str]) -> None:
    """Another scheme, or none, is no key."""
    route, scheme = asked
    reply = http(scene().world, route.method, route.path_with(scene().variables), headers={"authorization": scheme})
    assert reply.refusal == (401, "api_key_missing")


@of_each(GUARDED)
def test_with_an_unknown_key(route: Route) -> None:
    """401 `api_key_invalid`, however it is malformed."""
    texts = ("x", "lc_test_client_abc_00000000", "svc_pk_abc_00000000", "ключ", "a" * 5000)
    refused = {text: call(scene(), route, text, scene().me.secret).refusal for text in texts}
    assert refused == dict.fromkeys(texts, (401, "api_key_invalid"))


@of_each(GUARDED)
def test_with_a_key_that_is_nearly_right(route: Route) -> None:
    """A key with its last character changed, in capitals, or with something added is unknown."""
    key = key_of(scene(), route)
    for wrong in (key[:-1] + ("0" if key[-1] != "0" else "1"), key.upper(), key + "0"):
        assert call(scene(), route, wrong, scene().me.secret).refusal == (401, "api_key_invalid")


@of_each(GUARDED)
def test_with_a_revoked_key(route: Route) -> None:
    """401 `api_key_revoked`, also where the permission set would be the wrong one."""
    for name in ("client", "server"):
        reply = call(scene(), route, scene().revoked[name], scene().me.secret)
        assert reply.refusal == (401, "api_key_revoked")


@of_each(GUARDED)
def test_with_the_other_permission_set(route: Route) -> None:
    """403 `wrong_permission_set`: a client key on a server route, a server key on a client route."""
    key = scene().world.keys[_other(_permission(route))]
    assert call(scene(), route, key, scene().me.secret).refusal == (403, "wrong_permission_set")


@of_each(OF_A_PLAYER)
def test_with_a_key_of_the_other_environment(route: Route) -> None:
    """404 `player_not_found`: the player belongs to the environment that registered it."""
    key = scene().world.all_keys[f"live_{_permission(route)}"]
    assert call(scene(), route, key, scene().me.secret).refusal == (404, "player_not_found")


@of_each(OF_A_PLAYER)
def test_with_a_key_of_another_game(route: Route) -> None:
    """404 `player_not_found`: another game's players are not there."""
    key = scene().foreign[_permission(route)]
    assert call(scene(), route, key, scene().me.secret).refusal == (404, "player_not_found")


@of_each(PLAYERS_OWN)
def test_without_the_players_own_secret(route: Route) -> None:
    """401 `player_secret_invalid`: no secret, an empty one, a guess, a friend's, and one's own with something added."""
    here = scene_for_guesses()
    # Wrong secrets are counted for a while, and some more of them would be refused as too many.
    here.world.now += DAY
    for secret in (None, "", "lcs_guess", here.friend.secret, here.me.secret + "a"):
        assert call(here, route, key_of(here, route), secret).refusal == (401, "player_secret_invalid")


@of_each(route for route in GUARDED if route.recognises)
def test_with_a_secret_that_need_not_be_given(route: Route) -> None:
    """None is fine; one that is given must be the right one, or it is 401 `player_secret_invalid`."""
    here = build()
    for secret in (None, here.me.secret):
        assert call(here, route, key_of(here, route), secret).status in route.statuses
    for secret in ("", "lcs_guess", here.friend.secret, here.me.secret + "a"):
        assert call(here, route, key_of(here, route), secret).refusal == (401, "player_secret_invalid")


@of_each(OF_A_PLAYER)
def test_about_an_unknown_player(route: Route) -> None:
    """404 `player_not_found`, whatever secret comes along: there is none to be wrong."""
    for secret in (None, scene().me.secret):
        reply = call(scene(), route, key_of(scene(), route), secret, externalId="nobody")
        assert reply.refusal == (404, "player_not_found")


@of_each(route for route in GUARDED if foreign(route))
def test_with_another_players_things(route: Route) -> None:
    """404 for a request, gift or grant that is somebody else's, a friend or a block that is not one's own, or nobody's."""
    here = scene()
    third = here.world.player(f"stranger-{route.id.replace(':', '-')}")
    ((variable, code),) = foreign(route).items()
    for value in (variables(here, route)[variable], "unknown"):
        reply = call(
            here, route, key_of(here, route), third.secret, externalId=str(third.external_id), **{variable: value}
        )
        assert reply.refusal == (404, code)


@of_each(PLAYERS_OWN)
def test_as_a_banned_player(route: Route) -> None:
    """Every write of a banned player is 403 `player_banned`; every read works."""
    here = scene_of_a_banned_player()
    reply = call(here, route, key_of(here, route), here.me.secret)
    assert reply.refusal == ((200, None) if route.method == "GET" else (403, "player_banned"))


@of_each(GUARDED)
def test_with_the_right_credentials(route: Route) -> None:
    """The same requests succeed, so that it was the credentials that were refused above."""
    here = build()
    if route.ready is not None:
        route.ready(here)
    reply = call(here, route, key_of(here, route), here.me.secret)
    assert reply.status in route.statuses, reply.body


@pytest.mark.parametrize("permission", ["client", "server"])
def test_a_rotated_key_works_for_sixty_days(permission: str) -> None:
    """Up to the last millisecond of the grace; then it is 401 `api_key_revoked`."""
    here = build()
    path = "/server/v1/ping" if permission == "server" else "/sdk/v1/players/new/register"
    method = "GET" if permission == "server" else "POST"
    headers = {"authorization": f"Bearer {here.rotated[permission]}"}
    start = here.world.now
    for at, refusal in ((start, None), (start + GRACE - 1, None), (start + GRACE, "api_key_revoked")):
        here.world.now = at
        assert http(here.world, method, path.replace("new", f"new{at}"), headers=headers).code == refusal


def test_nothing_of_the_table_was_left_out() -> None:
    """All but the public operations of the service are in the matrix, and each of their paths leads to something."""
    public = {operation.id for operation in OPERATIONS} - {route.id for route in GUARDED}
    assert all("openapi" in name or name.startswith("admin:") for name in public)
    assert len(GUARDED) >= 41
    assert {variable for route in GUARDED for variable in route.variables} == set(THINGS)
