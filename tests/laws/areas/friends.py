"""Friend requests and friendships (specification 3.1, 4.1), and the graph on which blocks and gifts stand as well."""

from __future__ import annotations

from typing import Final, Literal

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.economy import Holdings, kinds_of
from tests.laws.areas.players import is_shown_present
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, equal, newest_first, stamp
from tests.laws.routes import Body

__all__ = ["AREA", "Graph", "Pair", "check_progression", "is_shown_near", "target"]


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


# -- asking ---------------------------------------------------------------------------------------------------------------


def _send_request(call: Call) -> Reply:
    """Add: a new request, the same one again, or a friendship where the other had asked first."""
    other, graph = target(call, "cannot_friend_self"), call.scope.part(Graph)
    pair = graph.pair(call.player, other.name)
    if pair.blocked_at:
        raise Refused(403, "player_blocked")
    if pair.state == "friends":
        raise Refused(409, "already_friends")
    if pair.state == "asked" and pair.asker == other.name:
        return _befriend(call, pair, other, "pending -add-> friends")
    if pair.state == "asked":
        return Reply(
            200,
            check=lambda data: _is_request(data, pair.request_id, other.name, pair.since),
            move="pending -add-> pending",
        )
    _room(call, call.me)
    asked = [other for other, pair in graph.of(call.player) if (pair.state, pair.asker) == ("asked", call.player)]
    if len(asked) >= call.scope.config.get("social", {}).get("maxOutgoingRequests", 100):
        raise Refused(409, "request_limit_reached")
    pair.state, pair.since, pair.asker = "asked", call.now, call.player

    def learn(data: Body) -> None:
        pair.request_id = data["request"]["requestId"]
        assert pair.request_id is not None
        assert pair.request_id.startswith("frq_")
        _is_request(data, pair.request_id, other.name, call.now)

    return Reply(201, ("friend.request_sent",), learn, "none -add-> pending")


def _is_request(data: Body, request_id: str | None, other: str, since: int) -> None:
    row = data["request"]
    assert data["status"] == "pending"
    assert (row["requestId"], row["direction"], row["player"]["externalPlayerId"]) == (request_id, "outgoing", other)
    assert stamp(row["createdAt"]) == since


def _room(call: Call, *players: Player) -> None:
    for player in players:
        friends = call.scope.part(Graph).friends_of(player.name)
        if len(friends) >= call.scope.config.get("social", {}).get("maxFriends", 500):
            raise Refused(409, "friend_limit_reached")


def _befriend(call: Call, pair: Pair, other: Player, move: str) -> Reply:
    """The two become friends, by the caller's doing."""
    _room(call, call.me, other)
    pair.state, pair.since, pair.acceptor = "friends", call.now, call.player
    return Reply(200, ("friend.request_accepted",), lambda data: _is_friend(call, data["friend"], other.name), move)


# -- answering ------------------------------------------------------------------------------------------------------------


def _of_request(call: Call) -> tuple[Pair, str]:
    for other, pair in call.scope.part(Graph).of(call.player):
        if pair.request_id == call["requestId"]:
            return pair, other
    raise Refused(404, "friend_request_not_found")


def _accept(call: Call) -> Reply:
    """Accept: once it makes friends, for who accepted it shows the friend again, for everybody else it is not there."""
    pair, other = _of_request(call)
    if pair.state == "friends" and pair.acceptor == call.player:
        return Reply(check=lambda data: _is_friend(call, data["friend"], other), move="friends -accept again-> friends")
    if pair.state != "asked" or pair.asker != other:
        raise Refused(404, "friend_request_not_found")
    return _befriend(call, pair, call.scope.players[other], "pending -accept-> friends")


def _end(call: Call, *, by_asker: bool) -> Reply:
    pair, other = _of_request(call)
    if pair.state != "asked" or (pair.asker == call.player) is not by_asker:
        raise Refused(404, "friend_request_not_found")
    ended = pair.request_id
    pair.state, pair.request_id = "none", None

    def check(data: Body) -> None:
        assert data["request"]["requestId"] == ended
        assert data["request"]["player"]["externalPlayerId"] == other

    return Reply(check=check, move=f"pending -{'cancel' if by_asker else 'decline'}-> none")


