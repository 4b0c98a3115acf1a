"""The world as a studio's engineer uses it: what it answers to a slip, and how its events, players and time are read."""

from __future__ import annotations

import pytest

from livecore import World, WorldRefused
from livecore.demo import DEMO
from livecore.social.webhook_events import FriendRequestAccepted, GiftSent


def _friends(world: World) -> None:
    world.player("alice").call("friends.sendRequest", external_player_id="bob")
    world.player("bob").call("friends.sendRequest", external_player_id="alice")


@pytest.fixture
def world() -> World:
    """The demo game with two players who are friends."""
    world = World(DEMO)
    world.player("bob")
    _friends(world)
    return world


def test_an_unknown_operation_is_answered_with_its_neighbours(world: World) -> None:
    """A slip of the pen in an operation's name names the ones that are spelled much alike."""
    with pytest.raises(LookupError, match=r"no operation 'friends\.send_request': did you mean friends\.sendRequest"):
        world.player("alice").call("friends.send_request", external_player_id="bob")


def test_an_operation_that_is_like_none_is_answered_with_all_of_its_surface(world: World) -> None:
    """Who guesses wildly sees what there is, and only what this surface has."""
    with pytest.raises(LookupError, match=r"there are ping, grants\.create, (?!.*players\.register)"):
        world.server.call("zzz")


def test_a_call_of_the_backend_without_a_player_says_what_is_missing(world: World) -> None:
    """The backend acts on any player, so it has to name one; the world does not ask the service for a player `None`."""
    with pytest.raises(TypeError, match="give external_id="):
        world.server.call("wallet.credit", economy_key="gold", amount=1)


def test_a_refusal_shows_what_the_service_said(world: World) -> None:
    """Status, code, message and details stand in the exception's text, and each by itself."""
    with pytest.raises(WorldRefused, match=r"^409 insufficient_balance: .* \(resource='gold',") as refused:
        world.player("alice").call("wallet.debit", economy_key="gold", amount=5)
    assert (refused.value.status, refused.value.code) == (409, "insufficient_balance")
    assert refused.value.details == {"resource": "gold", "needed": 5, "have": 0}


def test_a_refused_validation_shows_every_fault(world: World) -> None:
    """One fault stands in the message; of several, none is left out of the exception's text."""
    alice = world.player("alice")
    with pytest.raises(WorldRefused, match=r"^400 validation_failed: amount: must be from 1 to \d+$"):
        alice.call("wallet.debit", economy_key="gold", amount=0)
    with pytest.raises(WorldRefused, match=r"amount: is required; amuont: is not a known field"):
        alice.call("wallet.debit", economy_key="gold", amuont=5)


def test_a_name_is_one_player_and_headers_are_that_callers_own(world: World) -> None:
    """Asking again gives the same player; headers go with the caller that was asked for, and stay out of the next."""
    phone = world.player("alice", **{"x-svc-platform": "ios"})
    assert phone.player_id == world.player("alice").player_id
    assert phone.call("players.getProfile")["platform"] == {"key": "ios", "registered": True}
    assert "x-svc-platform" not in world.player("alice").headers


def test_events_are_read_as_json_or_as_classes(world: World) -> None:
    """The same event, by its name as a webhook carries it, and by its class with types."""
    (data,) = world.emitted("friend.request_accepted")
    (typed,) = world.emitted(FriendRequestAccepted)
    assert data["requestId"] == typed.request_id
    assert world.emitted(GiftSent) == []


def test_a_kind_that_does_not_exist_is_no_empty_list(world: World) -> None:
    """An assertion on a misspelled kind would pass for ever; so the world refuses to answer."""
    with pytest.raises(LookupError, match=r"'gift\.send': did you mean gift\.sent"):
        world.emitted("gift.send")


def test_time_is_at_hand_as_it_is_written(world: World) -> None:
    """`time` is `now`, in the wire's form."""
    world.advance(days=1, hours=2.5)
    assert world.time.wire == "2026-01-02T02:30:00.000Z"


def test_time_does_not_run_backwards(world: World) -> None:
    """A negative span is a mistake in the test."""
    with pytest.raises(ValueError, match="backwards"):
        world.advance(hours=-1)


def test_equal_seeds_give_equal_worlds_and_others_differ() -> None:
    """Ids, codes and events follow from the seed and the calls, and from nothing else."""

    def story(seed: int) -> list[object]:
        world = World(DEMO, seed=seed)
        world.player("bob")
        _friends(world)
        return [*world.events, world.player("bob").call("friends.getCode"), world.advance(days=3)]

    assert story(5) == story(5)
    assert story(5) != story(6)
