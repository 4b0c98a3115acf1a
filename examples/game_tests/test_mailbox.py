"""The game's own unit tests: they simulate days of live operations in milliseconds, with the rules of production.

$ pytest examples/game_tests
"""

from __future__ import annotations

import pytest

from examples.game_tests.mailbox import Opened, oil_for_everybody, open_everything
from livecore import World, WorldPlayer
from livecore.social.webhook_events import GiftClaimed


@pytest.fixture
def alice(players: dict[str, WorldPlayer]) -> WorldPlayer:
    """The player who sends."""
    return players["alice"]


@pytest.fixture
def bob(players: dict[str, WorldPlayer]) -> WorldPlayer:
    """The player who receives."""
    return players["bob"]


def oil(client: WorldPlayer) -> int:
    """What a player's wallet holds."""
    return next(row.balance for row in client.wallet.get().balances if row.key == "oil")


def test_oil_goes_to_three_friends_a_day(alice: WorldPlayer, livecore_world: World) -> None:
    """The game's daily limit ends the round; tomorrow there is one unit left, which is too little for anybody."""
    assert len(oil_for_everybody(alice)) == 3
    assert oil(alice) == 1
    livecore_world.advance(days=1)
    assert oil_for_everybody(alice) == []


def test_nobody_is_sent_oil_twice_a_day(alice: WorldPlayer, livecore_world: World) -> None:
    """A second tap on the button reaches nobody, however much oil there is; the next day it reaches three again."""
    livecore_world.server.wallet.credit("alice", "oil", amount=100)
    first = oil_for_everybody(alice)
    assert oil_for_everybody(alice) == []
    livecore_world.advance(days=1)
    assert len(oil_for_everybody(alice)) == len(first) == 3


def test_opening_pays_once_on_however_many_devices(alice: WorldPlayer, bob: WorldPlayer, livecore_world: World) -> None:
    """Phone and tablet show the same gift; both open it, one is paid, and the backend gets one event."""
    alice.gifts.send(external_player_id="bob", type="currency", resource_key="oil", amount=5)
    shown = bob.gifts.inbox(pending_only=True).gifts
    assert open_everything(bob, shown) == Opened(oil=5, too_late=0)
    assert open_everything(bob, shown) == Opened(oil=0, too_late=0)
    assert oil(bob) == 5
    assert [event.amount for event in livecore_world.emitted(GiftClaimed)] == [5]


def test_a_gift_that_nobody_opens_comes_back(alice: WorldPlayer, bob: WorldPlayer, livecore_world: World) -> None:
    """A gift expires after three days (`game.json`): opening it a second later fails, and Alice has the oil again."""
    alice.gifts.send(external_player_id="bob", type="currency", resource_key="oil", amount=5)
    livecore_world.advance(days=3, seconds=-1)
    shown = bob.gifts.inbox(pending_only=True).gifts
    assert [gift.amount for gift in shown] == [5]
    livecore_world.advance(seconds=1)
    assert open_everything(bob, shown) == Opened(oil=0, too_late=1)
    assert (oil(alice), oil(bob)) == (7, 0)
