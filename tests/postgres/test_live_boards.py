"""Pages of a leaderboard on PostgreSQL, in a process that has its ranking in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, Final

import pytest
from psycopg.pq.abc import PGresult

from livecore.api.application import Application
from livecore.api.deploying import new_deployment
from livecore.api.requests.http import Request
from livecore.api.requests.limits import RateLimits
from livecore.kernel.scope import DIRECTORY
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.leaderboards.refusals import LeaderboardNotFound
from livecore_server.known_request import expect_reads
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.connection import Connection
from livecore_server.storage.postgres.connections.pipeline import Statement
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.system import draw_seed, now_millis
from tests.postgres.rig import CONFIG, Game, game_in
from tests.postgres.server import ready_database

RACE: Final[dict[str, Any]] = {
    "key": "race",
    "name": "Race",
    "schedule": {"startsAt": "2020-01-01T00:00:00Z", "everySeconds": 315_360_000, "durationSeconds": 315_360_000},
    "metrics": [{"key": "points"}],
}
_RUNNERS: Final = 9


@pytest.mark.parametrize(("query", "trips"), [("limit=5", 1), ("around={0}&limit=5", 2)])
def test_a_page_reads_only_the_board_and_its_players(query: str, trips: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ranking says who is on the page and how many entries there are: nothing is counted or read in order.

    One trip is enough, or two where the page is around somebody who has to be found first.
    """
    with ready_database() as url, game_in(url, processes=1, config={**CONFIG, "events": [RACE]}) as game:
        names = [_runner(game, points) for points in range(_RUNNERS)]
        board_id = game.ask("POST", f"{names[0]}/events/race/start", {}).data["attempt"]["leaderboardId"]
        path = f"/sdk/v1/event-leaderboards/{board_id}"
        told, answers = asyncio.run(_asked(url, game, path, query.format(names[4]), monkeypatch))
    assert answers[0] == answers[1]
    assert answers[1].count(b'"rank"') == 5
    assert len(told) == trips, told
    in_order = 'FROM "leaderboard_entries"', 'sort_key" IS NOT NULL'
    assert not [sql for statements in told for sql in statements if all(part in sql for part in in_order)]


def _runner(game: Game, points: int) -> str:
    name = game.player()
    attempt = game.ask("POST", f"{name}/events/race/start", {}).data["attempt"]["attemptId"]
    reply = game.ask("POST", f"{name}/events/race/attempts/{attempt}/progress", {"metrics": {"points": points}})
    assert reply.status == 200
    return name


def _application(store: PostgresStore, rankings: Rankings) -> Application:
    return Application(
        store,
        clock=now_millis,
        seeds=draw_seed,
        deployment=new_deployment(rankings=rankings),
        limits=RateLimits.off(),
        begun=expect_reads,
    )


def _request(game: Game, path: str, query: str = "") -> Request:
    headers = {"authorization": f"Bearer {game.made.keys['live', 'client'].text}"}
    return Request("GET", path, query, headers, b"", "192.0.2.1")


async def _asked(
    url: str, game: Game, path: str, query: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[list[str]], list[bytes]]:
    """The texts of the statements of each round trip with the ranking, and the answers without it and with it."""
    told: list[list[str]] = []
    ask = Connection.ask

    def telling(line: Connection, statements: Sequence[Statement]) -> Awaitable[list[PGresult]]:
        told.append([statement.sql.decode() for statement in statements])
        return ask(line, statements)

    monkeypatch.setattr(Connection, "ask", telling)
    store = PostgresStore(url)
    executor = PostgresExecutor(store)
    rankings = Rankings(executor.notices, clock=now_millis)
    application = _application(store, rankings)
    request = _request(game, path, query)
    last: list[list[str]] = []
    answers = []
    try:
        for _ in range(2):
            prepared = store.read(DIRECTORY, partial(application.prepare, request))
            told.clear()
            outcome = await executor.read(prepared.scope, partial(application.run, prepared))
            answers.append(outcome.response.body)
            last = list(told)
            while (step := rankings.next_read()) is not None:
                step.take(await executor.read(step.scope, step.read))
    finally:
        await executor.close()
    assert rankings.loaded == 1
    return last, answers


def test_a_board_that_there_is_not_is_not_loaded() -> None:
    """Whoever makes up ids fills no memory with rankings."""
    with ready_database() as url, game_in(url, processes=1) as game:
        store = game.stores[0]
        assert isinstance(store, PostgresStore)
        rankings = Rankings(store.notices, clock=now_millis)
        application = _application(store, rankings)
        request = _request(game, "/sdk/v1/event-leaderboards/lbd_none")
        prepared = store.read(DIRECTORY, partial(application.prepare, request))
        with pytest.raises(LeaderboardNotFound):
            store.read(prepared.scope, partial(application.run, prepared))
        assert (rankings.next_read(), rankings.total_bytes) == (None, 0)
