"""Where sequences are played: two games in two environments over any store, with a clock and a seed of their own.

An arena is a `World` for several games over a store that is handed in. Every request draws from a seed that follows from its
number, and every item of due work from one that follows from its name and time. So the same requests under the same numbers
give the same bytes on every store, and also when those of the other scopes are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Literal, Protocol, TypeVar

import attrs

from livecore.access.directory import STUDIOS, Game
from livecore.access.keys import rotate_key
from livecore.access.members import add_member
from livecore.access.personal_keys import add_personal_key
from livecore.api.application import Application
from livecore.api.configuration.game_config import parse_config
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import apply_config, make_game, prepare_scope, run_due, system_unit, take, write_taken
from livecore.api.requests.http import Request, Response
from livecore.api.requests.limits import RateLimits
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.store import Store, Transaction
from livecore.kernel.time import Timestamp
from livecore.kernel.units import due
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Actor, Event, Unit
from livecore.webhooks.endpoints import PlainVault, add_endpoint
from tests.laws.games import GAMES, Environment, Place, config_of

T = TypeVar("T")
Permission = Literal["client", "server"]
START: Final = int(Timestamp.parse("2026-03-01T22:30:00.000Z"))
"""Not far from midnight, so that days begin early in a sequence."""


class Rows(Store, Protocol):
    """A store whose whole state can be compared."""

    def reader(self, scope: Scope) -> Reader:
        """The committed rows of a scope."""

    def dump(self) -> dict[str, dict[str, list[Any]]]:
        """Every row of every scope."""


@attrs.frozen
class Happened:
    """An event that time brought: where, of what kind, and its payload."""

    place: Place
    kind: str
    event: object


@attrs.define
class _Key:
    key_id: str
    text: str


class Arena:
    """The games of `tests.laws.games` over a store."""

    def __init__(self, store: Rows | None = None, *, seed: int = 0) -> None:
        self.store: Rows = store or MemoryStore()
        self.now = START
        self.number = 0
        """The number of the request under way; whoever plays sets it."""
        self.ephemeral = EphemeralState()
        self._root = seed.to_bytes(32, "big")
        self.application = Application(
            self.store,
            clock=lambda: self.now,
            seeds=self.seed,
            deployment=new_deployment(ephemeral=self.ephemeral, secrets=[derive_seed(self._root, "deployment", 0)]),
            limits=RateLimits.off(),
        )
        self.games: list[Game] = []
        self._switches = 0
        self._keys: dict[tuple[Place, Permission], list[_Key]] = {}
        self._operators: dict[int, str] = {}
        for number in range(len(GAMES)):
            self._make_game(number)
        self.places = sorted({place for place, _ in self._keys})
        """Every game in both environments."""
        for place in self.places:
            self.in_scope(place, "prepare", prepare_scope)
            self.in_scope(place, "subscribe", _subscribe)

    # -- setting up

    def _make_game(self, number: int) -> None:
        seed = derive_seed(self._root, "game", number)
        made = self.store.write(
            DIRECTORY,
            lambda tx: make_game(
                tx,
                parse_config(config_of(number)),
                self.now,
                Entropy(seed),
                studio_name=f"Studio {number}",
                actor=Actor("system"),
            ),
        )
        self.games.append(made.game)
        environments: tuple[Environment, ...] = ("test", "live")
        permissions: tuple[Permission, ...] = ("client", "server")
        for environment in environments:
            for permission in permissions:
                once = made.keys[environment, permission]
                self._keys[Place(number, environment), permission] = [_Key(once.key.key_id, once.text)]

    def scope(self, place: Place) -> Scope:
        """The service's own name for a place."""
        return Scope(self.games[place.game].game_id, place.environment)

    def key(self, place: Place, permission: Permission, age: int = 0) -> str:
        """The text of a place's API key: the newest one, or an older one."""
        keys = self._keys[place, permission]
        return keys[max(0, len(keys) - 1 - age)].text

    def rotate_key(self, place: Place, permission: Permission) -> str:
        """Give a key a successor; both work from now on, the older one for 60 days."""
        keys = self._keys[place, permission]
        seed = derive_seed(self._root, f"rotate/{place}/{permission}", len(keys))
        game_id, key_id = self.games[place.game].game_id, keys[-1].key_id
        made = self.store.write(DIRECTORY, lambda tx: rotate_key(tx, game_id, key_id, self.now, Entropy(seed)))
        keys.append(_Key(made.key.key_id, made.text))
        return made.text

    def operator(self, number: int) -> str:
        """The personal key of an owner of a game's studio, who is there from the first time that one is asked for."""
        if number not in self._operators:
            studio_id, entropy = self.games[number].studio_id, Entropy(derive_seed(self._root, "operator", number))

            def employ(tx: Transaction) -> str:
                studio = tx.get(STUDIOS, studio_id)
                assert studio is not None
                member, _ = add_member(tx, studio, f"owner-{number}@example.com", "OWNER", self.now, entropy)
                return add_personal_key(
                    tx, studio_id, member.member_id, "laws", self.now, entropy,
                    secret=entropy.bytes(25), expires_in_days=365, read_only=False,
                ).text  # fmt: skip

            self._operators[number] = self.store.write(DIRECTORY, employ)
        return self._operators[number]

    def switch_gifting(self, number: int, *, enabled: bool) -> None:
        """Switch a game's gifting on or off, for both environments."""
        config = parse_config(config_of(number, gifting=enabled))
        game_id = self.games[number].game_id
        self._switches += 1
        seed = derive_seed(self._root, "switch", self._switches)

        def apply(tx: Transaction) -> Game:
            return apply_config(tx, game_id, config, self.now, Entropy(seed), Actor("system"))

        self.games[number] = self.store.write(DIRECTORY, apply)
        for place in self.places:
            if place.game == number:
                self.in_scope(place, "prepare", prepare_scope)

    # -- requests

    def seed(self) -> bytes:
        """The seed of the request under way."""
        return derive_seed(self._root, "request", self.number)

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Answer a request, and say what it emitted."""
        outcome = self.application.perform(request)
        return outcome.response, outcome.events

    # -- time

    def advance(self, milliseconds: int) -> list[Happened]:
        """Let time pass and run what comes due on the way; gives what it emitted."""
        moment = self.now + milliseconds
        happened: list[Happened] = []
        self.flush()
        while True:
            coming = [at for at in map(self._earliest, self.places) if at is not None and at <= moment]
            if not coming:
                break
            self.now = max(self.now, min(coming))
            for place in self.places:
                happened += self._run_due(place)
        self.now = moment
        return happened

    def flush(self) -> None:
        """Write the ephemeral state to the store, as a server does every few seconds."""
        for taken in take(self.ephemeral, 1_000_000):
            for ref in self.store.write(taken.scope, partial(write_taken, taken=taken)):
                self.ephemeral.forget(taken.scope, ref)

    def _earliest(self, place: Place) -> int | None:
        return self.store.read(self.scope(place), due.earliest)

    def _run_due(self, place: Place) -> list[Happened]:
        happened: list[Happened] = []
        for work in self.store.read(self.scope(place), lambda tx: due.due(tx, self.now, 1_000)):
            _, events = self.in_scope(place, f"{work.kind}/{work.ref}", partial(run_due, work=work))
            happened += [Happened(place, event.kind, event) for event in events]
        return happened

    def in_scope(self, place: Place, label: str, work: Callable[[Unit], T]) -> tuple[T, list[Event]]:
        """Run `work` as the service itself; gives its result and what it emitted."""
        seed = derive_seed(self._root, f"{place}/{label}", self.now)
        game = self.games[place.game]

        def step(tx: Transaction) -> tuple[T, list[Event]]:
            unit = system_unit(tx, game, self.now, seed, self.application.deployment)
            return work(unit), unit.events

        return self.store.write(self.scope(place), step)


def _subscribe(unit: Unit) -> object:
    """An endpoint for everything, so that events are rows as well."""
    return add_endpoint(
        unit, PlainVault(), key=unit.scope.environment, url="https://studio.example/hooks", events=["*"]
    )
