"""SQLite, the embedded default: one file, durable at each commit, that a person can open and query."""

from livecore_server.storage.layout import CodeTooOld, SchemaDrift
from livecore_server.storage.sqlite.connections import is_storage_failure
from livecore_server.storage.sqlite.file_copies import DatabaseUnusable, restore
from livecore_server.storage.sqlite.group_commit import GroupCommit
from livecore_server.storage.sqlite.sole_use import DatabaseInUse
from livecore_server.storage.sqlite.store import SqliteStore

__all__ = [
    "CodeTooOld",
    "DatabaseInUse",
    "DatabaseUnusable",
    "GroupCommit",
    "SchemaDrift",
    "SqliteStore",
    "is_storage_failure",
    "restore",
]
