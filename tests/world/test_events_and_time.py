"""How a world hands on what happens in it, and how its time goes from one piece of due work to the next."""

from __future__ import annotations

from typing import Any

import pytest

from livecore import World, errors
from livecore.demo import DEMO
from livecore.events.webhook_events import WindowOpened
from livecore.kernel.scope import Scope
from livecore.kernel.time import DAY
from livecore.kernel.units import due
from livecore.social.webhook_events import GiftSent
from livecore.world import Emitted


def _gift(world: World) -> None:
    for name, other in (("ada", "bo"), ("bo", "ada")):
        world.player(other)
        world.player(name).friends.send_request(external_player_id=other)
    world.server.wallet.credit("ada", "gold", amount=10)
    world.player("ada").gifts.send(external_player_id="bo", type="currency", resource_key="gold", amount=10)


def test_a_callback_gets_every_event_whether_or_not_they_are_kept() -> None:
    """In their order, and only what was committed; what is not kept takes no memory."""
    heard: list[Emitted] = []
    keeping, counting = World(DEMO), World(DEMO, keep_events=False, on_event=heard.append)
    for world in (keeping, counting):
        _gift(world)
        world.advance(days=8)
    assert heard == keeping.events
    assert {"gift.sent", "grant.expired", "window.opened"} <= {event.kind for event in heard}
    assert counting.events == []


def test_advance_returns_what_happened_meanwhile_even_where_nothing_is_kept() -> None:
    """A test reads the answer the same way in both worlds."""
    keeping, counting = World(DEMO), World(DEMO, keep_events=False)
    for world in (keeping, counting):
        _gift(world)
    expected = keeping.advance(days=8)
    assert counting.advance(days=8) == expected
    assert [event.kind for event in expected if event.kind.startswith("grant.")] == ["grant.expired"]


def test_a_world_that_keeps_nothing_says_so() -> None:
    """An empty list would let an assertion pass for ever."""
    world = World(DEMO, keep_events=False)
    with pytest.raises(RuntimeError, match=r"keeps no events \(keep_events=False\): take them with on_event"):
        world.emitted("gift.sent")


def test_a_callback_is_not_called_for_what_was_refused() -> None:
    """Nor twice, where it raises: the mistake comes out of the call."""

    def fail(event: Emitted) -> None:
        raise ArithmeticError(event.kind)

    world = World(DEMO)
    failing = World(DEMO, keep_events=False, on_event=fail)
    with pytest.raises(errors.InsufficientBalance):
        world.player("ada").wallet.debit("gold", amount=1)
    assert not world.emitted("wallet.changed")
    with pytest.raises(ArithmeticError, match=r"player\.registered"):
        failing.player("ada")


def test_emitted_is_of_the_own_environment() -> None:
    """A schedule opens its windows in both environments; a test counts those of the one that it plays in."""
    world, live = World(DEMO), World(DEMO, environment="live")
    for at in (world, live):
        at.advance(hours=1)
    opened = world.emitted(WindowOpened)
    assert len(opened) == len({row.event_key for row in opened}) > 2
    assert len(world.emitted("window.opened", environment="*")) == 2 * len(opened)
    assert world.emitted("window.opened", environment="test") == world.emitted("window.opened")
    assert len(live.emitted("window.opened")) == len(opened)
    mine: Any = {row["eventWindowId"] for row in world.emitted("window.opened")}
    assert mine.isdisjoint(row["eventWindowId"] for row in world.emitted("window.opened", environment="live"))
    assert world.emitted(GiftSent, environment="live") == []


def test_another_environment_is_a_slip() -> None:
    """It says which there are."""
    with pytest.raises(ValueError, match=r"'test' or 'live', or '\*' for both, not 'prod'"):
        World(DEMO).emitted("gift.sent", environment="prod")  # type: ignore[call-overload] # the slip itself


def test_steps_are_the_advance_in_pieces() -> None:
    """From one moment at which something is due to the next; joined they are what a single advance brings."""
    stepped, advanced = World(DEMO), World(DEMO)
    for world in (stepped, advanced):
        _gift(world)
    until = stepped.now + 2 * DAY
    happened: list[Emitted] = []
    moments = []
    while stepped.now < until:
        emitted = stepped.step()
        assert emitted is not None
        moments.append(stepped.now)
        happened += emitted
    assert moments == sorted(set(moments)), "each step leaves nothing due at its moment"
    assert {event.at for event in happened} <= set(moments)
    assert advanced.advance_to(stepped.now) == happened
    assert stepped.store.dump() == advanced.store.dump()


def test_there_is_no_step_where_nothing_is_due() -> None:
    """Then time stands still."""
    world = World()
    for scope in world.store.dump():
        for work in world.store.dump()[scope].get("due_work", ()):
            _cancel(world, scope, work)
    now = world.now
    assert world.step() is None
    assert world.now == now


def _cancel(world: World, scope: str, work: Any) -> None:  # noqa: ANN401 - a row of the table of due work
    world.store.write(Scope.parse(scope), lambda tx: due.cancel(tx, work.kind, work.ref))


def _seen_at(world: World) -> list[int]:
    rows = world.store.dump()[world.scopes[0].id]["players"]
    return [row.last_seen_at for row in rows]


def test_last_seen_values_are_written_where_time_passes_a_multiple() -> None:
    """In whatever pieces it passes, so that two worlds with the same requests have the same rows."""
    whole, pieces = World(DEMO, flush_seconds=60), World(DEMO, flush_seconds=60)
    for world in (whole, pieces):
        world.player("ada")
        world.advance(seconds=10)
        world.player("ada").presence.heartbeat()
    registered = _seen_at(whole)
    whole.advance(seconds=49)
    for _ in range(49):
        pieces.advance(seconds=1)
    assert _seen_at(whole) == _seen_at(pieces) == registered
    pieces = World.load(pieces.save())
    for world in (whole, pieces):
        world.advance(seconds=1)
    assert _seen_at(whole) == _seen_at(pieces) == [registered[0] + 10_000]


@pytest.mark.parametrize("seconds", [-1, 61, float("nan")])
def test_last_seen_values_are_written_as_often_as_a_server_may_be_set_to(seconds: float) -> None:
    """A longer time would leave rows older than any server leaves them."""
    with pytest.raises(ValueError, match="flush_seconds must be from 0 to 60"):
        World(DEMO, flush_seconds=seconds)


def test_work_of_a_scope_is_found_whoever_has_scheduled_it() -> None:
    """What is known of a scope's next work holds until a row of that scope is written."""
    world = World(DEMO)
    world.advance(seconds=1)
    for scope in world.scopes:
        begun = world.now
        world.unit_of_work(lambda unit: unit.schedule("lobbies.move_bots", "gone", unit.now + 5_000), scope)
        world.step()
        assert world.now == begun + 5_000
        assert world.store.read(scope, lambda tx: tx.get(due.DUE, "lobbies.move_bots", "gone")) is None
