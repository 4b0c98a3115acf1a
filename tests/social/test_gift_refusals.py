"""The order in which sending a gift is refused: each reason is met together with the next, and the earlier one wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import attrs
import pytest

from livecore.kernel.errors import Json
from livecore.kernel.time import DAY, Timestamp
from livecore.world import WorldPlayer
from tests.worlds import GIFTING, Reply, ask, ban, befriend, gift, give, http, world

ORDER: Final = (
    (400, "validation_failed"),
    (400, "cannot_gift_self"),
    (403, "gifting_disabled"),
    (404, "player_not_found"),
    (403, "player_blocked"),
    (403, "not_friends"),
    (403, "gift_not_allowed"),
    (400, "gift_amount_invalid"),
    (409, "gift_cooldown"),
    (409, "gift_limit_reached"),
    (409, "gift_receive_limit_reached"),
    (409, "gift_insufficient_balance"),
)
"""The contract's table, top to bottom; `friend_code_invalid` stands beside `player_not_found`."""


@attrs.define
class Attempt:
    """A sender and a target, and the request that is about to be made."""

    sender: WorldPlayer
    target: WorldPlayer
    body: dict[str, Json]
    gifting: dict[str, Json] = attrs.Factory(dict)

    def configure(self, **gifting: Json) -> None:
        """Change some of the gifting settings."""
        self.gifting |= gifting
        self.sender.world.configure(
            {
                "economyMode": "platform",
                "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
                "items": [{"key": "potion"}],
                "gifting": {**GIFTING, "resources": RESOURCES, **self.gifting},
            }
        )

    def send(self) -> Reply:
        """Make the request."""
        return http(self.sender, "POST", f"/sdk/v1/players/{self.sender.external_id}/friends/gifts", self.body)


RESOURCES: Final[list[Json]] = [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}]


def _blocked(attempt: Attempt) -> None:
    ask(attempt.target, "friends.block", external_player_id="sender")


def _not_friends(attempt: Attempt) -> None:
    ask(attempt.target, "friends.remove", friend_external_id="sender")


def _gifted_before(attempt: Attempt) -> None:
    give(attempt.sender, "gold", 10)
    assert gift(attempt.sender, attempt.target).status == 201


CAUSES: Final[Mapping[str, Callable[[Attempt], None]]] = {
    "gift_cooldown": _gifted_before,
    "not_friends": _not_friends,
    "player_blocked": _blocked,
    "gift_limit_reached": lambda attempt: attempt.configure(dailySendLimit=0),
    "gift_receive_limit_reached": lambda attempt: attempt.configure(dailyReceiveLimit=0),
    "gifting_disabled": lambda attempt: attempt.configure(enabled=False),
    "player_not_found": lambda attempt: attempt.body.update(externalPlayerId="nobody"),
    "cannot_gift_self": lambda attempt: attempt.body.update(externalPlayerId="sender"),
    "gift_not_allowed": lambda attempt: attempt.body.update(resourceKey="silver"),
    "gift_amount_invalid": lambda attempt: attempt.body.update(amount=0),
    "validation_failed": lambda attempt: attempt.body.update(type="car"),
    "gift_insufficient_balance": lambda _: None,
}
"""What makes a friend's request earn each refusal, in the order in which it can be brought about; the wallet is empty."""


def attempt_with(*codes: str) -> Attempt:
    """A request that earns all of these refusals at once."""
    game = world(gifting={"enabled": True, "resources": RESOURCES})
    sender, target = game.player("sender"), game.player("target")
    befriend(sender, target)
    made = Attempt(
        sender,
        target,
        {"externalPlayerId": "target", "type": "currency", "resourceKey": "gold", "amount": 10},
    )
    for code, bring_about in CAUSES.items():
        if code in codes:
            bring_about(made)
    return made


@pytest.mark.parametrize(("status", "code"), ORDER)
def test_each_reason_alone(status: int, code: str) -> None:
    """Every refusal of the table can be earned, with its status."""
    assert attempt_with(code).send().refusal == (status, code)


@pytest.mark.parametrize("place", range(len(ORDER) - 1))
def test_the_earlier_of_two_neighbours_wins(place: int) -> None:
    """A request that earns a refusal and the next one hears the first."""
    assert attempt_with(ORDER[place][1], ORDER[place + 1][1]).send().refusal == ORDER[place]


@pytest.mark.parametrize("place", range(len(ORDER)))
def test_of_all_later_reasons_the_first_wins(place: int) -> None:
    """A request that earns a refusal and everything after it hears that one."""
    later = {code for _, code in ORDER[place:]}
    assert attempt_with(*later).send().refusal == ORDER[place]


# -- the same, where the target is named by friend code -------------------------------------------------------------------


def _by_code(attempt: Attempt, code: str) -> Attempt:
    del attempt.body["externalPlayerId"]
    attempt.body["friendCode"] = code
    return attempt


def _code(player: WorldPlayer) -> str:
    return ask(player, "friends.getCode").text("friendCode")


