"""Lobbies: reading them, leaving them, those that the studio makes, and how players wait and play in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import attrs

from tests.laws.area import Area, Operation
from tests.laws.competing import Lobby, Window, events_of
from tests.laws.drawing import NOBODY, PLAYERS, STRANGER, Draw
from tests.laws.lobbying import activate, begin, due, gone, is_lobby, leave_all, lobby_of, sit, vacate
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, equal
from tests.laws.routes import Body
from tests.laws.steps import Step, Wait

_MOST: Final = 200


# -- operations -----------------------------------------------------------------------------------------------------------


def _lobbies(scope: Scope) -> Iterator[Lobby]:
    return (lobby for event in events_of(scope).values() for window in event.windows for lobby in window.lobbies)


def _named(call: Call) -> Lobby:
    found = next((lobby for lobby in _lobbies(call.scope) if lobby.id_ == call["lobbyId"]), None)
    if found is None:
        raise Refused(404, "lobby_not_found")
    return found


def _get(call: Call) -> Reply:
    lobby = _named(call)
    return Reply(check=lambda data: _shows(call, data, lobby))


def _shows(call: Call, data: Body, lobby: Lobby) -> None:
    row = data["lobby"]
    lobby.id_ = lobby.id_ or row["lobbyId"]
    assert lobby.window.boards.setdefault(lobby, row["leaderboardId"]) == row["leaderboardId"]
    is_lobby(call.scope, row, lobby)


def _require_game(call: Call) -> None:
    if call["gameId"] != call.scope.game.get("id"):
        raise Refused(404, "game_not_found")


def _get_as_server(call: Call) -> Reply:
    _require_game(call)
    return _get(call)


def _leave(call: Call) -> Reply:
    lobby = _named(call)
    if call.me not in lobby.players:
        raise Refused(404, "lobby_not_found")
    if lobby.status != "forming":
        raise Refused(409, "lobby_not_forming")
    events = vacate(lobby, call.me, call.now)
    move = "lobby: forming -emptied-> closed" if events else "lobby: left"
    return Reply(200, tuple(events), lambda data: equal(data, {"left": True}), move)


def _push(call: Call) -> Reply:
    _require_game(call)
    event = events_of(call.scope).get(call["eventKey"])
    if event is None:
        raise Refused(404, "event_not_found")
    pushed = next((lobby for window in event.windows for lobby in window.lobbies if lobby.key == call["key"]), None)
    if pushed is not None:
        return Reply(200, (), lambda data: _shows(call, data, pushed), "lobby: known by its key")
    if "lobby" not in event.declared:
        raise Refused(409, "event_has_no_lobbies")
    window, span = event.present(call.now), event.following()
    known = [call.scope.players.get(name) for name in call["externalPlayerIds"]]
    if window is not None and any(one is not None and lobby_of(one, window) is not None for one in known):
        raise Refused(409, "already_in_lobby")
    rules = event.declared["lobby"]
    capacity = call["capacity"] or rules["capacity"]
    if len(known) > capacity or (call["fillBots"] and "bots" not in rules):
        raise Refused(400, "validation_failed")
    events: list[str] = []
    if window is None:
        if span is None or not span[0] <= call.now < span[1]:
            raise Refused(409, "event_not_active")
        window, events = event.open(span), ["window.opened"]
    return _pushed(call, window, capacity, events)


def _pushed(call: Call, window: Window, capacity: int, opened: list[str]) -> Reply:
    players, events = [], [*opened, "lobby.created"]
    for name in call["externalPlayerIds"]:
        if name not in call.scope.players:
            call.scope.players[name] = Player(name, call.now, last_seen=call.now)
            events.append("player.registered")
        players.append(call.scope.players[name])
    lobby = begin(window, capacity, call.now, fill=False, key=call["key"])
    events += sit(lobby, players)
    events += activate(lobby, call.now, "external_push", with_bots=bool(call["fillBots"]))
    return Reply(201, tuple(events), lambda data: _shows(call, data, lobby), "lobby: pushed")


def _ill_pushed(call: Call) -> bool:
    names: Any = call["externalPlayerIds"]
    wrong = not isinstance(names, list) or not 1 <= len(names) <= _MOST or len(set(names)) < len(names)
    return wrong or not 1 <= (1 if call["capacity"] is None else call["capacity"]) <= _MOST


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _start(d: Draw, player: str) -> Step:
    return d.at("arena", "sdk:events.start", player, key=d.key())


def _afford(d: Draw, player: str) -> Iterator[Step]:
    yield d.call("sdk:players.register", player)
    if not d.one_in(6):
        yield d.call("server:wallet.credit", player, economyKey="gold", amount=5)


def _play(d: Draw, *players: str) -> Iterator[Step]:
    """They start once more, and report, some of them to the end; in between they look."""
    for player in players:
        yield _start(d, player)
        for _ in range(1 + d.one_in(2)):
            points = {"points": d.of(5, 30, 40, 60, 100)}
            id_ = d.ref("attempt") if d.one_in(8) else "@attempt:-1"
            yield d.at("arena", "sdk:events.progress", player, key=d.key(), attemptId=id_, metrics=points)
        if d.one_in(3):
            yield Wait(d.of(1, 5_000, 60_000))
        if d.one_in(3):
            yield d.call("sdk:lobbies.get", NOBODY, lobbyId=d.ref("lobby"))
    board = {"around": d.of(*players)} if d.one_in(3) else {}
    yield d.call("sdk:leaderboards.getEvent", NOBODY, leaderboardId=d.ref("event-board"), **board)
    yield d.call("sdk:lobbies.get", NOBODY, lobbyId="@lobby:-1")


def _wait_together(d: Draw) -> Iterator[Step]:
    """Some come, some go, the lobby fills or its time is over, and they play."""
    one, other = d.two()
    third = next(name for name in PLAYERS if name not in {one, other})
    players = (one, other, third)[: 1 + d.chance.below(3)]
    for player in players:
        yield from _afford(d, player)
        yield _start(d, player)
        if d.one_in(3):
            yield d.call(
                "sdk:lobbies.leave", player, key=d.key(), lobbyId=d.of("@lobby:-1", "@lobby:-1", d.ref("lobby"))
            )
        if d.one_in(3):
            yield Wait(d.of(1, 1_000))
    if len(players) > 1 and d.one_in(2):
        yield d.call("sdk:lobbies.leave", players[1], key=d.key(), lobbyId="@lobby:-1")
    if not d.one_in(3):
        yield Wait(d.of(899_999, 900_000, 900_000))
    yield from _play(d, *players)
    if d.one_in(3):
        yield Wait(d.of(1_800_000, 3_600_000))
        yield from _play(d, one)
    if d.one_in(4):
        yield d.call("server:leaderboards.removeEventEntry", d.of(*players), leaderboardId=d.ref("event-board"))
    if d.one_in(3):
        yield d.call("server:dev.endWindow", NOBODY, key=d.key(), eventKey="arena")


def _to_the_end(d: Draw) -> Iterator[Step]:
    """Two play in one lobby, and one of them wins; the other goes on, or begins."""
    one, other = d.two()
    for player in (one, other):
        yield from _afford(d, player)
        yield _start(d, player)
    yield Wait(900_000)
    yield _start(d, one)
    if d.one_in(2):
        yield _start(d, other)
    for back in (1, 2):
        yield d.at("arena", "sdk:events.progress", one, attemptId=f"@attempt:-{back}", metrics={"points": 100})
    for back in (1, 2):
        yield d.at("arena", "sdk:events.progress", other, attemptId=f"@attempt:-{back}", metrics={"points": 5})
    yield _start(d, other)


def _push_some(d: Draw) -> Iterator[Step]:
    """The studio's backend makes a lobby, and those who are in it play."""
    one, other = d.two()
    yield d.call("server:ping", NOBODY)
    names = list(d.of([one], [one, other], [one, other, STRANGER], [other, "nobody"]))
    more: dict[str, Any] = {}
    if d.one_in(2):
        more["capacity"] = d.of(1, 2, 3, 5, 0)
    if d.one_in(2):
        more["fillBots"] = True
    push = {
        "gameId": d.of("@game:-1", "@game:-1", "@game:-1", "gam_x") if d.one_in(4) else "@game:-1",
        "eventKey": d.of("race", "race", "none") if d.one_in(3) else "arena",
        "key": f"m{d.chance.below(6)}" if d.one_in(2) else f"m{d.chance.below(2**40)}",
        "externalPlayerIds": names,
        **more,
    }
    for again in range(2):
        given = {**push, "key": f"again{d.chance.below(2**40)}"} if again and d.one_in(2) else push
        yield attrs.evolve(d.call("server:lobbies.push", NOBODY, key=d.key()), arguments=given)
    for player in (one, other):
        yield from _afford(d, player)
    yield d.call("sdk:lobbies.leave", one, lobbyId="@lobby:-1")
    yield from _play(d, one, other)
    lobby = "lob_x" if d.one_in(4) else d.ref("lobby")
    yield d.call("server:lobbies.get", NOBODY, gameId=d.of("@game:-1", "@game:-1", "gam_x"), lobbyId=lobby)
    if d.one_in(2):
        yield d.call("server:dev.endWindow", NOBODY, key=d.key(), eventKey="arena")


