"""Attempts to do more than one's role allows, through every parameter: none succeeds, and each leaves all as it was."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import pytest

from livecore.access.member_rows import Role
from livecore.access.roles import ROLES
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.time import DAY
from livecore.world import World, WorldOperator, WorldRefused
from tests.access.test_operators_matrix import GAME, Office, build, call, office, takes_environment
from tests.contract.expected import Route
from tests.contract.oracle import OPERATED
from tests.worlds import Reply, ask, http, text_at, world

LESSER: Final[tuple[Role, ...]] = tuple(role for role in ROLES if role != "OWNER")
BELOW_ADMIN: Final[tuple[Role, ...]] = tuple(role for role in LESSER if role != "ADMIN")


def id_of(member: WorldOperator) -> str:
    """A member's id."""
    return text_at(member.call("session.get"), "member", "memberId")


def role_of(here: World, email: str) -> object:
    """A member's role, as an owner sees it; nothing for who is no member."""
    rows = here.operator().call("members.list", limit=200)["members"]
    assert isinstance(rows, list)
    return {row["email"]: row["role"] for row in rows if isinstance(row, dict)}.get(email)


@pytest.fixture
def here() -> World:
    """A studio with one member of each role, the owner first."""
    game = world()
    for role in ROLES:
        game.operator(f"{role.lower()}@example.com", role)
    game.operator()
    return game


# -- roles ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", LESSER)
@pytest.mark.parametrize("wanted", ROLES)
def test_nobody_gives_themself_a_higher_role(here: World, role: Role, wanted: Role) -> None:
    """An admin may change other members, and themself only into what is no owner."""
    me = here.operator(f"{role.lower()}@example.com", role)
    reply = ask(me, "members.update", member_id=id_of(me), role=wanted)
    if role == "ADMIN" and wanted != "OWNER":
        assert reply.status == 200
    else:
        missing = "owner.manage" if role == "ADMIN" else "member.manage"
        assert (reply.refusal, reply.details) == ((403, "permission_denied"), {"permission": missing})
        assert role_of(here, f"{role.lower()}@example.com") == role


@pytest.mark.parametrize("role", LESSER)
def test_only_owners_touch_owners(here: World, role: Role) -> None:
    """Inviting one, making one of somebody else, and changing, limiting or removing one."""
    me = here.operator(f"{role.lower()}@example.com", role)
    owner, viewer = id_of(here.operator()), id_of(here.operator("viewer@example.com", "VIEWER"))
    missing = "owner.manage" if role == "ADMIN" else "member.manage"
    for operation, arguments in (
        ("members.invite", {"email": "friend@example.com", "role": "OWNER"}),
        ("members.invite", {"email": "owner@example.com", "role": "OWNER"}),
        ("members.update", {"member_id": viewer, "role": "OWNER"}),
        ("members.update", {"member_id": owner, "role": "VIEWER"}),
        ("members.update", {"member_id": owner, "games": None}),
        ("members.update", {"member_id": owner, "games": []}),
        ("members.update", {"member_id": owner, "role": "OWNER"}),
        ("members.remove", {"member_id": owner}),
    ):
        reply = ask(me, operation, **arguments)
        assert (reply.refusal, reply.details) == ((403, "permission_denied"), {"permission": missing}), arguments
    assert role_of(here, "owner@example.com") == "OWNER"
    assert role_of(here, "friend@example.com") is None


@pytest.mark.parametrize("role", BELOW_ADMIN)
def test_a_member_for_named_games_gets_no_others(here: World, role: Role) -> None:
    """Neither by themself nor by the name of another game anywhere; what they cannot see is not there."""
    owner, email = here.operator(), f"{role.lower()}@example.com"
    me = here.operator(email, role)
    owner.call("members.update", member_id=id_of(me), games=[])
    game = here.game.game_id
    assert ask(me, "members.update", member_id=id_of(me), games=[game]).code == "permission_denied"
    assert ask(me, "members.update", member_id=id_of(me), games=None).code == "permission_denied"
    assert ask(me, "keys.list").refusal == (404, "game_not_found")
    assert me.call("audit.list", game=game)["entries"] == []
    owner.call("members.update", member_id=id_of(me), games=[game])
    assert ask(me, "keys.list").status == 200


