"""Rows that several changes find are changed as the changes before have left them."""

from __future__ import annotations

from typing import Final

import pytest

from livecore.kernel.declarations import player_lifecycle
from livecore.kernel.declarations.player_lifecycle import EveryRow, OneRow, change_all
from livecore.kernel.scope import scope_of
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Table
from livecore.kernel.values import keyword_value as record


@record
class Letter:
    """From somebody to somebody."""

    letter_id: str
    sender: str | None
    reader: str | None


LETTERS = Table("letters", Letter, key=("letter_id",))
SENT = LETTERS.index("sent", prefix=("sender",), order=("letter_id",))
READ = LETTERS.index("read", prefix=("reader",), order=("letter_id",))
_SCOPE: Final = scope_of("gam_1", "test")
_ROWS: Final = (("1", "ann", "ann"), ("2", "ann", "bob"), ("3", "bob", "ann"), ("4", "bob", "bob"))


@pytest.fixture(params=[1, 200])
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """Changes in bulk, and one by one."""
    monkeypatch.setattr(player_lifecycle, "FEW", request.param)
    made = MemoryStore()

    def written(tx: Transaction) -> None:
        for letter_id, sender, reader in _ROWS:
            tx.insert(LETTERS, Letter(letter_id=letter_id, sender=sender, reader=reader))

    made.write(_SCOPE, written)
    return made


def left(store: MemoryStore, *changes: EveryRow | OneRow) -> tuple[list[bool], list[tuple[str | None, ...]]]:
    """What the changes said, and the rows after them."""
    found = store.write(_SCOPE, lambda tx: change_all(tx, changes))
    rows = store.read(_SCOPE, lambda tx: tx.read_all(Get(LETTERS, (letter_id,)) for letter_id, _, _ in _ROWS))
    return found, [(row.letter_id, row.sender, row.reader) for row in rows if row is not None]


def test_a_row_that_two_changes_find_gets_both(store: MemoryStore) -> None:
    """The second does not write over the first."""
    empty = EveryRow(SENT, ("ann",), {"sender": None}), EveryRow(READ, ("ann",), {"reader": None})
    found, rows = left(store, *empty, EveryRow(SENT, ("eve",), None))
    assert found == [True, True, False]
    assert rows == [("1", None, None), ("2", None, "bob"), ("3", "bob", None), ("4", "bob", "bob")]


def test_a_deleted_row_is_not_made_again(store: MemoryStore) -> None:
    """Whatever else was to become of it."""
    _, rows = left(store, EveryRow(SENT, ("ann",), None), EveryRow(READ, ("ann",), {"reader": None}))
    assert rows == [("3", "bob", None), ("4", "bob", "bob")]


def test_a_row_that_no_longer_lies_there_stays_as_it_is(store: MemoryStore) -> None:
    """Who was the reader when it was asked is another one by now."""
    found, rows = left(store, OneRow(LETTERS, ("1",), {"reader": "eve"}), EveryRow(READ, ("ann",), None))
    assert found == [True, True]
    assert rows == [("1", "ann", "eve"), ("2", "ann", "bob"), ("4", "bob", "bob")]


def test_a_key_without_a_row_changes_nothing(store: MemoryStore) -> None:
    """None is made for it."""
    found, rows = left(store, OneRow(LETTERS, ("9",), {"reader": None}), OneRow(LETTERS, ("8",), None))
    assert found == [False, False]
    assert rows == list(_ROWS)