def _remove(call: Call) -> Reply:
    """End a friendship; whoever is no friend, or nobody at all, is not found."""
    name = call["friendExternalId"]
    if name not in call.scope.players or name == call.player:
        raise Refused(404, "friend_not_found")
    pair = call.scope.part(Graph).pair(call.player, name)
    if pair.state != "friends":
        raise Refused(404, "friend_not_found")
    pair.state, pair.request_id = "none", None
    return Reply(200, ("friend.removed",), lambda data: equal(data, {"removed": True}), "friends -remove-> none")


# -- reading --------------------------------------------------------------------------------------------------------------


def _is_friend(call: Call, row: Body, name: str) -> None:
    pair, other = call.scope.part(Graph).pair(call.player, name), call.scope.players[name]
    assert (row["externalPlayerId"], stamp(row["friendsSince"])) == (name, pair.since)
    cooldown_ms = int(call.scope.config["gifting"]["cooldownSeconds"]) * 1000
    until = pair.gifted_at.get(call.player, -(2**60)) + cooldown_ms
    shown = row.get("giftCooldownUntil")
    assert (None if shown is None else stamp(shown)) == (until if call.now < until else None)
    is_shown_near(call, row, other)


def is_shown_near(call: Call, row: Body, other: Player) -> None:
    """A row shows another player's presence, and as much of their progression as was asked for."""
    is_shown_present(call, row, other)
    if call["progression"] is not None:
        holdings = other.part(Holdings)
        held = {key: holdings.amount(("currency", key)) for key in ("gold", "xp")}
        assert row["progression"] == {key: held[key] for key in call["progression"]}


def check_progression(call: Call) -> None:
    """Only keys that the game defines can be asked for."""
    if any(key not in kinds_of(call.scope) for key in call["progression"] or []):
        raise Refused(400, "validation_failed")


def _list(call: Call) -> Reply:
    """Friends, newest first, with presence and cooldown."""
    check_progression(call)
    names = call.scope.part(Graph).friends_of(call.player)

    def check(data: Body) -> None:
        rows = data["friends"]
        assert sorted(row["externalPlayerId"] for row in rows) == sorted(names)
        newest_first(row["friendsSince"] for row in rows)
        for row in rows:
            _is_friend(call, row, row["externalPlayerId"])

    return Reply(check=check)


def _list_requests(call: Call) -> Reply:
    """Open requests, both ways."""
    pairs = [(other, pair) for other, pair in call.scope.part(Graph).of(call.player) if pair.state == "asked"]

    def check(data: Body) -> None:
        for direction, mine in (("outgoing", True), ("incoming", False)):
            expected = {(pair.request_id, other) for other, pair in pairs if (pair.asker == call.player) is mine}
            found = {(row["requestId"], row["player"]["externalPlayerId"]) for row in data[direction]}
            assert found == expected
            assert {row["direction"] for row in data[direction]} <= {direction}
            newest_first(row["createdAt"] for row in data[direction])

    return Reply(check=check)


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


def _is_exported(call: Call, data: Body) -> None:
    states = [pair.state for _, pair in call.scope.part(Graph).of(call.player)]
    assert len(data["friends"]) == states.count("friends")
    assert len(data["friendRequests"]) == states.count("asked")


# -- the area -------------------------------------------------------------------------------------------------------------

AREA: Final = Area(
    operations=(
        Operation("sdk:friends.sendRequest", _send_request),
        Operation("sdk:friends.acceptRequest", _accept),
        Operation("sdk:friends.declineRequest", lambda call: _end(call, by_asker=False)),
        Operation("sdk:friends.cancelRequest", lambda call: _end(call, by_asker=True)),
        Operation("sdk:friends.remove", _remove),
        Operation("sdk:friends.list", _list),
        Operation("server:friends.list", _list),
        Operation("sdk:friends.listRequests", _list_requests),
        Operation("server:friends.listRequests", _list_requests),
    ),
    on_merge=_on_merge,
    on_erase=_on_erase,
    is_exported=_is_exported,
)
