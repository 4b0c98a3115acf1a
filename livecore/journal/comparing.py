"""Plays a journal under its own configuration and under another one: who has more at the end, and what ended otherwise.

Both are played by this version, side by side, so that what differs comes from the configuration. A command that names an id
names in each what the recorded answer meant (`Ids`). Players of a journal do not think: they do what was recorded, also
where it makes no sense any more, and nothing beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import attrs

from livecore.api.configuration.game_config import GameConfig
from livecore.journal.reading import Journal, Recorded
from livecore.journal.reproducing import answered, world_of
from livecore.journal.translation import Ids
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.values import value
from livecore.world import Emitted, Playback

Resource: TypeAlias = str
"""`currency:gold` or `item:potion`."""
Player: TypeAlias = str
"""The studio's id."""
_EXAMPLES: Final = 3


@value
class Ending:
    """How a call ended."""

    status: int
    code: str | None
    """Of the refusal."""

    def json(self) -> JsonObject:
        """For scripts."""
        return {"status": self.status, "code": self.code}

    def __str__(self) -> str:
        return str(self.status) if self.code is None else f"{self.status} {self.code}"


class Variant:
    """A world in which a journal is played, with what is counted in it."""

    def __init__(self, journal: Journal, config: GameConfig) -> None:
        self.events: Counter[str] = Counter()
        self.unlike = 0
        """How many commands were not answered as recorded."""
        self._ids = Ids()
        self._environment = journal.header.environment
        self._world = world_of(journal.header, config, self._heard)
        self._playback = Playback(self._world)

    def play(self, recorded: Recorded) -> Ending:
        """Play a command."""
        named = {name: self._ids.translated(recorded.data[name]) for name in ("places", "query", "arguments")}
        status, answer = answered(self._playback, recorded, {**recorded.data, **named})
        self.unlike += (status, answer) != (recorded.status, recorded.answer)
        self._ids.learn(recorded.answer, answer)
        return Ending(status, _code(answer))

    def end(self, journal: Journal) -> None:
        """Let time pass to the end of the journal."""
        self._world.advance_to(journal.ends_at)

    def balances(self, players: Mapping[Player, None]) -> dict[tuple[Player, Resource], int]:
        """What these players hold; of those whom there is."""
        found: dict[tuple[Player, Resource], int] = {}
        server = self._world.server
        for player in players:
            wallet = server.try_call("wallet.get", external_id=player)
            if wallet.ok:
                found |= {(player, f"currency:{row.key}"): row.balance for row in wallet.row.balances}
                items = server.try_call("inventory.get", external_id=player).unwrap().items
                found |= {(player, f"item:{row.item_key}"): row.quantity for row in items}
        return found

    def _heard(self, emitted: Emitted) -> None:
        if emitted.environment == self._environment:
            self.events[emitted.kind] += 1


@attrs.define
class Otherwise:
    """Calls that end otherwise under the other configuration."""

    operation: str
    was: Ending
    now: Ending
    count: int = 0
    examples: list[Recorded] = attrs.field(factory=list)
    """The first ones."""


@attrs.define(kw_only=True)
class Compared:
    """What another configuration would have done."""

    commands: int = 0
    unlike: int = 0
    """How many commands are answered otherwise than recorded under the recorded configuration too, by this version."""
    otherwise: dict[tuple[object, ...], Otherwise] = attrs.field(factory=dict)
    balances: tuple[dict[tuple[Player, Resource], int], dict[tuple[Player, Resource], int]] = ({}, {})
    """What each player holds at the end, under the recorded configuration and under the other one."""
    events: tuple[Counter[str], Counter[str]] = attrs.field(factory=lambda: (Counter(), Counter()))
    """How many events of each kind there were."""

    def differences(self) -> dict[Player, dict[Resource, tuple[int, int]]]:
        """The players whose balances differ, with both balances of each resource that does."""
        was, now = self.balances
        found: dict[Player, dict[Resource, tuple[int, int]]] = {}
        for key in dict.fromkeys([*was, *now]):
            pair = was.get(key, 0), now.get(key, 0)
            if pair[0] != pair[1]:
                found.setdefault(key[0], {})[key[1]] = pair
        return found


def compare(journal: Journal, config: GameConfig, told: Callable[[], object] = lambda: None) -> Compared:
    """Play a journal under both configurations; `told` is called after each command. Raises `JournalFault`."""
    own, other = Variant(journal, journal.config), Variant(journal, config)
    compared = Compared()
    players: dict[Player, None] = {}
    for recorded in journal.commands():
        was, now = own.play(recorded), other.play(recorded)
        compared.commands += 1
        if recorded.player is not None and recorded.data["environment"] == journal.header.environment:
            players[recorded.player] = None
        if (was.status, was.code) != (now.status, now.code):
            _note(compared, recorded, was, now)
        told()
    for variant in (own, other):
        variant.end(journal)
    compared.unlike = own.unlike
    compared.balances = own.balances(players), other.balances(players)
    compared.events = own.events, other.events
    return compared


def _note(compared: Compared, recorded: Recorded, was: Ending, now: Ending) -> None:
    key = (recorded.operation, was.status, was.code, now.status, now.code)
    found = compared.otherwise.setdefault(key, Otherwise(recorded.operation, was, now))
    found.count += 1
    if len(found.examples) < _EXAMPLES:
        found.examples.append(recorded)


def _code(answer: Json) -> str | None:
    """The code of a refusal."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None
