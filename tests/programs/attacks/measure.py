"""What attacks on the intake of requests cost a server: `python -m tests.programs.attacks.measure [ATTACK …]`.

For each attack it starts a server on a database of its own, without rate limits, and another client that reads and writes
all the while. It prints by how much the server's memory grew at most, by how much it had grown some seconds later, and the
longest wait of the other client, under attack and before. Every attack is bounded and comes from this machine; nothing is
asserted. It asks nothing of the server but its command line, so `PYTHONPATH` may name an older tree to compare with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

KIB: Final = 1024
_MIB: Final = KIB * KIB
_SETTLING_SECONDS: Final = 3.0
_PATIENCE_SECONDS: Final = 60.0
_STARTED: Final = re.compile(rb"listening on http://127\.0\.0\.1:(\d+)")


@attrs.frozen
class Target:
    """A server under attack."""

    port: int
    client_key: str
    server_key: str


def _head(start: str, length: int | None = None, key: str = "", **headers: str) -> bytes:
    lines = [f"{start} HTTP/1.1", "Host: test", "Content-Type: application/json"]
    lines += [f"Content-Length: {length}"] if length is not None else []
    lines += [f"Authorization: Bearer {key}"] if key else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


# -- attacks --------------------------------------------------------------------------------------------------------------


async def _send(target: Target, data: bytes, *, hold_seconds: float = 0.0, answers: bool = False) -> None:
    """Send bytes on a connection of its own, as far as the server takes them; then hold it, or read to its end."""
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
            try:
                writer.write(data)
                await writer.drain()
                while answers and await reader.read(64 * KIB):
                    pass
                async with asyncio.timeout(hold_seconds):
                    await asyncio.Event().wait()
            finally:
                writer.transport.abort()


async def _all_at_once(target: Target, data: bytes, count: int, *, hold_seconds: float) -> None:
    await asyncio.gather(*(_send(target, data, hold_seconds=hold_seconds) for _ in range(count)))


async def bodies_without_a_key(target: Target) -> None:
    """300 connections announce a mebibyte on `GET /admin/v1/health`, send all but its last byte, and wait."""
    data = _head("GET /admin/v1/health", _MIB) + b"x" * (_MIB - 1)
    await _all_at_once(target, data, 300, hold_seconds=3.0)


async def bodies_of_many_values(target: Target) -> None:
    """40 registrations, each with a mebibyte of empty objects."""
    await _bodies_of_values(target, _MIB)


async def small_bodies_of_many_values(target: Target) -> None:
    """400 registrations, each with 60 KiB of empty objects."""
    await _bodies_of_values(target, 60 * KIB, 400)


async def _bodies_of_values(target: Target, size: int, count: int = 40) -> None:
    body = b'{"playerContext":{"a":[' + b"{}," * (size // 3 - 20) + b"{}]}}"
    await asyncio.gather(
        *(
            _send(
                target,
                _head(f"POST /sdk/v1/players/p{number}/register", len(body), target.client_key, Connection="close")
                + body,
                answers=True,
            )
            for number in range(count)
        )
    )


async def aborted_uploads(target: Target) -> None:
    """1,200 uploads of a mebibyte by a client, 60 at a time, each broken off before its last byte."""
    data = _head("PUT /sdk/v1/players/anna/identity", _MIB, target.client_key) + b"x" * (_MIB - 1)
    for _ in range(20):
        await _all_at_once(target, data, 60, hold_seconds=0.05)


async def aborted_uploads_by_a_backend(target: Target) -> None:
    """600 uploads of a mebibyte by a backend, 30 at a time, each broken off before its last byte."""
    data = _head("PUT /server/v1/players/anna/identity", _MIB, target.server_key) + b"x" * (_MIB - 1)
    for _ in range(20):
        await _all_at_once(target, data, 30, hold_seconds=0.05)


async def small_aborted_uploads(target: Target) -> None:
    """4,000 uploads of 60 KiB by a client, 100 at a time, each broken off before its last byte."""
    data = _head("PUT /sdk/v1/players/anna/identity", 60 * KIB, target.client_key) + b"x" * (60 * KIB - 1)
    for _ in range(40):
        await _all_at_once(target, data, 100, hold_seconds=0.05)


async def held_uploads(target: Target) -> None:
    """600 clients send all but the last byte of a body of 64 KiB, and wait."""
    data = _head("PUT /sdk/v1/players/anna/identity", 64 * KIB, target.client_key) + b"x" * (64 * KIB - 1)
    await _all_at_once(target, data, 600, hold_seconds=3.0)


async def held_uploads_by_a_backend(target: Target) -> None:
    """200 requests of a backend send all but the last byte of a body of a mebibyte, and wait."""
    data = _head("PUT /server/v1/players/anna/identity", _MIB, target.server_key) + b"x" * (_MIB - 1)
    await _all_at_once(target, data, 200, hold_seconds=3.0)


async def long_heads(target: Target) -> None:
    """200 connections send 120 header lines of 16,000 bytes each, no end, and wait."""
    data = b"GET /admin/v1/health HTTP/1.1\r\nHost: test\r\n" + (b"X-A: " + b"x" * 15_990 + b"\r\n") * 120
    await _all_at_once(target, data, 200, hold_seconds=3.0)


async def requests_sent_ahead(target: Target) -> None:
    """200 connections send 5,000 requests each without waiting for an answer, and read none."""
    await _all_at_once(target, _head("GET /nowhere") * 5_000, 200, hold_seconds=3.0)


async def large_migrations(target: Target) -> None:
    """Four bodies of almost 8 MiB move a thousand players in each, as a backend may."""
    for number in range(4):
        rows = [
            {
                "idempotencyKey": f"m{number}-{row}",
                "externalPlayerId": f"moved-{number}-{row}",
                "name": f"Moved {row}",
                "playerContext": {"text": "x" * 8_000},
            }
            for row in range(1_000)
        ]
        body = json.dumps({"rows": rows}).encode()
        head = _head("POST /server/v1/migrate/players", len(body), target.server_key, Connection="close")
        await _send(target, head + body, answers=True)


ATTACKS: Final[Mapping[str, Callable[[Target], Coroutine[None, None, None]]]] = {
    attack.__name__.replace("_", "-"): attack
    for attack in (
        bodies_without_a_key,
        bodies_of_many_values,
        small_bodies_of_many_values,
        aborted_uploads,
        aborted_uploads_by_a_backend,
        small_aborted_uploads,
        held_uploads,
        held_uploads_by_a_backend,
        long_heads,
        requests_sent_ahead,
        large_migrations,
    )
}


def _attack(name: str, target: Target) -> None:
    asyncio.run(ATTACKS[name](target))


# -- the server and the other client --------------------------------------------------------------------------------------


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Target, int]]:
    """A server in a process of its own; gives where it is and its process id."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("LIVECORE_")}
    database = f"sqlite:///{folder / 'game.db'}"
    command = [sys.executable, "-m", "livecore_server"]
    made = subprocess.run(
        [*command, "init", "--database", database, "--json"], check=True, capture_output=True, env=environment
    )
    keys = json.loads(made.stdout)["keys"]["test"]
    serve = [*command, "serve", "--database", database, "--port", "0", "--rate-limits", "off", "--no-request-log"]
    running = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    try:
        assert running.stdout is not None
        for line in running.stdout:
            if found := _STARTED.search(line):
                break
        else:
            raise SystemExit("the server did not start")
        yield Target(int(found[1]), keys["client"], keys["server"]), running.pid
    finally:
        running.terminate()
        running.communicate()


