"""What a supervisor tells a worker and what it hears from it, each a line.

- To the worker, on its standard input: its configuration, as it starts. Later perhaps `replaced`: another has taken its
  place, and it drains without anybody's noticing. The end of the input: it drains, because the server stops or the
  supervisor is gone.
- From the worker, on its standard output: `ready`, it answers requests.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any, Final

import attrs

from livecore_server.http.listening import Listeners
from livecore_server.settings import Settings

__all__ = ["READY", "REPLACED", "WorkerConfiguration"]

READY: Final = b"ready\n"
REPLACED: Final = b"replaced\n"


@attrs.frozen(kw_only=True)
class WorkerConfiguration:
    """What a worker is to do. The sockets are inherited file descriptors.

    Supervisor and worker may be of two releases, while one is being installed over the other: names are never reused for
    something else, and what a worker does not know it leaves aside.
    """

    number: int
    """Which worker it is: no two that live at the same time have the same number."""
    settings: Settings
    folder: Path
    """Where the workers share what is not worth keeping."""
    main: list[int]
    metrics: list[int]

    def line(self) -> bytes:
        """The configuration as it is sent. It may hold the vault key: not for a log, and not for a command line."""
        fields: dict[str, Any] = attrs.asdict(self) | {"folder": str(self.folder)}
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> WorkerConfiguration:
        """The configuration that was sent."""
        fields = json.loads(line)
        known = {field.name for field in attrs.fields(Settings)}
        settings = Settings(**{name: value for name, value in fields["settings"].items() if name in known})
        return cls(
            number=fields["number"],
            settings=settings,
            folder=Path(fields["folder"]),
            main=fields["main"],
            metrics=fields["metrics"],
        )

    def listeners(self) -> Listeners:
        """The sockets that were inherited."""
        return Listeners(
            [socket.socket(fileno=descriptor) for descriptor in self.main],
            [socket.socket(fileno=descriptor) for descriptor in self.metrics],
        )
