"""The declaration of an area of the service, and several areas combined.

Each area has a file `area.py` that exports one `Area`. It lists all that the rest of the service needs to know of the area:
its tables, refusals, events, due work, the values that it keeps in the ephemeral state, the rules for its rows, and what
merging, erasing and exporting a player means for its tables.

    SOCIAL = Area(name="social", tables=(GIFTS, RELATIONS), refusals=refusals_in(refusals), due={EXPIRE: expire_due})

`livecore.api.areas` lists all areas. `Areas` combines them: a deployment has one, which `Areas.of` finds for a unit of work.
So a test can add an area of its own to those of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, Final, TypeAlias, TypeVar, cast

import attrs

from livecore.kernel.declarations.jobs import Job
from livecore.kernel.declarations.player_lifecycle import Eraser, Export, Folder
from livecore.kernel.declarations.timeline import TimelineSource
from livecore.kernel.errors import Refusal
from livecore.kernel.storage.examination import Rule, Sums
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.units.ephemeral import EphemeralKind
from livecore.kernel.units.unit import Declarations, Event, Unit
from livecore.kernel.wire.config import Advice, Config

K = TypeVar("K")
V = TypeVar("V")
DueHandler: TypeAlias = "Callable[[Unit, str], None]"
"""Does one kind of due work; the argument after the unit is the work's `ref`."""
_EphemeralWriter: TypeAlias = "Callable[[Transaction, Sequence[tuple[str, Any]]], Iterable[str]]"
"""Writes values of one kind, each with its id, into the rows of their scope; may run more than once for one value.

Returns the ids of which the ephemeral state must know nothing any more, because what they named has been erased.
"""
Preparing: TypeAlias = "Callable[[Unit], None]"
"""Adapts the rows of a scope to the configuration. It can be repeated safely."""
Objecting: TypeAlias = "Callable[[Unit, Config], Iterable[str]]"
"""Says what stands against another configuration."""
Advising: TypeAlias = "Callable[[Any], Iterable[Advice]]"
"""Says of a configuration, which is valid, what is probably not meant. It is given the whole, as its area's part."""
_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


def _needs_nothing(_: Unit) -> None:
    pass


def _accepts_all(_: Unit, __: Config) -> Iterable[str]:
    return ()


def _no_advice(_: Config) -> Iterable[Advice]:
    return ()


def _no_advice_at(_: Config, __: Millis) -> Iterable[Advice]:
    return ()


def _no_rules(_: Areas) -> tuple[Rule[Any], ...]:
    return ()


@attrs.frozen(kw_only=True, eq=False)
class Area:
    """All that the service knows of an area. A field for which the area has nothing keeps its default."""

    name: str
    tables: tuple[Table[Any], ...] = ()
    refusals: tuple[type[Refusal], ...] = ()
    """Every refusal with a code of its own."""
    events: Mapping[str, tuple[type[Event], ...]] = _NOTHING
    """The kinds of events that the area emits, by what documents call them together; another area may add to a group."""
    tags: Mapping[str, str] = _NOTHING
    """The groups of its operations (the part of their names before the dot), each with a description for the documents."""
    due: Mapping[str, DueHandler] = _NOTHING
    """What each kind of due work does."""
    jobs: tuple[Job, ...] = ()
    """The kinds of due work that run in steps. A job says whether games or the directory have one of it if it recurs."""
    ephemeral: Mapping[EphemeralKind[Any], _EphemeralWriter] = _NOTHING
    """The values that the area keeps in the ephemeral state, and the function that writes changed values to the store."""
    rules: tuple[Rule[Any], ...] = ()
    """What must hold for each row of a table; a table may be another area's."""
    rules_over: Callable[[Areas], tuple[Rule[Any], ...]] = _no_rules
    """Rules that are made from the declarations of all areas."""
    sums: tuple[Sums, ...] = ()
    """Tables whose rows must add up to one another."""
    folds: Mapping[Table[Any], Folder] = _NOTHING
    """The functions that combine a table's rows when two players are merged, where the declared policy is not enough."""
    erases: Mapping[Table[Any], Eraser] = _NOTHING
    """The functions that do more with a table's rows when a player is erased."""
    exports: Mapping[str, Export] = _NOTHING
    """The lists of a player's export that this area fills, by their names on the wire."""
    after_ban: Callable[[Unit, str], None] | None = None
    """What follows when the player with an id was banned, or the ban was lifted; the player's row says which."""
    timeline: tuple[TimelineSource[Any], ...] = ()
    """The kinds of entries that the area adds to a player's timeline."""
    objections: Objecting = _accepts_all
    """Why another configuration cannot replace the present one in a scope, each reason as the half of a sentence."""
    advice_at: Callable[[Any, Millis], Iterable[Advice]] = _no_advice_at
    """The same for what depends on the time, where a configuration is about to be applied."""
    advice: Advising = _no_advice
    """What the area advises on its part of a configuration; the function is in its `config.py`, beside `faults_of`."""
    prepare: Preparing = _needs_nothing
    """What runs in each scope of a game when the game is made, when its configuration changes, and when a server starts."""
    provides: tuple[object, ...] = ()
    """Implementations of what another area asks for: an event's formats, the kinds of participants on a leaderboard.

    The area that asks declares the class, and finds every implementation by `Areas.provided`, without knowing who made it.
    """


