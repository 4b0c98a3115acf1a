"""Finding guilds, as a player and as the studio, and moderating them (contract, "Guilds"; specification 4.3)."""

from __future__ import annotations

import pytest

from livecore.access.audit import AUDIT
from livecore.guilds.guild import WORDS
from livecore.kernel.errors import Json, ValidationFailed
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import club, found, game, members
from tests.worlds import GUILDS, Since, ask, config, rows_of, world

# -- finding --------------------------------------------------------------------------------------------------------------


def _names(reply: object) -> list[str]:
    return [str(row["name"]) for row in reply.list("guilds")]  # type: ignore[attr-defined] # a reply


def test_a_search_matches_the_beginning_of_a_word() -> None:
    """Whatever case and accents; once, even if several words match; in the order of the names."""
    here = game()
    for number, name in enumerate(("Öwl Owlets", "Night Owls", "Fowl Play", "Larks")):
        here.advance(seconds=1)
        found(here.player(f"p{number}"), name, join_type="open" if number else "request")
    eve = here.player("eve")
    assert _names(ask(eve, "guilds.search", q="owl")) == ["Öwl Owlets", "Night Owls"]
    assert _names(ask(eve, "guilds.search", q="OWL", join_type="open")) == ["Night Owls"]
    assert _names(ask(eve, "guilds.search")) == ["Larks", "Fowl Play", "Night Owls", "Öwl Owlets"]
    assert _names(ask(eve, "guilds.search", country="SE")) == []
    assert _names(ask(eve, "guilds.search", q="??")) == []
    assert ask(eve, "guilds.search", q="x").fields == ["q"]


@pytest.mark.parametrize("q", [None, "guild"])
def test_pages_joined_are_the_list(q: str | None) -> None:
    """Without one twice or none, whatever the size of a page; a cursor of the one list is none of the other."""
    here = game()
    for number in range(7):
        found(here.player(f"p{number}"), f"Guild {number} guild", country="SE" if number % 2 else None)
    eve = here.player("eve")
    more = {} if q is None else {"q": q}
    whole = _names(ask(eve, "guilds.search", **more))
    assert len(set(whole)) == 7
    for limit in (1, 2, 3, 7):
        joined: list[str] = []
        at: dict[str, object] = {}
        while at.get("cursor", "") is not None:
            page = ask(eve, "guilds.search", limit=limit, **more, **at)
            joined += _names(page)
            at = {"cursor": page["nextCursor"]}
            if at["cursor"] is not None:
                other = {"q": "guild"} if q is None else {}
                assert ask(eve, "guilds.search", **other, **at).fields == ["cursor"]
        assert joined == whole
    assert len(_names(ask(eve, "guilds.search", country="SE", limit=2, **more))) == 2


def test_a_guild_that_has_ended_is_found_by_the_studio_alone() -> None:
    """If it asks for those; by their members too."""
    here = game()
    guild_id, (lea, *_) = club(here)
    ask(here.server, "guilds.disband", guild_id=guild_id)
    here.advance(minutes=1)
    found(lea, "Owls again")
    eve = here.player("eve")
    assert _names(ask(eve, "guilds.search", q="owls")) == ["Owls again"]
    for more in ({}, {"q": "owls"}, {"player": "lea"}, {"q": "owls", "player": "lea"}):
        assert _names(ask(here.server, "guilds.list", **more)) == ["Owls again"]
        reply = ask(here.server, "guilds.list", include_disbanded=True, **more)
        assert (_names(reply), reply["total"]) == (["Owls again", "Night Owls"], 2)
    assert _names(ask(here.server, "guilds.list", player="nobody")) == []
    assert _names(ask(here.server, "guilds.list", include_disbanded=True, offset=1, limit=1)) == ["Night Owls"]


def test_a_cursor_of_another_search_finds_nothing_else() -> None:
    """Only guilds with a fitting word, each once, wherever a page begins."""
    here = game()
    for name in ("Alpha", "Alps", "Beta", "Gamma Rays", "Rays of Gamma"):
        found(here.player(name), name)
    eve = here.player("eve")
    cursors = {q: ask(eve, "guilds.search", q=q, limit=1)["nextCursor"] for q in ("al", "gam")}
    assert _names(ask(eve, "guilds.search", q="gamma", cursor=cursors["al"])) == ["Rays of Gamma", "Gamma Rays"]
    assert _names(ask(eve, "guilds.search", q="be", cursor=cursors["gam"])) == []


