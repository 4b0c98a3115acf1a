"""Who may call what, by principals: every kind with every operation of the table, and a member with every permission."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import attrs
import pytest

from livecore.access.audit import AUDIT, HIDDEN, MOST_BYTES, AuditEntry, audit
from livecore.access.member_rows import Role
from livecore.access.principals import ADMITTED, HELD, KINDS, NOBODY, Principal, PrincipalKind, key_principal
from livecore.api.operations import OPERATIONS
from livecore.api.refusals import refusals_of
from livecore.api.table.operation import Operation
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.time import MINUTE
from livecore.kernel.units.unit import SYSTEM, Change, Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import IdempotencyKey
from livecore.players import moderation
from livecore.players.rows import Ban, BanState
from tests.added_game import STORES, AddedGame, Rows, Said, headers_for, signed_in

ENTRANCE: Final = frozenset(
    {
        "api_key_missing",
        "api_key_invalid",
        "wrong_permission_set",
        "player_secret_invalid",
        "session_invalid",
        "permission_denied",
        "dashboard_only",
        "read_only_key",
        "same_origin_required",
        "studio_not_found",
    }
)
"""What keeps somebody out for who they are."""


# -- operations for members, until the service has its own ----------------------------------------------------------------


@shape
class Look:
    """Look at something of a game."""


@shape
class Seen:
    """What a member sees."""

    scope: str


@shape
class BanAsMember:
    """Ban a player."""

    reason: str
    idempotency_key: IdempotencyKey | None = None


@shape
class Close:
    """Do what only somebody who is signed in may do."""


def _look(unit: Unit, _: Look) -> Seen:
    return Seen(scope=unit.scope.id)


def _ban(unit: Unit, args: BanAsMember) -> BanState:
    return moderation.ban(unit, Ban(reason=args.reason))


def _close(unit: Unit, _: Close) -> Seen:
    return Seen(scope=unit.scope.id)


LOOK: Final = Operation(
    name="test.look",
    surface="admin",
    method="GET",
    path="/admin/v1/studios/{studioId}/games/{gameId}/look",
    credential="member",
    bucket="admin",
    args=Look,
    answers={200: Seen},
    handler=_look,
    summary="Look.",
    permission="player.export",
)
BAN: Final = Operation(
    name="test.ban",
    surface="admin",
    method="POST",
    path="/admin/v1/studios/{studioId}/games/{gameId}/players/{externalId}/ban-as-member",
    credential="member",
    bucket="admin",
    args=BanAsMember,
    answers={200: BanState},
    handler=_ban,
    summary="Ban.",
    writes=True,
    keyed=True,
    subject="existing",
    permission="player.ban",
)
CLOSE: Final = Operation(
    name="test.close",
    surface="admin",
    method="POST",
    path="/admin/v1/studios/{studioId}/close",
    credential="member",
    bucket="admin",
    args=Close,
    answers={200: Seen},
    handler=_close,
    summary="Close.",
    writes=True,
    permission="studio.manage",
    dashboard_only=True,
    reach="directory",
)
OF_MEMBERS: Final = (LOOK, BAN, CLOSE)
ALL: Final = (*OPERATIONS, *OF_MEMBERS)


@attrs.define
class Staff:
    """A game with a player, and a member of its studio with a session and a personal key."""

    game: AddedGame
    cookie: str
    personal_key: str

    @property
    def studio_id(self) -> str:
        """The studio."""
        return self.game.made.game.studio_id


def made(
    store: Rows | None = None, role: Role = "OWNER", *, games: Sequence[str] | None = None, read_only: bool = False
) -> Staff:
    """A game with a player, and a member with this role."""
    game = AddedGame(store or MemoryStore(), OF_MEMBERS)
    game.register("anna")
    cookie = game.member("member@example.com", role, games)
    return Staff(game, cookie, game.personal_key(cookie, readOnly=read_only))


@cache
def shared() -> Staff:
    """One for requests of which it only matters whether they are let in."""
    return made()


def path_of(game: AddedGame, operation: Operation) -> str:
    """The operation's path, about the player and about things that are not there."""
    path = operation.path
    for name in operation.variables:
        own = game.made.game
        value = {"externalId": "anna", "gameId": own.game_id, "studioId": own.studio_id}.get(name, "unknown")
        path = path.replace("{" + name + "}", value)
    return path


