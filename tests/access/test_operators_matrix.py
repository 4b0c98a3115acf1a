"""Which member may call what: every operation of operators with every role, and with every wrong credential.

The table of roles is written by hand from the wire contract, never from the code.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Final

import attrs

from livecore.access.member_rows import Role
from livecore.access.roles import PERMISSIONS, ROLES
from livecore.api.configuration.game_config import parse_config
from livecore.api.documents.examples import argument_examples
from livecore.api.maintenance import make_game
from livecore.api.operations import OPERATIONS
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import SYSTEM
from livecore.world import World, WorldOperator
from tests.contract.expected import STREAM, Route
from tests.contract.oracle import OPERATED, OPERATED_THINGS
from tests.contract.stories import Scene
from tests.each import of_each
from tests.worlds import RACES, Reply, config, http, text_at

GAME: Final[frozenset[Role]] = frozenset({"OWNER", "ADMIN", "GAME_ADMIN"})
STUDIO: Final[frozenset[Role]] = frozenset({"OWNER", "ADMIN"})
MAY: Final[dict[str, frozenset[Role]]] = {
    "member.manage": STUDIO,
    "owner.manage": frozenset({"OWNER"}),
    "personal_key.manage_all": STUDIO,
    "studio.manage": STUDIO,
    "game.delete": frozenset({"OWNER"}),
    "api_key.manage": GAME,
    "webhook.manage": GAME,
    "settings.apply": GAME,
    "webhook.send_sample": GAME | {"GAME_DEVELOPER"},
    "webhook.replay": GAME | {"GAME_DEVELOPER"},
    "attempt.force_complete": GAME | {"GAME_DEBUGGER"},
    "grant.retry_reward_roll": GAME | {"GAME_DEBUGGER"},
    "grant.manual_force_claim": GAME | {"GAME_DEBUGGER"},
    "grant.manual_create": GAME,
    "wallet.adjust": GAME,
    "inventory.adjust": GAME,
    "inventory.edit_attributes": GAME,
    "player.ban": GAME,
    "player.debug": GAME,
    "player.rotate_secret": GAME,
    "player.merge": GAME,
    "player.erase": GAME,
    "player.export": GAME,
    "guild.moderate": GAME,
    "leaderboard.remove_entry": GAME,
}
"""Who may what, besides reading, which all may."""
TEST_ONLY: Final = frozenset({"api_key.manage", "webhook.manage"})
"""What a GAME_DEVELOPER may do in the test environment only."""


def holds(role: Role, permission: str | None, environment: str) -> bool:
    """Whether a role may do what needs this permission."""
    if permission is None or permission.endswith(".read"):
        return True
    if permission in TEST_ONLY and role == "GAME_DEVELOPER":
        return environment == "test"
    return role in MAY[permission]


@attrs.frozen
class Office:
    """A scene, and who works in it."""

    here: Scene
    other_studio: str
    other_game: str

    @property
    def world(self) -> World:
        """The world of the scene."""
        return self.here.world

    def operator(self, role: Role = "OWNER") -> WorldOperator:
        """A member with this role."""
        return self.world.operator(f"{role.lower().replace('_', '-')}@example.com", role)

    def headers(self, role: Role = "OWNER") -> dict[str, str]:
        """The headers of a page that a member with this role has open."""
        return dict(self.operator(role).headers)

    def key_headers(self, role: Role, *, read_only: bool = False) -> dict[str, str]:
        """The headers of a script with a personal key of a member with this role."""
        made = self.operator(role).call("personalKeys.create", name="key", expires_in_days=7, read_only=read_only)
        return {"authorization": f"Bearer {text_at(made, 'key')}"}


def build(seed: int = 0) -> Office:
    """The scene, with what every area puts there; another seed makes other ids."""
    game = World(config(events=RACES), seed=seed)
    me, friend, *_ = (game.player(name) for name in ("me", "friend", "third", "fourth"))
    here = Scene(game, me, friend, {}, {}, {})
    game.operator()
    here.variables.update({variable: thing.make(here) for variable, thing in OPERATED_THINGS.items()})
    for route in OPERATED:
        here.variables.update({f"{route.id} {variable}": thing.make(here) for variable, thing in route.things.items()})
    here.variables.update({"studioId": game.game.studio_id, "gameId": game.game.game_id})
    other = game.store.write(
        DIRECTORY,
        lambda tx: (
            make_game(
                tx,
                parse_config(config()),
                game.now,
                Entropy(f"other {seed}".encode()),
                studio_name="Other",
                actor=SYSTEM,
            ).game
        ),
    )
    return Office(here, other.studio_id, other.game_id)


@cache
def office() -> Office:
    """A scene for requests that are refused or only read, which leave it as it is."""
    return build()


def ready_for(route: Route) -> Office:
    """A scene in which the route succeeds, which is one of its own where that or what comes before it changes anything."""
    here = build() if route.writes or route.ready is not None else office()
    if route.ready is not None:
        route.ready(here.here)
    return here


def call(here: Office, route: Route, headers: dict[str, str], *, environment: str = "test", **other: str) -> Reply:
    """Make a good request, about the things of the scene."""
    scene = here.here
    own = {variable: scene.variables[f"{route.id} {variable}"] for variable in route.things}
    entry = here.world.operations[route.id]
    query = "&".join(
        filter(None, (route.query_string, f"environment={environment}" if entry.takes_environment else ""))
    )
    body: Json | bytes = body_of(scene, route) if route.takes_body else b""
    path = route.path_with({**scene.variables, **route.named, **own, **other})
    return http(here.world, route.method, path, body, query=query, headers=headers)


def body_of(here: Scene, route: Route) -> JsonObject:
    """A body that fits the scene, or else the one that the documents show; `@guildId` is what a path has in its place."""
    body = route.body or argument_examples(here.world.operations[route.id], "body")
    named = {f"@{variable}": value for variable, value in here.variables.items()}
    return {name: named.get(value, value) if isinstance(value, str) else value for name, value in body.items()}


def takes_environment(route: Route) -> bool:
    """Whether the query names the environment."""
    return office().world.operations[route.id].takes_environment


each = of_each(OPERATED)


def test_the_table_of_roles_is_the_written_one() -> None:
    """Every permission besides reading, the roles that hold it, and those that hold it for tests only."""
    assert set(PERMISSIONS) == {"*.read", *MAY}
    for name, row in PERMISSIONS.items():
        assert row.roles == MAY.get(name, frozenset(ROLES)), name
        assert row.test_only == ({"GAME_DEVELOPER"} if name in TEST_ONLY else frozenset()), name


@each
def test_without_a_credential(route: Route) -> None:
    """401 `session_invalid`, and the same for a session that is unknown."""
    for headers in ({}, {"cookie": "livecore=abc"}, {"cookie": "__Host-livecore=abc"}, {"cookie": "other=1"}):
        assert call(office(), route, {**headers, "sec-fetch-site": "same-origin"}).refusal == (401, "session_invalid")


@each
def test_with_a_wrong_token(route: Route) -> None:
    """A bearer token that is nothing, or that is a game's key; it wins over a session that is good."""
    session = office().headers()
    for token, refusal in (
        ("Bearer svc_pk_abc_00000000", (401, "api_key_invalid")),
        ("Bearer x", (401, "api_key_invalid")),
        ("Basic abc", (401, "api_key_missing")),
        (f"Bearer {office().world.keys['server']}", (403, "wrong_permission_set")),
        (f"Bearer {office().world.keys['client']}", (403, "wrong_permission_set")),
    ):
        assert call(office(), route, {**session, "authorization": token}).refusal == refusal


