"""What the model remembers, and the words in which it answers.

The model is an auditor: it is told every request and every answer, predicts from the specification what each answer must be,
and learns from the answers only what it cannot know (ids, codes, secrets). It shares no code with the service; its data is
the simplest that can say the rules: players by name, pairs of players, grants, gifts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import attrs

from tests.laws.model_answers import Answers
from tests.laws.routes import Body

__all__ = [
    "DAY",
    "HOUR",
    "MOST",
    "SYSTEM_KEYS",
    "Asset",
    "Call",
    "Former",
    "Gift",
    "Grant",
    "Pair",
    "Player",
    "Purchase",
    "Refused",
    "Reply",
    "Scope",
    "day_of",
    "stamp",
]

DAY: Final = 86_400_000
HOUR: Final = 3_600_000
MOST: Final = 2**53 - 1
SYSTEM_KEYS: Final = ("sessions", "login_streak")
Asset: TypeAlias = tuple[Literal["currency", "item"], str]


class Refused(Exception):
    """The model's word for a refusal."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code


def _anything(_: Body) -> None:
    """No demand on the answer's data."""


@attrs.frozen
class Reply:
    """A predicted success: its status, the kinds of its events, and a check of its data that also learns ids from it.

    `move` names the transition of the specification's section 3 that it makes, `replayed` says that the answer tells of
    something that was done before.
    """

    status: int = 200
    events: tuple[str, ...] = ()
    check: Callable[[Body], None] = _anything
    move: str = ""
    replayed: bool = False


@attrs.define(eq=False)
class Player:
    """A player as far as the laws go."""

    name: str
    first_seen: int
    secret: str | None = None
    code: str | None = None
    display: str | None = None
    held: dict[Asset, int] = attrs.field(factory=dict)
    attributes: dict[Asset, Body] = attrs.field(factory=dict)
    """What stacks of items have of their own, over what the game declares."""
    beat_at: int | None = None
    label: str | None = None
    last_seen: int = 0
    sessions: int = 0
    streak: int = 0
    best_streak: int = 0
    streak_day: int = -1
    sent_on: dict[int, int] = attrs.field(factory=dict)
    """How many gifts the player sent, by UTC day."""
    ban: tuple[str, int] | None = None
    """Why and since when the player is banned."""
    absorbed: list[Player] = attrs.field(factory=list)
    """Everybody who was merged into the player, directly or not."""

    def holds(self, asset: Asset) -> int:
        """How much the player has of something."""
        return self.held.get(asset, 0)

    def add(self, asset: Asset, amount: int, attributes: Body | None = None) -> None:
        """Give or take; the last one that goes takes the stack's attributes with it."""
        self.held[asset] = self.holds(asset) + amount
        own = {**self.attributes.get(asset, {}), **(attributes or {})}
        self.attributes[asset] = own if self.held[asset] else {}

    def streak_on(self, at: int) -> int:
        """The login streak, which a whole day without a session ends."""
        return self.streak if day_of(at) <= self.streak_day + 1 else 0


@attrs.define(eq=False)
class Pair:
    """Two players: who asked, since when they are friends, who blocks whom, who gifted whom when."""

    state: Literal["none", "asked", "friends"] = "none"
    since: int = 0
    asker: str = ""
    acceptor: str = ""
    request_id: str | None = None
    blocked_at: dict[str, int] = attrs.field(factory=dict)
    """By who set the block."""
    gifted_at: dict[str, int] = attrs.field(factory=dict)
    """By who sent the gift."""


@attrs.define(eq=False)
class Gift:
    """A gift; its state is its grant's."""

    gift_id: str
    sender: str
    recipient: str
    asset: Asset
    amount: int
    paid: bool
    sent_at: int


@attrs.define(eq=False)
class Grant:
    """A grant; `gift` is what it delivers."""

    grant_id: str
    player: str
    entries: list[tuple[Asset, int]]
    created_at: int
    expires_at: int | None
    status: Literal["pending", "claimed", "expired"] = "pending"
    claimed_at: int | None = None
    acked_by: str | None = None
    gift: Gift | None = None
    retry_at: int | None = None
    """When a refund for which there was no room is tried again."""

    def past(self, now: int) -> bool:
        """Whether its time has passed, swept or not."""
        return self.expires_at is not None and now >= self.expires_at


