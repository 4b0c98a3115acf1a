"""What many addresses with the public client key can do in a minute.

    $ python -m tests.programs.attacks.measure_addresses --addresses 100

It starts a server on a database of its own that counts players separately, behind a proxy that names as many addresses as
asked for. Each address registers players and reports purchases with 15 KB of metadata as fast as it is answered. It prints
what was answered and by how much the database grew, in all and for each address. Nothing is asserted. It asks nothing of
the server but its command line, so `PYTHONPATH` may name an older tree to compare with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

_STARTED: Final = re.compile(rb"listening on http://127\.0\.0\.1:(\d+)")
_METADATA: Final = {"a": "x" * 15_000}
_BUYS_EACH: Final = 80
"""More than a player may have stored in a day, so that each goes on to the limit."""


@attrs.define
class Caller:
    """An address, on one connection, until the time is over or it may make no more players."""

    port: int
    key: str
    address: str
    ends_at: float
    answers: Counter[str]

    async def run(self) -> None:
        """Register players, and have each buy as much as is taken."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        number = 0
        while time.monotonic() < self.ends_at:
            name = f"{self.address}-{number}"
            number += 1
            status, body = await self._post(reader, writer, f"{name}/register", {})
            self.answers[f"register {status}"] += 1
            if status != 201:
                break
            await self._buy(reader, writer, name, json.loads(body)["data"]["playerSecret"])
        writer.close()

    async def _buy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, secret: str) -> None:
        for number in range(_BUYS_EACH):
            if time.monotonic() >= self.ends_at:
                return
            purchase = {"transactionId": f"{name}-{number}", "store": "s", "productId": "p", "productType": "x"}
            body = {**purchase, "amountMinor": 1, "currency": "USD", "metadata": _METADATA}
            status, _ = await self._post(reader, writer, f"{name}/purchases", body, secret)
            self.answers[f"purchase {status}"] += 1
            if status != 200:
                return

    async def _post(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: object, secret: str = ""
    ) -> tuple[int, bytes]:
        raw = json.dumps(body).encode()
        lines = [f"POST /sdk/v1/players/{path} HTTP/1.1", "Host: test", f"X-Forwarded-For: {self.address}"]
        lines += [f"Authorization: Bearer {self.key}", f"X-Player-Secret: {secret}"]
        lines += ["Content-Type: application/json", f"Content-Length: {len(raw)}", "", ""]
        writer.write("\r\n".join(lines).encode() + raw)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        return int(head.split(b" ", 2)[1]), await reader.readexactly(int(length[1]) if length else 0)


@contextmanager
def _server(folder: Path, options: list[str]) -> Iterator[tuple[int, str]]:
    """A server in a process of its own; gives its port and the client key."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("LIVECORE_")}
    database = f"sqlite:///{folder / 'game.db'}"
    command = [sys.executable, "-m", "livecore_server"]
    made = subprocess.run(
        [*command, "init", "--database", database, "--json"], check=True, capture_output=True, env=environment
    )
    key = json.loads(made.stdout)["keys"]["test"]["client"]
    serve = [*command, "serve", "--database", database, "--port", "0", "--no-request-log", "--trusted-proxies", "1"]
    running = subprocess.Popen([*serve, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    try:
        assert running.stdout is not None
        for line in running.stdout:
            if found := _STARTED.search(line):
                break
        else:
            raise SystemExit("the server did not start")
        yield int(found[1]), key
    finally:
        running.terminate()
        running.communicate()


def _bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.name.startswith("game.db"))


async def _attack(port: int, key: str, addresses: int, seconds: float) -> Counter[str]:
    answers: Counter[str] = Counter()
    ends_at = time.monotonic() + seconds
    callers = [Caller(port, key, f"10.0.{n // 250}.{n % 250}", ends_at, answers) for n in range(addresses)]
    await asyncio.gather(*(caller.run() for caller in callers))
    return answers


def main() -> None:
    """Attack with so many addresses for so long."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.attacks.measure_addresses", description=__doc__)
    parser.add_argument("--addresses", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate-limits", default="on")
    chosen = parser.parse_args()
    options = ["--rate-limits", chosen.rate_limits, "--rate-limits-per-player"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with _server(folder, options) as (port, key):
            before = _bytes_in(folder)
            answers = asyncio.run(_attack(port, key, chosen.addresses, chosen.seconds))
        # The server has stopped, so its journal is in the file.
        grown = _bytes_in(folder) - before
    print(f"{chosen.addresses} addresses, {chosen.seconds:.0f} s, --rate-limits {chosen.rate_limits}")
    for answer, number in sorted(answers.items()):
        print(f"  {answer}: {number}")
    print(f"  database: {grown / 1e6:.1f} MB, for each address {grown / 1e6 / chosen.addresses:.2f} MB")


if __name__ == "__main__":
    main()