def shown_by(staff: Staff, kind: PrincipalKind) -> dict[str, str]:
    """The headers by which a principal of this kind shows itself."""
    game = staff.game
    return {
        "nobody": {},
        "client_key": headers_for(game.key("client")),
        "player": headers_for(game.key("client"), game.secrets["anna"]),
        "server_key": headers_for(game.key("server")),
        "session": signed_in(staff.cookie),
        "personal_key": headers_for(staff.personal_key),
        "system": {},
    }[kind]


def called(staff: Staff, operation: Operation, kind: PrincipalKind, body: object = None) -> Said:
    """Call an operation as a principal of this kind."""
    sent = {} if operation.takes_body and body is None else body
    path = path_of(staff.game, operation)
    return staff.game.ask(operation.method, path, sent, headers=shown_by(staff, kind))


# -- the matrix -----------------------------------------------------------------------------------------------------------

SHOWN: Final = tuple(kind for kind in KINDS if kind != "system")


def expected_refusal(operation: Operation, kind: PrincipalKind) -> str | None:
    """With what a kind of principal is kept out, derived from what the operation admits and from what the kind shows."""
    # A player shows the client key besides the secret.
    kinds = {kind, "client_key"} if kind == "player" else {kind}
    decided_by_body = bool(operation.dashboard_only_with)
    if (
        kind == "personal_key"
        and operation.dashboard_only == "live"
        and operation.takes_environment
        and not decided_by_body
    ):
        return "dashboard_only"  # without a word about the environment it is the live one
    if kinds & operation.admits:
        return None
    if operation.credential == "member":
        if kind in ADMITTED["member"]:
            return "dashboard_only"
        return "session_invalid" if kind == "nobody" else "wrong_permission_set"
    if kind in ("nobody", "session"):
        return "api_key_missing"
    if kind == "personal_key":
        return "api_key_invalid"
    if (kind == "server_key") != (operation.credential == "server_key"):
        return "wrong_permission_set"
    return "player_secret_invalid"


@pytest.mark.parametrize("operation", ALL, ids=lambda operation: operation.id)
def test_each_kind_of_principal_with_each_operation(operation: Operation) -> None:
    """Whom the table admits gets past the entrance; anybody else is told exactly why not."""
    wrong = []
    for kind in SHOWN:
        # A minute later each time: guesses of a secret are throttled.
        staff = shared()
        staff.game.now += MINUTE
        if kind in ("session", "player") or operation.name == "session.signOut":
            # Its session would be over by now, or it is ended here; and the player may have another secret by now.
            staff = made()
        code = called(staff, operation, kind).code
        refusal = expected_refusal(operation, kind)
        if refusal is None:
            right = code not in ENTRANCE
            if operation.writes:
                # It may have erased the player whom the other operations are about.
                shared.cache_clear()
        else:
            right = code == refusal and refusal in {listed.code for listed in refusals_of(operation)}
        if not right:
            wrong.append((kind, code, refusal))
    assert wrong == []


def test_the_table_is_whole() -> None:
    """Each kind is admitted by some credential and has its permissions, but for the system, which comes through no route."""
    assert set(KINDS) == frozenset().union(*ADMITTED.values()) | {"system"}
    assert set(HELD) == set(KINDS)
    assert all("system" not in operation.admits for operation in ALL)
    assert CLOSE.admits == {"session"}


# -- permissions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("own", ["", "player.ban", "*.read", "*"])
def test_what_each_kind_holds(kind: PrincipalKind, own: str) -> None:
    """A server key and the system everything, players and client keys nothing, a member what the role gives."""
    principal = Principal(kind, permissions=frozenset({own} if own else ()))
    held = {"server_key": "*", "system": "*", "session": own, "personal_key": own}.get(kind, "")
    assert principal.holds("player.ban") is (held in ("*", "player.ban"))
    assert principal.holds("player.read") is (held in ("*", "*.read"))


