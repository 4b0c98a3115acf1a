"""How an event is played: the interface of its formats, and the moments at which a format has a say.

A format is a way to play an event. In `Solo` each player plays alone, on the leaderboard of the window or of a segment; it
is the format of every event that no other format divides into groups (`livecore.events.solo`). Another format is a subclass
of `EventFormat` that its `Area` provides; it plays an event whose declaration has one of its parts, such as `lobby`. An
event may have several formats, which have their say in the order of the areas; the first that seats a player decides where
the attempt is ranked.

    declaration  `parts`: members of an event, their contradictions, and advice (`FormatPart`)
    opening      `boards`
    starting     `reads_to_start`, `expected_board`, `admit`, `seat`
    progress     `reads_to_progress`, `require_in_play`, `before_progress`, `scored`, `ended`
    time         `catch_up`, `frozen_since`, `left`
    close        `before_close`, `before_final`, `after_close`, `clean_up`
    showing      `shown`, `shown_in_window`, `counts`, `counted`

A method that is given a window is asked of the formats in which its event is played. One that is given an attempt or a board
alone is asked of every format, because the window may not be read yet: a format finds by the attempt or the board whether it
is one of its own.

A format works on the unit, the window and the attempt that it is given, and answers with values. What it knows of a window
or an attempt is a row of its own, found by their ids. What merging and erasing players does to these rows it declares as
every area does; `catch_up` runs before a merge, and `ended` and `left` judge what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

import attrs

from livecore.events.attempt_records import Attempt
from livecore.events.definition import EventDefinition, FormatPart
from livecore.events.window_records import EventWindow, definition_in
from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.jobs import Cursor
from livecore.kernel.errors import JsonObject, NotYet, Refusal
from livecore.kernel.remembered import Remembered, remembered
from livecore.kernel.storage.reads import Count, Get, Read
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.leaderboards.boards import Leaderboard
from livecore.players.player import Player

_NOTHING: Final[Mapping[str, Any]] = {}
Rows: TypeAlias = "Mapping[Get[Any], Any]"
"""Rows by the reads that have found them; `None` where there is no such row."""


@value
class Entrant:
    """A player who starts an attempt in a window, with the context of the request and the player's last attempt there."""

    player: Player
    window: EventWindow
    definition: EventDefinition
    context: JsonObject | None
    before: Attempt | None
    number: int
    """The number that the attempt will have among the player's in the window."""


@attrs.define
class ClosingStep:
    """One step of the close of a window: how many rows it may still handle, and what it has done."""

    unit: Unit
    window: EventWindow
    rows_left: int
    granted: int = 0
    counts: dict[str, int] = attrs.field(factory=dict)
    """What else it has done, by the names that the answer to `dev.endWindow` has for it."""

    def count(self, name: str, number: int = 1) -> None:
        """Note that so much has been done."""
        self.counts[name] = self.counts.get(name, 0) + number


Stage: TypeAlias = "Callable[[ClosingStep, Cursor], Cursor | None]"
"""A stage of the close of a window, which goes on from a cursor (`()` at first), and gives the next; `None`: it is done."""


