"""Members of a studio: invited, changed and removed, and what ends with a membership."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from livecore import World
from livecore.access.audit import KEY_USAGE, KeyUsage, flush
from livecore.access.member_rows import Role
from livecore.access.personal_keys import KEPT_FOR, PERSONAL_KEYS, PersonalKey
from livecore.access.roles import ROLES
from livecore.api.maintenance import run_due, system_unit
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index, Value
from livecore.kernel.time import DAY
from livecore.kernel.units.due import DueWork, due
from livecore.world import WorldOperator, WorldRefused
from tests.added_game import STORES, AddedGame, headers_for
from tests.worlds import Reply, ask, ask_all_pages, text_at

OWNER = "owner@example.com"


def invite(owner: WorldOperator, email: str, role: Role, **further: object) -> str:
    """A new member's id."""
    return text_at(owner.call("members.invite", email=email, role=role, **further), "member", "memberId")


def own_id(operator: WorldOperator) -> str:
    """The id of the caller."""
    return text_at(operator.call("session.get"), "member", "memberId")


def listed(operator: WorldOperator) -> list[tuple[str, str]]:
    """Address and role of each member, the newest first."""
    reply = ask(operator, "members.list")
    return [(str(row["email"]), str(row["role"])) for row in reply.list("members")]


def test_a_member_is_invited_once_and_signs_in_with_any_spelling_of_the_address() -> None:
    """Addresses are kept in lower case; a second invitation is told that the person is there already."""
    game = World()
    owner = game.operator()
    game.now += 1
    made = ask(owner, "members.invite", email="Bea.Otter@Example.COM", role="VIEWER")
    assert (made.status, made["member.email"], made["member.games"]) == (201, "bea.otter@example.com", None)
    assert ask(owner, "members.invite", email="bea.otter@example.com", role="ADMIN").code == "member_exists"
    assert listed(owner) == [("bea.otter@example.com", "VIEWER"), (OWNER, "OWNER")]
    bea = game.operator("BEA.OTTER@example.com", "OWNER")
    assert own_id(bea) == made["member.memberId"]
    assert ask(bea, "members.invite", email="c@example.com", role="VIEWER").refusal == (403, "permission_denied")


@pytest.mark.parametrize("email", ["", "a", "a@", "@a", "a b@c", "a@b@c", "x" * 250 + "@a.de", "a\n@b.de"])
def test_an_address_is_one(email: str) -> None:
    """Anything else is refused by its field."""
    reply = ask(World().operator(), "members.invite", email=email, role="VIEWER")
    assert (reply.code, reply.fields) == ("validation_failed", ["email"])


def test_games_are_the_studio_s_own_and_not_for_owners() -> None:
    """Each unknown game is named by its place; a role for the whole studio takes none."""
    game = World()
    owner = game.operator()
    games = [game.game.game_id, "gam_other", "std_x"]
    reply = ask(owner, "members.invite", email="a@example.com", role="VIEWER", games=games)
    assert (reply.code, reply.fields) == ("validation_failed", ["games[1]", "games[2]"])
    for role in ("OWNER", "ADMIN"):
        refused = ask(owner, "members.invite", email="a@example.com", role=role, games=games[:1])
        assert (refused.code, refused.fields) == ("validation_failed", ["games"])
    member_id = invite(owner, "a@example.com", "VIEWER", games=games[:1])
    raised = ask(owner, "members.update", member_id=member_id, role="ADMIN")
    assert (raised["member.role"], raised["member.games"]) == ("ADMIN", None)
    limited = ask(owner, "members.update", member_id=member_id, role="GAME_ADMIN", games=[])
    assert limited["member.games"] == []
    kept = ask(owner, "members.update", member_id=member_id, role="VIEWER")
    assert kept["member.games"] == []
    assert ask(owner, "members.update", member_id=member_id, games=None)["member.games"] is None


def test_a_studio_keeps_an_owner() -> None:
    """The last one is neither removed nor made something else, by nobody and not by themself either."""
    game = World()
    owner = game.operator()
    for reply in (
        ask(owner, "members.remove", member_id=own_id(owner)),
        ask(owner, "members.update", member_id=own_id(owner), role="ADMIN"),
    ):
        assert reply.refusal == (409, "last_owner")
    second = game.operator("second@example.com", "OWNER")
    assert ask(second, "members.update", member_id=own_id(owner), role="VIEWER")["member.role"] == "VIEWER"
    assert ask(second, "members.remove", member_id=own_id(second)).refusal == (409, "last_owner")