@pytest.mark.parametrize("kind", ["session", "personal_key"])
@pytest.mark.parametrize("permitted", [True, False])
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("operation", OF_MEMBERS, ids=lambda operation: operation.id)
def test_a_member_needs_the_permission(
    operation: Operation, kind: PrincipalKind, permitted: bool, read_only: bool
) -> None:
    """In this order: the permission, dashboard only, read only; and a refusal leaves everything as it was."""
    staff = made(role="OWNER" if permitted else "VIEWER", read_only=read_only)
    before = staff.game.store.dump()
    said = called(staff, operation, kind, {"reason": "spam"} if operation is BAN else None)
    if not permitted:
        assert (said.code, said.json["error"]["details"]) == ("permission_denied", {"permission": operation.permission})
    elif operation.dashboard_only and kind == "personal_key":
        assert said.code == "dashboard_only"
    elif operation.writes and read_only and kind == "personal_key":
        assert said.code == "read_only_key"
    else:
        # The player is in the test environment, and `live` is what is meant where nothing is said.
        assert said.code == ("player_not_found" if operation is BAN else None)
    if said.code is not None:
        assert staff.game.store.dump() == before


def test_a_game_is_there_only_for_its_studio() -> None:
    """404 for another studio, for another studio's game, for one that the member may not see, and for none."""
    staff = made(role="VIEWER")
    game, headers = staff.game, shown_by(staff, "session")
    other = game.another_game()
    assert called(staff, LOOK, "session").code == "permission_denied"

    def look(studio_id: str, game_id: str, shown: dict[str, str] = headers) -> str | None:
        path = LOOK.path.replace("{studioId}", studio_id).replace("{gameId}", game_id)
        return game.ask("GET", path, headers=shown).code

    assert look(other.studio_id, other.game_id) == "studio_not_found"
    assert look("std_none", other.game_id) == "studio_not_found"
    assert look(staff.studio_id, other.game_id) == "game_not_found"
    assert look(staff.studio_id, "gam_none") == "game_not_found"
    limited = signed_in(game.member("limited@example.com", "GAME_ADMIN", []))
    assert look(staff.studio_id, game.made.game.game_id, limited) == "game_not_found"


@pytest.mark.parametrize("environment", ["live", "test", "", "both"])
def test_the_environment_is_chosen_by_the_query(environment: str) -> None:
    """`live` by default; another one is refused with its name."""
    staff = made()
    game = staff.game
    query = f"environment={environment}" if environment else ""
    said = game.ask("GET", path_of(game, LOOK), query=query, headers=shown_by(staff, "session"))
    if environment == "both":
        assert (said.code, list(said.json["error"]["details"]["fields"])) == ("validation_failed", ["environment"])
    else:
        assert said.json == {"data": {"scope": f"{game.made.game.game_id}/{environment or 'live'}"}}


# -- the audit trail ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=STORES)
def staff(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Staff]:
    """A game with a player and a member over each store."""
    with STORES[request.param](tmp_path) as store:
        yield made(store)


def entries(game: AddedGame) -> list[AuditEntry]:
    """The trail of the test environment, oldest first."""
    found: list[AuditEntry] = game.rows(AUDIT)
    return sorted(found, key=lambda entry: (entry.at, entry.audit_id))


