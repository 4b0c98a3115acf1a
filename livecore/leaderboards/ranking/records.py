"""The packed places of a ranking with their versions, by number, and the numbers by participant.

A million participants fit in about 60 MB, because no Python object is kept for each. A record has 50 bytes: the place, which
sorts as places do, and the version. Records lie side by side in pieces of memory that are never moved. Whatever else knows a
participant keeps the number of the record, which takes 4 bytes.

    records = Records()
    numbers = Numbers(records)
    number = records.add(entry, version)       # an entry is what `pack` makes of a place
    numbers.add(entry[SCORE_BYTES:], number)
    numbers.find(entry[SCORE_BYTES:])          # the number again
"""

from __future__ import annotations

from array import array
from typing import Final

SCORE_BYTES: Final = 14
"""How many bytes of an entry are the sort key and the instant. The id follows."""
ENTRY_BYTES: Final = 46
RECORD_BYTES: Final = 50
SHIFT: Final = 10
"""A piece has two to the power of this many records."""
MASK: Final = 2**SHIFT - 1
MOST_VERSION: Final = 2**32 - 1
_BUCKET: Final = 128
"""How many numbers a bucket holds on average. Each bucket is two objects, but a search looks through all of one."""


class Records:
    """Records by number; numbers count from 0."""

    __slots__ = ("_free", "_size", "pieces")

    def __init__(self) -> None:
        self.pieces: list[bytearray] = []
        """For whoever compares many entries: that of a number is at `(number & MASK) * RECORD_BYTES` in the piece
        `number >> SHIFT`."""
        self._size = 0
        self._free: list[int] = []

    def add(self, entry: bytes, version: int) -> int:
        """Keep another record; returns its number. Raises `ValueError` for a version that does not fit."""
        record = entry + _packed(version)
        if self._free:
            number = self._free.pop()
            at = (number & MASK) * RECORD_BYTES
            self.pieces[number >> SHIFT][at : at + RECORD_BYTES] = record
            return number
        number = self._size
        if not number & MASK:
            if number:
                # A piece that has grown has memory in reserve, which this one will not need.
                self.pieces[-1] = self.pieces[-1][:]
            self.pieces.append(bytearray())
        self.pieces[-1] += record
        self._size += 1
        return number

    def free(self, number: int) -> None:
        """Let the next record have this number."""
        self._free.append(number)

    def entry(self, number: int) -> bytes:
        """The entry of a record."""
        at = (number & MASK) * RECORD_BYTES
        return bytes(self.pieces[number >> SHIFT][at : at + ENTRY_BYTES])

    def version(self, number: int) -> int:
        """The version of a record."""
        at = (number & MASK) * RECORD_BYTES
        return int.from_bytes(self.pieces[number >> SHIFT][at + ENTRY_BYTES : at + RECORD_BYTES])

    def change(self, number: int, score: bytes, version: int) -> None:
        """Replace score and version. Raises `ValueError` for a version that does not fit."""
        packed = _packed(version)
        at, piece = (number & MASK) * RECORD_BYTES, self.pieces[number >> SHIFT]
        piece[at : at + SCORE_BYTES] = score
        piece[at + ENTRY_BYTES : at + RECORD_BYTES] = packed

    @property
    def memory_bytes(self) -> int:
        """About how much memory the records need."""
        return self._size * RECORD_BYTES + len(self.pieces) * 90 + (self._size & MASK) * RECORD_BYTES // 16


def _packed(version: int) -> bytes:
    if not 0 <= version <= MOST_VERSION:
        raise ValueError(f"a version is not within 0 to {MOST_VERSION}")
    return version.to_bytes(RECORD_BYTES - ENTRY_BYTES)


class Numbers:
    """A hash table from ids to the numbers of their records.

    A bucket has the numbers, and for each a byte of the hash, so that a search compares few ids. The table grows by linear
    hashing: one bucket is divided at a time, so no change ever has to wait until a large table is moved.
    """

    __slots__ = ("_marks", "_numbers", "_records", "_round", "_size")

    def __init__(self, records: Records) -> None:
        self._records = records
        self._marks = [bytearray()]
        self._numbers = [array("I")]
        self._round = 1
        """A power of two: how many buckets there were when the first of them was divided last."""
        self._size = 0

    def find(self, key: bytes) -> int:
        """The number of the record with this packed id, or -1."""
        code = hash(key)
        at, mark = self._bucket(code), _mark(code)
        marks, numbers, pieces = self._marks[at], self._numbers[at], self._records.pieces
        place = marks.find(mark)
        while place >= 0:
            number = numbers[place]
            begin = (number & MASK) * RECORD_BYTES + SCORE_BYTES
            if pieces[number >> SHIFT].startswith(key, begin, begin + ENTRY_BYTES - SCORE_BYTES):
                return number
            place = marks.find(mark, place + 1)
        return -1

    def add(self, key: bytes, number: int) -> None:
        """Keep the number of a record whose id is not in the table."""
        code = hash(key)
        at = self._bucket(code)
        self._marks[at].append(_mark(code))
        self._numbers[at].append(number)
        self._size += 1
        if self._size > len(self._marks) * _BUCKET:
            self._divide()

    @property
    def memory_bytes(self) -> int:
        """About how much memory the table needs."""
        return self._size * 11 // 2 + len(self._marks) * 190

    def _bucket(self, code: int) -> int:
        at = code & (2 * self._round - 1)
        return at if at < len(self._marks) else at - self._round

    def _divide(self) -> None:
        """Divide the next bucket of this round: a bit more of the hash says which numbers stay in it."""
        at, pieces, bit = len(self._marks) - self._round, self._records.pieces, self._round
        parts: tuple[tuple[bytearray, array[int]], ...] = ((bytearray(), array("I")), (bytearray(), array("I")))
        for mark, number in zip(self._marks[at], self._numbers[at], strict=True):
            begin = (number & MASK) * RECORD_BYTES + SCORE_BYTES
            code = hash(bytes(pieces[number >> SHIFT][begin : begin + ENTRY_BYTES - SCORE_BYTES]))
            marks, numbers = parts[code & bit != 0]
            marks.append(mark)
            numbers.append(number)
        (self._marks[at], self._numbers[at]), (marks, numbers) = parts
        self._marks.append(marks)
        self._numbers.append(numbers)
        if len(self._marks) == 2 * self._round:
            self._round *= 2


def _mark(code: int) -> int:
    """A byte of a hash that does not say in which bucket it is, but in tables of more than 2^40 buckets."""
    return code >> 40 & 255
