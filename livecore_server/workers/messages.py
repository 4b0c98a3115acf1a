"""The messages between a supervisor and a worker, one line each.

- To the worker, on its standard input: its configuration at the start. Later possibly `replaced`: another worker has taken
  its place, and it drains without an effect on callers. The end of the input: it drains, because the server stops or the
  supervisor is gone.
- From the worker, on its standard output: `ready` when it answers requests.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any, Final

import attrs

from livecore_server.http.listening import Listeners
from livecore_server.settings import Settings

READY: Final = b"ready\n"
REPLACED: Final = b"replaced\n"


@attrs.frozen(kw_only=True)
class WorkerConfiguration:
    """A worker's configuration. The sockets are inherited file descriptors.

    During an update supervisor and worker may be of two releases: so a name never changes its meaning, and a worker ignores
    unknown names.
    """

    number: int
    """The worker's number, unique among the running workers."""
    settings: Settings
    folder: Path
    """The folder for data that the workers share and that need not last."""
    main: list[int]
    metrics: list[int]

    def line(self) -> bytes:
        """The configuration as a line. It may hold the vault key, so it must not be in a log or on a command line."""
        fields: dict[str, Any] = attrs.asdict(self) | {"folder": str(self.folder)}
        return json.dumps(fields).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> WorkerConfiguration:
        """The configuration from a line."""
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
