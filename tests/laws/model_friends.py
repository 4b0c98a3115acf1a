"""The model of friendship, blocks and finding people, from the specification's 3.1 and 4.1."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from tests.laws.model_state import Call, Pair, Player, Refused, Reply, stamp
from tests.laws.routes import Body

__all__ = ["FRIENDS", "target"]


def target(call: Call, self_code: str) -> Player:
    """The player whom a body names by exactly one of friend code and id."""
    code, name = call["friendCode"], call["externalPlayerId"]
    if (code is None) == (name is None):
        raise Refused(400, "validation_failed")
    if name is not None:
        if name == call.player:
            raise Refused(400, self_code)
        return call.scope.known(name)
    for player in call.scope.players.values():
        if player.code == code:
            if player is call.me:
                raise Refused(400, self_code)
            return player
    raise Refused(404, "friend_code_invalid")


# -- asking ---------------------------------------------------------------------------------------------------------------


def send_request(call: Call) -> Reply:
    """Add: a new request, the same one again, or a friendship where the other had asked first."""
    other = target(call, "cannot_friend_self")
    pair = call.scope.pair(call.player, other.name)
    if pair.blocked_at:
        raise Refused(403, "player_blocked")
    if pair.state == "friends":
        raise Refused(409, "already_friends")
    if pair.state == "asked" and pair.asker == other.name:
        return befriend(call, pair, other, "pending -add-> friends")
    if pair.state == "asked":
        return Reply(
            200,
            check=lambda data: _is_request(data, pair.request_id, other.name, pair.since),
            move="pending -add-> pending",
        )
    _room(call, call.me)
    asked = [
        other for other, pair in call.scope.pairs_of(call.player) if (pair.state, pair.asker) == ("asked", call.player)
    ]
    if len(asked) >= call.scope.social("maxOutgoingRequests", 100):
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
        if len(call.scope.friends_of(player.name)) >= call.scope.social("maxFriends", 500):
            raise Refused(409, "friend_limit_reached")


def befriend(call: Call, pair: Pair, other: Player, move: str) -> Reply:
    """The two become friends, by the caller's doing."""
    _room(call, call.me, other)
    pair.state, pair.since, pair.acceptor = "friends", call.now, call.player
    return Reply(200, ("friend.request_accepted",), lambda data: _is_friend(call, data["friend"], other.name), move)


# -- answering ------------------------------------------------------------------------------------------------------------


def _of_request(call: Call) -> tuple[Pair, str]:
    for other, pair in call.scope.pairs_of(call.player):
        if pair.request_id == call["requestId"]:
            return pair, other
    raise Refused(404, "friend_request_not_found")


def accept(call: Call) -> Reply:
    """Accept: once it makes friends, for who accepted it shows the friend again, for everybody else it is not there."""
    pair, other = _of_request(call)
    if pair.state == "friends" and pair.acceptor == call.player:
        return Reply(check=lambda data: _is_friend(call, data["friend"], other), move="friends -accept again-> friends")
    if pair.state != "asked" or pair.asker != other:
        raise Refused(404, "friend_request_not_found")
    return befriend(call, pair, call.scope.players[other], "pending -accept-> friends")


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


def remove(call: Call) -> Reply:
    """End a friendship; whoever is no friend, or nobody at all, is not found."""
    name = call["friendExternalId"]
    if name not in call.scope.players or name == call.player:
        raise Refused(404, "friend_not_found")
    pair = call.scope.pair(call.player, name)
    if pair.state != "friends":
        raise Refused(404, "friend_not_found")
    pair.state, pair.request_id = "none", None
    return Reply(200, ("friend.removed",), lambda data: _equal(data, {"removed": True}), "friends -remove-> none")


def block(call: Call) -> Reply:
    """Block: ends friendship and request; told only when a friendship broke."""
    other = target(call, "cannot_block_self")
    pair = call.scope.pair(call.player, other.name)
    since = pair.blocked_at.get(call.player, call.now)
    reply = Reply(200, check=lambda data: _is_block(data["block"], other.name, since), move="blocked -block-> blocked")
    if call.player in pair.blocked_at:
        return reply
    mine = [pair for _, pair in call.scope.pairs_of(call.player) if call.player in pair.blocked_at]
    if len(mine) >= call.scope.social("maxBlocks", 500):
        raise Refused(409, "block_limit_reached")
    events = ("friend.removed",) if pair.state == "friends" else ()
    before = {"none": "none", "asked": "pending", "friends": "friends"}[pair.state]
    pair.blocked_at[call.player] = call.now
    pair.state, pair.request_id = "none", None
    return Reply(201, events, reply.check, f"{before} -block-> blocked")


def unblock(call: Call) -> Reply:
    """Lift one's own block, and nothing else."""
    pair = call.scope.pairs.get(frozenset((call.player, call["blockedExternalId"])), Pair())
    if call.player not in pair.blocked_at:
        raise Refused(404, "block_not_found")
    del pair.blocked_at[call.player]
    return Reply(check=lambda data: _equal(data, {"unblocked": True}), move="blocked -unblock-> none")


# -- reading --------------------------------------------------------------------------------------------------------------


def _equal(found: object, expected: object) -> None:
    assert found == expected


def _is_block(row: Body, other: str, at: int) -> None:
    assert (row["externalPlayerId"], stamp(row["blockedAt"])) == (other, at)


def _is_friend(call: Call, row: Body, name: str) -> None:
    pair, other = call.scope.pair(call.player, name), call.scope.players[name]
    assert (row["externalPlayerId"], stamp(row["friendsSince"])) == (name, pair.since)
    until = pair.gifted_at.get(call.player, -(2**60)) + int(call.scope.gifting["cooldownSeconds"]) * 1000
    shown = row.get("giftCooldownUntil")
    assert (None if shown is None else stamp(shown)) == (until if call.now < until else None)
    _is_present(call, row, other)


