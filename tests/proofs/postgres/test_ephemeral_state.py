"""Ephemeral state in PostgreSQL: order of updates, counts made at once, what is forgotten, what a crash costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.pq.abc import PGresult

from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.reads import Find
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, MINUTE
from livecore.kernel.units.ephemeral import Allowance
from livecore.players.player import BY_EXTERNAL_ID
from livecore_server.ephemeral.shared import Update
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.connection_pool import Connections
from livecore_server.storage.postgres.connections.pipeline import Lost, Statement
from livecore_server.storage.postgres.connections.query_connection import QueryConnection
from livecore_server.storage.postgres.connections.suspension import run_waiting
from livecore_server.storage.postgres.executor import PostgresExecutor
from livecore_server.storage.postgres.reads.read_set import Hints
from livecore_server.storage.postgres.shared import shared_query
from livecore_server.storage.postgres.shared.ephemeral_state import PostgresEphemeralState
from livecore_server.storage.postgres.shared.ephemeral_tables import (
    EPHEMERAL_NAMES,
    publication,
    updates_in,
    updates_statement,
)
from livecore_server.storage.postgres.shared.shared_query import SharedQueries
from tests.ephemeral_states import KIND, Note
from tests.patience import PATIENCE_SECONDS, let_pass
from tests.postgres.server import own_server
from tests.server.serving import Server, make_game, serving
from tests.stores.tables import HEROES, STORE_TABLES, Hero

SCOPE = Scope("gam_memory", "test")
NOW = 1_700_000_000_000
WHO = b"somebody"


@pytest.fixture
def tables(url: str) -> str:
    """The URL of a database that has the tables."""
    PostgresStore(url, tables=STORE_TABLES).close()
    return url


@asynccontextmanager
async def asking(url: str) -> AsyncIterator[QueryConnection]:
    """A connection for questions."""
    connections = Connections(url, most=1)
    asker = QueryConnection(connections, connect_seconds=5)
    try:
        yield asker
    finally:
        await asker.close()
        connections.close()


def update(ref: str) -> Update:
    """An update."""
    return Update(KIND.name, SCOPE.id, ref, '{"at":1,"text":null}')


def test_a_process_does_not_keep_the_ids_by_which_it_has_found_players() -> None:
    """It guesses where their rows are, also after a player was erased; what it guesses by does not name anybody."""
    hints = Hints()
    anna, bert = ((SCOPE.id, Find(BY_EXTERNAL_ID, (f"{name}@example.com",)), "player_id") for name in ("anna", "bert"))
    hints.put(anna, "plr_1")
    assert hints.get(anna) == "plr_1"
    assert hints.get(bert) is None
    assert "anna" not in repr((hints._young, hints._old))


async def _blocked(url: str) -> None:
    """Wait until somebody on this database waits for a lock."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        await psycopg.AsyncConnection.connect(url, autocommit=True) as looking,
    ):
        while not await (await looking.execute(waiting)).fetchall():  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0)


@pytest.mark.parametrize("last_word", ["COMMIT", "ROLLBACK"])
def test_who_sees_a_number_sees_all_before_it(tables: str, last_word: str) -> None:
    """One who has published but not committed keeps the next one waiting; and one who gives up leaves no gap."""

    async def scenario() -> None:
        async with asking(tables) as slow, asking(tables) as quick, asking(tables) as reader:

            async def seen() -> list[str]:
                (result,) = await reader.ask([updates_statement(b"reader", 0)])
                return [one.ref for _, one in updates_in(result) if one is not None]

            await quick.ask([publication(WHO, [update("before")], NOW)])
            await slow.ask([Statement(b"BEGIN"), publication(WHO, [update("slow")], NOW)])
            publishing = asyncio.ensure_future(quick.ask([publication(WHO, [update("quick")], NOW)]))
            await _blocked(tables)
            assert await seen() == ["before"]
            await slow.ask([Statement(last_word.encode())])
            await publishing
            assert await seen() == (["before", "slow", "quick"] if last_word == "COMMIT" else ["before", "quick"])
            (result,) = await reader.ask([updates_statement(b"reader", 0)])
            numbers = [number for number, _ in updates_in(result)]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    asyncio.run(scenario())


