"""What players and the studio's backend do in teams and pairs: the scenes in which the laws play them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.laws.drawing import DAY_MS, MOST, NOBODY, PLAYERS, Draw
from tests.laws.steps import Step, Wait

_HOUR: Final = 3_600_000
_LAST: Final = "@open-team:-1"
_KIND: Final = {"crews": "open", "duo": "partner", "war": "external"}
"""The events with teams, and who forms them."""


# -- playing --------------------------------------------------------------------------------------------------------------


def _play(d: Draw, event: str, *players: str) -> Iterator[Step]:
    """They start, mostly once, and report."""
    for player in players:
        yield d.at(event, "sdk:events.start", player, key=d.key())
        for _ in range(1 + d.one_in(3)):
            points = {"points": MOST if d.one_in(40) else d.of(0, 5, 10, 10, 20, 30, 45, 60)}
            yield d.at(event, "sdk:events.progress", player, key=d.key(), attemptId="@attempt:-1", metrics=points)
        if d.one_in(4):
            yield Wait(d.of(1, 1_000))


def _look(d: Draw, event: str, player: str) -> Iterator[Step]:
    """A player looks at the own team, and anybody at all of them."""
    yield d.at(event, "sdk:teams.getOwn", player)
    yield d.call("sdk:events.list", player)
    around = {"around": d.of(player, player, "nobody")} if d.one_in(3) else {}
    page = {"limit": d.of(1, 2)} if d.one_in(3) else {}
    yield d.call("sdk:leaderboards.getEvent", NOBODY, leaderboardId="@team-board:-1", **around, **page)
    if d.one_in(8):
        yield d.call("server:leaderboards.removeEventEntry", player, leaderboardId="@team-board:-1")


def _finish(d: Draw, event: str, *players: str) -> Iterator[Step]:
    """The window ends, sooner or later, and they claim what they have won."""
    if d.one_in(4):
        yield d.call("server:dev.endWindow", NOBODY, key=d.key(), eventKey=event)
    elif d.one_in(4):
        yield Wait(d.of(_HOUR, 4 * DAY_MS))
    for player in players:
        yield d.call("sdk:grants.listPending", player)
        yield d.call("sdk:grants.claim", player, grantId="@grant:-1")
    yield from _look(d, event, players[0])
    team = d.of("@external-team:-1", "@open-team:-1") if d.one_in(3) else f"@{_KIND[event]}-team:-1"
    named = {"windowId": d.of(f"@{event}-window:-1", f"@{event}-window:-2")} if d.one_in(2) else {}
    yield d.call("server:teams.get", NOBODY, eventKey=event, teamKey=team, **named)


def _come(d: Draw, *players: str) -> Iterator[Step]:
    """Whoever has gone is there again; a while after the last time, or too many secrets would have been wrong."""
    yield Wait(600_000)
    for player in players:
        yield d.call("sdk:players.register", player)


def _three(d: Draw) -> tuple[str, str, str]:
    one, other = d.two()
    return one, other, next(name for name in PLAYERS if name not in {one, other})


# -- teams that players form ----------------------------------------------------------------------------------------------


def team_up(d: Draw) -> Iterator[Step]:
    """One founds a team, others come, one more than there are seats; they play, and some go."""
    players = _three(d)
    one, other, third = players
    yield from _come(d, *players)
    name = {"name": d.of("Owls", "Night Owls")} if d.one_in(2) else {}
    for _ in range(1 + d.one_in(3)):
        yield d.at("crews", "sdk:teams.create", one, key=d.key(), **name)
    yield from _play(d, "crews", one)
    for player in (other, third):
        wanted = d.of({}, {"teamKey": d.of("nowhere", d.ref("open-team"))}) if d.one_in(3) else {"teamKey": _LAST}
        yield d.at("crews", "sdk:teams.join", player, key=d.key(), **wanted)
    yield d.at("crews", "sdk:teams.list", third, **({"limit": d.of(1, 2)} if d.one_in(2) else {}))
    yield from _play(d, "crews", *players)
    if d.one_in(2):
        yield d.at("crews", "sdk:teams.kick", one, key=d.key(), memberExternalId=other)
    for player in players:
        if d.one_in(3):
            yield d.at("crews", "sdk:teams.leave", player, key=d.key())
        elif d.one_in(2):
            member = d.of(*players, "nobody")
            yield d.at("crews", "sdk:teams.kick", player, key=d.key(), memberExternalId=member)
    yield d.at("crews", "sdk:teams.join", third, key=d.key(), teamKey=_LAST)
    yield from _play(d, "crews", d.of(*players), third)
    yield from _finish(d, "crews", *players)


def found_some(d: Draw) -> Iterator[Step]:
    """Each founds a team, and they have equal scores; whoever comes then finds it full, or a seat."""
    yield from _come(d, *PLAYERS)
    for player in PLAYERS[:3]:
        yield d.at("crews", "sdk:teams.create", player, key=d.key())
        yield d.at("crews", "sdk:events.start", player)
        yield d.at("crews", "sdk:events.progress", player, attemptId="@attempt:-1", metrics={"points": 10})
        if d.one_in(2):
            yield Wait(1)
    yield from _look(d, "crews", PLAYERS[0])
    yield d.at("crews", "sdk:teams.list", PLAYERS[0])
    yield d.at("crews", "sdk:teams.leave", PLAYERS[1])
    for player in (PLAYERS[1], PLAYERS[3]):
        yield d.at("crews", "sdk:teams.join", player)
    yield d.at("crews", "sdk:teams.kick", PLAYERS[3], memberExternalId=PLAYERS[0])
    yield from _finish(d, "crews", *PLAYERS[:3])


# -- pairs ----------------------------------------------------------------------------------------------------------------


def _invite(d: Draw, one: str, other: str) -> Step:
    return d.at("duo", "sdk:partners.invite", one, key=d.key(), externalPlayerId=other)


def pair_up(d: Draw) -> Iterator[Step]:
    """Two become a pair, by one's invitation or both's, while a third asks too; one goes, and the other asks anew."""
    one, other, third = _three(d)
    yield from _come(d, one, other, third)
    for player in (one, other, third):
        if d.one_in(2):
            yield d.at("duo", "sdk:teams.leave", player)
    if d.one_in(2):
        yield _invite(d, third, one)
    yield _invite(d, one, d.of(one, "nobody") if d.one_in(6) else other)
    if d.one_in(3):
        yield _invite(d, one, other)
    if d.one_in(5):
        yield d.call("sdk:friends.block", other, externalPlayerId=one)
    for player in (one, other):
        yield d.at("duo", "sdk:partners.listInvites", player)
    answer = d.of("accept", "accept", "accept", "invite", "invite", "decline", "decline", "cancel")
    if answer == "invite":
        yield _invite(d, other, one)
    else:
        by = one if answer == "cancel" else other
        for _ in range(1 + d.one_in(2)):
            id_ = d.ref("invite") if d.one_in(6) else "@invite:-1"
            yield d.at("duo", f"sdk:partners.{answer}", by, key=d.key(), inviteId=id_)
    yield d.at("duo", "sdk:partners.listInvites", one)
    yield d.call("sdk:friends.unblock", other, blockedExternalId=one)
    yield _invite(d, third, one)
    yield from _play(d, "duo", one, other)
    yield d.at("duo", d.of("sdk:teams.leave", "sdk:teams.getOwn"), other, key=None)
    if d.one_in(2):
        yield d.at("duo", "sdk:teams.kick", one, memberExternalId=d.of(other, third))
    yield _invite(d, one, third)
    yield d.at("duo", "sdk:partners.accept", third, key=d.key(), inviteId="@invite:-1")
    yield from _play(d, "duo", d.of(one, other), third)
    yield from _finish(d, "duo", one, other, third)


def answer_late(d: Draw) -> Iterator[Step]:
    """An invitation's time passes, and it is answered, listed and made anew."""
    one, other = d.two()
    yield from _come(d, one, other)
    for player in (one, other):
        yield d.at("duo", "sdk:teams.leave", player)
    yield _invite(d, one, other)
    yield Wait(d.of(_HOUR - 1, _HOUR, _HOUR, _HOUR + 1_000))
    for verb, player in (("decline", other), ("cancel", one), ("accept", other)):
        yield d.at("duo", f"sdk:partners.{verb}", player, inviteId="@invite:-1")
    yield d.at("duo", "sdk:partners.listInvites", other)
    for player, invited in ((one, other), (other, one)):
        yield _invite(d, player, invited)


