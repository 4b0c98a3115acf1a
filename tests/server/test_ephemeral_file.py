"""The shared file of several workers: bounded, and not missed too much when it is gone."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.time import HOUR, MINUTE
from livecore.kernel.units.ephemeral import EphemeralState
from livecore_server.ephemeral.file import EphemeralFile
from livecore_server.metrics import Metrics
from livecore_server.readiness import StoreWatch
from livecore_server.running_store import run_store
from livecore_server.storage.database import DatabaseProblem
from livecore_server.storage.ports import WriterLock
from livecore_server.storage.sqlite import SqliteStore
from tests.ephemeral_states import KIND, Note
from tests.stores.tables import STORE_TABLES

SCOPE = Scope("gam_shared", "test")


@pytest.mark.parametrize("shared", [False, True], ids=["one process", "several"])
def test_a_window_outlives_requests_that_are_counted_out_of_order(tmp_path: Path, *, shared: bool) -> None:
    """Of requests at the same moment the later one may be counted first; the earlier one begins no new window."""
    now = 1_000_000
    with closing(EphemeralFile(tmp_path / "shared.db", kinds=(KIND,))) as file:
        ephemeral = file if shared else EphemeralState()
        assert [ephemeral.hit("w", 1, MINUTE, at).allowed for at in (now, now - 1, now)] == [True, False, False]


def test_it_is_bounded(tmp_path: Path) -> None:
    """Of a flood of names and values the latest are kept; a process that has missed some forgets what it had flushed."""
    path = tmp_path / "shared.db"
    with (
        closing(EphemeralFile(path, counters=100, updates=50, kinds=(KIND,))) as flooded,
        closing(EphemeralFile(path, kinds=(KIND,))) as seldom,
    ):
        flooded.values(KIND).put(SCOPE, "first", Note(1, None))
        seldom.refresh()
        seldom.values(KIND).put(SCOPE, "own", Note(1, None))
        flooded.hit_published({"misses": 9}, MINUTE, 10 * MINUTE)
        for at in range(10_000):
            flooded.hit(f"n{at}", 9, MINUTE, at)
            flooded.values(KIND).put(SCOPE, f"p{at % 90}", Note(at, None))
        with closing(sqlite3.connect(path)) as looking:
            (windows,) = looking.execute("SELECT count(*) FROM windows").fetchone()
            (updates,) = looking.execute("SELECT count(*) FROM updates").fetchone()
        assert windows <= 100 + 4_096
        assert updates <= 50 + 4_096
        seldom.refresh()
        values = seldom.values(KIND)
        assert [values.get(SCOPE, name) for name in ("first", "own", "p9")] == [None, Note(1, None), Note(9_999, None)]
        assert seldom.peek("misses", 9, MINUTE, 10 * MINUTE).remaining == 8


def held(path: Path) -> bytes:
    """The bytes of the file and of its journal."""
    return b"".join(part.read_bytes() for part in path.parent.glob(f"{path.name}*"))


def test_nothing_is_left_of_what_is_forgotten(tmp_path: Path) -> None:
    """Not in its rows, not where they have been, not in the journal; and a worker that comes later learns of nothing."""
    path = tmp_path / "shared.db"
    with closing(EphemeralFile(path, kinds=(KIND,))) as one, closing(EphemeralFile(path, kinds=(KIND,))) as other:
        for ephemeral in (one, other):
            for at in range(200):
                ephemeral.values(KIND).put(SCOPE, "plr_1", Note(at, "at home"))
            ephemeral.hit_published({"throttle:10.0.0.7:plr_1": 9}, MINUTE, 1)
        other.values(KIND).put(SCOPE, "plr_2", Note(1, "elsewhere"))
        before = held(path)
        assert b"10.0.0.7" not in before
        one.forget(SCOPE, "plr_1")
        # A worker that has not heard of it yet notes something more.
        other.values(KIND).put(SCOPE, "plr_1", Note(900, "at home"))
        other.refresh()
        after = held(path)
        with closing(EphemeralFile(path, kinds=(KIND,))) as late:
            assert late.values(KIND).get(SCOPE, "plr_1") is None
            assert late.values(KIND).get(SCOPE, "plr_2") == Note(1, "elsewhere")
        assert [text in before for text in (b"at home", b"throttle:")] == [True, True]
        assert [text in after for text in (b"at home", b"throttle:")] == [False, False]


def test_updates_are_kept_for_an_hour(tmp_path: Path) -> None:
    """However few they are; a worker that was away for longer sees that it has missed some, also if none came since."""
    path, now = tmp_path / "shared.db", [HOUR]
    with (
        closing(EphemeralFile(path, kinds=(KIND,), now=lambda: now[0])) as ephemeral,
        closing(EphemeralFile(path, kinds=(KIND,), now=lambda: now[0])) as away,
    ):
        values = ephemeral.values(KIND)
        values.put(SCOPE, "first", Note(1, "first"))
        away.refresh()
        now[0] += HOUR - 1
        values.put(SCOPE, "second", Note(2, "second"))
        ephemeral.tidy(now[0])
        assert [text in held(path) for text in (b"first", b"second")] == [True, True]
        now[0] += 1
        ephemeral.tidy(now[0])
        assert [text in held(path) for text in (b"first", b"second")] == [False, True]
        now[0] += HOUR
        ephemeral.tidy(now[0])
        assert [text in held(path) for text in (b"first", b"second")] == [False, False]
        away.refresh()
        assert away.values(KIND).get(SCOPE, "first") is None
        values.put(SCOPE, "third", Note(3, "third"))
        away.refresh()
        assert away.values(KIND).get(SCOPE, "third") == Note(3, "third")


def test_a_file_of_the_earlier_release_goes_on(tmp_path: Path) -> None:
    """Its workers are replaced one after the other, and the old and the new ones tell each other everything."""
    path = tmp_path / "shared.db"
    with closing(sqlite3.connect(path)) as earlier:
        earlier.execute(
            "CREATE TABLE updates (seq INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, kind TEXT NOT NULL, "
            "scope TEXT NOT NULL, ref TEXT NOT NULL, value TEXT NOT NULL)"
        )
        told = "INSERT INTO updates (source, kind, scope, ref, value) VALUES ('old', ?, ?, ?, ?)"
        with closing(EphemeralFile(path, kinds=(KIND,))) as one, closing(EphemeralFile(path, kinds=(KIND,))) as other:
            earlier.execute(told, (KIND.name, SCOPE.id, "theirs", '{"at":1,"text":null}'))
            earlier.execute(told, (KIND.name, SCOPE.id, "dropped", '{"at":1,"text":null}'))
            earlier.execute(told, (KIND.name, SCOPE.id, "dropped", "null"))
            earlier.commit()
            one.values(KIND).put(SCOPE, "ours", Note(2, None))
            other.refresh()
            known = [other.values(KIND).get(SCOPE, name) for name in ("theirs", "dropped", "ours")]
            assert known == [Note(1, None), None, Note(2, None)]


def test_a_file_that_cannot_be_used_any_more_stops_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each process then counts for itself, and says so once."""
    path = tmp_path / "shared.db"
    with closing(EphemeralFile(path, kinds=(KIND,))) as ephemeral, caplog.at_level(logging.ERROR, "livecore.memory"):
        with closing(sqlite3.connect(path)) as breaking:
            breaking.execute("DROP TABLE windows")
            breaking.execute("DROP TABLE updates")
        ephemeral.refresh()
        allowed = [ephemeral.hit("n", 2, MINUTE, 1).allowed for _ in range(3)]
        ephemeral.values(KIND).put(SCOPE, "a", Note(1, None))
        assert allowed == [True, True, False]
        assert ephemeral.values(KIND).get(SCOPE, "a") == Note(1, None)
    assert len(caplog.messages) == 1


