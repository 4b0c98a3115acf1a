"""What it costs to ask about spend and revenue, as purchases pile up: the whole request but for sockets.

Each question is first asked of a store that has just been opened, and then again and again. A second passes from one asking
to the next, so that no window is the one before; nothing is bought meanwhile, but for one more row that buys between two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import attrs

from livecore.kernel.scope import Scope
from livecore_server.storage.database import store_at
from livecore_server.system import now_millis
from tests.programs.bench import game
from tests.programs.bench.databases import Database, StoreName, fresh, settle
from tests.programs.bench.figures import SpendRow
from tests.programs.bench.inside import Inside, inside
from tests.programs.bench.processes import Made, make_game
from tests.programs.bench.shop import name_of, stock

_PLAYERS_SHARE: Final = 10
"""A player for each so many purchases."""
_TARGET_PURCHASES: Final = 1_000_000
_TARGET_MS: Final = 50.0


@attrs.frozen
class _Question:
    name: str
    path: str
    has_target: bool = False
    buying: bool = False
    """Whether somebody buys before each asking."""


_ONE: Final = f"/server/v1/players/{name_of(7)}"
_QUESTIONS: Final = (
    _Question("revenue of 30 days", "/server/v1/spend/summary", has_target=True),
    _Question("top spenders of 30 days", "/server/v1/spend/players?windowDays=30", has_target=True),
    _Question("the same, while buying", "/server/v1/spend/players?windowDays=30", has_target=True, buying=True),
    _Question("top spenders ever", "/server/v1/spend/players"),
    _Question("one player's spend", f"{_ONE}/spend?windows=7,30"),
    _Question("a page of purchases", f"{_ONE}/purchases"),
)


def measure(store: StoreName, sizes: Sequence[int], count: int, *, told: Callable[[SpendRow], None]) -> None:
    """Ask every question `count` times at every number of purchases; each row is told. Raises `CannotRun`."""
    for purchases in sizes:
        players = max(100, purchases // _PLAYERS_SHARE)
        with fresh(store) as database:
            made = make_game(database, game.CONFIG)
            with store_at(database.url) as opened:
                stock(opened, Scope(made.game_id, "test"), now_millis(), players=players, purchases=purchases)
            settle(database)
            for question in _QUESTIONS:
                told(_asked(database, made, question, players, purchases, count))


def _asked(database: Database, made: Made, question: _Question, players: int, purchases: int, count: int) -> SpendRow:
    target = question.has_target and database.store == "sqlite" and purchases == _TARGET_PURCHASES
    with inside(database) as asked:
        wall, processor = zip(*(_timed(asked, made, question, number) for number in range(count + 1)), strict=True)
    again = sorted(wall[1:])
    return SpendRow(
        store=database.store,
        players=players,
        purchases=purchases,
        question=question.name,
        first_ms=wall[0],
        p50_ms=again[len(again) // 2],
        p99_ms=again[len(again) * 99 // 100],
        cpu_ms=sum(processor[1:]) / count,
        target_ms=_TARGET_MS if target else None,
    )


def _timed(asked: Inside, made: Made, question: _Question, number: int) -> tuple[float, float]:
    """Milliseconds of wall and of processor time."""
    if question.buying:
        asked.ask(game.buy(made.server_key, name_of(number), f"bought-{number}"))
    asked.application.clock = lambda: now_millis() + number * 1_000
    prepared = asked.prepared(game.ask_studio(made.server_key, question.path))
    wall, processor = time.perf_counter(), time.process_time()
    asked.run(prepared)
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - processor) * 1e3
