"""`livecore check`: a database that was lived in is sound, and each thing that must not be is found where it is."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from livecore.access.audit import SWEEP as AUDIT_SWEEP
from livecore.access.directory import API_KEYS, STUDIOS, all_scopes
from livecore.api.areas import AREAS
from livecore.api.maintenance import prepare_scope, system_unit
from livecore.api.requests.idempotency import SWEEP
from livecore.economy.ledger import HOLDINGS
from livecore.kernel.declarations.area import Area
from livecore.kernel.declarations.jobs import Job
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction, Write
from livecore.kernel.time import next_hour
from livecore.kernel.units.due import DUE, DueWork
from livecore_server.operations.check import check
from livecore_server.storage.database import store_at
from livecore_server.storage.snapshot import snapshot_store
from tests.maintenance.faults import FAULTS, friendship, gold
from tests.maintenance.lived_in import busiest_scope, lived_in
from tests.maintenance.planting import change, remove, rows
from tests.postgres.server import fresh_database
from tests.server.commands import Command


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A sound database."""
    return lived_in(tmp_path)


def found(livecore: Command, database: str, *options: str) -> set[tuple[str, str]]:
    """Tables and problems, as the command says them to a program."""
    ended = livecore("check", "--database", database, "--json", *options)
    assert ended.status == (0 if ended.json["sound"] else 1)
    assert ended.json["found"] == len(ended.json["findings"]) + len(ended.json["damage"])
    return {(finding["table"], finding["problem"]) for finding in ended.json["findings"]}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_each_fault_is_found(name: str, livecore: Command, database: str) -> None:
    """What was planted is found, and nothing else."""
    plant, expected = FAULTS[name]
    with snapshot_store(database) as store:
        store.write(busiest_scope(store), plant)
    assert found(livecore, database) == expected


def test_what_was_lived_in_is_sound(livecore: Command, database: str) -> None:
    """After any sequence of requests nothing is found, and the counts are those of the rows."""
    ended = livecore.done("check", "--database", database, "--json")
    assert ended.json["sound"]
    assert ended.err == ""
    with snapshot_store(database) as store:
        dump = store.dump()
    for scope in ended.json["scopes"]:
        ledger = dump[scope["scope"]].get("ledger_entries", [])
        assert scope["entries"] == len(ledger)
        assert scope["rows"] == sum(map(len, dump[scope["scope"]].values()))
        assert scope["held"] == scope["posted"] == sum(entry.delta for entry in ledger)
    assert {scope["scope"] for scope in ended.json["scopes"]} == set(dump)


def _as_left_by_an_earlier_version(database: str) -> None:
    """Take out of every game what came later: a kind of recurring work, the notes about such work, a table, a column."""
    with snapshot_store(database) as store:
        for scope, _ in store.read(DIRECTORY, all_scopes):
            store.write(scope, remove(DUE, lambda _: (AUDIT_SWEEP.kind, "")))
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)) as file:
        ((number, text),) = file.execute("SELECT id, layout FROM livecore_migrations ORDER BY id DESC LIMIT 1")
        layout = json.loads(text)
        del layout["recurring_work"], layout["players"]["columns"]["country_stated"]
        file.execute("DROP TABLE recurring_work")
        file.execute("ALTER TABLE players DROP COLUMN country_stated")
        file.execute("UPDATE livecore_migrations SET layout = ? WHERE id = ?", (json.dumps(layout), number))


def test_a_database_of_an_earlier_version_is_sound(livecore: Command, database: str) -> None:
    """It is said of which version it is, and what the next start will do; the second time, what is left of that."""
    _as_left_by_an_earlier_version(database)
    for tables_are_new in (True, False):
        ended = livecore.done("check", "--database", database)
        *_, last = lines = ended.out.splitlines()
        assert last == "The database is sound."
        assert lines[0] == "The database is of an earlier version, which is no fault."
        assert any("brought its tables up to date" in line for line in lines) == tables_are_new
        coming = [line for line in lines if line.startswith("The next start of a server will schedule in gam_")]
        assert [line.partition(": ")[2] for line in coming] == ["audit.sweep"] * 4
    with snapshot_store(database) as store:
        for scope, game in store.read(DIRECTORY, all_scopes):
            store.write(scope, lambda tx, game=game: prepare_scope(system_unit(tx, game, 1, b"")))  # type: ignore[misc] # bound at once
        store.write(busiest_scope(store), FAULTS["no sweep"][0])
    ended = livecore("check", "--database", database, "--json")
    assert not ended.json["ofEarlierVersion"]
    assert {finding["problem"] for finding in ended.json["findings"]} == {"is recurring work that is not scheduled"}


def test_whatever_recurring_work_a_later_version_adds_is_no_fault(database: str) -> None:
    """In a database that this one has left, which has none of it: it will be scheduled, by the scope."""
    tea = Area(name="tea", jobs=(Job("tea.sweep", lambda *_: None, recurs=next_hour),))
    with snapshot_store(database) as store:
        report = check(store, store.scopes(), lambda _: None, AREAS.plus(tea))
    assert (report.findings, report.damage) == ([], [])
    assert [checked.to_schedule for checked in report.scopes] == [[], *[["tea.sweep"]] * 4]


