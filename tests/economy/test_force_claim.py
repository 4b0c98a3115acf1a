"""Operators give grants and force their claims: paid once in every state, as a claim would, and told with both sides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Final

import pytest

from livecore import World
from livecore.access.audit import AUDIT, AuditEntry
from livecore.api.configuration.game_config import parse_config
from livecore.api.maintenance import system_unit
from livecore.economy.ledger import ENTRIES
from livecore.economy.rows import ForceClaim
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.storage.store import Store, StoreConflict, Transaction
from livecore.social.claims import force_claim
from livecore_server.storage.database import store_at
from tests.added_game import AddedGame, findings, headers_for
from tests.commerce.shop import found_wrong
from tests.worlds import (
    GIFTING,
    Since,
    ask,
    befriend,
    config,
    crate,
    gift,
    give,
    grant,
    rows_of,
    studio_world,
    total,
    world,
)
from tests.worlds import ban as ban_player

GOLD: Final[list[Json]] = [{"type": "currency", "resourceKey": "gold", "amount": 10}]


@pytest.fixture
def game() -> World:
    """A world."""
    return world()


def forced(game: World, grant_id: object, **more: object) -> tuple[int, str | None]:
    """What an operator is told who forces a claim."""
    reply = ask(game.operator(), "grants.forceClaim", grant_id=grant_id, **more)
    return reply.status, reply.code


def trail(game: World, action: str) -> list[AuditEntry]:
    """The entries of an action, oldest first."""
    return sorted((row for row in rows_of(game, AUDIT) if row.action == action), key=lambda row: row.audit_id)


# -- giving ---------------------------------------------------------------------------------------------------------------


def test_a_grant_by_an_operator(game: World) -> None:
    """It waits for the player; the webhook, the trail and the grant say where it came from."""
    anna = game.player("anna")
    since, desk = Since(game), game.operator()
    made = ask(desk, "grants.create", external_player_id="anna", idempotency_key="ticket 1", entries=GOLD,
               source_ref_id="ticket 1", metadata={"by": "desk"})  # fmt: skip
    assert made.status == 201
    assert (made["grant.status"], made["grant.sourceKind"], made["grant.ackedBy"]) == ("pending", "admin", None)
    assert since.kinds == ["grant.created"]
    assert [row["grantId"] for row in ask(anna, "grants.listPending").list("grants")] == [made["grant.grantId"]]
    (entry,) = trail(game, "admin:grants.create")
    assert (entry.permission, entry.player_id) == ("grant.manual_create", anna.player_id)
    assert (entry.target_kind, entry.target_id) == ("grant", made["grant.grantId"])
    assert (entry.before, json.loads(str(entry.after))["status"]) == (None, "pending")
    assert "desk" not in str(entry.after)
    assert total(anna, "gold") == 0


def test_a_repeated_grant_is_the_same(game: World) -> None:
    """200 with the same grant, also when a day has passed; another body is a conflict; the backend's keys are apart."""
    game.player("anna")
    desk, asked = game.operator(), {"external_player_id": "anna", "idempotency_key": "ticket", "entries": GOLD}
    first = ask(desk, "grants.create", **asked)
    for _ in range(2):
        again = ask(desk, "grants.create", **asked)
        assert (again.status, again["grant"]) == (200, first["grant"])
        game.advance(days=2)
        desk = game.operator()
        other = ask(desk, "grants.create", **{**asked, "external_player_id": "bert"})
        assert other.refusal == (409, "idempotency_conflict")
    by_backend = grant(game.player("anna"), named="ticket")
    assert by_backend.status == 201
    assert by_backend["grant.grantId"] != first["grant.grantId"]


def test_a_player_nobody_knew_is_made(game: World) -> None:
    """As by the studio's backend."""
    since = Since(game)
    ask(game.operator(), "grants.create", external_player_id="new", idempotency_key="k", entries=GOLD)
    assert since.kinds == ["grant.created", "player.registered"]


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"idempotency_key": None}, (400, "validation_failed")),
        ({"external_player_id": "a/b"}, (400, "validation_failed")),
        ({"external_player_id": "__deleted_1__"}, (400, "validation_failed")),
        ({"entries": []}, (400, "validation_failed")),
        ({"entries": [{"type": "item", "resourceKey": "nothing", "amount": 1}]}, (400, "validation_failed")),
        ({"entries": [{"type": "currency", "resourceKey": "sessions", "amount": 1}]}, (409, "system_resource_locked")),
        ({"kind": "crate"}, (400, "validation_failed")),
        ({"expires_at": "2025-12-31T00:00:00Z"}, (400, "validation_failed")),
        ({"source_kind": "event_rank"}, (400, "validation_failed")),
    ],
)
def test_a_grant_is_checked(game: World, changes: JsonObject, refusal: tuple[int, str]) -> None:
    """And a refused one makes no player."""
    asked: JsonObject = {"external_player_id": "new", "idempotency_key": "k", "entries": [*GOLD], **changes}
    before = game.store.dump()
    assert ask(game.operator(), "grants.create", **asked).refusal == refusal
    after = game.store.dump()
    assert {scope: rows for scope, rows in before.items() if scope != "directory"}.keys() <= after.keys()
    assert after[f"{game.game.game_id}/test"] == before[f"{game.game.game_id}/test"]