def test_only_an_owner_makes_and_changes_owners() -> None:
    """An administrator manages everybody else; what is missing is named."""
    game = World()
    owner = game.operator()
    game.operator("second@example.com", "OWNER")
    admin = game.operator("admin@example.com", "ADMIN")
    viewer = invite(admin, "viewer@example.com", "VIEWER")
    replies: list[Reply] = [
        ask(admin, "members.invite", email="third@example.com", role="OWNER"),
        ask(admin, "members.update", member_id=viewer, role="OWNER"),
        ask(admin, "members.update", member_id=own_id(admin), role="OWNER"),
        ask(admin, "members.update", member_id=own_id(owner), role="VIEWER"),
        ask(admin, "members.remove", member_id=own_id(owner)),
    ]
    for reply in replies:
        assert (reply.refusal, reply.details) == ((403, "permission_denied"), {"permission": "owner.manage"})
    assert ask(admin, "members.remove", member_id=viewer).status == 200


def test_what_ends_with_a_membership() -> None:
    """The sessions and the personal key; a new membership brings none of them back, and begins with its own role."""
    game = World()
    owner = game.operator()
    bea = game.operator("bea@example.com", "GAME_ADMIN")
    key = text_at(bea.call("personalKeys.create", name="script", expires_in_days=30), "key")
    script = WorldOperator(game, "admin", {"authorization": f"Bearer {key}"}, None)
    assert ask(script, "members.list").status == 200
    member_id = own_id(bea)
    assert ask(owner, "members.remove", member_id=member_id).data == {"removed": True}
    assert ask(bea, "session.get").refusal == (401, "session_invalid")
    assert ask(script, "members.list").refusal == (401, "api_key_revoked")
    assert ask(owner, "members.remove", member_id=member_id).refusal == (404, "member_not_found")
    assert invite(owner, "bea@example.com", "VIEWER") == member_id
    assert ask(bea, "session.get").refusal == (401, "session_invalid")
    assert ask(script, "members.list").refusal == (401, "api_key_revoked")
    assert set(listed(game.operator("bea@example.com"))) == {("bea@example.com", "VIEWER"), (OWNER, "OWNER")}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_holds_from_the_next_request_on(role: Role) -> None:
    """A session and a personal key may do what the member's role allows now, and not what it allowed before."""
    game = World()
    owner = game.operator()
    bea = game.operator("bea@example.com", "ADMIN")
    key = text_at(bea.call("personalKeys.create", name="script", expires_in_days=30), "key")
    script = WorldOperator(game, "admin", {"authorization": f"Bearer {key}"}, None)
    owner.call("members.update", member_id=own_id(bea), role=role)
    for caller in (bea, script):
        reply = ask(caller, "studios.update", name="Renamed")
        assert reply.code == (None if role in {"OWNER", "ADMIN"} else "permission_denied")


def test_pages_of_members_joined_are_the_list() -> None:
    """Whatever the size of a page is."""
    game = World()
    owner = game.operator()
    for number in range(7):
        game.now += 1
        invite(owner, f"m{number}@example.com", "VIEWER")
    whole = listed(owner)
    for size in (1, 3, 8, 200):
        found = [row["email"] for row in ask_all_pages(owner, "members.list", "members", limit=size)]
        assert found == [email for email, _ in whole]


def test_who_is_for_named_games_sees_those_who_share_one() -> None:
    """With the shared games alone; who is for all games shares every game, and those for none see only themselves."""
    game = World()
    owner = game.operator()
    first = game.game.game_id
    second, third = (text_at(owner.call("games.create", name=name), "game", "gameId") for name in ("Second", "Third"))
    games = {"a": [first], "b": [second], "ab": [first, second], "c": [third], "none": []}
    desks = {name: game.operator(f"{name}@example.com", "VIEWER") for name in (*games, "all")}
    for name, of in games.items():
        owner.call("members.update", member_id=own_id(desks[name]), games=of)
    everywhere: dict[str, list[str] | None] = {"all": None, "owner": None}
    shown: dict[str, dict[str, list[str] | None]] = {
        "a": {"a": [first], "ab": [first], **everywhere},
        "b": {"b": [second], "ab": [second], **everywhere},
        "ab": {"a": [first], "b": [second], "ab": [first, second], **everywhere},
        "c": {"c": [third], **everywhere},
        "none": {"none": []},
        "all": {**games, **everywhere},
    }
    for name, expected in shown.items():
        rows = ask_all_pages(desks[name], "members.list", "members", limit=1)
        found = {str(row["email"]).removesuffix("@example.com"): row["games"] for row in rows}
        assert found == {who: of if of is None else sorted(of) for who, of in expected.items()}, name


