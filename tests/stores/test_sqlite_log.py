"""The write-ahead log of a file: it stays short by its bytes, and gives back what it needed when it could not."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count, pairwise
from pathlib import Path

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.database import left_in_log_of, log_bytes_of, merge_log_of
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from livecore_server.storage.sqlite.log_file import LogLimit, generation_of, log_path
from tests.patience import PATIENCE_SECONDS
from tests.stores.tables import HEROES, STORE_TABLES, Hero

SCOPE = Scope("gam_log", "test")
LIMIT = 1024 * 1024


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is."""
    return tmp_path / "a.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """A store whose rows alone never make a checkpoint due."""
    with closing(store_at(path)) as opened:
        yield opened


def store_at(path: Path) -> SqliteStore:
    """A store with a short log."""
    return SqliteStore(path, tables=STORE_TABLES, checkpoint_after_writes=10**9, checkpoint_bytes=LIMIT)


def write(store: SqliteStore, at: int) -> None:
    """One row, which costs the log some pages."""
    store.write(SCOPE, lambda tx: tx.put(HEROES, Hero(id=f"h{at % 50}", level=at, name="x" * 40_000)))


def write_until(store: SqliteStore, size: int) -> int:
    """Write until the log has this size; gives the number of writes."""
    for at in range(10_000):
        if log_path(store.path).stat().st_size >= size:
            return at
        write(store, at)
    raise AssertionError("the log does not grow")


def reader_of(path: Path) -> sqlite3.Connection:
    """A connection that reads one state until it is closed, as a backup does."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    return connection


# -- how much is in use


def test_only_frames_since_the_log_started_over_are_in_use(store: SqliteStore, path: Path) -> None:
    """What is behind them is left from before, and does not count."""
    log = log_path(path)
    for at in range(10):
        write(store, at)
    size = log.stat().st_size
    before = generation_of(log, size)
    assert before
    assert generation_of(log, size + 1) == b""
    store.connections.checkpoint()
    store.connections.renew_snapshot()
    write(store, 10)
    assert log.stat().st_size == size
    after = generation_of(log)
    assert after not in (before, b"")
    _, frames, _ = store.connections.writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    (page,) = store.connections.writing.execute("PRAGMA page_size").fetchone()
    used = 32 + frames * (24 + page)
    assert generation_of(log, used) == after
    assert generation_of(log, used + 1) == b""


@pytest.mark.parametrize("contents", [None, b"", b"short", b"\0" * 32])
def test_a_log_without_frames_has_nothing_in_use(tmp_path: Path, contents: bytes | None) -> None:
    """None at all, an empty one, or one that was cut off."""
    log = tmp_path / "a.db-wal"
    if contents is not None:
        log.write_bytes(contents)
    assert generation_of(log, 33) == b""


# -- how long it becomes


def test_the_log_is_copied_for_its_bytes(store: SqliteStore, path: Path) -> None:
    """A few rows with long texts are enough."""
    for at in range(300):
        write(store, at)
        assert log_path(path).stat().st_size < 1.5 * LIMIT
    assert path.stat().st_size > LIMIT


def test_a_log_that_had_to_grow_is_short_again(store: SqliteStore, path: Path) -> None:
    """While somebody reads an old state nothing can start over; afterwards the disk gets its room back."""
    with closing(reader_of(path)):
        write_until(store, 4 * LIMIT)
    store._log_limit._clock = lambda: 1e12
    for at in range(60):
        write(store, at)
    assert log_path(path).stat().st_size < 1.5 * LIMIT


