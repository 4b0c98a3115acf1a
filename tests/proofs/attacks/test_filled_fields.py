"""The guard of the server's memory: whatever callers fill their fields with, it stays what it was.

A server process of its own, without rate limits, is sent requests of every operation that writes, each field filled to its
limit with the texts that take the most memory (`tests.attacks.filling`): first by one player, then by a thousand.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from livecore.api.table.operation import Operation
from livecore.kernel.errors import Json, JsonObject
from tests.attacks.filling import filled, filled_fields, filling_operations
from tests.crash.served import Livecore
from tests.postgres.server import ready_database
from tests.worlds import LEADERBOARDS, config

REQUESTS: Final = int(os.environ.get("LIVECORE_FILLING_REQUESTS", "20000"))
MOST_GROWTH_MIB: Final = 64
MOST_BEFORE_MIB: Final = 320
"""After the warm-up, which fills fields as well; a process that has only started has about 100."""
_WARMING: Final = 2_000
_PLAYERS: Final = 1_000
_CONNECTIONS: Final = 16
_LONG_BYTES: Final = 8 * 1024
_MORE_OFTEN: Final = 8
_MIB: Final = 1024 * 1024
_PLACES: Final = {"economyKey": "gold", "itemKey": "potion", "eventKey": "race", "teamKey": "owls"}
_KEYS: Final = {"events": "race", "leaderboards": "all", "teams": "crews", "partners": "duo"}
_ALWAYS: Final[JsonObject] = {
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86_400, "durationSeconds": 86_400},
    "metrics": [{"key": "points"}],
    "attempts": {"maxPerWindow": None},
}
_EVENTS: Final[list[Json]] = [
    {"key": "race", "name": "Race", **_ALWAYS},
    {"key": "crews", "name": "Crews", **_ALWAYS, "teams": {"formation": "open", "size": {"max": 3}}},
]
_STORED: Final = frozenset({
    "players.register", "players.setIdentity", "presence.heartbeat", "gifts.send", "events.start",
    "guilds.create", "guilds.update", "purchases.track", "grants.create", "inventory.grant", "wallet.credit",
    "wallet.debit", "migrate.players", "migrate.inventory", "teams.create",
})  # fmt: skip
"""What must have been taken at least once: else the fields of it were filled for nothing."""


class _Caller:
    """One connection of a game's client and its backend."""

    def __init__(self, server: Livecore) -> None:
        self._server = server
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def connect(self) -> None:
        host, _, port = self._server.address.removeprefix("http://").partition(":")
        self._reader, self._writer = await asyncio.open_connection(host, int(port))

    async def ask(self, entry: Operation, path: str, body: JsonObject, secret: str | None) -> tuple[int, bytes]:
        """Send a request of an operation; gives the status and the body of the answer."""
        raw = json.dumps(body, ensure_ascii=False).encode()
        key = self._server.keys["server" if entry.surface == "server" else "client"]
        head = [f"{entry.method} {path} HTTP/1.1", "Host: test", f"Authorization: Bearer {key}"]
        head += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
        head += [] if secret is None or entry.credential != "player" else [f"X-Player-Secret: {secret}"]
        self._writer.write("\r\n".join([*head, "", ""]).encode() + raw)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        lines = answer.lower().split(b"\r\n")
        length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
        return int(answer.split()[1]), await self._reader.readexactly(length)

    def close(self) -> None:
        """Close the connection."""
        self._writer.transport.abort()


