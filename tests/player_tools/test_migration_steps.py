"""The rows of a migration are applied in steps: others are served in between, and it is one request all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import attrs
import pytest

from livecore.api.requests.prepared import Prepared
from livecore.api.stepping import SteppedRun, StepResult
from livecore.economy.ledger import ENTRIES
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.player_tools.migration import ROWS_OF_A_STEP
from livecore.world import World
from livecore_server.known_request import KnownRequest
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from tests.between import Between, Died, die
from tests.server.serving import serving
from tests.worlds import Reply, http, rows_of, total, world

T = TypeVar("T")
ROWS: Final = 3 * ROWS_OF_A_STEP + 1
STEPS: Final = 4


def gold(at: int, **changes: Json) -> JsonObject:
    """The row of one player's gold."""
    return {"idempotencyKey": f"m{at}", "externalPlayerId": f"p{at}", "economyKey": "gold", "amount": 5, **changes}


def move(game: World, *, rows: int = ROWS, key: str | None = None) -> Reply:
    """Move the gold of so many players in."""
    body: JsonObject = {"rows": [gold(at) for at in range(rows)], "idempotencyKey": key}
    return http(game.server, "POST", "/server/v1/migrate/wallet", body)


def counts(reply: Reply) -> tuple[Any, ...]:
    """Received, applied, replayed, failed."""
    assert reply.status == 200, reply.body
    return tuple(reply[name] for name in ("received", "applied", "replayed", "failed"))


@attrs.define
class Counting:
    """A store that counts the writes in games."""

    store: Any
    writes: int = 0

    def read(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the store does."""
        found: T = self.store.read(scope, work)
        return found

    def dump(self) -> object:
        """As the store does."""
        return self.store.dump()

    def write(self, scope: Scope, work: Callable[[Transaction], T]) -> T:
        """As the store does."""
        self.writes += scope != DIRECTORY
        found: T = self.store.write(scope, work)
        return found


def test_each_step_is_known_by_its_own_rows() -> None:
    """A store that reads ahead reads for the rows of this step, and not for those of the whole request."""
    game = world()
    known: list[tuple[str, ...]] = []

    def begun(prepared: Prepared, _: Transaction) -> None:
        rows = KnownRequest(prepared).value("argument.rows")
        known.append(tuple(row["externalPlayerId"] for row in rows))

    game.application.begun = begun
    move(game)
    assert [len(rows) for rows in known] == [ROWS_OF_A_STEP] * (STEPS - 1) + [1]
    assert [name for rows in known for name in rows] == [f"p{at}" for at in range(ROWS)]


@pytest.mark.parametrize(("rows", "steps"), [(1, 1), (ROWS_OF_A_STEP, 1), (ROWS_OF_A_STEP + 1, 2), (1_000, 40)])
def test_no_transaction_has_more_rows_than_a_step(rows: int, steps: int) -> None:
    """A thousand rows are forty transactions, and one answer."""
    game = world()
    store = game.application.store = Counting(game.store)
    assert counts(move(game, rows=rows)) == (rows, rows, 0, 0)
    assert store.writes == steps
    assert len(rows_of(game, ENTRIES)) == rows


def test_failures_are_named_by_their_place_in_the_whole_request() -> None:
    """In whichever step they are; a row of a later step knows what an earlier one did."""
    game = world()
    rows = [gold(at) for at in range(ROWS)]
    for at in (0, ROWS_OF_A_STEP, ROWS - 1):
        rows[at] = gold(at, economyKey="nope")
    rows[ROWS - 2] = gold(1)
    reply = http(game.server, "POST", "/server/v1/migrate/wallet", {"rows": list(rows)})
    assert counts(reply) == (ROWS, ROWS - 4, 1, 3)
    assert [row["index"] for row in reply.list("failures")] == [0, ROWS_OF_A_STEP, ROWS - 1]


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("after", range(STEPS))
def test_a_request_that_ends_in_the_middle_is_completed_by_its_repetition(after: int, *, keyed: bool) -> None:
    """Every row once, wherever it ended; with a key the answer of the repetition is the one that stays."""
    game = world()
    key = "whole" if keyed else None
    whole = game.application.store
    game.application.store = Between(game.store, die, after=after, in_directory=False, at_first=True)
    with pytest.raises(Died):
        move(game, key=key)
    game.application.store = whole
    before = after * ROWS_OF_A_STEP
    assert len(rows_of(game, ENTRIES)) == before
    again = move(game, key=key)
    assert counts(again) == (ROWS, ROWS - before, before, 0)
    third = move(game, key=key)
    assert counts(third) == ((ROWS, ROWS - before, before, 0) if keyed else (ROWS, 0, ROWS, 0))
    assert third.response.header("Idempotent-Replay") == ("true" if keyed else None)
    assert [total(game.player(f"p{at}"), "gold") for at in (0, ROWS - 1)] == [5, 5]
    assert len(rows_of(game, ENTRIES)) == ROWS


def test_a_key_is_in_use_while_its_request_runs() -> None:
    """Another request under it is refused and changes nothing, also a small one and one of another operation."""
    game = world()
    refused: list[Reply] = []

    def others() -> None:
        game.application.store = game.store
        refused.append(move(game, rows=2, key="whole"))
        path = "/server/v1/players/p0/wallet/gold/credit"
        refused.append(http(game.server, "POST", path, {"amount": 1, "idempotencyKey": "whole"}))

    game.application.store = Between(game.store, others, after=1, in_directory=False, at_first=True)
    assert counts(move(game, key="whole")) == (ROWS, ROWS, 0, 0)
    assert [reply.refusal for reply in refused] == [(409, "idempotency_conflict")] * 2
    assert len(rows_of(game, ENTRIES)) == ROWS


def test_the_same_request_twice_at_once_has_one_answer() -> None:
    """The slower one gives the answer of the quicker one."""
    game = world()
    quick: list[Reply] = []

    def meanwhile() -> None:
        game.application.store = game.store
        quick.append(move(game, key="whole"))

    game.application.store = Between(game.store, meanwhile, after=2, in_directory=False, at_first=True)
    slow = move(game, key="whole")
    assert slow.body == quick[0].body
    assert slow.response.header("Idempotent-Replay") == "true"
    assert len(rows_of(game, ENTRIES)) == ROWS


def test_others_are_served_between_two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a server, what arrives after the first step is committed before the last one is."""
    order: list[str] = []

    async def scenario() -> None:
        async with serving(tmp_path) as server:
            executor, taken = server.service.executor, SteppedRun.take
            waiting: list[asyncio.Task[None]] = []

            async def other() -> None:
                await executor.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, StoreProbe(name="other", at=0)))
                order.append("other")

            def noted(self: SteppedRun, done: StepResult) -> Any:  # noqa: ANN401 - as the method
                order.append("step")
                if not waiting:
                    waiting.append(asyncio.create_task(other()))
                return taken(self, done)

            monkeypatch.setattr(SteppedRun, "take", noted)
            reply = await server.studio("POST", "/migrate/wallet", {"rows": [gold(at) for at in range(ROWS)]})
            assert reply.json["data"]["applied"] == ROWS
            await asyncio.gather(*waiting)

    asyncio.run(scenario())
    assert order.count("step") == STEPS
    assert order.index("other") < len(order) - 1