# -- forcing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["pending", "past", "expired"])
def test_an_unclaimed_grant_pays_whatever_its_state(game: World, state: str) -> None:
    """Pending, past its expiry or swept: credited as by a claim, marked as the operator's, never again."""
    anna = game.player("anna")
    made = grant(anna, "gold", 10, expires_at="2026-01-02T00:00:00Z").text("grant.grantId")
    if state == "past":
        game.now += 2 * 86_400_000
    if state == "expired":
        game.advance(days=2)
    since = Since(game)
    first = ask(game.operator(), "grants.forceClaim", grant_id=made, reason="stuck, ticket 3")
    assert (first.status, first["grant.status"], first["grant.ackedBy"]) == (200, "claimed", "operator")
    assert first["grant.claimedAt"] == game.time.wire
    assert since.kinds == ["grant.claimed", "wallet.changed"]
    game.advance(seconds=1)
    again = ask(game.operator(), "grants.forceClaim", grant_id=made)
    assert again["grant"] == first["grant"]
    assert since.kinds == ["grant.claimed", "wallet.changed"]
    assert total(anna, "gold") == 10
    assert ask(anna, "grants.claim", grant_id=made).code in {"grant_already_claimed", "grant_expired"}
    game.advance(days=3)
    assert total(anna, "gold") == 10
    assert found_wrong(game) == []
    one, other = trail(game, "admin:grants.forceClaim")
    sides = [json.loads(str(side))["status"] for side in (one.before, one.after, other.before, other.after)]
    assert sides == ["expired" if state == "expired" else "pending", "claimed", "claimed", "claimed"]
    assert (one.permission, one.player_id) == ("grant.manual_force_claim", anna.player_id)
    assert json.loads(str(one.metadata)) == {"reason": "stuck, ticket 3"}


def test_a_claimed_grant_is_answered_as_it_is(game: World) -> None:
    """By the player or by the backend: nothing is paid, nobody is told, and who claimed it stays."""
    anna = game.player("anna")
    for named, acked in (("a", "player"), ("b", "server_api")):
        made = grant(anna, named=named).text("grant.grantId")
        if acked == "player":
            ask(anna, "grants.claim", grant_id=made)
        else:
            ask(game.server, "grants.ack", external_id="anna", grant_id=made)
        since, before = Since(game), total(anna, "gold")
        reply = ask(game.operator(), "grants.forceClaim", grant_id=made)
        assert (reply.status, reply["grant.ackedBy"]) == (200, acked)
        assert (since.kinds, total(anna, "gold")) == ([], before)


@pytest.mark.parametrize("state", ["pending", "past", "expired"])
@pytest.mark.parametrize("key", ["gems", "gold"])
def test_a_gift_goes_to_one_of_the_two(game: World, key: str, state: str) -> None:
    """A free gift pays its recipient; one that cost its sender, only while the sender has nothing back."""
    anna, bert = game.player("anna"), game.player("bert")
    befriend(anna, bert)
    give(anna, "gold", 50)
    sent = gift(anna, bert, key, 10)
    days = int(str(GIFTING.get("claimExpirySeconds", 604_800))) // 86_400 + 1
    if state == "past":
        game.now += days * 86_400_000
    if state == "expired":
        game.advance(days=days)
    refunded = key == "gold" and state == "expired"
    expected = (409, "grant_refunded") if refunded else (200, None)
    assert forced(game, sent["gift.grantId"]) == expected
    assert forced(game, sent["gift.grantId"]) == expected
    game.advance(days=days)
    assert total(bert, key) == (0 if refunded else 10)
    assert total(anna, "gold") == (50 if refunded or key == "gems" else 40)
    assert ask(bert, "gifts.inbox").list("gifts")[0]["status"] == ("expired" if refunded else "claimed")
    assert found_wrong(game) == []


def test_a_crate_is_opened_and_not_claimed(game: World) -> None:
    """Pending or expired it is refused; an opened one is answered as it is."""
    anna = game.player("anna")
    held = crate(anna, named="a").text("grant.grantId")
    late = crate(anna, named="b", expires_at="2026-01-02T00:00:00Z").text("grant.grantId")
    game.advance(days=2)
    for crate_id in (held, late):
        assert forced(game, crate_id) == (409, "crate_must_be_opened")
    ask(anna, "crates.open", crate_id=held)
    assert forced(game, held) == (200, None)


