"""Subscriptions: which lists of kinds are taken, and what they cover."""

from __future__ import annotations

import pytest

from livecore.api.areas import AREAS
from livecore.kernel.errors import ValidationFailed
from livecore.webhooks.subscription import check_subscription, is_subscribed


def test_kinds_come_back_once_in_the_catalogs_order() -> None:
    """However somebody lists them, the same subscription is stored the same."""
    given = ["gift.sent", "player.banned", "gift.sent", "friend.removed"]
    assert check_subscription(given, AREAS.events) == ("player.banned", "friend.removed", "gift.sent")


@pytest.mark.parametrize("events", [["*"], ["gift.sent", "*"], ["*", "*"]])
def test_star_absorbs_everything(events: list[str]) -> None:
    """Everything and something is everything, kinds of tomorrow included."""
    assert check_subscription(events, AREAS.events) == ("*",)
    assert all(is_subscribed(("*",), kind) for kind in [*AREAS.events, "gift.lost"])


def test_a_subscription_covers_what_it_names() -> None:
    """An endpoint gets the kinds that it asked for, and no kind that only begins alike."""
    assert is_subscribed(("gift.sent",), "gift.sent")
    assert not is_subscribed(("gift.sent",), "gift.claimed")
    assert not is_subscribed((), "gift.sent")


def test_every_unknown_kind_is_named() -> None:
    """All faults are told at once, each by its place."""
    with pytest.raises(ValidationFailed) as caught:
        check_subscription(["gift.sent", "gift.*", "", "GIFT.SENT"], AREAS.events)
    assert caught.value.details["fields"] == {
        "events[1]": "is no kind of event",
        "events[2]": "is no kind of event",
        "events[3]": "is no kind of event",
    }


def test_an_empty_subscription_is_refused() -> None:
    """An endpoint that would never hear anything is a mistake."""
    with pytest.raises(ValidationFailed):
        check_subscription([], AREAS.events)
