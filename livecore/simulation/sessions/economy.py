"""Wallet and inventory: knowing what one has, the game's shop, consuming items, and purchases for money."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

from livecore.simulation.attendance import weighted
from livecore.simulation.behaviour import Me
from livecore.simulation.population import Product

CONSUMED: Final = "consumed"
"""The reason of what players use up."""
_CONSUMES = 0.15
_CENTS = 100


def read_holdings(me: Me) -> None:
    """Read what one has; between two such reads a client counts along."""
    wallet = me.do("wallet.get")
    if wallet.ok:
        me.known.wallet = {row.key: row.balance for row in wallet.row.balances}
    if me.game.config.items:
        items = me.do("inventory.get")
        if items.ok:
            me.known.items = {row.item_key: row.quantity for row in items.row.items}


def shop(me: Me) -> Iterator[float]:
    """Pay for what the game offers, and use items up."""
    for offer in me.game.population.shop:
        times = max(1, ceil(offer.per_session))
        for _ in range(times):
            wants = me.chance(f"shop-{offer.label}", offer.per_session / times)
            if not wants or me.known.wallet.get(offer.resource_key, 0) < offer.cost:
                continue
            yield me.wait("shop", 3, 15)
            paid = me.do(
                "wallet.debit", economy_key=offer.resource_key, amount=offer.cost, reason=f"shop:{offer.label}"
            )
            if paid.ok:
                me.known.spent(offer.resource_key, offer.cost)
    held = [key for key, quantity in me.known.items.items() if quantity > 0]
    if me.game.managed and held and me.chance("consume", _CONSUMES):
        yield me.wait("consume", 2, 10)
        key = me.choose("consumed", held)
        if me.do("inventory.consume", item_key=key, quantity=1, reason=CONSUMED).ok:
            me.known.got_item(key, -1)


def buy(me: Me) -> Iterator[float]:
    """Buy a product for money, as often as the behaviour's daily spending says, on the mean."""
    products = [product for product in me.game.population.products if product.amount_minor > 0 and product.weight > 0]
    if not products or me.traits.sessions_per_day == 0:
        return
    total = sum(product.weight for product in products)
    mean = sum(product.weight * _dollars(me, product) for product in products) / total
    if not me.chance("buy", min(1.0, me.traits.spend_per_day / me.traits.sessions_per_day / mean)):
        return
    product = weighted(me.draw("product"), products, [product.weight for product in products])
    yield me.wait("buy", 5, 30)
    transaction = f"{me.name}-{me.sessions}-{me.draw('transaction').below(2**40)}"
    bought = me.do(
        "purchases.track",
        transaction_id=transaction,
        store=me.choose("store", ("app_store", "google_play")),
        product_id=product.id,
        product_type="consumable",
        amount_minor=product.amount_minor,
        currency=product.currency,
    )
    if bought.ok and product.entries:
        me.backend(
            "grants.create",
            idempotency_key=f"purchase-{transaction}",
            entries=product.entries,
            source_ref_id=f"purchase:{product.id}",
        )


def _dollars(me: Me, product: Product) -> float:
    rate = float(me.game.config.exchange_rates.get(product.currency, 1))
    return max(product.amount_minor * rate / _CENTS, 0.01)


def daily_grants(me: Me, day: int) -> None:
    """What the studio's backend gives with the first session of a day."""
    for grant in me.game.population.backend.daily:
        me.backend(
            "grants.create",
            idempotency_key=f"daily-{grant.label}-{me.name}-{day}",
            entries=grant.entries,
            source_ref_id=f"backend:{grant.label}",
        )
