"""Finding people: search by name, and suggestions of players who were around lately.

Neither ever shows the caller, a banned player, or somebody with a block between the two. Search matches the beginning of any
word of the name that others see, without case. Suggestions are a weighted sample, drawn anew at each call, in which a player
seen an hour ago is twice as likely as one seen three hours ago; friends and players with an open request are left out
(specification 4.1, rules 2 and 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.shapes import Absent
from livecore.kernel.time import HOUR, Millis
from livecore.kernel.unit import Unit
from livecore.players.identity import SEARCH_BY_TEXT, display, fold
from livecore.players.player import PLAYERS, RECENTLY_SEEN, Player, acting
from livecore.players.seen import presence_of
from livecore.social.friends import check_progression, progression_row
from livecore.social.graph import relation_between
from livecore.social.relations import Standing, is_blocked, side_of, standing_of
from livecore.social.rows import Search, SearchHit, SearchHits, Suggest, SuggestionRow, Suggestions

__all__ = ["search", "suggestions"]

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


def search(unit: Unit, args: Search) -> SearchHits:
    """Players whose name has a word that begins with the query, in the order of the names."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    hits: list[SearchHit] = []
    for other in _named(unit, _query(args.q)):
        if len(hits) == args.limit:
            break
        if other.player_id == me.player_id or other.banned:
            continue
        relation = relation_between(unit, me, other)
        if is_blocked(relation):
            continue
        hits.append(
            SearchHit(
                external_player_id=other.external_id,
                display_identity=display(other),
                relationship=_RELATIONSHIPS[standing_of(relation, side_of(relation, me.player_id))],
                progression=progression_row(unit, other, keys),
            )
        )
    return SearchHits(players=tuple(hits))


def _named(unit: Unit, query: str) -> Iterator[Player]:
    seen: set[str] = set()
    after: tuple[str, str] | None = None
    for _ in range(_SCANNED // _CHUNK):
        entries = unit.tx.scan(
            SEARCH_BY_TEXT, start=None if after else (query,), after=after, stop=(query + _END,), limit=_CHUNK
        )
        for entry in entries:
            player = None if entry.player_id in seen else unit.tx.get(PLAYERS, entry.player_id)
            seen.add(entry.player_id)
            if player is not None:
                yield player
        if len(entries) < _CHUNK:
            return
        after = (entries[-1].text, entries[-1].player_id)


# -- suggestions ----------------------------------------------------------------------------------------------------------


def _weight(last_seen_at: Millis, now: Millis) -> float:
    return 1.0 / (1.0 + max(0, now - last_seen_at) / HOUR)


def suggestions(unit: Unit, args: Suggest) -> Suggestions:
    """A fresh sample of players who were around lately and have nothing to do with the caller yet."""
    keys = check_progression(unit, args.progression)
    me = acting(unit)
    candidates = _strangers(unit, me, args.limit * 8)
    weights = [_weight(player.last_seen_at, unit.now) for player in candidates]
    drawn = unit.entropy.weighted_sample(candidates, weights, args.limit)
    return Suggestions(suggestions=tuple(_suggestion_row(unit, player, keys) for player in drawn))


def _strangers(unit: Unit, me: Player, wanted: int) -> list[Player]:
    found: list[Player] = []
    stop: tuple[int, str] | None = None
    for _ in range(_SCANNED // _CHUNK):
        chunk = unit.tx.scan(RECENTLY_SEEN, stop=stop, reverse=True, limit=_CHUNK)
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
