"""How many rounds each operation reads in on a store that is far away, counted over the laws' own sequences.

    python -m tests.laws.rounds                prints the table, in about a minute
    python -m tests.laws.rounds --seeds 10     over more sequences
    python -m tests.laws.rounds --reads sdk:grants.claim      which reads are missed, repeated and useless
    python -m tests.laws.rounds --unranked     as right after a start, with no ranking in memory

It is counted as on a server that has been running for some time: it guesses right who is found by a unique value, and it has
the rankings of leaderboards in memory. Only successful requests count. The sequences are those among players, over all
areas, with merges and erasures, and of operators; the walk of the contract adds the operations of operators that no sequence
has.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, cast

import attrs

from livecore.api.application import Application
from livecore.api.operations import OPERATIONS, router_of
from livecore.api.requests.http import Request, Response
from livecore.api.requests.prepared import Outcome
from livecore.kernel.units.unit import Event
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.world import World
from livecore_server.known_request import expect_reads
from livecore_server.storage.postgres.reads.expected_reads import Record
from tests.access.test_operators_matrix import build, call
from tests.contract.expected import STREAM
from tests.contract.oracle import OPERATED
from tests.contract.walk import walk_through
from tests.laws.arena import Arena
from tests.laws.crowd import STRICT, crowd_over
from tests.laws.far_store import CountedUnit, FarStore, Item, Sent
from tests.laws.games import GAMES
from tests.laws.known import Known
from tests.laws.operating import operated
from tests.laws.playing import play
from tests.laws.sequences import broad, seeded
from tests.laws.sequences_with_merges import with_merges
from tests.laws.steps import Step
from tests.laws.warm_rankings import WarmRankings, keep_rankings

_Record: TypeAlias = "Record | None"
_KINDS: Final[tuple[Callable[[int, int], list[Step]], ...]] = (seeded, broad, with_merges, operated)
_SCENES: Final = 150
_READS_SHOWN: Final = 12


@attrs.define
class Cost:
    """What the requests of one operation cost together."""

    requests: int = 0
    rounds: int = 0
    most: int = 0
    sent: int = 0
    useless: int = 0
    """Reads that were asked for and not used."""
    missed: int = 0
    """Reads after the first round that were not asked for, although their keys followed from what was known at the start."""
    late: int = 0
    """Such reads that the record has, but that were asked for after the first round."""
    repeated: int = 0
    """Scans that were made again with a larger limit."""
    reads: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    """What was wrong, and with which read."""

    def add(self, units: Iterable[CountedUnit]) -> None:
        """Add a request, of these units of work."""
        units = list(units)
        rounds = sum(unit.rounds for unit in units)
        self.requests += 1
        self.rounds += rounds
        self.most = max(self.most, rounds)
        for unit in units:
            for item, sent in unit.sent.items():
                self._add_read(item, sent)

    def _add_read(self, item: Item, sent: Sent) -> None:
        self.sent += 1
        faults = {
            "useless": not sent.used,
            "missed": sent.followed and sent.used and not sent.expected,
            "late": sent.followed and sent.used and sent.expected,
            "repeated": sent.repeated,
        }
        for fault in (fault for fault, found in faults.items() if found):
            setattr(self, fault, getattr(self, fault) + 1)
            self.reads[fault, _name_of(item)] += 1

    @property
    def mean(self) -> float:
        """Rounds of a request."""
        return self.rounds / self.requests

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            requests=self.requests + other.requests,
            rounds=self.rounds + other.rounds,
            most=max(self.most, other.most),
            sent=self.sent + other.sent,
            useless=self.useless + other.useless,
            missed=self.missed + other.missed,
            late=self.late + other.late,
            repeated=self.repeated + other.repeated,
            reads=self.reads + other.reads,
        )


def _name_of(item: Item) -> str:
    """A read without its values: the table, and by what."""
    name, read = item
    source = read[0]
    if name == "row":
        return f"{source.name} by key" if hasattr(source, "key") else f"{source.table.name} by {source.name}"
    return f"{name} {source.table.name}.{source.name}"


class Tally:
    """The costs of all operations."""

    def __init__(self) -> None:
        self.costs: defaultdict[str, Cost] = defaultdict(Cost)
        self.answered: list[CountedUnit] = []
        """The units of successful requests."""
        self.units: list[tuple[str, int]] = []
        """The operation and the round trips of every unit of every request, in their order, refused ones included."""

    def through(self, store: FarStore, perform: Callable[[Request], Any], config: object) -> Counting:
        """A way to what performs requests, by which they are counted."""
        return Counting(self, store, perform, frozenset(_keys(config)))

    def take(self, name: str, units: Sequence[CountedUnit], *, succeeded: bool) -> None:
        """Add the units of a request."""
        self.units += [(name, unit.round_trips) for unit in units]
        if succeeded:
            self.costs[name].add(units)
            self.answered += units

    def add(self, other: Tally) -> None:
        """Add what others have counted."""
        for name, cost in other.costs.items():
            self.costs[name] = self.costs[name].plus(cost)
        self.answered += other.answered

    def total(self, surface: str = "") -> Cost:
        """All operations of a surface, or of all."""
        whole = Cost()
        for name, cost in self.costs.items():
            if name.startswith(surface):
                whole = whole.plus(cost)
        return whole

    def table(self) -> str:
        """As a table in Markdown, with the most expensive operations first."""
        head = "| operation | requests | mean | most | useless % | missed | late | repeated |"
        rows = [(f"all {surface}*", self.total(surface)) for surface in ("", "sdk:", "server:", "admin:")]
        rows += sorted(self.costs.items(), key=lambda entry: (-entry[1].mean, entry[0]))
        lines = [_line(name, cost) for name, cost in rows if cost.requests]
        return "\n".join([head, "|---|" + "--:|" * 7, *lines])


def _line(name: str, cost: Cost) -> str:
    shares = (cost.missed, cost.late, cost.repeated)
    each = " | ".join(f"{share / cost.requests:.2f}" if share else "" for share in shares)
    useless = round(100 * cost.useless / max(1, cost.sent))
    return f"| {name} | {cost.requests} | {cost.mean:.1f} | {cost.most} | {useless} | {each} |"


def _keys(config: object) -> Iterable[str]:
    """The keys that a configuration has made up."""
    if isinstance(config, dict):
        for name, value in config.items():
            if name == "key" and isinstance(value, str):
                yield value
            yield from _keys(value)
    elif isinstance(config, list | tuple):
        for value in config:
            yield from _keys(value)


class Counting:
    """Performs requests, and puts their units down to their operations."""

    def __init__(self, tally: Tally, store: FarStore, perform: Callable[[Request], Any], keys: frozenset[str]) -> None:
        self._tally = tally
        self._store = store
        self._perform = perform
        self._keys = keys

    def perform(self, request: Request) -> tuple[Response, Sequence[Event]]:
        """Answer a request, and say what it emitted."""
        outcome = self.outcome(request)
        return (outcome.response, outcome.events) if isinstance(outcome, Outcome) else outcome

    def outcome(self, request: Request) -> Any:  # noqa: ANN401 - as what performs it gives it
        """Perform a request."""
        store = self._store
        readers = [store.reader(scope) for scope in store.scopes()]
        store.known = Known.of(request, readers, self._keys)
        store.units = []
        found = self._perform(request)
        response = found.response if isinstance(found, Outcome) else found[0]
        operation, _ = router_of(OPERATIONS).of(request)
        self._tally.take(operation.id, store.units, succeeded=response.status < 300)
        return found


WORDS: Final = frozenset(_keys(GAMES))
"""The keys that the configurations of the sequences have made up."""


# -- what is counted ------------------------------------------------------------------------------------------------------


def _count_sequence(steps: list[Step], *, note: str = "", record: _Record = None, ranked: bool = True) -> Tally:
    """Play a sequence over the far store."""
    tally, store = Tally(), FarStore(record=record)
    arena = Arena(store)
    _serve(arena.application, store, ranked=ranked)
    play(steps, arena=arena, through=tally.through(store, arena.perform, GAMES), note=note)
    return tally


class _CountedApplication:
    """An application whose requests are counted; all else is the application's own."""

    def __init__(self, application: Application, counting: Counting) -> None:
        self._application = application
        self.perform = counting.outcome

    def __getattr__(self, name: str) -> object:
        return getattr(self._application, name)


