"""The loops beside the requests: due work runs in time, whatever fails is put off, and memory reaches its rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import pytest

from livecore.access.audit import KEY_USAGE, LAST_USED, KeyUsage
from livecore.access.directory import KEYS_OF_GAME, delete_game
from livecore.api.application import Application
from livecore.api.areas import AREAS
from livecore.api.configuration.game_config import load_config
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import NewGame, make_game
from livecore.demo import DEMO
from livecore.kernel.declarations.area import Area, Areas, DueHandler
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Overloaded
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units import due
from livecore.kernel.units.unit import Actor, Unit
from livecore.players.player import PLAYERS, Player
from livecore.players.seen import SEEN, seen_of
from livecore_server.background.loops import DueLoop, FlushLoop
from livecore_server.cli.new_games import create_game
from livecore_server.metrics import Metrics
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.storage.sqlite.executor import SqliteExecutor
from tests.patience import PATIENCE_SECONDS

HOUR = 3_600_000
START = 1_767_225_600_000


@attrs.define(eq=False)
class Rig:
    """The loops over a real store, with a clock that the test sets and work that it defines."""

    executor: SqliteExecutor
    application: Application
    metrics: Metrics
    game: NewGame
    now: list[int]
    ran: list[str]
    woken: list[Scope]

    @property
    def scope(self) -> Scope:
        """The game's test scope."""
        return Scope(self.game.game.game_id, "test")

    def due_loop(self) -> DueLoop:
        """A loop that has not yet looked around."""
        return DueLoop(self.executor, self.application, self.metrics, self.woken.append)

    async def schedule(self, kind: str, ref: str, due_at: int) -> None:
        """Have work due in the test scope."""
        await self.executor.write(self.scope, lambda tx: due.schedule(tx, kind, ref, due_at))

    async def work(self) -> dict[str, due.DueWork]:
        """The test's own work that is still to be done, by what it is about."""
        found = await self.executor.read(self.scope, lambda tx: tx.scan(due.DUE_BY_TIME))
        return {row.ref: row for row in found if row.kind.startswith("test.")}


def player(scope: Scope, name: str) -> Player:
    """A row of a player."""
    return Player(
        player_id=PlayerId(f"plr_{name}"),
        external_id=f"{name} of {scope.id}",
        pool_name="",
        first_seen_at=0,
        last_seen_at=0,
    )


@asynccontextmanager
async def rig(folder: Path) -> AsyncIterator[Rig]:
    """A rig whose work `test.note` takes note of what it is about, and whose work `test.fail` fails."""
    now, ran = [START], []

    def fail(_: Unit, ref: str) -> None:
        raise RuntimeError(ref)

    handlers: dict[str, DueHandler] = {kind: lambda _, __: None for kind in AREAS.due} | {
        "test.note": lambda _, ref: ran.append(ref),
        "test.fail": fail,
    }
    store = SqliteStore(folder / "loops.db")
    game = create_game(store, load_config(DEMO), "Studio")
    areas = Areas([Area(name="test", due=handlers, ephemeral=AREAS.ephemeral)])
    application = Application(
        store, clock=lambda: now[0], seeds=lambda: b"seed", deployment=new_deployment(areas=areas)
    )
    executor = SqliteExecutor(store)
    try:
        yield Rig(executor, application, Metrics(), game, now, ran, [])
    finally:
        await executor.close()


def test_due_work_runs_when_its_time_has_come_and_not_before(tmp_path: Path) -> None:
    """What lies ahead stays, and the loop knows how long it may rest."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            await made.schedule("test.note", "early", START - 1)
            await made.schedule("test.note", "now", START)
            await made.schedule("test.note", "later", START + 2_000)
            await loop.turn()
            assert made.ran == ["early", "now"]
            assert set(await made.work()) == {"later"}
            assert await loop.turn() == pytest.approx(2.0)
            made.now[0] += 2_000
            await loop.turn()
            assert made.ran == ["early", "now", "later"]

    asyncio.run(scenario())


def test_failing_work_is_put_off_and_stops_nothing(tmp_path: Path) -> None:
    """One second after the first failure, two after the second; what else is due runs."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            await made.schedule("test.fail", "bad", START)
            await made.schedule("test.note", "good", START)
            await made.schedule("test.unknown", "strange", START)
            for due_at, attempts in ((START + 1_000, 1), (START + 3_000, 2)):
                await loop.turn()
                left = await made.work()
                assert {ref: (work.due_at, work.attempts) for ref, work in left.items()} == {
                    "bad": (due_at, attempts),
                    "strange": (due_at, attempts),
                }
                made.now[0] += 1_000
            assert made.ran == ["good"]
            text = made.metrics.text().decode()
            assert 'livecore_due_work_total{kind="test.fail",outcome="failed"} 2.0' in text
            assert 'livecore_due_work_total{kind="test.note",outcome="ran"} 1.0' in text

    asyncio.run(scenario())


def test_a_hint_is_enough_to_find_new_work(tmp_path: Path) -> None:
    """Between two looks around, only scopes that somebody wrote to are asked again."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            await loop.turn()
            await made.schedule("test.note", "new", START)
            await loop.turn()
            assert made.ran == []
            loop.hint(made.scope)
            await loop.turn()
            assert made.ran == ["new"]

    asyncio.run(scenario())


def test_nothing_of_a_deleted_game_runs(tmp_path: Path) -> None:
    """From the turn on that follows a write to the directory; a game that was made meanwhile is found in the same turn."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            await loop.turn()
            await made.schedule("test.note", "never", START)
            await made.executor.write(DIRECTORY, lambda tx: delete_game(tx, made.game.game, START))
            loop.hint(DIRECTORY)
            loop.hint(made.scope)
            await loop.turn()
            await loop.turn()
            assert made.ran == []
            assert set(await made.work()) == {"never"}

    asyncio.run(scenario())


