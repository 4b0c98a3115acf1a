"""The social area: friends, blocks, and gifts between friends."""

from __future__ import annotations

from typing import Final

from livecore.economy import grants
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.social import (
    claims,
    config,
    exports,
    forgetting,
    gift_days,
    gifts,
    policies,
    refusals,
    rows,
    soundness,
    timeline,
    webhook_events,
)
from livecore.social.codes import USED_CODES
from livecore.social.gift_days import GIFT_DAYS_RECEIVED
from livecore.social.gifts import GIFT_DAYS, GIFTS, SWITCHES
from livecore.social.relations import RELATIONS

AREA: Final = Area(
    name="social",
    tables=(RELATIONS, USED_CODES, GIFTS, GIFT_DAYS, GIFT_DAYS_RECEIVED, SWITCHES),
    tags={"friends": "Friends, friend requests and blocks.", "gifts": "Gifts between friends."},
    refusals=refusals_in(refusals),
    events={
        "Friends and gifts": (
            webhook_events.FriendRequestSent,
            webhook_events.FriendRequestAccepted,
            webhook_events.FriendRemoved,
            webhook_events.GiftSent,
            webhook_events.GiftClaimed,
        )
    },
    # A grant may deliver a gift, which expires with it.
    due={grants.EXPIRE: claims.expire_due},
    jobs=(forgetting.FORGET,),
    rules=soundness.RULES,
    folds={
        RELATIONS: policies.unite_relations,
        GIFT_DAYS: policies.unite_gift_days,
        GIFT_DAYS_RECEIVED: gift_days.unite_received_days,
    },
    erases={GIFTS: policies.end_pending_gifts},
    exports={
        "friends": Export(rows.ExportedFriend, exports.exported_friends),
        "friendRequests": Export(rows.ExportedFriendRequest, exports.exported_requests),
        "blocks": Export(rows.ExportedBlock, exports.exported_blocks),
        "gifts": Export(rows.ExportedGift, exports.exported_gifts),
    },
    prepare=gifts.note_switched_on,
    timeline=timeline.SOURCES,
    advice=config.advice_on,
)