@of_each(route for route in OPERATED if route.writes)
def test_from_another_origin(route: Route) -> None:
    """403 `same_origin_required` for a change with a session that no page of the service has caused."""
    session = {"cookie": office().headers()["cookie"]}
    for headers in (
        {},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"origin": "https://evil.example", "host": "live.example"},
        {"origin": "null", "host": "live.example"},
        {"origin": "https://live.example", "host": "live.example", "sec-fetch-site": "cross-site"},
    ):
        assert call(office(), route, {**session, **headers}).refusal == (403, "same_origin_required")


@of_each(route for route in OPERATED if "studioId" in route.variables)
def test_in_another_studio(route: Route) -> None:
    """404 for a studio of which one is no member, for a game of another studio, and for a key of another studio."""
    headers = office().headers()
    for studio in (office().other_studio, "std_none"):
        assert call(office(), route, headers, studioId=studio).refusal == (404, "studio_not_found")
        key = office().key_headers("OWNER")
        assert call(office(), route, key, studioId=studio).refusal == (404, "studio_not_found")
    if "gameId" in route.variables:
        for game in (office().other_game, "gam_none"):
            assert call(office(), route, headers, gameId=game).refusal == (404, "game_not_found")


@each
def test_with_each_role(route: Route) -> None:
    """Who lacks the permission in an environment is told which; who has it gets past."""
    wrong = []
    for role, environment in product(ROLES, ("test", "live")):
        at = environment if takes_environment(route) else "test"
        if holds(role, route.permission, at):
            # What follows may change the scene, so it is another test's.
            continue
        reply = call(office(), route, office().headers(role), environment=environment)
        if reply.refusal != (403, "permission_denied") or reply.details != {"permission": route.permission}:
            wrong.append((role, environment, reply.status, reply.body))
    assert wrong == []


@each
def test_with_a_personal_key(route: Route) -> None:
    """403 `dashboard_only` where somebody must be signed in, `read_only_key` for a change with a key that only reads."""
    headers = office().key_headers("OWNER", read_only=True)
    reply = call(office(), route, headers, environment="live")
    # Where the body names the environment, it is read after the key is known to change nothing.
    if route.dashboard_only is True or (route.dashboard_only and takes_environment(route)):
        assert reply.refusal == (403, "dashboard_only")
    elif route.writes:
        assert reply.refusal == (403, "read_only_key")
    else:
        assert reply.code not in {"dashboard_only", "read_only_key", "permission_denied"}


@each
def test_with_the_right_credentials(route: Route) -> None:
    """The same requests succeed, by a session and, where it may, by a personal key."""
    here = ready_for(route)
    reply = call(here, route, here.headers())
    assert reply.status in route.statuses, reply.body
    assert reply.header("Cache-Control") == ("no-cache, no-transform" if route.answers == STREAM else "no-store")
    if route.dashboard_only is True:
        return
    here = ready_for(route)
    reply = call(here, route, here.key_headers("OWNER"))
    assert reply.status in route.statuses, reply.body


def test_nothing_of_the_table_was_left_out() -> None:
    """All operations of operators are in the matrix."""
    ids = {operation.id for operation in OPERATIONS if operation.credential == "member"}
    assert ids == {route.id for route in OPERATED}
