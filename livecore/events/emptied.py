"""What everybody left is removed once its window is closed, such as teams and lobbies that nobody is in any more.

Any player can found a team or open a lobby and leave it, as often as they like while the window is open. Nobody can come
back to such a team or lobby, so after the close nothing needs its rows any more. Each format removes its own in the stages
of its `clean_up`; those of the last format come first.

It is a job in steps that the close starts with its last one. A cursor begins with the name of a stage.
"""

from __future__ import annotations

from typing import Final, cast

from livecore.events.format import ClosingStep, Stage, formats_of, formats_to_close
from livecore.events.window_records import WINDOWS, EventWindow
from livecore.kernel.declarations.jobs import MOST_ROWS, Cursor, Job
from livecore.kernel.units.unit import Unit


def remove_emptied(unit: Unit, window: EventWindow) -> None:
    """Remove what everybody left in a window, now that it is closed: the first rows at once, the others as due work."""
    if any(one.clean_up for one in formats_of(unit, window)):
        EMPTIED.start_now(unit, window.window_id)


def _stages(unit: Unit, window: EventWindow) -> dict[str, Stage]:
    return {name: stage for one in reversed(formats_to_close(unit, window)) for name, stage in one.clean_up.items()}


def _step(unit: Unit, window_id: str, cursor: Cursor) -> Cursor | None:
    window = unit.tx.get(WINDOWS, window_id)
    if window is None or window.status != "closed":
        return None
    stages = _stages(unit, window)
    names = list(stages)
    name, *place = cast("tuple[str, *tuple[str, ...]]", cursor or (names[0],))
    if name not in stages:
        # An earlier release also had stages of formats in which the event is not played.
        name, place = names[0], []
    rest = stages[name](ClosingStep(unit, window, MOST_ROWS), tuple(place))
    if rest is not None:
        return (name, *rest)
    following = names[names.index(name) + 1 :]
    return (following[0],) if following else None


EMPTIED: Final = Job("competition.emptied", _step)
"""Removes what everybody left in the window whose id it is about."""
