"""Reconciles leaderboards: the order in which a store gives the entries of each board is that of a full sort of its rows.

The rows are read board by board in the order of their keys, and sorted anew in a ranking of its own; then both orders are
read side by side. So a board of a million entries takes some 50 MB.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from livecore.kernel.storage.examination import PAGE_ROWS, Finding, Noted, Sums, Tally, View, in_key_order, walk
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.tables import Key
from livecore.leaderboards.boards import BOARDS, BY_RANK, ENTRIES, BoardEntry, place_of
from livecore.leaderboards.ranking.order import Ranking

_BOARD: Final = attrgetter("board_id")


def _check(view: View, noted: Noted, _: Tally) -> Iterator[Finding]:
    for board_id, entries in groupby(walk(view, in_key_order(ENTRIES), noted), key=_BOARD):
        yield from _compared(view, board_id, entries)


def _compared(view: View, board_id: str, entries: Iterator[BoardEntry]) -> Iterator[Finding]:
    sorted_anew = Ranking()
    for entry in entries:
        place = place_of(entry)
        if place is not None:
            sorted_anew.insert(place)
    rank, after = 1, None
    while True:
        rows = _page(view, board_id, after)
        for row, place in zip(rows, sorted_anew.page(rank, len(rows)), strict=False):
            if place_of(row) != place:
                yield Finding(BOARDS.name, (board_id,), f"gives another entry at rank {rank} than a full sort does")
                return
            rank += 1
        if len(rows) < PAGE_ROWS:
            break
        after = BY_RANK.position_of(rows[-1])
    if rank != len(sorted_anew) + 1:
        yield Finding(BOARDS.name, (board_id,), f"gives {rank - 1} entries in order, and has {len(sorted_anew)}")


def _page(view: View, board_id: str, after: Key | None) -> list[Any]:
    return view().scan(Scan(BY_RANK, (board_id,), after=after, limit=PAGE_ROWS))


RANKED: Final = Sums(tables=(ENTRIES,), check=_check)
"""Every board in the order of a full sort."""
