"""A ranking that is loaded in pieces from rows that change meanwhile, and is kept current by notices of their changes.

A participant's row has a version that counts its changes. For each participant the ranking remembers the newest version that
it has received, in a page of rows or in a notice, and the place that came with it. A newer version takes effect, any
other has none. So it does not matter in which order pages and notices come, or how often: the outcome is that of the newest
version of each participant, and no participant ever stands on the board twice.

    live = LiveRanking(first_revision)
    notices.subscribe(scope, topic, inbox.put, missed=inbox.miss)    # before the first row is read
    live.load((place_of(row), row.version) for row in rows)          # page after page, each in a transaction of its own
    live.finish()
    live.apply("plr_1", 8, Place(-1_200, reached_at, "plr_1"))       # for each notice, also before `finish`

What it relies on: each change after the subscription comes as a notice, or else `miss` is called; and the versions of a
participant grow also over a removal, so that the store keeps the row, or the count of its versions, of who was removed.

Versions are not forgotten while the ranking lives. A notice of another process may come late by any time, and one that came
after its version had been forgotten would put the participant on the board a second time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice
from struct import Struct
from typing import Final, Literal, TypeAlias

from livecore.kernel.values import value
from livecore.leaderboards.ranking.order import (
    MOST_OF_A_PIECE,
    Place,
    Ranking,
    pack,
    pack_participant,
    pack_score,
    unpack,
)

State: TypeAlias = Literal["loading", "current", "stale"]
"""`loading`: rows may be missing. `current`: all are known, as of the last notice. `stale`: notices may have been missed."""

_MOST_LOGGED: Final = 1_000


@value
class Change:
    """The newest change of a participant."""

    revision: int
    participant: str
    place: Place | None
    """The place since then; `None`: removed from the board."""


@value
class Moved:
    """What a change that took effect did to the board."""

    change: Change
    before: Place | None
    """The place until then; `None`: the participant was not on the board."""
    previous_rank: int | None
    """The rank until then; while the ranking is loading, among the places that are known so far."""


class LiveRanking:
    """The places of one board by the newest version of each participant. Once it is stale it stays so: load another one."""

    def __init__(self, first_revision: int, *, most_logged: int = _MOST_LOGGED) -> None:
        """`first_revision` is chosen so that no other ranking of the board has had the revisions that follow it."""
        self.ranking = Ranking()
        """The places; for looking only."""
        self.revision = first_revision
        """Grows by one with each change that takes effect. Loading rows leaves it as it is."""
        self.state: State = "loading"
        self._newest = _Newest()
        self._log: deque[str] = deque(maxlen=most_logged)
        """Whose changes the last revisions were, up to the current one."""

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""
        key = pack_participant(participant)
        known = self._newest.get(key)
        return unpack(known[1] + key) if known is not None and known[1] else None

    def newest(self, participant: str) -> tuple[int, Place | None]:
        """The newest version of a participant that is known, with its place. The version is 0 for who is not known."""
        key = pack_participant(participant)
        version, score = self._newest.get(key) or (0, b"")
        return version, unpack(score + key) if score else None

    def since(self, revision: int) -> list[Change] | None:
        """The newest change of each participant that has changed after this revision, in the order of the revisions.

        `None` where that is not known: the revision is too old, or that of another ranking, or notices may have been missed.
        """
        missed = self.revision - revision
        if self.state == "stale" or not 0 <= missed <= len(self._log):
            return None
        newest: dict[str, int] = {}
        for number, participant in enumerate(islice(self._log, len(self._log) - missed, None), revision + 1):
            newest.pop(participant, None)
            newest[participant] = number
        return [Change(number, participant, self.place(participant)) for participant, number in newest.items()]

    @property
    def memory_bytes(self) -> int:
        """About how much memory the ranking needs, as far as `Ranking.memory_bytes` can say."""
        return self.ranking.memory_bytes + self._newest.memory_bytes + len(self._log) * 100

    # -- loading

    def load(self, rows: Iterable[tuple[Place, int]]) -> None:
        """Add rows, each as its place and its version. It is fastest when they come in the order of the board.

        If the store keeps the rows of removed participants, they are given to `apply`. Raises `RuntimeError` when loading
        is finished, and `ValueError` for a value that does not fit. A stale ranking remains stale.
        """
        if self.state == "current":
            raise RuntimeError("the ranking is loaded already")
        piece: list[bytes] = []
        try:
            for place, version in rows:
                entry = pack(place)
                before = self._newest.put(entry[_SCORE:], version, entry[:_SCORE])
                if before is None:
                    continue
                if before or len(piece) == MOST_OF_A_PIECE:
                    self.ranking.load_packed(piece)
                    piece = []
                if before:
                    # A notice or an earlier row had an older place, which may have been in this piece.
                    self.ranking.remove_packed(before + entry[_SCORE:])
                piece.append(entry)
        finally:
            # Also where a row is refused: the versions of those before it are known by now.
            self.ranking.load_packed(piece)

    def finish(self) -> None:
        """Say that all rows are loaded. A stale ranking remains stale."""
        if self.state == "loading":
            self.state = "current"

    def miss(self) -> None:
        """Say that notices may have been lost."""
        self.state = "stale"

    # -- following

    def apply(self, participant: str, version: int, place: Place | None) -> Moved | None:
        """Note that a row has this version, and stands at this place, or at none where it is removed.

        Returns what it did to the board; `None` if nothing, because this version or a newer one is known already, or because
        who is removed was not on the board. Raises `ValueError` for a value that does not fit.
        """
        if place is not None and place.participant != participant:
            raise ValueError("the place is that of another participant")
        key = pack_participant(participant)
        score = _NOWHERE if place is None else pack_score(place)
        before = self._newest.put(key, version, score)
        if before is None or (place is None and not before):
            return None
        place_before = unpack(before + key) if before else None
        previous_rank = None
        if place_before is not None:
            # A newer version may leave the place as it was.
            same = before == score
            previous_rank = self.ranking.rank(place_before) if same else self.ranking.remove_packed(before + key)
        if place is not None:
            self.ranking.insert_packed(score + key)
        self.revision += 1
        self._log.append(participant)
        return Moved(Change(self.revision, participant, place), place_before, previous_rank)


# -- the newest versions --------------------------------------------------------------------------------------------------

_SCORE: Final = 16
"""How many bytes of a packed place are the sort key and the instant. The id follows."""
_NOWHERE: Final = bytes(_SCORE)
"""In place of the score of who is removed. No place has it, because a packed sort key is never 0."""
_RECORD: Final = Struct(">32s16sQ")
_WIDTH: Final = _RECORD.size
_MOST_VERSION: Final = 2**64 - 1
_BUCKET: Final = 16
"""How many records a bucket holds on average. Each bucket is an object of its own, but a search reads all of one."""


class _Newest:
    """A hash table of packed records: the id, the score and the version of each participant.

    It grows by linear hashing: one bucket is divided at a time, so no change ever has to wait until a large table is moved.
    """

    __slots__ = ("_buckets", "_round", "_size")

    def __init__(self) -> None:
        self._buckets = [bytearray()]
        self._round = 1
        """A power of two: how many buckets there were when the first of them was divided last."""
        self._size = 0

    def get(self, key: bytes) -> tuple[int, bytes] | None:
        """The version and the score (empty: removed) of a participant."""
        bucket = self._bucket(key)
        offset = _find(bucket, key)
        if offset < 0:
            return None
        _, score, version = _RECORD.unpack_from(bucket, offset)
        return version, b"" if score == _NOWHERE else score

    def put(self, key: bytes, version: int, score: bytes) -> bytes | None:
        """Keep a version if it is newer; returns the score until then (empty: none), or `None` if it is not newer."""
        if not 0 <= version <= _MOST_VERSION:
            raise ValueError(f"a version is not within 0 to {_MOST_VERSION}")
        bucket = self._bucket(key)
        offset = _find(bucket, key)
        if offset < 0:
            bucket += _RECORD.pack(key, score, version)
            self._size += 1
            if self._size > len(self._buckets) * _BUCKET:
                self._divide()
            return b""
        _, before, known = _RECORD.unpack_from(bucket, offset)
        if version <= known:
            return None
        _RECORD.pack_into(bucket, offset, key, score, version)
        return b"" if before == _NOWHERE else bytes(before)

    @property
    def memory_bytes(self) -> int:
        """About how much memory the table needs."""
        return self._size * _WIDTH * 17 // 16 + len(self._buckets) * 80

    def _bucket(self, key: bytes) -> bytearray:
        at = hash(key) & (2 * self._round - 1)
        return self._buckets[at if at < len(self._buckets) else at - self._round]

    def _divide(self) -> None:
        """Divide the next bucket of this round: a bit more of the hash says which records stay in it."""
        at = len(self._buckets) - self._round
        staying, leaving = bytearray(), bytearray()
        for key, score, version in _RECORD.iter_unpack(self._buckets[at]):
            part = leaving if hash(key) & self._round else staying
            part += _RECORD.pack(key, score, version)
        self._buckets[at] = staying
        self._buckets.append(leaving)
        if len(self._buckets) == 2 * self._round:
            self._round *= 2


def _find(bucket: bytearray, key: bytes) -> int:
    """The offset of a participant's record, or -1. An id that is found across two fields is not the one that is sought."""
    offset = bucket.find(key)
    while offset > 0 and offset % _WIDTH:
        offset = bucket.find(key, offset + 1)
    return offset
