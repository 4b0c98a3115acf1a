"""What an area of the service says about itself, in one place, and what several areas come to together.

Each area has a file `area.py` that exports one `Area`. It names everything by which the rest of the service knows the area:
its tables, what it refuses, the events that it emits, the work that it has done later, the facts that it keeps in the short
memory, the rules that its rows obey, and what merging, erasing and exporting a player means for its tables.

    SOCIAL = Area(name="social", tables=(GIFTS, RELATIONS), refusals=refusals_in(refusals), due={EXPIRE: expire_due}, ...)

`livecore.api.areas` is the list of all of them. Whoever needs the sum gets it as `Areas`: an application is given one, and
every unit of work carries it, so that a test may put one area more beside those of the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, Final, TypeAlias, TypeVar

import attrs

from livecore.kernel.errors import Refusal
from livecore.kernel.examination import Rule, Sums
from livecore.kernel.jobs import Job
from livecore.kernel.player_lifecycle import Eraser, Export, Folder
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Table
from livecore.kernel.unit import Event, Unit
from livecore.kernel.volatile import FactKind

__all__ = ["Area", "Areas", "DueHandler", "FactWriter", "refusals_in"]

K = TypeVar("K")
V = TypeVar("V")
DueHandler: TypeAlias = "Callable[[Unit, str], None]"
"""Does one kind of due work, given what the work is about."""
FactWriter: TypeAlias = "Callable[[Transaction, Sequence[tuple[str, Any]]], None]"
"""Writes facts of one kind, each with its id, into the rows of their scope; it may run more than once."""
Preparing: TypeAlias = "Callable[[Unit], None]"
"""Brings a scope up to the configuration, and is harmless to repeat."""
_NOTHING: Final[Mapping[Any, Any]] = MappingProxyType({})


def _needs_nothing(_: Unit) -> None:
    pass


def _no_rules(_: Areas) -> tuple[Rule[Any], ...]:
    return ()


@attrs.frozen(kw_only=True, eq=False)
class Area:
    """Everything by which the service knows an area; what an area does not have it leaves out."""

    name: str
    tables: tuple[Table[Any], ...] = ()
    refusals: tuple[type[Refusal], ...] = ()
    """Every refusal with a code of its own."""
    events: tuple[type[Event], ...] = ()
    """The kinds of events that it emits."""
    tags: Mapping[str, str] = _NOTHING
    """What its operations are about, described: the first halves of their names, by which documents group them."""
    due: Mapping[str, DueHandler] = _NOTHING
    """What each kind of due work does."""
    jobs: tuple[Job, ...] = ()
    """The kinds of due work that go on in steps; of those that recur every scope of a game has one."""
    facts: Mapping[FactKind[Any], FactWriter] = _NOTHING
    """The facts that the area keeps in the short memory, and how those that changed are written to the store."""
    rules: tuple[Rule[Any], ...] = ()
    """What must hold for each row of a table; a table may be another area's."""
    rules_over: Callable[[Areas], tuple[Rule[Any], ...]] = _no_rules
    """Rules about what all areas have declared, of which this one knows no more than that."""
    sums: tuple[Sums, ...] = ()
    """Tables whose rows must add up to one another."""
    folds: Mapping[Table[Any], Folder] = _NOTHING
    """What combines a table's rows of two players who are merged, where the declared word is not enough."""
    erases: Mapping[Table[Any], Eraser] = _NOTHING
    """What else is to be done about a table's rows when a player is erased."""
    exports: Mapping[str, Export] = _NOTHING
    """The lists of a player's export that its rows fill, by their names on the wire."""
    prepare: Preparing = _needs_nothing
    """What is to be done in each scope of a game when the game is made and whenever its configuration changes."""


class Areas:
    """Several areas, put together. Raises `ValueError` where two of them claim the same."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self.all: Final = tuple(areas)
        self.tables = tuple(sorted(_tables(self.all), key=lambda table: table.name))
        """Every table of theirs, by name."""
        self.refusals = _refusals(self.all)
        """Every refusal with a code, by status and code."""
        self.events = _united({kind.kind: kind for kind in area.events} for area in self.all)
        """The kinds of events that the areas emit, by their names on the wire."""
        self.tags = dict(sorted(_united(area.tags for area in self.all).items()))
        """What operations are about, by name."""
        jobs = [job for area in self.all for job in area.jobs]
        self.due: Mapping[str, DueHandler | Job] = _united(
            [*(area.due for area in self.all), *({job.kind: job} for job in jobs)]
        )
        """What each kind of due work does."""
        self.recurring = tuple(job.kind for job in jobs if job.recurs is not None)
        """The due work that every scope of a game has, at most a day ahead."""
        self.facts = _united(area.facts for area in self.all)
        """The kinds of facts in the short memory, and how they are written."""
        self.sums = tuple(sums for area in self.all for sums in area.sums)
        """The tables whose rows must add up."""
        self.folds = _united(area.folds for area in self.all)
        """What combines the rows of a table when players are merged."""
        self.erases = _united(area.erases for area in self.all)
        """What else is done about the rows of a table when a player is erased."""
        self.exports = _united(area.exports for area in self.all)
        """The lists of an export, by their names on the wire."""
        own = [rule for area in self.all for rule in area.rules]
        self.rules = (*own, *(rule for area in self.all for rule in area.rules_over(self)))
        """What must hold for single rows."""

    def __repr__(self) -> str:
        return f"Areas({', '.join(area.name for area in self.all)})"

    def plus(self, *areas: Area) -> Areas:
        """The same with further areas."""
        return Areas((*self.all, *areas))


def refusals_in(module: ModuleType) -> tuple[type[Refusal], ...]:
    """Every refusal with a code that a module declares, in its order."""
    found = (kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Refusal))
    return tuple(kind for kind in found if kind.code and kind.__module__ == module.__name__)


def _tables(areas: Iterable[Area]) -> Iterable[Table[Any]]:
    return _united({table.name: table for table in area.tables} for area in areas).values()


def _refusals(areas: Iterable[Area]) -> tuple[type[Refusal], ...]:
    united = _united({kind.code: kind for kind in area.refusals} for area in areas)
    return tuple(sorted(united.values(), key=lambda refusal: (refusal.status, refusal.code)))


def _united(parts: Iterable[Mapping[K, V]]) -> Mapping[K, V]:
    united: dict[K, V] = {}
    for part in parts:
        if doubled := united.keys() & part.keys():
            raise ValueError(f"two areas claim {', '.join(map(str, doubled))}")
        united.update(part)
    return united