def _count_walk(record: _Record = None, *, ranked: bool = True) -> Tally:
    """Walk through the contract over the far store, and ask as an operator whatever operators can ask."""
    tally = Tally()
    walk_through(lambda world: _move(world, tally, record, ranked=ranked))
    looking = build()
    for route in OPERATED:
        if route.answers == STREAM:
            continue
        office = looking
        if route.writes or route.ready is not None:
            office = build()
            if route.ready is not None:
                route.ready(office.here)
        headers = office.headers()
        application = office.world.application
        _move(office.world, tally, record, ranked=ranked)
        call(office, route, headers)
        office.world.application = application
    return tally


def crowd_units(record: _Record = None) -> list[CountedUnit]:
    """Ask each read once for a player who has something to do with a few others, as usual and where strangers see less."""
    units: list[CountedUnit] = []
    for privacy in (None, STRICT):
        store = FarStore(record=record)
        crowd = crowd_over(store, privacy)
        crowd.grow(2)

        def taken(store: FarStore = store) -> int:
            units.extend(store.units)
            return store.taken_rounds()

        crowd.rounds(taken)
    return units


def _serve(application: Application, store: FarStore, *, ranked: bool) -> None:
    """Have an application run its units as a server does."""
    application.begun = expect_reads
    keep_rankings(application, WarmRankings(store) if ranked else Rankings())


