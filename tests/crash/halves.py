"""What a database must look like whenever the power went: every write is there whole, or not at all.

Each write makes several rows: an entry, a balance, an event with its delivery, the answer under its key, due work. They are
checked against each other, table by table, without asking the service; then `livecore check` has its say.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, TypeAlias

from livecore.kernel.scope import Scope
from livecore_server.operations.check import check
from livecore_server.storage.database import store_at
from tests.crash import halves_of_crates, halves_of_guilds, halves_of_lobbies, halves_of_teams
from tests.crash.effects import check_answers_and_rows
from tests.laws.rows import PlaceRows
from tests.laws.test_balance_equals_sum_of_entries import check_ledger as check_sums
from tests.laws.test_each_gift_pays_exactly_once import check_ledger as check_payments
from tests.laws.test_one_relation_per_pair import check_rows as check_relations

Tables: TypeAlias = dict[str, list[Any]]


def rows_of(url: str, game_id: str) -> PlaceRows:
    """The rows of the game's test environment, read while nobody writes."""
    with store_at(url) as store:
        return PlaceRows(store.dump()[Scope(game_id, "test").id])


def check_database(url: str, game_id: str) -> PlaceRows:
    """The database is sound, and nothing in it is half of a write; gives its rows."""
    with store_at(url) as store:
        report = check(store, store.scopes(), lambda _: None)
        rows = PlaceRows(store.dump()[Scope(game_id, "test").id])
    assert (report.findings, report.damage) == ([], [])
    check_scope(rows)
    return rows


def check_scope(rows: PlaceRows) -> None:
    """Every row has the other rows of its write."""
    check_sums(rows)
    check_payments(rows, platform=True)
    check_relations(rows.relations)
    _check_grants(rows)
    halves_of_crates.check_crates(rows)
    halves_of_guilds.check_guilds(rows)
    halves_of_lobbies.check_lobbies(rows)
    halves_of_teams.check_teams(rows)
    _check_events(rows)
    _check_answers(rows)
    check_answers_and_rows(rows)


def _check_grants(rows: PlaceRows) -> None:
    """A gift and its grant are in one state; what can expire is on the list of due work, and nothing else of grants is."""
    grants = {grant.grant_id: grant for grant in rows.grants}
    assert {gift.grant_id for gift in rows.gifts} == {id_ for id_, grant in grants.items() if grant.gift_id is not None}
    for gift in rows.gifts:
        assert (grants[gift.grant_id].gift_id, grants[gift.grant_id].status) == (gift.gift_id, gift.status)
    due = {work.ref: work.due_at for work in rows.tables["due_work"] if work.kind == "grants.expire"}
    expected = {
        grant.grant_id: grant.expires_at for grant in rows.grants if grant.expires_at and grant.status == "pending"
    }
    assert due == expected


def _check_events(rows: PlaceRows) -> None:
    """Each change has told of itself exactly once, and each event has its delivery."""
    told: Counter[tuple[str, str]] = Counter()
    for event in rows.tables["webhook_events"]:
        data = json.loads(event.data)
        told[event.kind, str(data.get(_ID_OF_KIND.get(event.kind, ""), ""))] += 1
    expected: Counter[tuple[str, str]] = Counter()
    for entry in rows.entries:
        expected["wallet.changed" if entry.asset_kind == "currency" else "inventory.changed", entry.entry_id] += 1
    for gift in rows.gifts:
        expected["gift.sent", gift.gift_id] += 1
        if gift.status == "claimed":
            expected["gift.claimed", gift.gift_id] += 1
    for grant in rows.grants:
        expected["grant.created", grant.grant_id] += 1
        if grant.status != "pending":
            expected[f"grant.{grant.status}", grant.grant_id] += 1
    expected.update(halves_of_crates.told_of_crates(rows))
    expected.update(halves_of_guilds.told_of_guilds(rows))
    expected.update(halves_of_lobbies.told_of_lobbies(rows))
    expected.update(halves_of_teams.told_of_teams(rows))
    expected.update(halves_of_lobbies.told_of_removed(rows, told))
    expected.update(halves_of_teams.told_of_removed(rows, told))
    assert {key: count for key, count in told.items() if key[0] in _ID_OF_KIND} == dict(expected)
    delivered = Counter(row.event_id for row in rows.tables["webhook_deliveries"])
    assert delivered == Counter(event.event_id for event in rows.tables["webhook_events"])


_ID_OF_KIND = {
    "wallet.changed": "entryId",
    "inventory.changed": "entryId",
    "gift.sent": "giftId",
    "gift.claimed": "giftId",
    "grant.created": "grantId",
    "grant.claimed": "grantId",
    "grant.expired": "grantId",
    **halves_of_crates.ID_OF_KIND,
    **halves_of_guilds.ID_OF_KIND,
    **halves_of_lobbies.ID_OF_KIND,
    **halves_of_teams.ID_OF_KIND,
}
"""By which id an event and its row are matched."""


def _check_answers(rows: PlaceRows) -> None:
    """An answer that is kept speaks of rows that are there, and a paying row with a key has its answer."""
    entries = {entry.entry_id for entry in rows.entries}
    gifts, grants = {gift.gift_id for gift in rows.gifts}, {grant.grant_id for grant in rows.grants}
    kept: set[str] = set()
    for answer in rows.tables.get("idempotent_answers", []):
        # Who was told to wait has an answer without data.
        data = json.loads(answer.body).get("data", {})
        kept.add(answer.fingerprint)
        if "entryId" in data:
            assert data["entryId"] in entries
        if "gift" in data:
            assert data["gift"]["giftId"] in gifts
        if "grant" in data:
            assert data["grant"]["grantId"] in grants
    keyed = [row for table in (rows.entries, rows.gifts, rows.grants) for row in table if row.idempotency_key]
    assert len(keyed) == len({row.idempotency_key for row in keyed})
    assert {row.fingerprint for row in keyed} <= kept
