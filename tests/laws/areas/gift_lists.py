"""The lists of gifts: inbox, sent, what the studio sees of both, and what can be given at all (specification 2.11)."""

from __future__ import annotations

from typing import Any, Final

from tests.laws.area import Area, Operation, Pages, plainly
from tests.laws.areas.gifts import Gifts, Sent, gifting_of, is_gift
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Reply, day_of, newest_first
from tests.laws.routes import Body
from tests.laws.steps import Step


def _box(call: Call, *, received: bool, with_grant: bool = False) -> Reply:
    gifts = {
        id_: gift
        for id_, gift in call.scope.part(Gifts).by_id.items()
        if (gift.recipient if received else gift.sender) == call.player
        and (gift.grant.status == "pending" or not call["pendingOnly"])
    }

    def check(data: Body) -> None:
        assert {row["giftId"] for row in data["gifts"]} == set(gifts)
        newest_first(row["sentAt"] for row in data["gifts"])
        for row in data["gifts"]:
            gift = gifts[row["giftId"]]
            is_gift(row, gift, outgoing=not received)
            assert row.get("grantStatus") == (gift.grant.status if with_grant else None)

    return Reply(check=check)


def _catalog(call: Call) -> Reply:
    """The gift list and today's count."""
    gifting = gifting_of(call.scope)

    def check(data: Body) -> None:
        assert (data["cooldownSeconds"], data["dailySendLimit"]) == (
            gifting["cooldownSeconds"],
            gifting["dailySendLimit"],
        )
        assert data["sentToday"] == call.me.part(Sent).on.get(day_of(call.now), 0)
        assert data["resources"] == (gifting["resources"] if gifting["enabled"] else [])

    return Reply(check=check)


def _pending_only(d: Draw) -> dict[str, Any]:
    return {"pendingOnly": True} if d.one_in(2) else {}


def _ill_formed(d: Draw) -> list[Step]:
    return [d.call("sdk:gifts.inbox", d.one(), limit=201)]


AREA: Final = Area(
    operations=(
        Operation(
            "sdk:gifts.inbox",
            lambda call: _box(call, received=True),
            read_with=_pending_only,
            refuses="validation_failed",
            seldom="gifting_disabled",
            pages=Pages("gifts", ({}, {"pendingOnly": True})),
        ),
        Operation(
            "sdk:gifts.sent",
            lambda call: _box(call, received=False),
            read_with=_pending_only,
            seldom="gifting_disabled",
            pages=Pages("gifts", ({}, {"pendingOnly": True})),
        ),
        Operation(
            "server:gifts.list",
            lambda call: _box(call, received=call["direction"] != "sent", with_grant=True),
            read_with=lambda d: {"direction": d.of("sent", "received")},
            seldom="gifting_disabled",
            pages=Pages("gifts", ({"direction": "received"}, {"direction": "sent"})),
        ),
        Operation("sdk:gifts.catalog", _catalog, read_with=plainly),
    ),
    ill_formed=_ill_formed,
)