def test_the_running_loop_wakes_up_for_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not sleep out its rest, which is longer than anybody waits here."""
    monkeypatch.setattr("livecore_server.background.loops._LOOK_AROUND_SECONDS", 2 * PATIENCE_SECONDS)

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            running = asyncio.create_task(loop.run())
            await made.schedule("test.note", "new", START)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not made.ran:
                    loop.hint(made.scope)
                    await asyncio.sleep(0)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            assert made.ran == ["new"]

    asyncio.run(scenario())


def test_a_busy_store_only_delays_due_work(tmp_path: Path) -> None:
    """Overload is no failure of the work: nothing is put off, it is tried again."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop, write = made.due_loop(), made.executor.write
            await made.schedule("test.note", "patient", START)

            async def busy(*_: object) -> None:
                raise Overloaded

            made.executor.write = busy  # type: ignore[assignment] # the seam of this test
            await loop.turn()
            assert (await made.work())["patient"].attempts == 0
            made.executor.write = write  # type: ignore[method-assign] # the same
            made.now[0] += 1_000
            await loop.turn()
            assert made.ran == ["patient"]

    asyncio.run(scenario())


def test_a_loop_survives_what_nobody_expected(tmp_path: Path) -> None:
    """A store that cannot even be read is asked again a moment later."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop, asked = made.due_loop(), asyncio.Event()

            async def broken(*_: object) -> None:
                asked.set()
                raise OSError

            made.executor.read = broken  # type: ignore[assignment] # the seam of this test
            running = asyncio.create_task(loop.run())
            await asked.wait()
            await asyncio.sleep(0)
            assert not running.done()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(scenario())


def test_memory_is_written_and_given_back_when_that_fails(tmp_path: Path) -> None:
    """Nothing that was taken out to be written is lost with a failed write."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            key = made.game.keys["test", "client"].key
            usage = KeyUsage(key_id=key.key_id, at=START, operation="sdk:friends.list")
            made.application.ephemeral.values(LAST_USED).put(DIRECTORY, key.key_id, usage)
            loop, write = FlushLoop(made.executor, made.application, made.metrics), made.executor.write

            async def busy(*_: object) -> None:
                raise Overloaded

            made.executor.write = busy  # type: ignore[assignment] # the seam of this test
            with pytest.raises(Overloaded):
                await loop.flush()
            made.executor.write = write  # type: ignore[method-assign] # the same
            await loop.flush()
            assert await made.executor.read(DIRECTORY, lambda tx: tx.get(KEY_USAGE, key.key_id)) == usage
            assert "livecore_flushed_facts_total 1.0" in made.metrics.text().decode()

    asyncio.run(scenario())


def test_what_was_noted_of_an_erased_player_is_forgotten_when_it_is_flushed(tmp_path: Path) -> None:
    """By a request that was under way; also what has been noted since then, in a batch that writes others' values."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            values = made.application.ephemeral.values(SEEN)
            stays, gone = (player(made.scope, name) for name in ("stays", "gone"))
            emptied = evolve(gone, erased_at=START, epoch=1)
            await made.executor.write(made.scope, lambda tx: [tx.insert(PLAYERS, row) for row in (stays, emptied)])
            for name in ("stays", "gone"):
                values.put(made.scope, f"plr_{name}", evolve(seen_of(player(made.scope, name)), presence_status="x"))
            await FlushLoop(made.executor, made.application, made.metrics).flush()
            assert values.get(made.scope, "plr_gone") is None
            assert values.get(made.scope, "plr_stays") is not None
            rows = await made.executor.read(
                made.scope, lambda tx: [tx.get(PLAYERS, f"plr_{name}") for name in ("stays", "gone")]
            )
            assert [row and row.presence_status for row in rows] == ["x", None]

    asyncio.run(scenario())


def test_the_memory_is_tidied_every_minute(tmp_path: Path) -> None:
    """At the first turn, for what an earlier process has left, and then once a minute; also after a clock was set back."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop, tidied = FlushLoop(made.executor, made.application, made.metrics, interval_seconds=0.0), []
            turns = iter([0, 1, 59_999, 60_000, 60_001, 1, 1])

            def tidy(now: int) -> None:
                tidied.append(now - START)

            async def flush() -> None:
                turn = next(turns, None)
                if turn is None:
                    running.cancel()
                else:
                    made.now[0] = START + turn

            made.application.ephemeral.tidy = tidy  # type: ignore[method-assign] # the seam of this test
            loop.flush = flush  # type: ignore[method-assign] # the same
            running = asyncio.create_task(loop.run())
            await asyncio.gather(running, return_exceptions=True)
            assert tidied == [0, 60_000, 1]

    asyncio.run(scenario())


def test_a_game_that_was_made_meanwhile_gets_its_due_work(tmp_path: Path) -> None:
    """Another process may make games while the server runs."""

    async def scenario() -> None:
        async with rig(tmp_path) as made:
            loop = made.due_loop()
            await loop.turn()
            now = made.now[0]

            def make(tx: Transaction) -> NewGame:
                entropy = Entropy(b"another")
                return make_game(tx, load_config(DEMO), now, entropy, studio_name="Two", actor=Actor("system"))

            second = await made.executor.write(DIRECTORY, make)
            assert await made.executor.read(DIRECTORY, lambda tx: tx.count(KEYS_OF_GAME, second.game.game_id)) == 4
            scope = Scope(second.game.game_id, "test")
            await made.executor.write(scope, lambda tx: due.schedule(tx, "test.note", "second game", START))
            loop.hint(scope)
            await loop.turn()
            await loop.turn()
            assert made.ran == ["second game"]

    asyncio.run(scenario())
