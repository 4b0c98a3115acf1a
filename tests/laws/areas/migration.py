"""Moving players in: each row is a small request of its own, which fails, or applies once for good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

import attrs

from tests.laws.area import Area, Operation
from tests.laws.areas.economy import Holdings, change_event, is_kept, is_platform, items_of, kinds_of
from tests.laws.areas.players import Profile
from tests.laws.drawing import DAY_MS, MOST, NOBODY, Draw
from tests.laws.model_state import SYSTEM_KEYS, Asset, Call, Player, Refused, Reply, stamp
from tests.laws.routes import Body
from tests.laws.steps import Step

_NEWCOMERS: Final = ("eve", "fay")
"""Players whom only rows of another backend bring."""


@attrs.define
class _Migrated:
    """What rows of each migration route said, by their keys."""

    rows: dict[tuple[str, str], str] = attrs.field(factory=dict)


_Rule = Callable[[Call, Body], list[str]]


def _invalid() -> Refused:
    return Refused(400, "validation_failed")


def _first_contact(call: Call, name: str) -> tuple[Player, list[str]]:
    known = call.scope.players.get(name)
    if known is not None:
        return known, []
    player = call.scope.players[name] = Player(name, call.now, last_seen=call.now)
    return player, ["player.registered"]


def _player(call: Call, row: Body) -> list[str]:
    known = call.scope.players.get(row["externalPlayerId"])
    told = None if "firstSeenAt" not in row else stamp(row["firstSeenAt"])
    if row.get("name") == "" or (told is not None and told > (known.last_seen if known else call.now)):
        raise _invalid()
    player, events = _first_contact(call, row["externalPlayerId"])
    player.first_seen = player.first_seen if told is None else told
    if "name" in row:
        player.part(Profile).name = row["name"]
    return events


def _balance(call: Call, row: Body) -> list[str]:
    if row["economyKey"] in SYSTEM_KEYS:
        raise Refused(409, "system_resource_locked")
    if row["economyKey"] not in kinds_of(call.scope):
        raise Refused(404, "economy_key_not_found")
    return _add(call, row, ("currency", row["economyKey"]), row["amount"])


def _item(call: Call, row: Body) -> list[str]:
    if row["itemKey"] not in items_of(call.scope):
        raise Refused(404, "item_not_found")
    return _add(call, row, ("item", row["itemKey"]), row["quantity"])


def _add(call: Call, row: Body, asset: Asset, amount: int) -> list[str]:
    if not is_kept(call.scope, asset):
        raise Refused(409, "economy_not_platform_managed")
    known = call.scope.players.get(row["externalPlayerId"])
    if known is not None and known.part(Holdings).amount(asset) + amount > MOST:
        raise Refused(409, "balance_overflow")
    player, events = _first_contact(call, row["externalPlayerId"])
    player.part(Holdings).add(asset, amount, row.get("parameters"))
    return [*events, *([change_event(asset)] if is_platform(call.scope) else [])]


def _apply(call: Call, route: str, rule: _Rule, row: Body) -> tuple[Literal["applied", "replayed"], list[str]]:
    name = row["externalPlayerId"]
    if not name or name.startswith(("__merged_", "__deleted_")):
        raise _invalid()
    if any(not 1 <= row[amount] <= MOST for amount in ("amount", "quantity") if amount in row):
        raise _invalid()
    if row.get("name") == "":
        raise _invalid()
    print_ = json.dumps(row, sort_keys=True)
    known = call.scope.part(_Migrated).rows.get((route, row["idempotencyKey"]))
    if known not in {None, print_}:
        raise Refused(409, "idempotency_conflict")
    if known is not None:
        return "replayed", []
    events = rule(call, row)
    call.scope.part(_Migrated).rows[route, row["idempotencyKey"]] = print_
    return "applied", events


def _migrate(route: str, rule: _Rule) -> Callable[[Call], Reply]:
    def migrate(call: Call) -> Reply:
        counts = {"received": len(call["rows"]), "applied": 0, "replayed": 0, "failed": 0}
        failures: list[tuple[int, str, str]] = []
        told: list[str] = []
        for index, row in enumerate(call["rows"]):
            try:
                outcome, events = _apply(call, route, rule, row)
            except Refused as refused:
                counts["failed"] += 1
                failures.append((index, row["idempotencyKey"], refused.code))
            else:
                counts[outcome] += 1
                told += events

        def check(data: Body) -> None:
            assert {name: data[name] for name in counts} == counts
            assert [(row["index"], row["idempotencyKey"], row["code"]) for row in data["failures"]] == failures

        moves = [f"row: {name}" for name in ("applied", "replayed") if counts[name]]
        moves += [f"row: failed as {code}" for _, _, code in failures]
        return Reply(200, tuple(told) if call["emitWebhooks"] else (), check, "; ".join(moves))

    return migrate


def _is_empty(call: Call) -> bool:
    return not call["rows"]


# -- scenes ---------------------------------------------------------------------------------------------------------------


def _move_in(d: Draw) -> Iterator[Step]:
    """Some rows of one kind, which may fail one by one, and which are often sent again."""
    kind = d.of("players", "wallet", "inventory")
    rows = [_ROWS[kind](d) for _ in range(1 + d.chance.below(4))]
    told = {"emitWebhooks": True} if d.one_in(3) else {}
    if d.one_in(9):
        rows = []
    for _ in range(1 + d.one_in(3)):
        yield d.call(f"server:migrate.{kind}", NOBODY, key=d.key(), rows=rows, **told)


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
        row["firstSeenAt"] = f"@in:{d.of(-100 * DAY_MS - 7, -100 * DAY_MS - 7, DAY_MS)}"
    if d.one_in(12):
        row["externalPlayerId"] = d.of("__merged_x__", "")
    return row


def _wallet_row(d: Draw) -> dict[str, Any]:
    key = d.of("doubloons", "sessions") if d.one_in(6) else d.of("gold", "gold", "gems", "xp")
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


AREA: Final = Area(
    operations=(
        Operation(
            "server:migrate.players",
            _migrate("players", _player),
            about="nobody",
            faults=_is_empty,
            refuses="validation_failed",
        ),
        Operation(
            "server:migrate.wallet",
            _migrate("wallet", _balance),
            about="nobody",
            faults=_is_empty,
            refuses="validation_failed",
        ),
        Operation(
            "server:migrate.inventory",
            _migrate("inventory", _item),
            about="nobody",
            faults=_is_empty,
            refuses="validation_failed",
        ),
    ),
    transitions=(
        "row: applied",
        "row: replayed",
        "row: failed as balance_overflow",
        "row: failed as economy_key_not_found",
        "row: failed as economy_not_platform_managed",
        "row: failed as idempotency_conflict",
        "row: failed as item_not_found",
        "row: failed as system_resource_locked",
        "row: failed as validation_failed",
    ),
    broad_scenes=((10, _move_in),),
)
