"""SQLite, the embedded default: one file, durable at each commit, that a person can open and query."""

from livecore_server.sqlite.batch import Batch
from livecore_server.sqlite.connections import is_storage_failure
from livecore_server.sqlite.migrations import CodeTooOld
from livecore_server.sqlite.schema import SchemaDrift
from livecore_server.sqlite.store import SqliteStore
from livecore_server.sqlite.upkeep import DatabaseInUse, DatabaseUnusable, restore

__all__ = [
    "Batch",
    "CodeTooOld",
    "DatabaseInUse",
    "DatabaseUnusable",
    "SchemaDrift",
    "SqliteStore",
    "is_storage_failure",
    "restore",
]
