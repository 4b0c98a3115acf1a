"""Friend requests and friendships (specification 3.1 and 4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.laws.area import Area, Named, Operation, Pages, plainly
from tests.laws.areas.economy import Holdings, kinds_of
from tests.laws.areas.players import Profile, is_shown_as, is_shown_present
from tests.laws.areas.privacy import presence_shown
from tests.laws.areas.relations import Graph, Pair, target
from tests.laws.drawing import PLAYERS, Draw
from tests.laws.model_state import SYSTEM_KEYS, Call, Player, Refused, Reply, equal, newest_first, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step

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
        # Sessions and streaks say when somebody was there.
        profile, hidden = other.part(Profile), presence_shown(call, other) == "nothing"
        held["sessions"] = 0 if hidden else profile.sessions
        held["login_streak"] = 0 if hidden else profile.streak_on(call.now)
        assert row["progression"] == {key: held[key] for key in call["progression"]}


def check_progression(call: Call) -> None:
    """Only keys that the game defines can be asked for."""
    if any(key not in kinds_of(call.scope) and key not in SYSTEM_KEYS for key in call["progression"] or []):
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
            for row in data[direction]:
                other = row["player"]
                is_shown_as(call, other["displayIdentity"], call.scope.players[other["externalPlayerId"]])
            newest_first(row["createdAt"] for row in data[direction])

    return Reply(check=check)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _ask_and_accept(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.sendRequest", one, key=d.key(), **d.target(other))
    if d.one_in(3):
        yield d.call("sdk:friends.sendRequest", other, key=d.key(), **d.target(one))
    else:
        yield d.call("sdk:friends.acceptRequest", other, key=d.key(), requestId="@request:-1")


def _ask(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    if d.one_in(2):
        yield d.call("sdk:friends.remove", one, friendExternalId=other)
    yield d.call("sdk:friends.sendRequest", one, key=d.key(), **d.target(one if d.one_in(15) else other))
    verb = d.of("accept", "decline", "cancel", "cancel")
    if not d.one_in(4):
        yield d.call(f"sdk:friends.{verb}Request", one if verb == "cancel" else other, requestId="@request:-1")


def _answer(d: Draw) -> Iterator[Step]:
    verb = d.of("accept", "decline", "cancel")
    yield d.call(f"sdk:friends.{verb}Request", d.one(), key=d.key(), requestId=d.ref("request"))


def _popular(d: Draw) -> Iterator[Step]:
    """One player asks all others, so that the limits of a social graph are met."""
    one = d.one()
    others = [name for name in PLAYERS if name != one]
    for other in others:
        yield d.call("sdk:friends.remove", one, friendExternalId=other)
    for other in others:
        yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
        if d.one_in(4):
            yield d.call("sdk:friends.acceptRequest", other, requestId="@request:-1")


def _part(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.remove", one, key=d.key(), friendExternalId=d.of(other, other, other, one, "nobody"))


def become_friends(d: Draw, one: str, other: str) -> Iterator[Step]:
    """Two players, who register if they have not, become friends unless something is in the way."""
    for name in (one, other):
        yield d.call("sdk:players.register", name)
    yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)


def with_progression(d: Draw) -> dict[str, Any]:
    """To read friends, with or without what they have."""
    return {"progression": ["gold", "xp", "sessions", "login_streak"]} if d.one_in(2) else {}


def _ill_formed(d: Draw) -> list[Step]:
    one, other = d.two()
    return [
        d.call("sdk:friends.sendRequest", one, friendCode="AAAAAA", externalPlayerId=other),
        d.call("sdk:friends.list", one, progression=["gold", "doubloons"]),
    ]


# -- the area -------------------------------------------------------------------------------------------------------------


def _is_exported(call: Call, data: Body) -> None:
    states = [pair.state for _, pair in call.scope.part(Graph).of(call.player)]
    assert len(data["friends"]) == states.count("friends")
    assert len(data["friendRequests"]) == states.count("asked")


_REQUESTS: Final = Pages("incoming", ({}, {"direction": "incoming"}))

AREA: Final = Area(
    operations=(
        Operation(
            "sdk:friends.sendRequest",
            _send_request,
            refuses=(
                "already_friends cannot_friend_self friend_code_invalid friend_limit_reached "
                "player_blocked request_limit_reached validation_failed"
            ),
        ),
        Operation(
            "sdk:friends.acceptRequest",
            _accept,
            refuses="friend_request_not_found",
            seldom="friend_limit_reached",
            names=Named("requestId", ("request",), "friend_request_not_found"),
        ),
        Operation(
            "sdk:friends.declineRequest",
            lambda call: _end(call, by_asker=False),
            refuses="friend_request_not_found",
            names=Named("requestId", ("request",), "friend_request_not_found"),
        ),
        Operation(
            "sdk:friends.cancelRequest",
            lambda call: _end(call, by_asker=True),
            refuses="friend_request_not_found",
            names=Named("requestId", ("request",), "friend_request_not_found"),
        ),
        Operation("sdk:friends.remove", _remove, refuses="friend_not_found"),
        Operation(
            "sdk:friends.list", _list, read_with=with_progression, refuses="validation_failed", pages=Pages("friends")
        ),
        Operation("server:friends.list", _list, read_with=with_progression, pages=Pages("friends")),
        Operation("sdk:friends.listRequests", _list_requests, read_with=plainly, pages=_REQUESTS),
        Operation("server:friends.listRequests", _list_requests, read_with=plainly, pages=_REQUESTS),
    ),
    transitions=(
        "none -add-> pending",
        "pending -add-> pending",
        "pending -add-> friends",
        "pending -accept-> friends",
        "friends -accept again-> friends",
        "pending -decline-> none",
        "pending -cancel-> none",
        "friends -remove-> none",
    ),
    is_exported=_is_exported,
    scenes=((10, _ask_and_accept), (8, _ask), (3, _answer), (6, _part), (2, _popular)),
    ill_formed=_ill_formed,
    ids=lambda _, data: [("request", data["request"]["requestId"])] if "request" in data else [],
)
