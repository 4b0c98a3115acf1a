"""What players do at events: the scenes in which the laws play them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.laws.drawing import MOST, NOBODY, Draw
from tests.laws.steps import Step, Wait


def _key(d: Draw) -> str:
    return str(d.of("none") if d.one_in(20) else d.of("race", "race", "race", "trial"))


def _metrics(d: Draw, event: str) -> dict[str, int]:
    if d.one_in(15):
        return {d.of("jumps", "points"): d.of(-1, MOST)}
    lap = d.of(0, 9, 10, 11, 40)
    if event == "trial":
        return {"lap": lap}
    points = d.of(5, 20, 30, 50, 61, 100)
    return {"points": points, "lap": lap} if d.one_in(3) else {"points": points}


def _afford(d: Draw, player: str) -> Iterator[Step]:
    """What a race costs, in either game; mostly."""
    if not d.one_in(5):
        yield d.call("server:wallet.credit", player, economyKey="gold", amount=10)
        yield d.call("server:inventory.grant", player, itemKey="potion", quantity=2)
        xp = {"type": "currency", "resourceKey": "xp", "amount": 3}
        yield d.call("server:grants.create", player, key=f"e{d.chance.below(2**40)}", entries=[xp])
        yield d.call("sdk:grants.claim", player, grantId="@grant:-1")


def _begin(d: Draw, event: str, player: str) -> Iterator[Step]:
    more: dict[str, Any] = {}
    if d.one_in(2):
        more["playerContext"] = {"league": d.of("gold", "gold", "wood", 7, None, "x" * 65)}
    yield d.at(event, "sdk:events.start", player, key=d.key(), **more)


def play_at(d: Draw) -> Iterator[Step]:
    """One plays: starts, perhaps twice, reports, waits, and looks at what came of it."""
    player, event = d.one(), _key(d)
    for _ in range(1 + d.one_in(2)):
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        if d.one_in(4):
            yield from _begin(d, event, player)
        for _ in range(1 + d.chance.below(4)):
            if d.one_in(4):
                yield Wait(d.of(1, 1_000, 4_999, 5_000, 3_599_999, 3_600_000))
            id_ = d.ref("attempt") if d.one_in(8) else "@attempt:-1"
            metrics = _metrics(d, event)
            yield d.at(event, "sdk:events.progress", player, key=d.key(), attemptId=id_, metrics=metrics)
    yield from _look_at(d, event, player)
    if d.one_in(2):
        yield Wait(600_000)


def _look_at(d: Draw, event: str, player: str) -> Iterator[Step]:
    page: dict[str, Any] = {"limit": d.of(1, 2, 50, 201)} if d.one_in(2) else {}
    if d.one_in(2):
        page["around"] = d.of(player, player, d.one(), "nobody")
    if d.one_in(8):
        page |= {"around": player, "cursor": "here"}
    yield d.call("sdk:leaderboards.getEvent", NOBODY, leaderboardId=d.ref("event-board"), **page)
    yield d.of(
        d.at(event, "sdk:events.getAttempt", player, attemptId=d.ref("attempt")),
        d.at(event, "sdk:events.listAttempts", player, **({"limit": d.of(1, 2)} if d.one_in(2) else {})),
        d.call("sdk:events.list", player),
        d.call("sdk:grants.listPending", player),
    )


def win_again(d: Draw) -> Iterator[Step]:
    """One completes an attempt after another, until there is none left."""
    player = d.one()
    for _ in range(3):
        yield from _afford(d, player)
        yield from _begin(d, "race", player)
        metrics = {"points": 100}
        yield d.at("race", "sdk:events.progress", player, key=d.key(), attemptId="@attempt:-1", metrics=metrics)
    yield d.call("sdk:events.list", player)
    yield Wait(600_000)


def race(d: Draw) -> Iterator[Step]:
    """Several play at one event, somebody is taken off, and the window ends by itself or by request."""
    players, event = (d.one(), *d.two()), d.of("race", "race", "trial")
    for player in players:
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        metrics = _metrics(d, event)
        yield d.at(event, "sdk:events.progress", player, attemptId="@attempt:-1", metrics=metrics)
        if d.one_in(3):
            yield Wait(1)
    if d.one_in(3):
        yield d.call("server:leaderboards.removeEventEntry", d.of(*players), leaderboardId=d.ref("event-board"))
    yield from _look_at(d, event, players[0])
    if d.one_in(3):
        yield d.call("server:players.erase", players[0]) if d.one_in(3) else Wait(3_600_000)
    for _ in range(1 + d.one_in(3)):
        yield d.call("server:dev.endWindow", NOBODY, key=d.key(), eventKey=_key(d) if d.one_in(3) else event)
    for player in players:
        yield d.call("sdk:grants.listPending", player)
    yield d.call("sdk:grants.claim", players[1], grantId="@grant:-1")
    yield from _look_at(d, event, players[1])
    yield d.call("server:leaderboards.removeEventEntry", players[1], key=d.key(), leaderboardId=d.ref("event-board"))


def two_who_race(d: Draw) -> Iterator[Step]:
    """Two who both run become one, and play on."""
    one, other = d.two()
    event = d.of("race", "trial")
    for player in (one, other):
        yield from _afford(d, player)
        yield from _begin(d, event, player)
        metrics = _metrics(d, event)
        yield d.at(event, "sdk:events.progress", player, attemptId="@attempt:-1", metrics=metrics)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.at(event, "sdk:events.progress", other, attemptId=d.ref("attempt"), metrics=_metrics(d, event))
    yield from _begin(d, event, other)
    yield from _look_at(d, event, other)
    yield d.call("sdk:players.register", one)
    yield Wait(600_000)


def ill_formed(d: Draw) -> list[Step]:
    """Reports that no schema lets through."""
    about: dict[str, Any] = {"attemptId": "@attempt:-1"}
    return [
        d.at("race", "sdk:events.progress", d.one(), metrics={}, **about),
        d.at("race", "sdk:events.progress", d.one(), metrics={"points": MOST + 1}, **about),
        d.at("race", "sdk:events.progress", d.one(), metrics={"points": True}, **about),
    ]
