"""Rehearses a migration: applies the same rules to a copy of the environment in memory, and reports the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from livecore.access.directory import Game
from livecore.api.maintenance import system_unit
from livecore.economy.ledger import HOLDINGS
from livecore.kernel.scope import Scope
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.units.unit import Unit
from livecore.player_tools.migration_rows import MigrationOutcome
from livecore.players.player import PLAYERS
from livecore_server.operations.copy.copier import copy_table
from livecore_server.operations.migrate_in.files import Line
from livecore_server.operations.migrate_in.run import Kind, Progress, Tally, move_in
from livecore_server.scratch_folders import scratch_folder
from livecore_server.storage.database import Database
from livecore_server.storage.snapshot import views_of
from livecore_server.system import draw_seed, now_millis


@attrs.frozen
class Rehearsed:
    """The result: the outcome of the rows, the number of new players, and the added amounts of each asset."""

    tally: Tally
    new_players: int
    added: dict[str, int]


def rehearse(
    source: Database,
    game: Game,
    scope: Scope,
    lines: Iterable[Line],
    kind: Kind,
    failures: Path,
    *,
    key_prefix: str | None = None,
    reached: Callable[[int], None] = lambda _: None,
) -> Rehearsed:
    """Apply a file to a copy of a scope, which has to fit into memory. Rows that would fail are written to a file."""
    store = MemoryStore()
    with views_of(source) as views:
        for table in source.tables:
            copy_table(views, store, scope, table, lambda _: None)
    before = _state(store, scope)

    def apply(work: Callable[[Unit], MigrationOutcome]) -> MigrationOutcome:
        now, seed = now_millis(), draw_seed()
        return store.write(scope, lambda tx: work(system_unit(tx, game, now, seed)))

    with scratch_folder("rehearsal") as folder:
        progress = Progress(folder / "progress", failures, "")
        tally = move_in(lines, kind, apply, progress, key_prefix=key_prefix, reached=reached)
    players, held = _state(store, scope)
    added = held - before[1]
    return Rehearsed(tally, players - before[0], dict(sorted(added.items())))


def _state(store: MemoryStore, scope: Scope) -> tuple[int, Counter[str]]:
    """How many players there are, and how much is held of each asset."""
    tables = store.dump().get(scope.id, {})
    held: Counter[str] = Counter()
    for holding in tables.get(HOLDINGS.name, []):
        held[holding.asset_key] += holding.amount
    return len(tables.get(PLAYERS.name, [])), held