def scans_of(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """From now on each look at an index, with how many rows it gave."""
    looks: list[tuple[str, int]] = []
    scan = Transaction.scan

    def telling(tx: Transaction, index: Index[Any], *prefix: Value, **further: Any) -> list[Any]:  # noqa: ANN401 - a scan
        rows: list[Any] = scan(tx, index, *prefix, **further)
        looks.append((index.name, len(rows)))
        return rows

    monkeypatch.setattr(Transaction, "scan", telling)
    return looks


def test_a_page_reads_no_more_rows_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many members and keys, and of none who have left more than once."""
    game = World()
    owner = game.operator()
    left: list[str] = []
    for number in range(30):
        game.now += 1
        member = game.operator(f"member-{number}@example.com", "VIEWER")
        member.call("personalKeys.create", name="key", expires_in_days=7)
        left += [own_id(member)] if number % 3 == 0 else []
    for member_id in left:
        owner.call("members.remove", member_id=member_id)
    looks = scans_of(monkeypatch)
    for operation, rows in (("members.list", "members"), ("personalKeys.list", "personalKeys")):
        looks.clear()
        assert len(ask(owner, operation, limit=2).list(rows)) == 2
        assert 0 < sum(count for index, count in looks if index == "of_studio") <= 6


def test_a_page_is_found_behind_many_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the rows waits for the database, so there are few however many keys a member has replaced."""
    game = World()
    owner = game.operator()
    owner.call("personalKeys.create", name="oldest", expires_in_days=7)
    member = game.operator("member@example.com", "VIEWER")
    for _ in range(300):
        game.now += 1
        member.call("personalKeys.create", name="key", expires_in_days=7)
    key_id = str(ask(member, "personalKeys.list").list("personalKeys")[0]["keyId"])
    member.call("personalKeys.revoke", key_id=key_id)
    looks = scans_of(monkeypatch)
    assert [row["name"] for row in ask(owner, "personalKeys.list", limit=1).list("personalKeys")] == ["oldest"]
    assert 0 < [index for index, _ in looks].count("of_studio") <= 9


def test_a_member_has_one_personal_key() -> None:
    """A new one revokes the old one; others see only their own, owners and admins all of them."""
    game = World()
    owner = game.operator()
    bea = game.operator("bea@example.com", "GAME_DEVELOPER")
    first = bea.call("personalKeys.create", name="one", expires_in_days=7)
    second = bea.call("personalKeys.create", name="two", expires_in_days=365, read_only=True)
    mine = owner.call("personalKeys.create", name="mine", expires_in_days=7)
    old = WorldOperator(game, "admin", {"authorization": f"Bearer {text_at(first, 'key')}"}, None)
    assert ask(old, "session.get").refusal == (401, "api_key_revoked")
    assert [row["name"] for row in ask(bea, "personalKeys.list").list("personalKeys")] == ["two"]
    assert {str(row["name"]) for row in ask(owner, "personalKeys.list").list("personalKeys")} == {"two", "mine"}
    foreign = text_at(mine, "personalKey", "keyId")
    assert ask(bea, "personalKeys.revoke", key_id=foreign).refusal == (404, "personal_key_not_found")
    assert ask(owner, "personalKeys.revoke", key_id=text_at(second, "personalKey", "keyId")).status == 200
    assert ask(bea, "personalKeys.list").data == {"personalKeys": [], "nextCursor": None}


def test_pages_of_personal_keys_are_the_whole_list() -> None:
    """The newest first, whatever the limit, without the keys that have ended; one's own is one page."""
    game = World()
    for number in range(6):
        game.advance(minutes=1)
        member = game.operator(f"member-{number}@example.com", "VIEWER")
        for name in (f"old {number}", f"key {number}"):
            member.call("personalKeys.create", name=name, expires_in_days=7 if number == 3 else 300)
    game.advance(days=8)
    owner = game.operator()
    whole = [str(row["name"]) for row in ask(owner, "personalKeys.list").list("personalKeys")]
    assert whole == [f"key {number}" for number in (5, 4, 2, 1, 0)]
    for size in (1, 2, 3, 4, 5, 200):
        found = [row["name"] for row in ask_all_pages(owner, "personalKeys.list", "personalKeys", limit=size)]
        assert found == whole
    own = ask(game.operator("member-2@example.com", "VIEWER"), "personalKeys.list", limit=1)
    assert ([row["name"] for row in own.list("personalKeys")], own["nextCursor"]) == (["key 2"], None)
    for wrong in ({"limit": 0}, {"limit": 201}, {"cursor": "abc"}):
        assert ask(owner, "personalKeys.list", **wrong).code == "validation_failed"


@pytest.mark.parametrize("name", list(STORES))
def test_a_personal_key_that_has_ended_is_deleted(name: str, tmp_path: Path) -> None:
    """Thirty days later, with its last use; until then whoever uses it is told that it has ended."""
    with STORES[name](tmp_path) as store:
        game = AddedGame(store)
        cookie = game.member("owner@example.com")
        texts = [game.personal_key(cookie, expiresInDays=days) for days in (300, 7)]  # the second ends the first
        ended, week = (row.key_id for row in sorted(keys_in(game), key=lambda row: int(row.ends_at)))
        noted = [(key_id, KeyUsage(key_id=key_id, at=game.now, operation="x")) for key_id in (ended, week)]
        store.write(DIRECTORY, lambda tx: flush(tx, noted))
        begun = game.now
        for after, remaining in (
            (7 * DAY - 1, [ended, week]), (7 * DAY, [ended, week]), (KEPT_FOR - 1, [ended, week]), (KEPT_FOR, [week]),
            (KEPT_FOR + 7 * DAY - 1, [week]), (KEPT_FOR + 7 * DAY, []),
        ):  # fmt: skip
            game.now = begun + after
            sweep(game)
            assert sorted(row.key_id for row in keys_in(game)) == sorted(remaining)
            assert sorted(row.key_id for row in game.store.dump()[DIRECTORY.id].get(KEY_USAGE.name, [])) == sorted(
                remaining
            )
            for key_id, text in zip((ended, week), texts, strict=True):
                said = game.ask("GET", "/admin/v1/session", headers=headers_for(text))
                works = key_id == week and after < 7 * DAY
                over = "api_key_revoked" if key_id in remaining else "api_key_invalid"
                assert said.code == (None if works else over)


def keys_in(game: AddedGame) -> list[PersonalKey]:
    """The rows of personal keys."""
    rows: list[PersonalKey] = game.store.dump()[DIRECTORY.id].get(PERSONAL_KEYS.name, [])
    return rows


def sweep(game: AddedGame) -> None:
    """Run what is due in the directory."""

    def run(tx: Transaction, work: DueWork) -> None:
        run_due(system_unit(tx, None, game.now, b"sweep"), work)

    for work in game.store.read(DIRECTORY, lambda tx: due(tx, game.now, 1_000)):
        game.store.write(DIRECTORY, partial(run, work=work))


@pytest.mark.parametrize("days", [6, 366, 0, -1])
def test_a_personal_key_lasts_a_week_to_a_year(days: int) -> None:
    """Outside of that it is refused by its field."""
    reply = ask(World().operator(), "personalKeys.create", name="key", expires_in_days=days)
    assert (reply.code, reply.fields) == ("validation_failed", ["expiresInDays"])


def test_a_personal_key_ends_with_its_time() -> None:
    """It works up to the last millisecond."""
    game = World()
    made = game.operator().call("personalKeys.create", name="key", expires_in_days=7)
    script = WorldOperator(game, "admin", {"authorization": f"Bearer {text_at(made, 'key')}"}, None)
    game.now += 7 * 86_400_000 - 1
    assert ask(script, "session.get")["via"] == "api"
    game.now += 1
    assert ask(script, "session.get").refusal == (401, "api_key_revoked")


def test_calls_name_their_member() -> None:
    """A refusal of an unknown operation's arguments is raised with its code, as for every caller of a world."""
    with pytest.raises(WorldRefused, match="member_not_found"):
        World().operator().call("members.remove", member_id="mbr_unknown")


def test_a_repetition_of_an_owner_s_request_is_refused_to_others() -> None:
    """The right is checked before an earlier answer is given again."""
    game = World()
    body = {"email": "second@example.com", "role": "OWNER", "idempotency_key": "the same"}
    assert ask(game.operator(), "members.invite", **body).status == 201
    admin = game.operator("admin@example.com", "ADMIN")
    assert ask(admin, "members.invite", **body).refusal == (403, "permission_denied")