class _Attack:
    """Requests by number; each operation in its turn."""

    def __init__(self, server: Livecore) -> None:
        self.server = server
        self.taken: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self._operations = {entry.id: entry for entry in filling_operations()}
        # Those that fill an object as well, which holds the most, come more often.
        long = [entry for entry in self._operations.values() if len(json.dumps(filled(entry, 0, ""))) > _LONG_BYTES]
        self._in_turn = [*self._operations.values(), *long * _MORE_OFTEN]
        self._numbers = itertools.count()
        self._secrets: dict[str, str] = {}

    async def begin(self, players: int) -> None:
        """Register the players, and make friends of each two."""
        caller = _Caller(self.server)
        await caller.connect()
        for at in range(0, players, 2):
            await self._make_friends(caller, f"player-{at}", f"player-{at + 1}")
        caller.close()

    async def by(self, players: int, count: int) -> None:
        """So many requests by so many players, over several connections."""
        callers = [_Caller(self.server) for _ in range(_CONNECTIONS)]
        for caller in callers:
            await caller.connect()
        try:
            turns = iter(range(count))
            await asyncio.gather(*(self._send(caller, players, turns) for caller in callers))
        finally:
            for caller in callers:
                caller.close()

    async def _send(self, caller: _Caller, players: int, turns: Iterator[int]) -> None:
        for turn in turns:
            player, other = f"player-{turn % players}", f"player-{turn % players ^ 1}"
            number = next(self._numbers)
            entry = self._in_turn[number % len(self._in_turn)]
            subject = f"new-{number}" if entry.id == "sdk:players.register" else player
            status, _ = await caller.ask(
                entry, _path(entry, subject), filled(entry, number, other), self._secrets[player]
            )
            self.statuses[status] += 1
            self.taken[entry.name] += status < 300

    async def _make_friends(self, caller: _Caller, *players: str) -> None:
        """Register both, and have each ask the other to be friends, so that either may send gifts."""
        for player in players:
            entry = self._operations["sdk:players.register"]
            body = filled(entry, next(self._numbers), "")
            status, answer = await caller.ask(entry, _path(entry, player), body, None)
            assert status == 201, answer
            self._secrets[player] = json.loads(answer)["data"]["playerSecret"]
        for player, other in zip(players, reversed(players), strict=True):
            entry = self._operations["sdk:friends.sendRequest"]
            await caller.ask(entry, _path(entry, player), {"externalPlayerId": other}, self._secrets[player])


def _path(entry: Operation, player: str) -> str:
    path = entry.path.replace("{externalId}", player)
    for variable in entry.variables:
        value = _KEYS.get(entry.name.partition(".")[0], "x") if variable == "key" else _PLACES.get(variable, "unknown")
        path = path.replace(f"{{{variable}}}", value)
    return path


def _memory_mib(process_id: int) -> float:
    pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


@contextmanager
def _served(folder: Path, store: str) -> Iterator[Livecore]:
    gifting: Json = {"enabled": True, "resources": [{"type": "item", "key": "potion", "maxAmount": 100}]}
    game: Any = config(events=_EVENTS, leaderboards=LEADERBOARDS, gifting=gifting)
    if store == "sqlite":
        server = Livecore(folder, game)
        server.start()
        try:
            yield server
        finally:
            server.end()
        return
    with ready_database() as url:
        server = Livecore(folder, game, url=url)
        server.start()
        try:
            yield server
        finally:
            server.end()


def test_the_fields_that_hold_the_most_are_filled() -> None:
    """What the shapes were read for: free-form objects, messages, names and keys are among the fields that are filled."""
    names = {f"{field.operation} {field.name}" for entry in filling_operations() for field in filled_fields(entry)}
    assert names >= {
        "players.register playerContext", "purchases.track metadata", "purchases.track transactionId",
        "presence.heartbeat status", "gifts.send message", "guilds.create description", "guilds.update metadata",
        "guilds.join message", "grants.create entries.parameters", "migrate.players rows.playerContext",
        "players.setIdentity name", "wallet.debit reason", "teams.putRoster attributes",
    }  # fmt: skip
    assert {f"{entry.name} idempotencyKey" for entry in filling_operations()} <= names


@pytest.mark.timeout(900)
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_memory_stays_what_it_was(tmp_path: Path, store: str) -> None:
    """After a warm-up, requests of one player and of a thousand make the process grow by at most 64 MiB."""
    with _served(tmp_path, store) as server:
        attack = _Attack(server)
        asyncio.run(attack.begin(_PLAYERS))
        asyncio.run(attack.by(_PLAYERS, _WARMING))
        before = _memory_mib(server.pid)
        asyncio.run(attack.by(1, REQUESTS // 2))
        one = _memory_mib(server.pid)
        asyncio.run(attack.by(_PLAYERS, REQUESTS // 2))
        after = _memory_mib(server.pid)
    figures = f"{before:.0f} MiB, {one:.0f} by one player, {after:.0f} by a thousand; {dict(attack.statuses)}"
    print(figures)  # noqa: T201 - for whoever measures, with `-s`
    assert not [status for status in attack.statuses if status >= 500], figures
    assert {name for name in _STORED if not attack.taken[name]} == set(), figures
    assert before <= MOST_BEFORE_MIB, figures
    assert max(one, after) - before <= MOST_GROWTH_MIB, figures
