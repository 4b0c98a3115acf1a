"""Exact ranks on a board: an index of places that counts, for any place, how many stand before it.

A place is what a board sorts by: the sort key, then who reached it first, then the id. It is packed into 46 bytes that sort
as the place does, and kept in a record (`livecore.leaderboards.ranking.records`). The numbers of the records lie in sorted
runs of at most 512. A Fenwick tree over the lengths of the runs gives how many places stand before a run, so a rank takes a
few microseconds whatever the size of the board. So does a change, but for one in some hundreds that divides or joins runs
and builds the tree again.

    ranking = Ranking()
    ranking.insert(Place(-1_200, reached_at, "plr_1"))     # more is better, so the score is negated
    ranking.rank(Place(-1_200, reached_at, "plr_1"))       # 1

Rows that change while the index is loaded, and notices of changes, are the business of
`livecore.leaderboards.ranking.replica`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple

from livecore.kernel.time import Millis
from livecore.leaderboards.ranking.records import ENTRY_BYTES, MASK, RECORD_BYTES, SCORE_BYTES, SHIFT, Records

MOST_SORT_KEY: Final = 2**53 - 1
"""The largest size of a sort key, negative or positive: every JSON reader holds it exactly."""
MOST_REACHED_AT: Final = 2**53
MOST_PARTICIPANT_BYTES: Final = 32
MOST_OF_A_PIECE: Final = 1_000
"""How many places are loaded in one step."""

_BIAS: Final = 2**53
"""Added to a sort key, so that no packed one is negative. A packed sort key is never 0."""
_INSTANT_BITS: Final = 56
_INSTANT: Final = 2**_INSTANT_BITS - 1
_MOST: Final = 512
"""The most places of a run. Twice as many would cost one step more in a search, half as many a larger tree."""
_DIVIDED: Final = _MOST * 3 // 4
"""The most places of a run that is new. It has room, so that the next places do not divide every run of a loaded board."""
_FEW: Final = _MOST // 4
"""A run with fewer places is joined with a neighbour, if both together have room."""


class Place(NamedTuple):
    """Where a participant stands on a board. Places are ordered as tuples; the least one is the first of the board."""

    sort_key: int
    """The score, negated where more is better: at most `MOST_SORT_KEY` in size."""
    reached_at: Millis
    participant: str
    """An id: ASCII text of 1 to 32 bytes without a null byte."""


def pack(place: tuple[int, Millis, str]) -> bytes:
    """A place as 46 bytes that sort as places do. Raises `ValueError` for a value that does not fit."""
    return pack_score(place) + pack_participant(place[2])


def pack_score(place: tuple[int, Millis, str]) -> bytes:
    """The first 14 bytes of a packed place, without the id. Raises `ValueError` for a value that does not fit."""
    sort_key, reached_at, _ = place
    if not -MOST_SORT_KEY <= sort_key <= MOST_SORT_KEY:
        raise ValueError(f"a sort key is beyond {MOST_SORT_KEY} in size")
    if not 0 <= reached_at <= MOST_REACHED_AT:
        raise ValueError(f"an instant is not within 0 to {MOST_REACHED_AT}")
    return ((sort_key + _BIAS) << _INSTANT_BITS | reached_at).to_bytes(SCORE_BYTES)


def pack_participant(participant: str) -> bytes:
    """An id as the last 32 bytes of a packed place. Raises `ValueError` for one that does not fit."""
    if not 1 <= len(participant) <= MOST_PARTICIPANT_BYTES or "\0" in participant or not participant.isascii():
        raise ValueError(f"an id is not ASCII text of 1 to {MOST_PARTICIPANT_BYTES} bytes without a null byte")
    # It is filled up with null bytes, which come before every other byte, as the end of a text does.
    return participant.encode().ljust(MOST_PARTICIPANT_BYTES, b"\0")


def unpack(entry: bytes) -> Place:
    """The place that `pack` has packed."""
    score = int.from_bytes(entry[:SCORE_BYTES])
    participant = entry[SCORE_BYTES:].rstrip(b"\0").decode()
    return Place((score >> _INSTANT_BITS) - _BIAS, score & _INSTANT, participant)


def first_rank_around(rank: int, size: int, limit: int) -> int:
    """The first rank of a page with `rank` in its middle, moved so that the page is full where the board is large enough."""
    return max(1, min(rank - limit // 2, size - limit + 1))


class Ranking:
    """The places of one board in their order. Ranks count from 1 and have no ties."""

    __slots__ = ("_owns_records", "_records", "_runs", "_size", "_starts", "_tree")

    def __init__(self, records: Records | None = None) -> None:
        """`records` has the places of the numbers that are put in; without them the ranking has its own."""
        self._records = Records() if records is None else records
        self._owns_records = records is None
        self._runs = [array("I")]
        self._starts: list[bytes] = [b""]
        """For each run a lower bound of its entries that is greater than every entry of the runs before."""
        self._tree: list[int] | None = None
        """Fenwick tree over the lengths of the runs, from index 1; `None` until it is needed after runs came or went."""
        self._size = 0

    def __len__(self) -> int:
        return self._size

    # -- looking

    def rank(self, place: Place) -> int:
        """One more than the number of places before this one, whether or not it is in."""
        return self.rank_packed(pack(place))

    def rank_packed(self, entry: bytes) -> int:
        """`rank` for a place that is packed already."""
        at = bisect_right(self._starts, entry) - 1
        return self._before(at) + self._search(self._runs[at], entry) + 1

    def at(self, rank: int) -> Place:
        """The place with this rank. Raises `IndexError` where there is none."""
        if not 1 <= rank <= self._size:
            raise IndexError(f"no place has the rank {rank}")
        at, offset = self._find(rank - 1)
        return unpack(self._records.entry(self._runs[at][offset]))

    def page(self, first_rank: int, limit: int) -> list[Place]:
        """The places from this rank on, at most `limit`. Raises `ValueError` for a rank below 1."""
        if first_rank < 1:
            raise ValueError("ranks count from 1")
        return [] if first_rank > self._size else self._read(*self._find(first_rank - 1), limit)

    def after(self, place: Place, limit: int) -> list[Place]:
        """The places after this one, whether or not it is in, at most `limit`."""
        entry = pack(place)
        at, offset, found = self._sought(entry)
        return self._read(at, offset + (found is not None), limit)

    @property
    def memory_bytes(self) -> int:
        """About how much memory the index needs, without records that are not its own.

        After many changes the process may hold half as much again, because freed memory is reused only in part.
        """
        # An array that has grown keeps a sixteenth of its size in reserve. For each run there are two objects, the entry at
        # its start, two references to them and a number of the tree.
        own = self._records.memory_bytes if self._owns_records else 0
        return self._size * 17 // 4 + len(self._runs) * 220 + own

    def _read(self, at: int, offset: int, limit: int) -> list[Place]:
        places: list[Place] = []
        entry = self._records.entry
        while len(places) < limit and at < len(self._runs):
            numbers = self._runs[at][offset : offset + limit - len(places)]
            places += [unpack(entry(number)) for number in numbers]
            at, offset = at + 1, 0
        return places

    # -- changing

    def insert(self, place: Place) -> bool:
        """Add a place; returns whether it was not there yet."""
        entry = pack(place)
        if self._sought(entry)[2] is not None:
            return False
        self.insert_packed(entry, self._records.add(entry, 0))
        return True

    def remove(self, place: Place) -> bool:
        """Remove a place; returns whether it was there."""
        entry = pack(place)
        number = self._sought(entry)[2]
        if number is None:
            return False
        self.remove_packed(entry)
        self._records.free(number)
        return True

    def load(self, places: Iterable[Place]) -> None:
        """Add places. It is fastest when they come in their order, in one call or in several."""
        coming = map(pack, places)
        while piece := list(islice(coming, MOST_OF_A_PIECE)):
            missing = [entry for entry in set(piece) if self._sought(entry)[2] is None]
            self.load_packed([(entry, self._records.add(entry, 0)) for entry in missing])

    def insert_packed(self, entry: bytes, number: int) -> None:
        """Add a place that is not there, packed and with the number of its record."""
        at = bisect_right(self._starts, entry) - 1
        run = self._runs[at]
        run.insert(self._search(run, entry), number)
        self._count(at, 1)
        if len(run) > _MOST:
            self._divide(at)

    def remove_packed(self, entry: bytes) -> int:
        """Remove a place that is packed already; returns the rank that it had, or 0 if it was not there."""
        at, offset, found = self._sought(entry)
        if found is None:
            return 0
        run = self._runs[at]
        rank = self._before(at) + offset + 1
        del run[offset]
        self._count(at, -1)
        if len(run) < _FEW:
            self._join(at)
        return rank

    def load_packed(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Add a piece of places that are not there, packed, with the numbers of their records. It is sorted as a whole."""
        self._splice(sorted(entries))

    def _splice(self, piece: Sequence[tuple[bytes, int]]) -> None:
        """Add sorted entries: in one step if they all stand between the same two neighbours, otherwise in two halves."""
        if not piece:
            return
        first, last = piece[0][0], piece[-1][0]
        at = bisect_right(self._starts, first) - 1
        run = self._runs[at]
        offset = self._search(run, first)
        if at == bisect_right(self._starts, last) - 1 and offset == self._search(run, last):
            run[offset:offset] = array("I", [number for _, number in piece])
            self._count(at, len(piece))
            if len(run) > _MOST:
                self._divide(at)
            return
        half = len(piece) // 2
        self._splice(piece[:half])
        self._splice(piece[half:])

    def _divide(self, at: int) -> None:
        """Divide a run that has become long into runs of about the same length."""
        run = self._runs[at]
        parts = -(-len(run) // _DIVIDED)
        length = -(-len(run) // parts)
        pieces = [run[offset : offset + length] for offset in range(0, len(run), length)]
        self._runs[at : at + 1] = pieces
        self._starts[at + 1 : at + 1] = [self._records.entry(piece[0]) for piece in pieces[1:]]
        self._tree = None

    def _join(self, at: int) -> None:
        """Join a run that has become short with a neighbour. So there are never two short runs side by side."""
        for left in (at - 1, at):
            if 0 <= left < len(self._runs) - 1 and len(self._runs[left]) + len(self._runs[left + 1]) <= _DIVIDED:
                self._runs[left] += self._runs[left + 1]
                del self._runs[left + 1], self._starts[left + 1]
                self._tree = None
                return

    # -- counting

    def _count(self, at: int, change: int) -> None:
        self._size += change
        tree = self._tree
        if tree is None:
            return
        node = at + 1
        while node < len(tree):
            tree[node] += change
            node += node & -node

    def _sums(self) -> list[int]:
        """The tree: the number at index `n` is how many entries the last `n & -n` of the first `n` runs have."""
        if self._tree is None:
            before = [0, *accumulate(map(len, self._runs))]
            self._tree = [count - before[node & (node - 1)] for node, count in enumerate(before)]
        return self._tree

    def _before(self, at: int) -> int:
        """How many entries stand in the runs before this one."""
        tree, count = self._sums(), 0
        while at:
            count += tree[at]
            at &= at - 1
        return count

    def _find(self, position: int) -> tuple[int, int]:
        """The run that holds the entry at this position, counted from 0, and where in the run it is."""
        tree, at = self._sums(), 0
        step = 1 << (len(self._runs).bit_length() - 1)
        while step:
            if at + step < len(tree) and tree[at + step] <= position:
                at += step
                position -= tree[at]
            step >>= 1
        return at, position

    def _search(self, run: array[int], entry: bytes) -> int:
        """The offset of the first entry that does not come before this one."""
        pieces = self._records.pieces
        low, high = 0, len(run)
        while low < high:
            middle = (low + high) >> 1
            number = run[middle]
            begin = (number & MASK) * RECORD_BYTES
            if pieces[number >> SHIFT][begin : begin + ENTRY_BYTES] < entry:
                low = middle + 1
            else:
                high = middle
        return low

    def _sought(self, entry: bytes) -> tuple[int, int, int | None]:
        """The run of an entry, its offset there, and the number of its record; `None`: it is not in."""
        at = bisect_right(self._starts, entry) - 1
        run = self._runs[at]
        offset = self._search(run, entry)
        number = run[offset] if offset < len(run) else None
        return at, offset, number if number is not None and self._records.entry(number) == entry else None