def test_crates_and_items_in_a_reward_are_handed_over(game: World) -> None:
    """As by a claim: each crate becomes a grant of its own."""
    anna = game.player("anna")
    entries = [
        {"type": "crate", "resourceKey": "chest", "amount": 2},
        {"type": "item", "resourceKey": "potion", "amount": 3},
    ]
    made = ask(game.operator(), "grants.create", external_player_id="anna", idempotency_key="k", entries=entries)
    assert forced(game, made["grant.grantId"]) == (200, None)
    assert len(ask(anna, "crates.list").list("crates")) == 2
    assert total(anna, "potion") == 3


def test_a_banned_player_is_paid_too(game: World) -> None:
    """The ban is about what the player does."""
    anna = game.player("anna")
    made = grant(anna).text("grant.grantId")
    ban_player(anna)
    assert forced(game, made) == (200, None)


def test_where_the_studio_keeps_the_economy_only_progression_is_credited() -> None:
    """The studio acts on the webhook."""
    game = studio_world()
    game.player("anna")
    xp: JsonObject = {"type": "currency", "resourceKey": "xp", "amount": 4}
    entries = [*GOLD, xp]
    made = ask(game.operator(), "grants.create", external_player_id="anna", idempotency_key="k", entries=entries)
    assert forced(game, made["grant.grantId"]) == (200, None)
    assert forced(game, made["grant.grantId"]) == (200, None)
    balances = {
        row["key"]: row["balance"] for row in ask(game.server, "wallet.get", external_id="anna").list("balances")
    }
    assert balances["xp"] == 4
    assert [row.asset_key for row in rows_of(game, ENTRIES)] == ["xp"]


def test_a_balance_without_room_is_refused(game: World) -> None:
    """And the grant stays pending."""
    anna = game.player("anna")
    give(anna, "gold", 2**53 - 1)
    made = grant(anna).text("grant.grantId")
    assert forced(game, made) == (409, "balance_overflow")
    assert ask(game.operator(), "grants.get", grant_id=made)["grant.status"] == "pending"


def test_grants_of_others_are_not_there(game: World) -> None:
    """Unknown, of the other environment, or of somebody who was erased."""
    anna = game.player("anna")
    made = grant(anna).text("grant.grantId")
    for operation in ("grants.forceClaim", "grants.get"):
        for asked in ({"grant_id": "0190"}, {"grant_id": made, "environment": "live"}):
            assert ask(game.operator(), operation, **asked).refusal == (404, "grant_not_found")
    assert ask(game.operator(), "grants.get", grant_id=made)["player"] == {
        "playerId": anna.player_id,
        "externalPlayerId": "anna",
    }
    ask(game.operator(), "players.erase", external_id="anna")
    for operation in ("grants.forceClaim", "grants.get"):
        assert ask(game.operator(), operation, grant_id=made).refusal == (404, "grant_not_found")


def test_a_merged_players_grant_pays_the_one_who_stays(game: World) -> None:
    """The grant has moved along."""
    anna, bert = game.player("anna"), game.player("bert")
    made = grant(anna).text("grant.grantId")
    ask(game.operator(), "players.merge", external_id="anna", to_external_id="bert")
    assert forced(game, made) == (200, None)
    assert total(bert, "gold") == 10


# -- two at once ----------------------------------------------------------------------------------------------------------


def test_many_at_once_pay_once(url: str) -> None:
    """Operators in two processes: each grant is paid once, and everybody is answered."""
    with ExitStack() as stack:
        stores: list[Any] = [stack.enter_context(store_at(url, create=True)) for _ in range(2)]
        game = AddedGame(stores[0], config=parse_config(config()))
        game.register("anna")
        made = [_granted(game, f"k{number}") for number in range(8)]

        def take(store: Store, mine: Sequence[str]) -> list[str | None]:
            return [_force(game, store, grant_id) for grant_id in mine]

        with ThreadPoolExecutor(2) as pool:
            taken = [*pool.map(take, stores, (made, made[::-1]))]
        assert {by for acked in taken for by in acked} == {"operator"}
        wallet = game.as_player("anna", "GET", "/wallet").json["data"]["balances"]
        assert next(row["balance"] for row in wallet if row["key"] == "gold") == 80
        assert findings(game) == []


def _granted(game: AddedGame, key: str) -> str:
    body = {"idempotencyKey": key, "entries": GOLD}
    said = game.ask("POST", "/server/v1/players/anna/grants", body, headers=headers_for(game.key("server")))
    return str(said.json["data"]["grant"]["grantId"])


def _force(game: AddedGame, store: Store, grant_id: str) -> str | None:
    """Force a claim; a unit that another one was quicker than runs again, as on a server."""

    def work(tx: Transaction) -> str | None:
        unit = system_unit(tx, game.made.game, game.now, grant_id.encode())
        return force_claim(unit, ForceClaim(grant_id=grant_id)).grant.acked_by

    while True:
        try:
            return store.write(game.scope, work)
        except StoreConflict:
            continue
