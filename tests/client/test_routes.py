"""Every method against its route, in a table written by hand from the specification and the wire contract.

The table is independent of the operations table on purpose: the two are compared in the coverage test, so neither is checked
only against itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import parse_qsl

import attrs
import httpx
import pytest
import respx

from livecore.kernel.wire import encode
from livecore.version import VERSION
from livecore_client import rows
from tests.client.answers import ANSWERS, JsonObject, gift
from tests.client.flavours import AnySdk, AnyServer, Flavour

P = "/sdk/v1/players/anna"
S = "/server/v1/players/anna"
REQUEST = "/friends/requests/frq_1"
BOUGHT: JsonObject = {
    "transactionId": "t1", "store": "app_store", "productId": "gems", "productType": "consumable", "amountMinor": 999,
    "currency": "EUR",
}  # fmt: skip


@attrs.frozen
class Route:
    """One call of a method, the request that it must become, and the answer that it must read."""

    method: str
    path: str
    answer: str
    query: dict[str, str] = attrs.field(factory=dict)
    body: JsonObject | None = None
    status: int = 200


@attrs.frozen
class SdkRow:
    """A row of the table for the client surface; `needs_secret` is false for what the key alone may do."""

    name: str
    call: Callable[[AnySdk], object]
    route: Route
    needs_secret: bool = True


@attrs.frozen
class ServerRow:
    """A row of the table for the server surface."""

    name: str
    call: Callable[[AnyServer], object]
    route: Route


SDK = [
    SdkRow("players.register", lambda c: c.players.register(),
           Route("POST", f"{P}/register", "registered", body={}, status=201), needs_secret=False),
    SdkRow("players.register forced", lambda c: c.players.register(force=True, player_context={"country": "SE"}),
           Route("POST", f"{P}/register", "registered", {"force": "true"}, {"playerContext": {"country": "SE"}}),
           needs_secret=False),
    SdkRow("players.set_identity", lambda c: c.players.set_identity(name="Anna", avatar="cat"),
           Route("PUT", f"{P}/identity", "identity", body={"name": "Anna", "avatar": "cat"})),
    SdkRow("players.get_profile", lambda c: c.players.get_profile(), Route("GET", f"{P}/profile", "profile")),
    SdkRow("presence.heartbeat", lambda c: c.presence.heartbeat(),
           Route("POST", f"{P}/presence", "presence", body={})),
    SdkRow("presence.heartbeat cleared", lambda c: c.presence.heartbeat(status=None),
           Route("POST", f"{P}/presence", "presence", body={"status": None})),
    SdkRow("presence.heartbeat labelled", lambda c: c.presence.heartbeat(status="In a match"),
           Route("POST", f"{P}/presence", "presence", body={"status": "In a match"})),
    SdkRow("friends.get_code", lambda c: c.friends.get_code(progression=["xp", "gold"]),
           Route("GET", f"{P}/friends/code", "code", {"progression": "xp,gold"})),
    SdkRow("friends.send_request", lambda c: c.friends.send_request(friend_code="K7RWQ2"),
           Route("POST", f"{P}/friends/requests", "request_sent", body={"friendCode": "K7RWQ2"}, status=201)),
    SdkRow("friends.send_request met", lambda c: c.friends.send_request(external_player_id="bea"),
           Route("POST", f"{P}/friends/requests", "request_met", body={"externalPlayerId": "bea"})),
    SdkRow("friends.accept_request", lambda c: c.friends.accept_request("frq_1"),
           Route("POST", f"{P}{REQUEST}/accept", "friend", body={})),
    SdkRow("friends.decline_request", lambda c: c.friends.decline_request("frq_1"),
           Route("POST", f"{P}{REQUEST}/decline", "request", body={})),
    SdkRow("friends.cancel_request", lambda c: c.friends.cancel_request("frq_1"),
           Route("POST", f"{P}{REQUEST}/cancel", "request", body={})),
    SdkRow("friends.list", lambda c: c.friends.list(), Route("GET", f"{P}/friends", "friends")),
    SdkRow("friends.list paged", lambda c: c.friends.list(progression="xp", limit=20, cursor="c1"),
           Route("GET", f"{P}/friends", "friends", {"progression": "xp", "limit": "20", "cursor": "c1"})),
    SdkRow("friends.list_requests", lambda c: c.friends.list_requests(),
           Route("GET", f"{P}/friends/requests", "requests")),
    SdkRow("friends.suggestions", lambda c: c.friends.suggestions(limit=9),
           Route("GET", f"{P}/friends/suggestions", "suggestions", {"limit": "9"})),
    SdkRow("friends.search", lambda c: c.friends.search("äl & o", limit=3),
           Route("GET", f"{P}/friends/search", "hits", {"q": "äl & o", "limit": "3"})),
    SdkRow("friends.remove", lambda c: c.friends.remove("bea #1"),
           Route("DELETE", f"{P}/friends/bea%20%231", "removed")),
    SdkRow("friends.block", lambda c: c.friends.block(external_player_id="cid"),
           Route("POST", f"{P}/friends/blocks", "block", body={"externalPlayerId": "cid"}, status=201)),
    SdkRow("friends.list_blocks", lambda c: c.friends.list_blocks(), Route("GET", f"{P}/friends/blocks", "blocks")),
    SdkRow("friends.unblock", lambda c: c.friends.unblock("cid"),
           Route("DELETE", f"{P}/friends/blocks/cid", "unblocked")),
    SdkRow("gifts.catalog", lambda c: c.gifts.catalog(), Route("GET", f"{P}/friends/gifts/catalog", "catalog")),
    SdkRow("gifts.send",
           lambda c: c.gifts.send(type="currency", resource_key="gold", amount=25, external_player_id="bea", message="!"),
           Route("POST", f"{P}/friends/gifts", "gift", status=201, body={
               "externalPlayerId": "bea", "type": "currency", "resourceKey": "gold", "amount": 25, "message": "!"})),
    SdkRow("gifts.claim", lambda c: c.gifts.claim("0190-1"),
           Route("POST", f"{P}/friends/gifts/0190-1/claim", "gift", body={})),
    SdkRow("gifts.inbox", lambda c: c.gifts.inbox(pending_only=True),
           Route("GET", f"{P}/friends/gifts/inbox", "gifts", {"pendingOnly": "true"})),
    SdkRow("gifts.sent", lambda c: c.gifts.sent(limit=10),
           Route("GET", f"{P}/friends/gifts/sent", "gifts", {"limit": "10"})),
    SdkRow("wallet.get", lambda c: c.wallet.get(), Route("GET", f"{P}/wallet", "wallet")),
    SdkRow("wallet.debit", lambda c: c.wallet.debit("gold", amount=25, reason="shop"),
           Route("POST", f"{P}/wallet/gold/debit", "wallet_change", body={"amount": 25, "reason": "shop"})),
    SdkRow("inventory.get", lambda c: c.inventory.get(), Route("GET", f"{P}/inventory", "inventory")),
    SdkRow("inventory.consume", lambda c: c.inventory.consume("potion", quantity=1),
           Route("POST", f"{P}/inventory/potion/consume", "item_change", body={"quantity": 1})),
    SdkRow("grants.list_pending", lambda c: c.grants.list_pending(limit=7),
           Route("GET", f"{P}/pending-grants", "grants", {"limit": "7"})),
    SdkRow("grants.claim", lambda c: c.grants.claim("0190-2"),
           Route("POST", f"{P}/grants/0190-2/claim", "grant", body={})),
    SdkRow("purchases.track",
           lambda c: c.purchases.track(transaction_id="t1", store="app_store", product_id="gems",
                                       product_type="consumable", amount_minor=999, currency="EUR",
                                       purchased_at=datetime(2026, 1, 31, 12, tzinfo=UTC), metadata={"shop": "start"}),
           Route("POST", f"{P}/purchases", "tracked", body={
               **BOUGHT, "purchasedAt": "2026-01-31T12:00:00.000Z", "metadata": {"shop": "start"}})),
]  # fmt: skip

REWARDS = [rows.RewardEntry(type="item", resource_key="potion", amount=2)]
SERVER = [
    ServerRow("ping", lambda c: c.ping(), Route("GET", "/server/v1/ping", "pong")),
    ServerRow("grants.create", lambda c: c.grants.create(
                  "anna", entries=REWARDS, idempotency_key="season-4", metadata={"season": 4},
                  expires_at=datetime(2026, 2, 1, tzinfo=UTC)),
              Route("POST", f"{S}/grants", "grant", status=201, body={
                  "idempotencyKey": "season-4", "metadata": {"season": 4}, "expiresAt": "2026-02-01T00:00:00.000Z",
                  "entries": [{"type": "item", "resourceKey": "potion", "amount": 2}]})),
    ServerRow("grants.ack", lambda c: c.grants.ack("anna", "0190-2"),
              Route("POST", f"{S}/grants/0190-2/ack", "grant", body={})),
    ServerRow("friends.list", lambda c: c.friends.list("anna", limit=50),
              Route("GET", f"{S}/friends", "friends", {"limit": "50"})),
    ServerRow("friends.list_requests", lambda c: c.friends.list_requests("anna"),
              Route("GET", f"{S}/friends/requests", "requests")),
    ServerRow("friends.list_blocks", lambda c: c.friends.list_blocks("anna"), Route("GET", f"{S}/blocks", "blocks")),
    ServerRow("gifts.list", lambda c: c.gifts.list("anna", direction="sent", limit=9),
              Route("GET", f"{S}/gifts", "gifts_for_server", {"direction": "sent", "limit": "9"})),
    ServerRow("players.get", lambda c: c.players.get("anna"), Route("GET", S, "player")),
    ServerRow("players.get capped", lambda c: c.players.get("anna", limit=5), Route("GET", S, "player", {"limit": "5"})),
    ServerRow("players.merge", lambda c: c.players.merge("anna", "bea #1"),
              Route("POST", f"{S}/merge-into/bea%20%231", "merged", body={})),
    ServerRow("players.erase", lambda c: c.players.erase("anna", reason="gdpr_erasure"),
              Route("POST", f"{S}/delete", "erased", body={"reason": "gdpr_erasure"})),
    ServerRow("players.erase again", lambda c: c.players.erase("anna"),
              Route("POST", f"{S}/delete", "never_existed", body={})),
    ServerRow("players.export", lambda c: c.players.export("anna"), Route("GET", f"{S}/export", "export")),
    ServerRow("players.export paged", lambda c: c.players.export("anna", list_="wallet", cursor="c1"),
              Route("GET", f"{S}/export", "export", {"list": "wallet", "cursor": "c1"})),
    ServerRow("migrate.players", lambda c: c.migrate.players(rows=[
                  rows.MigratePlayerRow(idempotency_key="m1", external_player_id="anna", name="Anna", country=None)]),
              Route("POST", "/server/v1/migrate/players", "migrated", body={"rows": [
                  {"idempotencyKey": "m1", "externalPlayerId": "anna", "name": "Anna", "country": None}]})),
    ServerRow("migrate.wallet", lambda c: c.migrate.wallet(emit_webhooks=True, rows=[
                  rows.MigrateWalletRow(idempotency_key="m1", external_player_id="anna", economy_key="gold", amount=5)]),
              Route("POST", "/server/v1/migrate/wallet", "migrated", body={"emitWebhooks": True, "rows": [
                  {"idempotencyKey": "m1", "externalPlayerId": "anna", "economyKey": "gold", "amount": 5}]})),
    ServerRow("migrate.inventory", lambda c: c.migrate.inventory(rows=[rows.MigrateInventoryRow(
                  idempotency_key="m1", external_player_id="anna", item_key="sword", quantity=1,
                  parameters={"level": 3})]),
              Route("POST", "/server/v1/migrate/inventory", "migrated", body={"rows": [
                  {"idempotencyKey": "m1", "externalPlayerId": "anna", "itemKey": "sword", "quantity": 1,
                   "parameters": {"level": 3}}]})),
    ServerRow("players.ban", lambda c: c.players.ban("anna", reason="cheating"),
              Route("POST", f"{S}/ban", "banned", body={"reason": "cheating"})),
    ServerRow("players.unban", lambda c: c.players.unban("anna"), Route("POST", f"{S}/unban", "unbanned", body={})),
    ServerRow("players.flag_debug", lambda c: c.players.flag_debug("anna", reason="QA"),
              Route("POST", f"{S}/debug", "debug", body={"reason": "QA"})),
    ServerRow("players.unflag_debug", lambda c: c.players.unflag_debug("anna"), Route("DELETE", f"{S}/debug", "debug")),
    ServerRow("players.set_identity", lambda c: c.players.set_identity("anna", name="Anna", country=None),
              Route("PUT", f"{S}/identity", "identity", body={"name": "Anna", "country": None})),
    ServerRow("players.set_identity of a country", lambda c: c.players.set_identity("anna", country="NO"),
              Route("PUT", f"{S}/identity", "identity", body={"country": "NO"})),
    ServerRow("players.set_identity reset", lambda c: c.players.set_identity("anna", name=None, avatar=None),
              Route("PUT", f"{S}/identity", "identity", body={"name": None, "avatar": None})),
    ServerRow("players.rotate_secret", lambda c: c.players.rotate_secret("anna"),
              Route("POST", f"{S}/rotate-secret", "rotated", body={})),
    ServerRow("wallet.get", lambda c: c.wallet.get("anna"), Route("GET", f"{S}/wallet", "wallet")),
    ServerRow("wallet.credit", lambda c: c.wallet.credit("anna", "gold", amount=5, source_ref_id="order-7"),
              Route("POST", f"{S}/wallet/gold/credit", "wallet_change", body={"amount": 5, "sourceRefId": "order-7"})),
    ServerRow("wallet.debit", lambda c: c.wallet.debit("anna", "gold", amount=5),
              Route("POST", f"{S}/wallet/gold/debit", "wallet_change", body={"amount": 5})),
    ServerRow("inventory.get", lambda c: c.inventory.get("anna"), Route("GET", f"{S}/inventory", "inventory")),
    ServerRow("inventory.grant", lambda c: c.inventory.grant("anna", "potion", quantity=2, parameters={"level": 3}),
              Route("POST", f"{S}/inventory/potion/grant", "item_change",
                    body={"quantity": 2, "parameters": {"level": 3}})),
    ServerRow("inventory.revoke", lambda c: c.inventory.revoke("anna", "potion", quantity=2, reason="refund"),
              Route("POST", f"{S}/inventory/potion/revoke", "item_change", body={"quantity": 2, "reason": "refund"})),
    ServerRow("purchases.track", lambda c: c.purchases.track(
                  "anna", transaction_id="t1", store="app_store", product_id="gems", product_type="consumable",
                  amount_minor=999, currency="EUR", validation_status="verified"),
              Route("POST", f"{S}/purchases", "tracked", body={**BOUGHT, "validationStatus": "verified"})),
    ServerRow("purchases.list", lambda c: c.purchases.list("anna", limit=5, cursor="c1"),
              Route("GET", f"{S}/purchases", "purchases", {"limit": "5", "cursor": "c1"})),
    ServerRow("spend.get", lambda c: c.spend.get("anna", windows=[7, 30]),
              Route("GET", f"{S}/spend", "spend", {"windows": "7,30"})),
    ServerRow("spend.list_players", lambda c: c.spend.list_players(min_amount_minor=500, window_days=30, offset=50),
              Route("GET", "/server/v1/spend/players", "spenders",
                    {"minAmountMinor": "500", "windowDays": "30", "offset": "50"})),
    ServerRow("spend.summary", lambda c: c.spend.summary(from_="2026-01-31", to="2026-02-01"),
              Route("GET", "/server/v1/spend/summary", "revenue", {"from": "2026-01-31", "to": "2026-02-01"})),
]  # fmt: skip


def _sent(router: respx.Router) -> httpx.Request:
    """The one request that was sent."""
    (call,) = router.calls
    request: httpx.Request = call.request
    return request


def _check(request: httpx.Request, route: Route) -> None:
    path, _, query = request.url.raw_path.decode().partition("?")
    assert (request.method, path) == (route.method, route.path)
    assert dict(parse_qsl(query, keep_blank_values=True)) == route.query
    assert (json.loads(request.content) if request.content else None) == route.body
    assert (request.headers.get("Content-Type") == "application/json") is (route.body is not None)
    assert ("Idempotency-Key" in request.headers) is (route.method != "GET")


def _answered(router: respx.Router, route: Route) -> None:
    router.route().respond(route.status, json={"data": ANSWERS[route.answer]})


@pytest.mark.parametrize("row", SDK, ids=lambda row: row.name)
def test_sdk_method_sends_its_route_and_reads_its_answer(row: SdkRow, flavour: Flavour, router: respx.Router) -> None:
    """A method of the game's client sends exactly the documented request, and its result is the whole documented answer."""
    _answered(router, row.route)
    answer = flavour.settle(row.call(flavour.sdk(router)))
    request = _sent(router)
    _check(request, row.route)
    assert request.headers["Authorization"] == "Bearer lc_test_client_abc"
    assert request.headers.get("X-Player-Secret") == ("lcs_secret" if row.needs_secret else None)
    assert encode(answer) == ANSWERS[row.route.answer]