@attrs.define(eq=False)
class Purchase:
    """A purchase as it was first told, or better by who verified it; `cents` are US cents."""

    player: str
    store: str
    told: Body
    """The request's fields that a repetition must not contradict."""
    cents: int
    at: int
    verified: bool
    purchase_id: str = ""


@attrs.frozen
class Former:
    """Whose an id was that is nobody's any more: folded into somebody, or erased, and under which placeholder."""

    player: Player
    into: Player | None
    placeholder: list[str]
    """Empty until an answer has told it."""


@attrs.frozen
class Given:
    """A secret that was given under a key: to which request, when, and with which status."""

    fingerprint: str
    at: int
    status: int
    secret: str


@attrs.define(eq=False)
class Scope:
    """One game in one environment."""

    config: Body
    environment: str
    gifting_seen: bool = True
    players: dict[str, Player] = attrs.field(factory=dict)
    pairs: dict[frozenset[str], Pair] = attrs.field(factory=dict)
    grants: dict[str, Grant] = attrs.field(factory=dict)
    gifts: dict[str, Grant] = attrs.field(factory=dict)
    """By gift id: the grant that delivers it."""
    former: dict[str, Former] = attrs.field(factory=dict)
    """By an id that was given up by a merge or an erasure, the last time that it was."""
    debug: dict[str, str | None] = attrs.field(factory=dict)
    """The names of debug accounts, and why they are."""
    purchases: dict[tuple[str, str], Purchase] = attrs.field(factory=dict)
    """By store and transaction."""
    migrated: dict[tuple[str, str], str] = attrs.field(factory=dict)
    """What rows of each migration route said, by their keys."""
    answers: Answers = attrs.field(factory=Answers)
    given: dict[tuple[Player, str], Given] = attrs.field(factory=dict)
    """What registering a player under a key gave."""

    @property
    def platform(self) -> bool:
        """Whether the service keeps wallet and inventory."""
        return bool(self.config["economyMode"] == "platform")

    @property
    def gifting(self) -> Body:
        """The gifting settings."""
        gifting: Body = self.config["gifting"]
        return gifting

    @property
    def economy(self) -> dict[str, str]:
        """The kinds of the economy keys."""
        return {entry["key"]: entry["kind"] for entry in self.config["economy"]}

    @property
    def items(self) -> dict[str, Body]:
        """The attributes that the game declares for each item."""
        return {entry["key"]: entry.get("parameters", {}) for entry in self.config["items"]}

    def social(self, name: str, default: int) -> int:
        """A social limit."""
        return int(self.config.get("social", {}).get(name, default))

    def pair(self, one: str, other: str) -> Pair:
        """How two players stand to each other."""
        return self.pairs.setdefault(frozenset((one, other)), Pair())

    def pairs_of(self, name: str) -> list[tuple[str, Pair]]:
        """Everybody whom a player has something to do with."""
        return [
            (next(iter(names - {name})), pair)
            for names, pair in self.pairs.items()
            if name in names and len(names) == 2
        ]

    def friends_of(self, name: str) -> list[str]:
        """The names of a player's friends."""
        return [other for other, pair in self.pairs_of(name) if pair.state == "friends"]

    def known(self, name: str) -> Player:
        """The player of this name. Raises 404."""
        if name not in self.players:
            raise Refused(404, "player_not_found")
        return self.players[name]


@attrs.frozen
class Call:
    """A request as a rule of the model sees it."""

    scope: Scope
    now: int
    name: str
    player: str
    arguments: Body

    @property
    def me(self) -> Player:
        """The player whom the path names."""
        return self.scope.players[self.player]

    def __getitem__(self, argument: str) -> Any:  # noqa: ANN401 - JSON
        return self.arguments.get(argument)


def day_of(at: int) -> int:
    """The UTC day of an instant."""
    return at // DAY


def stamp(text: str) -> int:
    """A wire timestamp as milliseconds, read with nothing but arithmetic on its digits."""
    date, _, clock = text.removesuffix("Z").partition("T")
    year, month, day = map(int, date.split("-"))
    # Days since 1970 by the civil calendar, with the year beginning in March.
    year -= month <= 2
    era_day = 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    hours, minutes, seconds = clock.split(":")
    return (era_day - 719_468) * DAY + int(hours) * 3_600_000 + int(minutes) * 60_000 + round(float(seconds) * 1000)
