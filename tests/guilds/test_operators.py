"""Guilds by the studio's members: what they read and change, and how the webhooks and the audit trail name them."""

from __future__ import annotations

import json

import pytest

from livecore.access.audit import AUDIT
from livecore.access.member_rows import Role
from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import club, found, game, members
from tests.worlds import Since, ask, rows_of


def _member_id(here: World) -> str:
    return ask(here.operator(), "session.get").text("member.memberId")


def test_every_change_names_the_member_in_its_webhooks() -> None:
    """`by` is the member by id; no player and no key."""
    here = game()
    guild_id, _ = club(here)
    desk, since = here.operator(), Since(here)
    by: JsonObject = {"kind": "member", "memberId": _member_id(here)}
    ask(desk, "guilds.update", guild_id=guild_id, description="By the studio")
    ask(desk, "guilds.transfer", guild_id=guild_id, external_player_id="mia")
    ask(desk, "guilds.removeMember", guild_id=guild_id, member_external_id="cole")
    ask(desk, "guilds.disband", guild_id=guild_id)
    kinds = ("guild.updated", "guild.role_changed", "guild.member_left", "guild.disbanded")
    told = [event for kind in kinds for event in since.of(kind)]
    assert since.kinds == sorted([kinds[0], *[kinds[1]] * 2, *[kinds[2]] * 4, kinds[3]])
    assert [event["by"] for event in told] == [by] * len(told)
    assert {event["reason"] for event in since.of("guild.role_changed")} == {"operator"}
    assert {event["reason"] for event in since.of("guild.member_left")} == {"removed", "disbanded"}
    assert found_wrong(here) == []


def test_every_change_is_in_the_audit_trail() -> None:
    """Who, what, which guild, before and after; and which player, so that an erasure empties it."""
    here = game()
    guild_id, (_, cole, _, _) = club(here)
    desk, member_id = here.operator(), _member_id(here)
    ask(desk, "guilds.update", guild_id=guild_id, name="Day Owls")
    ask(desk, "guilds.removeMember", guild_id=guild_id, member_external_id="cole")
    entries = {row.action: row for row in rows_of(here, AUDIT)}
    renamed, removed = entries["admin:guilds.update"], entries["admin:guilds.removeMember"]
    for entry in (renamed, removed):
        assert (entry.member_id, entry.permission, entry.via) == (member_id, "guild.moderate", "session")
        assert (entry.target_kind, entry.target_id) == ("guild", guild_id)
    assert (json.loads(str(renamed.before))["name"], json.loads(str(renamed.after))["name"]) == (
        "Night Owls",
        "Day Owls",
    )
    assert removed.player_id == cole.player_id


def test_members_read_what_the_backend_reads() -> None:
    """The same answers, word for word."""
    here = game()
    guild_id, _ = club(here)
    for operation, arguments in (
        ("guilds.list", {"q": "owls"}),
        ("guilds.list", {"player": "mia", "limit": 1}),
        ("guilds.get", {"guild_id": guild_id}),
        ("guilds.getOfPlayer", {"external_id": "mia"}),
    ):
        assert ask(here.operator(), operation, **arguments).data == ask(here.server, operation, **arguments).data


def test_the_other_environment_has_no_such_guild() -> None:
    """Neither to read nor to change; and a refused change leaves it as it was."""
    here = game()
    guild_id, _ = club(here)
    before, live = members(here, guild_id), {"environment": "live"}
    assert ask(here.operator(), "guilds.list", **live)["total"] == 0
    for operation, more in (
        ("guilds.get", {}),
        ("guilds.update", {"name": "Taken over"}),
        ("guilds.removeMember", {"member_external_id": "mia"}),
        ("guilds.transfer", {"external_player_id": "mia"}),
        ("guilds.disband", {}),
    ):
        refused = ask(here.operator(), operation, guild_id=guild_id, **live, **more)
        assert refused.refusal == (404, "guild_not_found")
    assert members(here, guild_id) == before


@pytest.mark.parametrize("role", ["GAME_DEVELOPER", "GAME_DEBUGGER", "VIEWER"])
def test_who_may_only_read(role: Role) -> None:
    """Reads, and is refused every change before the guild is looked at."""
    here = game()
    guild_id = found(here.player("lea"))
    viewer = here.operator("viewer@example.com", role)
    assert ask(viewer, "guilds.get", guild_id=guild_id).status == 200
    for wanted in (guild_id, "gld_none"):
        refused = ask(viewer, "guilds.disband", guild_id=wanted)
        assert refused.refusal == (403, "permission_denied")
        assert refused.details == {"permission": "guild.moderate"}


def test_a_repetition_under_one_key_changes_once() -> None:
    """The first answer comes again, and nothing is told twice."""
    here = game()
    guild_id, _ = club(here)
    since = Since(here)
    first, again = (
        ask(here.operator(), "guilds.disband", guild_id=guild_id, idempotency_key="ticket 7") for _ in range(2)
    )
    assert first.body == again.body
    assert again.header("Idempotent-Replay") == "true"
    assert len(since.of("guild.disbanded")) == 1
