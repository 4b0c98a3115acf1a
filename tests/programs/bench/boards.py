"""Leaderboards and attempts under load: a board with many entries, and what its players do.

Everybody on the board has registered, started an attempt and made progress through the application, before the server that
is measured has started. The measured players come from all over the board.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import chain, cycle, islice
from typing import Final

import attrs

from livecore.api.maintenance import prepare_scope
from livecore.kernel.errors import Json
from livecore.kernel.scope import Scope
from tests.programs.bench import game
from tests.programs.bench.databases import Database, StoreName, fresh
from tests.programs.bench.figures import HttpRow
from tests.programs.bench.inside import inside
from tests.programs.bench.load import Result
from tests.programs.bench.over_http import Run, on_quick_loop
from tests.programs.bench.players import Players
from tests.programs.bench.processes import Made, make_game, serve
from tests.programs.bench.scenarios import Cast, Scenario

_SAMPLE: Final = 512
_STRIDE: Final = 389
"""Has no divisor in common with the sample's size: neighbours in the sample registered far from one another."""
_ENTRIES_TOGETHER: Final = 50
"""A unit that changes more entries has every ranking of the game dropped, and loaded anew."""
_LOADING_SECONDS: Final = 120.0
_QUICK_MS: Final = 4.0
_QUICK_IN_A_ROW: Final = 20
CONFIG: Final[dict[str, Json]] = {
    **game.CONFIG,
    "events": [game.RACE],
    "leaderboards": [{"key": "all", "name": "All time", "reset": "never", "source": "client", "aggregation": "best"}],
}


@attrs.frozen
class Runner:
    """A player on the boards, with the attempt at the event."""

    name: str
    secret: str
    player_id: str
    attempt_id: str


@attrs.frozen
class Field:
    """The measured players out of all, and the board of the event."""

    runners: Sequence[Runner]
    board_id: str


def measure(store: StoreName, size: int, count: int, *, told: Callable[[HttpRow], None]) -> None:
    """Play with about `count` reads each, and a quarter as many writes, on boards of `size`; each row is told.

    Raises `CannotRun`.
    """
    with fresh(store) as database:
        made = make_game(database, CONFIG)
        field = gather(database, made, size)
        with serve(database, made) as served:
            run = Run(database, served, 1, count, {}, told)
            scenarios = _scenarios(field, made.client_key, size)
            cast = Cast(readers=(), strangers=(), givers=())

            async def play() -> None:
                await _until_loaded(Players(served), field, made.client_key)
                await run.all(list(scenarios), scenarios=scenarios, cast=cast)

            on_quick_loop(play())


async def _until_loaded(players: Players, field: Field, key: str) -> None:
    """Wait until both rankings are loaded: until then a rank is counted in the rows, which takes many times as long."""
    runner, quick = field.runners[0], 0
    wires = [
        game.board(key, field.board_id, f"around={runner.name}&limit=10"),
        _submit(key, runner, 1),
    ]
    until = time.monotonic() + _LOADING_SECONDS
    while quick < _QUICK_IN_A_ROW and time.monotonic() < until:
        longest = 0.0
        for wire in wires:
            result = await players.load([wire])
            longest = max(longest, result.milliseconds(1.0))
        quick = quick + 1 if longest < _QUICK_MS else 0


def gather(database: Database, made: Made, size: int, *, submit: bool = True) -> Field:
    """Register everybody, have them start and make progress, and `submit` a score to the shared leaderboard."""
    step = max(1, size // _SAMPLE)
    names = [f"runner-{number}" for number in range(size)]
    sample: list[Runner] = []
    board_id = ""
    with inside(database) as asked:
        asked.as_service(Scope(made.game_id, "test"), prepare_scope)
        for part in _chunks(names, 5_000):
            registered = list(asked.ask_all(_register(made, part)))
            players = [(name, data["playerSecret"]) for name, data in zip(part, registered, strict=True)]
            started = [data["attempt"] for data in asked.ask_all(_start(made, players))]
            board_id = started[0]["leaderboardId"]
            runners = [
                Runner(name, secret, data["player"]["playerId"], attempt["attemptId"])
                for (name, secret), data, attempt in zip(players, registered, started, strict=True)
            ]
            scores = (_progress(made.client_key, runner, at % 997) for at, runner in enumerate(runners))
            submitted = (
                _submit(made.client_key, runner, at % 997) for at, runner in enumerate(runners if submit else ())
            )
            for _ in asked.ask_all(chain(scores, submitted), together=_ENTRIES_TOGETHER):
                pass
            sample += [runner for runner in runners if int(runner.name.rpartition("-")[2]) % step == 0]
    chosen = sample[:_SAMPLE]
    return Field([chosen[at * _STRIDE % len(chosen)] for at in range(len(chosen))], board_id)


def _chunks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (names[at : at + size] for at in range(0, len(names), size))


# -- requests -------------------------------------------------------------------------------------------------------------


def _register(made: Made, names: Sequence[str]) -> Iterator[bytes]:
    return (game.register(made.client_key, name) for name in names)


def _start(made: Made, players: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    return (game.start(made.client_key, name, secret) for name, secret in players)


def _progress(key: str, runner: Runner, points: int) -> bytes:
    return game.progress(key, runner.name, runner.secret, runner.attempt_id, points)


def _submit(key: str, runner: Runner, score: int) -> bytes:
    return game.submit(key, runner.name, runner.secret, score)


# -- scenarios ------------------------------------------------------------------------------------------------------------


def _scenarios(field: Field, key: str, size: int) -> dict[str, Scenario]:
    """What is measured, each with the share of the bare handler to reach on SQLite with one process."""

    def writes(make: Callable[[Runner, int], bytes]) -> Callable[[Players, Cast, int], Awaitable[Result]]:
        async def run(players: Players, _: Cast, count: int) -> Result:
            runners = islice(cycle(field.runners), count)
            return await players.load([make(runner, number) for number, runner in enumerate(runners)])

        return run

    def reads(make: Callable[[Runner], bytes]) -> Callable[[Players, Cast, int], Awaitable[Result]]:
        async def run(players: Players, _: Cast, count: int) -> Result:
            return await players.load(list(islice(cycle([make(runner) for runner in field.runners]), count)))

        return run

    title = f"of {size:,}"
    return {
        "submit": Scenario(
            f"submit to a board {title}", 0.25, reads_only=False,
            run=writes(lambda runner, number: _submit(key, runner, 1_000 + number)),
        ),
        "progress": Scenario(
            f"progress, board {title}", 0.20, reads_only=False,
            run=writes(lambda runner, number: _progress(key, runner, number % 7)),
        ),
        "around": Scenario(
            f"around a player, board {title}", 0.40, reads_only=True,
            run=reads(lambda runner: game.board(key, field.board_id, f"around={runner.name}&limit=10")),
        ),
        "top": Scenario(
            f"top 50, board {title}", 0.40, reads_only=True,
            run=reads(lambda _: game.board(key, field.board_id, "limit=50")),
        ),
    }  # fmt: skip
