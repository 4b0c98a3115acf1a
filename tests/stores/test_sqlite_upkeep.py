"""Backups are taken while the store is in use, and put back only where nobody is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from livecore_server.storage.sqlite import DatabaseInUse, DatabaseUnusable, SqliteStore, restore
from tests.stores.suite import fresh_scope
from tests.stores.tables import COUNTERS, STORE_TABLES, Counter


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with one row."""
    with closing(SqliteStore(tmp_path / "live.db", tables=STORE_TABLES)) as store:
        store.write(fresh_scope(), lambda tx: tx.insert(COUNTERS, Counter(key="k", order=1)))
        yield store


def test_a_backup_holds_what_was_committed(store: SqliteStore, tmp_path: Path) -> None:
    """Taken in the middle of a batch it is one sound file, without the batch, and opens as a store."""
    saved = tmp_path / "saved.db"
    batch = store.group_commit()
    unit = batch.transaction(store.scopes()[0])
    unit.put(COUNTERS, Counter(key="k", order=2))
    batch.apply(unit.scope, unit.writes())
    store.backup(saved)
    batch.commit()
    batch.publish()
    assert sorted(found.name for found in tmp_path.glob("saved*")) == ["saved.db"]
    with closing(SqliteStore(saved, tables=STORE_TABLES)) as copy:
        assert copy.integrity_check() == []
        assert copy.read(unit.scope, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=1)


def test_a_backup_does_not_overwrite(store: SqliteStore, tmp_path: Path) -> None:
    """Neither an older backup nor, by a slip, the database."""
    with pytest.raises(FileExistsError):
        store.backup(store.path)
    (tmp_path / "saved.db").write_bytes(b"older")
    with pytest.raises(FileExistsError):
        store.backup(tmp_path / "saved.db")


def test_restore_brings_the_rows_back(store: SqliteStore, tmp_path: Path) -> None:
    """Into a new file, and over one that nobody has open."""
    saved = tmp_path / "saved.db"
    store.backup(saved)
    before = store.dump()
    store.write(fresh_scope(), lambda tx: tx.insert(COUNTERS, Counter(key="later")))
    store.close()
    for target in (tmp_path / "new.db", store.path):
        restore(saved, target, overwrite=target.exists())
        with closing(SqliteStore(target, tables=STORE_TABLES)) as again:
            assert again.dump() == before


def test_restore_refuses_a_live_file(store: SqliteStore, tmp_path: Path) -> None:
    """Whatever the caller wished, and the live store goes on."""
    saved = tmp_path / "saved.db"
    store.backup(saved)
    with pytest.raises(FileExistsError):
        restore(saved, store.path)
    with pytest.raises(DatabaseInUse):
        restore(saved, store.path, overwrite=True)
    store.write(fresh_scope(), lambda tx: tx.insert(COUNTERS, Counter(key="k")))
    assert len(store.scopes()) == 2


def test_nobody_opens_a_file_while_it_is_replaced(store: SqliteStore, tmp_path: Path) -> None:
    """A server that starts meanwhile does not start on rows that are about to go."""
    saved = tmp_path / "saved.db"
    store.backup(saved)
    before = store.dump()
    store.close()
    refused: list[str] = []

    def start(_: int, __: int) -> None:
        with closing(sqlite3.connect(store.path, timeout=0)) as other:
            try:
                other.execute("SELECT 1 FROM sqlite_master").fetchone()
            except sqlite3.OperationalError as fault:
                refused.append(str(fault))

    restore(saved, store.path, overwrite=True, progress=start)
    assert set(refused) == {"database is locked"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["live.db", "saved.db"]
    with closing(SqliteStore(store.path, tables=STORE_TABLES)) as again:
        assert again.dump() == before


def test_a_store_goes_on_after_its_sole_use(store: SqliteStore) -> None:
    """Nobody else can open the file meanwhile; what was cached before is read again."""
    (scope,) = store.scopes()
    with (
        store.sole_use(),
        closing(sqlite3.connect(store.path, timeout=0)) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("SELECT 1 FROM sqlite_master").fetchone()
    with closing(SqliteStore(store.path, tables=STORE_TABLES)) as other_store:
        with pytest.raises(DatabaseInUse), store.sole_use():
            pass
        other_store.write(scope, lambda tx: tx.put(COUNTERS, Counter(key="k", order=2)))
    assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=2)
    store.write(scope, lambda tx: tx.put(COUNTERS, Counter(key="k", order=3)))
    assert store.read(scope, lambda tx: tx.get(COUNTERS, "k")) == Counter(key="k", order=3)


def test_restore_refuses_what_is_no_backup(tmp_path: Path) -> None:
    """A missing file, a text file and a damaged database are found out before anything is written."""
    broken = tmp_path / "broken.db"
    for content in (None, b"not a database, but long enough to look at" * 100):
        if content is not None:
            broken.write_bytes(content)
        with pytest.raises(DatabaseUnusable):
            restore(broken, tmp_path / "new.db")
        assert not (tmp_path / "new.db").exists()
