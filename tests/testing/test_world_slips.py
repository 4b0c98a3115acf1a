"""What a world says to the slips of a first day, each with the very words of the mistake."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import pytest

from livecore import World, WorldRefused
from livecore.demo import DEMO
from livecore.kernel.errors import ValidationFailed

Slip = Callable[[Any], object]
_UNTYPED: Any = World
"""As who checks no types calls it."""
_FORM = "must be 1 to 128 characters without '/' or control characters, not '.' or '..', and not begin with "
_CONFIGURATION = "a World takes the configuration itself, as an object or as the text of its file, and not "


@pytest.fixture
def world() -> World:
    """The demo game with two players."""
    world = World(DEMO)
    world.player("alice")
    world.player("b")
    return world


@pytest.mark.parametrize(
    ("slip", "kind", "message"),
    [
        (
            lambda world: world.player("alice").call("wallet.get", external_id="b"),
            TypeError,
            (
                "a player acts for itself, so wallet.get takes no external_id='b' here: call it by world.player('b'), or by "
                "world.server where the backend may do it"
            ),
        ),
        (
            lambda world: world.player("alice").call("wallet.credit"),
            LookupError,
            "'wallet.credit' is an operation of `world.server`; this is a player, `world.player(…)`",
        ),
        (
            lambda world: world.player("alice").call("players.ban"),
            LookupError,
            (
                "'players.ban' is an operation of `world.server` and of `world.operator(…)`; this is a player, "
                "`world.player(…)`"
            ),
        ),
        (
            lambda world: world.server.call("gifts.claim"),
            LookupError,
            "'gifts.claim' is an operation of a player, `world.player(…)`; this is `world.server`",
        ),
        (
            lambda world: world.advance(7),
            TypeError,
            "advance(7) does not say of what: there are seconds=…, minutes=…, hours=…, days=…",
        ),
        (
            lambda world: world.advance(weeks=1),
            TypeError,
            "advance has no 'weeks': there are seconds=…, minutes=…, hours=…, days=…",
        ),
        (lambda world: world.advance(days="7"), TypeError, "days must be a number, not '7'"),
        (lambda world: world.advance(hours=float("nan")), TypeError, "hours must be a number, not nan"),
        (lambda _: _UNTYPED(seed="x"), TypeError, "a world's seed must be a whole number, not 'x'"),
        (lambda _: World(seed=2**300), ValueError, "a world's seed must be from -2**255 to 2**255 - 1"),
        (
            lambda _: World(environment="prod"),
            ValueError,
            "a world's environment must be 'test' or 'live', not 'prod'",
        ),
        (lambda _: _UNTYPED([]), TypeError, f"{_CONFIGURATION}[], which is of the type list"),
        (
            lambda _: _UNTYPED(PurePosixPath("game.json")),
            TypeError,
            f"{_CONFIGURATION}PurePosixPath('game.json'), which is of the type PurePosixPath",
        ),
        (
            lambda world: world.player(""),
            ValueError,
            f"a player's id {_FORM}'__merged_' or '__deleted_'; this is an empty text",
        ),
        (lambda world: world.player(None), TypeError, "a player's id must be a text, not None"),
        (
            lambda world: world.player("x" * 129),
            ValueError,
            f"a player's id {_FORM}'__merged_' or '__deleted_'; this is '{'x' * 77}…', of 129 characters",
        ),
        (
            lambda world: world.player("\ud800\x1b[31m\u202e"),
            ValueError,
            f"a player's id {_FORM}'__merged_' or '__deleted_'; this is '\\ud800\\x1b[31m\\u202e', of 7 characters",
        ),
    ],
)
def test_a_slip_is_answered_in_words(world: World, slip: Slip, kind: type[Exception], message: str) -> None:
    """The message says what was wrong and what there is; no player was registered and no time passed."""
    events = list(world.events)
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        slip(world)
    assert world.events == events
    assert world.time.wire == "2026-01-01T00:00:00.000Z"


def test_an_argument_that_no_operation_has_is_answered_with_those_there_are(world: World) -> None:
    """The refusal is the service's own; the note below it lists the arguments in Python's spelling."""
    with pytest.raises(WorldRefused) as refused:
        world.player("alice").call("wallet.debit", economy_key="gold", amuont=5)
    (note,) = refused.value.__notes__
    assert note == "wallet.debit has no 'amuont'; it takes economy_key, amount, reason, idempotency_key"
    with pytest.raises(WorldRefused) as refused:
        world.player("alice").call("wallet.debit", economy_key="gold", amount=0)
    assert getattr(refused.value, "__notes__", []) == []


def test_a_player_may_name_itself(world: World) -> None:
    """It is the same call."""
    alice = world.player("alice")
    assert alice.call("wallet.get", external_id="alice") == alice.call("wallet.get")


def test_a_name_is_one_object_for_the_same_headers(world: World) -> None:
    """`world.player("alice")` twice is the same object; with headers it is another client of the same player."""
    alice = world.player("alice")
    phone = world.player("alice", **{"x-svc-platform": "ios"})
    assert world.player("alice") is alice
    assert world.player("alice", **{"x-svc-platform": "ios"}) is phone
    assert phone is not alice
    assert phone.player_id == alice.player_id


def test_a_bad_configuration_names_every_fault() -> None:
    """In the exception's text; `fields` has them by path as before."""
    with pytest.raises(ValidationFailed) as refused:
        World({"economy": [{"key": "gold", "kinde": 1}, {"key": 5}], "itmes": []})
    assert str(refused.value).splitlines() == [
        "the configuration has 3 faults:",
        "  economy[0].kinde: is not a known field (the entry with key 'gold'). Did you mean 'kind'?",
        "  economy[1].key: must be a string; it is 5",
        "  itmes: is not a known field. Did you mean 'items'?",
    ]
    assert len(refused.value.fields) == 3