def test_games_are_those_of_the_studio() -> None:
    """Another studio's game is refused by its place, also among good ones."""
    owner, game = office().operator(), office().world.game.game_id
    for other in (office().other_game, "gam_none"):
        reply = ask(owner, "members.invite", email="x@example.com", role="VIEWER", games=[game, other])
        assert (reply.refusal, reply.fields) == ((400, "validation_failed"), ["games[1]"])
    for role in ("OWNER", "ADMIN"):
        reply = ask(owner, "members.invite", email="x@example.com", role=role, games=[game])
        assert (reply.refusal, set(reply.fields)) == ((400, "validation_failed"), {"games"})


# -- personal keys and sessions -------------------------------------------------------------------------------------------


def key_of(member: WorldOperator, **further: object) -> WorldOperator:
    """The same member by a personal key."""
    made = member.call("personalKeys.create", name="script", expires_in_days=365, **further)
    return WorldOperator(member.world, "admin", {"authorization": f"Bearer {text_at(made, 'key')}"}, None)


def test_a_key_has_the_present_role(here: World) -> None:
    """Not that of its making: a demotion, a limit to games and a promotion hold from the next request on."""
    owner, me = here.operator(), here.operator("game_admin@example.com", "GAME_ADMIN")
    here.player("anna")
    key, session = key_of(me), me
    for caller in (key, session):
        assert ask(caller, "players.ban", external_id="anna", reason="spam").status == 200
    owner.call("members.update", member_id=id_of(me), role="VIEWER")
    for caller in (key, session):
        assert ask(caller, "players.ban", external_id="anna", reason="spam").code == "permission_denied"
        assert ask(caller, "players.get", external_id="anna").status == 200
    owner.call("members.update", member_id=id_of(me), games=[])
    for caller in (key, session):
        assert ask(caller, "players.get", external_id="anna").refusal == (404, "game_not_found")
    owner.call("members.update", member_id=id_of(me), role="GAME_ADMIN", games=None)
    for caller in (key, session):
        assert ask(caller, "players.ban", external_id="anna", reason="spam").status == 200


def test_an_earlier_answer_is_not_given_to_a_lesser_role(here: World) -> None:
    """Repeating a request under its key needs the permission again; and another member's key gives nothing away."""
    owner, me = here.operator(), here.operator("game_admin@example.com", "GAME_ADMIN")
    here.player("anna")
    body = {"external_id": "anna", "idempotency_key": "a-key-that-is-hard-to-guess"}
    assert ask(me, "players.rotateSecret", **body).status == 200
    viewer = here.operator("viewer@example.com", "VIEWER")
    assert ask(viewer, "players.rotateSecret", **body).code == "permission_denied"
    owner.call("members.update", member_id=id_of(me), role="VIEWER")
    assert ask(me, "players.rotateSecret", **body).code == "permission_denied"


def test_nothing_of_a_removed_member_works(here: World) -> None:
    """Neither the session nor the key, also after the same person was invited again."""
    owner, me = here.operator(), here.operator("admin@example.com", "ADMIN")
    key = key_of(me)
    assert ask(key, "studios.get").status == 200
    owner.call("members.remove", member_id=id_of(me))
    for _ in range(2):
        assert ask(me, "studios.get").refusal == (401, "session_invalid")
        assert ask(key, "studios.get").refusal == (401, "api_key_revoked")
        if role_of(here, "admin@example.com") is None:
            owner.call("members.invite", email="ADMIN@example.com", role="OWNER")
    assert role_of(here, "admin@example.com") == "OWNER"


