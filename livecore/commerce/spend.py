"""Spend: that of one player, and players ordered by spend.

A window is the last N times 24 hours. Whole UTC days in it are read from the sums by day, its first, partial day from the
purchases themselves. Comparisons leave out debug accounts at each read, so that flagging and unflagging also apply to the
past; a debug account's own spend is still shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple, TypeAlias, cast

from livecore.commerce.rows import GetPlayerSpend, ListSpenders, PlayerSpend, Spender, Spenders, SpendWindow
from livecore.commerce.totals import (
    PURCHASES_BY_TIME,
    PURCHASES_OF_PLAYER,
    SPEND_BY_DAY,
    SPEND_DAYS_OF_PLAYER,
    SPEND_TOTALS,
    TOP_SPENDERS,
    Purchase,
    SpendDay,
    SpendTotal,
    total_in,
    verified_cents,
)
from livecore.kernel.storage.reads import Count, Get, Scan, Sums
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Value
from livecore.kernel.time import DAY, Millis, Timestamp, day_number
from livecore.kernel.units.unit import Unit
from livecore.players.identity import display
from livecore.players.moderation import ALL_DEBUG_ACCOUNTS, DebugAccount
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.refusals import PlayerNotFound


class _Spent(NamedTuple):
    """What was spent by some purchases, in US cents: all of it, and the verified part."""

    cents: int
    purchases: int
    verified_cents: int


_Ranked: TypeAlias = "tuple[int, str]"
"""An amount and its player, so that equal amounts also have an order."""


def get_player_spend(unit: Unit, args: GetPlayerSpend) -> PlayerSpend:
    """What a player has spent in total and in each window, also for a debug account."""
    player_id = acting(unit).player_id
    begins = [unit.now - days * DAY for days in args.windows]
    (found,), parts, days = unit.tx.read_lists(
        [Get(SPEND_TOTALS, (player_id,))],
        [_parts_since(player_id, since) for since in begins],
        [_days_since(player_id, since) for since in begins],
    )
    total = total_in(found, player_id)
    spent = total.purchases > 0
    return PlayerSpend(
        lifetime_amount_minor=total.cents,
        purchase_count=total.purchases,
        verified_amount_minor=total.verified_cents,
        first_purchase_at=Timestamp(total.first_at) if spent else None,
        last_purchase_at=Timestamp(total.last_at) if spent else None,
        windows=tuple(map(_window, args.windows, map(_added_up, parts, days))),
    )


def _window(days: int, spent: _Spent) -> SpendWindow:
    return SpendWindow(
        days=days, amount_minor=spent.cents, purchase_count=spent.purchases, verified_amount_minor=spent.verified_cents
    )


def _parts_since(player_id: str, since: Millis) -> Scan[Purchase]:
    """The purchases of a player on the partial day with which a window from `since` on begins."""
    return Scan(PURCHASES_OF_PLAYER, (player_id,), start=(since,), stop=(_first_whole_day(since) * DAY,))


def _days_since(player_id: str, since: Millis) -> Scan[SpendDay]:
    """The sums of a player's whole days in a window from `since` on."""
    return Scan(SPEND_DAYS_OF_PLAYER, (player_id,), start=(_first_whole_day(since),))


def _added_up(parts: Iterable[Purchase], days: Iterable[SpendDay]) -> _Spent:
    """What a player has spent in a window, from the purchases of its partial day and the sums of its whole days."""
    cents = purchases = verified = 0
    for purchase in parts:
        cents, purchases, verified = cents + purchase.cents, purchases + 1, verified + verified_cents(purchase)
    for day in days:
        cents, purchases, verified = cents + day.cents, purchases + day.purchases, verified + day.verified_cents
    return _Spent(cents, purchases, verified)


def _first_whole_day(since: Millis) -> int:
    """The first UTC day that is completely in a window from `since` on."""
    return day_number(since + DAY - 1)


# -- players by what they spent -------------------------------------------------------------------------------------------


def list_spenders(unit: Unit, args: ListSpenders) -> Spenders:
    """Players who spent at least the given amount, largest first."""
    if args.window_days is None:
        total, totals = _ranked_ever(unit.tx, args)
        players = unit.tx.read_all(Get(PLAYERS, (spent.player_id,)) for spent in totals)
        rows = tuple(map(_spender, players, totals))
    else:
        since = unit.now - args.window_days * DAY
        total, ranked = _ranked(*_spent_by_player(unit.tx, since, unit.now), args)
        rows = tuple(_spenders_since(unit.tx, ranked, since))
    return Spenders(players=rows, total=total, limit=args.limit, offset=args.offset)