def test_attempts_grow_rare_while_the_log_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each makes writes wait, and is in vain: the time from one to the next doubles up to a bound, and begins anew."""
    now = [0.0]
    with closing(store_at(path)) as store:
        store._log_limit = LogLimit(path, LIMIT, clock=lambda: now[0])
        checkpoint, made = store.connections.checkpoint, list[float]()

        def note() -> None:
            made.append(now[0])
            checkpoint()

        monkeypatch.setattr(store.connections, "checkpoint", note)
        with closing(reader_of(path)):
            write_until(store, 2 * LIMIT)
            for at in range(400):
                now[0] += 0.1
                write(store, at)
        waits = [after - before for before, after in pairwise(made)]
        # A wait ends with the first write after it, and one is made every tenth of a second.
        assert all(after > before - 0.15 for before, after in pairwise(waits))
        assert waits[0] < 0.3
        assert 3 <= len(waits) <= 16
        assert 4.9 < waits[-1] < 5.2
        now[0] += 20
        for at in range(100):
            write(store, at)
        # Without any wait, once each time that the log has come to its limit.
        assert now[0] == made[-1] == made[-2]


def test_a_small_disk_is_not_filled_by_the_log(path: Path) -> None:
    """The limit is a quarter of the room, with what the log has of it already; and never nothing."""
    room = [100 * LIMIT]
    limit = LogLimit(path, LIMIT, room_at=lambda _: room[0])
    assert limit.limit_bytes == LIMIT
    for free, expected in ((2 * LIMIT, LIMIT // 2), (0, LIMIT // 4), (100 * LIMIT, LIMIT)):
        room[0] = free
        limit.measure()
        assert limit.limit_bytes == expected
    log_path(path).write_bytes(b"\0" * (2 * LIMIT))
    room[0] = 0
    limit.measure()
    assert limit.limit_bytes == LIMIT // 2


def test_a_disk_that_does_not_tell_its_room_changes_nothing(path: Path) -> None:
    """Writes tell whether it works."""

    def fail(_: Path) -> int:
        raise OSError("no such disk")

    assert LogLimit(path, LIMIT, room_at=fail).limit_bytes == LIMIT


# -- at the end


def test_all_is_merged_though_another_process_is_still_there(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """The file alone then has every row: SQLite itself merges only for the last."""
    with closing(store_at(path)) as other:
        write(store, 1)
        other.connections.drop_snapshot()
        store.merge_log()
        assert log_path(path).stat().st_size == 0
        alone = tmp_path / "copied.db"
        alone.write_bytes(path.read_bytes())
        with closing(store_at(alone)) as copied:
            assert copied.read(SCOPE, lambda tx: tx.get(HEROES, "h1")) is not None


def test_what_is_left_in_the_log_is_told(store: SqliteStore, path: Path) -> None:
    """Because somebody reads from it; once nobody does, it can be merged by whoever comes after."""
    url = f"sqlite:///{path}"
    with closing(reader_of(path)):
        write(store, 1)
        store.merge_log()
        assert log_bytes_of(url) > 40_000
        told = left_in_log_of(url)
        assert told is not None
        assert str(log_path(path)) in told
        assert "0.0 MB" not in told
    merge_log_of(url)
    assert log_bytes_of(url) == 0
    assert left_in_log_of(url) is None


def test_merging_needs_a_file(tmp_path: Path) -> None:
    """None is made where there is none, and PostgreSQL has none."""
    for url in (f"sqlite:///{tmp_path / 'none.db'}", "postgresql:///none"):
        merge_log_of(url)
        assert left_in_log_of(url) is None
        assert log_bytes_of(url) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_merge_waits_for_one_that_is_under_way(store: SqliteStore, path: Path) -> None:
    """SQLite refuses it at once, and what the other has left out would stay."""
    write(store, 1)
    merging, attempts = store.connections, []

    class Elsewhere:
        """The writing connection, while another process's checkpoint is under way."""

        def execute(self, sql: str) -> sqlite3.Cursor:
            attempts.append(sql)
            if sql == "PRAGMA wal_checkpoint(TRUNCATE)" and attempts.count(sql) < 3:
                return merging.reading.execute("SELECT 1, -1, -1")
            return writing.execute(sql)

        def close(self) -> None:
            writing.close()

    writing = merging.writing
    merging._writing = Elsewhere()  # type: ignore[assignment] # as if another process were at it
    merging.merge_log()
    merging._writing = writing
    assert attempts.count("PRAGMA wal_checkpoint(TRUNCATE)") == 3
    assert log_path(path).stat().st_size == 0


def test_a_write_has_succeeded_although_the_checkpoint_after_it_fails(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log keeps everything: the next write tries again, and the notices of this one are not lost."""
    failed: list[bytes] = []

    def fails() -> None:
        failed.append(generation_of(log_path(path)))
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(store, "_log_limit", LogLimit(path, 0, clock=count(step=10.0).__next__))
    with monkeypatch.context() as patch:
        patch.setattr(store.connections, "checkpoint", fails)
        for at in range(3):
            write(store, at)
    assert len(failed) == 3
    write(store, 3)
    write(store, 4)
    assert generation_of(log_path(path)) != failed[0]


def test_a_failure_after_a_checkpoint_stops_no_writes(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is, the executor takes the next write."""
    asked: list[int] = []

    def fails(most: int) -> None:
        asked.append(most)
        raise sqlite3.OperationalError("disk I/O error")

    async def scenario() -> None:
        executor = SqliteExecutor(store)
        monkeypatch.setattr(store, "_log_limit", LogLimit(path, 0))
        monkeypatch.setattr(store.connections, "keep_log_bytes", fails)
        for at in range(3):
            await executor.write(SCOPE, partial(_put, at=at))
            if executor._checkpointer._beside is not None:
                executor._checkpointer._beside.result(PATIENCE_SECONDS)
        await executor.close()
        assert asked

    asyncio.run(scenario())


def _put(tx: Transaction, at: int) -> None:
    tx.put(HEROES, Hero(id=f"h{at}", level=at, name="x" * 300_000))