def _memory_bytes(process_id: int) -> int:
    pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@attrs.define
class Watch:
    """What the other client sees: its longest wait, and the server's memory meanwhile."""

    target: Target
    process_id: int
    longest_seconds: float = 0.0
    most_bytes: int = 0
    _number: int = 0
    _socket: socket.socket = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._socket = socket.create_connection(("127.0.0.1", self.target.port), timeout=_PATIENCE_SECONDS)

    def look(self) -> None:
        """Read and write once each."""
        self._number += 1
        write = json.dumps({"name": f"Name {self._number}"}).encode()
        player = "/server/v1/players/witness"
        self._ask(_head("GET /server/v1/ping", key=self.target.server_key))
        self._ask(_head(f"PUT {player}/identity", len(write), self.target.server_key) + write)
        self.most_bytes = max(self.most_bytes, _memory_bytes(self.process_id))

    def _ask(self, request: bytes) -> None:
        started = time.perf_counter()
        self._socket.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._socket.recv(64 * KIB)
        head, _, body = received.partition(b"\r\n\r\n")
        found = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        missing = int(found[1]) - len(body) if found else 0
        while missing > 0:
            missing -= len(self._socket.recv(missing))
        self.longest_seconds = max(self.longest_seconds, time.perf_counter() - started)


def _register_witness(target: Target) -> None:
    with socket.create_connection(("127.0.0.1", target.port)) as one:
        one.sendall(_head("POST /sdk/v1/players/witness/register", 2, target.client_key, Connection="close") + b"{}")
        while one.recv(64 * KIB):
            pass


def measure(name: str) -> None:
    """Make one attack and print what it cost."""
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as (target, process_id):
        _register_witness(target)
        watch = Watch(target, process_id)
        for _ in range(100):
            watch.look()
        quiet_seconds, watch.longest_seconds = watch.longest_seconds, 0.0
        before = watch.most_bytes = _memory_bytes(process_id)
        attacking = multiprocessing.get_context("spawn").Process(target=_attack, args=(name, target))
        attacking.start()
        while attacking.is_alive():
            watch.look()
            attacking.join(timeout=0.005)
        ends, at_rest = time.monotonic() + _SETTLING_SECONDS, threading.Event()
        while time.monotonic() < ends:
            watch.look()
            at_rest.wait(timeout=0.05)
        kept = _memory_bytes(process_id) - before
        grown = watch.most_bytes - before
        print(
            f"{name:30}  {grown / _MIB:7.1f} MiB  {kept / _MIB:7.1f} MiB"
            f"  {watch.longest_seconds * 1_000:7.0f} ms  {quiet_seconds * 1_000:7.0f} ms",
            flush=True,
        )


def main() -> None:
    """Make the attacks that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.attacks.measure", description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    chosen = parser.parse_args().attacks or list(ATTACKS)
    if unknown := [name for name in chosen if name not in ATTACKS]:
        parser.error(f"no such attack: {', '.join(unknown)}")
    print(f"{'attack':30}  {'most memory':>11}  {'kept':>11}  {'longest wait':>10}  {'at rest':>10}")
    for name in chosen:
        measure(name)


if __name__ == "__main__":
    main()
