"""Suggestions: a weighted sample of recently active players who have no relation to the caller.

A player's weight falls with the hours since the last activity, 1 / (1 + hours): a player seen an hour ago is drawn twice as
often as one seen three hours ago. The most recently seen players are read directly. If there are more players, *probes*
sample the rest. Each probe takes a random moment of the last 30 days, recent moments with a higher probability by the same
rule. It reads the few players who were seen last before that moment. They represent all players around that moment: the
closer together in time they are, the more players there must be, and the greater is the weight of each. So every player who
was active in those days can be drawn, and a call reads about two hundred rows, however many players there are.

Most of these may be friends of the caller, or blocked, or not discoverable. Then further recent players are read, up to a
few thousand, until there are enough (specification 4.1, rule 2). Where a game leaves it to its players to be discoverable,
only those who have chosen so are read at all.

Who is drawn often was there lately. So the weight of a player whose presence strangers do not see falls by whole days. Of
such players only some of the most recently seen are candidates, each with the weight of as many as one whom a probe finds
represents: whoever was a candidate in every call would be known to be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import log
from statistics import fmean
from typing import Final, TypeAlias

from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.tables import Key
from livecore.kernel.time import DAY, HOUR, Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import Absent
from livecore.players.config import players_config
from livecore.players.player import FINDABLE, RECENTLY_SEEN, Player, acting
from livecore.players.privacy import is_discoverable
from livecore.social.others import bring_progression, check_progression, progression_row
from livecore.social.relations import RELATIONS, Relation, is_blocked, pair
from livecore.social.rows import Suggest, SuggestionRow, Suggestions
from livecore.social.sight import identity_shown, presence_shown, strangers_see_presence

_NEWEST: Final = 100
_PROBES: Final = 24
_OF_PROBE: Final = 4
_HORIZON: Final[Millis] = 30 * DAY
_FURTHER: Final = 500
_MOST_ROUNDS: Final = 8
"""How many further pages of recent players are read: several times the friends and blocks that a player may have."""
_Weighed: TypeAlias = "tuple[Player, float]"


def _newest(unit: Unit) -> Scan[Player]:
    """The most recently seen players who may be suggested."""
    return _seen(unit, reverse=True, limit=_NEWEST)


def _oldest(unit: Unit) -> Scan[Player]:
    """The least recently seen player who may be suggested."""
    return _seen(unit, start=(unit.now - _HORIZON,), limit=1)


def _seen(
    unit: Unit, *, limit: int, start: Key | None = None, stop: Key | None = None, reverse: bool = False
) -> Scan[Player]:
    """Players by when they were seen last: all, or, in a game where players are found if they choose so, those who do."""
    if players_config(unit).privacy_of_players.discoverable:
        return Scan(RECENTLY_SEEN, (), start=start, stop=stop, reverse=reverse, limit=limit)
    return Scan(FINDABLE, (True,), start=start, stop=stop, reverse=reverse, limit=limit)


def suggestions(unit: Unit, args: Suggest) -> Suggestions:
    """A fresh sample, of at most `limit` players."""
    keys = check_progression(unit, args.progression)
    drawn = list(islice(_strangers(unit, acting(unit)), args.limit))
    bring_progression(unit, (player.player_id for player in drawn), keys)
    return Suggestions(suggestions=tuple(_row(unit, player, keys) for player in drawn))


def _row(unit: Unit, player: Player, keys: tuple[str, ...] | Absent) -> SuggestionRow:
    presence = presence_shown(unit, player, friend=False)
    return SuggestionRow(
        external_player_id=player.external_id,
        display_identity=identity_shown(unit, player, friend=False),
        online=presence.online,
        last_active_at=presence.last_active_at,
        status=presence.status,
        progression=progression_row(unit, player, keys, friend=False),
    )


# -- drawing --------------------------------------------------------------------------------------------------------------


def _strangers(unit: Unit, me: Player) -> Iterator[Player]:
    """The players whom the caller may be shown, each once, in a random order by weight."""
    asked = {me.player_id}
    for weighed in _rounds(unit):
        fresh = [item for name, item in weighed.items() if name not in asked and _is_around(unit, item[0])]
        asked.update(player.player_id for player, _ in fresh)
        drawn = [
            player for player, _ in unit.entropy.weighted_sample(fresh, [weight for _, weight in fresh], len(fresh))
        ]
        relations = unit.tx.read_all(Get(RELATIONS, pair(me.player_id, player.player_id)) for player in drawn)
        yield from (player for player, relation in zip(drawn, relations, strict=True) if _are_strangers(relation))


def _is_around(unit: Unit, player: Player) -> bool:
    return player.registered_at is not None and not player.banned and is_discoverable(unit, player)


def _are_strangers(relation: Relation | None) -> bool:
    return relation is None or (relation.friendship == "none" and not is_blocked(relation))


def _rounds(unit: Unit) -> Iterator[dict[str, _Weighed]]:
    """Candidates by id, with their weights: the most recent ones and those of the probes, then further ones as needed."""
    newest = found = unit.tx.scanned(_newest(unit))
    if len(found) < _NEWEST:
        yield _united(_weighed(unit, found))
        return
    probed = list(_probed(unit, found[-1]))
    if not probed:
        found = [*found, *_beyond(unit, found[-1])]
    yield _united(chain(_thinned(unit, found, probed), probed))
    for _ in range(_MOST_ROUNDS):
        found = _beyond(unit, found[-1])
        yield _united(_weighed(unit, found))
        if len(found) < _FURTHER:
            break
    yield _united(_weighed(unit, newest))  # whoever was no candidate before


def _beyond(unit: Unit, player: Player) -> list[Player]:
    return unit.tx.scanned(_seen(unit, stop=(player.last_seen_at, player.player_id), reverse=True, limit=_FURTHER))


def _weighed(unit: Unit, players: Iterable[Player]) -> Iterator[_Weighed]:
    return ((player, 1.0 / (1.0 + _age_shown(unit, player))) for player in players)


def _thinned(unit: Unit, newest: Iterable[Player], probed: Sequence[_Weighed]) -> Iterator[_Weighed]:
    """The newest players, weighed; of those who hide their presence only some, each in the place of several."""
    hiding = [item for item in probed if not strangers_see_presence(unit, item[0])]
    # How many players one whom a probe has found represents.
    several = max(1.0, fmean(weight * (1.0 + _age_shown(unit, player)) for player, weight in hiding)) if hiding else 1.0
    for player, weight in _weighed(unit, newest):
        if strangers_see_presence(unit, player):
            yield player, weight
        elif unit.entropy.unit_interval() * several < 1.0:
            yield player, weight * several


def _age_shown(unit: Unit, player: Player) -> float:
    """How many hours ago the player was seen; in whole days where strangers are not told, and the draw must not tell.

    Those days end at midnight, and the one that has begun counts with the one before: whole days since the player was seen
    would tell the hour when one more is over, and a day that has just begun would tell who is there.
    """
    if strangers_see_presence(unit, player):
        return _age(unit, player.last_seen_at)
    return 24.0 * max(0, unit.now // DAY - player.last_seen_at // DAY - 1)


def _blur(unit: Unit, player: Player) -> float:
    """What the weight by the age that is shown is of the weight by the real one, by which the probes have found a player."""
    return (1.0 + _age(unit, player.last_seen_at)) / (1.0 + _age_shown(unit, player))


def _united(weighed: Iterable[_Weighed]) -> dict[str, _Weighed]:
    """Each player once: a player whom several probes found gets the sum of the weights."""
    united: dict[str, _Weighed] = {}
    for player, weight in weighed:
        _, before = united.get(player.player_id, (player, 0.0))
        united[player.player_id] = player, before + weight
    return united


def _age(unit: Unit, at: Millis) -> float:
    """How many hours ago `at` was."""
    return max(0, unit.now - at) / HOUR


# -- probes ---------------------------------------------------------------------------------------------------------------


def _probe(unit: Unit, at: Millis) -> Scan[Player]:
    return _seen(unit, stop=(at,), reverse=True, limit=_OF_PROBE)


def _probed(unit: Unit, newest: Player) -> Iterator[_Weighed]:
    """Players seen before `newest`, each with the weight of all whom they represent; none where all have one time."""
    oldest = unit.tx.scanned(_oldest(unit))
    first = 1.0 + _age(unit, newest.last_seen_at)
    span = (1.0 + _age(unit, oldest[0].last_seen_at)) / first if oldest else 0.0
    if span <= 1.0:
        return
    ages = [first * span ** unit.entropy.unit_interval() - 1.0 for _ in range(_PROBES)]
    moments = [unit.now - int(age * HOUR) for age in ages]
    for at, found in zip(moments, unit.tx.read_all(_probe(unit, at) for at in moments), strict=True):
        if found:
            # The choice of the moments already applies the weight by age; what is left is the number of players for each
            # hour at that moment. The last player found marks the end of the time in which the others were seen.
            an_hour = max(1, len(found) - 1) * HOUR / (at - found[-1].last_seen_at)
            each = log(span) * an_hour / (_PROBES * len(found))
            yield from ((player, each * _blur(unit, player)) for player in found)