@pytest.mark.parametrize("row", SERVER, ids=lambda row: row.name)
def test_server_method_sends_its_route_and_reads_its_answer(
    row: ServerRow, flavour: Flavour, router: respx.Router
) -> None:
    """A method of the studio's client sends exactly the documented request, and never a player's secret."""
    _answered(router, row.route)
    answer = flavour.settle(row.call(flavour.server(router)))
    request = _sent(router)
    _check(request, row.route)
    assert request.headers["Authorization"] == "Bearer lc_test_server_abc"
    assert "X-Player-Secret" not in request.headers
    assert "X-Svc-Platform" not in request.headers
    assert encode(answer) == ANSWERS[row.route.answer]


def test_every_request_says_which_software_sends_it(flavour: Flavour, router: respx.Router) -> None:
    """The service attributes sessions by SDK, platform and build, so each request carries all three."""
    router.route().respond(json={"data": ANSWERS["wallet"]})
    flavour.settle(flavour.sdk(router, app_version="1.4.0 (88)").wallet.get())
    headers = _sent(router).headers
    assert headers["X-Svc-SDK"] == f"livecore-python/{VERSION}"
    assert headers["X-Svc-Platform"] == "linux"
    assert headers["X-Svc-App-Version"] == "1.4.0 (88)"