def test_a_database_with_other_defaults_answers_the_same(tables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where transactions are serializable unless they say otherwise: four processes count at once, none is refused."""
    monkeypatch.setattr(shared_query, "_TRIES", 1)
    with psycopg.connect(tables, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET default_transaction_isolation = 'serializable'").format(name))

    async def process() -> list[Allowance]:
        async with asking(tables) as asker:
            shown = await asker.ask([Statement(b"SHOW transaction_isolation"), Statement(b"SHOW synchronous_commit")])
            assert [result.get_value(0, 0) for result in shown] == [b"read committed", b"off"]
            ephemeral = PostgresEphemeralState(asker.ask, kinds=(KIND,))
            return [await run_waiting(partial(ephemeral.hit, "window", 200, MINUTE, NOW)) for _ in range(50)]

    async def scenario() -> None:
        counted = await asyncio.gather(*(process() for _ in range(4)))
        assert sorted(allowance.remaining for allowances in counted for allowance in allowances) == list(range(200))

    asyncio.run(scenario())


def test_many_that_count_at_once_neither_lose_a_hit_nor_wait_in_a_circle(tables: str) -> None:
    """Four processes hit the same eight windows in orders of their own, and tell each other things meanwhile."""
    names = [f"n{at}" for at in range(8)]
    rounds, limit = 25, 60

    async def process(at: int) -> list[Allowance]:
        async with asking(tables) as asker:
            ephemeral = PostgresEphemeralState(asker.ask, kinds=(KIND,))

            def hit(name: str, turn: int) -> Allowance:
                ephemeral.values(KIND).put(SCOPE, f"{name}-{at}", Note(turn, name))
                return ephemeral.hit(name, limit, MINUTE, NOW)

            counted: list[Allowance] = []
            for turn in range(rounds):
                order = names[(at * 2 + turn) % 8 :] + names[: (at * 2 + turn) % 8]
                hits = (run_waiting(partial(hit, name, turn)) for name in (order if at % 2 else reversed(order)))
                counted += await asyncio.gather(*hits)
            await ephemeral.shared_queries.close()
            return counted

    async def scenario() -> None:
        counted = [one for each in await asyncio.gather(*(process(at) for at in range(4))) for one in each]
        allowed = sorted(one.remaining for one in counted if one.allowed)
        assert len(counted) == 4 * rounds * len(names)
        assert allowed == sorted(list(range(limit)) * len(names))

    asyncio.run(scenario())


def test_a_question_serves_all_that_wait(tables: str) -> None:
    """Of a hundred hits that come while a question is under way, the next one carries all."""
    sizes: list[int] = []

    async def scenario() -> None:
        async with asking(tables) as asker:

            async def counting(statements: Sequence[Statement]) -> list[PGresult]:
                sizes.append(len(statements))
                return await asker.ask(statements)

            ephemeral = PostgresEphemeralState(counting, kinds=())
            await ephemeral.shared_queries.next()
            sizes.clear()
            counted = await asyncio.gather(
                *(ephemeral.shared_queries.count("n", MINUTE, NOW, published=False) for _ in range(100)),
                *(ephemeral.shared_queries.count("m", MINUTE, NOW, published=False) for _ in range(100)),
            )
            assert sorted(place for place, _ in counted) == sorted([*range(1, 101)] * 2)
            assert sizes == [3]  # versions, counts, updates

    asyncio.run(scenario())


def test_a_miss_counts_in_its_process_before_it_has_been_answered(tables: str) -> None:
    """Whoever looks while it is on its way finds it counted, and once it has come it is not counted twice."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            ephemeral = PostgresEphemeralState(asker.ask, kinds=())
            await ephemeral.shared_queries.next()
            limits = {"player": 3, "address": 2}
            missing = [
                asyncio.ensure_future(run_waiting(partial(ephemeral.hit_published, limits, MINUTE, NOW))) for _ in "ab"
            ]
            await asyncio.sleep(0)
            left = [ephemeral.peek(name, limit, MINUTE, NOW).remaining for name, limit in limits.items()]
            counted = await asyncio.gather(*missing)
            assert (
                [ephemeral.peek(name, limit, MINUTE, NOW).remaining for name, limit in limits.items()] == left == [1, 0]
            )
            assert [found["player"].remaining for found in counted] == [2, 1]
            await ephemeral.shared_queries.close()

    asyncio.run(scenario())


class _Heard:
    """Notes what it receives."""

    def __init__(self) -> None:
        self.updates: list[str] = []
        self.missed_times = 0
        self.windows: dict[str, tuple[int, int]] = {}

    def receive(self, one: Update) -> None:
        self.updates.append(one.ref)

    def missed(self, windows: Any) -> None:  # noqa: ANN401 - as the listener has it
        self.missed_times += 1
        self.windows = dict(windows)


def test_updates_are_bounded_and_a_gap_is_reported(tables: str) -> None:
    """A process that asks seldom finds that the numbers do not go on where it was; others never do."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            often, seldom = _Heard(), _Heard()
            hearing = SharedQueries(asker.ask, often)
            sleeping = SharedQueries(asker.ask, seldom)
            teller = SharedQueries(asker.ask, _Heard(), most_updates=50)
            await sleeping.next()
            await hearing.next()
            await teller.count("misses", MINUTE, teller._clock(), published=True)
            for turn in range(24):
                for at in range(100):
                    teller.publish(update(f"{turn}-{at}"))
                await teller.next()
                await hearing.next()
            await sleeping.next()
            (left,) = await asker.ask([Statement(b"SELECT count(*) FROM livecore_updates")])
            assert int(left.get_value(0, 0) or 0) < 2_000
            assert often.updates == [f"{turn}-{at}" for turn in range(24) for at in range(100)]
            # The first updates of a new database are numbered anew, and that is a gap to both.
            assert (often.missed_times, seldom.missed_times) == (2, 2)
            assert seldom.updates[-1] == "23-99"
            assert len(seldom.updates) < len(often.updates)
            assert [used for _, used in seldom.windows.values()] == [1]

    asyncio.run(scenario())


async def _held(asker: QueryConnection) -> list[tuple[str, str]]:
    """Kind and value of every update in the table."""
    (rows,) = await asker.ask([Statement(b"SELECT kind, value FROM livecore_updates ORDER BY seq")])
    return [
        ((rows.get_value(at, 0) or b"").decode(), (rows.get_value(at, 1) or b"").decode()) for at in range(rows.ntuples)
    ]


def test_updates_are_kept_for_an_hour(tables: str) -> None:
    """However few they are; a process that was away for longer sees that it has missed some, also if none came since."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            now, away = [NOW], _Heard()
            tidying = SharedQueries(asker.ask, _Heard(), clock=lambda: now[0])
            sleeping = SharedQueries(asker.ask, away, clock=lambda: now[0])
            left: list[int] = []
            for wait in (0, HOUR - 1, 1, HOUR):
                now[0] += wait
                if wait != 1:
                    tidying.publish(update(f"after {wait}"))
                    await tidying.next()
                tidying.tidy()
                await tidying.next()
                left.append(sum(kind == KIND.name for kind, _ in await _held(asker)))
                if not wait:
                    await sleeping.next()
            assert left == [1, 2, 1, 1]
            now[0] += HOUR
            tidying.tidy()
            await tidying.next()
            assert await _held(asker) == [("outdated", "null")]
            missed = away.missed_times
            await sleeping.next()
            assert (away.updates, away.missed_times) == (["after 0", ""], missed + 1)

    asyncio.run(scenario())


def test_all_windows_that_have_ended_are_deleted_at_once(tables: str) -> None:
    """Also after a flood, of which a single statement deletes only a part, and when the process stops after it."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            queries = SharedQueries(asker.ask, _Heard(), clock=lambda: NOW + HOUR)
            for name in range(4_500):
                queries.count(f"n{name}", MINUTE, NOW, published=False)
            queries.count("running", HOUR, NOW + HOUR, published=False)
            await queries.next()
            queries.tidy()
            await queries.close()
            (rows,) = await asker.ask([Statement(b"SELECT name FROM livecore_windows")])
            assert [rows.get_value(at, 0) for at in range(rows.ntuples)] == [b"running"]

    asyncio.run(scenario())


def test_a_dump_without_unlogged_tables_has_all_but_the_ephemeral_state(tables: str) -> None:
    """And but the leases of running processes. So it can be restored as it is, and holds nothing of who was counted."""
    with psycopg.connect(tables) as connection:
        unlogged = connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'")
        assert {name for (name,) in unlogged} == {*EPHEMERAL_NAMES, "livecore_leases"}


def test_what_others_publish_about_a_forgotten_id_while_it_is_forgotten_is_emptied_too(tables: str) -> None:
    """Whoever forgets waits for a publication that is under way, and leaves no gap in the numbers."""

    async def scenario() -> None:
        async with asking(tables) as slow, asking(tables) as quick:
            await slow.ask([Statement(b"BEGIN"), publication(WHO, [update("plr_1"), update("plr_2")], NOW)])
            ephemeral = PostgresEphemeralState(quick.ask, kinds=(KIND,))
            ephemeral.values(KIND).put(SCOPE, "plr_1", Note(1, "not published yet"))
            forgetting = asyncio.ensure_future(run_waiting(partial(ephemeral.forget, SCOPE, "plr_1")))
            await _blocked(tables)
            await slow.ask([Statement(b"COMMIT")])
            await forgetting
            held = await _held(slow)
            assert [kind for kind, _ in held] == ["emptied", KIND.name, "forget"]
            await ephemeral.shared_queries.close()
            assert await _held(slow) == held

    asyncio.run(scenario())


def test_what_is_to_be_forgotten_is_not_lost_with_a_failed_query(tables: str) -> None:
    """The next one that reaches the database removes it."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            broken = False

            async def failing(statements: Sequence[Statement]) -> list[PGresult]:
                if broken:
                    raise Lost("the connection is gone")
                return await asker.ask(statements)

            ephemeral = PostgresEphemeralState(failing, kinds=(KIND,))
            ephemeral.values(KIND).put(SCOPE, "plr_1", Note(1, "at home"))
            await ephemeral.shared_queries.next()
            broken = True
            with pytest.raises(Lost):
                await run_waiting(partial(ephemeral.forget, SCOPE, "plr_1"))
            broken = False
            await ephemeral.shared_queries.next()
            assert [kind for kind, _ in await _held(asker)] == ["emptied", "forget"]

    asyncio.run(scenario())


def test_nobody_waits_for_ever(tables: str) -> None:
    """A question that is not answered: who waits for it, and for the next one, is refused; when it is, all is well."""

    async def scenario() -> None:
        async with asking(tables) as asker:
            answers = asyncio.Event()

            async def slow(statements: Sequence[Statement]) -> list[PGresult]:
                await answers.wait()
                return await asker.ask(statements)

            questions = SharedQueries(slow, _Heard(), patience_seconds=PATIENCE_SECONDS)
            first = questions.count("n", MINUTE, NOW, published=False)
            await asyncio.sleep(0)
            second = questions.next()
            let_pass(PATIENCE_SECONDS)
            for waiting in (first, second):
                with pytest.raises(Overloaded):
                    await waiting
            with pytest.raises(Overloaded):
                questions.next()
            questions.publish(update("kept"))
            answers.set()
            asked = questions._asking
            assert asked is not None
            await asked
            assert (await questions.count("n", MINUTE, NOW, published=False))[0] == 2
            (result,) = await asker.ask([updates_statement(b"reader", 0)])
            assert [one.ref for _, one in updates_in(result) if one is not None] == ["kept"]

    asyncio.run(scenario())


def test_a_preparation_that_begins_again_counts_once(tables: str) -> None:
    """The row that it believed has changed: it reads the new one, and its hit is the same."""
    runs: list[str] = []

    async def scenario() -> None:
        with closing(PostgresStore(tables, tables=STORE_TABLES)) as store:
            store.write(DIRECTORY, lambda tx: tx.insert(HEROES, Hero(id="a", code="old")))
            executor = PostgresExecutor(PostgresStore(tables, tables=STORE_TABLES))

            def enter(tx: Transaction) -> Allowance:
                row = tx.get(HEROES, "a")
                assert row is not None
                runs.append(row.code or "")
                return executor.ephemeral.hit("n", 10, MINUTE, NOW)

            try:
                assert (await executor.read(DIRECTORY, enter)).remaining == 9
                store.write(DIRECTORY, lambda tx: tx.put(HEROES, Hero(id="a", code="new")))
                assert (await executor.read(DIRECTORY, enter)).remaining == 8
                assert (await executor.read(DIRECTORY, enter)).remaining == 7
                assert runs == ["old", "old", "new", "new"]
            finally:
                await executor.close()

    asyncio.run(scenario())


def test_a_crash_of_the_database_costs_counts_and_nothing_else(tmp_path: Path) -> None:
    """Requests are refused while it is away and served when it is back, with counts that begin anew; updates go on."""

    async def status(server: Server, secret: str) -> int:
        return (await server.sdk("GET", "/ann/profile", secret=secret)).status

    async def scenario() -> None:
        with own_server() as database:
            settings: dict[str, Any] = {"database": database.url, "rate_limits": "sdk_read=40,server_api=off"}
            game = await asyncio.to_thread(make_game, database.url)
            async with (
                serving(tmp_path, game=game, **settings) as one,
                serving(tmp_path, game=game, **settings) as other,
            ):
                secret = await one.register("ann")
                before = [await status(server, secret) for server in (one, other) * 21]
                await asyncio.to_thread(database.stop)
                away = await one.sdk("GET", "/ann/profile", secret=secret)
                await asyncio.to_thread(database.start)
                async with asyncio.timeout(PATIENCE_SECONDS):
                    for server in (one, other):
                        while (await server.studio("GET", "/players/ann")).status == 503:  # noqa: ASYNC110 - as above
                            await asyncio.sleep(0)
                after = [await status(server, secret) for server in (one, other)]
                beat = await other.sdk("POST", "/ann/presence", {"status": "back"}, secret=secret)
                again = await one.sdk("POST", "/ann/presence", {}, secret=secret)
            assert before == [200] * 40 + [429] * 2
            assert (away.status, away.code, away.headers["retry-after"]) == (503, "overloaded", "1")
            assert after == [200] * 2
            assert beat.status == 200
            assert again.json["data"]["status"] == "back"

    asyncio.run(scenario())