def _is_present(call: Call, row: Body, other: Player) -> None:
    online = other.beat_at is not None and call.now - other.beat_at <= 90_000
    assert row["online"] is online
    assert (None if row["lastActiveAt"] is None else stamp(row["lastActiveAt"])) == other.beat_at
    if online:
        assert row["status"] == other.label
    if call["progression"] is not None:
        held = {"gold": other.holds(("currency", "gold")), "xp": other.holds(("currency", "xp"))}
        assert row["progression"] == {key: held[key] for key in call["progression"]}


def list_friends(call: Call) -> Reply:
    """Friends, newest first, with presence and cooldown."""
    _keys(call)
    names = call.scope.friends_of(call.player)

    def check(data: Body) -> None:
        rows = data["friends"]
        assert sorted(row["externalPlayerId"] for row in rows) == sorted(names)
        _newest_first(row["friendsSince"] for row in rows)
        for row in rows:
            _is_friend(call, row, row["externalPlayerId"])

    return Reply(check=check)


def _newest_first(times: Iterable[str]) -> None:
    shown = list(times)
    assert shown == sorted(shown, reverse=True)


def _keys(call: Call) -> None:
    keys = call["progression"] or []
    if any(key not in call.scope.economy for key in keys):
        raise Refused(400, "validation_failed")


def list_requests(call: Call) -> Reply:
    """Open requests, both ways."""
    pairs = [(other, pair) for other, pair in call.scope.pairs_of(call.player) if pair.state == "asked"]

    def check(data: Body) -> None:
        for direction, mine in (("outgoing", True), ("incoming", False)):
            expected = {(pair.request_id, other) for other, pair in pairs if (pair.asker == call.player) is mine}
            found = {(row["requestId"], row["player"]["externalPlayerId"]) for row in data[direction]}
            assert found == expected
            assert {row["direction"] for row in data[direction]} <= {direction}
            _newest_first(row["createdAt"] for row in data[direction])

    return Reply(check=check)


def list_blocks(call: Call) -> Reply:
    """One's own blocks, newest first."""
    blocks = {
        other: pair.blocked_at for other, pair in call.scope.pairs_of(call.player) if call.player in pair.blocked_at
    }

    def check(data: Body) -> None:
        assert sorted(row["externalPlayerId"] for row in data["blocks"]) == sorted(blocks)
        _newest_first(row["blockedAt"] for row in data["blocks"])
        for row in data["blocks"]:
            _is_block(row, row["externalPlayerId"], blocks[row["externalPlayerId"]][call.player])

    return Reply(check=check)


def _relationship(call: Call, other: str) -> str:
    pair = call.scope.pair(call.player, other)
    if pair.state == "asked":
        return "request_outgoing" if pair.asker == call.player else "request_incoming"
    return "friends" if pair.state == "friends" else "none"


def search(call: Call) -> Reply:
    """Names with a word that begins so; never oneself, nobody behind a block."""
    if not 2 <= len(call["q"].strip()) <= 40:
        raise Refused(400, "validation_failed")
    query = call["q"].lower()
    others = {name for name, player in call.scope.players.items() if player.ban is None} - {call.player}
    visible = {name for name in others if not call.scope.pair(call.player, name).blocked_at}
    named = {name for name in visible if _matches(call.scope.players[name].display, query)}

    def check(data: Body) -> None:
        found = [row["externalPlayerId"] for row in data["players"]]
        assert len(found) == len(set(found))
        assert named <= set(found) <= visible
        for row in data["players"]:
            assert row["relationship"] == _relationship(call, row["externalPlayerId"])
            assert _matches(row["displayIdentity"]["name"], query)

    return Reply(check=check)


def _matches(name: str | None, query: str) -> bool:
    return name is not None and any(word.startswith(query) for word in name.lower().split())


def suggestions(call: Call) -> Reply:
    """Some players who have nothing to do with the caller yet."""

    def check(data: Body) -> None:
        found = [row["externalPlayerId"] for row in data["suggestions"]]
        assert len(found) == len(set(found)) <= 5
        for row in data["suggestions"]:
            name = row["externalPlayerId"]
            pair = call.scope.pair(call.player, name)
            assert name != call.player
            assert call.scope.players[name].ban is None
            assert pair.state == "none"
            assert not pair.blocked_at
            _is_present(call, row, call.scope.players[name])

    return Reply(check=check)


def get_code(call: Call) -> Reply:
    """One's own code, the same for life."""
    me = call.me

    def check(data: Body) -> None:
        code = data["friendCode"]
        assert len(code) == 6
        assert all(other is me or other.code != code for other in call.scope.players.values())
        assert me.code in {None, code}
        me.code = code

    return Reply(check=check)


FRIENDS: Final[dict[str, Callable[[Call], Reply]]] = {
    "sdk:friends.sendRequest": send_request,
    "sdk:friends.acceptRequest": accept,
    "sdk:friends.declineRequest": lambda call: _end(call, by_asker=False),
    "sdk:friends.cancelRequest": lambda call: _end(call, by_asker=True),
    "sdk:friends.remove": remove,
    "sdk:friends.block": block,
    "sdk:friends.unblock": unblock,
    "sdk:friends.list": list_friends,
    "server:friends.list": list_friends,
    "sdk:friends.listRequests": list_requests,
    "server:friends.listRequests": list_requests,
    "sdk:friends.listBlocks": list_blocks,
    "server:friends.listBlocks": list_blocks,
    "sdk:friends.search": search,
    "sdk:friends.suggestions": suggestions,
    "sdk:friends.getCode": get_code,
}
"""The rules of this part by operation."""
