"""Finding people: search by name, and suggestions of players who were around lately.

Neither ever shows the caller, a banned player, or somebody with a block between the two. Search matches the beginning of any
word of the name that others see, without case. Suggestions are a weighted sample, drawn anew at each call, in which a player
seen an hour ago is twice as likely as one seen three hours ago; friends and players with an open request are left out
(specification 4.1, rules 2 and 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, Literal

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.shapes import Absent
from livecore.kernel.store import Scan, Wanted
from livecore.kernel.time import HOUR, Millis
from livecore.kernel.unit import Unit
from livecore.players.identity import SEARCH_BY_TEXT, display, fold
from livecore.players.player import PLAYERS, RECENTLY_SEEN, Player, acting
from livecore.players.seen import presence_of
from livecore.social.friends import check_progression, others_ahead, progression_row
from livecore.social.graph import relation_between
from livecore.social.relations import RELATIONS, Relation, Standing, is_blocked, pair, side_of, standing_of
from livecore.social.rows import Search, SearchHit, SearchHits, Suggest, SuggestionRow, Suggestions

__all__ = ["search", "search_ahead", "suggestions", "suggestions_ahead"]

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
"""How many entries one search, or one call for suggestions, looks through at most."""


# -- search ---------------------------------------------------------------------------------------------------------------


def _query(text: str) -> str:
    query = fold(text)
    if not 2 <= len(text.strip()) <= 40 or len(query) < 2:
        raise ValidationFailed({"q": "must have 2 to 40 characters"})
    return query


def search_ahead(_: Unit, args: Search) -> Iterator[Wanted]:
    """What `search` is going to read first."""
    yield _entries(_query(args.q), None), ()


def search(unit: Unit, args: Search) -> SearchHits:
    """Players whose name has a word that begins with the query, in the order of the names."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    found = list(islice(_visible(unit, me, _query(args.q)), args.limit))
    unit.tx.prefetch(others_ahead(unit, (other.player_id for other, _ in found), keys))
    return SearchHits(players=tuple(_hit(unit, me, other, relation, keys) for other, relation in found))


def _hit(unit: Unit, me: Player, other: Player, relation: Relation, keys: tuple[str, ...] | Absent) -> SearchHit:
    return SearchHit(
        external_player_id=other.external_id,
        display_identity=display(other),
        relationship=_RELATIONSHIPS[standing_of(relation, side_of(relation, me.player_id))],
        progression=progression_row(unit, other, keys),
    )


def _visible(unit: Unit, me: Player, query: str) -> Iterator[tuple[Player, Relation]]:
    """Whom the caller may see under a name, and how they stand to each other."""
    for other in _named(unit, me, query):
        if other.player_id != me.player_id and not other.banned:
            relation = relation_between(unit, me, other)
            if not is_blocked(relation):
                yield other, relation


def _named(unit: Unit, me: Player, query: str) -> Iterator[Player]:
    seen: set[str] = set()
    after: tuple[str, str] | None = None
    for _ in range(_SCANNED // _CHUNK):
        wanted = _entries(query, after)
        entries = unit.tx.scan(
            wanted.index, start=wanted.start, after=wanted.after, stop=wanted.stop, limit=wanted.limit
        )
        unit.tx.prefetch(_players_ahead(me, (entry.player_id for entry in entries)))
        for entry in entries:
            player = None if entry.player_id in seen else unit.tx.get(PLAYERS, entry.player_id)
            seen.add(entry.player_id)
            if player is not None:
                yield player
        if len(entries) < _CHUNK:
            return
        after = (entries[-1].text, entries[-1].player_id)


def _entries(query: str, after: tuple[str, str] | None) -> Scan:
    return Scan(SEARCH_BY_TEXT, start=None if after else (query,), after=after, stop=(query + _END,), limit=_CHUNK)


def _players_ahead(me: Player, others: Iterable[str]) -> Iterator[Wanted]:
    """Players, and how they stand to the caller."""
    for player_id in others:
        yield PLAYERS, (player_id,)
        yield RELATIONS, pair(me.player_id, player_id)


# -- suggestions ----------------------------------------------------------------------------------------------------------


def _weight(last_seen_at: Millis, now: Millis) -> float:
    return 1.0 / (1.0 + max(0, now - last_seen_at) / HOUR)


def suggestions_ahead(_: Unit, __: Suggest) -> Iterator[Wanted]:
    """What `suggestions` is going to read first."""
    yield Scan(RECENTLY_SEEN, reverse=True, limit=_CHUNK), ()


def suggestions(unit: Unit, args: Suggest) -> Suggestions:
    """A fresh sample of players who were around lately and have nothing to do with the caller yet."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    candidates = _strangers(unit, me, args.limit * 8)
    weights = [_weight(player.last_seen_at, unit.now) for player in candidates]
    drawn = unit.entropy.weighted_sample(candidates, weights, args.limit)
    unit.tx.prefetch(others_ahead(unit, (player.player_id for player in drawn), keys))
    return Suggestions(suggestions=tuple(_suggestion_row(unit, player, keys) for player in drawn))


def _strangers(unit: Unit, me: Player, wanted: int) -> list[Player]:
    found: list[Player] = []
    stop: tuple[int, str] | None = None
    for _ in range(_SCANNED // _CHUNK):
        chunk = unit.tx.scan(RECENTLY_SEEN, stop=stop, reverse=True, limit=_CHUNK)
        unit.tx.prefetch((RELATIONS, pair(me.player_id, player.player_id)) for player in chunk)
        for player in chunk:
            if player.player_id == me.player_id or player.banned or player.registered_at is None:
                continue
            relation = relation_between(unit, me, player)
            if relation.friendship == "none" and not is_blocked(relation):
                found.append(player)
                if len(found) == wanted:
                    return found
        if len(chunk) < _CHUNK:
            break
        stop = (chunk[-1].last_seen_at, chunk[-1].player_id)
    return found


def _suggestion_row(unit: Unit, player: Player, keys: tuple[str, ...] | Absent) -> SuggestionRow:
    presence = presence_of(unit, player)
    return SuggestionRow(
        external_player_id=player.external_id,
        display_identity=display(player),
        online=presence.online,
        last_active_at=presence.last_active_at,
        status=presence.status,
        progression=progression_row(unit, player, keys),
    )
