"""The model of everything that has an amount: wallet, inventory, grants and gifts (specification 2.11 to 2.14, 3.2, 3.3, 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tests.laws.model_friends import target
from tests.laws.model_state import (
    MOST,
    SYSTEM_KEYS,
    Asset,
    Call,
    Gift,
    Grant,
    Player,
    Refused,
    Reply,
    Scope,
    day_of,
    stamp,
)
from tests.laws.routes import Body

__all__ = ["DURABLE", "VALUE", "expire"]

DURABLE: Final = {
    "sdk:wallet.debit": "ledger",
    "server:wallet.credit": "ledger",
    "server:wallet.debit": "ledger",
    "sdk:inventory.consume": "ledger",
    "server:inventory.grant": "ledger",
    "server:inventory.revoke": "ledger",
    "server:grants.create": "grants",
    "sdk:gifts.send": "gifts",
}
"""What keeps its idempotency key for good, by the kind of row that keeps it."""


def _changed(asset: Asset) -> str:
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
    call.me.held[asset] = after

    def check(data: Body) -> None:
        names = ("economyKey", "balance") if asset[0] == "currency" else ("itemKey", "quantity")
        assert (data[names[0]], data[names[1]], data["delta"]) == (asset[1], after, delta)

    return Reply(200, (_changed(asset),), check)


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
    """Every key that the game defines and the service keeps, and the two system keys."""
    kept = {key: kind for key, kind in call.scope.economy.items() if call.scope.platform or kind == "progression"}
    expected = {key: (kind, call.me.holds(("currency", key))) for key, kind in kept.items()}
    expected["sessions"] = ("progression", call.me.sessions)
    expected["login_streak"] = ("progression", call.me.streak_on(call.now))

    def check(data: Body) -> None:
        assert {row["key"]: (row["kind"], row["balance"]) for row in data["balances"]} == expected
        assert len(data["balances"]) == len(expected)

    return Reply(check=check)


def get_inventory(call: Call) -> Reply:
    """Every item above zero."""
    expected = {key: amount for (kind, key), amount in call.me.held.items() if kind == "item" and amount}

    def check(data: Body) -> None:
        assert {row["itemKey"]: row["quantity"] for row in data["items"]} == expected
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
    assert _stamps(row, "createdAt", "expiresAt", "claimedAt") == [grant.created_at, grant.expires_at, grant.claimed_at]


def _stamps(row: Body, *names: str) -> list[int | None]:
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


def _pay(call: Call, grant: Grant, acked_by: str) -> list[str]:
    """Move a grant to claimed and credit what the service keeps; gives the kinds of the events."""
    if grant.status == "claimed":
        raise Refused(409, "grant_already_claimed")
    if grant.status == "expired" or grant.past(call.now):
        raise Refused(410, "grant_expired" if grant.gift is None else "gift_expired")
    kept = [(asset, amount) for asset, amount in grant.entries if _is_kept(call.scope, asset)]
    total: Counter[Asset] = Counter()
    for asset, amount in kept:
        total[asset] += amount
    if any(call.me.holds(asset) + amount > MOST for asset, amount in total.items()):
        raise Refused(409, "balance_overflow")
    for asset, amount in total.items():
        call.me.held[asset] = call.me.holds(asset) + amount
    grant.status, grant.claimed_at, grant.acked_by = "claimed", call.now, acked_by
    events = [_changed(asset) for asset, _ in kept] if call.scope.platform else []
    return [*events, "grant.claimed", *(["gift.claimed"] if grant.gift else [])]


def _is_kept(scope: Scope, asset: Asset) -> bool:
    return scope.platform or (asset[0] == "currency" and scope.economy.get(asset[1]) == "progression")


def _own_grant(call: Call) -> Grant:
    grant = call.scope.grants.get(call["grantId"])
    if grant is None or grant.player != call.player:
        raise Refused(404, "grant_not_found")
    return grant


def claim_grant(call: Call) -> Reply:
    """Claim as the player."""
    grant = _own_grant(call)
    events = _pay(call, grant, "player")
    return Reply(200, tuple(events), lambda data: _is_grant(data["grant"], grant), _claimed(grant, "claim"))


def acknowledge(call: Call) -> Reply:
    """Mark claimed as the studio; one that is claimed already is shown."""
    grant = _own_grant(call)
    again = grant.status == "claimed"
    events = [] if again else _pay(call, grant, "server_api")
    move = "grant: claimed -acknowledge-> claimed" if again else _claimed(grant, "acknowledge")
    return Reply(200, tuple(events), lambda data: _is_grant(data["grant"], grant), move)


def _claimed(grant: Grant, route: str) -> str:
    return f"{'grant' if grant.gift is None else 'gift by its grant'}: pending -{route}-> claimed"


# -- gifts ----------------------------------------------------------------------------------------------------------------


def send_gift(call: Call) -> Reply:
    """A gift to a friend; the refusals come in the contract's order."""
    gifting = call.scope.gifting
    named_twice = (call["friendCode"] is None) == (call["externalPlayerId"] is None)
    if named_twice:
        raise Refused(400, "validation_failed")
    if call["externalPlayerId"] == call.player or (call["friendCode"] is not None and call["friendCode"] == call.me.code):
        raise Refused(400, "cannot_gift_self")
    if not gifting["enabled"]:
        raise Refused(403, "gifting_disabled")
    other = target(call, "cannot_gift_self")
    pair = call.scope.pair(call.player, other.name)
    if pair.blocked_at:
        raise Refused(403, "player_blocked")
    if pair.state != "friends":
        raise Refused(403, "not_friends")
    asset: Asset = (call["type"], call["resourceKey"])
    listed = {(entry["type"], entry["key"]): entry for entry in gifting["resources"]}.get(asset)
    if listed is None or (listed["costsSender"] and not call.scope.platform):
        raise Refused(403, "gift_not_allowed")
    if not 1 <= call["amount"] <= listed["maxAmount"]:
        raise Refused(400, "gift_amount_invalid")
    if call.now < pair.gifted_at.get(call.player, -(2**60)) + gifting["cooldownSeconds"] * 1000:
        raise Refused(409, "gift_cooldown")
    today = call.me.sent_on.get(day_of(call.now), 0)
    if gifting["dailySendLimit"] is not None and today >= gifting["dailySendLimit"]:
        raise Refused(409, "gift_limit_reached")
    if listed["costsSender"] and call.me.holds(asset) < call["amount"]:
        raise Refused(409, "gift_insufficient_balance")
    call.me.sent_on[day_of(call.now)] = today + 1
    pair.gifted_at[call.player] = call.now
    return _sent(call, other, asset, paid=listed["costsSender"])