def test_the_studios_client_says_which_software_it_is(flavour: Flavour, router: respx.Router) -> None:
    """As above: the service shows which SDK a key was last used with."""
    router.route().respond(json={"data": ANSWERS["pong"]})
    flavour.settle(flavour.server(router).ping())
    assert _sent(router).headers["X-Svc-SDK"] == f"livecore-python/{VERSION}"


def test_registering_keeps_the_secret_for_the_calls_that_follow(flavour: Flavour, router: respx.Router) -> None:
    """After register the client acts as the player without further ado, and the game can read the secret to store it."""
    router.post(f"{P}/register").respond(201, json={"data": ANSWERS["registered"]})
    router.get(f"{P}/wallet").respond(json={"data": ANSWERS["wallet"]})
    client = flavour.sdk(router, player_secret=None)
    flavour.settle(client.players.register())
    flavour.settle(client.wallet.get())
    assert client.player_secret == "lcs_new"
    assert router.calls.last.request.headers["X-Player-Secret"] == "lcs_new"


def test_a_newer_service_does_not_break_an_older_client(flavour: Flavour, router: respx.Router) -> None:
    """Fields and enumeration values that this release does not know are ignored and passed through."""
    data = {"gift": {**gift(), "status": "returned", "wrapping": "red"}}
    router.route().respond(json={"data": data, "meta": {}})
    answer = flavour.settle(flavour.sdk(router).gifts.claim("0190-1"))
    assert str(answer.gift.status) == "returned"
