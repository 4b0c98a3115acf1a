"""What remains of a guild's texts when its members are erased, and how the studio removes what nobody else can."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore import World
from livecore.access.audit import AUDIT
from livecore.guilds.guild import GUILDS, WORDS
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from livecore.webhooks.outbox import EVENTS
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import club, found, game
from tests.worlds import Since, ask, rows_of

CALL: Final = "call 0160 555 77 88"
TEXTS: Final[dict[str, Any]] = {
    "name": f"Anna, {CALL}", "description": f"My number: {CALL}", "badge": CALL, "metadata": {"phone": CALL}
}  # fmt: skip


def erase(here: World, name: str) -> None:
    """Erase a player."""
    assert ask(here.server, "players.erase", external_id=name)["status"] == "erased"


def is_emptied(here: World, guild_id: str) -> bool:
    """Whether nothing of the texts is left, for anybody who may look, and in any row."""
    shown, found_by_name = (
        ask(here.server, "guilds.get", guild_id=guild_id),
        ask(here.server, "guilds.list", q="Anna", include_disbanded=True),
    )
    emptied = CALL not in str(shown.body)
    assert emptied == (CALL not in str(found_by_name.body))
    assert emptied == (CALL not in repr(rows_of(here, GUILDS)))
    if emptied:
        assert shown.text("guild.name").startswith("__deleted_")
        assert [shown[f"guild.{name}"] for name in ("description", "badge", "metadata")] == [None] * 3
        assert rows_of(here, WORDS) == []
    assert found_wrong(here) == []
    return emptied


@pytest.mark.parametrize("ends", ["erased", "left", "disbanded"])
def test_the_last_members_erasure_empties_the_texts(ends: str) -> None:
    """Whether they are in it still, have left it, or led it when it was disbanded; it is another player's name no longer."""
    here = game()
    guild_id = found(here.player("anna"), **TEXTS)
    if ends == "left":
        ask(here.player("anna"), "guilds.leave")
    if ends == "disbanded":
        ask(here.server, "guilds.disband", guild_id=guild_id)
    since = Since(here)
    erase(here, "anna")
    told = since.kinds
    assert told == [*([] if ends != "erased" else ["guild.disbanded", "guild.member_left"]), "player.deleted"]
    assert CALL not in repr(here.events[-len(told) :])
    assert is_emptied(here, guild_id)


def test_texts_stay_as_long_as_somebody_was_in_it_later() -> None:
    """They are the group's; the last one who leaves it by erasure takes them along."""
    here = game()
    anna, bert = here.player("anna"), here.player("bert")
    guild_id = found(anna, join_type="open", **TEXTS)
    ask(bert, "guilds.join", guild_id=guild_id)
    erase(here, "anna")
    assert not is_emptied(here, guild_id)
    ask(bert, "guilds.leave")
    assert not is_emptied(here, guild_id)
    erase(here, "bert")
    assert is_emptied(here, guild_id)


def test_no_event_and_no_entry_of_the_audit_trail_keeps_the_texts() -> None:
    """Of what the studio changed as well; nor the event of the end that came before."""
    here = game()
    here.unit_of_work(lambda unit: add_endpoint(unit, PlainVault(), key="k", url="https://x.example/", events=["*"]))
    guild_id = found(here.player("anna"), **TEXTS)
    ask(here.server, "guilds.update", guild_id=guild_id, name=f"{CALL} again")
    ask(here.player("anna"), "guilds.leave")
    assert CALL in repr(rows_of(here, AUDIT))
    erase(here, "anna")
    here.advance(days=31)
    assert CALL not in repr(rows_of(here, AUDIT))
    assert CALL not in repr(rows_of(here, EVENTS))
    assert {row.action for row in rows_of(here, AUDIT)} >= {"server:guilds.update"}


def test_the_studio_changes_the_texts_of_a_guild_that_has_ended() -> None:
    """Nobody is told, the name is free for others still, and the audit trail keeps only which fields have changed."""
    here = game()
    guild_id, _ = club(here)
    ask(here.server, "guilds.update", guild_id=guild_id, **TEXTS)
    ask(here.server, "guilds.disband", guild_id=guild_id)
    since, before = Since(here), rows_of(here, AUDIT)
    changed = {"name": "Owls", "description": None, "badge": None, "metadata": None}
    reply = ask(here.server, "guilds.update", guild_id=guild_id, **changed)
    assert {name: reply[f"guild.{name}"] for name in changed} == changed
    assert (since.kinds, rows_of(here, WORDS)) == ([], [])
    (entry,) = [row for row in rows_of(here, AUDIT) if row not in before]
    assert (CALL in repr(entry), "Owls" in repr(entry)) == (False, False)
    assert '"changed":["name","description","badge","metadata"]' in (entry.after or "")
    assert (entry.target_kind, entry.target_id) == ("guild", guild_id)
    found(here.player("zoe"), "Owls")
    assert found_wrong(here) == []


def test_metadata_that_comes_after_the_end_goes_after_thirty_days_as_well() -> None:
    """Counted from then."""
    here = game()
    guild_id, _ = club(here)
    ask(here.server, "guilds.disband", guild_id=guild_id)
    here.advance(days=20)
    ask(here.server, "guilds.update", guild_id=guild_id, metadata={"note": "later"})
    here.advance(days=20)
    assert ask(here.server, "guilds.get", guild_id=guild_id)["guild.metadata"] == {"note": "later"}
    here.advance(days=12)
    assert ask(here.server, "guilds.get", guild_id=guild_id)["guild.metadata"] is None
