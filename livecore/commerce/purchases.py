"""Purchases of players, tracked once for each transaction of each store.

    tracked ──▶ unverified ──backend verifies──▶ verified        (or verified at once; never back)

The client reports its purchases, the studio's backend those that it has seen or checked. The first report makes the row; a
later report gets that row as its answer. If times or metadata differ, those of the verifying report hold, because they come
from the store and not from a device. The row keeps the exchange rate of the first report, so a later rate does not change
past revenue. The same transaction updates the sums (specification 4.3 and 6.2).
"""

from __future__ import annotations

import json
from typing import Final

from livecore.commerce import totals
from livecore.commerce.config import commerce_config
from livecore.commerce.exchange import rate_of, us_cents
from livecore.commerce.refusals import TransactionConflict
from livecore.commerce.report_days import check_report_limit, note_report
from livecore.commerce.rows import (
    ListPurchases,
    PurchaseRow,
    Purchases,
    PurchaseTracked,
    TrackPurchase,
    TrackPurchaseAsServer,
    ValidationStatus,
)
from livecore.commerce.totals import PURCHASES, PURCHASES_OF_PLAYER, Purchase, SpendTotal
from livecore.commerce.webhook_events import PurchaseTracked as PurchaseTrackedEvent
from livecore.kernel.errors import IdempotencyConflict, JsonObject, ValidationFailed
from livecore.kernel.storage.paging import PageRequest, page_by_time, page_of
from livecore.kernel.storage.reads import Find, Scan
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import DAY, Millis, Timestamp
from livecore.kernel.units.permanent_idempotency import hidden
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.players.player import Player, acting

BY_TRANSACTION: Final = PURCHASES.unique("transaction_key")


# -- rules ----------------------------------------------------------------------------------------------------------------


def _transaction_key(unit: Unit, args: TrackPurchase) -> str:
    """A hash of a store's transaction, which reveals nothing about the player."""
    return hidden(unit.scope, args.store, args.transaction_id)


def _same(purchase: Purchase, args: TrackPurchase, status: ValidationStatus) -> bool:
    """Whether a report agrees with the stored purchase. A field that only one of the two has is no contradiction.

    Time and metadata may differ between a verified and an unverified report, because those of the verified one hold.
    """
    reported = (args.product_id, args.product_type, args.amount_minor, args.currency)
    if reported != (purchase.product_id, purchase.product_type, purchase.amount_minor, purchase.currency):
        return False
    if status != purchase.validation_status:
        return True
    if args.purchased_at is not None and purchase.dated and args.purchased_at != purchase.purchased_at:
        return False
    if args.metadata is None or purchase.metadata is None:
        return True
    return _in_order(args.metadata) == _in_order(json.loads(purchase.metadata))


def _in_order(metadata: JsonObject) -> str:
    """A text that does not depend on the order of the members, and distinguishes `true` from 1."""
    return json.dumps(metadata, sort_keys=True)


def row(purchase: Purchase) -> PurchaseRow:
    """A purchase as it is shown."""
    return PurchaseRow(
        purchase_id=purchase.purchase_id,
        transaction_id=purchase.transaction_id or "",
        store=purchase.store,
        product_id=purchase.product_id,
        product_type=purchase.product_type,
        amount_minor=purchase.amount_minor,
        currency=purchase.currency,
        normalized_amount_minor=purchase.cents,
        fx_rate=float(purchase.fx_rate),
        validation_status=purchase.validation_status,
        purchased_at=Timestamp(purchase.purchased_at),
        metadata=None if purchase.metadata is None else json.loads(purchase.metadata),
    )


# -- operations -----------------------------------------------------------------------------------------------------------


def track(unit: Unit, args: TrackPurchase) -> PurchaseTracked:
    """Track a purchase of the acting player; a repeated transaction returns the stored purchase.

    Refusals, in order: `TransactionConflict`, `IdempotencyConflict`, `UnknownCurrency`, `ValidationFailed`,
    `PurchaseLimitReached`, `BalanceOverflow`.
    """
    return _track(unit, args, "unverified", by_client=True)


def track_as_server(unit: Unit, args: TrackPurchaseAsServer) -> PurchaseTracked:
    """The same as the studio's backend, which may mark the purchase as verified, also one that is already tracked.

    The limit of a client's reports does not hold for it.
    """
    return _track(unit, args, args.validation_status)


