"""What players of the populated game have and buy: grants of each kind and state, crates, purchases."""

from __future__ import annotations

from typing import Any

from livecore.kernel.time import DAY, Timestamp
from livecore.world import WorldPlayer
from tests.populated.playing import Play, tried

_PRICES = (("USD", 499), ("EUR", 999), ("JPY", 1_200), ("KWD", 1_500), ("USD", 9_999))
_STORES = ("google", "apple", "web_shop")


def move_in(play: Play, names: list[str]) -> None:
    """Players, balances and items that another backend had, some of whom never come back."""
    server, people = play.world.server, play.people
    server.call(
        "migrate.players",
        rows=[
            {
                "idempotencyKey": f"p-{number}",
                "externalPlayerId": name,
                "firstSeenAt": f"2025-{3 + number % 9:02}-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:00.000Z",
                **({"name": people.names[number % len(people.names)]} if number < 20 else {}),
                **({"country": ("SE", "BR", "JP", "US")[number % 4]} if number % 3 else {}),
                **({"playerContext": {"from": "the old backend", "vip": number % 2 == 0}} if number % 5 == 0 else {}),
            }
            for number, name in enumerate(names)
        ],
    )
    server.call(
        "migrate.wallet",
        rows=[
            {"idempotencyKey": f"{key}-{number}", "externalPlayerId": name, "economyKey": key, "amount": amount}
            for number, name in enumerate(names)
            for key, amount in (("gold", 400 + number), ("gems", 12))
        ],
    )
    server.call(
        "migrate.inventory",
        rows=[
            {
                "idempotencyKey": f"{key}-{number}", "externalPlayerId": name, "itemKey": key, "quantity": 1 + number % 7,
                **({"parameters": {"level": number, "note": people.texts[number % 4]}} if number % 2 else {}),
            }
            for number, name in enumerate(names)
            for key in ("potion", "sword", "banner")[number % 4 :]
        ],
    )  # fmt: skip


def day_of_earning(play: Play, day: int) -> None:
    """Grants that are claimed, expire or wait, crates that are opened, amounts that change, and what is bought."""
    server, soon = play.world.server, Timestamp(play.world.now + 2 * DAY)
    for number, player in enumerate(play.some(8)):
        _grant(play, player, f"{day}-{number}", expires_at=soon if number % 3 == 0 else None)
    for number, player in enumerate(play.some(4)):
        chest = {"type": "crate", "resourceKey": "starter-chest", "amount": 1}
        given: Any = server.call(
            "grants.create", external_id=player.external_id, idempotency_key=f"chest-{day}-{number}", kind="crate",
            entries=[chest],
        )["grant"]  # fmt: skip
        if number % 2:
            tried(player, "crates.open", crate_id=given["grantId"])
    for player in play.some(12):
        waiting: Any = player.call("grants.listPending", limit=3)["grants"]
        for grant in waiting[:2]:
            tried(player, "grants.claim" if grant["kind"] == "reward" else "crates.open", **_of(grant))
    for player in play.some(4):
        tried(player, "wallet.debit", economy_key="gold", amount=3, reason="hat", idempotency_key=f"hat-{day}")
        tried(player, "inventory.consume", item_key="potion", quantity=1)
    for number, player in enumerate(play.some(6)):
        _buy(play, player, f"GPA.{day}-{number}")


def _of(grant: dict[str, Any]) -> dict[str, object]:
    return {"grant_id" if grant["kind"] == "reward" else "crate_id": grant["grantId"]}


def _grant(play: Play, player: WorldPlayer, key: str, *, expires_at: Timestamp | None) -> None:
    sword = {
        "type": "item",
        "resourceKey": "sword",
        "amount": 1,
        "parameters": {"level": 9, "of": play.people.texts[0]},
    }
    given: Any = play.world.server.call(
        "grants.create", external_id=player.external_id, idempotency_key=f"grant-{key}", expires_at=expires_at,
        source_ref_id=play.chance.choice((None, "season-2", play.people.texts[1])),
        entries=[{"type": "currency", "resourceKey": "gold", "amount": 40}, *([sword] if play.below(3) == 0 else [])],
        metadata=play.chance.choice((None, {"quest": "the lost otter"})),
    )["grant"]  # fmt: skip
    if play.below(6) == 0:
        play.world.server.call("grants.ack", external_id=player.external_id, grant_id=given["grantId"])


def _buy(play: Play, player: WorldPlayer, transaction: str) -> None:
    currency, amount = play.chance.choice(_PRICES)
    bought = {
        "store": play.chance.choice(_STORES), "transaction_id": transaction, "product_type": "consumable",
        "product_id": play.chance.choice(("gems-500", "starter-pack", "pack <b>\u05e9</b>")), "amount_minor": amount,
        "currency": currency,
    }  # fmt: skip
    player.call("purchases.track", **bought)
    if play.below(2):
        play.world.server.call(
            "purchases.track", external_id=player.external_id, **bought, validation_status="verified"
        )
