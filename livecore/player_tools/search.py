"""Search for players, for operators: by the studio's id, by the service's id, by friend code, or by name.

Whoever has the text as an id or as a friend code comes first, then all with a word of the name that begins with it, in the
order of the names, as in the players' own search. Without a text it is everybody, the last seen first. Banned players are
found; players who were merged into another or erased are not.

A page reads a bounded number of rows. So a page may have fewer players than were asked for, and even so not be the last.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from livecore.kernel.storage.paging import PageRequest, pack, page_by_time, page_of, unpack
from livecore.kernel.storage.reads import Find, Get, Scan
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.words import sought
from livecore.player_tools.search_rows import FoundPlayer, FoundPlayers, SearchPlayers
from livecore.players.identity import SEARCH_BY_TEXT, SearchEntry, display, search_texts
from livecore.players.moderation import DEBUG_ACCOUNTS, DebugAccount
from livecore.players.player import BY_EXTERNAL_ID, BY_FRIEND_CODE, PLAYERS, RECENTLY_SEEN, Player
from livecore.players.seen import presence_of
from livecore.social.codes import normalise

_END: Final = "\U0010ffff"
_SCANNED: Final = 1_000
"""The most names that one page reads."""
_LONGEST_NAME: Final = 40
_EXACT: Final = 0
_NAMED: Final = 1
_POSITION: Final = (int, str, str)
"""The columns of a position in a search: whether it is found by an id or by name, the name from the found word on, and the
id."""


def search_players(unit: Unit, args: SearchPlayers) -> FoundPlayers:
    """A page of the players who fit. Raises `ValidationFailed` for a cursor of another list."""
    if args.q is None:
        page = page_by_time(args)
        found, cursor = page_of(unit.tx.scanned(_seen(page)), page, RECENTLY_SEEN.position_of)
        return _answer(unit, found, cursor)
    position = _position_of(args)
    exact = _exact(unit, args.q)
    listed: list[tuple[Key, Player]] = [((_EXACT, "", player.player_id), player) for player in exact]
    if position is not None:
        listed = [item for item in listed if item[0] > position]
    query, beyond = _query(args.q), None
    if query is not None:
        named, beyond = _named(unit, query, position, args.limit)
        known = {player.player_id for player in exact}
        listed += [item for item in named if item[1].player_id not in known]
    if len(listed) > args.limit:
        listed = listed[: args.limit]
        beyond = listed[-1][0]
    return _answer(unit, [player for _, player in listed], None if beyond is None else pack(beyond))


def _position_of(args: SearchPlayers) -> Key | None:
    return unpack(args.cursor, _POSITION)


def _seen(page: PageRequest) -> Scan[Player]:
    """Players by when they were last seen; those who are gone have no such time."""
    return Scan(RECENTLY_SEEN, (), start=(1,), stop=page.beyond, reverse=True, limit=page.reach)


# -- by id and by code ----------------------------------------------------------------------------------------------------


def _exact(unit: Unit, text: str) -> list[Player]:
    """The players with this id or this friend code, in the order of their ids."""
    found = unit.tx.read_together(
        Find(BY_EXTERNAL_ID, (text,)), Get(PLAYERS, (text,)), Find(BY_FRIEND_CODE, (normalise(text),))
    )
    present = {player.player_id: player for player in found if player is not None and not player.gone}
    return [present[player_id] for player_id in sorted(present)]


# -- by name --------------------------------------------------------------------------------------------------------------


def _query(text: str) -> str | None:
    """The text as it is looked for in names; none is longer than a name."""
    return sought(text) if len(text.strip()) <= _LONGEST_NAME else None


def _names(query: str, position: Key | None, limit: int) -> Scan[SearchEntry]:
    after = None if position is None or position[0] == _EXACT else position[1:]
    # A cursor of another search gains nothing.
    beyond = after if after is not None and str(after[0]) >= query else None
    start = None if beyond else (query,)
    # Somebody who was found by an id may be among them, and a player with several fitting words several times.
    reach = min(_SCANNED, 2 * limit + 3)
    return Scan(SEARCH_BY_TEXT, (), start=start, after=beyond, stop=(query + _END,), limit=reach)


def _named(unit: Unit, query: str, position: Key | None, limit: int) -> tuple[list[tuple[Key, Player]], Key | None]:
    """The players of a stretch of names, each with their position, and the end of the stretch if it is not the last."""
    scan = _names(query, position, limit)
    entries = unit.tx.scanned(scan)
    players = unit.tx.read_all(Get(PLAYERS, (entry.player_id,)) for entry in entries)
    found: list[tuple[Key, Player]] = []
    for entry, player in zip(entries, players, strict=True):
        if player is not None and not player.gone and _is_first(player, entry, query):
            found.append(((_NAMED, entry.text, entry.player_id), player))
    complete = len(entries) < (scan.limit or 0)
    return found, None if complete else (_NAMED, entries[-1].text, entries[-1].player_id)


def _is_first(player: Player, entry: SearchEntry, query: str) -> bool:
    """Whether this is the first fitting word of the name: a player is found once, also on several pages."""
    return entry.text == min((text for text in search_texts(player) if text.startswith(query)), default=None)


# -- rows -----------------------------------------------------------------------------------------------------------------


def _answer(unit: Unit, players: Iterable[Player], cursor: str | None) -> FoundPlayers:
    shown = list(players)
    marks = unit.tx.read_all(Get(DEBUG_ACCOUNTS, (player.player_id,)) for player in shown)
    return FoundPlayers(players=tuple(map(partial(_row, unit), shown, marks)), next_cursor=cursor)


def _row(unit: Unit, player: Player, mark: DebugAccount | None) -> FoundPlayer:
    return FoundPlayer(
        player_id=player.player_id,
        external_player_id=player.external_id,
        display_identity=display(player),
        country=player.country,
        banned=player.banned,
        debug=mark is not None,
        online=presence_of(unit, player).online,
        first_seen_at=Timestamp(player.first_seen_at),
        last_seen_at=Timestamp(player.last_seen_at),
    )
