"""Finding people: by friend code, by name, by chance (specification 4.1)."""

from __future__ import annotations

from typing import Any, Final

from tests.laws.area import Area, Operation
from tests.laws.areas.friends import is_shown_near, with_progression
from tests.laws.areas.players import Profile, is_shown_as
from tests.laws.areas.privacy import is_discoverable
from tests.laws.areas.relations import Graph
from tests.laws.drawing import Draw
from tests.laws.model_state import Call, Refused, Reply
from tests.laws.routes import Body
from tests.laws.steps import Step


def _get_code(call: Call) -> Reply:
    """One's own code, the same for life."""
    me, codes = call.me, call.scope.part(Graph).codes

    def check(data: Body) -> None:
        code = data["friendCode"]
        assert len(code) == 6
        assert all(other is me or codes.get(other) != code for other in call.scope.players.values())
        assert codes.setdefault(me, code) == code

    return Reply(check=check)


def _relationship(call: Call, other: str) -> str:
    pair = call.scope.part(Graph).pair(call.player, other)
    if pair.state == "asked":
        return "request_outgoing" if pair.asker == call.player else "request_incoming"
    return "friends" if pair.state == "friends" else "none"


def _search(call: Call) -> Reply:
    """Names with a word that begins so; never oneself, nobody behind a block, nobody who does not want to be found."""
    if not 2 <= len(call["q"].strip()) <= 40:
        raise Refused(400, "validation_failed")
    query, graph = call["q"].lower(), call.scope.part(Graph)
    others = {name for name, player in call.scope.players.items() if player.ban is None} - {call.player}
    others = {name for name in others if is_discoverable(call.scope, call.scope.players[name])}
    visible = {name for name in others if not graph.pair(call.player, name).blocked_at}
    named = {name for name in visible if _matches(call.scope.players[name].part(Profile).name, query)}

    def check(data: Body) -> None:
        found = [row["externalPlayerId"] for row in data["players"]]
        assert len(found) == len(set(found))
        assert named <= set(found) <= visible
        for row in data["players"]:
            assert row["relationship"] == _relationship(call, row["externalPlayerId"])
            assert _matches(row["displayIdentity"]["name"], query)
            is_shown_as(call, row["displayIdentity"], call.scope.players[row["externalPlayerId"]])

    return Reply(check=check)


def _matches(name: str | None, query: str) -> bool:
    return name is not None and any(word.startswith(query) for word in name.lower().split())


def _suggestions(call: Call) -> Reply:
    """Some players who have nothing to do with the caller yet."""

    def check(data: Body) -> None:
        found = [row["externalPlayerId"] for row in data["suggestions"]]
        assert len(found) == len(set(found)) <= 5
        for row in data["suggestions"]:
            name = row["externalPlayerId"]
            pair = call.scope.part(Graph).pair(call.player, name)
            assert name != call.player
            assert call.scope.players[name].ban is None
            assert is_discoverable(call.scope, call.scope.players[name])
            assert pair.state == "none"
            assert not pair.blocked_at
            is_shown_near(call, row, call.scope.players[name])

    return Reply(check=check)


def _is_exported(call: Call, data: Body) -> None:
    assert data["player"]["friendCode"] == call.scope.part(Graph).codes.get(call.me)


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _query(d: Draw) -> dict[str, Any]:
    return {"q": d.of("le", "LEE", "da", "ca"), **with_progression(d)}


def _ill_formed(d: Draw) -> list[Step]:
    return [d.call("sdk:friends.search", d.one(), q="a")]


AREA: Final = Area(
    operations=(
        Operation("sdk:friends.getCode", _get_code, read_with=with_progression),
        Operation("sdk:friends.search", _search, read_with=_query, refuses="validation_failed"),
        Operation("sdk:friends.suggestions", _suggestions, read_with=with_progression),
    ),
    is_exported=_is_exported,
    ill_formed=_ill_formed,
    ids=lambda player, data: [(f"code:{player}", data["friendCode"])] if "friendCode" in data else [],
)
