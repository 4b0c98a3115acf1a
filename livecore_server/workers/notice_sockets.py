"""Notices between the workers of one server, by datagrams: each has a socket in the folder that they share.

Sending never blocks. Texts that a worker does not take at once wait in the sender, up to a bound. Beyond it they are
dropped, and the worker gets a text that it has missed notices as soon as it takes texts again. A dead worker leaves its
socket behind; the next sender removes it.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import socket
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from livecore.kernel.storage.notices import Notice, Notices
from livecore_server.storage.notice_texts import lost_text, parse_text, texts_of

_log = logging.getLogger("livecore.notices")
_PREFIX: Final = "notices-"
_MOST_TEXT_BYTES: Final = 32_000
_MOST_WAITING: Final = 256
"""How many texts wait for one worker."""
_AGAIN_SECONDS: Final = 0.02
"""When a worker whose socket was full is tried again."""
_LAST_ATTEMPTS: Final = 25
"""How often a worker that ends waits `_AGAIN_SECONDS` for others that take nothing."""
_RECEIVED_AT_ONCE: Final = 64
_ROOM_BYTES: Final = 4 * _MOST_TEXT_BYTES
"""The least size of a socket's buffers. On macOS they have 2 and 4 KiB at first, into which no longer text ever fits."""
_FULL: Final = frozenset({errno.EAGAIN, errno.ENOBUFS})
_DEAD: Final = frozenset({errno.ECONNREFUSED, errno.ENOENT})


class WorkerNotices:
    """Transports the notices of one worker, while `run` runs on the event loop."""

    def __init__(self, folder: Path, notices: Notices) -> None:
        self._folder = folder
        self._notices = notices
        self._source = secrets.token_hex(8)
        # Short, because on macOS the whole path of such a socket has 103 bytes at most.
        self._path = folder / f"{_PREFIX}{self._source[:8]}"
        self._gathered: list[Notice] = []
        """The notices published in this turn of the loop."""
        self._waiting: dict[Path, deque[str]] = {}
        """The texts that wait for other workers."""
        self._retry: asyncio.TimerHandle | None = None
        self.listening = asyncio.Event()
        """Set while this worker receives the notices of the others."""

    async def run(self) -> None:
        """Transport notices until cancelled, and send those that wait; returns if the system has no such sockets."""
        loop = asyncio.get_running_loop()
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as self._socket:
                self._socket.settimeout(0)
                make_room(self._socket)
                self._socket.bind(str(self._path))
                loop.add_reader(self._socket, self._receive)
                self._notices.relay = self._send
                self.listening.set()
                # Existing subscribers may have missed notices of the others.
                self._notices.miss()
                try:
                    await loop.create_future()
                except asyncio.CancelledError:
                    await self._send_rest()
                    raise
                finally:
                    self._end(loop)
        except OSError as error:
            _log.warning("notices stay within each worker: %s cannot be used (%s)", self._path, error)

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        self.listening.clear()
        self._notices.relay = None
        self._flush()
        loop.remove_reader(self._socket)
        if self._retry is not None:
            self._retry.cancel()
        self._path.unlink(missing_ok=True)

    # -- sending

    def _send(self, notices: Sequence[Notice]) -> None:
        if not self._gathered:
            asyncio.get_running_loop().call_soon(self._flush)
        self._gathered += notices

    def _flush(self) -> None:
        """Send the collected notices to every other worker."""
        gathered, self._gathered = self._gathered, []
        if not gathered:
            return
        texts = list(texts_of(self._source, gathered, _MOST_TEXT_BYTES))
        for path in self._others():
            self._queue(path, texts)
            self._empty(path)
        self._try_again_later()

    async def _send_rest(self) -> None:
        """Send what waits, as far as the others take it within a short time."""
        self._flush()
        for _ in range(_LAST_ATTEMPTS):
            if not self._waiting:
                return
            await asyncio.sleep(_AGAIN_SECONDS)

    def _others(self) -> Iterator[Path]:
        for path in self._folder.glob(f"{_PREFIX}*"):
            if path != self._path:
                yield path

    def _queue(self, path: Path, texts: Sequence[str]) -> None:
        waiting = self._waiting.setdefault(path, deque())
        if len(waiting) + len(texts) > _MOST_WAITING:
            waiting.clear()
            waiting.append(lost_text(self._source))
        else:
            waiting.extend(texts)

    def _empty(self, path: Path) -> None:
        """Send the texts that wait for a worker, as many as it takes."""
        waiting = self._waiting[path]
        while waiting:
            try:
                self._socket.sendto(waiting[0].encode(), str(path))
            except OSError as error:
                if error.errno in _FULL:
                    return
                if error.errno in _DEAD:
                    path.unlink(missing_ok=True)
                break  # this worker cannot be reached
            waiting.popleft()
        del self._waiting[path]

    def _try_again_later(self) -> None:
        if self._waiting and self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(_AGAIN_SECONDS, self._try_again)

    def _try_again(self) -> None:
        self._retry = None
        for path in tuple(self._waiting):
            self._empty(path)
        self._try_again_later()

    # -- receiving

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            for _ in range(_RECEIVED_AT_ONCE):
                received = parse_text(self._socket.recv(2 * _MOST_TEXT_BYTES).decode("utf-8", "replace"))
                if received is not None and received.lost:
                    self._notices.miss()
                elif received is not None:
                    self._notices.deliver(received.notices)


def make_room(own: socket.socket) -> None:
    """Enlarge the buffers of a socket that are too small for the texts."""
    for size in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        if own.getsockopt(socket.SOL_SOCKET, size) < _ROOM_BYTES:
            own.setsockopt(socket.SOL_SOCKET, size, _ROOM_BYTES)
