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
from typing import Final, Literal, TypeAlias

from livecore.kernel.time import Millis
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
from livecore.leaderboards.ranking.records import SCORE_BYTES, Numbers, Records

State: TypeAlias = Literal["loading", "current", "stale"]
"""`loading`: rows may be missing. `current`: all are known, as of the last notice. `stale`: notices may have been missed."""

_MOST_LOGGED: Final = 1_000
_NOWHERE: Final = bytes(SCORE_BYTES)
"""In place of the score of who is removed. No place has it, because a packed sort key is never 0."""


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
        self._records = Records()
        """Of each participant the newest version, and the place that came with it."""
        self._numbers = Numbers(self._records)
        self.ranking = Ranking(self._records)
        """The places; for looking only."""
        self.revision = first_revision
        """Grows by one with each change that takes effect. Loading rows leaves it as it is."""
        self.state: State = "loading"
        self._log: deque[str] = deque(maxlen=most_logged)
        """Whose changes the last revisions were, up to the current one."""

    def place(self, participant: str) -> Place | None:
        """Where a participant stands, or `None`."""
        number = self._numbers.find(pack_participant(participant))
        return None if number < 0 else _place(self._records.entry(number))

    def newest(self, participant: str) -> tuple[int, Place | None]:
        """The newest version of a participant that is known, with its place. The version is 0 for who is not known."""
        number = self._numbers.find(pack_participant(participant))
        if number < 0:
            return 0, None
        return self._records.version(number), _place(self._records.entry(number))

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
        return (
            self.ranking.memory_bytes + self._records.memory_bytes + self._numbers.memory_bytes + len(self._log) * 100
        )

    # -- loading

    def load(self, rows: Iterable[tuple[tuple[int, Millis, str], int]]) -> None:
        """Add rows, each as its place and its version. It is fastest when they come in the order of the board.

        If the store keeps the rows of removed participants, they are given to `apply`. Raises `RuntimeError` when loading
        is finished, and `ValueError` for a value that does not fit. A stale ranking remains stale.
        """
        if self.state == "current":
            raise RuntimeError("the ranking is loaded already")
        piece: list[tuple[bytes, int]] = []
        records, numbers = self._records, self._numbers
        try:
            for place, version in rows:
                entry = pack(place)
                key = entry[SCORE_BYTES:]
                number = numbers.find(key)
                if number < 0:
                    number = records.add(entry, version)
                    numbers.add(key, number)
                elif version > records.version(number):
                    # A notice or an earlier row had an older place, which may be in this piece.
                    self.ranking.load_packed(piece)
                    piece = []
                    self.ranking.remove_packed(records.entry(number))
                    records.change(number, entry[:SCORE_BYTES], version)
                else:
                    continue
                piece.append((entry, number))
                if len(piece) == MOST_OF_A_PIECE:
                    self.ranking.load_packed(piece)
                    piece = []
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
        number = self._numbers.find(key)
        if number < 0:
            number = self._records.add(score + key, version)
            self._numbers.add(key, number)
            before = _NOWHERE
        elif version <= self._records.version(number):
            return None
        else:
            before = self._records.entry(number)[:SCORE_BYTES]
        place_before, previous_rank = None, None
        if before != _NOWHERE:
            place_before = unpack(before + key)
            # A newer version may leave the place as it was.
            look = self.ranking.rank_packed if before == score else self.ranking.remove_packed
            previous_rank = look(before + key)
        self._records.change(number, score, version)
        if place is None and place_before is None:
            return None
        if place is not None and before != score:
            self.ranking.insert_packed(score + key, number)
        self.revision += 1
        self._log.append(participant)
        return Moved(Change(self.revision, participant, place), place_before, previous_rank)


def _place(entry: bytes) -> Place | None:
    return None if entry.startswith(_NOWHERE) else unpack(entry)
