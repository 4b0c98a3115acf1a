"""Copies the vault key that a database stores itself, because the copy needs it to unseal its webhook secrets.

A deployment with keys in its configuration stores none, and nothing is copied.
"""

from __future__ import annotations

from livecore_server.storage.database import Database, DatabaseProblem, vault_file
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.vault import VaultError, key_file

_NAME = "vault-key"
_LOOK = b"SELECT value FROM livecore_settings WHERE name = $1"


def bring_key(source: Database, target: Database) -> None:
    """Store the source's key in the target. Raises `DatabaseProblem` if the target has another one."""
    try:
        key = _kept(source)
        if key is not None and _keep(target, key) != key:
            raise DatabaseProblem("the target keeps another vault key than the source: name an empty database")
    except VaultError as fault:
        raise DatabaseProblem(f"the vault key cannot be used: {fault}") from fault


def _kept(store: Database) -> str | None:
    if isinstance(store, SqliteStore):
        path = vault_file(store.path)
        return key_file(path) if path.exists() else None
    from livecore_server.storage.postgres.connections.pipeline import Statement  # noqa: PLC0415 - an extra
    from livecore_server.storage.postgres.sql.text import decoded  # noqa: PLC0415 - an extra

    with store.wire() as wire:
        (result,) = wire.ask([Statement(_LOOK, (_NAME.encode(),))])
    return decoded(result.get_value(0, 0) or b"") if result.ntuples else None


def _keep(store: Database, key: str) -> str:
    if isinstance(store, SqliteStore):
        return key_file(vault_file(store.path), fresh=key)
    return store.setting(_NAME, key)
