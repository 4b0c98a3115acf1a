"""Server-sent events as plain values: bytes to messages, and when a stream is opened again. Nothing here waits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from livecore.errors.families import LivecoreError, UnreadableAnswer
from livecore_client._retry import RetryPolicy

__all__ = ["SILENT_SECONDS", "EventReader", "Message", "Reopening"]

SILENT_SECONDS: Final = 45.0
"""The service sends something at least every 15 seconds; after three times that the connection counts as lost."""
_MOST_MESSAGE_BYTES: Final = 1_000_000
"""The service writes some hundred; a server that sends more of one message is another one."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its name and its data as text."""

    event: str
    data: str


class EventReader:
    """The messages of one connection, from its bytes. The last id and the delay that the server wants outlast it."""

    def __init__(self, last_event_id: str | None = None) -> None:
        self.last_event_id = last_event_id
        self.retry_seconds: float | None = None
        """How long the server wants a reader to wait before it opens the stream again."""
        self._buffer = b""
        self._fields: dict[str, str] = {}

    def begin(self) -> None:
        """Begin with a new connection; an incomplete message of the one before is dropped."""
        self._buffer, self._fields = b"", {}

    def feed(self, piece: bytes) -> list[Message]:
        """The messages that are complete with these bytes. Raises `UnreadableAnswer` for one that is far too long."""
        *lines, self._buffer = (self._buffer + piece).split(b"\n")
        _require_short(len(self._buffer))
        found: list[Message] = []
        for raw in lines:
            line = raw.rstrip(b"\r").decode("utf-8", "replace")
            if line:
                self._take(line)
            elif message := self._finish():
                found.append(message)
        return found

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data" and "data" in self._fields:
            value = f"{self._fields['data']}\n{value}"
            _require_short(len(value))
        if name == "retry":
            if value.isascii() and value.isdigit():
                self.retry_seconds = int(value[:9]) / 1000
        elif name:
            self._fields[name] = value

    def _finish(self) -> Message | None:
        fields, self._fields = self._fields, {}
        if "id" in fields:
            self.last_event_id = fields["id"]
        return Message(fields.get("event", "message"), fields["data"]) if "data" in fields else None


def _require_short(length: int) -> None:
    if length > _MOST_MESSAGE_BYTES:
        raise UnreadableAnswer(f"a message of the stream has more than {_MOST_MESSAGE_BYTES} bytes")


class Reopening:
    """When a stream that broke is opened again: as often as a call until it was open once, then without an end.

    The pauses are those of the retry policy; they begin anew when a message has arrived.
    """

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._attempt = 0

    def arrived(self) -> None:
        """A message has arrived."""
        self._policy = replace(self._policy, max_attempts=2**31, total_seconds=math.inf)
        self._attempt = 0

    def pause_seconds(self, failure: LivecoreError, *, least_seconds: float | None, chance: float) -> float | None:
        """How long to wait before the stream is opened again; `None` where the failure is final."""
        self._attempt += 1
        pause = self._policy.pause_seconds(failure, attempt=self._attempt, elapsed_seconds=0.0, chance=chance)
        return pause if pause is None or least_seconds is None else max(pause, least_seconds)
