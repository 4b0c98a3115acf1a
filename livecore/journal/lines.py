"""The lines of a journal: a header, each command of a world as it was answered, and how it ended.

Each line is an object of JSON. What a command has by default is left out: no query, no body, no proof of the player.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value
from livecore.kernel.wire import compact
from livecore.world import Command

FORMAT: Final = 1
"""The number of the format: a reader refuses others."""
FORMAT_MEMBER: Final = "livecoreJournal"
END_MEMBER: Final = "end"
LONGEST_LINE: Final = 8 * 1024 * 1024
"""No line has more bytes."""
MOST_DAYS: Final = 4_000
"""No journal covers more days."""
DEFAULTS: Final[JsonObject] = {
    "passed": [],
    "places": {},
    "query": {},
    "headers": {},
    "member": None,
    "proves": False,
    "arguments": None,
}
"""What a command has where its line does not say otherwise."""


@keyword_value
class Header:
    """What was played: enough to begin again."""

    version: str
    """Of Livecore."""
    seed: int
    """Of the world."""
    start: Timestamp
    environment: str
    population_digest: str | None
    """SHA-256 of the population's file; `None` where there was none."""
    config: JsonObject
    """The configuration, as it stood in its file."""
    flush_seconds: float = 0
    """Of the world: how often it has written last-seen values."""

    def json(self) -> JsonObject:
        """As the first line of a journal."""
        return {
            FORMAT_MEMBER: FORMAT,
            "version": self.version,
            "seed": self.seed,
            "start": self.start.wire,
            "environment": self.environment,
            "flushSeconds": self.flush_seconds,
            "populationDigest": self.population_digest,
            "config": self.config,
        }


class Recorder:
    """Writes a journal while a world is played; it keeps nothing of what it has written.

    `World(on_command=recorder.command)` tells it what to write. `write` is given each line with its end.
    """

    def __init__(self, write: Callable[[bytes], object], header: Header) -> None:
        self._write = write
        self._commands = 0
        self._line(header.json())

    def command(self, command: Command) -> None:
        """Write a command. A request that is for no operation changes nothing, and is left out."""
        if command.operation is None:
            return
        self._commands += 1
        self._line({name: member for name, member in command.encoded().items() if not _is_default(name, member)})

    def end(self, at: Timestamp) -> None:
        """Write how it ended: without this line a journal is incomplete."""
        self._line({END_MEMBER: {"at": at.wire, "commands": self._commands}})

    def _line(self, line: JsonObject) -> None:
        self._write(compact(line).encode("utf-8", "replace") + b"\n")


def _is_default(name: str, member: Json) -> bool:
    return name in DEFAULTS and member == DEFAULTS[name]
