"""`livecore check`: a database that was lived in is sound, and each thing that must not be is found where it is."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.access.directory import API_KEYS, STUDIOS
from livecore.api.idempotency import ANSWERS, SWEEP, IdempotentAnswer
from livecore.economy.grants import EXPIRE, GRANTS, Grant
from livecore.economy.ledger import ENTRIES, HOLDINGS, Entry, Holding
from livecore.kernel.due import DUE, DueWork
from livecore.kernel.examination import in_key_order
from livecore.kernel.records import PlayerId, evolve
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.shapes import MAX_AMOUNT
from livecore.kernel.store import Transaction
from livecore.kernel.tables import Table
from livecore.kernel.time import DAY, HOUR, MINUTE
from livecore.players.identity import SEARCH_ENTRIES, SearchEntry
from livecore.players.player import BY_EXTERNAL_ID, PLAYERS, Player
from livecore.social.codes import USED_CODES
from livecore.social.gifts import GIFT_DAYS, GIFTS, Gift
from livecore.social.relations import RELATIONS, Relation, pair
from livecore.webhooks.outbox import DELIVERIES, ENDPOINTS, EVENTS, Delivery
from livecore_server.checking import check
from livecore_server.database import store_at
from livecore_server.sqlite import SqliteStore
from livecore_server.whole import whole_store
from tests.laws.arena import Arena
from tests.laws.lawful import seeds
from tests.laws.playing import play
from tests.laws.sequences import seeded
from tests.postgres.server import fresh_database
from tests.server.commands import Command
from tests.upkeep.lived_in import busiest_scope, lived_in

Plant = Callable[[Transaction], None]


@pytest.fixture
def livecore(capsys: pytest.CaptureFixture[str]) -> Command:
    """The program."""
    return Command(capsys)


@pytest.fixture
def database(tmp_path: Path) -> str:
    """A sound database."""
    return lived_in(tmp_path)


# -- faults


def rows(tx: Transaction, table: Table[Any]) -> list[Any]:
    """All rows of a table, by key."""
    return tx.scan(in_key_order(table))


def player(tx: Transaction, name: str) -> Player:
    """One of the two players that are always there."""
    found = tx.find(BY_EXTERNAL_ID, name)
    assert found is not None
    return found


def paid_gift(tx: Transaction) -> Gift:
    """The gift that waits, and that its sender paid for."""
    (gift,) = [row for row in rows(tx, GIFTS) if row.sender_id == player(tx, "giver").player_id]
    assert isinstance(gift, Gift)
    return gift


def friendship(tx: Transaction) -> Relation:
    """The relation of the two players."""
    found = tx.get(RELATIONS, *pair(player(tx, "giver").player_id, player(tx, "taker").player_id))
    assert found is not None
    return found


def gold(tx: Transaction) -> Holding:
    """What the giver holds: 50, less 10, less the 5 of the gift."""
    found = tx.get(HOLDINGS, player(tx, "giver").player_id, "currency", "gold")
    assert found is not None
    assert found.amount == 35
    return found


def entries(tx: Transaction) -> dict[int, Entry]:
    """The giver's entries, by their delta."""
    return {row.delta: row for row in rows(tx, ENTRIES) if row.player_id == player(tx, "giver").player_id}


def change(table: Table[Any], pick: Callable[[Transaction], Any], **changes: object) -> Plant:
    """A fault: some fields of a row are other ones."""

    def plant(tx: Transaction) -> None:
        tx.put(table, evolve(pick(tx), **changes))

    return plant


def remove(table: Table[Any], pick: Callable[[Transaction], tuple[Any, ...]]) -> Plant:
    """A fault: a row is gone."""
    return lambda tx: tx.delete(table, *pick(tx))


def add(table: Table[Any], make: Callable[[Transaction], Any]) -> Plant:
    """A fault: a row too many."""

    def plant(tx: Transaction) -> None:
        tx.insert(table, make(tx))

    return plant


def reversed_pair(tx: Transaction) -> Relation:
    """The two players once more, in the other order."""
    row = friendship(tx)
    return Relation(low_id=row.high_id, high_id=row.low_id)


def overdue(tx: Transaction) -> None:
    """An answer that ended before the last sweep ran."""
    tx.put(DUE, DueWork(kind=SWEEP, ref="", due_at=100 * HOUR))
    for row in rows(tx, ANSWERS):
        tx.delete(ANSWERS, row.owner, row.idempotency_key)
    for key, expires_at in (("late", 99 * HOUR), ("young", 99 * HOUR + 1)):
        tx.insert(
            ANSWERS,
            IdempotentAnswer(
                owner="server", idempotency_key=key, player_id=None, fingerprint="", status=200, body="{}",
                expires_at=expires_at,
            ),
        )  # fmt: skip


def grant_of_gift(tx: Transaction) -> Grant:
    """The grant that delivers the gift."""
    found = tx.get(GRANTS, paid_gift(tx).grant_id)
    assert found is not None
    return found


def pending(tx: Transaction) -> Delivery:
    """A delivery that waits to be sent."""
    found = next(row for row in rows(tx, DELIVERIES) if row.status == "pending")
    assert isinstance(found, Delivery)
    return found


