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

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import attrs

from livecore.api.requests.typed import Reply
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, ValidationFailed
from livecore.kernel.time import SECOND, Millis
from livecore.simulation.community import Community
from livecore.simulation.draws import Draws
from livecore.simulation.game import PlayedGame
from livecore.simulation.knowledge import Knowledge
from livecore.simulation.traits import Traits
from livecore.simulation.watching import Watcher
from livecore.world.checks import entry_of
from livecore.world.requests import typed_request

if TYPE_CHECKING:
    from livecore.world import World

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
_NO_DETAILS: Final[Mapping[str, Json]] = {}


class BehaviourMistake(Exception):
    """A behaviour has made a mistake: it names the file and the line."""


@attrs.define(eq=False)
class Done:
    """How a call ended."""

    status: int
    code: str | None
    """The code of the refusal, or `None`."""
    row: Any
    """The answer, as a client reads it; `None` where the call was refused."""
    details: Mapping[str, Json] = _NO_DETAILS
    """What a refusal says besides."""

    @property
    def ok(self) -> bool:
        """Whether the call was not refused."""
        return self.code is None


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
    headers: dict[str, str] = attrs.field(repr=False)
    bare: dict[str, str] = attrs.field(repr=False)
    """The headers without the player's secret."""
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

    def do(self, operation: str, **arguments: Any) -> Done:  # noqa: ANN401 - the operation's arguments
        """Call an operation as the player's client, such as `me.do("gifts.send", external_player_id="bob", …)`.

        A refusal is told by `code`. Raises `LookupError` for an unknown operation or a key that the configuration does
        not declare, `TypeError` for arguments that it does not take, and `ValueError` for values that the service finds
        invalid.
        """
        entry = entry_of(self.world.operations, "sdk", operation)
        headers = self.bare if entry.credential == "client_key" and not entry.recognises else self.headers
        return self._done(operation, "sdk", headers, arguments)

    def backend(self, operation: str, **arguments: Any) -> Done:  # noqa: ANN401 - the operation's arguments
        """Let the studio's backend call an operation about this player; otherwise as `do`."""
        return self._done(operation, "server", self.world.server.headers, arguments)

    def look(self, operation: str) -> Any:  # noqa: ANN401 - the operation's row
        """What is stored about the player, as the backend reads it: it opens no session, and nobody counts the call.

        For what a behaviour of one's own wants to know and no client would ask. Raises `LookupError` for other reads.
        """
        if operation not in _LOOKS:
            raise LookupError(f"look reads {', '.join(_LOOKS)}, not {operation}")
        entry = entry_of(self.world.operations, "server", operation)
        asked = typed_request(entry, self.world.server.headers, entry.args(), {"externalId": self.name}, None, "")
        reply = self.world.handle(asked)
        assert isinstance(reply, Reply)  # noqa: S101 - a typed request gets one
        if reply.refusal is not None:
            raise LookupError(f"{operation} of {self.name}: {reply.refusal.code}")
        return reply.row

    def _done(self, operation: str, surface: str, headers: Mapping[str, str], arguments: dict[str, Any]) -> Done:
        entry = entry_of(self.world.operations, surface, operation)
        given = entry.args(**arguments)
        reply = self.world.handle(typed_request(entry, headers, given, {"externalId": self.name}, None, ""))
        assert isinstance(reply, Reply)  # noqa: S101 - a typed request gets one
        refusal = reply.refusal
        called = operation if surface == "sdk" else f"{surface}:{operation}"
        if refusal is None:
            self.watch.called(called, self.behaviour, reply.status, None, reply.row)
            return Done(reply.status, None, reply.row)
        if isinstance(refusal, ValidationFailed):
            invalid = f"{called} was given what is not valid: {dict(refusal.fields)}"
            raise ValueError(invalid)  # noqa: TRY004 - it is a value that is wrong
        if refusal.code in _UNKNOWN_KEYS:
            raise LookupError(f"{called}: {refusal.message}")
        self.watch.called(called, self.behaviour, reply.status, refusal.code, refusal)
        return Done(reply.status, refusal.code, None, refusal.details)

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
