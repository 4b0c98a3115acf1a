"""The law of rounds: on a store that is far away, the operation says how often it is waited for, not the rows it shows.

It is counted over the store in memory (`tests.laws.far_store`); `python -m tests.laws.rounds` prints it for every operation,
and `tests/proofs/laws/test_rounds_of_all_operations.py` plays what it prints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pytest

from livecore.guilds.guild import GUILDS, SEATS, STINTS, Seat
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.reads import Get, Read, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore_server.storage.known import UNKNOWN, ExpectingReader
from livecore_server.storage.postgres.reads.expected_reads import Record
from tests.laws import far_store
from tests.laws.arena import Arena
from tests.laws.crowd import STRICT, crowd_over
from tests.laws.far_store import CountedUnit, FarStore
from tests.laws.known import NOTHING, Known
from tests.laws.playing import play
from tests.laws.rounds import Cost
from tests.laws.sequences_with_merges import with_merges
from tests.stores.tables import BY_CODE, COUNTERS, HEROES, IN_GUILD, OF_LEFT, PAIRS, Hero

_SCOPE: Final = Scope("gam_far", "test")
_A, _B = "hero_1", "hero_2"
USUALLY: Final = 2
"""What follows from the request, and what the rows of that name."""
MORE: Final = {
    "sdk:friends.suggestions": 3,  # who was around, how they stand to the caller, what is shown of those drawn
    "sdk:friends.search": 3,  # the words of names, whose they are, what is shown of the hits
    "sdk:guilds.search": 3,  # the guilds, their leaders' seats, the players
    "sdk:teams.list": 3,  # the teams of the window, their members, the players
    "sdk:leaderboards.get": 3,  # the period, the board with how many entries there are and which, their players
    "sdk:leaderboards.friends": 3,  # the period and the friends, the board and their entries, the ranks
    "server:guilds.list": 3,  # the guilds, their leaders' seats, the players
    "server:spend.summary": 3,  # the sums, the days with their payers, what debug accounts bought, a month at a time
    "server:players.export": 4,  # its lists, what they name, when the windows of the attempts end, lobbies and teams
    "admin:players.export": 5,  # as for the backend, and the trail of those who were merged into the player
    "admin:players.timeline": 3,  # the player, what is in the timeline, what that names
    "admin:guilds.list": 3,  # as for the backend
    "admin:spend.summary": 3,  # as for the backend
    "admin:leaderboards.list": 3,  # the leaderboards, their periods, their boards with how many entries there are
}


@pytest.mark.parametrize(("privacy", "further"), [(None, 0), (STRICT, 1)], ids=["as usual", "strangers see less"])
def test_a_read_takes_as_many_rounds_for_few_rows_as_for_many(privacy: Mapping[str, Any] | None, further: int) -> None:
    """What is read for each row is asked for together; where who is a friend decides, it takes one round more at most."""
    store = FarStore()
    crowd = crowd_over(store, privacy)
    crowd.grow(2)
    few = crowd.rounds(store.taken_rounds)
    crowd.grow(6)
    many = crowd.rounds(store.taken_rounds)
    assert {name: (count, many[name]) for name, count in few.items() if many[name] != count} == {}
    assert {name: count for name, count in few.items() if count > MORE.get(name, USUALLY) + further} == {}


def test_a_counted_unit_gives_the_same_answers() -> None:
    """Counting changes nothing: the answers, the events and the rows are those of the store in memory."""
    steps = with_merges(4_001, 12)
    plain, counted = (play(steps, arena=Arena(store)) for store in (MemoryStore(), FarStore()))
    assert [answer for _, answer in counted.journal] == [answer for _, answer in plain.journal]
    assert counted.arena.store.dump() == plain.arena.store.dump()


# -- what is counted, by hand ---------------------------------------------------------------------------------------------


class _Request:
    """All that is known of a unit is the id and the code of the first hero, and the id of the second."""

    operation = "look"

    def value(self, name: str) -> Any:  # noqa: ANN401 - as the record has it
        """A value by its name."""
        return {"first": _A, "second": _B, "code": "a"}.get(name, UNKNOWN)

    def hidden(self, owner: str) -> Any:  # noqa: ANN401, ARG002 - as the record has it
        """There is no idempotency key."""
        return UNKNOWN


def _expecting(
    monkeypatch: pytest.MonkeyPatch, entries: Sequence[Mapping[str, Any]], work: Callable[[Transaction], object]
) -> Callable[[Transaction], object]:
    """The same unit, expected to read what these entries say."""
    record = Record({_Request.operation: entries})
    monkeypatch.setattr(far_store, "expected_reads", lambda: record)

    def begun(tx: Transaction) -> object:
        assert isinstance(tx.reader, ExpectingReader)
        tx.reader.expect(_Request())
        return work(tx)

    return begun


def _far(work: Callable[[Transaction], object], known: Known = NOTHING, *, warm: bool = True) -> CountedUnit:
    """Run a unit over two heroes of a guild, of whom the first names the other; gives what was counted."""
    store = FarStore(warm=warm)
    heroes = [
        Hero(id=_A, name=_B, code="a", guild="guild_1"),
        Hero(id=_B, guild="guild_1"),
    ]
    store.write(_SCOPE, lambda tx: [tx.insert(HEROES, hero) for hero in heroes])
    store.units, store.known = [], known
    store.write(_SCOPE, work)
    (unit,) = store.units
    return unit


def _faults(unit: CountedUnit) -> tuple[int, list[str]]:
    """The rounds, and what is wrong with the reads."""
    cost = Cost()
    cost.add([unit])
    return unit.rounds, [f"{fault}: {read}" for fault, read in cost.reads]


def test_what_is_asked_for_in_one_call_takes_one_round() -> None:
    """And one after the other as many rounds as there are reads; what has been read takes none."""
    reads: list[Read[Any]] = [Get(HEROES, (_A,)), Scan(IN_GUILD, ("guild_1",)), Get(COUNTERS, ("c",))]

    def together(tx: Transaction) -> list[Any]:
        return tx.read_all(reads)

    def one_by_one(tx: Transaction) -> list[Any]:
        return [read.made_by(tx) for read in reads]

    for work, rounds in ((together, 1), (one_by_one, 3), (lambda tx: (together(tx), one_by_one(tx), together(tx)), 1)):
        unit = _far(work)
        assert (unit.rounds, unit.round_trips) == (rounds, rounds + 1)


def test_a_row_that_the_unit_has_written_costs_no_round() -> None:
    """Also where it is asked for together with others, which are all that is read then."""
    made = Hero(id="hero_3", guild="guild_2")

    def work(*others: str) -> Callable[[Transaction], object]:
        def run(tx: Transaction) -> object:
            tx.insert(HEROES, made)
            return tx.read_all(Get(HEROES, (hero,)) for hero in (made.id, made.id, *others))

        return run

    assert [_faults(_far(work(*others))) for others in ((), (_A,))] == [(0, []), (1, [])]


def test_what_is_expected_comes_with_the_first_round_and_is_useless_unless_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three reads, one of which nobody makes."""
    entries = [
        {"get": HEROES.name, "by": ["first"]},
        {"get": HEROES.name, "by": ["second"]},
        {"scan": f"{HEROES.name}.{IN_GUILD.name}", "by": ["'guild_two'"]},
    ]

    def work(tx: Transaction) -> None:
        assert tx.get(HEROES, _A) is not None
        assert tx.get(HEROES, _B) is not None

    unit = _far(_expecting(monkeypatch, entries, work))
    assert _faults(unit) == (1, ["useless: scan store_test_heroes.in_guild"])
    assert unit.round_trips == 2