def _unite_some(d: Draw) -> Iterator[Step]:
    """Two who wait or play become one, or one is erased."""
    one, other = d.two()
    for player in (one, other):
        yield from _afford(d, player)
        yield _start(d, player)
        if d.one_in(2):
            yield Wait(900_000)
    yield from _play(d, one)
    if d.one_in(3):
        yield d.call("server:players.erase", one)
    else:
        yield d.call("server:players.merge", one, toExternalId=other)
    yield from _play(d, other)
    yield d.call("sdk:players.register", one)


# -- the area -------------------------------------------------------------------------------------------------------------


def _ids(_: str, data: Body) -> Iterator[tuple[str, str]]:
    if "lobby" in data:
        yield "lobby", data["lobby"]["lobbyId"]
        yield "event-board", data["lobby"]["leaderboardId"]
    elif "lobbyId" in data:
        yield "lobby", data["lobbyId"]


def _is_exported(call: Call, data: Body) -> None:
    own = {lobby.id_ for lobby in _lobbies(call.scope) if call.me in lobby.players}
    assert {row["lobbyId"] for row in data["lobbies"]} == own


AREA: Final = Area(
    operations=(
        Operation("sdk:lobbies.get", _get, about="nobody", shows_secret=False, refuses="lobby_not_found"),
        Operation("sdk:lobbies.leave", _leave, refuses="lobby_not_found lobby_not_forming"),
        Operation(
            "server:lobbies.push",
            _push,
            about="nobody",
            faults=_ill_pushed,
            refuses=(
                "game_not_found event_not_found event_has_no_lobbies already_in_lobby event_not_active validation_failed"
            ),
        ),
        Operation("server:lobbies.get", _get_as_server, about="nobody", refuses="game_not_found lobby_not_found"),
    ),
    transitions=(
        "lobby: joined",
        "lobby: given again",
        "lobby: left",
        "lobby: pushed",
        "lobby: known by its key",
        "lobby: forming -emptied-> closed",
        "lobby: forming -unfilled-> closed",
        "lobby: forming -timeout-> active",
        "session: elapsed",
        "session: ended by an attempt",
    ),
    on_erase=leave_all,
    after_erase=gone,
    is_exported=_is_exported,
    ids=_ids,
    broad_scenes=((4, _wait_together), (2, _to_the_end), (3, _push_some), (2, _unite_some)),
    due=due,
)
