"""A webhook receiver that never comes to the point, measured: what it costs the server, and how long others wait.

    $ python -m tests.programs.attacks.receiver_of_continues                # `--seconds 5 --manner headers` for another one

It starts a server on a new database with one endpoint, whose receiver answers in a hostile manner for as long as anybody
reads, has the server deliver four samples to it, and asks the server for its health all the while. Printed are the processor
time that the server took in those seconds, the longest that the other client waited, how much the server's memory grew, and
what the receiver was able to send. Everything is on loopback and over after the seconds; Linux only, since it reads `/proc`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Final

import attrs

from examples.own_server import free_port

MANNERS: Final[Mapping[str, tuple[bytes, bytes]]] = {
    "continues": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 4_000),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 16_000),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 16_000),
    "extensions": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1", b";a=b" * 25_000),
    "trailers": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n" * 16_000),
}
"""What each hostile receiver sends first, and then again and again."""
PAUSE: Final = Event()
"""Never set: waiting for it is a pause between two questions."""
_BETWEEN_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 30
_SAMPLES: Final = 4
"""As many as may be in flight to one endpoint."""


@attrs.define
class Hostile:
    """A receiver that answers each request for ever, each in a thread of its own."""

    manner: str
    listening: socket.socket
    sent: int = 0
    over: bool = False

    @property
    def url(self) -> str:
        """Where it receives."""
        return f"http://localhost:{self.listening.getsockname()[1]}/hook"

    def listen(self) -> None:
        """Take connections until the socket is closed."""
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        first, endless = MANNERS[self.manner]
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(first)
            while not self.over:
                self.sent += connection.send(endless)


@contextmanager
def hostile(manner: str) -> Iterator[Hostile]:
    """A hostile receiver on a free port of this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Hostile(manner, listening)
        Thread(target=made.listen, daemon=True).start()
        try:
            yield made
        finally:
            made.over = True


@attrs.frozen
class Deployment:
    """A database, and the command that works on it."""

    database: str

    def livecore(self, *words: str) -> str:
        """Run a command to its end; gives what it printed."""
        command = [sys.executable, "-m", "livecore_server", *words, "--database", self.database]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    @contextmanager
    def serving(self, port: int) -> Iterator[int]:
        """The process of a server that answers."""
        command = [sys.executable, "-m", "livecore_server", "serve", "--database", self.database, "--port", str(port)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                while ask(port) != 200:
                    PAUSE.wait(_BETWEEN_SECONDS)
                yield process.pid
            finally:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_PATIENCE_SECONDS)
                process.kill()


def ask(port: int) -> int | None:
    """The status with which the server says that it is alive; `None` while nobody listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_SECONDS)
    try:
        connection.request("GET", "/admin/v1/health")
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()


def processor_seconds(pid: int) -> float:
    """What a process has taken of the processors so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mebibytes(pid: int, field: str) -> float:
    """What a process holds in memory (`VmRSS`), or held at most (`VmHWM`)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def longest_wait(port: int, seconds: float) -> float:
    """Ask again and again for so many seconds; gives the longest that an answer took."""
    longest, end = 0.0, time.monotonic() + seconds
    while (asked := time.monotonic()) < end:
        ask(port)
        longest = max(longest, time.monotonic() - asked)
        PAUSE.wait(_BETWEEN_SECONDS)
    return longest


def measure(folder: Path, manner: str, seconds: float) -> str:
    """Run one attack; gives what it did, in a line."""
    made = Deployment(f"sqlite:///{folder / f'{manner}.db'}")
    made.livecore("init", "--json")
    port = free_port()
    with hostile(manner) as receiver:
        added = made.livecore("webhooks", "add", "--environment", "test", "--url", receiver.url, "--json")
        endpoint_id = json.loads(added)["endpointId"]
        with made.serving(port) as pid:
            quiet = longest_wait(port, 1)
            processor, memory = processor_seconds(pid), memory_mebibytes(pid, "VmRSS")
            for _ in range(_SAMPLES):
                made.livecore("webhooks", "sample", endpoint_id, "--event", "gift.sent")
            longest = longest_wait(port, seconds)
            grown = memory_mebibytes(pid, "VmHWM") - memory
            return (
                f"{manner:>10}: {processor_seconds(pid) - processor:6.2f} s of processor in {seconds:g} s; "
                f"longest wait of another client {longest * 1000:.0f} ms (before it {quiet * 1000:.0f} ms); "
                f"memory grew by {grown:.1f} MiB; the receiver sent {receiver.sent / 2**20:.2f} MiB"
            )


def main() -> None:
    """Measure the manners that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--manner", choices=list(MANNERS))
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        for manner in [options.manner] if options.manner else MANNERS:
            sys.stdout.write(measure(Path(folder), manner, min(options.seconds, 60.0)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
