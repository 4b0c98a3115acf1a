"""When the write-ahead log is merged into the database file, and how little the writes notice of it.

Merging copies pages and then syncs the file, which takes tens of milliseconds for a log of some size. So most of it is done
beside the writes, in a thread and over a connection of its own. That never comes to an end while somebody writes: the log
has grown again meanwhile. What is left is merged between two commits, and is little.

Where several processes share the file this is left out: whoever merges has to wait for the others' snapshots anyway.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from livecore_server.sqlite import SqliteStore

__all__ = ["LogMerger"]

_log = logging.getLogger("livecore.executor")


class LogMerger:
    """Belongs to one executor, and is used on its event loop."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="livecore-merge")
        self._beside: Future[None] | None = None

    def wants_the_rest(self) -> bool:
        """Asked after each commit: whether what is left of a merge is to be done now. Begins one where it is due."""
        if not self._store.merge_due:
            return False
        if self._store.connections.shared:
            return True
        if self._beside is None:
            self._beside = self._thread.submit(self._store.copy_log)
        if not self._beside.done():
            return False
        error = self._beside.exception()
        if error is not None:
            _log.warning("could not merge the write-ahead log beside the writes", exc_info=error)
        return True

    def merged(self) -> None:
        """The rest has been done, or could not be."""
        self._beside = None

    def close(self) -> None:
        """Wait for what is under way."""
        self._thread.shutdown()
