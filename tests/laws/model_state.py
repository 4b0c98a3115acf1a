"""What the model remembers of every player and scope, and the words in which it answers.

The model is an auditor: it is told every request and every answer, predicts from the specification what each answer must be,
and learns from the answers only what it cannot know (ids, codes, secrets). It shares no code with the service. What only one
area knows is a *part*, a class of that area's file: `scope.part(Graph)` is the social graph of a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

import attrs

from tests.laws.model_answers import Answers
from tests.laws.routes import Body

T = TypeVar("T")
DAY: Final = 86_400_000
HOUR: Final = 3_600_000
MOST: Final = 2**53 - 1
SYSTEM_KEYS: Final = ("sessions", "login_streak")
Asset: TypeAlias = tuple[Literal["currency", "item", "crate"], str]
"""Something that a reward holds; of crates nobody has an amount."""


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
    code: str | None = None
    """The code of an answer that takes effect and still has no result (202)."""


@attrs.define(eq=False)
class Player:
    """A player as the entrance sees them; everything else is a part of some area."""

    name: str
    first_seen: int
    secret: str | None = None
    last_seen: int = 0
    player_id: str | None = None
    """The service's own id, once an answer has shown it."""
    ban: tuple[str, int] | None = None
    """Why and since when the player is banned."""
    absorbed: list[Player] = attrs.field(factory=list)
    """Everybody who was merged into the player, directly or not."""
    _parts: dict[type, object] = attrs.field(factory=dict)

    def part(self, kind: type[T]) -> T:
        """What an area knows of the player; it begins as `kind()`."""
        return _part(self._parts, kind)


EMPTIED: Final = "__deleted_"
"""How the name of a guild or team begins that was emptied with its last member or its founder."""


def told(name: str | None) -> str | None:
    """A name as the model knows it."""
    return EMPTIED if name is not None and name.startswith(EMPTIED) else name


@attrs.frozen
class Former:
    """Whose an id was that is nobody's any more: folded into somebody, or erased, and under which placeholder."""

    player: Player
    into: Player | None
    placeholder: list[str]
    """Empty until an answer has told it."""


@attrs.define(eq=False)
class Scope:
    """One game in one environment."""

    config: Body
    environment: str
    game: dict[str, str] = attrs.field(factory=dict)
    """What is known of the game, in both of its environments: its id."""
    players: dict[str, Player] = attrs.field(factory=dict)
    former: dict[str, Former] = attrs.field(factory=dict)
    """By an id that was given up by a merge or an erasure, the last time that it was."""
    answers: Answers = attrs.field(factory=Answers)
    _parts: dict[type, object] = attrs.field(factory=dict)

    def part(self, kind: type[T]) -> T:
        """What an area knows of the scope; it begins as `kind()`."""
        return _part(self._parts, kind)

    def known(self, name: str) -> Player:
        """The player of this name. Raises 404."""
        if name not in self.players:
            raise Refused(404, "player_not_found")
        return self.players[name]


def _part(parts: dict[type, object], kind: type[T]) -> T:
    if kind not in parts:
        parts[kind] = kind()
    return cast("T", parts[kind])


@attrs.frozen
class Call:
    """A request as a rule of the model sees it."""

    scope: Scope
    now: int
    name: str
    player: str
    arguments: Body
    key: str | None = None
    """The idempotency key, which few rules look at: the entrance has done so for all others."""
    secret: str | None = None
    """The secret that was shown, which the entrance has checked where it has to be."""

    @property
    def me(self) -> Player:
        """The player whom the path names."""
        return self.scope.players[self.player]

    def __getitem__(self, argument: str) -> Any:  # noqa: ANN401 - JSON
        return self.arguments.get(argument)


# -- reading answers ------------------------------------------------------------------------------------------------------


def equal(found: object, expected: object) -> None:
    """Both are the same."""
    assert found == expected


def newest_first(times: Iterable[str]) -> None:
    """The wire timestamps of a list never rise."""
    shown = list(times)
    assert shown == sorted(shown, reverse=True)


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


def stamps(row: Body, *names: str) -> list[int | None]:
    """The timestamps of a row, each as milliseconds or nothing."""
    return [None if row[name] is None else stamp(row[name]) for name in names]
