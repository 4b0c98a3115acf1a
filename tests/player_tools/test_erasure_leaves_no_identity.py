"""The law of erasure: a marker in every free-text and identity field, and afterwards in no row, no body and no answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import attrs
import pytest

from livecore import World
from livecore.api.operations import operation
from livecore.kernel.errors import camel
from livecore.kernel.time import DAY
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import Text
from livecore.webhooks.dispatch import lease_due, record_attempt
from livecore.webhooks.endpoints import PlainVault, add_endpoint, remove_endpoint
from livecore.webhooks.outbox import EVENTS, SWEEP
from livecore.webhooks.outcome import Outcome
from tests.contract.expected import Route
from tests.contract.oracle import GUARDED, NAMES_NOBODY, OPERATED
from tests.contract.stories import CORE, MARK
from tests.player_tools.marked import game, lived, traces
from tests.player_tools.soundness import faults_of
from tests.player_tools.stores import STORES
from tests.worlds import ask, rows_of

everywhere = pytest.mark.parametrize("world", STORES, indirect=True)
on_memory_and_sqlite = pytest.mark.parametrize("world", ["memory", "sqlite"], indirect=True)


@pytest.fixture
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world over the named store, with an endpoint for every event."""
    with STORES[request.param](tmp_path) as store:
        monkeypatch.setattr("livecore.world.game.MemoryStore", lambda: store)
        world = World(game())
        world.unit_of_work(
            lambda unit: add_endpoint(unit, PlainVault(), key="all", url="https://studio.example/", events=["*"])
        )
        yield world


def _deliver(world: World, outcome: Outcome) -> None:
    """Make every attempt that is due, with this outcome."""

    def work(unit: Unit) -> int:
        attempts = lease_due(unit, 100)
        for attempt in attempts:
            record_attempt(unit, attempt.delivery_id, attempt.number, outcome, threshold=10_000)
        return len(attempts)

    while world.unit_of_work(work):
        pass


def _found(world: World) -> dict[str, list[str]]:
    """The tables in which the marker is still to be found, and how it is spelled there."""
    world.flush()
    found = {
        f"{scope}/{name}": sorted({trace for row in rows for trace in traces(row)})
        for scope, tables in world.store.dump().items()
        for name, rows in tables.items()
    }
    return {place: spelled for place, spelled in found.items() if spelled}


@pytest.fixture(scope="module")
def fields() -> set[tuple[str, str]]:
    """Where a life had the marker: operation and argument."""
    return lived(World(game())).fields | lived(World(game()), operated=True).fields


_OF_ENDPOINTS: Final = {"webhook.manage", "webhook.send_sample"}
"""Permissions for what is about the studio's endpoints and about no player."""
_IN_GAMES: Final = [
    route for route in OPERATED if operation(route.id).takes_environment and route.permission not in _OF_ENDPOINTS
]


@pytest.mark.parametrize(
    "route", [route for route in (*GUARDED, *_IN_GAMES) if route.writes], ids=lambda route: route.id
)
def test_every_field_is_marked(route: Route, fields: set[tuple[str, str]]) -> None:
    """Whatever text an operation takes had the marker in it when the life called the operation, or names nobody."""
    texts = {
        camel(field.name)
        for field in attrs.fields(attrs.resolve_types(operation(route.id).args, include_extras=True))
        if _is_free(field.type)
    }
    assert "idempotencyKey" in texts
    unmarked = {text for text in texts if (route.id, text) not in fields} - NAMES_NOBODY.keys()
    assert {f"{route.id} {text}" for text in unmarked} <= NAMES_NOBODY.keys()


def _is_free(kind: Any) -> bool:  # noqa: ANN401 - type expressions have no common type
    """Whether a type holds text that its pattern does not confine, or objects of any sort."""
    parts = list(_parts(kind))
    texts = [rule for rule in parts if isinstance(rule, Text)]
    if any(part is dict for part in parts):
        return True
    return any(
        rule.pattern is None or "printable" in (rule.hint or "") or "__merged_" in rule.pattern for rule in texts
    )