def _sent(call: Call, other: Player, asset: Asset, *, paid: bool) -> Reply:
    lifetime = call.scope.gifting["claimExpirySeconds"]
    expires_at = None if lifetime is None else call.now + lifetime * 1000
    gift = Gift("", call.player, other.name, asset, call["amount"], paid, call.now)
    grant = Grant("", other.name, [(asset, call["amount"])], call.now, expires_at, gift=gift)
    if paid:
        call.me.held[asset] = call.me.holds(asset) - call["amount"]

    def learn(data: Body) -> None:
        gift.gift_id, grant.grant_id = data["gift"]["giftId"], data["gift"]["grantId"]
        call.scope.grants[grant.grant_id] = call.scope.gifts[gift.gift_id] = grant
        _is_gift(call, data["gift"], grant)
        assert data["gift"]["message"] == call["message"]

    events = ("gift.sent", "grant.created", *([_changed(asset)] if paid else []))
    kind = "item" if asset[0] == "item" else call.scope.economy[asset[1]]
    return Reply(201, events, learn, f"gift: sent, {'paid' if paid else 'free'} {kind}")


def _is_gift(call: Call, row: Body, grant: Grant) -> None:
    gift = grant.gift
    assert gift is not None
    outgoing = gift.sender == call.player
    assert (row["giftId"], row["grantId"], row["status"]) == (gift.gift_id, grant.grant_id, grant.status)
    assert row["direction"] == ("outgoing" if outgoing else "incoming")
    assert row["player"]["externalPlayerId"] == (gift.recipient if outgoing else gift.sender)
    assert ((row["type"], row["resourceKey"]), row["amount"]) == (gift.asset, gift.amount)
    assert _stamps(row, "sentAt", "expiresAt", "claimedAt") == [gift.sent_at, grant.expires_at, grant.claimed_at]


