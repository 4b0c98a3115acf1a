"""How two players stand to each other: the graph on which friends, blocks and gifts all stand (specification 3.1).

It has no operation of its own. A merge makes of two pairs one; an erasure takes every pair of the player.
"""

from __future__ import annotations

from typing import Final, Literal

import attrs

from tests.laws.area import Area
from tests.laws.model_state import Call, Player, Refused, Scope

# -- state ----------------------------------------------------------------------------------------------------------------


@attrs.define(eq=False)
class Pair:
    """Two players: who asked, since when they are friends, who blocks whom, who gifted whom when."""

    state: Literal["none", "asked", "friends"] = "none"
    since: int = 0
    asker: str = ""
    acceptor: str = ""
    request_id: str | None = None
    blocked_at: dict[str, int] = attrs.field(factory=dict)
    """By who set the block."""
    gifted_at: dict[str, int] = attrs.field(factory=dict)
    """By who sent the gift."""


@attrs.define
class Graph:
    """How the players of a scope stand to each other, and the codes by which they find each other."""

    pairs: dict[frozenset[str], Pair] = attrs.field(factory=dict)
    codes: dict[Player, str] = attrs.field(factory=dict)

    def pair(self, one: str, other: str) -> Pair:
        """How two players stand to each other."""
        return self.pairs.setdefault(frozenset((one, other)), Pair())

    def of(self, name: str) -> list[tuple[str, Pair]]:
        """Everybody whom a player has something to do with."""
        return [
            (next(iter(names - {name})), pair)
            for names, pair in self.pairs.items()
            if name in names and len(names) == 2
        ]

    def friends_of(self, name: str) -> list[str]:
        """The names of a player's friends."""
        return [other for other, pair in self.of(name) if pair.state == "friends"]


def target(call: Call, self_code: str) -> Player:
    """The player whom a body names by exactly one of friend code and id."""
    code, name = call["friendCode"], call["externalPlayerId"]
    if (code is None) == (name is None):
        raise Refused(400, "validation_failed")
    if name is not None:
        if name == call.player:
            raise Refused(400, self_code)
        return call.scope.known(name)
    codes = call.scope.part(Graph).codes
    for player in call.scope.players.values():
        if codes.get(player) == code:
            if player is call.me:
                raise Refused(400, self_code)
            return player
    raise Refused(404, "friend_code_invalid")


# -- merging, erasing, exporting ------------------------------------------------------------------------------------------

_RANK: Final = {"friends": 0, "asked": 1, "none": 2}


def _on_merge(scope: Scope, source: Player, target: Player, _now: int) -> list[str]:
    """What the two were to each other goes; towards everybody else their pairs become one."""
    graph, old, new = scope.part(Graph), source.name, target.name
    graph.pairs.pop(frozenset((old, new)), None)
    for other, pair in graph.of(old):
        del graph.pairs[frozenset((old, other))]
        for names in (pair.blocked_at, pair.gifted_at):
            if old in names:
                names[new] = names.pop(old)
        pair.asker = new if pair.asker == old else pair.asker
        pair.acceptor = new if pair.acceptor == old else pair.acceptor
        graph.pairs[frozenset((new, other))] = _united(pair, graph.pair(new, other))
    return []


def _united(one: Pair, other: Pair) -> Pair:
    """Any block wins, then a friendship, then a request, and of two alike the older one stands."""
    stands = min(one, other, key=lambda pair: (_RANK[pair.state], pair.since, pair.request_id or ""))
    both = {**one.blocked_at, **other.blocked_at}
    united = Pair(
        stands.state,
        stands.since,
        stands.asker,
        stands.acceptor,
        stands.request_id,
        {name: min(pair.blocked_at[name] for pair in (one, other) if name in pair.blocked_at) for name in both},
        {
            name: max(pair.gifted_at.get(name, 0) for pair in (one, other))
            for name in {**one.gifted_at, **other.gifted_at}
        },
    )
    if united.blocked_at:
        united.state, united.request_id = "none", None
    return united


def _on_erase(scope: Scope, player: Player, _now: int) -> list[str]:
    graph = scope.part(Graph)
    for other, _ in graph.of(player.name):
        del graph.pairs[frozenset((player.name, other))]
    return []


AREA: Final = Area(operations=(), on_merge=_on_merge, on_erase=_on_erase)
