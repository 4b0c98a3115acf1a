"""Very many games that do nothing cost nothing, and whichever of them has something due gets it at its moment.

Reads are counted, never timed: those of the loops, and the statements that reach a database file or a PostgreSQL server.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from livecore.access.directory import GAMES, Game, delete_game, games_of
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.deploying import new_deployment
from livecore.kernel.declarations.area import Area, Areas, DueHandler
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import HOUR, Millis
from livecore.kernel.units import due
from livecore_server.background.loops import DueLoop
from livecore_server.background.webhooks.backlogs import BacklogLoop
from livecore_server.backlog_gauges import BacklogGauges
from livecore_server.metrics import Metrics
from livecore_server.storage import due_scopes
from livecore_server.storage.postgres import PostgresStore
from livecore_server.storage.postgres.connections.pipeline import Pipeline, Statement
from livecore_server.storage.sqlite import SqliteStore
from tests.delivery.receivers import receiver
from tests.delivery.rig import START, VAULT, Deployment, Kind, play
from tests.patience import PATIENCE_SECONDS

T = TypeVar("T")
KINDS: Final[tuple[Kind, ...]] = ("sqlite", "postgres")
LOOK_AROUND_SECONDS: Final = 5
FEW, MANY = 10, 300
SIDE_BY_SIDE: Final = 20
"""How many units wait at the same time while the games are made."""


def idle_game(number: int) -> Game:
    """One of many games."""
    return Game(
        game_id=f"gam_{number:026d}",
        studio_id="std_1",
        name=f"Game {number}",
        config=JsonText("{}"),
        config_version=1,
        created_at=START,
    )


def scope_at(number: int) -> Scope:
    """The scope of one of them."""
    return Scope(f"gam_{number:026d}", "test")


async def add_games(made: Deployment, first: int, stop: int) -> None:
    """Games that have nothing to do for a day."""

    def insert(tx: Transaction) -> None:
        for number in range(first, stop):
            tx.insert(GAMES, idle_game(number))

    await made.executor.write(DIRECTORY, insert)
    made.games += [idle_game(number) for number in range(first, stop)]
    later = START + 24 * HOUR
    for begin in range(first, stop, SIDE_BY_SIDE):  # a slow disk refuses a long queue
        some = range(begin, min(begin + SIDE_BY_SIDE, stop))
        await asyncio.gather(*(schedule(made, scope_at(number), "tomorrow", later) for number in some))


async def schedule(made: Deployment, scope: Scope, ref: str, at: Millis) -> None:
    """Have work due."""
    await made.executor.write(scope, lambda tx: due.schedule(tx, "test.note", ref, at))


def due_loop(made: Deployment, ran: list[tuple[str, Millis]]) -> DueLoop:
    """A loop whose work notes what it is about, and when it ran."""
    handlers: dict[str, DueHandler] = {kind: lambda _, __: None for kind in AREAS.due}
    handlers["test.note"] = lambda unit, ref: ran.append((ref, unit.now))
    areas = Areas([Area(name="test", due=handlers, ephemeral=AREAS.ephemeral)])
    application = Application(
        made.store, clock=lambda: made.now, seeds=lambda: b"seed", deployment=new_deployment(areas=areas)
    )
    return DueLoop(made.executor, application, Metrics())


@contextmanager
def elsewhere(made: Deployment) -> Iterator[SqliteStore | PostgresStore]:
    """The same database in another process, of which this one hears nothing."""
    if isinstance(made.store, SqliteStore):
        other: SqliteStore | PostgresStore = SqliteStore(made.store.path, now=lambda: START)
    else:
        with made.store.wire() as wire:
            other = PostgresStore(wire.connection.info.dsn)
    try:
        yield other
    finally:
        other.close()


@contextmanager
def counting(made: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The reads of units and the statements that reach the database meanwhile."""
    seen: list[str] = []
    with monkeypatch.context() as patch, _statements(made, seen, monkeypatch):
        read = made.executor.read

        async def counted(scope: Scope, work: Callable[[Transaction], T]) -> T:
            seen.append(f"games or a scope: {scope.id}")
            return await read(scope, work)

        patch.setattr(made.executor, "read", counted)
        yield seen


