"""The loop of a season: one heap of wake-ups, in the order of virtual time and then of the players' places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heapreplace
from math import isfinite
from types import GeneratorType, TracebackType
from typing import TYPE_CHECKING, Final

import attrs

from livecore.kernel.time import DAY, HOUR, SECOND, Millis, day_number
from livecore.simulation.attendance import Attended, attendance, zone_of
from livecore.simulation.backend import Backend
from livecore.simulation.behaviour import Behaviour, BehaviourMistake, Me
from livecore.simulation.community import Community
from livecore.simulation.draws import Draws
from livecore.simulation.game import PlayedGame
from livecore.simulation.sessions.economy import daily_grants
from livecore.simulation.traits import Traits
from livecore.simulation.watching import Watcher

if TYPE_CHECKING:
    from livecore.world import Emitted, World

_PLATFORMS: Final = ("ios", "android", "web")
_OVER: Final = object()
_SLOWEST: Final = 30 * 86_400
"""No behaviour waits longer than this many seconds within a session."""


@attrs.define(eq=False)
class Player:
    """A virtual player in the loop."""

    name: str
    behaviour: str
    traits: Traits
    zone: str
    life: Iterator[Attended]
    coming: Attended | None = None
    session: Iterator[float] | None = None
    me: Me | None = None
    last_day: int = -1


@attrs.define(eq=False)
class Playing:
    """One season while it is played."""

    world: World
    game: PlayedGame
    community: Community
    draws: Draws
    watch: Watcher
    backend: Backend
    behaviours: Mapping[str, Behaviour]
    end: Millis
    players: list[Player] = attrs.field(factory=list)

    def enrol(self, name: str, behaviour: str, traits: Traits) -> None:
        """Add a virtual player, who comes when the behaviour says."""
        zone = zone_of(name, traits, self.draws)
        life = attendance(name, traits, zone, self.draws, self.world.now, self.end)
        self.players.append(Player(name, behaviour, traits, zone, life, next(life, None)))

    def run(self, progress: Callable[[float], None]) -> None:
        """Play to the end. Raises `BehaviourMistake`."""
        start = self.world.now
        waiting = [(player.coming.at, place) for place, player in enumerate(self.players) if player.coming is not None]
        heapify(waiting)
        hour = 1
        while start + hour * HOUR <= self.end:
            until = start + hour * HOUR
            while waiting and waiting[0][0] < until:
                at, place = waiting[0]
                self.world.advance_to(at)
                again = self._wake(self.players[place])
                if again is None:
                    heappop(waiting)
                else:
                    heapreplace(waiting, (again, place))
            self.world.advance_to(until)
            if (until - start) % DAY == 0:
                self.backend.form_teams()
                self.watch.day_ended((until - start) // DAY - 1)
            progress((until - start) / DAY)
            hour += 1

    def heard(self, emitted: Emitted) -> None:
        """Pass on what was emitted, and keep none of it."""
        if emitted.environment == self.world.environment:
            self.backend.heard(emitted.payload)
            self.watch.event(emitted)

    # -- a player's turn

    def _wake(self, player: Player) -> Millis | None:
        """Let a player act; returns when it is to be woken again."""
        if player.session is None and not self._attend(player):
            return self._next(player)
        wait = self._step(player)
        if wait is None:
            player.session = None
            return self._next(player)
        return self.world.now + round(wait * SECOND)

    def _next(self, player: Player) -> Millis | None:
        """When the next thing in the player's life happens: what a long session has covered is left out."""
        now = self.world.now
        # Whoever has just come back is there for a session, which begins at the same instant.
        returned = player.session is None and player.coming is not None and player.coming.what == "came_back"
        while (coming := next(player.life, None)) is not None:
            if returned or coming.at > now or coming.what != "session":
                break
        player.coming = coming
        return None if coming is None else max(coming.at, now)

    def _attend(self, player: Player) -> bool:
        """What is to happen in the life of the player now; returns whether a session begins."""
        coming = player.coming
        assert coming is not None  # noqa: S101 - it was waited for
        if coming.what == "left":
            self.watch.left(player.name, player.behaviour)
            return False
        if coming.what == "came_back":
            self.watch.came_back(player.name, player.behaviour)
            return False
        if player.me is None:
            player.me = self._register(player)
        me, today = player.me, day_number(self.world.now)
        me.until = self.world.now + coming.length
        me.sessions += 1
        me.first_today, player.last_day = player.last_day != today, today
        self.watch.session(player.name, player.behaviour)
        if me.first_today:
            daily_grants(me, today)
        player.session = _session_of(self.behaviours[player.behaviour], me)
        return True

    def _register(self, player: Player) -> Me:
        platform = {"x-svc-platform": self.draws.next(player.name, "platform").choice(_PLATFORMS)}
        newcomer = self.world.newcomer(player.name, **platform)
        me = Me(
            name=player.name,
            behaviour=player.behaviour,
            traits=player.traits,
            zone=player.zone,
            world=self.world,
            game=self.game,
            community=self.community,
            draws=self.draws,
            watch=self.watch,
            client=newcomer,
        )
        self.backend.registered.append(player.name)
        registered = me.do("players.register").unwrap()
        me.client = attrs.evolve(
            newcomer,
            headers={**newcomer.headers, "x-player-secret": registered.player_secret},
            player_id=registered.player.player_id,
        )
        self.world.keep(me.client)
        self.watch.registered(player.name, player.behaviour)
        return me

    def _step(self, player: Player) -> float | None:
        """Go on with a session; returns the seconds to wait, or `None` where it is over. Raises `BehaviourMistake`."""
        session = player.session
        assert session is not None  # noqa: S101 - it has begun
        try:
            wait: object = next(session, _OVER)
        except Exception as error:
            raise BehaviourMistake(f"{_place(error.__traceback__)}: {type(error).__name__}: {error}") from error
        if wait is _OVER:
            return None
        if (
            isinstance(wait, bool)
            or not isinstance(wait, int | float)
            or not isfinite(wait)
            or not 0 <= wait <= _SLOWEST
        ):
            raise BehaviourMistake(f"{_line_of(session)}: a session yields how many seconds it waits, not {wait!r}")
        return wait


def _session_of(behaviour: Behaviour, me: Me) -> Iterator[float]:
    """A session that begins. Raises `BehaviourMistake` for a behaviour whose `session` gives none."""
    name = behaviour.__name__ if isinstance(behaviour, type) else type(behaviour).__name__
    if isinstance(behaviour, type):
        raise BehaviourMistake(f"{name} is a class: give an object, {name}()")
    method: object = getattr(behaviour, "session", None)
    session: object = method(me) if callable(method) else None
    if not isinstance(session, Iterator):
        raise BehaviourMistake(f"{name}.session(me) is no generator: it must yield how many seconds the player waits")
    return session


def _place(trace: TracebackType | None) -> str:
    """The line of the behaviour in which an exception came up: the last one before `Me` and what it calls."""
    found = "the behaviour"
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in _OURS and found != "the behaviour":
            break
        if code.co_filename not in _OURS:
            found = f"{code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def _line_of(session: Iterator[float]) -> str:
    """The line at which a session has stopped."""
    inner: object = session
    while isinstance(inner, GeneratorType) and isinstance(inner.gi_yieldfrom, GeneratorType):
        inner = inner.gi_yieldfrom
    if isinstance(inner, GeneratorType) and inner.gi_frame is not None:
        return f"{inner.gi_frame.f_code.co_filename}:{inner.gi_frame.f_lineno}"
    return "the behaviour"


_OURS: Final = frozenset({Me.do.__code__.co_filename, Playing.run.__code__.co_filename})