def _move(world: World, tally: Tally, record: _Record, *, ranked: bool) -> None:
    """Have a world's requests counted from now on."""
    store = world.store if isinstance(world.store, FarStore) else FarStore(world.store, record=record)
    world.store = world.application.store = store
    _serve(world.application, store, ranked=ranked)
    counting = tally.through(store, world.application.perform, GAMES)
    world.application = cast(Application, _CountedApplication(world.application, counting))


def counted(seeds: Sequence[int], scenes: int = _SCENES, record: _Record = None, *, ranked: bool = True) -> Tally:
    """The sequences of each kind of these seeds; the walk adds the operations that none of them has.

    Unless `ranked`, no ranking is in memory, as for the first unit that asks for one after a server was started.
    """
    tally = Tally()
    for kind in _KINDS:
        for seed in seeds:
            note = f"The {kind.__name__} sequence of seed {seed}:"
            tally.add(_count_sequence(kind(seed, scenes), note=note, record=record, ranked=ranked))
    walk = _count_walk(record, ranked=ranked)
    tally.answered += [*walk.answered, *crowd_units(record)]
    for name, cost in walk.costs.items():
        if name not in tally.costs:
            tally.costs[name] = cost
    return tally


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or the reads of one operation."""
    parser = argparse.ArgumentParser(prog="python -m tests.laws.rounds", description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many sequences of each kind (3)")
    parser.add_argument("--scenes", type=int, default=_SCENES, help=f"how many scenes each has ({_SCENES})")
    parser.add_argument("--reads", metavar="OPERATION", help="show the reads of one operation, or of `all`")
    parser.add_argument("--unranked", action="store_true", help="count without rankings in memory")
    chosen = parser.parse_args(arguments)
    tally = counted(range(chosen.seeds), chosen.scenes, ranked=not chosen.unranked)
    if chosen.reads is None:
        sys.stdout.write(tally.table() + "\n")
        return
    cost = tally.total() if chosen.reads == "all" else tally.costs[chosen.reads]
    for fault in ("missed", "late", "repeated", "useless"):
        found = Counter({read: count for (kind, read), count in cost.reads.items() if kind == fault})
        sys.stdout.write(f"{fault}:\n")
        sys.stdout.writelines(f"  {count:6} {read}\n" for read, count in found.most_common(_READS_SHOWN))


if __name__ == "__main__":
    main()
