"""The page about one player, in games that are not the demo game."""

from __future__ import annotations

import pytest

from livecore import World
from livecore_server.portal.pages import timeline
from tests.portal.browsing import Member
from tests.worlds import befriend, config


def test_a_player_of_a_game_without_settings_has_a_page() -> None:
    """A game that was just made has no gifts, and its players can be helped all the same."""
    world = World()
    world.player("zed")
    member = Member.of(world)
    shown = member.open(member.game("/players/zed"))
    assert shown.status == 200, shown.html
    assert "Gifts are not enabled" in shown.html
    assert member.open(member.game("/players/zed/list/gifts")).status == 200


@pytest.mark.parametrize("direction", ["", "received", "sent"])
def test_gifts_are_shown_both_ways(direction: str) -> None:
    """Those that the player has sent, too, on the page and in the list."""
    world = World(config())
    anna, ben = world.player("anna"), world.player("ben")
    befriend(anna, ben)
    world.server.call("wallet.credit", external_id="anna", economy_key="gold", amount=50)
    anna.call("gifts.send", external_player_id="ben", type="currency", resource_key="gold", amount=7)
    member = Member.of(world)
    assert "sent and received no gift" not in member.open(member.game("/players/anna")).html
    listed = member.open(member.game("/players/anna/list/gifts", **({"direction": direction} if direction else {})))
    assert ("ben" in listed.html) is (direction == "sent")


def test_every_kind_of_the_timeline_is_told_in_words() -> None:
    """None is a bare name."""
    assert set(timeline._WORDS) == set(timeline.KINDS)