def test_an_entry_says_who_by_what_permission_and_what_changed(staff: Staff) -> None:
    """Registering is told of the client key, a ban of whoever bans, with what was before and what is after."""
    game = staff.game
    ban = path_of(game, BAN)
    kinds: tuple[PrincipalKind, ...] = ("session", "personal_key", "server_key")
    for at, kind in enumerate(kinds):
        game.now += 1_000
        path = "/server/v1/players/anna/ban" if kind == "server_key" else ban
        query = "" if kind == "server_key" else "environment=test"
        headers = shown_by(staff, kind)
        assert game.ask("POST", path, {"reason": f"spam {at}"}, query=query, headers=headers).status == 200
    first, *bans = entries(game)
    assert (first.principal, first.actor_kind, first.before, first.after) == ("client_key", "api_key", None, None)
    assert [(entry.principal, entry.actor_kind, entry.permission) for entry in bans] == [
        ("session", "member", "player.ban"),
        ("personal_key", "member", "player.ban"),
        ("server_key", "api_key", None),
    ]
    assert bans[0].member_id == bans[1].member_id == bans[0].actor_ref
    assert [(entry.via, entry.key_id is not None) for entry in bans] == [
        ("session", False),
        ("api", True),
        ("api", False),
    ]
    assert {(entry.target_kind, entry.target_id) for entry in bans} == {("player", first.player_id)}
    assert bans[0].before == '{"banned":false,"reason":null,"bannedAt":null}'
    assert [entry.after for entry in bans[:-1]] == [entry.before for entry in bans[1:]]
    assert '"reason":"spam 2"' in str(bans[-1].after)


def test_erasing_a_player_empties_the_changes(staff: Staff) -> None:
    """Nothing of before or after is left of somebody who was erased, though the entries are."""
    game = staff.game
    headers = headers_for(game.key("server"))
    for path, body in (("ban", {"reason": "marked-reason"}), ("identity", {"name": "Marked Name"})):
        method = "PUT" if path == "identity" else "POST"
        assert game.ask(method, f"/server/v1/players/anna/{path}", body, headers=headers).status == 200
    kept = len(entries(game))
    assert "marked-reason" in repr(entries(game))
    assert "Marked Name" in repr(entries(game))
    erasure = {"reason": "gdpr_erasure"}
    assert game.ask("POST", "/server/v1/players/anna/delete", erasure, headers=headers).status == 200
    assert len(entries(game)) == kept + 1
    assert all(entry.before is None and entry.after is None for entry in entries(game))


def test_a_members_key_is_apart_from_a_servers(staff: Staff) -> None:
    """The same idempotency key on both surfaces names two requests."""
    game = staff.game
    body = {"reason": "spam", "idempotencyKey": "same"}
    first = game.ask("POST", path_of(game, BAN), body, query="environment=test", headers=shown_by(staff, "session"))
    second = game.ask("POST", "/server/v1/players/anna/ban", body, headers=shown_by(staff, "server_key"))
    again = game.ask("POST", path_of(game, BAN), body, query="environment=test", headers=shown_by(staff, "session"))
    assert [said.response.header("Idempotent-Replay") for said in (first, second, again)] == [None, None, "true"]


def test_each_kind_acts_in_the_words_of_rules() -> None:
    """Events and ledgers know players, keys, members and the system."""
    kinds = {kind: Principal(kind, "x").actor.kind for kind in KINDS}
    assert (kinds["session"], kinds["personal_key"]) == ("member", "member")
    assert (kinds["client_key"], kinds["server_key"], kinds["player"]) == ("api_key", "api_key", "player")
    assert Principal("system").actor == SYSTEM
    assert key_principal("server", "lc_test").actor.ref == "lc_test"
    assert NOBODY.actor.ref == ""


def test_a_change_is_kept_without_secrets_and_not_without_end() -> None:
    """Members that are named like secrets are hidden, however deep; of what is too large the size is kept."""
    store = MemoryStore()

    def left(before: JsonObject | None, after: JsonObject | None) -> AuditEntry:
        return store.write(
            Scope("gam_1", "test"),
            lambda tx: audit(tx, 0, Entropy(b"seed"), SYSTEM, "test", change=Change(before, after)),
        )

    told = left({"list": [{"playerSecret": "s1", "name": "n"}], "apiToken": "s2"}, None)
    assert told.before == f'{{"list":[{{"playerSecret":"{HIDDEN}","name":"n"}}],"apiToken":"{HIDDEN}"}}'
    assert told.after is None
    most = "x" * (MOST_BYTES - len('{"text":""}'))
    store = MemoryStore()
    told = left({"text": most}, {"text": most + "x"})
    assert told.before == f'{{"text":"{most}"}}'
    assert told.after == f'{{"tooLarge":true,"bytes":{MOST_BYTES + 1}}}'