class EventFormat:
    """One way to play an event; each method is a moment, at which a format that has nothing to say keeps the default."""

    parts: ClassVar[tuple[FormatPart[Any], ...]] = ()
    """What it adds to the declaration of an event."""
    refusals: ClassVar[Mapping[str, tuple[type[Refusal], ...]]] = _NOTHING
    """What it refuses operations with, by their names; their documents list it with the operations' own."""
    closes_every_window: ClassVar = False
    """Whether its stages at the close also run in windows of events that are not played in it, where it may have rows.

    A roster of a team, for example, may have been written for a window before the event was declared without teams.
    """
    before_close: ClassVar[Mapping[str, Stage]] = _NOTHING
    """Stages of the close of a window before its attempts expire, by their names in the stored cursor."""
    after_close: ClassVar[Mapping[str, Stage]] = _NOTHING
    """Stages after the boards of the window are final and paid."""
    clean_up: ClassVar[Mapping[str, Stage]] = _NOTHING
    """Stages that remove what everybody left, once the window is closed."""

    def plays(self, definition: EventDefinition) -> bool:
        """Whether an event is played in this format."""
        return any(part.of(definition) is not None for part in self.parts)

    # -- opening

    def boards(self, unit: Unit, window: EventWindow, definition: EventDefinition) -> Iterable[Leaderboard]:
        """Further boards that a window has from its opening on."""
        return ()

    # -- starting

    def reads_to_start(self, unit: Unit, entrant: Entrant) -> Iterable[Read[Any]]:
        """What `admit` and `seat` read, to be read together with the rest."""
        return ()

    def expected_board(self, unit: Unit, entrant: Entrant) -> str | None:
        """The id of the board on which the attempt would be ranked, where that is known before a seat is taken."""
        return None

    def admit(self, unit: Unit, entrant: Entrant) -> Mapping[str, Any]:
        """Refuse a player who may not start, by raising; gives the columns of the attempt that belong to the format."""
        return _NOTHING

    def seat(self, unit: Unit, entrant: Entrant) -> Leaderboard | NotYet | None:
        """The board on which the attempt begins; `NotYet` while others are missing; `None`: another format seats."""
        return None

    # -- progress

    def reads_to_progress(self, unit: Unit, attempt: Attempt) -> Iterable[Read[Any]]:
        """What progress of an attempt reads for this format, as far as the attempt says it."""
        return ()

    def reads_to_show(self, attempt: Attempt) -> Iterable[Get[Any]]:
        """The rows among which `frozen_since` finds its own."""
        return ()

    def frozen_since(
        self,
        attempt: Attempt,
        window: EventWindow,
        rows: Rows,
        now: Millis,
    ) -> Millis | None:
        """Since when an attempt in progress is frozen, whether due work has noted that or not; `None`: it is not."""
        return None

    def require_in_play(self, unit: Unit, attempt: Attempt, window: EventWindow) -> None:
        """Refuse progress of an attempt that is in progress, by raising."""

    def before_progress(self, unit: Unit, attempt: Attempt, window: EventWindow) -> None:
        """Bring the attempt's board up to this moment, before progress is ranked on it."""

    def scored(self, unit: Unit, attempt: Attempt, window: EventWindow, before: int | None) -> None:
        """The score of an attempt has been written, which was `before`."""

    def ended(self, unit: Unit, attempt: Attempt, how: Literal["completed", "expired"]) -> None:
        """An attempt has come to its end; its row and its entry say so already."""

    # -- time

    def reads_to_catch_up(self, subject: Attempt | Leaderboard) -> Iterable[Read[Any]]:
        """What `catch_up` reads first, of an attempt or a board."""
        return ()

    def catch_up(self, unit: Unit, subject: Attempt | Leaderboard) -> None:
        """Do what was due before this moment to an attempt or a board, as if due work had come in time."""

    def left(self, unit: Unit, board: Leaderboard) -> None:
        """A player has gone from a board without an attempt that ended; all rows of the player say so already."""

    # -- close

    def before_final(self, unit: Unit, window: EventWindow, board: Leaderboard) -> None:
        """Bring a board up to the end of its window, before it is final."""

    # -- showing

    def shown(self, definition: EventDefinition) -> Mapping[str, Any]:
        """Members of the rows of the event and of its windows."""
        return _NOTHING

    def shown_in_window(self, unit: Unit, window_id: str, definition: EventDefinition) -> Mapping[str, Any]:
        """Members of the rows of a window."""
        return _NOTHING

    def counts(self, window_id: str) -> Sequence[Count]:
        """What `counted` needs."""
        return ()

    def counted(self, window_id: str, found: Mapping[Count, int]) -> Mapping[str, Any]:
        """Members of the row of a window in detail: how much goes on in it."""
        return _NOTHING


def every_format(unit: Unit) -> tuple[EventFormat, ...]:
    """All formats that there are, in the order of the areas."""
    return Areas.of(unit).provided(EventFormat)


def formats_to_close(unit: Unit, window: EventWindow) -> list[EventFormat]:
    """The formats whose stages belong to the close of a window, in the order of the areas."""
    playing = formats_of(unit, window)
    return [one for one in every_format(unit) if one in playing or one.closes_every_window]


def formats_of(unit: Unit, played: EventDefinition | EventWindow) -> Sequence[EventFormat]:
    """The formats in which an event is played, in the order of the areas."""
    if isinstance(played, EventWindow):
        areas = Areas.of(unit)
        return areas.cached(_by_definition)(played.definition)
    return [one for one in every_format(unit) if one.plays(played)]


def _by_definition(areas: Areas) -> Remembered[[str], tuple[EventFormat, ...]]:
    """Finds the formats of windows, each of which keeps its definition as long as it lives."""

    @remembered(_DEFINITION_BYTES)
    def formats(text: str) -> tuple[EventFormat, ...]:
        event = definition_in(text)
        return tuple(one for one in areas.provided(EventFormat) if one.plays(event))

    return formats


_DEFINITION_BYTES: Final = 16 * 1024 * 1024


def members_shown(unit: Unit, definition: EventDefinition) -> dict[str, Any]:
    """The members of the rows of an event that formats fill; those of formats in which it is not played are empty."""
    found = [one.shown(definition) for one in formats_of(unit, definition)]
    return _united({"lobby": None, "teams": None}, found)


def members_of_window(unit: Unit, window_id: str, definition: EventDefinition) -> dict[str, Any]:
    """The members of the rows of a window that formats fill."""
    found = [one.shown_in_window(unit, window_id, definition) for one in formats_of(unit, definition)]
    return _united({"team_leaderboard_id": None}, found)


def _united(empty: dict[str, Any], found: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    for members in found:
        empty.update(members)
    return empty