# -- teams of the studio --------------------------------------------------------------------------------------------------


def _put(d: Draw, team: str, names: list[str], **more: object) -> Step:
    return d.call(
        "server:teams.putRoster", NOBODY, key=d.key(), eventKey="war", teamKey=team, externalPlayerIds=names, **more
    )


def roster(d: Draw) -> Iterator[Step]:
    """The studio's backend writes rosters for this window or the next, and they play; then it changes them."""
    players = _three(d)
    one, other, third = players
    yield from _come(d, *players)
    yield d.call("sdk:events.list", one)
    named = d.of("@war-window:-1", "@war-window:-2", "@crews-window:-1", "@foreign-war-window:-1", "win_x")
    where: dict[str, Any] = {"windowId": named} if d.one_in(2) else {}
    about = {"name": "Red", "attributes": {"colour": "red"}} if d.one_in(2) else {}
    yield _put(d, "red", d.of([one], [one, other], [one, other], [one, one], [one, "nobody"]), **where, **about)
    yield _put(d, "blue", d.of([third], [third, other], []), **where)
    if d.one_in(3):
        yield Wait(d.of(DAY_MS, 2 * DAY_MS))
    yield from _play(d, "war", *players)
    for team in ("red", "blue"):
        names = d.of([one, third], [one], [other, third], [third], [], list(players))
        yield _put(d, team, names, **(about if d.one_in(2) else {}))
    yield from _play(d, "war", *players)
    yield d.call(
        "server:teams.get",
        NOBODY,
        eventKey="war",
        teamKey=d.of("red", "blue", "green"),
        **(where if d.one_in(2) else {}),
    )
    yield d.call(
        "server:teams.update",
        NOBODY,
        key=d.key(),
        eventKey="war",
        teamKey=d.of("red", "blue", "green"),
        **(where if d.one_in(2) else {}),
        **d.of({"name": "Crimson"}, {"name": None}, {"attributes": {"colour": "pink"}}),
    )
    yield from _finish(d, "war", *players)


