"""Counts or gives back all pending paid gifts of a scope, a page at a time.

A pending paid gift holds what its sender paid. If the service no longer keeps wallets, neither a claim nor an expiry can
pay it out. So a game that changes its economy mode gives all of them back first (`livecore.api.operating.configuring`).

Every pending paid gift has due work: at its expiry or, for a gift without expiry, at `NEVER`. The pages of this due work
are read in the order of time, each in its own unit, so that no unit takes long.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from livecore.economy.grants import EXPIRE, GRANTS
from livecore.kernel.declarations.jobs import MOST_ROWS
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.due import DUE_BY_TIME
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.social.claims import bring_for_ending, can_be_given_back, end_now
from livecore.social.config import social_config
from livecore.social.gifts import GIFTS, PAID_GIFTS_CLOSED, SWITCHES, Gift, Switch

_AT_ONCE: Final = MOST_ROWS
_Cursor: TypeAlias = "Key | None"


@value
class RefundProgress:
    """How many paid gifts of a page are still pending, how many it has given back, and where the next page begins."""

    pending: int
    given_back: int
    after: Key | None


def close_paid_gifts(unit: Unit) -> None:
    """From now on refuse gifts that cost the sender, whatever configuration the request uses."""
    if unit.tx.get(SWITCHES, PAID_GIFTS_CLOSED) is None:
        unit.tx.insert(SWITCHES, Switch(name=PAID_GIFTS_CLOSED, at=unit.now))


def open_paid_gifts(unit: Unit) -> None:
    """Let gifts cost the sender again, where the service manages the economy."""
    if social_config(unit).platform_managed and unit.tx.get(SWITCHES, PAID_GIFTS_CLOSED) is not None:
        unit.tx.delete(SWITCHES, PAID_GIFTS_CLOSED)


def count_page(unit: Unit, after: _Cursor) -> RefundProgress:
    """Count the pending paid gifts on the page after `after`."""
    found, following = _page(unit.tx, after)
    return RefundProgress(len(found), 0, following)


def give_page_back(unit: Unit, after: _Cursor) -> RefundProgress:
    """End the gifts on the page after `after` and refund each amount; a gift whose sender has no room stays pending."""
    found, following = _page(unit.tx, after)
    bring_for_ending(unit, found)
    given_back = 0
    for gift in found:
        if can_be_given_back(unit, gift):
            end_now(unit, gift)
            given_back += 1
    return RefundProgress(len(found) - given_back, given_back, following)


def _page(tx: Transaction, after: _Cursor) -> tuple[list[Gift], _Cursor]:
    works = tx.scan(DUE_BY_TIME, after=after, limit=_AT_ONCE)
    grant_ids = [work.ref for work in works if work.kind == EXPIRE]
    granted = tx.read_all(Get(GRANTS, (grant_id,)) for grant_id in grant_ids)
    gift_ids = [grant.gift_id for grant in granted if grant is not None and grant.gift_id is not None]
    gifts = tx.read_all(Get(GIFTS, (gift_id,)) for gift_id in gift_ids)
    found = [gift for gift in gifts if gift is not None and gift.paid and gift.status == "pending"]
    return found, DUE_BY_TIME.position_of(works[-1]) if len(works) == _AT_ONCE else None