def _track(unit: Unit, args: TrackPurchase, status: ValidationStatus, *, by_client: bool = False) -> PurchaseTracked:
    player, purchase_id, key = acting(unit), unit.new_id("pur"), _transaction_key(unit, args)
    # Most purchases are new, so what is read to add one is asked for with the one that there may be.
    further = totals.adding_reads(player.player_id, _purchased_at(unit, args), args.product_id, purchase_id)
    known: Purchase | None = unit.tx.read_all([Find(BY_TRANSACTION, (key,)), *further])[0]
    if known is None:
        purchase = _purchase(unit, player, args, status, purchase_id)
        if by_client:
            check_report_limit(unit, player)
        tracked = _store(unit, player, purchase)
        if by_client:
            note_report(unit, player)
        return tracked
    if known.player_id != player.player_id:
        raise TransactionConflict
    if not _same(known, args, status):
        raise IdempotencyConflict("This transaction was tracked before, with another product, price, time or metadata.")
    if status == "verified" and known.validation_status != "verified":
        known = _verify(unit, known, args)
    else:
        unit.replayed = True
    return _tracked(known, totals.of_player(unit.tx, player.player_id))


def _purchased_at(unit: Unit, args: TrackPurchase) -> Millis:
    return unit.now if args.purchased_at is None else int(args.purchased_at)


def _purchase(unit: Unit, player: Player, args: TrackPurchase, status: ValidationStatus, purchase_id: str) -> Purchase:
    rate = rate_of(commerce_config(unit), args.currency)
    cents = us_cents(args.amount_minor, args.currency, rate)
    most = commerce_config(unit).purchases.max_amount_minor
    if cents > most:
        reason = f"must come to at most {most} US cents (this game's `purchases.maxAmountMinor`), and comes to {cents}"
        raise ValidationFailed({"amountMinor": reason})
    _check_time(unit, args)
    return Purchase(
        purchase_id=purchase_id,
        player_id=player.player_id,
        transaction_key=_transaction_key(unit, args),
        transaction_id=args.transaction_id,
        store=args.store,
        product_id=args.product_id,
        product_type=args.product_type,
        amount_minor=args.amount_minor,
        currency=args.currency,
        cents=cents,
        fx_rate=rate,
        validation_status=status,
        purchased_at=_purchased_at(unit, args),
        dated=args.purchased_at is not None,
        tracked_at=unit.now,
        metadata=_metadata(args),
    )


def _check_time(unit: Unit, args: TrackPurchase) -> None:
    # A device's clock may be ahead, at most by its time zone.
    if args.purchased_at is not None and not 0 <= args.purchased_at <= unit.now + DAY:
        raise ValidationFailed({"purchasedAt": "must lie after 1969 and not more than a day ahead"})


def _metadata(args: TrackPurchase) -> JsonText | None:
    return None if args.metadata is None else JsonText(compact(args.metadata))


def _verify(unit: Unit, known: Purchase, args: TrackPurchase) -> Purchase:
    """Mark a purchase as verified, with the time and the metadata of this report if it has them."""
    _check_time(unit, args)
    verified = evolve(
        known,
        validation_status="verified",
        purchased_at=known.purchased_at if args.purchased_at is None else int(args.purchased_at),
        dated=known.dated or args.purchased_at is not None,
        metadata=_metadata(args) or known.metadata,
    )
    unit.tx.put(PURCHASES, verified)
    totals.verify(unit.tx, known, verified)
    return verified


def _store(unit: Unit, player: Player, purchase: Purchase) -> PurchaseTracked:
    total = totals.add(unit.tx, purchase)
    unit.tx.insert(PURCHASES, purchase)
    shown = row(purchase)
    unit.emit(
        PurchaseTrackedEvent(
            purchase_id=shown.purchase_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            transaction_id=shown.transaction_id,
            store=shown.store,
            product_id=shown.product_id,
            product_type=shown.product_type,
            amount_minor=shown.amount_minor,
            currency=shown.currency,
            normalized_amount_minor=shown.normalized_amount_minor,
            fx_rate=shown.fx_rate,
            validation_status=shown.validation_status,
            purchased_at=shown.purchased_at,
            lifetime_amount_minor=total.cents,
            purchase_count=total.purchases,
            metadata=shown.metadata,
        )
    )
    return _tracked(purchase, total)


def _tracked(purchase: Purchase, total: SpendTotal) -> PurchaseTracked:
    return PurchaseTracked(purchase=row(purchase), lifetime_amount_minor=total.cents, purchase_count=total.purchases)


def newest(player_id: str, page: PageRequest) -> Scan[Purchase]:
    """A page of a player's purchases, newest first by the time of the purchase."""
    return page.newest(PURCHASES_OF_PLAYER, player_id)


def list_purchases(unit: Unit, args: ListPurchases) -> Purchases:
    """A player's purchases, newest first by the time of the purchase."""
    page = page_by_time(args)
    found = unit.tx.scanned(newest(acting(unit).player_id, page))
    shown, cursor = page_of(found, page, PURCHASES_OF_PLAYER.position_of)
    return Purchases(purchases=tuple(map(row, shown)), next_cursor=cursor)
