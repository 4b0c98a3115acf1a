"""Scenes: a few steps that belong together, drawn from chance. Half of them make sense; the others are wrong in some way.

Bad targets, wrong secrets, old keys, ids of other scopes, amounts at the edge, and idempotency keys that were used before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import attrs

from livecore.kernel.entropy import Entropy
from tests.laws.games import Place
from tests.laws.routes import REPEATABLE, ROUTES
from tests.laws.steps import Again, Call, RotateKey, Step, Switch, Wait

__all__ = ["DECK", "MOST", "PLAYERS", "STRANGER", "Deck", "Draw"]

PLAYERS: Final = ("ann", "bob", "cat", "dan")
STRANGER: Final = "zoe"
"""A player who never registers, though the studio may grant her something."""
MOST: Final = 2**53 - 1

# -- drawing --------------------------------------------------------------------------------------------------------------

_WAITS: Final = (1, 1_000, 30_000, 91_000, 1_800_000, 3_600_000, 3_600_000, 43_200_000, 86_400_000)
_LONG_WAIT: Final = 8 * 86_400_000
_PAST_THE_GRACE_OF_KEYS: Final = 61 * 86_400_000
_RESOURCES: Final = (
    ("currency", "gold", 100),
    ("currency", "gold", 100),
    ("item", "potion", 5),
    ("currency", "xp", 50),
    ("item", "sword", 2),
    ("currency", "gems", 5),
)
_WITH_PROGRESSION: Final = {
    "sdk:friends.list", "sdk:friends.search", "sdk:friends.getCode", "sdk:friends.suggestions", "server:friends.list",
}  # fmt: skip
_CURRENCIES: Final = ("gold", "gold", "gold", "gems", "xp")


@attrs.frozen
class Draw:
    """Everything that a scene leaves to chance."""

    chance: Entropy
    place: Place

    def one_in(self, number: int) -> bool:
        """True once in so many draws."""
        return self.chance.below(number) == 0

    def of(self, *choices: Any) -> Any:  # noqa: ANN401 - whatever the choices are
        """One of the choices, each as likely as any other."""
        return choices[self.chance.below(len(choices))]

    def one(self) -> str:
        """A player; the last one, who may not have registered yet, more seldom."""
        return PLAYERS[-1] if self.one_in(9) else PLAYERS[self.chance.below(len(PLAYERS) - 1)]

    def two(self) -> tuple[str, str]:
        """Two different players."""
        first, second = self.one(), self.one()
        return (first, second) if first != second else self.two()

    def key(self) -> str | None:
        """Often none or one of its own, else one from a small stock that is met again, mostly with another body."""
        if self.one_in(3):
            return None
        return f"k{self.chance.below(9)}" if self.one_in(4) else f"u{self.chance.below(2**40)}"

    def amount(self) -> int:
        """Amounts of everyday, and now and then one at the edge of what a balance holds."""
        return int(self.of(MOST, MOST - 10, 1)) if self.one_in(12) else 1 + self.chance.below(200)

    def ref(self, kind: str) -> str:
        """One of the latest objects of a kind, seldom one of another scope, or none at all."""
        if self.one_in(12):
            return f"@foreign-{kind}:{self.chance.below(50)}"
        return f"@{kind}:{-1 - self.chance.below(3)}"

    def call(self, name: str, player: str, /, *, key: str | None = None, **arguments: object) -> Call:
        """A call, now and then with credentials that do not fit."""
        call = Call(self.place, name, player, arguments, key if name in REPEATABLE else None)
        if self.one_in(40):
            call = attrs.evolve(call, secret=self.of("stale", "another's", "none"))
        if self.one_in(40):
            call = attrs.evolve(
                call, api_key=self.of("older", "older", "of the other surface", "of the other environment")
            )
        return call

    def target(self, other: str) -> dict[str, Any]:
        """Somebody, by friend code or by id, and seldom nobody."""
        if self.one_in(25):
            return {"friendCode": "AAAAAA"}
        if self.one_in(25):
            return {"externalPlayerId": "nobody"}
        return {"friendCode": f"@code:{other}"} if self.one_in(3) else {"externalPlayerId": other}


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _register(d: Draw) -> Iterator[Step]:
    player = d.one()
    force: dict[str, Any] = {"force": True} if d.one_in(2) else {}
    yield d.call("sdk:players.register", player, **force)
    yield d.call("sdk:friends.getCode", player)


def _befriend(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.sendRequest", one, key=d.key(), **d.target(other))
    if d.one_in(3):
        yield d.call("sdk:friends.sendRequest", other, key=d.key(), **d.target(one))
    else:
        yield d.call("sdk:friends.acceptRequest", other, key=d.key(), requestId="@request:-1")


def _ask(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    if d.one_in(2):
        yield d.call("sdk:friends.remove", one, friendExternalId=other)
    yield d.call("sdk:friends.sendRequest", one, key=d.key(), **d.target(one if d.one_in(15) else other))
    verb = d.of("accept", "decline", "cancel", "cancel")
    if not d.one_in(4):
        yield d.call(f"sdk:friends.{verb}Request", one if verb == "cancel" else other, requestId="@request:-1")


def _answer(d: Draw) -> Iterator[Step]:
    verb = d.of("accept", "decline", "cancel")
    yield d.call(f"sdk:friends.{verb}Request", d.one(), key=d.key(), requestId=d.ref("request"))


def _popular(d: Draw) -> Iterator[Step]:
    """One player has to do with all others, so that the limits of a social graph are met."""
    one = d.one()
    name = d.of("sdk:friends.sendRequest", "sdk:friends.sendRequest", "sdk:friends.block")
    for other in PLAYERS:
        if other != one:
            yield d.call("sdk:friends.remove", one, friendExternalId=other)
    for other in PLAYERS:
        if other != one:
            yield d.call(name, one, externalPlayerId=other)
            if d.one_in(4):
                yield d.call("sdk:friends.acceptRequest", other, requestId="@request:-1")
    for other in PLAYERS:
        if name == "sdk:friends.block" and other != one:
            yield d.call("sdk:friends.unblock", one, blockedExternalId=other)


def _part(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.remove", one, key=d.key(), friendExternalId=d.of(other, other, other, one, "nobody"))


def _block(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.call("sdk:friends.block", one, key=d.key(), **d.target(one if d.one_in(10) else other))
    if d.one_in(3):
        yield d.call("sdk:friends.block", one, **d.target(other))
    if d.one_in(3):
        yield d.call("sdk:friends.sendRequest", other, **d.target(one))
    if not d.one_in(3):
        yield d.call("sdk:friends.unblock", one, key=d.key(), blockedExternalId=d.of(other, other, other, "nobody"))


def _ill_formed(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield d.of(
        d.call("sdk:friends.sendRequest", one, friendCode="AAAAAA", externalPlayerId=other),
        d.call("sdk:friends.block", one),
        d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=1),
        d.call(
            "sdk:gifts.send", one, externalPlayerId=one, friendCode="A", type="item", resourceKey="potion", amount=1
        ),
        d.call("sdk:gifts.send", one, externalPlayerId=other, type="currency", resourceKey="gold", amount=True),
        d.call("sdk:wallet.debit", one, economyKey="gold", amount=0),
        d.call("server:wallet.credit", one, economyKey="gold", amount=MOST + 1),
        d.call("server:inventory.grant", one, itemKey="potion", quantity=-1),
        d.call("sdk:friends.list", one, progression=["gold", "doubloons"]),
        d.call("sdk:friends.search", one, q="a"),
        d.call("sdk:gifts.inbox", one, limit=201),
        d.call("sdk:players.setIdentity", one, name=""),
    )


def _gift(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    if d.one_in(2):
        yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
        yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    kind, resource, most = _RESOURCES[d.chance.below(len(_RESOURCES))]
    if resource == "gold" and not d.one_in(4):
        yield d.call("server:wallet.credit", one, key=d.key(), economyKey="gold", amount=150)
    if resource == "potion" and not d.one_in(4):
        yield d.call("server:inventory.grant", one, key=d.key(), itemKey="potion", quantity=6)
    amount = d.of(0, -1, most + 1) if d.one_in(12) else 1 + d.chance.below(most)
    if d.one_in(15):
        resource = d.of("doubloons", "sessions")
    message = {"message": "For you"} if d.one_in(2) else {}
    to = d.target(one if d.one_in(20) else other)
    yield d.call("sdk:gifts.send", one, key=d.key(), type=kind, resourceKey=resource, amount=amount, **to, **message)
    if d.one_in(3):
        yield from _claim_of(d, other, "@gift:-1", "@grant-of-gift:-1")


def _generous(d: Draw) -> Iterator[Step]:
    """Gift after gift to the same two friends: cooldown and daily limit."""
    one = d.one()
    others = [name for name in PLAYERS if name != one][:2]
    for other in others:
        yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
        yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    for _ in range(3):
        for other in others:
            kind, resource = d.of(("currency", "xp"), ("item", "sword"), ("item", "potion"))
            yield d.call("sdk:gifts.send", one, type=kind, resourceKey=resource, amount=1, externalPlayerId=other)
        yield Wait(d.of(3_599_999, 3_600_000))


def _brim(d: Draw) -> Iterator[Step]:
    """A paid gift that comes back to a sender whose purse is full."""
    one, other = PLAYERS[-1], d.of(*PLAYERS[:-1])
    yield d.call("sdk:players.register", one)
    yield d.call("sdk:friends.sendRequest", one, externalPlayerId=other)
    yield d.call("sdk:friends.sendRequest", other, externalPlayerId=one)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=50)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="gold", amount=50, externalPlayerId=other)
    yield d.call("server:wallet.credit", one, economyKey="gold", amount=d.of(MOST, MOST - 49, MOST - 50))
    yield Wait(172_800_000)
    yield d.call("sdk:gifts.claim", other, giftId="@gift:-1")
    yield d.call("server:wallet.debit", one, economyKey="gold", amount=MOST - 200)
    yield Wait(3_600_000)


def _claim_of(d: Draw, player: str, gift: str, grant: str) -> Iterator[Step]:
    if d.one_in(10):
        yield Wait(172_800_000)
    yield d.of(
        d.call("sdk:gifts.claim", player, key=d.key(), giftId=gift),
        d.call("sdk:gifts.claim", player, giftId=gift),
        d.call("sdk:grants.claim", player, key=d.key(), grantId=grant),
        d.call("server:grants.ack", player, key=d.key(), grantId=grant),
    )


def _claim(d: Draw) -> Iterator[Step]:
    yield from _claim_of(d, d.one(), d.ref("gift"), d.ref(d.of("grant", "grant-of-gift")))


def _grant(d: Draw) -> Iterator[Step]:
    player = STRANGER if d.one_in(20) else d.one()
    entries = [_entry(d) for _ in range(1 + d.chance.below(3))]
    extra: dict[str, Any] = {}
    if d.one_in(3):
        extra["expiresAt"] = f"@in:{d.of(0, 1_000, 3_600_000, 172_800_000)}"
    if d.one_in(4):
        extra |= {"metadata": {"season": 4}, "sourceRefId": "season-4", "kind": "crate"}
    yield d.call("server:grants.create", player, key=d.key() or f"g{d.chance.below(2**40)}", entries=entries, **extra)
    if "expiresAt" in extra and d.one_in(3):
        yield Wait(172_800_000)
    if d.one_in(3):
        yield d.call("sdk:grants.claim", player, key=d.key(), grantId="@grant:-1")
    if d.one_in(2):
        yield d.call("server:grants.ack", player, key=d.key(), grantId="@grant:-1")


def _entry(d: Draw) -> dict[str, object]:
    if d.one_in(25):
        return {"type": "currency", "resourceKey": d.of("doubloons", "sessions"), "amount": 1}
    kind, key = d.of(("currency", "gold"), ("currency", "xp"), ("item", "potion"), ("item", "sword"))
    return {"type": kind, "resourceKey": key, "amount": d.amount()}


def _wallet(d: Draw) -> Iterator[Step]:
    name = d.of("server:wallet.credit", "server:wallet.credit", "server:wallet.debit", "sdk:wallet.debit")
    player = d.one()
    amount = 1 + d.chance.below(30) if name.endswith("debit") and not d.one_in(3) else d.amount()
    key = d.of("doubloons", "sessions", "login_streak") if d.one_in(15) else d.of(*_CURRENCIES)
    reason = {"reason": "because"} if d.one_in(4) else {}
    yield d.call(name, player, key=d.key(), economyKey=key, amount=amount, **reason)


def _items(d: Draw) -> Iterator[Step]:
    name = d.of("server:inventory.grant", "server:inventory.revoke", "sdk:inventory.consume")
    item = "anvil" if d.one_in(20) else d.of("potion", "potion", "sword")
    player = d.one()
    if not name.endswith("grant") and not d.one_in(3):
        yield d.call("server:inventory.grant", player, itemKey=item, quantity=2, parameters={"runes": ["ash"]})
    quantity = d.amount() if name.endswith("grant") or d.one_in(3) else 1
    yield d.call(name, player, key=d.key(), itemKey=item, quantity=quantity)
    if name == "sdk:inventory.consume":
        # What is left of the stack, and what the next one begins with.
        yield d.call(name, player, itemKey=item, quantity=1)
        yield d.call("server:inventory.grant", player, itemKey=item, quantity=1)
        yield d.call("sdk:inventory.get", player)


def _identity(d: Draw) -> Iterator[Step]:
    name = {"name": d.of("Ann Lee", "Lee Bo", "Cat Leeds", "Dana")}
    yield d.call(d.of("sdk:players.setIdentity", "server:players.setIdentity"), d.one(), key=d.key(), **name)
    if d.one_in(2):
        change = d.of({"name": None}, {"avatar": "fox"}, {"country": "NO"}, {"avatar": None, "country": None}, {})
        yield d.call("server:players.setIdentity", d.one(), key=d.key(), **change)


def _beat(d: Draw) -> Iterator[Step]:
    status = d.of({}, {"status": "In the lobby"}, {"status": None})
    yield d.call("sdk:presence.heartbeat", d.one(), **status)


def _read(d: Draw) -> Iterator[Step]:
    names = sorted(name for name, (method, _) in ROUTES.items() if method == "GET")
    name = d.of(*names)
    arguments: dict[str, Any] = {}
    if name == "sdk:friends.search":
        arguments["q"] = d.of("le", "LEE", "da", "ca")
    if name in _WITH_PROGRESSION and d.one_in(2):
        arguments["progression"] = ["gold", "xp"]
    if name in {"sdk:gifts.inbox", "sdk:gifts.sent"} and d.one_in(2):
        arguments["pendingOnly"] = True
    if name == "server:gifts.list":
        arguments["direction"] = d.of("sent", "received")
    player = "nobody" if d.one_in(20) else d.one()
    yield d.call(name, player, **arguments)


def _again(d: Draw) -> Iterator[Step]:
    if d.one_in(3):
        yield Wait(d.of(*_WAITS))
    yield Again(d.chance.below(8))
    yield Again(d.chance.below(30))


def _wait(d: Draw) -> Iterator[Step]:
    yield Wait(_LONG_WAIT if d.one_in(30) else d.of(*_WAITS))


def _secret(d: Draw) -> Iterator[Step]:
    player = d.one()
    yield d.call("server:players.rotateSecret", player)
    yield attrs.evolve(d.call("sdk:wallet.get", player), secret=d.of("own", "stale"))


def _rotate(d: Draw) -> Iterator[Step]:
    yield RotateKey(d.place, d.of("client", "server"))
    if d.one_in(2):
        yield Wait(_PAST_THE_GRACE_OF_KEYS)
    yield attrs.evolve(d.call("sdk:friends.list", d.one()), api_key="older")


def _switch(d: Draw) -> Iterator[Step]:
    one, other = d.two()
    yield Switch(d.place.game, enabled=False)
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1, **d.target(other))
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1, friendCode=f"@code:{one}")
    yield d.call("sdk:gifts.send", one, type="currency", resourceKey="xp", amount=1)
    yield d.call("sdk:gifts.send", one, type="item", resourceKey="x", amount=0, friendCode="A", externalPlayerId=one)
    yield from _claim(d)
    yield d.call("server:gifts.list", one)
    yield Switch(d.place.game, enabled=True)


Deck: TypeAlias = tuple[Callable[[Draw], Iterator[Step]], ...]
"""Kinds of scenes to draw from."""
_SCENES: Final[tuple[tuple[int, Callable[[Draw], Iterator[Step]]], ...]] = (
    (3, _register),
    (10, _befriend),
    (8, _ask),
    (3, _answer),
    (6, _part),
    (3, _popular),
    (4, _block),
    (2, _ill_formed),
    (16, _gift),
    (3, _generous),
    (1, _brim),
    (12, _claim),
    (7, _grant),
    (7, _wallet),
    (5, _items),
    (2, _identity),
    (2, _beat),
    (10, _read),
    (7, _again),
    (14, _wait),
    (1, _secret),
    (1, _rotate),
    (1, _switch),
)
DECK: Final[Deck] = tuple(kind for weight, kind in _SCENES for _ in range(weight))
"""Every kind of scene, as often as it is to be drawn."""