NOBODY: Final = PlayerId("plr_nobody")

FAULTS: Final[dict[str, tuple[Plant, set[tuple[str, str]]]]] = {
    "a holding of another amount": (
        change(HOLDINGS, gold, amount=36),
        {("holdings", "holds 36, and its entries sum up to 35")},
    ),
    "a holding below zero": (
        change(HOLDINGS, gold, amount=-1),
        {
            ("holdings", "holds -1, and its entries sum up to 35"),
            ("holdings", f"holds -1, which is not between 0 and {MAX_AMOUNT}"),
        },
    ),
    "no holding": (
        remove(HOLDINGS, lambda tx: HOLDINGS.key_of(gold(tx))),
        {("holdings", "is missing, and there are ledger entries for it")},
    ),
    "no entry": (
        remove(ENTRIES, lambda tx: (entries(tx)[-10].entry_id,)),
        {
            ("holdings", "holds 35, and its entries sum up to 45"),
            ("ledger_entries", "the running balance does not follow at 35"),
            ("ledger_entries", "the running balance does not follow at 40"),
            ("ledger_entries", "the running balance does not follow at 50"),
        },
    ),
    "an entry's running balance": (
        change(ENTRIES, lambda tx: entries(tx)[-10], balance=41),
        {
            ("ledger_entries", "the running balance does not follow at 40"),
            ("ledger_entries", "the running balance does not follow at 41"),
            ("ledger_entries", "the running balance does not follow at 50"),
            ("ledger_entries", "the running balance does not follow at 51"),
        },
    ),
    "a gift that nobody paid": (
        change(ENTRIES, lambda tx: entries(tx)[-5], source_ref_id="another"),
        {("gifts", "was paid by its sender, and no ledger entry took the amount")},
    ),
    "a gift and its grant": (
        change(GIFTS, paid_gift, status="expired"),
        {("gifts", "is expired, and does not agree with its grant, which is pending")},
    ),
    "a gift without a grant": (
        remove(GRANTS, lambda tx: (paid_gift(tx).grant_id,)),
        {("gifts", "has no grant that delivers it"), ("due_work", "is about a grant that is not pending")},
    ),
    "a gift of nothing": (
        change(GIFTS, paid_gift, amount=0),
        {
            ("gifts", f"is of 0, which is not between 1 and {MAX_AMOUNT}"),
            ("gifts", "was paid by its sender, and no ledger entry took the amount"),
        },
    ),
    "a grant without its gift": (
        remove(GIFTS, lambda tx: (paid_gift(tx).gift_id,)),
        {("grants", "delivers a gift that is not there")},
    ),
    "a grant claimed at no time": (
        change(GRANTS, grant_of_gift, status="claimed"),
        {
            ("grants", "is claimed, which does not go with its time of claiming"),
            ("gifts", "is pending, and does not agree with its grant, which is claimed"),
            ("due_work", "is about a grant that is not pending"),
        },
    ),
    "a grant that will not expire": (
        remove(DUE, lambda tx: (EXPIRE, paid_gift(tx).grant_id)),
        {("grants", "will not expire: the work that would do it is not scheduled")},
    ),
    "no sweep": (remove(DUE, lambda _: (SWEEP, "")), {("due_work", "is recurring work that is not scheduled")}),
    "work for nobody": (
        add(DUE, lambda _: DueWork(kind="tea.make", ref="", due_at=0)),
        {("due_work", "is of a kind that nobody handles")},
    ),
    "friends under a block": (
        change(RELATIONS, friendship, blocked_by_high_at=1),
        {("relations", "is friends under a block")},
    ),
    "a pair in the wrong order": (
        add(RELATIONS, reversed_pair),
        {("relations", "has its players in the wrong order")},
    ),
    "a friendship without its request": (
        change(RELATIONS, friendship, request_id=None),
        {("relations", "is friends, which does not go with its request")},
    ),
    "a request that was accepted": (
        change(RELATIONS, friendship, friendship="asked_by_low"),
        {("relations", "is asked_by_low, and somebody has accepted")},
    ),
    "a relation with nobody": (
        add(RELATIONS, lambda tx: Relation(low_id=PlayerId("plr_"), high_id=player(tx, "giver").player_id)),
        {("relations", "names plr_, who is not there")},
    ),
    "a code that is free": (
        remove(USED_CODES, lambda tx: (player(tx, "giver").friend_code,)),
        {("players", "has a friend code that is not reserved")},
    ),
    "a name that search does not know": (
        change(PLAYERS, lambda tx: player(tx, "giver"), name="Zed"),
        {
            ("players", "is not found by every word of the shown name"),
            ("players", "is found by words that are not in the shown name"),
        },
    ),
    "a word that finds nobody": (
        add(SEARCH_ENTRIES, lambda _: SearchEntry(player_id=NOBODY, text="zed")),
        {("search_entries", "finds a player who is not there")},
    ),
    "a day without gifts": (
        change(GIFT_DAYS, lambda tx: tx.get(GIFT_DAYS, player(tx, "giver").player_id), sent=0),
        {("gift_days", "counts 0 gifts")},
    ),
    "a delivery of nothing": (
        remove(EVENTS, lambda tx: (pending(tx).event_id,)),
        {("webhook_deliveries", "delivers an event that is not there")},
    ),
    "a delivery that is never due": (
        change(DELIVERIES, pending, due_at=None),
        {("webhook_deliveries", "is pending, which does not go with the time at which it is due")},
    ),
    "deliveries to nowhere": (
        remove(ENDPOINTS, lambda tx: (rows(tx, ENDPOINTS)[0].endpoint_id,)),
        {("webhook_deliveries", "waits for an endpoint that is not there")},
    ),
    "an event for nobody": (
        remove(DELIVERIES, lambda tx: (pending(tx).delivery_id,)),
        {("webhook_events", "has no delivery, so that nothing will ever forget it")},
    ),
    "an answer that is overdue": (
        overdue,
        {("idempotent_answers", "is kept although the sweep after its end has run")},
    ),
}
"""Each kind of fault, and everything that is to be found then: tables and problems."""


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
    with whole_store(database) as store:
        store.write(busiest_scope(store), plant)
    assert found(livecore, database) == expected