def test_a_member_of_another_studio_keeps_only_that(here: World) -> None:
    """Who was removed here and is a member elsewhere is signed in, and finds no studio here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("livecore.world.game.MemoryStore", lambda: here.store)
        other = World(seed=9)
    email = "both@example.com"
    mine, theirs = here.operator(email, "ADMIN"), other.operator("their-owner@example.com")
    theirs.call("members.invite", email=email, role="ADMIN")
    key = key_of(mine)
    assert ask(mine, "studios.get", studio_id=other.game.studio_id).status == 200
    # A personal key is of one studio.
    assert ask(key, "studios.get", studio_id=other.game.studio_id).refusal == (404, "studio_not_found")
    here.operator().call("members.remove", member_id=id_of(mine))
    assert ask(mine, "studios.get", studio_id=other.game.studio_id).status == 200
    assert ask(mine, "studios.get").refusal == (404, "studio_not_found")
    assert ask(key, "studios.get").refusal == (401, "api_key_revoked")


def test_a_key_ends_on_its_day(here: World) -> None:
    """To the millisecond, and to the read-only one as to any other."""
    key = key_of(here.operator(), read_only=True)
    here.now += 365 * DAY - 1
    assert ask(key, "studios.get").status == 200
    here.now += 1
    assert ask(key, "studios.get").refusal == (401, "api_key_revoked")


WRITES: Final = [route for route in OPERATED if route.writes]


@pytest.mark.parametrize("environment", ["live", "test"])
@pytest.mark.parametrize("role", ["OWNER", "GAME_ADMIN"])
@pytest.mark.parametrize("route", WRITES, ids=lambda route: route.id)
def test_a_key_that_only_reads_changes_nothing(route: Route, role: Role, environment: str) -> None:
    """Whatever the role, the operation and the environment; which of the refusals it is, another test says."""
    reply = call(office(), route, office().key_headers(role, read_only=True), environment=environment)
    assert reply.status == 403
    assert reply.code in {"read_only_key", "dashboard_only", "permission_denied"}


# -- the same thing named twice -------------------------------------------------------------------------------------------

IN_GAMES: Final = [route for route in OPERATED if "gameId" in route.variables]


def _named_again(route: Route, query: str = "", body: Mapping[str, object] | None = None) -> Reply:
    entry, scene = office().world.operations[route.id], office().here
    own = {variable: scene.variables[f"{route.id} {variable}"] for variable in route.things}
    path = route.path_with({**scene.variables, **route.named, **own})
    sent = dict(body or {}) if route.takes_body else b""
    assert entry.surface == "admin"
    return http(office().world, route.method, path, sent, query=query, headers=office().headers())


@pytest.mark.parametrize("route", IN_GAMES, ids=lambda route: route.id)
def test_what_the_path_names_is_named_nowhere_else(route: Route) -> None:
    """A studio or a game in the query or in the body is refused, be it the same one."""
    for name, value in (
        ("gameId", office().other_game),
        ("gameId", office().world.game.game_id),
        ("studioId", office().other_studio),
        ("game_id", office().other_game),
    ):
        reply = _named_again(route, query=f"{name}={value}")
        assert (reply.refusal, name in reply.fields) == ((400, "validation_failed"), True), name
        if route.takes_body:
            reply = _named_again(route, body={name: value})
            assert (reply.refusal, name in reply.fields) == ((400, "validation_failed"), True), name


@pytest.mark.parametrize("route", [route for route in IN_GAMES if takes_environment(route)], ids=lambda route: route.id)
def test_the_environment_is_named_once(route: Route) -> None:
    """Twice, in another spelling, in the body or in a header: it is refused, or means nothing."""
    for query in (
        "environment=live&environment=test",
        "environment=test&environment=live",
        "environment=test&environment=test",
        "environment=TEST",
        "environment=test%00",
        "environment=",
        "environment=live,test",
        "environment[]=test",
    ):
        reply = _named_again(route, query=query)
        assert reply.refusal == (400, "validation_failed"), query
    if route.takes_body:
        assert "environment" in _named_again(route, query="environment=live", body={"environment": "test"}).fields


@pytest.mark.parametrize("route", [route for route in IN_GAMES if takes_environment(route)], ids=lambda route: route.id)
def test_a_right_for_tests_is_none_for_live(route: Route) -> None:
    """However the two environments are mixed in one request."""
    if route.permission not in {"api_key.manage", "webhook.manage"}:
        return
    scene, headers = office().here, office().headers("GAME_DEVELOPER")
    own = {variable: scene.variables[f"{route.id} {variable}"] for variable in route.things}
    path = route.path_with({**scene.variables, **route.named, **own})
    for query in ("", "environment=live", "environment=live&x=test", "environment=TEST", "Environment=test"):
        reply = http(office().world, route.method, path, {} if route.takes_body else b"", query=query, headers=headers)
        assert reply.refusal == (403, "permission_denied"), query
    mixed = "environment=live&environment=test"
    reply = http(office().world, route.method, path, {} if route.takes_body else b"", query=mixed, headers=headers)
    assert reply.status in {400, 403}


# -- other studios' ids ---------------------------------------------------------------------------------------------------


@cache
def neighbours() -> tuple[Office, Office]:
    """Two studios in one database, with the same things; they share no member but the owner."""
    store = MemoryStore()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("livecore.world.game.MemoryStore", lambda: store)
        ours, theirs = build(), build(seed=5)
    invited = theirs.operator().call("members.invite", email="theirs@example.com", role="VIEWER")
    theirs.here.variables["memberId"] = text_at(invited, "member", "memberId")
    return ours, theirs


NAMED_BY_THE_STUDIO: Final = frozenset({
    "studioId", "gameId", "externalId", "toExternalId", "memberExternalId", "fromExternalId", "economyKey", "itemKey",
    "key", "resourceKey", "eventKey", "version",
})  # fmt: skip
"""Variables whose values the studio chooses: the other studio's name is one's own as well, or none."""
ELSEWHERE: Final = [
    (route, variable) for route in OPERATED for variable in route.variables if variable not in NAMED_BY_THE_STUDIO
]


@pytest.mark.parametrize(("route", "variable"), ELSEWHERE, ids=lambda part: getattr(part, "id", part))
def test_another_studios_id_finds_nothing(route: Route, variable: str) -> None:
    """In each place of each path: 404, as for an id that nobody has."""
    ours, theirs = neighbours()
    own = f"{route.id} {variable}" if variable in route.things else variable
    foreign = theirs.here.variables[own]
    assert foreign != ours.here.variables[own]
    reply = call(ours, route, ours.headers(), **{variable: foreign})
    nobodys = call(ours, route, ours.headers(), **{variable: f"{foreign[:-4]}none"})
    assert (reply.status, reply.refusal) == (404, nobodys.refusal)


# -- headers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "route",
    [
        route
        for route in WRITES
        if route.permission in {"player.ban", "member.manage", "api_key.manage", "wallet.adjust"}
    ],
    ids=lambda route: route.id,
)
def test_headers_give_no_rights(route: Route) -> None:
    """Who one is comes from the session or the key alone, and where one is from the path."""
    viewer = office().headers("VIEWER")
    owner = id_of(office().operator())
    forged = {
        "x-forwarded-user": "owner@example.com",
        "x-forwarded-email": "owner@example.com",
        "x-remote-user": "owner@example.com",
        "remote-user": "owner@example.com",
        "x-user-id": owner,
        "x-member-id": owner,
        "x-role": "OWNER",
        "x-permissions": "*",
        "x-studio-id": office().world.game.studio_id,
        "x-game-id": office().world.game.game_id,
        "x-environment": "test",
        "x-svc-environment": "test",
        "x-http-method-override": "GET",
        "x-method-override": "GET",
        "x-original-url": "/admin/v1/session",
        "x-rewrite-url": "/admin/v1/session",
        "x-player-secret": "lcs_x",
        "x-svc-sdk": "livecore/1",
        "via": "cli",
    }
    for headers in ({**viewer, **forged}, *({**viewer, name: value} for name, value in forged.items())):
        reply = call(office(), route, headers)
        assert (reply.refusal, reply.details) == ((403, "permission_denied"), {"permission": route.permission})
    nobody = call(office(), route, {**forged, "sec-fetch-site": "same-origin"})
    assert nobody.refusal == (401, "session_invalid")


def test_a_method_is_what_it_is() -> None:
    """A reading request changes nothing, whatever its headers say of it."""
    path = f"/admin/v1/studios/{office().world.game.studio_id}/members"
    reply = http(office().world, "GET", path, b"", headers={**office().headers(), "x-http-method-override": "POST"})
    assert reply.status == 200
    assert "members" in reply.data


def test_the_roles_that_administer_games_are_the_written_ones() -> None:
    """So that the attempts above begin below them."""
    assert {"OWNER", "ADMIN", "GAME_ADMIN"} == GAME
    with pytest.raises(WorldRefused, match="permission_denied"):
        office().operator("VIEWER").call("keys.create", environment="test", permission="client")