def test_guilds_that_have_ended_are_in_nobodys_way() -> None:
    """However many with however many words: a search reads only those that exist."""
    here = game()
    owls = found(here.player("lea"), "Owls of the night")
    spammer = here.player("eve")
    for number in range(60):
        found(spammer, f"owa owb owc owd owe owf owg owh {number}")
        ask(spammer, "guilds.leave")
        here.advance(minutes=1)
    assert {row.guild_id for row in rows_of(here, WORDS)} == {owls}
    assert _names(ask(spammer, "guilds.search", q="ow")) == ["Owls of the night"]
    assert ask(here.server, "guilds.list", q="ow", include_disbanded=True)["total"] == 61


# -- moderating -----------------------------------------------------------------------------------------------------------


def test_the_studio_sees_who_was_in_it_and_why_they_left() -> None:
    """Newest first; one who came back has two stints."""
    here = game()
    guild_id, (lea, *_) = club(here)
    ask(lea, "guilds.kick", member_external_id="max")
    here.advance(seconds=1)
    ask(here.player("max"), "guilds.join", guild_id=guild_id)
    ask(here.server, "guilds.removeMember", guild_id=guild_id, member_external_id="max")
    seen = ask(here.server, "guilds.getOfPlayer", external_id="max")
    assert (seen["guild"], seen["role"]) == (None, None)
    assert [row["leftReason"] for row in seen.list("stints")] == ["removed", "kicked"]
    history = ask(here.server, "guilds.get", guild_id=guild_id).list("guild.history")
    assert [(row["externalPlayerId"], row["leftReason"]) for row in history] == [
        ("max", "removed"), ("max", "kicked"), ("mia", None), ("cole", None), ("lea", None),
    ]  # fmt: skip


def test_a_leader_whom_the_studio_appoints() -> None:
    """The old one becomes a co-leader; who leads already is a conflict."""
    here = game(maxCoLeaders=0)
    guild_id, _ = club(here, "lea", "cole")
    since = Since(here)
    ask(here.server, "guilds.transfer", guild_id=guild_id, external_player_id="cole")
    assert members(here, guild_id) == [("cole", "leader"), ("lea", "co_leader")]
    assert {str(row["reason"]) for row in since.of("guild.role_changed")} == {"operator"}
    again = ask(here.server, "guilds.transfer", guild_id=guild_id, external_player_id="cole")
    assert again.refusal == (409, "guild_role_conflict")
    stranger = ask(here.server, "guilds.transfer", guild_id=guild_id, external_player_id="nobody")
    assert stranger.refusal == (404, "guild_member_not_found")


def test_a_disbanded_guild_is_only_shown() -> None:
    """Every member leaves first; again changes nothing; nothing can be done with it but to change its texts."""
    here = game()
    guild_id, _ = club(here)
    since = Since(here)
    for _ in range(2):
        shown = ask(here.server, "guilds.disband", guild_id=guild_id)
        assert (shown.status, shown["guild.members"], shown["guild.memberCount"]) == (200, [], 0)
    kinds = [event.kind for event in here.events]
    assert kinds.index("guild.disbanded") > max(
        place for place, kind in enumerate(kinds) if kind == "guild.member_left"
    )
    assert since.kinds == ["guild.disbanded", *["guild.member_left"] * 4]
    for operation, more in (
        ("guilds.removeMember", {"member_external_id": "lea"}),
        ("guilds.transfer", {"external_player_id": "lea"}),
    ):
        assert ask(here.server, operation, guild_id=guild_id, **more).refusal == (404, "guild_not_found")
    assert found_wrong(here) == []


def test_a_change_tells_what_was_there_and_is_audited() -> None:
    """Only what is different; a change to the same tells nobody."""
    here = game()
    guild_id, _ = club(here)
    since = Since(here)
    changes = {"description": "By the studio", "metadata": {"a": [1]}, "join_type": "request"}
    for _ in range(2):
        ask(here.server, "guilds.update", guild_id=guild_id, name="Night Owls", **changes)
    (told,) = since.of("guild.updated")
    assert told["changes"] == {
        "description": {"before": None, "after": "By the studio"},
        "joinType": {"before": "open", "after": "request"},
        "metadata": {"before": None, "after": {"a": [1]}},
    }
    assert told["by"] == {"kind": "api_key", "apiKeyPrefix": here.keys["server"][:21]}
    assert ask(here.player("lea"), "guilds.update", metadata={"a": [1]}, description="By the studio").status == 200
    assert len(since.of("guild.updated")) == 1
    entry = next(row for row in rows_of(here, AUDIT) if row.action == "server:guilds.update")
    assert guild_id in str(entry.before)
    assert '"description":"By the studio"' in str(entry.after)


