"""Log lines on standard error: text for people, or one JSON object each.

The line of a request holds the operation, the status, the duration, the key's prefix and the SDK. It never holds a path,
another header, a body, a key or a secret, because these are not passed to this module. Request lines are buffered and
written together a moment later, in order with all other lines, because one system call for each would cost more than most
requests.

Callers choose some values of a line, such as a request's id. So that they cannot forge a field or a line, a value that is
not one plain word is quoted, and unprintable characters are escaped.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Literal, Protocol, TextIO

import attrs
import orjson

from livecore.kernel.client_network import shortened
from livecore_server.log_stream import LogStream

LogFormat = Literal["text", "json"]
Addresses = Literal["whole", "network", "off"]
"""How much of a caller's address a request's line has."""
_GATHER_SECONDS: Final = 0.05
_GATHER_LINES: Final = 256
_AT_ONCE_BYTES: Final = 4096
_PLAIN_WORD: Final = re.compile(r"[!#-<>-\[\]-~]+")
"""Printable ASCII without a space, a quotation mark, an equals sign or a backslash."""


@lru_cache(maxsize=4)
def _second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _instant(seconds: float) -> str:
    second, millis = divmod(int(seconds * 1000), 1000)
    return f"{_second(second)}.{millis:03d}Z"


def _field(value: str) -> str:
    """A field's value in a line for people: as it is, or quoted so that its end is clear."""
    if _PLAIN_WORD.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_printable(escaped)}"' if value else "-"


def _printable(text: str) -> str:
    """A text on one line, with escapes for characters that are invisible or change the position of others."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape", "surrogatepass").decode() for one in text)


class _Stream(Protocol):
    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


class LogWriter(logging.Handler):
    """Writes every record of the process, and the buffered request lines, to one stream.

    If the stream is a `LogStream`, no call of this waits. Lines that it dropped are reported in a line of their own, once it
    takes lines again.
    """

    def __init__(self, stream: _Stream, log_format: LogFormat, worker: int | None = None) -> None:
        super().__init__()
        self._stream = stream
        self._worker = worker
        self._json = log_format == "json"
        self._gathered: list[str] = []
        self._reported_dropped = 0
        self._traceback = logging.Formatter()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record at once, after the earlier request lines."""
        try:
            self._gathered.append(self._line(record))
            self.write_gathered()
        except Exception:  # noqa: BLE001 - logging's own rule: a failure to log must not stop the program
            self.handleError(record)

    def _line(self, record: logging.LogRecord) -> str:
        trace = self._traceback.formatException(record.exc_info) if record.exc_info else None
        request_id = getattr(record, "request_id", None)
        if self._json:
            fields = {
                "time": _instant(record.created),
                "level": record.levelname.lower(),
                "logger": record.name,
                "message": record.getMessage(),
                "worker": self._worker,
                "requestId": request_id,
                "traceback": trace,
            }
            return orjson.dumps({name: value for name, value in fields.items() if value is not None}).decode() + "\n"
        about = f" request={_field(request_id)}" if request_id else ""
        about += f" worker={self._worker}" if self._worker is not None else ""
        # Indented, so that a line of a traceback cannot look like a line of the log.
        ending = "".join(f"\n  {_printable(line)}" for line in trace.split("\n")) if trace else ""
        message = _printable(record.getMessage())
        return f"{_instant(record.created)} {record.levelname.lower()} {message}{about}{ending}\n"

    def gather(self, line: str) -> int:
        """Buffer a request's line; returns how many are buffered."""
        self._gathered.append(line)
        return len(self._gathered)

    def write_gathered(self) -> None:
        """Write the buffered lines."""
        lines, self._gathered = self._gathered, []
        dropped = self.dropped_lines
        if dropped > self._reported_dropped and isinstance(self._stream, LogStream) and self._stream.takes_lines:
            lines.insert(0, self._line(_dropped_record(dropped - self._reported_dropped)))
            self._reported_dropped = dropped
        for piece in _pieces(lines):
            self._stream.write(piece)
            self._stream.flush()

    @property
    def dropped_lines(self) -> int:
        """How many lines the stream has dropped, because it could not be written as quickly as they came, or not at all."""
        return self._stream.dropped_lines if isinstance(self._stream, LogStream) else 0

    def close(self) -> None:
        """Write the buffered lines that are left, and those that wait in the stream."""
        self.write_gathered()
        if isinstance(self._stream, LogStream):
            self._stream.close()
        super().close()

    @property
    def writes_json(self) -> bool:
        """Whether lines are JSON objects."""
        return self._json


