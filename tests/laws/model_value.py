"""The model of all that has an amount, gifts aside: wallet, inventory and grants (specification 2.13, 2.14 and 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from tests.laws.model_state import (
    HOUR,
    MOST,
    SYSTEM_KEYS,
    Asset,
    Call,
    Grant,
    Player,
    Refused,
    Reply,
    Scope,
    stamp,
)
from tests.laws.routes import Body

__all__ = ["VALUE", "change_event", "expire", "is_kept", "pay", "stamps"]


def change_event(asset: Asset) -> str:
    """The event that a ledger entry of this asset emits."""
    return "wallet.changed" if asset[0] == "currency" else "inventory.changed"


# -- wallet and inventory -------------------------------------------------------------------------------------------------


def _change(call: Call, asset: Asset, delta: int) -> Reply:
    if not call.scope.platform:
        raise Refused(409, "economy_not_platform_managed")
    after = call.me.holds(asset) + delta
    if after < 0:
        raise Refused(409, "insufficient_balance" if asset[0] == "currency" else "insufficient_quantity")
    if after > MOST:
        raise Refused(409, "balance_overflow")
    call.me.add(asset, delta, call["parameters"])

    def check(data: Body) -> None:
        names = ("economyKey", "balance") if asset[0] == "currency" else ("itemKey", "quantity")
        assert (data[names[0]], data[names[1]], data["delta"]) == (asset[1], after, delta)

    return Reply(200, (change_event(asset),), check)


def _wallet(sign: int) -> Callable[[Call], Reply]:
    def change(call: Call) -> Reply:
        key = call["economyKey"]
        if key in SYSTEM_KEYS:
            raise Refused(409, "system_resource_locked")
        if key not in call.scope.economy:
            raise Refused(404, "economy_key_not_found")
        return _change(call, ("currency", key), sign * call["amount"])

    return change


def _inventory(sign: int) -> Callable[[Call], Reply]:
    def change(call: Call) -> Reply:
        if call["itemKey"] not in call.scope.items:
            raise Refused(404, "item_not_found")
        return _change(call, ("item", call["itemKey"]), sign * call["quantity"])

    return change


def get_wallet(call: Call) -> Reply:
    """Every key that the game defines and the two system keys; nothing where the studio keeps the economy."""
    expected = {key: (kind, call.me.holds(("currency", key))) for key, kind in call.scope.economy.items()}
    expected["sessions"] = ("progression", call.me.sessions)
    expected["login_streak"] = ("progression", call.me.streak_on(call.now))
    if not call.scope.platform:
        # Of what the service keeps even so, progression, only the studio's backend has a wallet shown.
        backend = call.name.startswith("server:")
        expected = {key: row for key, row in expected.items() if backend and row[0] == "progression"}

    def check(data: Body) -> None:
        assert {row["key"]: (row["kind"], row["balance"]) for row in data["balances"]} == expected
        assert len(data["balances"]) == len(expected)

    return Reply(check=check)


def get_inventory(call: Call) -> Reply:
    """Every item above zero, each with what the game declares and over it what the stack has of its own."""
    expected = {
        asset[1]: (amount, {**call.scope.items[asset[1]], **call.me.attributes[asset]})
        for asset, amount in call.me.held.items()
        if asset[0] == "item" and amount
    }

    def check(data: Body) -> None:
        shown = {row["itemKey"]: (row["quantity"], row.get("parameters", {})) for row in data["items"]}
        assert shown == expected
        assert len(data["items"]) == len(expected)

    return Reply(check=check)


# -- grants ---------------------------------------------------------------------------------------------------------------


def create_grant(call: Call) -> Reply:
    """A pending grant; the player is made on first contact."""
    entries: list[tuple[Asset, int]] = []
    for entry in call["entries"]:
        if entry["resourceKey"] in SYSTEM_KEYS:
            raise Refused(409, "system_resource_locked")
        entries.append(((entry["type"], entry["resourceKey"]), entry["amount"]))
    for kind, key in (asset for asset, _ in entries):
        if key not in (call.scope.items if kind == "item" else call.scope.economy):
            raise Refused(400, "validation_failed")
    expires_at = None if call["expiresAt"] is None else stamp(call["expiresAt"])
    if expires_at is not None and expires_at <= call.now:
        raise Refused(400, "validation_failed")
    events = ("grant.created",) if call.player in call.scope.players else ("grant.created", "player.registered")
    call.scope.players.setdefault(call.player, Player(call.player, call.now, last_seen=call.now))
    grant = Grant("", call.player, entries, call.now, expires_at)

    def learn(data: Body) -> None:
        grant.grant_id = data["grant"]["grantId"]
        call.scope.grants[grant.grant_id] = grant
        _is_grant(data["grant"], grant)
        assert data["grant"]["kind"] == (call["kind"] or "reward")
        assert data["grant"]["metadata"] == call["metadata"]
        assert (data["grant"]["sourceKind"], data["grant"]["sourceRefId"]) == ("api", call["sourceRefId"])

    return Reply(201, events, learn, "grant: created")


def _is_grant(row: Body, grant: Grant) -> None:
    entries = [((entry["type"], entry["resourceKey"]), entry["amount"]) for entry in row["entries"]]
    assert (row["grantId"], row["status"], row["ackedBy"]) == (grant.grant_id, grant.status, grant.acked_by)
    assert entries == grant.entries
    assert stamps(row, "createdAt", "expiresAt", "claimedAt") == [grant.created_at, grant.expires_at, grant.claimed_at]


def stamps(row: Body, *names: str) -> list[int | None]:
    """The timestamps of a row, each as milliseconds or nothing."""
    return [None if row[name] is None else stamp(row[name]) for name in names]


def list_pending(call: Call) -> Reply:
    """What can still be claimed."""
    pending = {
        grant.grant_id: grant
        for grant in call.scope.grants.values()
        if grant.player == call.player and grant.status == "pending" and not grant.past(call.now)
    }

    def check(data: Body) -> None:
        if data["nextCursor"] is None:
            assert {row["grantId"] for row in data["grants"]} == set(pending)
        for row in data["grants"]:
            _is_grant(row, pending[row["grantId"]])

    return Reply(check=check)


def pay(call: Call, grant: Grant, acked_by: str) -> list[str]:
    """Move a grant to claimed and credit what the service keeps; gives the kinds of the events."""
    if grant.status == "claimed":
        raise Refused(409, "grant_already_claimed")
    if grant.status == "expired" or grant.past(call.now):
        raise Refused(410, "grant_expired" if grant.gift is None else "gift_expired")
    kept = [(asset, amount) for asset, amount in grant.entries if is_kept(call.scope, asset)]
    total: Counter[Asset] = Counter()
    for asset, amount in kept:
        total[asset] += amount
    if any(call.me.holds(asset) + amount > MOST for asset, amount in total.items()):
        raise Refused(409, "balance_overflow")
    for asset, amount in total.items():
        call.me.add(asset, amount)
    grant.status, grant.claimed_at, grant.acked_by = "claimed", call.now, acked_by
    events = [change_event(asset) for asset, _ in kept] if call.scope.platform else []
    return [*events, "grant.claimed", *(["gift.claimed"] if grant.gift else [])]


def is_kept(scope: Scope, asset: Asset) -> bool:
    """Whether the service keeps how much there is: everything, or, where the studio keeps the economy, progression."""
    return scope.platform or (asset[0] == "currency" and scope.economy.get(asset[1]) == "progression")


def _own_grant(call: Call) -> Grant:
    grant = call.scope.grants.get(call["grantId"])
    if grant is None or grant.player != call.player:
        raise Refused(404, "grant_not_found")
    return grant


def claim_grant(call: Call) -> Reply:
    """Claim as the player."""
    grant = _own_grant(call)
    events = pay(call, grant, "player")
    return Reply(200, tuple(events), lambda data: _is_grant(data["grant"], grant), _claimed(grant, "claim"))


def acknowledge(call: Call) -> Reply:
    """Mark claimed as the studio; one that is claimed already is shown."""
    grant = _own_grant(call)
    again = grant.status == "claimed"
    events = [] if again else pay(call, grant, "server_api")
    move = "grant: claimed -acknowledge-> claimed" if again else _claimed(grant, "acknowledge")
    return Reply(200, tuple(events), lambda data: _is_grant(data["grant"], grant), move)


def _claimed(grant: Grant, route: str) -> str:
    return f"{'grant' if grant.gift is None else 'gift by its grant'}: pending -{route}-> claimed"


# -- time -----------------------------------------------------------------------------------------------------------------


def expire(scope: Scope, grant: Grant, now: int) -> Reply:
    """The sweep: a pending grant past its time expires, and a paid gift's amount goes back to its sender.

    A refund for which the sender's balance has no room has to wait an hour; the grant is pending still. A sender who was
    erased gets nothing back of what was on its way to somebody else.
    """
    gift = grant.gift
    if gift is not None and gift.paid and gift.sender not in scope.players:
        grant.status = "expired"
        return Reply(events=("grant.expired",), move="paid gift: pending -time-> expired, of nobody any more")
    if gift is None or not gift.paid:
        grant.status = "expired"
        return Reply(
            events=("grant.expired",), move=f"{'grant' if gift is None else 'free gift'}: pending -time-> expired"
        )
    sender = scope.players[gift.sender]
    if sender.holds(gift.asset) + gift.amount > MOST:
        grant.retry_at = now + HOUR
        return Reply(move="paid gift: pending -time-> pending, as the refund has no room")
    grant.status = "expired"
    sender.add(gift.asset, gift.amount)
    return Reply(
        events=("grant.expired", change_event(gift.asset)), move="paid gift: pending -time-> expired, refunded"
    )


VALUE: Final[dict[str, Callable[[Call], Reply]]] = {
    "sdk:wallet.get": get_wallet,
    "server:wallet.get": get_wallet,
    "sdk:wallet.debit": _wallet(-1),
    "server:wallet.credit": _wallet(+1),
    "server:wallet.debit": _wallet(-1),
    "sdk:inventory.get": get_inventory,
    "server:inventory.get": get_inventory,
    "sdk:inventory.consume": _inventory(-1),
    "server:inventory.grant": _inventory(+1),
    "server:inventory.revoke": _inventory(-1),
    "server:grants.create": create_grant,
    "server:grants.ack": acknowledge,
    "sdk:grants.claim": claim_grant,
    "sdk:grants.listPending": list_pending,
}
"""The rules of this part by operation."""