# -- players who become one, or go, or go astray --------------------------------------------------------------------------


def unite_some(d: Draw) -> Iterator[Step]:
    """Two in one team, in two or in none become one, or one of them is erased, in the middle of it."""
    one, other, third = _three(d)
    yield from _come(d, one, other, third)
    event = d.of(*_KIND)
    if event == "crews":
        yield d.at(event, "sdk:teams.create", one)
        for player in (other, third):
            yield d.at(event, d.of("sdk:teams.join", "sdk:teams.create", "sdk:teams.getOwn"), player)
    elif event == "duo":
        for player, invited in (d.of((one, other), (third, one)), (other, third), (third, other), (one, third)):
            yield _invite(d, player, invited)
        if d.one_in(2):
            yield d.at(event, "sdk:partners.accept", third, inviteId="@invite:-1")
    else:
        yield _put(d, "red", d.of([one], [one, other]))
        yield _put(d, "blue", d.of([other], [other, third]))
    yield from _play(d, event, one, other)
    ended = event if d.one_in(6) else "race"
    if ended == event:
        yield d.call("server:dev.endWindow", NOBODY, eventKey=event)
    gone, stays = (one, other) if d.one_in(2) else (other, one)
    if d.one_in(3):
        yield d.call("server:players.erase", gone)
    else:
        yield d.call("server:players.merge", gone, toExternalId=stays)
    yield d.call("server:players.export", stays)
    yield from _look(d, event, stays)
    yield d.call("server:teams.get", NOBODY, eventKey=event, teamKey=f"@{_KIND[event]}-team:-1")
    if event == "duo":
        yield d.at(event, "sdk:partners.listInvites", third)
        yield d.at(event, "sdk:partners.accept", stays, inviteId="@invite:-1")
    yield from _play(d, event, stays)
    yield d.call("sdk:players.register", gone)
    yield d.call("sdk:friends.getCode", gone)


def stray(d: Draw) -> Iterator[Step]:
    """All of it at events that there are not, that are over, or where teams are formed in another way."""
    yield Wait(600_000)
    yield from _everything_at(d, d.of("none", "race"))
    event = d.of(*_KIND)
    if d.one_in(2):
        yield d.call("server:dev.endWindow", NOBODY, eventKey=event)
    yield from _everything_at(d, event)


def _everything_at(d: Draw, event: str) -> Iterator[Step]:
    player, other = d.two()
    for verb in ("list", "getOwn", "create", "join", "leave"):
        yield d.at(event, f"sdk:teams.{verb}", player)
    yield d.at(event, "sdk:teams.kick", player, memberExternalId=other)
    yield d.at(event, "sdk:partners.listInvites", player)
    yield d.at(event, "sdk:partners.invite", player, externalPlayerId=other)
    for verb in ("accept", "decline", "cancel"):
        yield d.at(event, f"sdk:partners.{verb}", player, inviteId="@invite:-1")
    yield d.call("server:teams.get", NOBODY, eventKey=event, teamKey="red")
    yield d.call("server:teams.update", NOBODY, eventKey=event, teamKey="red", name="Scarlet")
    # The next window can be written to already, unless another is named that is over.
    named = {"windowId": f"@{event}-window:-{d.of(2, 3, 4)}"} if event in _KIND else {}
    roster_of: dict[str, Any] = {"eventKey": event, "teamKey": "red", "externalPlayerIds": [other], **named}
    yield d.call("sdk:events.list", player)
    yield d.call("server:teams.putRoster", NOBODY, **roster_of)
    yield d.at(event, "sdk:events.start", player)
