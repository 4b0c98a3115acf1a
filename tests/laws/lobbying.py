"""The model's lobbies and sessions: who waits where, when play begins, and how it ends (contract, second part)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

import attrs

from tests.laws.area import Due
from tests.laws.areas.grants import Grants
from tests.laws.competing import Attempt, Bot, Lobby, Window, events_of, expired, owner, winners
from tests.laws.model_state import Call, Player, Refused, Reply, Scope, stamp, stamps
from tests.laws.routes import Body

_ENOUGH: Final = 2


# -- finding --------------------------------------------------------------------------------------------------------------


def lobby_of(player: Player, window: Window) -> Lobby | None:
    """Where a player sits, unless that lobby is closed."""
    return next((lobby for lobby in window.lobbies if lobby.status != "closed" and player in lobby.players), None)


def _triggers(window: Window) -> list[Body]:
    return list(window.event.declared.get("session", {}).get("triggers", ()))


def is_lobby(scope: Scope, row: Body, lobby: Lobby) -> None:
    """The answer shows this lobby."""
    assert row["lobbyId"] == lobby.id_
    shown = [row[name] for name in ("key", "status", "capacity", "participantCount", "botCount", "promotionReason")]
    assert shown == [
        lobby.key, lobby.status, lobby.capacity, len(lobby.players), len(lobby.bots), lobby.promotion_reason,
    ]  # fmt: skip
    times = [lobby.fill_by, lobby.started_at, lobby.closed_at]
    assert stamps(row, "fillBy", "startedAt", "closedAt") == times
    people = [one for one in row["participants"] if not one["isBot"]]
    assert len(row["participants"]) - len(people) == len(lobby.bots)
    for one, player in zip(people, lobby.players, strict=True):
        found = owner(scope, player)
        name = one["externalPlayerId"]
        assert name.startswith("__deleted_") if found is None else name == found.name


# -- coming ---------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Entry:
    """How a start comes into a lobby: the one that is there, or none yet, and whether the player sits there already."""

    lobby: Lobby | None
    seated: bool
    capacity: int

    @classmethod
    def of(cls, call: Call, declared: Body, window: Window | None) -> Entry:
        """What a start of this player would do. Raises 409 where the session has ended."""
        capacity = declared["lobby"]["capacity"]
        own = None if window is None else lobby_of(call.me, window)
        if own is not None:
            require_thawed(own)
            return cls(own, seated=True, capacity=capacity)
        forming = [] if window is None else [lobby for lobby in window.lobbies if lobby.status == "forming"]
        return cls(next(iter(forming), None), seated=False, capacity=capacity)

    @property
    def waits(self) -> bool:
        """Whether the player has to wait in it."""
        if self.seated:
            return self.lobby is not None and self.lobby.status == "forming"
        return (0 if self.lobby is None else len(self.lobby.players)) + 1 < self.capacity

    def take(self, call: Call, window: Window) -> tuple[Lobby, list[str]]:
        """Come in; a lobby that is full then starts."""
        lobby, events = self.lobby, []
        if lobby is None:
            lobby, events = begin(window, self.capacity, call.now, fill=True), ["lobby.created"]
        if not self.seated:
            events += sit(lobby, [call.me])
            if len(lobby.players) == lobby.capacity:
                events += activate(lobby, call.now, "capacity")
        return lobby, events

    def wait(self, call: Call, window: Window, opened: Iterable[str]) -> Reply:
        """Come in, and be told to wait."""
        lobby, events = self.take(call, window)

        def learn(details: Body) -> None:
            lobby.id_ = lobby.id_ or details["lobbyId"]
            shown = [details[name] for name in ("lobbyId", "participantCount", "capacity")]
            assert shown == [lobby.id_, len(lobby.players), lobby.capacity]
            assert stamp(details["fillBy"]) == lobby.fill_by

        move = "lobby: given again" if self.seated else "lobby: joined"
        return Reply(202, (*opened, *events), learn, move, code="lobby_forming")


def begin(window: Window, capacity: int, now: int, *, fill: bool, key: str | None = None) -> Lobby:
    """A new lobby without players."""
    fill_by = min(now + window.event.declared["lobby"]["fillSeconds"] * 1_000, window.ends_at) if fill else None
    lobby = Lobby(window, capacity, now, fill_by, key)
    window.lobbies.append(lobby)
    return lobby


def sit(lobby: Lobby, players: list[Player]) -> list[str]:
    """Seat players."""
    lobby.players += players
    return ["lobby.player_joined"] * len(players)


def activate(lobby: Lobby, now: int, reason: str, *, with_bots: bool = False) -> list[str]:
    """Start a lobby."""
    rules = lobby.window.event.declared["lobby"].get("bots")
    count = lobby.capacity - len(lobby.players) if with_bots and rules is not None else 0
    if count and rules is not None:
        (point,) = rules["scoreAt"]
        assert (point["afterSeconds"], point["min"]) == (0, point["max"]), "the model knows no other bots"
        lobby.bots = [Bot(point["min"]) for _ in range(count)]
    lobby.status, lobby.started_at, lobby.promotion_reason = "active", now, reason
    timeout = ["lobby.fill_timeout"] if reason == "timeout" else []
    return [*(["lobby.bot_filled"] if count else []), "lobby.started", *timeout]


# -- the end --------------------------------------------------------------------------------------------------------------


def _closed(lobby: Lobby, now: int) -> list[str]:
    never_started = lobby.status == "forming" and lobby.window.final is None
    if never_started:
        lobby.final = []
    lobby.status, lobby.closed_at = "closed", now
    return [*(["leaderboard.finalized"] if never_started else []), "lobby.closed"]


def close_all(window: Window, now: int) -> list[str]:
    """Close what is not closed yet, with the window; lobbies that everybody left are gone then, with their boards."""
    events = [kind for lobby in window.lobbies if lobby.status != "closed" for kind in _closed(lobby, now)]
    for lobby in [one for one in window.lobbies if one.started_at is None and not one.players]:
        window.lobbies.remove(lobby)
        window.boards.pop(lobby, None)
    return events


def vacate(lobby: Lobby, player: Player, now: int) -> list[str]:
    """Free a seat."""
    lobby.players.remove(player)
    return _closed(lobby, now) if lobby.status == "forming" and not lobby.players else []


def require_thawed(lobby: Lobby | None) -> None:
    """Raises 409 where the session has ended."""
    if lobby is not None and lobby.frozen_at is not None:
        raise Refused(409, "attempt_frozen")


def attempt_ended(scope: Scope, attempt: Attempt, how: str, now: int) -> list[str]:
    """What follows in its lobby from an attempt that was completed or has expired."""
    lobby = attempt.segment
    return judged(scope, lobby, now, completed=how == "completed") if isinstance(lobby, Lobby) else []


def judged(scope: Scope, lobby: Lobby, now: int, *, completed: bool = False) -> list[str]:
    """The end of a session of which a trigger is met now, after an attempt has ended or a player has gone."""
    if lobby.status != "active" or lobby.frozen_at is not None:
        return []
    for trigger in _triggers(lobby.window):
        met = {
            "first_to_target": completed,
            "remaining": _in_play(scope, lobby, now) <= trigger.get("value", 0),
            "elapsed": False,
        }
        if met[trigger["type"]]:
            return _terminated(scope, lobby, now)
    return []


def _in_play(scope: Scope, lobby: Lobby, now: int) -> int:
    return sum(owner(scope, player) is not None and _plays(lobby, player, now) for player in lobby.players)


def _plays(lobby: Lobby, player: Player, now: int) -> bool:
    own = [attempt for attempt in lobby.window.attempts if attempt.player is player and attempt.segment is lobby]
    return not own or any(attempt.status == "in_progress" and now < attempt.ends_at for attempt in own)


def _terminated(scope: Scope, lobby: Lobby, now: int) -> list[str]:
    lobby.frozen_at = now
    running = [
        attempt
        for attempt in lobby.window.attempts
        if attempt.segment is lobby and attempt.status == "in_progress" and now < attempt.ends_at
    ]
    events = ["session.terminated"]
    for attempt in running:
        events += ["event.progress_updated"] if attempt.told_at is not None else []
        events.append("session.frozen")
        attempt.told_at, attempt.frozen_at = None, now
    if lobby.window.event.declared["session"].get("resolution") != "close":
        return events
    for attempt in running:
        events += expired(attempt, now)
    lobby.final = lobby.window.outcome(lobby)
    paid = list(winners(scope, lobby.window, lobby.final))
    for name, entries in paid:
        scope.part(Grants).award(name, entries, now)
    return [*events, "leaderboard.finalized", *["grant.created"] * len(paid), *_closed(lobby, now)]


# -- time -----------------------------------------------------------------------------------------------------------------


def due(scope: Scope) -> Iterator[Due]:
    """Lobbies whose time to fill is over, and sessions whose time is."""
    for event in events_of(scope).values():
        for window in event.windows[-1:]:
            for lobby in window.lobbies if window.final is None else ():
                yield from _due_of(scope, window, lobby)


def _due_of(scope: Scope, window: Window, lobby: Lobby) -> Iterator[Due]:
    if lobby.status == "forming" and lobby.fill_by is not None and lobby.fill_by < window.ends_at:
        yield lobby.fill_by, f"~fill {lobby.id_}", partial(_time_out, lobby)
    if lobby.status != "active" or lobby.frozen_at is not None or lobby.started_at is None:
        return
    over = [lobby.started_at + row["value"] * 1_000 for row in _triggers(window) if row["type"] == "elapsed"]
    if over and min(over) < window.ends_at:
        yield min(over), f"~session {lobby.id_}", partial(_elapsed, scope, lobby, min(over))


def _time_out(lobby: Lobby) -> Reply:
    now = lobby.fill_by or 0
    if len(lobby.players) < _ENOUGH and "bots" not in lobby.window.event.declared["lobby"]:
        return Reply(events=tuple(_closed(lobby, now)), move="lobby: forming -unfilled-> closed")
    events = activate(lobby, now, "timeout", with_bots=True)
    return Reply(events=tuple(events), move="lobby: forming -timeout-> active")


def _elapsed(scope: Scope, lobby: Lobby, now: int) -> Reply:
    return Reply(events=tuple(_terminated(scope, lobby, now)), move="session: elapsed")


# -- players who become one, or go ----------------------------------------------------------------------------------------


def unite(scope: Scope, source: Player, target: Player, now: int) -> tuple[list[str], list[Lobby]]:
    """Leave the target one seat in each lobby, and in one of a window that is not closed; gives also who lost a player."""
    events: list[str] = []
    left: list[Lobby] = []
    for event in events_of(scope).values():
        for window in event.windows:
            for lobby in [lobby for lobby in window.lobbies if source in lobby.players]:
                before = len(lobby.players)
                events += _united(window, lobby, source, target, now)
                left += [lobby] if len(lobby.players) < before else []
    return events, left


def _united(window: Window, lobby: Lobby, source: Player, target: Player, now: int) -> list[str]:
    if target in lobby.players:
        return vacate(lobby, source, now)
    own = lobby_of(target, window)
    running = [
        attempt
        for attempt in window.attempts
        if attempt.player is source and attempt.segment is lobby and attempt.status == "in_progress"
    ]
    goes_on = bool(running) and lobby.frozen_at is None
    if lobby.status == "closed" or own is None or (own.status == "forming" and goes_on):
        lobby.players[lobby.players.index(source)] = target
        return vacate(own, target, now) if own is not None and lobby.status != "closed" else []
    return [*(kind for attempt in running for kind in expired(attempt, now)), *vacate(lobby, source, now)]


def gone(scope: Scope, player: Player, now: int) -> list[str]:
    """What follows in their lobbies from somebody who was erased."""
    lobbies = [lobby for event in events_of(scope).values() for window in event.windows for lobby in window.lobbies]
    return [kind for lobby in lobbies if player in lobby.players for kind in judged(scope, lobby, now)]


def leave_all(scope: Scope, player: Player, now: int) -> list[str]:
    """Somebody who is erased leaves what is forming."""
    forming: list[Any] = [
        lobby
        for event in events_of(scope).values()
        for window in event.windows
        for lobby in window.lobbies
        if lobby.status == "forming" and player in lobby.players
    ]
    return [kind for lobby in forming for kind in vacate(lobby, player, now)]