class Areas(Declarations):
    """Several areas, combined. Raises `ValueError` where two of them declare the same name."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self.all: Final = tuple(areas)
        self._provided: Final[dict[type, tuple[Any, ...]]] = {}
        self._cached: Final[dict[Callable[[Areas], object], object]] = {}
        self.tables = tuple(sorted(_tables(self.all), key=lambda table: table.name))
        """Every table of these areas, by name."""
        self.refusals = _refusals(self.all)
        """Every refusal with a code, by status and code."""
        self.event_groups = _grouped(area.events for area in self.all)
        """The kinds of events that the areas emit, by what documents call them together."""
        self.events = _united({kind.kind: kind} for kinds in self.event_groups.values() for kind in kinds)
        """The same kinds, by their names on the wire."""
        self.tags = dict(sorted(_united(area.tags for area in self.all).items()))
        """The groups of operations, by name."""
        jobs = [job for area in self.all for job in area.jobs]
        self.due: Mapping[str, DueHandler | Job] = _united(
            [*(area.due for area in self.all), *({job.kind: job} for job in jobs)]
        )
        """What each kind of due work does."""
        recurring = [job for job in jobs if job.recurs is not None]
        self.recurring = tuple(job.kind for job in recurring if job.in_games)
        """The due work that every scope of a game has, scheduled at most a day ahead."""
        self.recurring_in_directory = tuple(job.kind for job in recurring if job.in_directory)
        """The due work that the directory has."""
        self.ephemeral = _united(area.ephemeral for area in self.all)
        """The kinds of values in the ephemeral state, and how they are written."""
        self.sums = tuple(sums for area in self.all for sums in area.sums)
        """The tables whose rows must add up."""
        self.folds = _united(area.folds for area in self.all)
        """The functions that combine the rows of a table when players are merged."""
        self.erases = _united(area.erases for area in self.all)
        """The functions that do more with the rows of a table when a player is erased."""
        self.exports = _united(area.exports for area in self.all)
        """The lists of an export, by their names on the wire."""
        self.after_ban = tuple(area.after_ban for area in self.all if area.after_ban is not None)
        """What follows a ban and its end."""
        self.timeline = _timeline(self.all)
        """The kinds of entries of a player's timeline, by name."""
        own = [rule for area in self.all for rule in area.rules]
        self.rules = (*own, *(rule for area in self.all for rule in area.rules_over(self)))
        """What must hold for single rows."""

    @classmethod
    def of(cls, unit: Unit) -> Areas:
        """The areas of the deployment in which a unit of work runs."""
        areas = unit.deployment.areas
        assert isinstance(areas, cls)  # noqa: S101 - a deployment is made with them
        return areas

    def __repr__(self) -> str:
        return f"Areas({', '.join(area.name for area in self.all)})"

    def advice_on(self, config: Config, now: Millis | None = None) -> list[Advice]:
        """What the areas advise on a configuration, in the order of the areas; nothing is refused for it.

        With `now`, the moment at which it is to be applied, also what depends on the time.
        """
        timeless = [advice for area in self.all for advice in area.advice(config)]
        if now is None:
            return timeless
        return [*timeless, *(advice for area in self.all for advice in area.advice_at(config, now))]

    def provided(self, kind: type[K]) -> tuple[K, ...]:
        """What the areas provide of a class, in the order of the areas."""
        found = self._provided.get(kind)
        if found is None:
            found = tuple(one for area in self.all for one in area.provides if isinstance(one, kind))
            self._provided[kind] = found
        return found

    def cached(self, make: Callable[[Areas], K]) -> K:
        """What a function makes of these areas, made once."""
        if make not in self._cached:
            self._cached[make] = make(self)
        return cast("K", self._cached[make])

    def plus(self, *areas: Area) -> Areas:
        """The same areas and further ones."""
        return Areas((*self.all, *areas))


def refusals_in(module: ModuleType) -> tuple[type[Refusal], ...]:
    """Every refusal with a code that a module declares, in its order."""
    found = (kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Refusal))
    return tuple(kind for kind in found if kind.code and kind.__module__ == module.__name__)


def _tables(areas: Iterable[Area]) -> Iterable[Table[Any]]:
    return _united({table.name: table for table in area.tables} for area in areas).values()


def _timeline(areas: Iterable[Area]) -> Mapping[str, TimelineSource[Any]]:
    united = _united({source.kind: source for source in area.timeline} for area in areas)
    return dict(sorted(united.items()))


def _refusals(areas: Iterable[Area]) -> tuple[type[Refusal], ...]:
    united = _united({kind.code: kind for kind in area.refusals} for area in areas)
    return tuple(sorted(united.values(), key=lambda refusal: (refusal.status, refusal.code)))


def _grouped(parts: Iterable[Mapping[str, tuple[V, ...]]]) -> Mapping[str, tuple[V, ...]]:
    groups: dict[str, tuple[V, ...]] = {}
    for name, members in ((name, members) for part in parts for name, members in part.items()):
        groups[name] = (*groups.get(name, ()), *members)
    return groups


def _united(parts: Iterable[Mapping[K, V]]) -> Mapping[K, V]:
    united: dict[K, V] = {}
    for part in parts:
        if doubled := united.keys() & part.keys():
            raise ValueError(f"two areas claim {', '.join(map(str, doubled))}")
        united.update(part)
    return united