def test_a_read_that_follows_from_the_request_is_missed_and_one_that_follows_from_a_row_is_not() -> None:
    """The request has the id of the other hero, or that of the guild; the first hero's row has both."""

    def work(tx: Transaction) -> None:
        first = tx.get(HEROES, _A)
        assert first is not None
        tx.get(HEROES, first.name)
        tx.scan(IN_GUILD, first.guild)

    assert _faults(_far(work, Known(text=_B))) == (3, ["missed: store_test_heroes by key"])
    assert _faults(_far(work, Known(text="guild_1"))) == (3, ["missed: scan store_test_heroes.in_guild"])
    assert _faults(_far(work)) == (3, [])


def test_what_is_expected_too_late_costs_no_round_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with the read by which it was known that the unit goes on, though it followed from the request."""
    entries = [{"when": f"{HEROES.name}.{IN_GUILD.name}", "get": HEROES.name, "by": ["second"]}]

    def work(tx: Transaction) -> None:
        first = tx.get(HEROES, _A)
        assert first is not None
        tx.scan(IN_GUILD, first.guild, limit=1)
        tx.get(HEROES, _B)

    assert _faults(_far(_expecting(monkeypatch, entries, work), Known(text=_B))) == (
        2,
        ["late: store_test_heroes by key"],
    )


def test_a_limited_scan_is_read_again_once_the_unit_has_changed_its_table() -> None:
    """Its limit is widened by the changes."""

    def work(tx: Transaction) -> None:
        found = tx.scan(IN_GUILD, "guild_1", limit=1)
        tx.delete(HEROES, found[0].id)
        tx.scan(IN_GUILD, "guild_1", limit=1)

    rounds, faults = _faults(_far(work))
    assert rounds == 2
    assert "repeated: scan store_test_heroes.in_guild" in faults


def test_a_guess_saves_the_round_of_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on the key of a row that was found before is asked for with it."""
    entries = [
        {"as": "hero", "find": f"{HEROES.name}.{BY_CODE.name}", "by": ["code"]},
        {"scan": f"{PAIRS.name}.{OF_LEFT.name}", "by": ["hero.id"]},
    ]

    def work(tx: Transaction) -> None:
        hero = tx.find(BY_CODE, "a")
        assert hero is not None
        tx.scan(OF_LEFT, hero.id)

    looking = _expecting(monkeypatch, entries, work)
    assert [_far(looking, warm=warm).rounds for warm in (True, False)] == [1, 2]


def test_who_has_read_a_row_guesses_every_id_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that was of no use then: the first unit needs the guild of a seat, and the second one its stint."""
    seat = Seat(
        player_id=PlayerId("ply_1"), guild_id="gld_1", role="leader", joined_at=1, role_since=1, stint_id="sti_1"
    )
    store = FarStore(warm=False)
    store.write(_SCOPE, lambda tx: tx.insert(SEATS, seat))

    def rounds(table: Table[Any], field: str) -> int:
        entries = [
            {"as": "seat", "get": SEATS.name, "by": ["'ply_1'"]},
            {"get": table.name, "by": [f"seat.{field}"]},
        ]
        reads = (Get(SEATS, (seat.player_id,)), Get(table, (getattr(seat, field),)))
        store.units, store._record = [], Record({_Request.operation: entries})
        store.read(_SCOPE, _expecting(monkeypatch, entries, lambda tx: [read.made_by(tx) for read in reads]))
        return store.units[0].rounds

    assert [rounds(GUILDS, "guild_id"), rounds(STINTS, "stint_id")] == [2, 1]