def _dropped_record(lines: int) -> logging.LogRecord:
    message = "%d lines of the log were dropped, because they came too fast or could not be written"
    return logging.LogRecord("livecore.logs", logging.WARNING, __file__, 0, message, (lines,), None)


def _pieces(lines: list[str]) -> Iterator[str]:
    """Whole lines, as many at a time as a pipe takes atomically, because other workers write to the same pipe."""
    piece, length = "", 0
    for line in lines:
        size = len(line.encode(errors="replace"))
        if piece and length + size > _AT_ONCE_BYTES:
            yield piece
            piece, length = "", 0
        piece += line
        length += size
    if piece:
        yield piece


@attrs.define(kw_only=True)
class RequestLine:
    """The line of one request; `at` is in seconds since the epoch, `operation` is `none` if no route was found.

    `sdk` is the value of `Request.sdk`, which is always a plain word.
    """

    at: float
    request_id: str
    operation: str
    status: int
    seconds: float
    key_prefix: str
    sdk: str
    address: str | None
    messages: int | None = None
    """For a stream, at its end: how many messages were sent."""
    ending: str | None = None
    """For a stream: how it ended."""

    @property
    def text(self) -> str:
        """The line for people."""
        return (
            f"{_instant(self.at)} request {self.operation} {self.status} {self.seconds * 1000:.2f}ms "
            f"key={self.key_prefix or '-'} sdk={self.sdk} from={_field(self.address or '')} "
            f"request={_field(self.request_id)}{self._stream}\n"
        )

    @property
    def _stream(self) -> str:
        return "" if self.ending is None else f" messages={self.messages} ending={self.ending}"

    @property
    def json(self) -> str:
        """The line for machines."""
        fields = {
            "time": _instant(self.at),
            "level": "info",
            "logger": "livecore.request",
            "operation": self.operation,
            "status": self.status,
            "durationMs": round(self.seconds * 1000, 2),
            "keyPrefix": self.key_prefix or None,
            "sdk": self.sdk,
            "address": self.address,
            "requestId": self.request_id,
        }
        if self.ending is not None:
            fields |= {"messages": self.messages, "ending": self.ending}
        return orjson.dumps(fields).decode() + "\n"


class RequestLog:
    """One line for each request."""

    def __init__(self, writer: LogWriter, addresses: Addresses = "whole") -> None:
        self._writer = writer
        self._addresses = addresses
        self._scheduled = False

    def answered(self, line: RequestLine) -> None:
        """Note an answered request."""
        if self._addresses != "whole":
            line.address = shortened(line.address or "") if self._addresses == "network" else None
        waiting = self._writer.gather(line.json if self._writer.writes_json else line.text)
        if waiting >= _GATHER_LINES:
            self._writer.write_gathered()
        elif not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_later(_GATHER_SECONDS, self._write)

    def _write(self) -> None:
        self._scheduled = False
        self._writer.write_gathered()


def log_stopped(log: logging.Logger, left: str | None) -> None:
    """The last line of a server; `left` says what has been left undone, which an operator has to know."""
    if left is None:
        log.info("stopped")
    else:
        log.warning("stopped; %s", left)


def configure_logging(
    log_format: LogFormat, level: str, stream: TextIO | None = None, *, worker: int | None = None
) -> LogWriter:
    """Send all logging of the process through one writer, from `level` on; replaces an earlier configuration.

    Without a `stream` it goes to standard error, by a thread of its own; `close` of the writer writes what is left.
    `worker` is the worker's number in the lines, if several processes write to the same place.
    """
    writer = LogWriter(stream or LogStream(sys.stderr), log_format, worker)
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(writer)
    root.setLevel(level.upper())
    # These two log every malformed request; the server answers those itself.
    logging.getLogger("aiohttp").setLevel(logging.CRITICAL)
    # Logs every attempt to connect; the store's watch logs once that the database is away.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    # It logs each exchange with an assistant, and what a caller did wrong.
    logging.getLogger("mcp").setLevel(logging.ERROR)
    logging.getLogger("asyncio").setLevel(max(logging.WARNING, root.level))
    return writer