def test_a_writer_waits_for_another_and_not_for_ever(tmp_path: Path) -> None:
    """A transaction that is held open by somebody else costs patience, and then each counts for itself."""
    path, ticks = tmp_path / "shared.db", iter(range(10_000))
    with closing(EphemeralFile(path, kinds=(), clock=lambda: next(ticks) * 0.1)) as ephemeral:
        with closing(sqlite3.connect(path, isolation_level=None)) as holding:
            holding.execute("BEGIN IMMEDIATE")
            assert ephemeral.hit("n", 5, MINUTE, 1).remaining == 4
            holding.execute("ROLLBACK")
        assert [ephemeral.hit("n", 5, MINUTE, 1).remaining for _ in range(2)] == [4, 3]


class Waiting:
    """Time that passes only while somebody waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.slept = 0.0
        self.passed = 0.0
        monkeypatch.setattr("livecore_server.ephemeral.file.time.sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        """Wait, and for no time at all hardly any."""
        self.slept += seconds
        self.passed += max(seconds, 0.00001)

    def clock(self) -> float:
        """What the clock shows."""
        return self.passed


def test_a_process_that_was_stopped_with_the_file_keeps_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request waits a tenth of a second at most, and within a second after it no request waits at all."""
    path, waiting = tmp_path / "shared.db", Waiting(monkeypatch)
    with closing(EphemeralFile(path, kinds=(KIND,), clock=waiting.clock)) as ephemeral:
        with closing(sqlite3.connect(path, isolation_level=None)) as stopped:
            stopped.execute("BEGIN IMMEDIATE")
            counted = [ephemeral.hit("n", 50, MINUTE, 1).remaining for _ in range(20)]
            for at in range(20):
                ephemeral.values(KIND).put(SCOPE, f"p{at}", Note(at, None))
            assert counted == list(range(49, 29, -1))
            assert 0.05 < waiting.slept < 0.11
            waiting.passed += 2.0
            ephemeral.hit("n", 50, MINUTE, 1)
            assert 0.15 < waiting.slept < 0.22
            stopped.execute("ROLLBACK")
        assert ephemeral.hit("m", 50, MINUTE, 1).remaining == 49
        with closing(EphemeralFile(path, kinds=())) as other:
            assert other.hit("m", 50, MINUTE, 1).remaining == 48