def test_a_second_look_sees_what_was_written_since(database: str) -> None:
    """Nothing of the first look is remembered, also by a store that does remember rows."""
    with store_at(database) as store:
        scope = busiest_scope(store)
        before = store.read(scope, gold)
        for amount, found_wrong in ((before.amount, 0), (36, 1), (before.amount, 0)):
            store.write(scope, change(HOLDINGS, lambda _: before, amount=amount))
            assert check(store, [scope], lambda _: None).found == found_wrong


def test_a_finding_is_one_line_for_a_person(livecore: Command, database: str) -> None:
    """Scope, table, key and problem; then a line for each scope; the status says that it is not sound."""
    with snapshot_store(database) as store:
        scope = busiest_scope(store)
        store.write(scope, FAULTS["friends under a block"][0])
        pair_ = store.read(scope, friendship)
    ended = livecore("check", "--database", database)
    assert ended.status == 1
    first, *_, last = ended.out.splitlines()
    assert first == f"{scope.id} relations {pair_.low_id}/{pair_.high_id}: is friends under a block"
    assert last == "1 found wrong."
    assert len(ended.out.splitlines()) == 2 + 5


def test_one_game_can_be_looked_at_alone(livecore: Command, database: str) -> None:
    """A fault in another game, or in the directory, is not looked for then."""
    with snapshot_store(database) as store:
        scope = busiest_scope(store)
        store.write(scope, FAULTS["no sweep"][0])
        games = {other.game_id for other in store.scopes()} - {scope.game_id, DIRECTORY.game_id}
    (other,) = games
    assert found(livecore, database, "--game", other) == set()
    assert len(found(livecore, database, "--game", scope.game_id)) == 1
    assert livecore("check", "--database", database, "--game", "gam_none").status == 2


def test_the_directory_is_looked_at(livecore: Command, database: str) -> None:
    """A game without its studio, a key to no game, and rows of a game that is not there."""

    def plant(tx: Transaction) -> None:
        tx.delete(STUDIOS, rows(tx, STUDIOS)[0].studio_id)
        tx.put(API_KEYS, evolve(rows(tx, API_KEYS)[0], game_id="gam_gone"))

    def inhabit(tx: Transaction) -> None:
        for kind in (SWEEP.kind, "players.streak_sweep", "webhooks.sweep", "audit.sweep"):
            tx.insert(DUE, DueWork(kind=kind, ref="", due_at=0))

    with snapshot_store(database) as store:
        store.write(DIRECTORY, plant)
        store.write(Scope("gam_gone", "live"), inhabit)
    assert found(livecore, database) == {
        ("games", "belongs to a studio that does not exist"),
        ("api_keys", "belongs to a game that does not exist"),
        ("games", "does not exist, but this scope has rows of it"),
    }


def test_a_damaged_file_is_found(livecore: Command, database: str) -> None:
    """SQLite's own check is part of it: an index that has lost a row."""
    path = database.removeprefix("sqlite:///")
    with snapshot_store(database) as store:
        (page,) = store.connections.writing.execute(  # type: ignore[union-attr] # it is a file
            "SELECT rootpage FROM sqlite_master WHERE name = 'ix_gifts__received'"
        ).fetchone()
    with Path(path).open("r+b") as file:
        # The number of cells of a leaf page stands in the bytes 3 and 4 of its head.
        file.seek((page - 1) * 4096 + 3)
        file.write(b"\0\1")
    ended = livecore("check", "--database", database, "--json")
    assert ended.status == 1
    assert any("ix_gifts__received" in problem for problem in ended.json["damage"])


def test_each_fault_is_found_on_postgresql(livecore: Command, database: str) -> None:
    """The rules read the same there, whatever the fault: one after the other is planted, found, and taken out again."""
    with fresh_database() as url:
        livecore.done("copy", "--from", database, "--to", url)
        with snapshot_store(url) as store:
            scope = busiest_scope(store)
            for plant, expected in FAULTS.values():
                done = store.write(scope, partial(_planted, plant=plant))
                report = check(store, [scope], lambda _: None)
                assert {(finding.table, finding.problem) for _, finding in report.findings} == expected
                store.apply(scope, [Write(write.table, write.key, write.after, write.before) for write in done])
        assert found(livecore, url) == set()


def _planted(tx: Transaction, plant: Callable[[Transaction], None]) -> list[Write]:
    plant(tx)
    return [step for step in tx.writes() if isinstance(step, Write)]


def test_a_person_at_a_terminal_sees_how_far_it_is(
    livecore: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, up to the end, for checking and for copying."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert re.search(r"Checking .* 100%", livecore.done("check", "--database", database).err, re.DOTALL)
    copied = livecore.done("copy", "--from", database, "--to", f"sqlite:///{tmp_path / 'two.db'}")
    assert re.search(r"Copying .* 100%", copied.err, re.DOTALL)