def _parts(kind: Any) -> Iterator[Any]:  # noqa: ANN401 - type expressions have no common type
    yield get_origin(kind) or kind
    for part in (*get_args(kind), *getattr(kind, "__metadata__", ())):
        yield from _parts(part) if not isinstance(part, Text) else [part]


def test_the_marker_is_everywhere_before() -> None:
    """So that not finding it afterwards says something."""
    world = World(game())
    lived(world)
    marked = {place.partition("/")[2].rpartition("/")[2] for place in _found(world)}
    assert marked >= {
        "debug_accounts", "former_names", "gifts", "grants", "holdings", "idempotent_answers", "ledger_entries", "players",
        "purchases", "search_entries",
    }  # fmt: skip


@everywhere
def test_delivered_bodies_and_rows_are_emptied_at_once(world: World) -> None:
    """Events that have been delivered keep nothing; no table does."""
    lived(world)
    _deliver(world, Outcome(delivered=True, status=200))
    assert ask(world.server, "players.erase", external_id=MARK, idempotency_key=f"erase {CORE}")["status"] == "erased"
    told = {place: spelled for place, spelled in _found(world).items() if not place.endswith("/webhook_events")}
    assert told == {}
    # The first hundred events are emptied in the request itself, and the others as soon as possible.
    world.advance()
    waiting = [event.kind for event in rows_of(world, EVENTS) if list(traces(event))]
    assert waiting == ["player.deleted"]
    _deliver(world, Outcome(delivered=True, status=200))
    assert _found(world) == {}
    assert faults_of(world) == []


@on_memory_and_sqlite
@pytest.mark.parametrize("erased_by", ["server", "operator"])
def test_nothing_is_left_where_operators_have_acted(world: World, erased_by: str) -> None:
    """Neither in the rows of the audit trail nor in what it shows, also of entries that only mention the player."""
    life = lived(world, operated=True)
    operator = world.operator()
    assert list(traces(operator.call("audit.list", limit=200)))
    _deliver(world, Outcome(delivered=True, status=200))
    caller = life.server if erased_by == "server" else operator
    assert ask(caller, "players.erase", external_id=MARK, idempotency_key=f"erase {CORE}")["status"] == "erased"
    world.advance()
    _deliver(world, Outcome(delivered=True, status=200))
    assert _found(world) == {}
    seen: list[object] = []
    cursor = None
    while True:
        page = operator.call("audit.list", limit=200, **({} if cursor is None else {"cursor": cursor}))
        seen.append(page)
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert list(traces(seen)) == []
    assert faults_of(world) == []


@on_memory_and_sqlite
@pytest.mark.parametrize("delivered", [True, False])
def test_undelivered_bodies_go_when_they_arrive_or_fail(world: World, delivered: bool) -> None:
    """Until then they are kept, because the studio must hear of everything in its order."""
    lived(world)
    ask(world.server, "players.erase", external_id=MARK, reason="gdpr_erasure", idempotency_key=f"erase {CORE}")
    assert set(_found(world)) == {f"{world.scopes[0].id}/webhook_events"}
    world.advance()
    for _ in range(1 if delivered else 8):
        _deliver(world, Outcome(delivered=delivered, status=200 if delivered else 500))
        world.now += 2 * DAY
    assert _found(world) == {}


@on_memory_and_sqlite
def test_undelivered_bodies_go_after_thirty_days(world: World) -> None:
    """When nobody has ever taken them."""
    lived(world)
    ask(world.server, "players.erase", external_id=MARK, idempotency_key=f"erase {CORE}")
    world.now += 31 * DAY
    world.unit_of_work(SWEEP.start_now)
    world.advance(seconds=10)
    assert _found(world) == {}


@on_memory_and_sqlite
def test_undelivered_bodies_go_with_their_endpoint(world: World) -> None:
    """Whoever cannot wait for a receiver that is away removes it: nobody else waits for these bodies."""
    lived(world)
    ask(world.server, "players.erase", external_id=MARK, idempotency_key=f"erase {CORE}")
    assert _found(world)
    world.unit_of_work(lambda unit: remove_endpoint(unit, "all"))
    world.advance(seconds=10)
    assert _found(world) == {}