def test_both_or_neither_target_is_told_before_gifting_is_off() -> None:
    """The shape of the body comes first, and exactly one target belongs to the shape."""
    both = attempt_with("gifting_disabled")
    both.body["friendCode"] = "ABCDEF"
    assert both.send().refusal == (400, "validation_failed")
    neither = attempt_with("gifting_disabled")
    del neither.body["externalPlayerId"]
    assert neither.send().refusal == (400, "validation_failed")


def test_ones_own_code_is_told_before_gifting_is_off() -> None:
    """Gifting oneself comes before the switch, by code as by id, in any case of letters."""
    attempt = attempt_with("gifting_disabled")
    assert _by_code(attempt, _code(attempt.sender).lower()).send().refusal == (400, "cannot_gift_self")


def test_an_unknown_code_is_told_after_gifting_is_off() -> None:
    """`friend_code_invalid` has the place of the unknown target."""
    assert _by_code(attempt_with("gifting_disabled"), "000000").send().refusal == (403, "gifting_disabled")
    assert _by_code(attempt_with(), "000000").send().refusal == (404, "friend_code_invalid")


def test_a_code_reaches_a_friend() -> None:
    """The friend-code target is `friendCode`, and finds the friend whatever the case."""
    attempt = attempt_with()
    give(attempt.sender, "gold", 10)
    reply = _by_code(attempt, _code(attempt.target).lower()).send()
    assert reply.status == 201
    assert reply["gift.player.externalPlayerId"] == "target"


# -- what belongs to `gift_not_allowed` and `gift_amount_invalid` -----------------------------------------------------------


def test_a_banned_target_cannot_be_gifted() -> None:
    """A banned friend refuses gifts with `gift_not_allowed`, before the amount is looked at."""
    attempt = attempt_with("gift_amount_invalid")
    ban(attempt.target)
    assert attempt.send().refusal == (403, "gift_not_allowed")


def test_a_resource_of_another_type_is_not_on_the_list() -> None:
    """The gift list names a type and a key; the key alone is not enough."""
    attempt = attempt_with()
    attempt.body["type"] = "item"
    assert attempt.send().refusal == (403, "gift_not_allowed")


def test_the_gift_list_starts_empty() -> None:
    """Switching gifting on alone sends nothing."""
    attempt = attempt_with()
    attempt.configure(resources=[])
    assert attempt.send().refusal == (403, "gift_not_allowed")


@pytest.mark.parametrize("amount", [0, -1, 101, 2**53, 2**64, -(2**64), 10**30, 1e30])
def test_any_integer_is_a_question_for_the_list(amount: float) -> None:
    """A gift's amount is any integer; whether it fits is `gift_amount_invalid` with the most that would."""
    attempt = attempt_with()
    attempt.body["amount"] = amount
    reply = attempt.send()
    assert reply.refusal == (400, "gift_amount_invalid")
    assert reply["details"] == {"maxAmount": 100}


@pytest.mark.parametrize("amount", [True, 1.5, "10", None])
def test_what_is_no_integer_is_a_question_of_shape(amount: Json) -> None:
    """Truth values, fractions and strings are no amounts."""
    attempt = attempt_with("gifting_disabled")
    attempt.body["amount"] = amount
    reply = attempt.send()
    assert reply.refusal == (400, "validation_failed")
    assert reply.fields == ["amount"]


def test_a_whole_float_is_an_amount() -> None:
    """`10.0` is ten."""
    attempt = attempt_with()
    give(attempt.sender, "gold", 10)
    attempt.body["amount"] = 10.0
    assert attempt.send()["gift.amount"] == 10


# -- details ----------------------------------------------------------------------------------------------------------------


def test_details_of_the_cooldown() -> None:
    """`giftCooldownUntil` and the message carry the exact time, as does the friends list."""
    attempt = attempt_with("gift_cooldown")
    reply = attempt.send()
    until = Timestamp(attempt.sender.world.now + DAY).wire
    assert reply["details"] == {"giftCooldownUntil": until}
    assert until in reply.text("message")
    assert ask(attempt.sender, "friends.list")["friends.0.giftCooldownUntil"] == until


def test_details_of_the_daily_limit() -> None:
    """The limit, how many were sent, and the next UTC midnight."""
    reply = attempt_with("gift_limit_reached").send()
    assert reply["details"] == {"dailySendLimit": 0, "sentToday": 0, "resetsAt": "2026-01-02T00:00:00.000Z"}


def test_the_limit_of_the_recipient_does_not_tell_what_they_received() -> None:
    """`details` has the game's limit and the end of the day, and nothing about the recipient."""
    reply = attempt_with("gift_receive_limit_reached").send()
    assert reply["details"] == {"dailyReceiveLimit": 0, "resetsAt": "2026-01-02T00:00:00.000Z"}


def test_details_of_the_balance() -> None:
    """What, how much, and how much there is."""
    attempt = attempt_with()
    give(attempt.sender, "gold", 4)
    assert attempt.send()["details"] == {"resource": "gold", "needed": 10, "have": 4}
