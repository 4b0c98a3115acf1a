"""Lists over all accounts of a person: the player, and every player who was merged into them.

Records of what happened then (the audit trail, the events of webhooks) go on naming the account that it happened to. An
export shows them all. It reads one account after another, the player's own first, and each account's *tracks*, parts of
indexes, one after another, newest first. So a page needs the memory of one page, however many accounts and rows there are,
and its cursor says how far it has come: the account, the number of the track, and the position in its index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import pack, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Index, Key
from livecore.kernel.units.unit import Unit
from livecore.players.player import MERGED_INTO, PLAYERS, Player

Track: TypeAlias = tuple[Index[Any], Key]
"""An index and the prefix under which it is read; its order has two columns, or one."""
Reading: TypeAlias = "Callable[[Unit, Sequence[Any]], Sequence[Any]]"
"""Gives for each of some rows what is shown of it, read for all of them together."""
MOST_READ: Final = 2_000
"""How many rows one page reads at most, if it looks at more than it shows. It may then have fewer rows than it could."""
_CHUNK: Final = 200
_OWN: Final = ""
"""The player's own account, which comes before all others."""


def _themselves(_: Unit, rows: Sequence[Any]) -> Sequence[Any]:
    return rows


def is_account(unit: Unit, player_id: PlayerId, other: str | None) -> bool:
    """Whether an id is the player's own, or that of somebody who was merged into the player."""
    if other is None or other == player_id:
        return other is not None
    player = unit.tx.get(PLAYERS, other)
    return player is not None and player.merged_into == player_id


def exported_over_accounts(
    unit: Unit,
    player_id: PlayerId,
    wanted: Slice,
    tracks: Callable[[str], Sequence[Track]],
    show: Callable[[Any, str], Any],
    reading: Reading = _themselves,
) -> Exported:
    """A page of what `show` makes of the rows of all accounts; it gives `None` for a row that is not shown.

    `tracks` says what is read of an account, and `show` is given what `reading` has made of a row, and its account.
    """
    shown: list[Any] = []
    before: Key | None = None
    for number, (position, row, account) in enumerate(_rows(unit, player_id, wanted.cursor, tracks, reading)):
        found = show(row, account)
        full = found is not None and len(shown) == wanted.limit
        if before is not None and (full or number == MOST_READ):
            return Exported(tuple(shown), pack(before))
        if found is not None:
            shown.append(found)
        before = position
    return Exported(tuple(shown))


def _rows(
    unit: Unit,
    player_id: PlayerId,
    cursor: str | None,
    tracks: Callable[[str], Sequence[Track]],
    reading: Reading,
) -> Iterator[tuple[Key, Any, str]]:
    """Every row from a cursor on, as it was read, with its position in the list and its account."""
    began = unpack(cursor, (str, int, int, str))
    for account in _accounts(unit, player_id, _OWN if began is None else str(began[0])):
        own = account or player_id
        rest = list(_rest_of(tracks(own), began if began is not None and began[0] == account else None))
        # The beginnings of all tracks at once; behind them each is read on its own.
        chunks = unit.tx.read_all(_chunk(track, at) for _, track, at in rest)
        read = iter(reading(unit, [row for rows in chunks for row in rows]))
        for (number, track, _), rows in zip(rest, chunks, strict=True):
            first = [*zip(rows, read)]  # noqa: B905 - the others are of the next tracks
            for row, thing in chain(first, _rest(unit, track, rows, reading)):
                yield _position_of(account, number, track[0].position_of(row)), thing, own


def _rest_of(tracks: Sequence[Track], began: Key | None) -> Iterator[tuple[int, Track, Key | None]]:
    """The tracks of an account that a page has not come to the end of, each with its number and the position of its rest."""
    first = 0 if began is None else int(began[1] or 0)
    for number, track in enumerate(tracks):
        if number >= first:
            yield number, track, began[2:][-len(track[0].order) :] if began is not None and number == first else None


def _chunk(track: Track, at: Key | None) -> Scan[Any]:
    index, prefix = track
    return Scan(index, prefix, stop=at, reverse=True, limit=_CHUNK)


def _position_of(account: str, number: int, position: Key) -> Key:
    return (account, number, *(position if len(position) > 1 else (0, *position)))


def _rest(unit: Unit, track: Track, rows: Sequence[Any], reading: Reading) -> Iterator[tuple[Any, Any]]:
    """The rows of a track after its first ones."""
    while len(rows) == _CHUNK:
        rows = unit.tx.scanned(_chunk(track, track[0].position_of(rows[-1])))
        yield from zip(rows, reading(unit, rows), strict=True)


def _merged(player_id: PlayerId, first: str) -> Scan[Player]:
    return Scan(MERGED_INTO, (player_id,), start=(first,), limit=_CHUNK)


def _accounts(unit: Unit, player_id: PlayerId, first: str) -> Iterator[str]:
    """The accounts from one on, in the order of their ids."""
    if first == _OWN:
        yield _OWN
    rows = unit.tx.scanned(_merged(player_id, first))
    while rows:
        yield from (row.player_id for row in rows)
        if len(rows) < _CHUNK:
            return
        rows = unit.tx.scan(MERGED_INTO, player_id, after=(rows[-1].player_id,), limit=_CHUNK)
