"""The events of a rehearsal: two players play in a `World`, and what it emits is what production would emit.

The world begins a month before the rehearsal. A first part of the events happens then, as that of an endpoint that was
paused for thirty days; the other ones happen in the last minutes. Every event is used for one purpose, so that its
deliveries can be counted by its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import attrs

from livecore.api.areas import AREAS
from livecore.demo import DEMO
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import JsonObject
from livecore.kernel.ids import new_id
from livecore.kernel.time import DAY, MINUTE, Millis, Timestamp
from livecore.kernel.units.unit import Event
from livecore.kernel.values import keyword_value
from livecore.kernel.wire import encode
from livecore.kernel.wire.config_text import read_text
from livecore.webhooks.samples import sample_of
from livecore.world import World

LONG_AGO: Final[Millis] = 30 * DAY
"""How long the events of a paused endpoint are kept, and so how old an event may be when it arrives."""
_RECENT: Final[Millis] = 10 * MINUTE
_SEEDS: Final = 2**63


@keyword_value
class RehearsedEvent:
    """One event of a rehearsal, as a receiver reads it in the envelope."""

    id: str
    kind: str
    occurred_at: Timestamp
    data: JsonObject


@attrs.define(eq=False)
class Play:
    """A supply of events, in the order in which they happened; each is given once.

    The part of a month ago has `old_rounds` rounds, and so at least as many events of each kind. Recent events are played
    when they are asked for. `players` are the external ids of the two, by default new ones.
    """

    now: Millis
    entropy: Entropy
    players: Sequence[str] | None = None
    old_rounds: int = 1
    _names: Sequence[str] = attrs.field(init=False)
    _world: World = attrs.field(init=False)
    _recent: dict[str, list[RehearsedEvent]] = attrs.field(init=False, factory=dict)
    _old: dict[str, list[RehearsedEvent]] = attrs.field(init=False, factory=dict)
    _rounds: int = attrs.field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        """Play what happened a month ago, and the first round of now."""
        start = Timestamp(max(0, self.now - LONG_AGO))
        self._world = World(_game(), seed=self.entropy.below(_SEEDS), start=start)
        self._names = self.players or tuple(f"{self._label()}-{name}" for name in ("ana", "ben"))
        for _ in range(self.old_rounds):
            self._play(self._old)
        # Not `advance`, which would run a month of hourly work: this is a server that was away for so long.
        self._world.now = max(self._world.now, self.now - _RECENT)
        self._play(self._recent)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of events that the players cause."""
        return tuple(self._recent)

    @property
    def origin(self) -> tuple[str, str]:
        """The ids of the studio and the game."""
        return self._world.game.studio_id, self._world.game.game_id

    def recent(self, kind: str) -> RehearsedEvent:
        """An event of this kind that has just happened."""
        return self._next(self._recent, kind, self.now)

    def old(self, kind: str) -> RehearsedEvent:
        """An event of this kind that happened a month ago. Raises `IndexError` after the last round."""
        return self._next(self._old, kind, self.now - LONG_AGO)

    def made_up(self, kind: str, data: JsonObject) -> RehearsedEvent:
        """An event that no player caused, of any kind."""
        return self._event(kind, self.now, data)

    def _next(self, pool: dict[str, list[RehearsedEvent]], kind: str, moment: Millis) -> RehearsedEvent:
        if kind not in pool:
            payload: Event = sample_of(AREAS.events[kind])
            return self._event(kind, moment, _object(payload))
        if not pool[kind] and pool is self._recent:
            self._play(pool)
        return pool[kind].pop(0)

    def _play(self, pool: dict[str, list[RehearsedEvent]]) -> None:
        first = len(self._world.events)
        self._rounds += 1
        _round(self._world, self._names, f"{self._label()}-{self._rounds}")
        for event in self._world.events[first:]:
            pool.setdefault(event.kind, []).append(self._event(event.kind, event.at, event.data))

    def _label(self) -> str:
        """What the names of this rehearsal begin with, so that those of two rehearsals differ."""
        return f"rehearsal-{self._world.seed:016x}"

    def _event(self, kind: str, moment: Millis, data: JsonObject) -> RehearsedEvent:
        return RehearsedEvent(
            id=new_id("evt", moment, self.entropy), kind=kind, occurred_at=Timestamp(moment), data=data
        )


def _object(payload: Event) -> JsonObject:
    data = encode(payload)
    assert isinstance(data, dict)  # noqa: S101 - a payload is an object
    return data


def _game() -> JsonObject:
    """The demo game, in which nobody waits between two gifts, and without what happens by the calendar."""
    game = read_text(DEMO)
    assert isinstance(game, dict)  # noqa: S101 - a configuration is an object
    gifting = game["gifting"]
    assert isinstance(gifting, dict)  # noqa: S101 - the demo has this section
    return {**game, "gifting": {**gifting, "cooldownSeconds": 0}, "events": [], "leaderboards": []}


def _round(world: World, names: Sequence[str], label: str) -> None:
    """What two friends and a newcomer do in a minute; it can be played again, under another label."""
    world.advance(seconds=1)
    ana, ben = (world.player(name) for name in names)
    world.player(label)
    request = ana.friends.send_request(external_player_id=names[1]).request
    assert request  # noqa: S101 - they are no friends at the beginning of a round
    world.advance(seconds=1)
    ben.friends.accept_request(request.request_id)
    world.server.wallet.credit(names[0], "gold", amount=50, reason="daily reward")
    sent = ana.gifts.send(
        external_player_id=names[1], type="currency", resource_key="gold", amount=10, message="À bientôt, 元気で"
    )
    world.advance(seconds=1)
    ben.gifts.claim(sent.gift.gift_id)
    world.server.inventory.grant(names[0], "potion", quantity=2, reason="quest")
    ana.inventory.consume("potion", quantity=1)
    world.server.purchases.track(
        names[1], transaction_id=label, store="apple", product_id="gems-100",
        product_type="consumable", amount_minor=499, currency="USD",
    )  # fmt: skip
    world.advance(seconds=1)
    ana.friends.remove(names[1])
