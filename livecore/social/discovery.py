"""Search for players by name: the query matches the beginning of any word of the name that others see.

`livecore.kernel.words` defines words and what is removed from names before they are compared. A search never shows the
caller, a banned player, a player with a block between the two (specification 4.1, rule 3), or one who is not discoverable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import Absent
from livecore.kernel.words import sought
from livecore.players.identity import SEARCH_BY_TEXT, SearchEntry
from livecore.players.player import PLAYERS, Player, acting
from livecore.players.privacy import is_discoverable
from livecore.social.others import bring_progression, check_progression, progression_row
from livecore.social.relations import RELATIONS, Relation, Standing, is_blocked, pair, side_of, standing_of
from livecore.social.rows import Search, SearchHit, SearchHits
from livecore.social.sight import identity_shown

_Relationship = Literal["none", "friends", "request_incoming", "request_outgoing"]
_RELATIONSHIPS: Final[dict[Standing, _Relationship]] = {
    Standing.NONE: "none",
    Standing.FRIENDS: "friends",
    Standing.INCOMING: "request_incoming",
    Standing.OUTGOING: "request_outgoing",
}
_END: Final = "\U0010ffff"
_CHUNK: Final = 100
_SCANNED: Final = 1_000
"""The most entries that one search reads."""


def _query(text: str) -> str | None:
    """The text to search for, or `None` where a query has too few letters. Raises `ValidationFailed`."""
    if not 2 <= len(text.strip()) <= 40:
        raise ValidationFailed({"q": "must have 2 to 40 characters"})
    return sought(text)


def search(unit: Unit, args: Search) -> SearchHits:
    """Players whose name has a word that begins with the query, in the order of the names."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    query = _query(args.q)
    found = [] if query is None else list(islice(_visible(unit, me, query), args.limit))
    bring_progression(unit, (other.player_id for other, _ in found), keys)
    return SearchHits(players=tuple(_hit(unit, me, other, relation, keys) for other, relation in found))


def _hit(unit: Unit, me: Player, other: Player, relation: Relation, keys: tuple[str, ...] | Absent) -> SearchHit:
    friend = relation.friendship == "friends"
    return SearchHit(
        external_player_id=other.external_id,
        display_identity=identity_shown(unit, other, friend=friend),
        relationship=_RELATIONSHIPS[standing_of(relation, side_of(relation, me.player_id))],
        progression=progression_row(unit, other, keys, friend=friend),
    )


def _visible(unit: Unit, me: Player, query: str) -> Iterator[tuple[Player, Relation]]:
    """The players whom the caller may find by this name, each with the relation to the caller."""
    for other, relation in _named(unit, me, query):
        if not other.banned and is_discoverable(unit, other) and not is_blocked(relation):
            yield other, relation


def _named(unit: Unit, me: Player, query: str) -> Iterator[tuple[Player, Relation]]:
    """The other players of this name, each once, with the relation to the caller."""
    seen: set[str] = {me.player_id}
    after: tuple[str, str] | None = None
    for _ in range(_SCANNED // _CHUNK):
        entries = unit.tx.scanned(_entries(query, after))
        fresh = [name for name in dict.fromkeys(entry.player_id for entry in entries) if name not in seen]
        seen.update(fresh)
        pairs = [pair(me.player_id, name) for name in fresh]
        players, relations = unit.tx.read_lists(
            (Get(PLAYERS, (name,)) for name in fresh), (Get(RELATIONS, key) for key in pairs)
        )
        for player, relation, (low, high) in zip(players, relations, pairs, strict=True):
            if player is not None:
                yield player, relation or Relation(low_id=low, high_id=high)
        if len(entries) < _CHUNK:
            return
        after = (entries[-1].text, entries[-1].player_id)


def _entries(query: str, after: tuple[str, str] | None) -> Scan[SearchEntry]:
    start = None if after else (query,)
    return Scan(SEARCH_BY_TEXT, (), start=start, after=after, stop=(query + _END,), limit=_CHUNK)
