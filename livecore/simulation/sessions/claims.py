"""Taking what waits: grants, gifts and crates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from livecore.economy.rows import GrantRow, RewardEntry
from livecore.simulation.behaviour import Me

_MOST_CLAIMED = 20
"""How much a player takes in one session; who was away long comes again."""


def collect(me: Me) -> Iterator[float]:
    """Claim what is pending, open crates, and take what was in them."""
    pending = me.do("grants.listPending")
    if not pending.ok or not pending.row.grants:
        return
    yield me.wait("claim", 2, 10)
    for grant in pending.row.grants[:_MOST_CLAIMED]:
        if grant.kind == "crate":
            yield from _open(me, grant.grant_id)
        elif grant.source_kind == "gift" and grant.source_ref_id is not None:
            if me.do("gifts.claim", gift_id=grant.source_ref_id).ok:
                received(me, grant.entries)
        else:
            _take(me, grant)


def _take(me: Me, grant: GrantRow) -> None:
    """Claim a grant; where the studio keeps the wallets, its backend books and acknowledges it."""
    if me.do("grants.claim", grant_id=grant.grant_id).ok:
        received(me, grant.entries)
        if not me.game.managed:
            me.backend("grants.ack", grant_id=grant.grant_id)


def _open(me: Me, crate_id: str) -> Iterator[float]:
    if not me.chance("open-crate", me.traits.activities.crates):
        return
    yield me.wait("open", 2, 8)
    opened = me.do("crates.open", crate_id=crate_id)
    if opened.ok:
        _take(me, opened.row.grant)


def received(me: Me, entries: Iterable[RewardEntry]) -> None:
    """Remember what came."""
    for entry in entries:
        if entry.type == "currency":
            me.known.got(entry.resource_key, entry.amount)
        elif entry.type == "item":
            me.known.got_item(entry.resource_key, entry.amount)


def look_at_crates(me: Me) -> Iterator[float]:
    """Look at the crates that one holds, and at what may be in one."""
    held = me.do("crates.list").row.crates
    key = held[0].crate_key if held else me.choose("odds", me.game.config.crates).key
    yield me.wait("odds", 3, 10)
    me.do("crates.odds", key=key)
