"""A typed call in a World: the operation with its own shape, and the answer as the row that a client reads."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from livecore import World, WorldRefused
from livecore.api.operations import OPERATIONS
from livecore.economy.rows import AdjustWallet, GetInventory, GrantItem
from livecore.social.gift_rows import OneGift, SendGift
from livecore.social.rows import SendRequest
from livecore.world import WorldPlayer

_OPERATIONS = {operation.id: operation for operation in OPERATIONS}
_GIFT = _OPERATIONS["sdk:gifts.send"]
_REQUEST = _OPERATIONS["sdk:friends.sendRequest"]
_CREDIT = _OPERATIONS["server:wallet.credit"]
_CONFIG: dict[str, Any] = {
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency"}],
    "items": [{"key": "sword"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 0,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
}


@pytest.fixture
def friends() -> tuple[World, WorldPlayer]:
    """A world in which Alice may send gifts to Bob."""
    world = World(_CONFIG)
    alice, bob = world.player("alice"), world.player("bob")
    alice.perform(_REQUEST, SendRequest(external_player_id="bob"))
    bob.perform(_REQUEST, SendRequest(external_player_id="alice"))
    world.server.perform(_CREDIT, AdjustWallet(economy_key="gold", amount=50), external_id="alice")
    return world, alice


def _gift(**changes: Any) -> SendGift:  # noqa: ANN401 - also values that no gift may have
    given: dict[str, Any] = {"type": "currency", "resource_key": "gold", "amount": 10, "external_player_id": "bob"}
    return SendGift(**{**given, **changes})


def test_a_typed_call_answers_with_the_row(friends: tuple[World, WorldPlayer]) -> None:
    """Its fields have the types of the client's rows, and the world has the event."""
    world, alice = friends
    sent = alice.perform(_GIFT, _gift())
    assert isinstance(sent, OneGift)
    assert (sent.gift.amount, sent.gift.sent_at.wire) == (10, "2026-01-01T00:00:00.000Z")
    assert world.emitted("gift.sent")[0]["giftId"] == sent.gift.gift_id


def test_a_typed_call_makes_no_json(friends: tuple[World, WorldPlayer]) -> None:
    """Neither the request nor the answer is written or read as text, nor as the data of one."""
    _, alice = friends
    called: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called[frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        alice.perform(_GIFT, _gift())
        typed = called.copy()
        called.clear()
        alice.call("gifts.send", type="currency", resource_key="gold", amount=10, external_player_id="bob")
    finally:
        sys.setprofile(None)
    assert {"read_json", "envelope", "decode", "loads"} <= called.keys()
    assert not {"read_json", "envelope", "decode", "decode_lenient", "loads", "urlencode", "read_body"} & typed.keys()
    assert typed["send"] == called["send"] == 1


def test_every_fault_is_named_as_a_request_names_it(friends: tuple[World, WorldPlayer]) -> None:
    """The shape is built without any check, so it may hold anything."""
    _, alice = friends
    with pytest.raises(WorldRefused) as typed_refusal:
        alice.perform(_GIFT, _gift(type="gems", amount=True, resource_key="", external_player_id="a/b"))
    with pytest.raises(WorldRefused) as named_refusal:
        alice.call("gifts.send", type="gems", amount=True, resource_key="", external_player_id="a/b")
    assert str(typed_refusal.value) == str(named_refusal.value)
    assert typed_refusal.value.details == named_refusal.value.details
    fields = typed_refusal.value.details["fields"]
    assert isinstance(fields, dict)
    assert sorted(fields) == ["amount", "externalPlayerId", "resourceKey", "type"]
    assert fields["amount"] == "must be an integer"


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        ("\ud800", 400, "malformed_json"),
        (float("nan"), 400, "malformed_json"),
        ("x" * 70_000, 413, "body_too_large"),
        ("x" * 60_000, 400, "validation_failed"),
        ({"a": 1}, 400, "validation_failed"),
    ],
    ids=["a lone surrogate", "not a number", "too large", "too long", "an object"],
)
def test_what_no_body_may_hold_is_refused(
    friends: tuple[World, WorldPlayer], message: object, status: int, code: str
) -> None:
    """As the bytes of a request would be."""
    _, alice = friends
    with pytest.raises(WorldRefused) as refused:
        alice.perform(_GIFT, _gift(message=message))
    assert (refused.value.status, refused.value.code) == (status, code)


def test_a_repetition_with_its_key_gives_the_same_row(friends: tuple[World, WorldPlayer]) -> None:
    """Also where one of the two is a request: both have the same fingerprint."""
    world, alice = friends
    first = alice.perform(_GIFT, _gift(idempotency_key="once"))
    assert alice.perform(_GIFT, _gift(), idempotency_key="once") == first
    named = alice.call(
        "gifts.send", type="currency", resource_key="gold", amount=10, external_player_id="bob", idempotency_key="once"
    )
    assert isinstance(named["gift"], dict)
    assert named["gift"]["giftId"] == first.gift.gift_id
    assert len(world.emitted("gift.sent")) == 1
    with pytest.raises(WorldRefused, match="idempotency_conflict"):
        alice.perform(_GIFT, _gift(amount=11, idempotency_key="once"))


def test_mistakes_of_the_program_are_type_errors(friends: tuple[World, WorldPlayer]) -> None:
    """They say what is wrong with the call."""
    world, alice = friends
    with pytest.raises(TypeError, match=r"gifts\.send takes SendGift, not SendRequest"):
        alice.perform(_GIFT, SendRequest(external_player_id="bob"))
    with pytest.raises(TypeError, match=r"server:wallet\.credit is no operation of this caller"):
        alice.perform(_CREDIT, AdjustWallet(economy_key="gold", amount=1))
    with pytest.raises(TypeError, match=r"wallet\.credit is about a player: give external_id=…"):
        world.server.perform(_CREDIT, AdjustWallet(economy_key="gold", amount=1))
    with pytest.raises(TypeError, match=r"message\.b must be a value that JSON can hold, not object"):
        alice.perform(_GIFT, _gift(message={"b": object()}))


def test_what_a_caller_changes_later_changes_nothing(friends: tuple[World, WorldPlayer]) -> None:
    """Objects with free names are copied on the way in and out."""
    world, alice = friends
    grant, get = _OPERATIONS["server:inventory.grant"], _OPERATIONS["sdk:inventory.get"]
    parameters: dict[str, Any] = {"colour": "red", "nested": {"a": 1}}
    given = GrantItem(item_key="sword", quantity=1, parameters=parameters)
    world.server.perform(grant, given, external_id="alice")
    parameters["nested"]["a"] = 2
    held = alice.perform(get, GetInventory())
    held.items[0].parameters["nested"]["a"] = 3
    assert alice.perform(get, GetInventory()).items[0].parameters == {"colour": "red", "nested": {"a": 1}}


def test_an_operator_calls_typed_as_well() -> None:
    """The studio, the game and the environment are the world's unless they are given."""
    world = World(_CONFIG)
    world.player("alice")
    ban = _OPERATIONS["admin:players.ban"]
    row = world.operator().perform(ban, ban.args(reason="cheating"), external_id="alice")
    assert type(row) in ban.answers.values()
    with pytest.raises(WorldRefused, match="player_not_found"):
        world.operator().perform(ban, ban.args(reason="cheating"), external_id="alice", environment="live")
