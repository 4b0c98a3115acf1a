"""A season of the demo game as a list of moves from a seed, and what is seen of it: every answer, and every event."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

from livecore import World
from livecore.economy.rows import RewardEntry
from livecore.errors.families import ApiError
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.wire import compact
from livecore.world import Caller

NAMES: Final = ("ada", "bo", "cleo", "dara", "eli")
BYSTANDER: Final = "zed"
"""A player with whom the others have nothing to do."""
_CRATE: Final = RewardEntry(type="crate", resource_key="starter-chest", amount=1)
GOLD: Final = RewardEntry(type="currency", resource_key="gold", amount=3)


class Seen(list[tuple[str, int, str]]):
    """What was asked, with the status and the JSON of each answer."""

    typed = False
    """Whether it is asked by `try_call`, and not by requests in the form of HTTP."""


Move: TypeAlias = Callable[[World, Seen], None]


def ask(seen: Seen, caller: Caller, name: str, /, **arguments: Any) -> JsonObject:  # noqa: ANN401 - of any operation
    """Call an operation, whatever comes of it, and note the answer."""
    asked = f"{caller.external_id or caller.surface} {name}"
    status, body = _tried(caller, name, arguments) if seen.typed else _requested(caller, name, arguments)
    seen.append((asked, status, body))
    data = json.loads(body).get("data", {})
    return data if isinstance(data, dict) else {}


def _requested(caller: Caller, name: str, arguments: Mapping[str, Any]) -> tuple[int, str]:
    response = caller.world.handle(caller.request(name, **arguments))
    return response.status, response.body.decode()


def _tried(caller: Caller, name: str, arguments: Mapping[str, Any]) -> tuple[int, str]:
    try:
        result = caller.try_call(name, **arguments)
    except ApiError as mistake:
        return mistake.status, _error(mistake)
    if result.refusal is not None:
        return result.status, _error(result.refusal)
    return result.status, compact({"data": result.data})


def _error(refusal: ApiError) -> str:
    details: Json = dict(refusal.details)
    error: JsonObject = {"code": refusal.code, "message": refusal.message}
    return compact({"error": {**error, "details": details} if details else error})


def begin(world: World, seen: Seen) -> None:
    """Register everybody, make friends of neighbours, and give each some gold and eight crates."""
    for name in (*NAMES, BYSTANDER):
        world.player(name)
        world.server.wallet.credit(name, "gold", amount=500)
        for number in range(8):
            world.server.grants.create(name, entries=[_CRATE], kind="crate", idempotency_key=f"{name} {number}")
    for name, other in pairwise(NAMES):
        ask(seen, world.player(name), "friends.sendRequest", external_player_id=other)
        ask(seen, world.player(other), "friends.sendRequest", external_player_id=name)


def moves(seed: int, length: int) -> list[Move]:
    """The moves of this seed. Each refers to what there is when it is made."""
    chance = Entropy(derive_seed(b"moves", "season", seed))
    kinds = (_claim, _open_crate, _gift, _race, _enter_arena, _wait, _spend, _found_guild, _look, _at_work)
    return [kinds[chance.below(len(kinds))](chance) for _ in range(length)]


def _who(chance: Entropy) -> str:
    return chance.choice(NAMES)


def _claim(chance: Entropy) -> Move:
    name = _who(chance)

    def move(world: World, seen: Seen) -> None:
        pending: Any = ask(seen, world.player(name), "grants.listPending").get("grants", ())
        for grant in pending:
            if grant["kind"] == "reward":
                ask(seen, world.player(name), "grants.claim", grant_id=grant["grantId"])

    return move


def open_crate(world: World, seen: Seen, name: str) -> None:
    """Open the first crate of a player, if there is one."""
    crates: Any = ask(seen, world.player(name), "crates.list")["crates"]
    for crate in crates[:1]:
        ask(seen, world.player(name), "crates.open", crate_id=crate["crateId"])


def _open_crate(chance: Entropy) -> Move:
    name = _who(chance)
    return lambda world, seen: open_crate(world, seen, name)


def _gift(chance: Entropy) -> Move:
    name, other, amount = _who(chance), _who(chance), 1 + chance.below(20)

    def move(world: World, seen: Seen) -> None:
        gift = {"type": "currency", "resource_key": "gold", "amount": amount}
        ask(seen, world.player(name), "gifts.send", external_player_id=other, **gift)

    return move


def _race(chance: Entropy) -> Move:
    name, points = _who(chance), chance.below(400)

    def move(world: World, seen: Seen) -> None:
        player = world.player(name)
        attempt: Any = ask(seen, player, "events.start", key="daily-dash").get("attempt")
        if attempt:
            ask(
                seen, player, "events.progress",
                key="daily-dash", attempt_id=attempt["attemptId"], metrics={"points": points},
            )  # fmt: skip

    return move


def _enter_arena(chance: Entropy) -> Move:
    name = _who(chance)
    return lambda world, seen: nothing(ask(seen, world.player(name), "events.start", key="arena"))


def _wait(chance: Entropy) -> Move:
    minutes = chance.choice((0.1, 1, 5, 300, 2_000))
    return lambda world, _: nothing(world.advance(minutes=minutes))


def _spend(chance: Entropy) -> Move:
    name, amount = _who(chance), 1 + chance.below(50)
    return lambda world, seen: nothing(ask(seen, world.player(name), "wallet.debit", economy_key="gold", amount=amount))


def _found_guild(chance: Entropy) -> Move:
    name = _who(chance)
    return lambda world, seen: nothing(ask(seen, world.player(name), "guilds.create", name=f"Guild of {name}"))


def _look(chance: Entropy) -> Move:
    name, what = _who(chance), chance.choice(("friends.getCode", "friends.list", "wallet.get", "players.getProfile"))
    return lambda world, seen: nothing(ask(seen, world.player(name), what))


def _at_work(chance: Entropy) -> Move:
    name, label = _who(chance), chance.choice(("", "raffle"))

    def move(world: World, seen: Seen) -> None:
        drawn = world.unit_of_work(lambda unit: unit.entropy.bytes(8).hex(), label=label)
        seen.append((f"unit of work {label}", 0, drawn))
        seen.append(("a session", 0, str(world.operator("sam@example.com").headers)))
        given = world.server.grants.create(name, entries=[GOLD]).grant
        seen.append(("a grant without a key of one's own", 0, given.grant_id))

    return move


def nothing(_: object) -> None:
    """Nothing, of whatever a move answers."""


def events_of(world: World) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Everything that was emitted, but for what is about the bystander."""
    return [
        (event.at.wire, event.environment, event.data)
        for event in world.events
        if BYSTANDER not in json.dumps(event.data)
    ]
