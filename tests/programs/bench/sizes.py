"""Measure what a player, a friendship and a gift take on the disk, and how many heartbeats a server answers.

\b
python -m tests.programs.bench.sizes            print the figures
python -m tests.programs.bench.sizes --publish  write them into docs/benchmarks/sizes.json as well

Rows are made through the application, as players make them. A table's bytes are those of its pages, indexes and free room
included: SQLite's `dbstat`, PostgreSQL's `pg_total_relation_size` after a VACUUM. `.ci/sizing.py` makes tables of the file.
"""  # noqa: D301 - click wants the character

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import attrs
import click
import psycopg
import uvloop

from tests.postgres.server import started_server
from tests.programs.bench import game, machine
from tests.programs.bench.databases import STORES, Database, StoreName, fresh
from tests.programs.bench.inside import Inside, inside
from tests.programs.bench.load import wire_request
from tests.programs.bench.players import Players
from tests.programs.bench.processes import Made, make_game, serve

FILE: Final = Path(__file__).parents[3] / "docs" / "benchmarks" / "sizes.json"
_COUNT: Final = 5_000
_HEARTBEATS: Final = 30_000
_BEATING: Final = 256
_FOR_A_DAY: Final = "idempotent_answers"
"""The table of answers kept for repeated requests; a sweep removes them after 24 hours."""
_SQLITE: Final = (
    "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat AS s JOIN sqlite_master AS m ON m.name = s.name GROUP BY 1"
)
_POSTGRES: Final = (
    "SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'public' AND c.relkind = 'r'"
)


@attrs.frozen(kw_only=True)
class SizeRow:
    """What one of a kind takes."""

    store: StoreName
    what: str
    measured: int
    """How many were made."""
    kept_bytes: float
    day_bytes: float
    """What goes again after 24 hours: the answer that is kept in case the request is repeated."""


@attrs.frozen(kw_only=True)
class HeartbeatRow:
    """Heartbeats of many players, over HTTP, with one server process."""

    store: StoreName
    requests: int
    per_second: float
    p99_ms: float


@attrs.frozen(kw_only=True)
class Sizes:
    """Everything that was measured, and on what."""

    machine: dict[str, str]
    sizes: list[SizeRow]
    heartbeats: list[HeartbeatRow]


# -- on the disk


def _tables(database: Database) -> dict[str, int]:
    """The bytes of each table."""
    if database.store == "sqlite":
        with closing(sqlite3.connect(database.url.removeprefix("sqlite:///"))) as connection:
            return dict(connection.execute(_SQLITE).fetchall())
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("VACUUM")
        return {str(name): int(size) for name, size in connection.execute(_POSTGRES).fetchall()}


def _steps(made: Made, count: int) -> Iterator[tuple[str, Callable[[Inside], None]]]:
    """What is made, one kind after another; a later one rests on those before it."""
    key, names = made.client_key, [f"player-{number}" for number in range(count)]
    secrets: dict[str, str] = {}
    pairs = [(names[at], names[(at + 1) % count]) for at in range(count)]
    gifts: list[tuple[str, str]] = []

    def register(asked: Inside) -> None:
        answers = asked.ask_all(game.register(key, name) for name in names)
        secrets.update((name, data["playerSecret"]) for name, data in zip(names, answers, strict=True))

    def befriend(asked: Inside) -> None:
        for pair in (pairs, [(other, one) for one, other in pairs]):
            _all(asked, (game.add(key, one, secrets[one], other) for one, other in pair))

    def credit(asked: Inside) -> None:
        _all(asked, (game.credit(made.server_key, name, 100) for name in names))

    def give(asked: Inside) -> None:
        sends = (game.send_gift(key, one, secrets[one], other, 0) for one, other in pairs)
        answers = asked.ask_all(sends)
        gifts.extend((other, data["gift"]["giftId"]) for (_, other), data in zip(pairs, answers, strict=True))

    def claim(asked: Inside) -> None:
        _all(asked, (game.claim(key, name, secrets[name], gift) for name, gift in gifts))

    def gift(asked: Inside) -> None:
        give(asked)
        claim(asked)

    yield "player", register
    yield "friendship", befriend
    yield "first credit", credit
    yield "gift, sent and claimed", gift


def _all(asked: Inside, wires: Iterator[bytes]) -> None:
    for _ in asked.ask_all(wires):
        pass


def _sizes(store: StoreName, count: int) -> Iterator[SizeRow]:
    with fresh(store) as database:
        made = make_game(database, game.CONFIG)
        before = _tables(database)
        for what, step in _steps(made, count):
            with inside(database) as asked:
                step(asked)
            after = _tables(database)
            grown = {name: size - before.get(name, 0) for name, size in after.items()}
            day = grown.pop(_FOR_A_DAY, 0)
            before = after
            yield SizeRow(
                store=store, what=what, measured=count, kept_bytes=sum(grown.values()) / count, day_bytes=day / count
            )


# -- signs of life


def _heartbeats(store: StoreName, count: int) -> HeartbeatRow:
    with fresh(store) as database:
        made = make_game(database, game.CONFIG)
        with serve(database, made) as served:
            players = Players(served)
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                return runner.run(_beat(store, players, count))


async def _beat(store: StoreName, players: Players, count: int) -> HeartbeatRow:
    names = [f"player-{number}" for number in range(_BEATING)]
    await players.register(names)
    beats: Sequence[bytes] = [_heartbeat(players.client_key, name, players.secrets[name]) for name in names]
    await players.load(list(islice(cycle(beats), count // 10)))
    result = await players.load(list(islice(cycle(beats), count)))
    return HeartbeatRow(
        store=store,
        requests=result.requests,
        per_second=result.per_second,
        p99_ms=result.milliseconds(0.99),
    )


def _heartbeat(key: str, player: str, secret: str) -> bytes:
    headers = {"Authorization": f"Bearer {key}", "X-Player-Secret": secret}
    return wire_request("POST", f"/sdk/v1/players/{player}/presence", headers, b"{}")


@click.command(help=__doc__)
@click.option("--publish", is_flag=True, help=f"Write {FILE.name}.")
@click.option("--count", default=_COUNT, show_default=True, help="How many of each kind to make.")
@click.option("--heartbeats", default=_HEARTBEATS, show_default=True, help="How many heartbeats to send.")
def main(*, publish: bool, count: int, heartbeats: int) -> None:
    """Measure both stores."""
    with started_server():
        found = Sizes(
            machine=machine.describe(),
            sizes=[row for store in STORES for row in _sizes(store, count)],
            heartbeats=[_heartbeats(store, heartbeats) for store in STORES],
        )
    text = json.dumps(attrs.asdict(found), indent=2) + "\n"
    click.echo(text, nl=False)
    if publish:
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
