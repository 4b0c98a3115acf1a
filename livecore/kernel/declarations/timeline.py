"""What has happened to a player, as one list: the part that each area declares.

A source is one kind of entry. It says by which indexes the rows about a player are found in the order of time, and what the
list shows of a row:

    ATTEMPTS = TimelineSource(
        kind="attempt", thing="attempt", about="An attempt at an event.", covers=("attempts",),
        tracks=lambda player_id: [Track(OF_PLAYER_BY_STATUS, (player_id, "completed"))], show=_shown,
    )
    AREA = Area(name="competition", timeline=(ATTEMPTS,))

Entries are in the order of their time, then of their kind and their id, so that each has a place of its own. A page reads of
every track only what it may show. Of other players an entry shows the studio's ids, and nothing that they have written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, cast

import attrs

from livecore.kernel.errors import JsonObject
from livecore.kernel.ids import first_id, moment_of
from livecore.kernel.storage.paging import Paged, page_by_time, page_of
from livecore.kernel.storage.reads import AnyRead, Scan
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Unit

R = TypeVar("R")
TimelinePosition: TypeAlias = "tuple[Millis, str, str]"
"""Where an entry stands: its time, its kind, and its id within the kind."""


@attrs.frozen
class Track(Generic[R]):
    """Rows about a player: an index in the order of a time and an id, and its prefix.

    With `ids` the index is in the order of ids alone, which begin with this prefix and hold their time.
    """

    index: Index[R]
    prefix: Key
    ids: str | None = None

    def newest(self, kind: str, before: TimelinePosition | None, limit: int) -> Scan[R]:
        """The scan that finds the newest rows of a kind before a place."""
        return Scan(self.index, self.prefix, stop=self._stop(kind, before), reverse=True, limit=limit)

    def position_of(self, row: R) -> tuple[Millis, str]:
        """The time and the id of a row."""
        position = self.index.position_of(row)
        if self.ids is None:
            return cast("tuple[Millis, str]", position)
        return moment_of(str(position[0])) or 0, str(position[0])

    def _stop(self, kind: str, before: TimelinePosition | None) -> Key | None:
        if before is None:
            return None
        at, kind_before, id_before = before
        if kind == kind_before:
            return (at, id_before) if self.ids is None else (id_before,)
        # Of one time, the kinds are in the order of their names; the list goes backwards.
        beyond = at + 1 if kind < kind_before else at
        return (beyond,) if self.ids is None else (first_id(self.ids, beyond),)


def page_of_tracks(unit: Unit, tracks: Iterable[Track[R]], wanted: Paged) -> tuple[list[R], str | None]:
    """A page of the rows of several tracks of one table, newest first, and the cursor of the next one.

    A row that stands in two tracks comes once: after a merge, a player may be both of its sides. Raises `ValidationFailed`
    for a cursor that is none.
    """
    page, tracks = page_by_time(wanted), tuple(tracks)
    found = unit.tx.read_all(page.newest(track.index, *track.prefix) for track in tracks)
    rows = {
        track.index.table.key_of(row): (track.position_of(row), row)
        for track, some in zip(tracks, found, strict=True)
        for row in some
    }
    newest = sorted(rows.values(), key=lambda placed: placed[0], reverse=True)
    shown, cursor = page_of(newest, page, lambda placed: placed[0])
    return [row for _, row in shown], cursor


def _nothing(_: Unit, __: Any, ___: str) -> Iterable[AnyRead]:  # noqa: ANN401 - rows have no common type
    return ()


@attrs.frozen(kw_only=True, eq=False)
class TimelineSource(Generic[R]):
    """One kind of entry. `tracks` and `further` get the service's id of the player whom the list is about."""

    kind: str
    about: str
    """What such an entry says, for the documents."""
    thing: str
    """What the id of an entry names."""
    covers: tuple[str, ...] = ()
    """The lists of an export whose rows it shows."""
    tracks: Callable[[str], Iterable[Track[R]]]
    further: Callable[[Unit, R, str], Iterable[AnyRead]] = _nothing
    """What is read besides the row; a page asks for it in one call for all its rows."""
    show: Callable[[Unit, R, Sequence[Any]], JsonObject]
    """What the list shows of a row, given what each of its further reads has found."""


def moment(at: Millis | None) -> str | None:
    """A time as the wire writes it."""
    return None if at is None else Timestamp(at).wire
