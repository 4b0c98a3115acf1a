"""A live leaderboard with many readers: whether each ends with the true board, what it costs, and who waits meanwhile.

Each reader is a connection of its own. It keeps the newest score of each player that the stream has sent; in the end that
must be the board.
"""

from __future__ import annotations

import asyncio
import json
import time
from itertools import count
from typing import Final, cast
from urllib.parse import urlsplit

from tests.programs.bench import game
from tests.programs.bench.boards import CONFIG, Field, gather
from tests.programs.bench.databases import CannotRun, StoreName, fresh
from tests.programs.bench.figures import ReadersRow
from tests.programs.bench.load import Result, run_load
from tests.programs.bench.over_http import on_quick_loop
from tests.programs.bench.probe import Probe, pause
from tests.programs.bench.processes import Served, make_game, serve

_PLAYERS: Final = 1_000
_OPENED_AT_ONCE: Final = 50
_QUIET_SECONDS: Final = 3.0
"""After the last change every reader has this long to receive what is under way."""
_CHANGED: Final = b"event: score_update"
_PLAYER: Final = b'"playerId":"'
_SCORE: Final = b'"score":'


class _Reader(asyncio.Protocol):
    """One connection that follows the board."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._rest = b""
        self.scores: dict[bytes, bytes] = {}
        self.messages = 0
        self.resynced = False
        self.lost = False
        self.ready = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Take note of each message that is whole."""
        *parts, self._rest = (self._rest + data).split(b"\n\n")
        for part in parts:
            if _CHANGED in part:
                self.messages += 1
                player = part.index(_PLAYER) + len(_PLAYER)
                score = part.index(_SCORE) + len(_SCORE)
                self.scores[part[player : part.index(b'"', player)]] = part[score : part.index(b",", score)]
            elif b"event: ready" in part:
                self.resynced = self.resynced or b'"resync":true' in part
                if not self.ready.done():
                    self.ready.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server has ended the stream."""
        self.lost = True
        if not self.ready.done():
            self.ready.set_exception(exc or ConnectionError("the stream ended before it was ready"))

    def close(self) -> None:
        """Leave."""
        if self._transport is not None:
            self._transport.close()


def measure(store: StoreName, readers: int, per_second: int, seconds: int) -> ReadersRow:
    """Have so many readers follow a board that changes so often for so long. Raises `CannotRun`."""
    with fresh(store) as database:
        made = make_game(database, CONFIG)
        field = gather(database, made, _PLAYERS, submit=False)
        with serve(database, made) as served:
            return on_quick_loop(_followed(store, served, field, readers, per_second, seconds))


async def _followed(
    store: StoreName, served: Served, field: Field, readers: int, per_second: int, seconds: int
) -> ReadersRow:
    key = served.game.client_key
    before = served.usage()
    opened = await _open(served, field.board_id, readers)
    connected = served.usage()
    over = False
    probe = Probe(served.address, [game.profile(key, runner.name, runner.secret) for runner in field.runners[:16]])
    probing = asyncio.create_task(probe.until(lambda: over))
    began = time.perf_counter()
    truth, sent = await _change(served, field, per_second, seconds)
    elapsed = time.perf_counter() - began
    await pause(_QUIET_SECONDS)
    over = True
    await probing
    used = served.usage()
    for reader in opened:
        reader.close()
    return ReadersRow(
        store=store,
        readers=readers,
        changes_per_second=sent / elapsed,
        seconds=seconds,
        messages_per_second=sum(reader.messages for reader in opened) / (elapsed + _QUIET_SECONDS),
        true_readers=sum(reader.scores == truth and not reader.resynced and not reader.lost for reader in opened),
        lost_readers=sum(reader.lost for reader in opened),
        profile_p50_ms=probe.milliseconds(0.50),
        profile_p99_ms=probe.milliseconds(0.99),
        server_cpu_share=(used.cpu_seconds - connected.cpu_seconds) / (elapsed + _QUIET_SECONDS),
        idle_memory_mb=before.memory_mb,
        connected_memory_mb=connected.memory_mb,
        server_memory_mb=used.memory_mb,
    )


async def _open(served: Served, board_id: str, readers: int) -> list[_Reader]:
    parts = urlsplit(served.address)
    host, port = parts.hostname or "127.0.0.1", parts.port or 80
    request = game.follow(served.game.client_key, board_id)
    loop = asyncio.get_running_loop()
    opened: list[_Reader] = []
    for _ in range(0, readers, _OPENED_AT_ONCE):
        made = [
            await loop.create_connection(lambda: _Reader(request), host, port)
            for _ in range(min(_OPENED_AT_ONCE, readers - len(opened)))
        ]
        opened += [reader for _, reader in made]
        await asyncio.wait_for(asyncio.gather(*(reader.ready for _, reader in made)), timeout=60)
    return opened


async def _change(served: Served, field: Field, per_second: int, seconds: int) -> tuple[dict[bytes, bytes], int]:
    """Report progress so often; gives the score of each player whose score has changed, and how many reports were made."""
    truth: dict[bytes, bytes] = {}
    sending: list[asyncio.Task[Result]] = []
    began = time.perf_counter()

    def note(body: bytes) -> None:
        answer = json.loads(body)
        if "data" not in answer:
            raise CannotRun(f"progress was refused: {answer}")

    for number in count():
        due = began + number / per_second
        if due >= began + seconds:
            break
        await pause(max(0.0, due - time.perf_counter()))
        runner = field.runners[number % len(field.runners)]
        request = game.progress(served.game.client_key, runner.name, runner.secret, runner.attempt_id, 1 + number % 7)
        # The next one is not held up by an answer that is late.
        sending.append(asyncio.create_task(run_load(served.address, iter([request]), connections=1, keep=note)))
    await asyncio.gather(*sending)
    board = await _board(served, field.board_id)
    changed = {runner.player_id for runner in field.runners[: min(number, len(field.runners))]}
    for player_id, score in board.items():
        if player_id in changed:
            truth[player_id.encode()] = str(score).encode()
    return truth, number


async def _board(served: Served, board_id: str) -> dict[str, int]:
    """The whole board, page by page."""
    scores: dict[str, int] = {}
    query = "limit=200"
    while True:
        bodies: list[bytes] = []
        request = game.board(served.game.client_key, board_id, query)
        await run_load(served.address, iter([request]), connections=1, keep=bodies.append)
        page = json.loads(bodies[0])["data"]
        scores.update({row["playerId"]: row["score"] for row in page["entries"]})
        if page["nextCursor"] is None:
            return scores
        query = f"limit=200&cursor={page['nextCursor']}"