def test_the_audit_trail_says_which_member() -> None:
    """By the service's id, so that an erasure empties it; and which guild, and which role."""
    here = game()
    guild_id, (_, cole, mia, _) = club(here)
    ask(here.server, "guilds.transfer", guild_id=guild_id, external_player_id="mia")
    ask(here.server, "guilds.removeMember", guild_id=guild_id, member_external_id="cole")
    entries = {row.action: row for row in rows_of(here, AUDIT)}
    appointed, removed = entries["server:guilds.transfer"], entries["server:guilds.removeMember"]
    assert (appointed.player_id, removed.player_id) == (mia.player_id, cole.player_id)
    assert '"role":"member"' in str(appointed.before)
    assert '"role":"leader"' in str(appointed.after)
    assert guild_id in str(removed.before)


def test_what_the_game_offers_no_more() -> None:
    """What is there stays, may be sent along unchanged, and cannot be chosen, by the studio neither."""
    here = game()
    guild_id, (lea, *_) = club(here)
    here.configure(config(guilds={**GUILDS, "joinTypes": ["request"], "nameFilter": ["owls"]}))
    assert ask(lea, "guilds.update", name="Night Owls", join_type="open", description="x").status == 200
    assert ask(here.player("eve"), "guilds.join", guild_id=guild_id)["status"] == "joined"
    ask(lea, "guilds.update", join_type="request")
    for refused in (
        ask(lea, "guilds.update", join_type="open"),
        ask(here.server, "guilds.update", guild_id=guild_id, join_type="open"),
        ask(here.player("ida"), "guilds.create", name="Owls", join_type="open"),
    ):
        assert refused.fields == ["joinType"]


def test_the_studio_moderates_where_guilds_are_disabled() -> None:
    """What is there stays there."""
    here = game()
    guild_id, _ = club(here)
    here.configure(config(guilds={**GUILDS, "enabled": False}))
    assert ask(here.server, "guilds.removeMember", guild_id=guild_id, member_external_id="max").status == 200
    assert len(members(here, guild_id)) == 3


# -- the configuration ----------------------------------------------------------------------------------------------------

_HELP: dict[str, Json] = {"type": "item", "key": "potion", "maxRequest": 1, "maxDonation": 1}


@pytest.mark.parametrize(
    ("guilds", "path"),
    [
        (
            {"createCost": [{"type": "currency", "resourceKey": "rubies", "amount": 1}]},
            "guilds.createCost[0].resourceKey",
        ),
        ({"createCost": [{"type": "crate", "resourceKey": "chest", "amount": 1}]}, "guilds.createCost[0].type"),
        (
            {"createCost": [{"type": "item", "resourceKey": "potion", "amount": 1, "parameters": {"a": 1}}]},
            "guilds.createCost[0].parameters",
        ),
        ({"help": {"resources": [{**_HELP, "key": "rubies"}]}}, "guilds.help.resources[0].key"),
        ({"help": {"resources": [_HELP, _HELP]}}, "guilds.help.resources[1].key"),
        ({"help": {"resources": [{**_HELP, "type": "currency", "key": "sessions"}]}}, "guilds.help.resources[0].key"),
        ({"help": {"resources": []}}, "guilds.help.resources"),
        ({"joinTypes": []}, "guilds.joinTypes"),
        ({"joinTypes": ["open", "open"]}, "guilds.joinTypes"),
        ({"nameFilter": ["fine", "!!"]}, "guilds.nameFilter[1]"),
        ({"maxMembers": 0}, "guilds.maxMembers"),
        ({"inactiveLeaderDays": 0}, "guilds.inactiveLeaderDays"),
        ({"colour": "red"}, "guilds.colour"),
    ],
)
def test_a_configuration_that_contradicts_itself_is_refused(guilds: dict[str, Json], path: str) -> None:
    """With the path of what is wrong."""
    with pytest.raises(ValidationFailed) as refused:
        world(guilds={"enabled": True, **guilds})
    assert path in refused.value.fields
