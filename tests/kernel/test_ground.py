"""Smaller pieces of the ground: cursors, due work, refusals, scopes, and what every table must declare."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore.api.areas import AREAS
from livecore.kernel.errors import RateLimited, Refusal, ValidationFailed
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.paging import PageRequest, pack, page_of, unpack
from livecore.kernel.storage.records import JsonText, PlayerId, columns_of, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, all_tables
from livecore.kernel.time import HOUR, MAX_MILLIS, SECOND
from livecore.kernel.units import due
from livecore.kernel.units.permanent_idempotency import namespaced
from livecore.kernel.units.unit import Actor, Unit
from livecore.kernel.values import keyword_value as record
from tests.contract.oracle import STATUS_OF
from tests.worlds import world

SCOPE = Scope("gam_ground", "test")


# -- cursors --------------------------------------------------------------------------------------------------------------


@given(st.integers(0, MAX_MILLIS), st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40))
def test_a_cursor_gives_its_place_back(number: int, text: str) -> None:
    """Packed as one word that fits into a query."""
    cursor = pack((number, text))
    assert unpack(cursor, (int, str)) == (number, text)
    assert all(character.isascii() and (character.isalnum() or character in "-_") for character in cursor)


@given(st.text(max_size=60))
def test_nonsense_is_no_cursor(text: str) -> None:
    """`ValidationFailed` names the cursor; there is never another exception."""
    with pytest.raises(ValidationFailed) as caught:
        unpack(text, (int, str))
    assert list(caught.value.fields) == ["cursor"]


@pytest.mark.parametrize(("rows", "shown", "more"), [(0, 0, False), (2, 2, False), (3, 3, False), (4, 3, True)])
def test_a_page_tells_whether_there_is_another(rows: int, shown: int, more: bool) -> None:
    """One row more than asked for was read, and is not shown."""
    page = PageRequest(3, None)
    assert page.reach == 4
    found, cursor = page_of(list(range(rows)), page, lambda row: (row, "x"))
    assert (len(found), cursor is not None) == (shown, more)


# -- due work -------------------------------------------------------------------------------------------------------------


def test_work_is_found_when_it_is_due() -> None:
    """Earliest first, exactly from its time on; the same work scheduled again is moved."""
    store = MemoryStore()

    def plan(tx: Transaction) -> None:
        due.schedule(tx, "b", "1", 200)
        due.schedule(tx, "a", "1", 300)
        due.schedule(tx, "a", "1", 100)
        due.schedule(tx, "a", "2", 150)
        due.cancel(tx, "a", "2")

    store.write(SCOPE, plan)
    assert store.read(SCOPE, due.earliest) == 100
    for now, names in ((99, []), (100, ["a"]), (200, ["a", "b"])):
        found = store.read(SCOPE, lambda tx, now=now: due.due(tx, now, 10))  # type: ignore[misc] # bound now
        assert [work.kind for work in found] == names


def test_failed_work_waits_longer_each_time() -> None:
    """One second, then twice as long, at most an hour."""
    store = MemoryStore()
    work = due.DueWork(kind="a", ref="1", due_at=0)
    waits = []
    for _ in range(15):
        store.write(SCOPE, lambda tx, work=work: due.postpone(tx, work, 0))  # type: ignore[misc] # bound now
        (work,) = store.read(SCOPE, lambda tx: tx.scan(due.DUE_BY_TIME))
        waits.append(work.due_at)
    assert waits[:4] == [SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND]
    assert waits[-1] == HOUR


# -- refusals -------------------------------------------------------------------------------------------------------------


def test_every_refusal_has_the_written_status() -> None:
    """Codes are unique, and each has the status of the table written by hand."""
    codes = [refusal.code for refusal in AREAS.refusals]
    assert len(set(codes)) == len(codes)
    assert {refusal.code: refusal.status for refusal in AREAS.refusals} == {code: STATUS_OF[code] for code in codes}


def test_no_refusal_was_forgotten() -> None:
    """Every class of the tree that has a code is in the list."""
    pending, found = [Refusal], set[str]()
    while pending:
        kind = pending.pop()
        pending += kind.__subclasses__()
        if kind.__dict__.get("code") and kind.__module__.startswith("livecore."):
            found.add(kind.code)
    assert found == {refusal.code for refusal in AREAS.refusals}


def test_a_refusals_envelope() -> None:
    """Code and message always, details in the wire's spelling where there are any."""
    assert RateLimited(5).envelope() == {
        "error": {"code": "rate_limited", "message": "Too many requests.", "details": {"retryAfterSeconds": 5}}
    }


# -- scopes and tables ----------------------------------------------------------------------------------------------------


def test_a_scopes_id_gives_it_back() -> None:
    """The text that leads every stored key."""
    assert Scope.parse(SCOPE.id) == SCOPE
    assert Scope.parse(DIRECTORY.id) == DIRECTORY
    assert Scope("gam_ground", "live") != SCOPE


OURS = [table for table in all_tables() if table.record.__module__.startswith("livecore.")]


@pytest.mark.parametrize("table", OURS, ids=lambda table: table.name)
def test_every_player_column_says_what_becomes_of_it(table: Table[object]) -> None:
    """Merge and erasure are declared for each column that names a player, and for no other."""
    named = {column.name for column in table.columns if column.names_player}
    assert named == set(table.players)


def test_two_tables_cannot_share_a_name() -> None:
    """Nor can a table name columns that its record does not have."""

    @record
    class Row:
        """A row."""

        name: str

    with pytest.raises(ValueError, match="two tables"):
        Table("players", Row, key=("name",))
    with pytest.raises(ValueError, match="no column"):
        Table("test_rows", Row, key=("names",))


def test_columns_are_of_the_types_that_every_store_holds() -> None:
    """A record with any other field is refused when it is declared."""

    @record
    class Good:
        """All kinds."""

        player_id: PlayerId
        count: int
        text: str | None
        flag: bool
        data: JsonText

    @record
    class Bad:
        """A float."""

        number: float

    kinds = [(column.kind, column.nullable, column.names_player) for column in columns_of(Good)]
    assert kinds == [
        ("text", False, True), ("integer", False, False), ("text", True, False), ("boolean", False, False),
        ("json", False, False),
    ]  # fmt: skip
    with pytest.raises(TypeError, match="number"):
        columns_of(Bad)


def test_a_changed_copy_leaves_the_original() -> None:
    work = due.DueWork(kind="a", ref="1", due_at=0)
    assert evolve(work, due_at=5) == due.DueWork(kind="a", ref="1", due_at=5)
    assert work.due_at == 0


def test_durable_keys_are_set_apart_by_who_acts() -> None:
    """The studio's key, a player's and another player's are three; and none of them can be read from what is stored."""
    found: set[str | None] = set()

    def look(unit: Unit) -> None:
        for actor in (Actor("api_key", "lc_test"), Actor("player", "plr_1"), Actor("player", "plr_2")):
            unit.actor = actor
            unit.idempotency_key = "k"
            found.add(namespaced(unit))

    for environment in ("test", "live"):
        world(environment=environment).unit_of_work(look)
    assert len(found) == 6
    assert all(name is not None and len(name) == 40 and "plr" not in name for name in found)
