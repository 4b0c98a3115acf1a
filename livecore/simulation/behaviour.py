"""A virtual player, and how a behaviour moves one: it calls operations, draws its chance, and yields how long it waits.

    class NightOwl:
        def session(self, me):
            me.do("presence.heartbeat")
            yield 30
            for grant in me.do("grants.listPending").row.grants:
                me.do("grants.claim", grant_id=grant.grant_id)
                yield me.draw("wait").below(20)

A session ends where the generator does. A refusal is an answer like any other; a mistake of the behaviour (an argument that
the operation does not take, a value that is `validation_failed`, any exception) ends the run with the behaviour's line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import attrs

from livecore.kernel.entropy import Entropy
from livecore.kernel.time import SECOND, Millis
from livecore.simulation.community import Community
from livecore.simulation.draws import Draws
from livecore.simulation.game import PlayedGame
from livecore.simulation.knowledge import Knowledge
from livecore.simulation.traits import Traits
from livecore.simulation.watching import Watcher

if TYPE_CHECKING:
    from livecore.world import World, WorldPlayer
    from livecore.world.results import CallResult

T = TypeVar("T")
_LOOKS: Final = (
    "friends.list",
    "friends.listRequests",
    "gifts.list",
    "wallet.get",
    "inventory.get",
    "guilds.getOfPlayer",
)
_UNKNOWN_KEYS: Final = frozenset({"economy_key_not_found", "event_not_found", "item_not_found"})
"""Refusals that say that the configuration declares no such key."""


class BehaviourMistake(Exception):
    """A behaviour has made a mistake: it names the file and the line."""


class Behaviour(Protocol):
    """How the players of one behaviour play."""

    def session(self, me: Me) -> Iterator[float]:
        """Play one session: act through `me`, and yield how many seconds to wait."""


@attrs.define(eq=False)
class Me:
    """A virtual player during the whole season."""

    name: str
    """The studio's id of the player."""
    behaviour: str
    traits: Traits
    zone: str
    """The time zone that the player lives in."""
    world: World = attrs.field(repr=False)
    game: PlayedGame = attrs.field(repr=False)
    community: Community = attrs.field(repr=False)
    draws: Draws = attrs.field(repr=False)
    watch: Watcher = attrs.field(repr=False)
    client: WorldPlayer = attrs.field(repr=False)
    until: Millis = 0
    """When the session is to end."""
    sessions: int = 0
    """How many have begun, this one included."""
    first_today: bool = True
    """Whether this is the first session of a UTC day."""
    known: Knowledge = attrs.field(factory=Knowledge, repr=False)
    """What the player remembers of the answers to its calls."""
    memory: dict[str, Any] = attrs.field(factory=dict, repr=False)
    """For a behaviour of one's own: whatever it remembers from one session to the next."""

    # -- acting

    def do(self, operation: str, **arguments: Any) -> CallResult:  # noqa: ANN401 - the operation's arguments
        """Call an operation as the player's client, such as `me.do("gifts.send", external_player_id="bob", …)`.

        A refusal is told by `code`. Raises `LookupError` for an unknown operation or a key that the configuration does not
        declare, `TypeError` for arguments that it does not take, and an `ApiError` for values that it finds invalid.
        """
        return self._told(operation, self.client.try_call(operation, **arguments))

    def backend(self, operation: str, **arguments: Any) -> CallResult:  # noqa: ANN401 - the operation's arguments
        """Let the studio's backend call an operation about this player; otherwise as `do`."""
        result = self.world.server.try_call(operation, external_id=self.name, **arguments)
        return self._told(f"server:{operation}", result)

    def look(self, operation: str) -> Any:  # noqa: ANN401 - the operation's row
        """What is stored about the player, as the backend reads it: it opens no session, and nobody counts the call.

        For what a behaviour of one's own wants to know and no client would ask. Raises `LookupError` for other reads.
        """
        if operation not in _LOOKS:
            raise LookupError(f"look reads {', '.join(_LOOKS)}, not {operation}")
        return self.world.server.try_call(operation, external_id=self.name).unwrap()

    def _told(self, operation: str, result: CallResult) -> CallResult:
        refusal = result.refusal
        if refusal is not None and refusal.code in _UNKNOWN_KEYS:
            raise LookupError(f"{operation}: {refusal.message}")
        self.watch.called(
            operation, self.behaviour, result.status, result.code, result.row if refusal is None else refusal
        )
        return result

    def context(self) -> dict[str, object] | None:
        """The player context, where events rank or match players by it."""
        if not self.game.context_keys:
            return None
        return {key: f"{key}-{1 + self.community.order[self.name] % 3}" for key in self.game.context_keys}

    # -- time and chance

    @property
    def now(self) -> Millis:
        """The virtual time."""
        return self.world.now

    @property
    def seconds_left(self) -> float:
        """How long the session is still to last."""
        return max(0.0, (self.until - self.world.now) / SECOND)

    def draw(self, what: str) -> Entropy:
        """The chance of the next decision about `what`, which no other decision changes."""
        return self.draws.next(self.name, what)

    def chance(self, what: str, probability: float) -> bool:
        """Whether something happens that has this probability."""
        return self.draw(what).unit_interval() < probability

    def choose(self, what: str, items: Sequence[T]) -> T:
        """One of the items, each as likely as any other."""
        return self.draw(what).choice(items)

    def wait(self, what: str, least: float, most: float) -> float:
        """A number of seconds between two bounds."""
        return least + (most - least) * self.draw(f"wait-{what}").unit_interval()
