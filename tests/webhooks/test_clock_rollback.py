"""A clock that was set back: a delivery is brought forward exactly where no schedule can have put it."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from livecore.api.areas import AREAS
from livecore.api.clock_rollback import bring_forward, noticed
from livecore.api.maintenance import system_unit
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import DAY, HOUR, Millis
from livecore.kernel.units.due import DUE
from livecore.webhooks.delivery import LEASE, RETRY_SCHEDULE, DeliveryState, brought_forward, retry_wait
from livecore_server.games import all_games
from livecore_server.storage.snapshot import snapshot_store
from tests.maintenance.lived_in import busiest_scope, lived_in

NOW = 1_800_000_000_000


def waiting(attempt: int, due_at: Millis | None) -> DeliveryState:
    """A delivery with so many attempts behind it."""
    return DeliveryState(attempt=attempt, queued_at=NOW - DAY, due_at=due_at)


@pytest.mark.parametrize("attempt", range(1, len(RETRY_SCHEDULE) + 1))
def test_no_wait_that_the_schedule_gives_is_cut_short(attempt: int) -> None:
    """Whatever the receiver asked for and chance added; and a second more than the most is too long."""
    waits = [retry_wait(attempt, asked, Entropy(bytes([seed]))) for asked in (None, 10**9) for seed in range(64)]
    for wait in waits:
        state = waiting(attempt, NOW + wait)
        assert brought_forward(state, NOW) is state
    most = RETRY_SCHEDULE[min(attempt, len(RETRY_SCHEDULE) - 1)]
    state = waiting(attempt, NOW + most + most // 10 + 1)
    assert brought_forward(state, NOW) == attrs.evolve(state, due_at=NOW)


def test_before_its_first_attempt_a_delivery_waits_for_a_lease_at_most() -> None:
    """What waits for nothing stays as it is."""
    leased, ahead, nothing = (waiting(0, due_at) for due_at in (NOW + LEASE, NOW + LEASE + 1, None))
    assert brought_forward(leased, NOW) is leased
    assert brought_forward(ahead, NOW) == attrs.evolve(ahead, due_at=NOW)
    assert brought_forward(nothing, NOW) is nothing


def test_a_scope_is_put_right_once(tmp_path: Path) -> None:
    """Everything dated a year ahead is due at once; a second time, and in a scope that was right, deliveries stay alone."""
    with snapshot_store(lived_in(tmp_path)) as store:
        scope = busiest_scope(store)
        (game,) = [game for game in store.read(DIRECTORY, all_games) if game.game_id == scope.game_id]
        soonest = min(row.due_at for row in store.dump()[scope.id]["webhook_deliveries"] if row.due_at is not None)

        def put_right(tx: Transaction, now: Millis) -> list[str]:
            assert bring_forward(system_unit(tx, game, now, b"seed")) is None
            return sorted({step.table.name for step in tx.writes()})

        def sweeps(tx: Transaction) -> list[Millis]:
            return [work.due_at for kind in AREAS.recurring if (work := tx.get(DUE, kind, "")) is not None]

        year_ago = soonest - 365 * DAY
        assert store.read(scope, lambda tx: noticed(tx, year_ago))
        assert store.write(scope, lambda tx: put_right(tx, year_ago)) == ["due_work", "webhook_deliveries"]
        while (written := store.write(scope, lambda tx: put_right(tx, year_ago))) != []:  # a page after another
            assert written == ["due_work", "webhook_deliveries"]
        assert store.read(scope, sweeps) == [year_ago] * len(AREAS.recurring)
        assert not store.read(scope, lambda tx: noticed(tx, year_ago - HOUR))
        assert store.write(scope, lambda tx: put_right(tx, year_ago)) == []
