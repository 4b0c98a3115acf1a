"""Further scenes: what a studio's people do about players as a whole, and what players buy.

Support bans, marks debug accounts, looks players up, merges and exports; the data protection officer erases; finance reads
what was bought; another backend's players move in. Whoever is merged away or erased mostly registers anew, as somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.laws.scenes import MOST, PLAYERS, STRANGER, Deck, Draw
from tests.laws.steps import Step, Wait

__all__ = ["AT_THE_DESK"]

_DAY_MS: Final = 86_400_000
_PAST_THE_LIFE_OF_GIFTS: Final = 2 * _DAY_MS
_GAME: Final = "(the game)"
"""Instead of a player, where a request is about none."""
_WHOSE: Final = ("server:players.get", "server:players.export", "server:purchases.list", "server:spend.get")
_NEWCOMERS: Final = ("eve", "fay")
"""Players whom only rows of another backend bring."""

# -- support --------------------------------------------------------------------------------------------------------------


def _ban(d: Draw) -> Iterator[Step]:
    """A ban, what the banned player tries and what others do with them, and mostly its end."""
    player, other = d.two()
    reason = {} if d.one_in(15) else {"reason": d.of("cheating", "abuse")}
    yield d.call("server:players.ban", player, key=d.key(), **reason)
    if d.one_in(3):
        yield d.call("server:players.ban", player, key=d.key(), reason="again")
    yield from d.of(_banned_plays, _banned_is_met)(d, player, other)
    for _ in range(d.of(0, 1, 1, 1, 2)):
        yield d.call("server:players.unban", player, key=d.key())


def _banned_plays(d: Draw, player: str, other: str) -> Iterator[Step]:
    yield d.of(
        d.call("sdk:players.register", player, force=True),
        d.call("sdk:players.register", player),
        d.call("sdk:wallet.debit", player, key=d.key(), economyKey="gold", amount=1),
        d.call("sdk:friends.sendRequest", player, key=d.key(), externalPlayerId=other),
        d.call("sdk:gifts.claim", player, key=d.key(), giftId=d.ref("gift")),
        d.call("sdk:presence.heartbeat", player),
    )
    yield d.call("sdk:purchases.track", player, key=d.key(), **_purchase(d))
    yield d.call("sdk:wallet.get", player)


def _banned_is_met(d: Draw, player: str, other: str) -> Iterator[Step]:
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=player)
    yield d.call("sdk:gifts.send", other, type="item", resourceKey="sword", amount=1, externalPlayerId=player)
    yield d.call("sdk:friends.search", other, q=d.of("le", "da", "ca"))
    yield d.call("sdk:friends.suggestions", other)
    yield d.call("server:grants.ack", player, key=d.key(), grantId=d.ref("grant"))


def _debug(d: Draw) -> Iterator[Step]:
    player = d.one()
    reason = {"reason": "a tester's account"} if d.one_in(2) else {}
    for _ in range(1 + d.one_in(3)):
        yield d.call("server:players.flagDebug", player, key=d.key(), **reason)
    if d.one_in(2):
        yield from _figures(d)
    for _ in range(d.of(0, 1, 1, 2)):
        yield d.call("server:players.unflagDebug", player, key=d.key())


def _look(d: Draw) -> Iterator[Step]:
    player = d.of("nobody", STRANGER) if d.one_in(12) else d.one()
    for _ in range(2):
        name = d.of(*_WHOSE)
        arguments: dict[str, Any] = {}
        if name == "server:players.get" and d.one_in(2):
            arguments["limit"] = d.of(1, 2, 200, 201)
        if name == "server:spend.get" and not d.one_in(4):
            arguments["windows"] = [0] if d.one_in(10) else [1, 7, 30]
        if name == "server:players.export" and d.one_in(10):
            arguments["cursor"] = "here"
        yield d.call(name, player, **arguments)


def _merge(d: Draw) -> Iterator[Step]:
    """One player is folded into another, perhaps twice, and perhaps comes back as somebody new."""
    one, other = d.two()
    if d.one_in(10):
        other = d.of(one, "nobody")
    if d.one_in(4):
        yield d.call(d.of("server:players.ban", "server:players.flagDebug"), one, reason="before the merge")
    key = d.key()
    for _ in range(1 + d.one_in(2)):
        yield d.call("server:players.merge", one, key=key, toExternalId=other)
    yield from _come_back(d, one)
    if d.one_in(4):
        yield d.call("server:players.unban", other)


def _gift_to_oneself(d: Draw) -> Iterator[Step]:
    """A gift whose two sides become one player, who may claim it, or let its time pass, or be erased."""
    one, other = d.two()
    yield from _friends(d, one, other)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=30)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=20, externalPlayerId=other)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.of(
        d.call("sdk:gifts.claim", other, giftId="@gift:-1"),
        d.call("server:players.erase", other),
        d.call("sdk:gifts.inbox", other),
        d.call("sdk:gifts.sent", other),
    )
    yield from _come_back(d, one)


def _overflow(d: Draw) -> Iterator[Step]:
    """Two balances that have no room in one, and a row that has none either."""
    one, other = d.two()
    for player in (one, other):
        yield d.call("server:wallet.credit", player, economyKey="gems", amount=MOST)
    yield d.call("server:players.merge", one, toExternalId=other)
    row = {"idempotencyKey": f"o{d.chance.below(2**40)}", "externalPlayerId": one, "economyKey": "gems", "amount": 1}
    yield d.call("server:migrate.wallet", _GAME, rows=[row, {**row, "amount": MOST}])
    for player in (one, other):
        yield d.call("server:wallet.debit", player, economyKey="gems", amount=MOST - 100)


def _erase(d: Draw) -> Iterator[Step]:
    """Somebody is erased, perhaps twice, perhaps amid gifts; mostly the id is registered anew."""
    player = d.of("nobody", STRANGER) if d.one_in(12) else d.one()
    other = d.of(*(name for name in PLAYERS if name != player))
    if d.one_in(2):
        yield from _friends(d, player, other)
        sender, recipient = d.of((player, other), (player, other), (other, player))
        yield d.call("server:inventory.grant", sender, itemKey="potion", quantity=2)
        yield d.call("sdk:gifts.send", sender, type="item", resourceKey="potion", amount=1, externalPlayerId=recipient)
    reason = {"reason": d.of("gdpr_erasure", "test", "boredom")} if d.one_in(2) else {}
    key = d.key()
    for _ in range(1 + d.one_in(2)):
        yield d.call("server:players.erase", player, key=key, **reason)
    if d.one_in(6):
        yield d.call("server:players.merge", other, toExternalId=player)
    if d.one_in(2):
        yield Wait(_PAST_THE_LIFE_OF_GIFTS)
    if player in PLAYERS:
        yield from _come_back(d, player)


def _friends(d: Draw, one: str, other: str) -> Iterator[Step]:
    for name in (one, other):
        yield d.call("sdk:players.register", name)
    yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)


def _come_back(d: Draw, player: str) -> Iterator[Step]:
    if d.one_in(5):
        yield d.call("sdk:friends.list", player)
        return
    for _ in range(2):
        yield d.call("sdk:players.register", player, key=f"the first start of {player}")
    yield d.call("sdk:friends.getCode", player)


# -- what is bought -------------------------------------------------------------------------------------------------------


def _purchase(d: Draw) -> dict[str, Any]:
    """A purchase, its transaction often one that is met again."""
    bought: dict[str, Any] = {
        "transactionId": f"t{d.chance.below(2**40) if d.one_in(2) else d.chance.below(20)}",
        "store": d.of("app_store", "google_play"),
        "productId": d.of("gems", "gems", "skin", "pass"),
        "productType": "consumable",
        "amountMinor": d.of(0, 99, 99, 499, 1999, 12_345),
        "currency": d.of("USD", "USD", "EUR", "JPY", "KWD"),
    }
    if d.one_in(4):
        bought["purchasedAt"] = f"@in:{d.of(-40, -29, -2, -1, 0, 1, 2) * _DAY_MS - d.of(0, 5)}"
    if d.one_in(3):
        bought["metadata"] = {"shop": d.of("start", "event"), "sale": True}
    return bought


def _buy(d: Draw) -> Iterator[Step]:
    """A purchase, which the backend verifies or others report as well, as it was or otherwise."""
    player, other = d.two()
    bought = _purchase(d)
    if d.one_in(12):
        bought |= d.of({"currency": "GBP"}, {"currency": "gbp"}, {"amountMinor": -1}, {"amountMinor": MOST})
    surfaces = ("sdk:purchases.track", "server:purchases.track")
    yield d.call(d.of(*surfaces), player, key=d.key(), **bought)
    if d.one_in(2):
        status: dict[str, Any] = {"validationStatus": d.of("verified", "verified", "unverified")}
        if status["validationStatus"] == "verified":
            status |= d.of({}, {"purchasedAt": f"@in:{-3 * _DAY_MS}"}, {"metadata": {"order": 7}})
        yield d.call("server:purchases.track", player, key=d.key(), **{**bought, **status})
    if d.one_in(3):
        changes = d.of({}, {"amountMinor": 7}, {"productId": "skin"}, {"metadata": {"shop": "other"}})
        yield d.call(d.of(*surfaces), d.of(player, other), key=d.key(), **{**bought, **changes})
    if d.one_in(3):
        yield d.call(d.of("server:purchases.list", "server:spend.get"), player)


def _fortune(d: Draw) -> Iterator[Step]:
    """More than can be added up: by one player, and by two who are to become one."""
    one, other = d.two()
    spent: dict[str, Any] = {
        "store": "dev",
        "productId": "moon",
        "productType": "permanent",
        "currency": "USD",
        "amountMinor": MOST,
    }
    surface = d.of("sdk:purchases.track", "server:purchases.track")
    for player in (one, one, other):
        yield d.call(surface, player, transactionId=f"f{d.chance.below(2**40)}", **spent)
    yield d.call("server:players.merge", one, toExternalId=other)
    yield d.call("server:players.erase", one)
    yield from _come_back(d, one)


def _figures(d: Draw) -> Iterator[Step]:
    """Finance reads."""
    spenders: dict[str, Any] = {}
    if d.one_in(2):
        spenders["windowDays"] = d.of(1, 7, 30)
    if d.one_in(2):
        spenders["minAmountMinor"] = d.of(0, 100, 2_000)
    if d.one_in(3):
        spenders |= {"limit": d.of(1, 2), "offset": d.of(0, 1, 2)}
    if d.one_in(12):
        spenders["offset"] = -1
    yield d.call("server:spend.listPlayers", _GAME, **spenders)
    days: dict[str, Any] = d.of({}, {}, {"from": "2026-02-20"}, {"from": "2026-02-01", "to": "2026-03-05"})
    if d.one_in(10):
        days = {"from": "2026-03-05", "to": "2026-03-05"}
    yield d.call("server:spend.summary", _GAME, **days)


# -- moving in ------------------------------------------------------------------------------------------------------------


def _move_in(d: Draw) -> Iterator[Step]:
    """Some rows of one kind, which may fail one by one, and which are often sent again."""
    kind = d.of("players", "wallet", "inventory")
    rows = [_ROWS[kind](d) for _ in range(1 + d.chance.below(4))]
    told = {"emitWebhooks": True} if d.one_in(3) else {}
    if d.one_in(12):
        rows = []
    for _ in range(1 + d.one_in(3)):
        yield d.call(f"server:migrate.{kind}", _GAME, key=d.key(), rows=rows, **told)


def _row(d: Draw) -> dict[str, Any]:
    number = d.chance.below(2**40) if d.one_in(2) else d.chance.below(12)
    return {
        "idempotencyKey": f"r{number}",
        "externalPlayerId": d.of(*_NEWCOMERS) if d.one_in(3) else d.one(),
    }


def _player_row(d: Draw) -> dict[str, Any]:
    row = _row(d)
    if d.one_in(2):
        row["name"] = d.of("Eve Leigh", "Fay Dale", "", None)
    if d.one_in(3):
        row["firstSeenAt"] = f"@in:{d.of(-100 * _DAY_MS - 7, -100 * _DAY_MS - 7, _DAY_MS)}"
    if d.one_in(12):
        row["externalPlayerId"] = d.of("__merged_x__", "")
    return row


def _wallet_row(d: Draw) -> dict[str, Any]:
    key = d.of("doubloons", "sessions") if d.one_in(8) else d.of("gold", "gold", "gems", "xp")
    return {**_row(d), "economyKey": key, "amount": d.of(MOST, 0) if d.one_in(10) else 1 + d.chance.below(50)}


def _inventory_row(d: Draw) -> dict[str, Any]:
    item = "anvil" if d.one_in(8) else d.of("potion", "sword")
    parameters = {"parameters": {"colour": d.of("red", "green")}} if d.one_in(3) else {}
    quantity = d.of(MOST, 0) if d.one_in(10) else 1 + d.chance.below(9)
    return {**_row(d), "itemKey": item, "quantity": quantity, **parameters}


_ROWS: Final[dict[str, Callable[[Draw], dict[str, Any]]]] = {
    "players": _player_row,
    "wallet": _wallet_row,
    "inventory": _inventory_row,
}

_SCENES: Final[tuple[tuple[int, Callable[[Draw], Iterator[Step]]], ...]] = (
    (5, _ban),
    (4, _debug),
    (5, _look),
    (5, _merge),
    (1, _gift_to_oneself),
    (1, _overflow),
    (4, _erase),
    (10, _buy),
    (1, _fortune),
    (3, _figures),
    (8, _move_in),
)
AT_THE_DESK: Final[Deck] = tuple(kind for weight, kind in _SCENES for _ in range(weight))
"""Every kind of scene, as often as it is to be drawn."""