def _ranked_ever(tx: Transaction, args: ListSpenders) -> tuple[int, list[SpendTotal]]:
    least, reach = (args.min_amount_minor,), args.offset + args.limit
    total, found, accounts = tx.read_together(
        Count(TOP_SPENDERS, (), start=least),
        Scan(TOP_SPENDERS, (), start=least, reverse=True, limit=reach),
        ALL_DEBUG_ACCOUNTS,
    )
    if not accounts:
        return total, found[args.offset :]
    # Read enough rows even if all debug accounts are among them; their totals are read at the same time.
    beyond = [] if len(found) < reach else [TOP_SPENDERS.position_of(found[-1])]
    further, of_accounts = tx.read_lists(
        [Scan(TOP_SPENDERS, (), start=least, stop=last, reverse=True, limit=len(accounts)) for last in beyond],
        [Get(SPEND_TOTALS, (account.player_id,)) for account in accounts],
    )
    left_out = {row.player_id for row in of_accounts if row is not None and row.cents >= args.min_amount_minor}
    ranked = [row for rows in (found, *further) for row in rows if row.player_id not in left_out]
    return total - len(left_out), ranked[args.offset : reach]


def _ranked(spent: dict[str, int], left_out: Iterable[DebugAccount], args: ListSpenders) -> tuple[int, list[_Ranked]]:
    for account in left_out:
        spent.pop(account.player_id, None)
    enough = [amount for amount in spent.values() if amount >= args.min_amount_minor]
    if not enough:
        return 0, []
    reach = args.offset + args.limit
    # Select by amount first: comparing pairs of amount and player for all players takes twice as long.
    least = nlargest(reach, enough)[-1]
    ranked = sorted(((amount, player_id) for player_id, amount in spent.items() if amount >= least), reverse=True)
    return len(enough), ranked[args.offset : reach]


def _spent_by_player(tx: Transaction, since: Millis, now: Millis) -> tuple[dict[str, int], list[DebugAccount]]:
    """What every player has spent from `since` on, and the debug accounts, whose rows it includes.

    It is added up by day, because the sums of a past day hardly ever change.
    """
    first_day = _first_whole_day(since)
    parts = Sums(PURCHASES_BY_TIME, (), of="cents", by="player_id", start=(since,), stop=(first_day * DAY,))
    # A purchase may be dated up to a day ahead.
    days = range(first_day, day_number(now) + 2)
    of_days = (Sums(SPEND_BY_DAY, (day,), of="cents", by="player_id") for day in days)
    spent: dict[Value, int] = {}
    (accounts,), found = tx.read_lists([ALL_DEBUG_ACCOUNTS], [parts, *of_days])
    for sums in found:
        for player_id, cents in sums.items():
            spent[player_id] = spent.get(player_id, 0) + cents
    return cast("dict[str, int]", spent), accounts


def _spenders_since(tx: Transaction, ranked: Sequence[_Ranked], since: Millis) -> Iterator[Spender]:
    """Players as spenders of a window. If a window has purchases of a player, it has the last one."""
    ids = [PlayerId(player_id) for _, player_id in ranked]
    players, totals, parts, days = tx.read_lists(
        [Get(PLAYERS, (player_id,)) for player_id in ids],
        [Get(SPEND_TOTALS, (player_id,)) for player_id in ids],
        [_parts_since(player_id, since) for player_id in ids],
        [_days_since(player_id, since) for player_id in ids],
    )
    windows = map(_added_up, parts, days)
    for (cents, player_id), player, ever, spent in zip(ranked, players, totals, windows, strict=True):
        total = total_in(ever, PlayerId(player_id))
        yield _spender(
            player, evolve(total, cents=cents, purchases=spent.purchases, verified_cents=spent.verified_cents)
        )


def _spender(player: Player | None, spent: SpendTotal) -> Spender:
    if player is None:
        raise PlayerNotFound
    return Spender(
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        amount_minor=spent.cents,
        purchase_count=spent.purchases,
        verified_amount_minor=spent.verified_cents,
        last_purchase_at=Timestamp(spent.last_at),
    )
