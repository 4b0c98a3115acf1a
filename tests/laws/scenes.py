"""All kinds of scenes: those of the areas, and those that are of none, such as reading, waiting and repeating."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from tests.laws.areas import AREAS, OPERATIONS
from tests.laws.drawing import DAY_MS, STRANGER, Draw, Scenes
from tests.laws.steps import Again, Step, Wait

_WAITS: Final = (1, 1_000, 30_000, 91_000, 1_800_000, 3_600_000, 3_600_000, 43_200_000, DAY_MS)
_LONG_WAIT: Final = 8 * DAY_MS


def _readings(*, broad: bool) -> list[tuple[str, Callable[[Draw], dict[str, Any]]]]:
    operations = (OPERATIONS[name] for name in sorted(OPERATIONS))
    return [
        (entry.name, entry.read_with) for entry in operations if entry.read_with is not None and entry.broad is broad
    ]


_READ: Final = _readings(broad=False)
_LOOKED_AT: Final = _readings(broad=True)


def _read(d: Draw) -> Iterator[Step]:
    name, arguments = d.of(*_READ)
    yield d.call(name, "nobody" if d.one_in(20) else d.one(), **arguments(d))


def _look(d: Draw) -> Iterator[Step]:
    """The studio's people look at one player in several ways."""
    player = d.of("nobody", STRANGER) if d.one_in(12) else d.one()
    for _ in range(2):
        name, arguments = d.of(*_LOOKED_AT)
        yield d.call(name, player, **arguments(d))


def _ill_formed(d: Draw) -> Iterator[Step]:
    """Of each area something that no schema lets through."""
    for area in AREAS.values():
        calls = area.ill_formed(d)
        if calls:
            yield d.of(*calls)


def _again(d: Draw) -> Iterator[Step]:
    if d.one_in(3):
        yield Wait(d.of(*_WAITS))
    yield Again(d.chance.below(8))
    yield Again(d.chance.below(30))


def _wait(d: Draw) -> Iterator[Step]:
    yield Wait(_LONG_WAIT if d.one_in(30) else d.of(*_WAITS))


# -- decks ----------------------------------------------------------------------------------------------------------------

# The more there is to read, the more often something is read.
_OF_NO_AREA: Final[Scenes] = ((len(_READ) * 2 // 3, _read), (1, _ill_formed), (7, _again), (14, _wait))
_BROAD_OF_NO_AREA: Final[Scenes] = ((len(_LOOKED_AT) + 1, _look),)

Deck: TypeAlias = tuple[Callable[[Draw], Iterator[Step]], ...]
"""Kinds of scenes to draw from, each as often as its weight says."""


def _deck(*parts: Scenes) -> Deck:
    return tuple(kind for part in parts for weight, kind in part for _ in range(weight))


DECK: Final = _deck(_OF_NO_AREA, *(area.scenes for area in AREAS.values()))
"""What players and the studio's backend do day by day."""
BROAD: Final = DECK + _deck(_BROAD_OF_NO_AREA, *(area.broad_scenes for area in AREAS.values()))
"""Every kind of scene there is."""


def deck_of(areas: Iterable[str]) -> Deck:
    """What some areas know to do, and time that passes between."""
    named = [AREAS[name] for name in areas]
    waiting = sum(weight for area in named for weight, _ in (*area.scenes, *area.broad_scenes)) // 3
    return _deck(((waiting, _wait),), *(area.scenes for area in named), *(area.broad_scenes for area in named))
