"""Reconciles ledgers: checks that every holding agrees with its entries, without relying on their order.

An entry is a step from one balance to another: from `balance - delta` to `balance`. The entries of one asset are therefore
the steps of one walk from 0 to the holding. Each balance is left as often as it is reached, except the first and the last.
Counting that needs no order of the entries. Their times give no order, because two entries may have the same time, and the
clock may have been set back. Balances that are left as often as reached are dropped, so the check holds only a few numbers
for each asset of a player.

Entries and holdings are both read in the order of the players, side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Final, TypeAlias

import attrs

from livecore.economy.ledger import ENTRIES, HOLDINGS, Entry, Holding
from livecore.kernel.storage.examination import Finding, Noted, Sums, Tally, View, in_key_order, walk
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.wire.shapes import MAX_AMOUNT

_BY_PLAYER: Final = Index(ENTRIES, "of_players", (), ("player_id", "at", "entry_id"))
_OWNER: Final = attrgetter("player_id")
_Row: TypeAlias = "Entry | Holding"


@attrs.define
class _Ledger:
    """One asset of one player: the holding, the sum of its entries, and the unmatched balances."""

    amount: int | None = None
    posted: int = 0
    uneven: dict[int, tuple[int, str]] = attrs.Factory(dict)
    """For each balance: how many more entries leave it than reach it, and the last entry that did either."""

    def add(self, entry: Entry) -> None:
        """Count an entry."""
        self.posted += entry.delta
        self._count(entry.balance - entry.delta, 1, entry.entry_id)
        self._count(entry.balance, -1, entry.entry_id)

    def _count(self, balance: int, step: int, entry_id: str) -> None:
        count, latest = self.uneven.pop(balance, (0, ""))
        if count + step:
            self.uneven[balance] = (count + step, entry_id or latest)

    def settle(self, key: Key) -> Iterator[Finding]:
        """What is wrong, after all rows were added; `key` is the holding's."""
        amount = self.amount or 0
        if self.amount is None:
            yield Finding(HOLDINGS.name, key, "is missing, and there are ledger entries for it")
        elif amount != self.posted:
            yield Finding(HOLDINGS.name, key, f"holds {amount}, and its entries sum up to {self.posted}")
        # The walk begins at 0 and ends at the sum.
        self._count(0, -1, "")
        self._count(self.posted, 1, "")
        for balance, (_, entry_id) in sorted(self.uneven.items()):
            if entry_id:
                yield Finding(ENTRIES.name, (entry_id,), f"the running balance does not follow at {balance}")


def _reconcile(view: View, noted: Noted, tally: Tally) -> Iterator[Finding]:
    """Every holding and every entry that does not agree with the rest.

    It counts `holdings` and `entries`, and sums up `held` and `posted`.
    """
    entries, holdings = walk(view, _BY_PLAYER, noted), walk(view, in_key_order(HOLDINGS), noted)
    both: Iterator[_Row] = merge(entries, holdings, key=_OWNER)
    for owner, rows in groupby(both, key=_OWNER):
        yield from _reconcile_player(owner, rows, tally)


def _reconcile_player(owner: str, rows: Iterator[_Row], tally: Tally) -> Iterator[Finding]:
    ledgers: dict[tuple[str, str], _Ledger] = {}
    for row in rows:
        ledger = ledgers.setdefault((row.asset_kind, row.asset_key), _Ledger())
        if isinstance(row, Holding):
            ledger.amount = row.amount
            tally["holdings"] += 1
            tally["held"] += row.amount
        else:
            ledger.add(row)
            tally["entries"] += 1
            tally["posted"] += row.delta
        yield from _impossible(row)
    for asset, ledger in ledgers.items():
        yield from ledger.settle((owner, *asset))


def _impossible(row: _Row) -> Iterator[Finding]:
    if isinstance(row, Holding):
        if not 0 <= row.amount <= MAX_AMOUNT:
            key = HOLDINGS.key_of(row)
            yield Finding(HOLDINGS.name, key, f"holds {row.amount}, which is not between 0 and {MAX_AMOUNT}")
        if row.amount == 0 and row.parameters is not None:
            yield Finding(HOLDINGS.name, HOLDINGS.key_of(row), "holds nothing, and has attributes of its own")
    elif not 0 <= row.balance <= MAX_AMOUNT:
        problem = f"leaves a balance of {row.balance}, which is not between 0 and {MAX_AMOUNT}"
        yield Finding(ENTRIES.name, (row.entry_id,), problem)


LEDGERS: Final = Sums(tables=(ENTRIES, HOLDINGS), check=_reconcile)
"""Every holding agrees with its entries."""
