"""What the workers of one server share besides the database."""

from __future__ import annotations

from pathlib import Path

import attrs

from livecore_server.workers.metrics import SharedCounts
from livecore_server.workers.writer_lock import WriterLock


@attrs.frozen
class Shared:
    """What one worker shares with the others."""

    folder: Path
    """The folder for data that need not last."""
    counts: SharedCounts
    writer_lock: WriterLock

    @classmethod
    def within(cls, folder: Path, number: int) -> Shared:
        """The part of the worker `number`, in the supervisor's folder."""
        return cls(folder, SharedCounts(folder, number), WriterLock(folder))

    def close(self) -> None:
        """Close all of it."""
        self.counts.close()
        self.writer_lock.close()
