"""Reads that a unit is expected to make: a guess, which saves waits and changes no answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from livecore.kernel.scope import Scope
from livecore.kernel.storage.reads import Find, Get, Scan
from livecore.kernel.storage.store import Transaction
from livecore_server.storage.known import UNKNOWN, ExpectingReader
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.batches.batch_reader import SharedReader
from livecore_server.storage.postgres.reads import reader
from livecore_server.storage.postgres.reads.expected_reads import Record
from tests.postgres.executing import executing
from tests.stores.tables import BY_CODE, COUNTERS, HEROES, IN_GUILD, STORE_TABLES, Counter, Hero

_SCOPE = Scope("gam_expecting", "test")


class _Looking:
    """All that is known of a unit is the code by which it looks."""

    operation = "look"

    def value(self, name: str) -> Any:  # noqa: ANN401 - as the record has it
        """The code."""
        return "code" if name == "code" else UNKNOWN

    def hidden(self, owner: str) -> Any:  # noqa: ANN401, ARG002 - as the record has it
        """There is no idempotency key."""
        return UNKNOWN


def _noted_waits(patch: pytest.MonkeyPatch) -> list[object]:
    """The readers of units that have waited for rows, once for each wait."""
    waits: list[object] = []
    send = SharedReader.send

    def noted(waiting: SharedReader) -> None:
        waits.append(waiting)
        send(waiting)

    patch.setattr(SharedReader, "send", noted)
    return waits


def test_a_guess_that_is_out_of_date_changes_no_answer(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows from a unique value is read for the row that had it last, and for the one that has it now."""
    entries = [
        {"as": "hero", "find": f"{HEROES.name}.{BY_CODE.name}", "by": ["code"]},
        {"get": COUNTERS.name, "by": ["hero.id"]},
    ]
    record = Record({_Looking.operation: entries})
    monkeypatch.setattr(reader, "expected_reads", lambda: record)
    waits, counted = _noted_waits(monkeypatch), list[int]()

    def look(tx: Transaction) -> object:
        assert isinstance(tx.reader, ExpectingReader)
        tx.reader.expect(_Looking())
        hero = tx.find(BY_CODE, "code")
        found = None if hero is None else (hero.id, tx.get(COUNTERS, hero.id))
        counted.append(waits.count(tx.reader))
        return found

    def arrive(tx: Transaction) -> None:
        tx.insert(HEROES, Hero(id="a", code="code"))
        tx.insert(COUNTERS, Counter(key="a", order=1))

    def hand_over(tx: Transaction) -> None:
        tx.delete(HEROES, "a")
        tx.insert(HEROES, Hero(id="b", code="code"))

    async def scenario() -> None:
        async with executing(url) as executor:
            assert await executor.read(_SCOPE, look) is None
            await executor.write(_SCOPE, arrive)
            for _ in range(2):
                assert await executor.read(_SCOPE, look) == ("a", Counter(key="a", order=1))
            await executor.write(_SCOPE, hand_over)
            for _ in range(2):
                assert await executor.read(_SCOPE, look) == ("b", None)

    PostgresStore(url, tables=STORE_TABLES).close()
    asyncio.run(scenario())
    # A right guess saves the second wait; where there is none, or a wrong one, it is as without.
    assert counted == [1, 2, 1, 2, 1]


def test_what_an_earlier_unit_of_the_batch_has_written_is_not_asked_for(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even together with other reads: it is there already, and a scan over it is read once."""
    waits = _noted_waits(monkeypatch)

    def arrive(tx: Transaction) -> None:
        tx.insert(HEROES, Hero(id="a", code="code", guild="g"))
        tx.insert(COUNTERS, Counter(key="a", order=1))

    def look(tx: Transaction) -> object:
        hero, counter = tx.read_together(Find(BY_CODE, ("code",)), Get(COUNTERS, ("a",)))
        before = waits.count(tx.reader)
        members, others = tx.read_all([Scan(IN_GUILD, ("g",), limit=3), Scan(IN_GUILD, ("h",), limit=3)])
        return hero, counter, before, len(members), len(others), waits.count(tx.reader)

    async def scenario() -> None:
        async with executing(url) as executor:
            _, found = await asyncio.gather(executor.write(_SCOPE, arrive), executor.write(_SCOPE, look))
            assert found == (Hero(id="a", code="code", guild="g"), Counter(key="a", order=1), 0, 1, 0, 1)

    asyncio.run(scenario())
