"""The law: a request changes nothing for those with whom it has nothing to do, wherever in a season it comes.

So two seasons can be compared: what differs between them follows from what was changed, and not from other luck.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from livecore import World
from livecore.api.requests.http import Request
from livecore.demo import DEMO
from tests.world.playing import BYSTANDER, GOLD, NAMES, Move, Seen, ask, begin, events_of, moves, open_crate

_READS: Final = ("gifts.catalog", "gifts.inbox", "friends.getCode", "wallet.get", "players.getProfile", "events.list")
Idle = Callable[[World], object]


def _reading(name: str) -> Idle:
    return lambda world: ask(Seen(), world.player(BYSTANDER), name)


def _unroutable(world: World) -> object:
    return world.handle(Request("GET", "/sdk/v1/no/such/route", headers=world.player("ada").headers))


def _stranger(world: World) -> object:
    return world.handle(Request("GET", "/sdk/v1/players/ada/wallet", headers={"authorization": "Bearer nobody's"}))


def _debit(world: World) -> object:
    return ask(Seen(), world.player(BYSTANDER), "wallet.debit", economy_key="gold", amount=1)


_IDLE: Final[Mapping[str, Idle]] = {
    "a ping": lambda world: ask(Seen(), world.server, "ping"),
    "the odds of a crate": lambda world: ask(Seen(), world.player(BYSTANDER), "crates.odds", key="starter-chest"),
    "a read of the backend": lambda world: ask(Seen(), world.server, "players.get", external_id=BYSTANDER),
    "a read of an operator": lambda world: world.operator("late@example.com").audit.list(limit=1),
    "a route that does not exist": _unroutable,
    "a request without a key": _stranger,
    "somebody else's crate": lambda world: open_crate(world, Seen(), BYSTANDER),
    "somebody else's purchase": _debit,
    "work of another label": lambda world: world.unit_of_work(lambda unit: unit.entropy.bytes(8), label="other"),
    **{f"somebody else's {name}": _reading(name) for name in _READS},
}


def _played(season: list[Move], idle: Mapping[int, str], seed: int = 0) -> tuple[World, Seen]:
    world, seen = World(DEMO, seed=seed), Seen()
    begin(world, seen)
    for at, move in enumerate(season):
        if at in idle:
            _IDLE[idle[at]](world)
        move(world, seen)
    return world, seen


def _rows_of(world: World) -> dict[str, dict[str, list[str]]]:
    """Every row but those about the bystander, whom a row names by the id or by the friend code."""
    player = world.player(BYSTANDER)
    own = (BYSTANDER, player.player_id, player.friends.get_code().friend_code)
    return {
        scope: {
            table: [text for text in map(repr, rows) if not any(name in text for name in own)]
            for table, rows in tables.items()
        }
        for scope, tables in world.store.dump().items()
        if not scope.startswith("directory")
    }


@given(
    seed=st.integers(0, 2**32),
    idle=st.dictionaries(st.integers(0, 59), st.sampled_from(sorted(_IDLE)), min_size=1, max_size=30),
)
@settings(
    max_examples=25, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # fmt: skip
def test_unrelated_requests_change_no_draw(seed: int, idle: dict[int, str]) -> None:
    """Every answer, id, friend code, crate, bot and event of the others is the same, byte by byte."""
    season = moves(seed, 60)
    world, seen = _played(season, {})
    other, seen_with_idle = _played(season, idle)
    for one, another in zip(seen, seen_with_idle, strict=True):
        assert one == another
    assert events_of(other) == events_of(world)
    assert _rows_of(other) == _rows_of(world)


def test_the_season_has_what_is_drawn() -> None:
    """Crates, bots, codes, ids and work of the tester's own all come in it, so the law says something of them."""
    world, seen = _played(moves(1, 400), {})
    asked = {what.split(" ", 1)[1] for what, status, _ in seen if status in (0, 200, 201)}
    assert {"crates.open", "friends.getCode", "grants.claim", "gifts.send", "events.progress"} <= asked
    assert {"guilds.create", "of work ", "of work raffle"} <= asked
    bots: Any = [row for tables in world.store.dump().values() for row in tables.get("lobby_bots", ())]
    assert bots or any('"isBot": true' in json.dumps(event.data) for event in world.events)
    assert {event.kind for event in world.events} >= {"crate.opened", "lobby.started", "grant.created"}


def test_another_seed_draws_otherwise() -> None:
    """The same season, with other luck."""
    season = moves(3, 40)
    assert _played(season, {}, seed=1)[1] != _played(season, {}, seed=2)[1]


def test_the_same_again_draws_anew() -> None:
    """Neither another request of a player nor another piece of work is given what one was given before."""
    world = World(DEMO)
    codes = [world.player(name).call("friends.getCode")["friendCode"] for name in NAMES]
    grants = [world.server.grants.create("ada", entries=[GOLD]).grant.grant_id for _ in range(3)]
    drawn = [world.unit_of_work(lambda unit: unit.entropy.bytes(16)) for _ in range(3)]
    assert [len(set(found)) for found in (codes, grants, drawn)] == [len(NAMES), 3, 3]
