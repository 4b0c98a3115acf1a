"""Everything that has happened to a player, in one list, newest first.

The areas declare the kinds of entries (`livecore.kernel.declarations.timeline`); this file merges them. A page reads of
every track as many rows as it may show and one more, whatever the player's past is, and then what the shown entries refer
to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.timeline import TimelinePosition, TimelineSource, Track
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import PageRequest, page_of, unpack
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.player_tools.timeline_rows import GetTimeline, Timeline, TimelineEntry, TimelineRef
from livecore.players.player import acting

_POSITION: Final = (int, str, str)


@value
class _Found:
    """A row, its position, and the source that it is of."""

    position: TimelinePosition
    source: TimelineSource[Any]
    row: Any


def get_timeline(unit: Unit, args: GetTimeline) -> Timeline:
    """A page of the path's player. Raises `ValidationFailed` for an unknown kind, and a cursor of another list."""
    page, player_id = _page(args), acting(unit).player_id
    # Two tracks may find the same row, as of a gift whose sender and recipient became one player.
    items = {item.position: item for item in _found(unit, player_id, _sources(unit, args.kinds), page)}
    newest = [items[position] for position in sorted(items, reverse=True)[: args.limit + 1]]
    shown, cursor = page_of(newest, page, lambda item: item.position)
    further = [list(item.source.further(unit, item.row, player_id)) for item in shown]
    found = iter(unit.tx.read_all(read for reads in further for read in reads))
    entries = (_entry(unit, item, [*islice(found, len(reads))]) for item, reads in zip(shown, further, strict=True))
    return Timeline(entries=tuple(entries), next_cursor=cursor)


def _page(args: GetTimeline) -> PageRequest:
    return PageRequest(args.limit, unpack(args.cursor, _POSITION))


def _before(page: PageRequest) -> TimelinePosition | None:
    if page.beyond is None:
        return None
    at, kind, id_ = page.beyond
    return int(at or 0), str(kind), str(id_)


def _sources(unit: Unit, kinds: Sequence[str]) -> list[TimelineSource[Any]]:
    """The sources of these kinds, or all. Raises `ValidationFailed`."""
    declared = Areas.of(unit).timeline
    unknown = [kind for kind in kinds if kind not in declared]
    if unknown:
        raise ValidationFailed({"kinds": f"holds {unknown[0]!r}; there are {', '.join(declared)}"})
    return [source for kind, source in declared.items() if not kinds or kind in kinds]


def _found(
    unit: Unit, player_id: PlayerId, sources: Sequence[TimelineSource[Any]], page: PageRequest
) -> Iterator[_Found]:
    before = _before(page)
    tracks = [(source, track) for source in sources for track in source.tracks(player_id)]
    found = unit.tx.read_all(track.newest(source.kind, before, page.reach or 0) for source, track in tracks)
    for (source, track), rows in zip(tracks, found, strict=True):
        for row in rows:
            yield _Found(_position_of(source, track, row), source, row)


def _position_of(source: TimelineSource[Any], track: Track[Any], row: object) -> TimelinePosition:
    at, id_ = track.position_of(row)
    return at, source.kind, id_


def _entry(unit: Unit, item: _Found, found: Sequence[Any]) -> TimelineEntry:
    at, kind, id_ = item.position
    return TimelineEntry(
        at=Timestamp(at),
        kind=kind,
        summary=dict(item.source.show(unit, item.row, found)),
        ref=TimelineRef(type=item.source.thing, id=id_),
    )