def test_what_a_busy_file_did_not_take_is_published_later(tmp_path: Path) -> None:
    """In its order: what was to be forgotten is forgotten, by the others too, and what was noted afterwards is known."""
    path = tmp_path / "shared.db"
    with closing(EphemeralFile(path, kinds=(KIND,))) as one, closing(EphemeralFile(path, kinds=(KIND,))) as other:
        one.values(KIND).put(SCOPE, "plr_1", Note(1, "at home"))
        other.refresh()
        with closing(sqlite3.connect(path, isolation_level=None)) as stopped:
            stopped.execute("BEGIN IMMEDIATE")
            one.forget(SCOPE, "plr_1")
            one.values(KIND).put(SCOPE, "plr_2", Note(2, None))
            stopped.execute("ROLLBACK")
        assert other.values(KIND).get(SCOPE, "plr_1") == Note(1, "at home")
        one.refresh()
        other.refresh()
        assert [other.values(KIND).get(SCOPE, name) for name in ("plr_1", "plr_2")] == [None, Note(2, None)]
        assert b"at home" not in held(path)


def test_an_erasure_is_published_however_much_has_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a busy file does not take, the oldest values are given up, and never that somebody is to be forgotten."""
    monkeypatch.setattr("livecore_server.ephemeral.file._MOST_UNPUBLISHED", 10)
    path = tmp_path / "shared.db"
    with closing(EphemeralFile(path, kinds=(KIND,))) as one, closing(EphemeralFile(path, kinds=(KIND,))) as other:
        one.values(KIND).put(SCOPE, "plr_1", Note(1, "at home"))
        other.refresh()
        with closing(sqlite3.connect(path, isolation_level=None)) as stopped:
            stopped.execute("BEGIN IMMEDIATE")
            one.forget(SCOPE, "plr_1")
            for at in range(30):
                one.values(KIND).put(SCOPE, f"plr_{at + 10}", Note(at, None))
            assert len(one._unpublished) <= 10
            stopped.execute("ROLLBACK")
        one.refresh()
        other.refresh()
        found = [other.values(KIND).get(SCOPE, name) for name in ("plr_1", "plr_10", "plr_39")]
        assert found == [None, None, Note(29, None)]
        assert b"at home" not in held(path)


def test_workers_remember_in_the_folder_that_they_share(tmp_path: Path) -> None:
    """A process on its own keeps everything to itself; a worker that cannot open the file says which."""

    def ephemeral_of(workers: _Workers | None) -> EphemeralState:
        store = SqliteStore(tmp_path / "a.db", tables=STORE_TABLES)
        running = run_store(store, StoreWatch(Metrics()), workers=workers)
        asyncio.run(running.executor.close())
        return running.ephemeral

    assert type(ephemeral_of(None)) is EphemeralState
    with closing(ephemeral_of(_Workers(tmp_path))) as ephemeral:
        assert isinstance(ephemeral, EphemeralFile)
        assert (tmp_path / "memory.db").exists()
    with pytest.raises(DatabaseProblem, match=f"shared file .*nowhere{os.sep}memory.db"):
        ephemeral_of(_Workers(tmp_path / "nowhere"))


class _NoLock:
    """The lock of a worker that never writes."""

    def attempt(self) -> bool:
        return True

    def acquire(self) -> None:
        pass

    def release(self) -> None:
        pass


@attrs.frozen
class _Workers:
    folder: Path
    writer_lock: WriterLock = attrs.field(factory=_NoLock)
