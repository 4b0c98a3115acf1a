"""Members of a studio: invited, changed and removed, and what ends with a membership."""

from __future__ import annotations

import pytest

from livecore import World
from livecore.access.operator_rows import Role
from livecore.access.roles import ROLES
from livecore.world import WorldOperator, WorldRefused
from tests.worlds import Reply, ask, text_at

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
        found: list[str] = []
        cursor: object = None
        while True:
            page = ask(owner, "members.list", limit=size, cursor=cursor)
            found += [str(row["email"]) for row in page.list("members")]
            cursor = page["nextCursor"]
            if cursor is None:
                break
        assert found == [email for email, _ in whole]


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
    assert ask(bea, "personalKeys.list").data == {"personalKeys": []}


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
