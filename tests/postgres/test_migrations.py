"""Migrations on PostgreSQL: run by one process, and beneath others that are running; the rest is in `tests/stores`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, Literal

import psycopg

import livecore.api  # noqa: F401 - declares every table of the service
import livecore_server.readiness  # noqa: F401 - declares the host's own
from livecore.kernel.scope import Scope
from livecore.kernel.storage import tables as registry
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table, all_tables
from livecore.kernel.values import keyword_value as record
from livecore_server.storage import layout
from livecore_server.storage.layout import Layout
from livecore_server.storage.migration_steps import MigratedDatabase
from livecore_server.storage.migrations import MIGRATIONS, Migration
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.engines import engine_of
from livecore_server.storage.postgres.connections.pipeline import Wire
from livecore_server.storage.postgres.schema.migrations import migrate
from livecore_server.storage.postgres.sql.batch_sql import (
    counts_sql,
    deletes_sql,
    finds_sql,
    gets_sql,
    inserts_sql,
    scans_sql,
    updates_sql,
)
from livecore_server.storage.postgres.sql.statements import count_sql, find_sql, plan_of, scan_sql
from tests.postgres.rig import race

_NAME = "migration_test_things"
_NEXT = len(MIGRATIONS) + 1
SCOPE = Scope("gam_migrating", "test")


@record
class Thing:
    """As the first release declared it."""

    id: str
    state: Literal["new", "old"] = "new"
    weight: int = 0


@record
class GrownThing:
    """One more value, one column that may now be empty, and three new ones."""

    id: str
    state: Literal["new", "old", "broken"] = "new"
    weight: int | None = 0
    colour: str | None = None
    fragile: bool = True
    label: str = "it's"


def declared(cls: type[Any], *, indexed: bool = False) -> Table[Any]:
    """The table as some release declares it, kept out of the register of tables."""
    table = Table(_NAME, cls, key=("id",))
    del registry._TABLES[_NAME]
    if indexed:
        table.index("by_weight", order=("weight",))
        table.unique("colour")
    return table


OLD, NEW = declared(Thing), declared(GrownThing, indexed=True)


@contextmanager
def opened(url: str, table: Table[Any]) -> Iterator[PostgresStore]:
    """A store of a release that has this one table."""
    with closing(PostgresStore(url, tables=[table])) as store:
        yield store


def _put(tx: Transaction, table: Table[Any], row: object) -> None:
    tx.put(table, row)


def _number(url: str, sql: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])


def test_a_newer_release_migrates_beneath_an_older_one_that_is_running(url: str) -> None:
    """Prepared statements and all, the older release goes on, and each reads what the other writes."""
    with opened(url, OLD) as old:
        old.write(SCOPE, partial(_put, table=OLD, row=Thing(id="a", weight=1)))
        assert old.read(SCOPE, lambda tx: tx.get(OLD, "a")) == Thing(id="a", weight=1)
        with opened(url, NEW) as new:
            assert new.migrated == [f"grow:{_NAME}"]
            assert new.read(SCOPE, lambda tx: tx.get(NEW, "a")) == GrownThing(id="a", weight=1)
            old.write(SCOPE, partial(_put, table=OLD, row=Thing(id="b", state="old", weight=2)))
            old.write(SCOPE, partial(_put, table=OLD, row=Thing(id="a", weight=3)))
            new.write(SCOPE, partial(_put, table=NEW, row=GrownThing(id="c", state="broken", colour="red")))
            assert [row.id for row in new.read(SCOPE, lambda tx: tx.scan(NEW.indexes[0]))] == ["c", "b", "a"]
            assert old.read(SCOPE, lambda tx: tx.get(OLD, "a")) == Thing(id="a", weight=3)
    with opened(url, OLD) as again:
        assert again.migrated == []


def _slow(database: MigratedDatabase, layout: Layout) -> Layout:
    """Takes the server longer than an ordinary statement may take."""
    database.rows("SELECT pg_sleep(2.5)")
    return layout


def test_a_migration_may_take_longer_than_other_statements(url: str) -> None:
    """An index on a table of many millions of rows takes minutes, and a process that finds another at it waits for that."""
    later = (*MIGRATIONS, Migration(number=_NEXT, name="slow", oldest_code=1, step=_slow))
    with opened(url, OLD) as store, store.wire() as wire:
        impatient = Wire(wire.connection, patience_seconds=1.0)
        assert migrate(impatient, [OLD], 1, later) == ["slow"]
        assert impatient._patience_seconds == 1.0


def test_of_processes_that_start_together_one_migrates(url: str) -> None:
    """On an empty database too, where even the lock has to be made first."""

    def start() -> list[str]:
        with opened(url, OLD) as store:
            return store.migrated

    assert sorted(race(*[start] * 4)) == [[], [], [], [migration.name for migration in MIGRATIONS]]
    assert _number(url, "SELECT count(*) FROM livecore_migrations") == len(MIGRATIONS)


def test_every_key_and_index_begins_with_the_scope(url: str) -> None:
    """So the tables can be distributed by it, and no look-up can leave its own.

    But for the indexes in which a host searches for scopes: these are over an expression that is in no look-up.
    """
    with closing(PostgresStore(url)):
        pass
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'").fetchall()
    ours = {table.name for table in all_tables()}
    indexes = [text for table, text in found if table in ours]
    declared = layout.declared_layout(all_tables()).values()
    assert len(indexes) >= sum(1 + len(table.uniques) + len(table.indexes) for table in declared)
    by_time = [
        f"CREATE INDEX ix_{table.name}__{index.column}_in_any_scope ON public.{table.name} "
        f"USING btree ((({index.column} >> 16)), scope, {index.column}) WHERE ({index.column} IS NOT NULL)"
        for table in all_tables()
        for index in table.time_indexes
    ]
    assert sorted(text for text in indexes if "USING btree (scope, " not in text) == by_time
    assert len(by_time) == 2


def test_every_statement_names_one_scope_and_calls_no_function() -> None:
    """But for counting, which gives the same whenever it is asked."""
    texts: list[bytes] = []
    for table in all_tables():
        plan = plan_of(table)
        texts += [
            plan.select,
            gets_sql(table),
            inserts_sql(table),
            deletes_sql(table),
            updates_sql(table, 1 << len(table.key)),
            plan.select_all,
            plan.insert,
            plan.delete,
            plan.update(1 << len(table.key)),
        ]
        texts += [find_sql(unique) for unique in table.uniques]
        texts += [scan_sql(index, 1, 0, 1, False) for index in table.indexes]  # noqa: FBT003 - a cache's key
        texts += [count_sql(index, 1, 1, limited) for index in table.indexes for limited in (False, True)]
        texts += [finds_sql(unique) for unique in table.uniques]
        texts += [scans_sql(index, (1, 0, 1), False) for index in table.indexes]  # noqa: FBT003 - a cache's key
        texts += [counts_sql(index, (1, 0, 1), limited) for index in table.indexes for limited in (False, True)]
    assert [text for text in texts if len(re.findall(rb"\bscope\b", text)) != 1] == []
    assert {name for text in texts for name in re.findall(rb"\b\w+\(", text)} == {b"count(", b"unnest("}


def _plan(connection: psycopg.Connection[Any], sql: bytes) -> str:
    """How the server answers a statement that it has prepared, whatever its parameters."""
    width = max(int(number) for number in re.findall(rb"\$(\d+)", sql))
    connection.execute(b"PREPARE asked AS " + sql)
    rows = connection.execute(f"EXPLAIN EXECUTE asked({', '.join(['NULL'] * width)})".encode()).fetchall()
    connection.execute("DEALLOCATE asked")
    return "\n".join(row[0] for row in rows)


def test_a_new_database_answers_every_look_up_from_its_own_index(url: str) -> None:
    """Nothing is read that is then thrown away: before there are rows, and so in plans that stay for long."""
    with closing(PostgresStore(url)):
        pass
    with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
        for setting in engine_of("PostgreSQL").session:
            connection.execute(setting.encode())
        asked = [plan_of(table).select for table in all_tables()]
        asked += [find_sql(unique) for table in all_tables() for unique in table.uniques]
        asked += [gets_sql(table) for table in all_tables()]
        asked += [finds_sql(unique) for table in all_tables() for unique in table.uniques]
        asked += [
            scans_sql(index, (0, 0, 0), False)  # noqa: FBT003 - a cache's key
            for table in all_tables()
            for index in table.indexes
            if index.prefix
        ]
        asked += [deletes_sql(table) for table in all_tables()]
        asked += [scan_sql(index, 0, 0, 0, False) for table in all_tables() for index in table.indexes]  # noqa: FBT003 - a key
        plans = {sql: _plan(connection, sql) for sql in asked}
        assert [plan for plan in plans.values() if "in_any_scope" in plan] == []
    assert {sql: plan for sql, plan in plans.items() if "Filter" in plan or "Index" not in plan} == {}


def test_the_ephemeral_state_of_the_earlier_release_goes_on(url: str) -> None:
    """Its table gets the column, once; and its processes, which do not know it, publish beside those that do."""
    tables = list(all_tables())
    PostgresStore(url, tables=tables).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER TABLE livecore_updates DROP COLUMN published_at")
        columns = "(seq, scope, source, kind, about, ref, value)"
        told = f"INSERT INTO livecore_updates {columns} VALUES (%s, '', '', '', '', '', '')"  # noqa: S608 - a constant
        connection.execute(told, (1,))
        for _ in range(2):
            PostgresStore(url, tables=tables).close()
        connection.execute(told, (2,))
        assert connection.execute("SELECT seq, published_at FROM livecore_updates").fetchall() == [(1, 0), (2, 0)]
