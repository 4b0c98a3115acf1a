"""Spend: that of one player, and players ordered by spend.

A window is the last N times 24 hours. Whole UTC days in it are read from the sums by day, its first, partial day from the
purchases themselves. Comparisons leave out debug accounts at each read, so that flagging and unflagging also apply to the
past; a debug account's own spend is still shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import chain
from typing import NamedTuple, TypeAlias, cast

from livecore.commerce.rows import GetPlayerSpend, ListSpenders, PlayerSpend, Spender, Spenders, SpendWindow
from livecore.commerce.totals import (
    PURCHASES_BY_TIME,
    PURCHASES_OF_PLAYER,
    SPEND_BY_DAY,
    SPEND_DAYS_OF_PLAYER,
    SPEND_TOTALS,
    TOP_SPENDERS,
    SpendTotal,
    of_player,
    verified_cents,
)
from livecore.kernel.reads import Count, Get, Scan, Sums
from livecore.kernel.records import PlayerId, evolve
from livecore.kernel.shapes import Timestamp
from livecore.kernel.store import Transaction, Wanted
from livecore.kernel.tables import Value
from livecore.kernel.time import DAY, Millis, day_number
from livecore.kernel.unit import Unit
from livecore.players.identity import display
from livecore.players.moderation import debug_accounts, debug_accounts_ahead
from livecore.players.player import PLAYERS, acting, by_id

__all__ = ["get_player_spend", "list_spenders"]


class _Spent(NamedTuple):
    """What was spent by some purchases, in US cents: all of it, and the verified part."""

    cents: int
    purchases: int
    verified_cents: int


_Ranked: TypeAlias = "tuple[int, str]"
"""An amount and its player, so that equal amounts also have an order."""


def _since_ahead(player_id: str, since: Millis) -> Iterator[Wanted]:
    whole = _first_whole_day(since)
    yield Scan(PURCHASES_OF_PLAYER, (player_id,), start=(since,), stop=(whole * DAY,))
    yield Scan(SPEND_DAYS_OF_PLAYER, (player_id,), start=(whole,))


def get_player_spend(unit: Unit, args: GetPlayerSpend) -> PlayerSpend:
    """What a player has spent in total and in each window, also for a debug account."""
    player = acting(unit)
    total = of_player(unit.tx, player.player_id)
    spent = total.purchases > 0
    return PlayerSpend(
        lifetime_amount_minor=total.cents,
        purchase_count=total.purchases,
        verified_amount_minor=total.verified_cents,
        first_purchase_at=Timestamp(total.first_at) if spent else None,
        last_purchase_at=Timestamp(total.last_at) if spent else None,
        windows=tuple(_window(unit, player.player_id, days) for days in args.windows),
    )


def _window(unit: Unit, player_id: PlayerId, days: int) -> SpendWindow:
    spent = _spent_since(unit.tx, player_id, unit.now - days * DAY)
    return SpendWindow(
        days=days, amount_minor=spent.cents, purchase_count=spent.purchases, verified_amount_minor=spent.verified_cents
    )


def _spent_since(tx: Transaction, player_id: PlayerId, since: Millis) -> _Spent:
    """What a player has spent from `since` on."""
    whole = _first_whole_day(since)
    parts = tx.scan(PURCHASES_OF_PLAYER, player_id, start=(since,), stop=(whole * DAY,))
    days = tx.scan(SPEND_DAYS_OF_PLAYER, player_id, start=(whole,))
    verified = sum(map(verified_cents, parts)) + sum(day.verified_cents for day in days)
    amount = sum(purchase.cents for purchase in parts) + sum(day.cents for day in days)
    return _Spent(amount, len(parts) + sum(day.purchases for day in days), verified)


def _first_whole_day(since: Millis) -> int:
    """The first UTC day that is completely in a window from `since` on."""
    return day_number(since + DAY - 1)


# -- players by what they spent -------------------------------------------------------------------------------------------


def list_spenders(unit: Unit, args: ListSpenders) -> Spenders:
    """Players who spent at least the given amount, largest first."""
    if args.window_days is None:
        total, ranked = _ranked_ever(unit.tx, args)
        unit.tx.prefetch(_reads_of(ranked))
        rows = [_spender(unit, of_player(unit.tx, PlayerId(player_id))) for _, player_id in ranked]
    else:
        since = unit.now - args.window_days * DAY
        total, ranked = _ranked(_spent_by_player(unit.tx, since, unit.now), args, debug_accounts(unit.tx))
        unit.tx.prefetch(_reads_of(ranked, since))
        rows = [_spender_since(unit, amount, PlayerId(player_id), since) for amount, player_id in ranked]
    return Spenders(players=tuple(rows), total=total, limit=args.limit, offset=args.offset)


def _reads_of(ranked: Iterable[_Ranked], since: Millis | None = None) -> Iterator[Wanted]:
    """The reads for the rows of a page."""
    for _, player_id in ranked:
        yield Get(PLAYERS, (player_id,))
        yield Get(SPEND_TOTALS, (player_id,))
        if since is not None:
            yield from _since_ahead(player_id, since)


def _ranked_ever(tx: Transaction, args: ListSpenders) -> tuple[int, list[_Ranked]]:
    least = (args.min_amount_minor,)
    tx.prefetch([debug_accounts_ahead(), Count(TOP_SPENDERS, (), start=least)])
    accounts = debug_accounts(tx)
    # Read enough rows even if all debug accounts are among them; their totals are read at the same time.
    reach = args.offset + args.limit + len(accounts)
    of_top: Wanted = Scan(TOP_SPENDERS, (), start=least, reverse=True, limit=reach)
    tx.prefetch(chain([of_top], (Get(SPEND_TOTALS, (account,)) for account in accounts)))
    left_out = {
        account for account in accounts if of_player(tx, account).cents >= args.min_amount_minor
        and tx.get(SPEND_TOTALS, account) is not None
    }  # fmt: skip
    total = tx.count(TOP_SPENDERS, start=least) - len(left_out)
    found = tx.scan(TOP_SPENDERS, start=least, reverse=True, limit=reach)
    ranked = [(row.cents, str(row.player_id)) for row in found if row.player_id not in left_out]
    return total, ranked[args.offset : args.offset + args.limit]


def _ranked(spent: dict[str, int], args: ListSpenders, left_out: Iterable[PlayerId]) -> tuple[int, list[_Ranked]]:
    for account in left_out:
        spent.pop(account, None)
    enough = [amount for amount in spent.values() if amount >= args.min_amount_minor]
    if not enough:
        return 0, []
    reach = args.offset + args.limit
    # Select by amount first: comparing pairs of amount and player for all players takes twice as long.
    least = nlargest(reach, enough)[-1]
    ranked = sorted(((amount, player_id) for player_id, amount in spent.items() if amount >= least), reverse=True)
    return len(enough), ranked[args.offset : reach]


def _spent_by_player(tx: Transaction, since: Millis, now: Millis) -> dict[str, int]:
    """What every player has spent from `since` on: by day, because the sums of a past day hardly ever change."""
    whole = _first_whole_day(since)
    parts = Sums(PURCHASES_BY_TIME, (), of="cents", by="player_id", start=(since,), stop=(whole * DAY,))
    # A purchase may be dated up to a day ahead.
    days = range(whole, day_number(now) + 2)
    of_days = (Sums(SPEND_BY_DAY, (day,), of="cents", by="player_id") for day in days)
    tx.prefetch([debug_accounts_ahead()])
    spent: dict[Value, int] = {}
    for sums in tx.read_all([parts, *of_days]):
        for player_id, cents in sums.items():
            spent[player_id] = spent.get(player_id, 0) + cents
    return cast("dict[str, int]", spent)


def _spender_since(unit: Unit, amount: int, player_id: PlayerId, since: Millis) -> Spender:
    """A player as a spender of a window. If a window has purchases of a player, it has the last one."""
    spent = _spent_since(unit.tx, player_id, since)
    ever = of_player(unit.tx, player_id)
    return _spender(unit, evolve(
        ever, cents=amount, purchases=spent.purchases, verified_cents=spent.verified_cents
    ))  # fmt: skip


def _spender(unit: Unit, spent: SpendTotal) -> Spender:
    player = by_id(unit, spent.player_id)
    return Spender(
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        amount_minor=spent.cents,
        purchase_count=spent.purchases,
        verified_amount_minor=spent.verified_cents,
        last_purchase_at=Timestamp(spent.last_at),
    )