def test_what_was_lived_in_is_sound(livecore: Command, database: str) -> None:
    """After any sequence of requests nothing is found, and the counts are those of the rows."""
    ended = livecore.done("check", "--database", database, "--json")
    assert ended.json["sound"]
    assert ended.err == ""
    with whole_store(database) as store:
        dump = store.dump()
    for scope in ended.json["scopes"]:
        ledger = dump[scope["scope"]].get("ledger_entries", [])
        assert scope["entries"] == len(ledger)
        assert scope["held"] == scope["posted"] == sum(entry.delta for entry in ledger)
    assert {scope["scope"] for scope in ended.json["scopes"]} == set(dump)


@seeds
def test_every_sequence_leaves_a_sound_database(seed: int, tmp_path: Path) -> None:
    """Right after it, when the first sweeps have run, and when everything has expired and been forgotten."""
    with closing(SqliteStore(tmp_path / "laws.db")) as store:
        store.connections.writing.execute("PRAGMA synchronous = OFF")
        arena = Arena(store)
        play(seeded(3_000 + seed, 60), arena=arena)
        for wait in (0, HOUR + MINUTE, 40 * DAY):
            arena.advance(wait)
            report = check(store, store.scopes(), lambda _: None)
            assert (report.findings, report.damage) == ([], [])


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
    with whole_store(database) as store:
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
    with whole_store(database) as store:
        scope = busiest_scope(store)
        store.write(scope, FAULTS["no sweep"][0])
        games = {other.game_id for other in store.scopes()} - {scope.game_id, DIRECTORY.game_id}
    (other,) = games
    assert found(livecore, database, "--game", other) == set()
    assert len(found(livecore, database, "--game", scope.game_id)) == 1
    assert livecore("check", "--database", database, "--game", "gam_none").status == 1


def test_the_directory_is_looked_at(livecore: Command, database: str) -> None:
    """A game without its studio, a key to no game, and rows of a game that is not there."""

    def plant(tx: Transaction) -> None:
        tx.delete(STUDIOS, rows(tx, STUDIOS)[0].studio_id)
        tx.put(API_KEYS, evolve(rows(tx, API_KEYS)[0], game_id="gam_gone"))

    def inhabit(tx: Transaction) -> None:
        for kind in (SWEEP, "players.streak_sweep", "webhooks.sweep"):
            tx.insert(DUE, DueWork(kind=kind, ref="", due_at=0))

    with whole_store(database) as store:
        store.write(DIRECTORY, plant)
        store.write(Scope("gam_gone", "live"), inhabit)
    assert found(livecore, database) == {
        ("games", "belongs to a studio that is not there"),
        ("api_keys", "opens a game that is not there"),
        ("games", "is not there, and this scope holds rows of it"),
    }


def test_a_damaged_file_is_found(livecore: Command, database: str) -> None:
    """SQLite's own check is part of it: an index that has lost a row."""
    path = database.removeprefix("sqlite:///")
    with whole_store(database) as store:
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


def test_faults_are_found_on_postgresql(livecore: Command, database: str) -> None:
    """The rules read the same there."""
    with fresh_database() as url:
        livecore.done("copy", "--from", database, "--to", url)
        assert found(livecore, url) == set()
        for name in ("an entry's running balance", "friends under a block", "a gift that nobody paid"):
            plant, _ = FAULTS[name]
            with whole_store(url) as store:
                store.write(busiest_scope(store), plant)
        expected = FAULTS["an entry's running balance"][1] | FAULTS["friends under a block"][1]
        assert found(livecore, url) == expected | FAULTS["a gift that nobody paid"][1]


def test_a_person_at_a_terminal_sees_how_far_it_is(
    livecore: Command, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, up to the end, for checking and for copying."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert re.search(r"Checking .* 100%", livecore.done("check", "--database", database).err, re.DOTALL)
    copied = livecore.done("copy", "--from", database, "--to", f"sqlite:///{tmp_path / 'two.db'}")
    assert re.search(r"Copying .* 100%", copied.err, re.DOTALL)
