"""The stream to which the log is written, by a thread of its own: whoever logs never waits, and is never failed, by it.

Standard error may be a pipe whose reader stops for a while, or a file on a full disk. Pieces of the log wait in a bounded
queue; what does not fit, or cannot be written, is dropped, and its lines are counted.
"""

from __future__ import annotations

from contextlib import suppress
from logging.handlers import QueueListener
from queue import Full, Queue
from threading import Thread
from typing import Any, Final, TextIO

_MOST_PIECES: Final = 4096
"""Of about 4 KiB each while there is much to write; ordinary pieces are a line or two."""
_LAST_SECONDS: Final = 5.0
"""How long the end of the process waits until what is queued has been written."""


class _Writer(QueueListener):
    """The standard library's thread behind a queue, which here writes texts instead of handling records."""

    _thread: Thread | None

    def __init__(self, queue: Queue[Any], stream: TextIO) -> None:
        super().__init__(queue)
        self._stream = stream
        self.dropped = 0
        self.failing = False

    def handle(self, record: Any) -> None:  # noqa: ANN401 - a text: the base class passes on whatever is in the queue
        """Write a piece."""
        try:
            self._stream.write(record)
            self._stream.flush()
            self.failing = False
        except (OSError, ValueError):
            self.failing = True
            self.dropped += record.count("\n")

    def finish(self, seconds: float) -> bool:
        """Write what is queued and end, unless that takes longer."""
        thread, self._thread = self._thread, None
        if thread is None:
            return True
        with suppress(Full):
            self.queue.put(self._sentinel, timeout=seconds)  # type: ignore[attr-defined] # of the base class
            thread.join(seconds)
        return not thread.is_alive()


class LogStream:
    """Takes whole lines and writes them to another stream in their order. Any thread may call it."""

    def __init__(self, stream: TextIO, most_pieces: int = _MOST_PIECES) -> None:
        self._queue: Queue[Any] = Queue(most_pieces)
        self._writer = _Writer(self._queue, stream)
        self._writer.start()
        self._refused = 0
        self._closed = False

    @property
    def dropped_lines(self) -> int:
        """How many lines have been dropped since the start."""
        return self._refused + self._writer.dropped

    @property
    def takes_lines(self) -> bool:
        """Whether a line would be written now, as far as can be told."""
        return not self._writer.failing and not self._queue.full()

    def write(self, text: str) -> None:
        """Write whole lines a moment later, or drop them when too much is waiting. After `close`, write them at once."""
        if self._closed:
            self._writer.handle(text)
            return
        try:
            self._queue.put_nowait(text)
        except Full:
            self._refused += text.count("\n")

    def flush(self) -> None:
        """Nothing to do: each piece is written as soon as it can be."""

    def close(self) -> bool:
        """Write what is waiting and end the thread; returns whether that was done within a few seconds."""
        self._closed = True
        return self._writer.finish(_LAST_SECONDS)
