"""How a game declares an event: when its windows are open, what is counted, and what players pay and win."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from livecore.economy.rows import Entries
from livecore.events.definition_rows import Metric, Milestone
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Fault, Name
from livecore.kernel.wire.parts import Part, parts_of
from livecore.kernel.wire.shapes import DefinitionKey, Int, Items, Text
from livecore.leaderboards.definition import Validators
from livecore.leaderboards.definition_rows import Order, RankRewards, Score

_LONGEST_SECONDS: Final = 10 * 365 * 86_400
Seconds = Annotated[int, Int(1, _LONGEST_SECONDS)]
LEAST_PERIOD_SECONDS: Final = 5
"""How often windows may recur: each costs rows and work in both environments, whether anybody plays or not."""


@shape
class ScheduledWindow:
    """One window of a schedule; it begins at `startsAt` and is over at `endsAt`."""

    starts_at: Timestamp
    ends_at: Timestamp


@shape
class Schedule:
    """When the windows of an event are open: a list of `windows`, or from `startsAt` on one window every so many seconds.

    Each environment has windows of its own. Windows of one event do not overlap. Windows recur at most every 5 seconds; a
    configuration that a game has since before this limit is still read and played, and refused when it is applied again.
    """

    windows: Annotated[tuple[ScheduledWindow, ...], Items(1, 1_000)] | None = None
    starts_at: Timestamp | None = None
    every_seconds: Annotated[int, Int(1, _LONGEST_SECONDS, least_new=LEAST_PERIOD_SECONDS)] | None = None
    duration_seconds: Seconds | None = None
    until: Timestamp | None = None


@shape
class AttemptRules:
    """How long an attempt may take, how many a player has in a window (`null`: any number), and which of them counts."""

    duration_seconds: Seconds | None = None
    max_per_window: Annotated[int, Int(1, 1_000_000)] | None = 1
    counts: Literal["best", "last"] = "best"


@shape
class BoardRule:
    """Which attempts share a leaderboard: all of a window, those with the same value of `segment`, or those of a lobby.

    A segment is `country` or a key of the player context. It is read when a player's first attempt in a window starts, and
    holds for the player's further attempts there. An event with lobbies has a
    leaderboard for each lobby, also where nothing is said here.
    """

    by: Literal["window", "segment", "lobby"] = "window"
    segment: Annotated[str, Text(1, 64)] | None = None


@shape
class EventDefinition:
    """An event as the game declares it."""

    # Each format adds the members that say how the event is played: `FormatPart`.
    takes_parts: ClassVar = True

    key: DefinitionKey
    name: Name
    schedule: Schedule
    metrics: Annotated[tuple[Metric, ...], Items(1, 20)]
    score: DefinitionKey | None = None
    order: Order = "desc"
    target: Score | None = None
    attempts: AttemptRules = AttemptRules()
    entry_cost: Entries = ()
    milestones: Annotated[tuple[Milestone, ...], Items(0, 100)] = ()
    completion_rewards: Entries = ()
    rank_rewards: RankRewards = ()
    validators: Validators = ()
    board: BoardRule = BoardRule()

    @property
    def score_metric(self) -> Metric:
        """The metric that counts as the score."""
        for metric in self.metrics:
            if metric.key == self.score:
                return metric
        return self.metrics[0]

    @property
    def boards_by(self) -> str:
        """Which attempts share a leaderboard, which a format decides where it has groups with a leaderboard of their own."""
        return next((by for part in format_parts() if (by := part.boards_by(self)) is not None), self.board.by)


T = TypeVar("T")
_Faults: TypeAlias = "Callable[[Any, EventDefinition, str], Iterable[Fault]]"
_Advice: TypeAlias = "Callable[[Any, EventDefinition, str], Iterable[Advice]]"


def _nothing(_: Any, __: EventDefinition, ___: str) -> tuple[()]:  # noqa: ANN401 - any configuration
    return ()


class FormatPart(Part[T]):
    """What a format adds to the declaration of an event: a member, its contradictions, and advice on it.

    `faults` and `advice` are given the whole configuration, an event, and the path of the event; they are asked about every
    event. `groups` is how the boards are called that the format gives to each of its groups, if it does.
    """

    def __init__(
        self,
        name: str,
        kind: type[T],
        *,
        faults: _Faults = _nothing,
        advice: _Advice = _nothing,
        groups: str | None = None,
        written_empty: bool = False,
    ) -> None:
        super().__init__(EventDefinition, name, kind, written_empty=written_empty)
        self.faults = faults
        self.advice = advice
        self._groups = groups

    def boards_by(self, event: EventDefinition) -> str | None:
        """The groups that have leaderboards of their own at an event; `None`: the format decides nothing about them."""
        return None if self.of(event) is None else self._groups


def format_parts() -> Iterator[FormatPart[Any]]:
    """What the formats add to the declaration of an event, in the order of the members' names."""
    return (part for part in parts_of(EventDefinition) if isinstance(part, FormatPart))