@contextmanager
def _statements(made: Deployment, seen: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if isinstance(made.store, SqliteStore):
        connections: list[sqlite3.Connection] = [made.store.connections.reading, made.store.connections.writing]
        for connection in connections:
            connection.set_trace_callback(seen.append)
        yield
        for connection in connections:
            connection.set_trace_callback(None)
        return
    send = Pipeline._send

    def counted(pipeline: Pipeline, statements: Sequence[Statement]) -> bool:
        seen.extend(statement.sql.decode() for statement in statements)
        return send(pipeline, statements)

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "_send", counted)
        yield


async def turns_of(loop: DueLoop, made: Deployment, count: int) -> None:
    """So many turns, each as soon as the loop asks for it."""
    for _ in range(count):
        made.now += round(1000 * await loop.turn())


@pytest.mark.parametrize("kind", KINDS)
def test_reads_of_an_idle_loop_do_not_grow_with_the_number_of_scopes(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute of the due loop asks as much with ten games as with three hundred."""

    async def scenario(made: Deployment) -> None:
        counts = []
        for first, stop in ((0, FEW), (FEW, MANY)):
            await add_games(made, first, stop)
            loop = due_loop(made, [])
            await turns_of(loop, made, 2 + 2 * MANY // 100)  # the first ones look for times from a clock that was ahead
            with counting(made, monkeypatch) as seen:
                began = made.now
                while made.now < began + 60_000:
                    await turns_of(loop, made, 1)
            counts.append(len([text for text in seen if "due_work" in text or "games" in text]))
        assert counts == [60 // LOOK_AROUND_SECONDS] * 2

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_reads_of_an_idle_sender_do_not_grow_with_the_number_of_scopes(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each poll asks once, and no scope by itself."""

    async def scenario(made: Deployment) -> None:
        counts = []
        for first, stop in ((0, FEW), (FEW, MANY)):
            await add_games(made, first, stop)
            async with resting_sender(made) as sender:
                with counting(made, monkeypatch) as seen:
                    for _ in range(30):
                        await sender.look_around()
                        await let_it_look()
                counts.append(len([text for text in seen if "webhook" in text or "games" in text]))
        assert counts == [30, 30]

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_reads_for_the_figures_of_backlogs_do_not_grow_with_the_number_of_scopes(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look asks those scopes that have endpoints, and not those of deleted games."""

    async def scenario(made: Deployment) -> None:
        counts = []
        await made.add("https://studio.example/")
        gauges = BacklogGauges(lambda: made.now)
        for first, stop in ((0, FEW), (FEW, MANY)):
            await add_games(made, first, stop)
            with counting(made, monkeypatch) as seen:
                await BacklogLoop(made.executor, VAULT, gauges).look()
            counts.append(len([text for text in seen if text.startswith("games or a scope")]))
            assert [one.labels[0] for one in gauges.seen] == [made.scope.game_id]
        assert counts == [3, 3]
        game = await made.executor.read(DIRECTORY, lambda tx: tx.get(GAMES, made.scope.game_id))
        assert game is not None
        gone = evolve(game, deleted_at=made.now)
        await made.executor.write(DIRECTORY, lambda tx: tx.put(GAMES, gone))
        await BacklogLoop(made.executor, VAULT, gauges).look()
        assert gauges.seen == []

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_games_of_busy_scopes_are_read_and_no_others(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop asks for them every few seconds, and each row has the whole configuration of a game."""

    async def scenario(made: Deployment) -> None:
        await made.executor.write(DIRECTORY, lambda tx: [tx.insert(GAMES, idle_game(number)) for number in range(MANY)])
        busy = [scope_at(number) for number in range(0, MANY, 2)]
        with counting(made, monkeypatch) as seen:
            found = made.store.read(DIRECTORY, lambda tx: games_of(tx, [*busy, scope_at(MANY)]))
        assert {scope: game.game_id for scope, game in found.items()} == {scope: scope.game_id for scope in busy}
        reads = [text for text in seen if 'FROM "games"' in text]
        assert reads
        assert all('"game_id" =' in text or '"game_id" = ANY' in text for text in reads), reads[0]

    play(tmp_path, scenario, kind)


def resting_sender(made: Deployment) -> Any:  # noqa: ANN401 - the context manager of the rig
    """A sender whose polls the test makes."""
    return made.sender(wait=until_woken)


async def until_woken(event: asyncio.Event, _: float) -> None:
    """Wait without a limit, so that nothing but the test makes it look."""
    await event.wait()


async def let_it_look() -> None:
    """Let the sender's own loop have its turns."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("kind", KINDS)
def test_work_of_any_of_many_scopes_runs_at_its_moment(tmp_path: Path, kind: Kind) -> None:
    """In each scope something at a time of its own: it runs at that time exactly, in the order of the times."""

    async def scenario(made: Deployment) -> None:
        await add_games(made, 0, 40)
        ran: list[tuple[str, Millis]] = []
        times = {f"work {number}": START + 1_000 + 997 * ((number * 17) % 40) for number in range(40)}
        for number, (ref, at) in enumerate(times.items()):
            await schedule(made, scope_at(number), ref, at)
        loop = due_loop(made, ran)
        while made.now < START + 45_000:
            await turns_of(loop, made, 1)
        assert ran == sorted(times.items(), key=lambda pair: pair[1])

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_work_of_another_process_is_found_without_a_hint(tmp_path: Path, kind: Kind) -> None:
    """Made there, moved to an earlier time there, of a game that was made there: found by the next search."""

    async def scenario(made: Deployment) -> None:
        await add_games(made, 0, 20)
        ran: list[tuple[str, Millis]] = []
        loop = due_loop(made, ran)
        await turns_of(loop, made, 2)
        with elsewhere(made) as other:
            at = made.now + 7_000
            other.write(scope_at(3), lambda tx: due.schedule(tx, "test.note", "made", at))
            other.write(scope_at(11), lambda tx: due.schedule(tx, "test.note", "tomorrow", at + 1))
            other.write(DIRECTORY, lambda tx: tx.insert(GAMES, idle_game(99)))
            other.write(scope_at(99), lambda tx: due.schedule(tx, "test.note", "new game", at + 2))
            await turns_of(loop, made, 8)
        assert ran == [("made", at), ("tomorrow", at + 1), ("new game", at + 2)]

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_scope_with_very_much_to_do_keeps_no_other_waiting(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn serves every scope that has something due, whatever the first of them still has, and all of it ends."""
    for name in ("sqlite", "postgres"):
        monkeypatch.setattr(f"livecore_server.storage.{name}.due_scopes.MOST_STEPS", 3)

    async def scenario(made: Deployment) -> None:
        await add_games(made, 0, 12)
        ran: list[tuple[str, Millis]] = []

        def much(tx: Transaction) -> None:
            for number in range(350):
                due.schedule(tx, "test.note", f"backlog {number}", START - 400_000 + 1_000 * number)

        await made.executor.write(scope_at(0), much)
        for number in range(1, 12):
            await schedule(made, scope_at(number), f"other {number}", START)
        loop = due_loop(made, ran)
        await loop.turn()
        assert {ref for ref, _ in ran} >= {f"other {number}" for number in range(1, 12)}
        assert len(ran) == 100 + 11
        await turns_of(loop, made, 4)
        assert len(ran) == 350 + 11

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_deleted_games_cost_no_search_and_hide_nothing(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay due until they are purged. The search skips them, and finds what lies among them a little later."""
    for name in ("sqlite", "postgres"):
        monkeypatch.setattr(f"livecore_server.storage.{name}.due_scopes.MOST_STEPS", 5)

    async def scenario(made: Deployment) -> None:
        await add_games(made, 0, 30)
        ran: list[tuple[str, Millis]] = []

        def delete(tx: Transaction) -> None:
            for number in range(25):
                delete_game(tx, idle_game(number), START)

        for number in range(25):
            await schedule(made, scope_at(number), "never", START - 3 * HOUR)
        await made.executor.write(DIRECTORY, delete)
        loop = due_loop(made, ran)
        await turns_of(loop, made, 3)
        with counting(made, monkeypatch) as seen:
            await turns_of(loop, made, 6)
        assert len([text for text in seen if "due_work" in text]) == 6
        await schedule(made, scope_at(27), "among them", START - 4 * HOUR)
        await turns_of(loop, made, 12)
        assert [ref for ref, _ in ran] == ["among them"]

    play(tmp_path, scenario, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_deliveries_of_any_of_many_scopes_are_sent(tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this process at once, those of another one with the next poll, and again after the scopes were forgotten."""

    async def scenario(made: Deployment) -> None:
        await add_games(made, 0, 25)
        async with receiver() as hook, resting_sender(made) as sender:
            for number in range(25):
                await made.add(hook.url, scope=scope_at(number))
            for rounds in (1, 2):
                for number in range(25):
                    await made.emit(scope=scope_at(number))
                    if number % 2:
                        sender.wake(scope_at(number))
                await sender.look_around()
                while len(hook.received) < 25 * rounds:
                    await hook.next()
                for number in range(25):
                    await made.until_all("delivered", scope=scope_at(number))
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while True:  # until it has forgotten them, so that a poll reads nothing about them
                        await let_it_look()
                        with counting(made, monkeypatch) as seen:
                            await sender.look_around()
                        if len([text for text in seen if "webhook" in text or "games" in text]) == 1:
                            break

    play(tmp_path, scenario, kind)


def test_no_poll_forgets_a_scope_that_was_woken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while the games of other scopes are read, which were woken at the same moment."""

    async def scenario(made: Deployment) -> None:
        async with receiver() as hook, resting_sender(made) as sender:
            await made.add(hook.url)
            sender.wake(made.scope)
            await let_it_look()
            games, asked, go = sender._due_scopes.games, asyncio.Event(), asyncio.Event()

            async def held(scopes: Sequence[Scope]) -> dict[Scope, Game]:
                asked.set()
                await go.wait()
                found: dict[Scope, Game] = await games(scopes)
                return found

            monkeypatch.setattr(sender._due_scopes, "games", held)
            sender.wake(made.scope)
            sender.wake(made.other_scope)  # of which the sender knows nothing yet
            await asked.wait()
            monkeypatch.setattr(sender._due_scopes, "games", games)
            await sender.look_around()
            await made.emit()  # which the poll has missed
            go.set()
            await made.until_all("delivered")

    play(tmp_path, scenario)


def test_a_long_search_beats(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However many pages it has and however long each takes, readiness sees that the loop works."""
    monkeypatch.setattr("livecore_server.storage.sqlite.due_scopes.MOST_STEPS", 1)

    async def scenario(made: Deployment) -> None:
        seconds = [0.0]
        await add_games(made, 0, 12)
        for number in range(12):
            await schedule(made, scope_at(number), "now", START)
        loop = due_loop(made, [])
        loop.pulse.clock = lambda: seconds[0]
        loop.pulse.beat()
        page, stalled = made.executor.due_scopes, []

        async def slow(*arguments: Any) -> due_scopes.DuePage:  # noqa: ANN401 - passed on
            seconds[0] += 20
            stalled.append(loop.pulse.stalled)
            return await page(*arguments)

        made.executor.due_scopes = slow  # type: ignore[assignment] # the seam of this test
        await loop.turn()
        assert len(stalled) > 10
        assert not any(stalled)

    play(tmp_path, scenario)