def claim_gift(call: Call) -> Reply:
    """Claim by the gift's own id, as its recipient."""
    grant = call.scope.gifts.get(call["giftId"])
    if grant is None or grant.player != call.player:
        raise Refused(404, "gift_not_found")
    events = _pay(call, grant, "player")
    return Reply(200, tuple(events), lambda data: _is_gift(call, data["gift"], grant), "gift: pending -claim-> claimed")


def _box(call: Call, *, received: bool, with_grant: bool = False) -> Reply:
    gifts = {id_: grant for id_, grant in call.scope.gifts.items() if grant.gift and _in_box(grant.gift, call, received)}
    if call["pendingOnly"]:
        gifts = {id_: grant for id_, grant in gifts.items() if grant.status == "pending"}

    def check(data: Body) -> None:
        assert {row["giftId"] for row in data["gifts"]} == set(gifts)
        times = [row["sentAt"] for row in data["gifts"]]
        assert times == sorted(times, reverse=True)
        for row in data["gifts"]:
            _is_gift(call, row, gifts[row["giftId"]])
            assert row.get("grantStatus") == (gifts[row["giftId"]].status if with_grant else None)

    return Reply(check=check)


def _in_box(gift: Gift, call: Call, received: bool) -> bool:  # noqa: FBT001 - which of the two boxes
    return (gift.recipient if received else gift.sender) == call.player


def _history(call: Call) -> Reply:
    if not call.scope.gifting_seen:
        raise Refused(403, "gifting_disabled")
    return _box(call, received=call["direction"] != "sent", with_grant=True)


def catalog(call: Call) -> Reply:
    """The gift list and today's count."""
    gifting = call.scope.gifting

    def check(data: Body) -> None:
        assert (data["cooldownSeconds"], data["dailySendLimit"]) == (gifting["cooldownSeconds"], gifting["dailySendLimit"])
        assert data["sentToday"] == call.me.sent_on.get(day_of(call.now), 0)
        assert data["resources"] == (gifting["resources"] if gifting["enabled"] else [])

    return Reply(check=check)


# -- time -----------------------------------------------------------------------------------------------------------------


def expire(scope: Scope, grant: Grant) -> Reply:
    """The sweep: a pending grant past its time expires, and a paid gift's amount goes back to its sender.

    A refund for which the sender's balance has no room has to wait; the grant is pending still.
    """
    gift = grant.gift
    if gift is None or not gift.paid:
        grant.status = "expired"
        return Reply(events=("grant.expired",), move=f"{'grant' if gift is None else 'free gift'}: pending -time-> expired")
    sender = scope.players[gift.sender]
    if sender.holds(gift.asset) + gift.amount > MOST:
        return Reply(move="paid gift: pending -time-> pending, as the refund has no room")
    grant.status = "expired"
    sender.held[gift.asset] = sender.holds(gift.asset) + gift.amount
    return Reply(events=("grant.expired", _changed(gift.asset)), move="paid gift: pending -time-> expired, refunded")


VALUE: Final[dict[str, Callable[[Call], Reply]]] = {
    "sdk:wallet.get": get_wallet,
    "sdk:wallet.debit": _wallet(-1),
    "server:wallet.credit": _wallet(+1),
    "server:wallet.debit": _wallet(-1),
    "sdk:inventory.get": get_inventory,
    "sdk:inventory.consume": _inventory(-1),
    "server:inventory.grant": _inventory(+1),
    "server:inventory.revoke": _inventory(-1),
    "server:grants.create": create_grant,
    "server:grants.ack": acknowledge,
    "sdk:grants.claim": claim_grant,
    "sdk:grants.listPending": list_pending,
    "sdk:gifts.send": send_gift,
    "sdk:gifts.claim": claim_gift,
    "sdk:gifts.inbox": lambda call: _box(call, received=True),
    "sdk:gifts.sent": lambda call: _box(call, received=False),
    "server:gifts.list": _history,
    "sdk:gifts.catalog": catalog,
}
"""The rules of this part by operation."""
