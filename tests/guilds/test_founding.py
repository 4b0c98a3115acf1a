"""How soon a player may found another guild."""

from __future__ import annotations

import pytest

from livecore.api.configuration.game_config import parse_config
from livecore.guilds.guild import GUILDS
from livecore.kernel.time import Timestamp
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.guilds.clubs import found, game
from tests.worlds import GUILDS as SETTINGS
from tests.worlds import Reply, ask, config, rows_of


def found_again(player: WorldPlayer, number: int) -> Reply:
    """Leave one's guild and try to found another one."""
    ask(player, "guilds.leave")
    return ask(player, "guilds.create", name=f"Owls {number}", metadata={"x": "y" * 10_000})


def test_founding_and_leaving_in_a_row_leaves_few_guilds() -> None:
    """Of a hundred tries within ten minutes ten succeed; the others name the moment from which the next one does."""
    here = game()
    mallory = here.player("mallory")
    replies = []
    for number in range(100):
        replies.append(found_again(mallory, number))
        here.advance(seconds=6)
    assert [reply.status for reply in replies[:11]] == [201, *[409] * 9, 201]
    assert [reply.status for reply in replies].count(201) == 10
    assert replies[1].refusal == (409, "guild_cooldown")
    assert replies[1]["details"] == {"cooldownUntil": "2026-01-01T00:01:00.000Z"}
    assert len(rows_of(here, GUILDS)) == 10
    assert found_wrong(here) == []


def test_joining_another_guild_in_between_does_not_help() -> None:
    """The moment of the last founding counts, wherever the player was since."""
    here = game()
    owls = found(here.player("lea"), "Foxes", join_type="open")
    mallory = here.player("mallory")
    assert found_again(mallory, 1).status == 201
    ask(mallory, "guilds.leave")
    assert ask(mallory, "guilds.join", guild_id=owls).status == 200
    assert found_again(mallory, 2).code == "guild_cooldown"


def test_a_member_who_founded_none_is_not_concerned() -> None:
    """Leaving a guild and founding one at once is fine, and so is the last millisecond."""
    here = game()
    owls = found(here.player("lea"), "Foxes", join_type="open")
    mia = here.player("mia")
    ask(mia, "guilds.join", guild_id=owls)
    assert found_again(mia, 1).status == 201
    here.advance(seconds=60)
    assert found_again(mia, 2).status == 201


def test_a_refused_founding_does_not_count() -> None:
    """A name that is taken, or a cost that cannot be paid, moves nothing."""
    here = game()
    found(here.player("lea"), "Foxes")
    mia = here.player("mia")
    assert ask(mia, "guilds.create", name="Foxes").code == "guild_name_taken"
    assert found_again(mia, 1).status == 201


def test_the_cooldown_is_checked_before_the_name_and_after_the_membership() -> None:
    """Who is in a guild is told so; who waits hears of that before a name that is taken."""
    here = game()
    mia = here.player("mia")
    found(mia, "Foxes")
    assert ask(mia, "guilds.create", name="Foxes").code == "already_in_guild"
    found(here.player("lea"), "Owls")
    ask(mia, "guilds.leave")
    assert ask(mia, "guilds.create", name="Owls").code == "guild_cooldown"


@pytest.mark.parametrize("seconds", [0, None])
def test_a_game_may_do_without(seconds: int | None) -> None:
    """0 and `null` are none; a minute is the default."""
    here = game(createCooldownSeconds=seconds)
    mia = here.player("mia")
    assert [found_again(mia, number).status for number in range(3)] == [201] * 3
    assert parse_config({}).guilds.create_cooldown_seconds == 60


def test_a_longer_cooldown_holds_at_once() -> None:
    """A configuration that is applied later also judges guilds that were founded before."""
    here = game(createCooldownSeconds=None)
    mia = here.player("mia")
    assert found_again(mia, 1).status == 201
    here.advance(hours=1)
    here.configure(config(guilds={**SETTINGS, "createCooldownSeconds": 7_200}))
    assert found_again(mia, 2)["details.cooldownUntil"] == Timestamp(here.now + 3_600_000).wire


@pytest.mark.parametrize("later", ["source", "target"])
def test_a_merge_keeps_the_later_founding(later: str) -> None:
    """So it lets nobody found sooner."""
    here: World = game()
    source, target = here.player("source"), here.player("target")
    for player in (source, target) if later == "target" else (target, source):
        here.advance(seconds=50)
        assert found_again(player, here.now).status == 201
    here.advance(seconds=20)
    ask(here.server, "players.merge", external_id="source", to_external_id="target")
    assert found_again(target, 9).code == "guild_cooldown"
    here.advance(seconds=40)
    assert found_again(target, 9).status == 201
    assert found_wrong(here) == []
