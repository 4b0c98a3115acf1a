"""The database as a server finds it when it starts to serve: migrated, with the recurring work of every scope.

A supervisor needs this before it has workers, and nothing else of a server. So nothing here imports what answers requests,
renders pages or sends webhooks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from livecore.access.directory import Game, all_scopes, require_game
from livecore.access.refusals import GameNotFound
from livecore.api.deploying import new_deployment
from livecore.api.maintenance import prepare_directory, prepare_scope, system_unit
from livecore.kernel.loopback import is_loopback
from livecore.kernel.scope import DIRECTORY
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Deployment
from livecore_server.development import development_keys
from livecore_server.http.listening import ListenProblem
from livecore_server.sealed_secrets import sealed_away, warning_of
from livecore_server.settings import Settings
from livecore_server.storage.database import Database, open_store, opening_for_serving, vault_for
from livecore_server.storage.host_tables import STORE_PROBES, StoreProbe
from livecore_server.system import draw_seed, now_millis
from livecore_server.vault import KeyVault


def prepared_database(
    settings: Settings, hosts: Sequence[str], ephemeral: EphemeralState, tell: Callable[[str], None] | None = None
) -> tuple[Database, KeyVault]:
    """Open the database, migrate it, show that it can be written, and find its vault.

    `tell` is given a sentence where the vault opens not all secrets. Raises `DatabaseProblem`, and `ListenProblem` if the
    database must not be served on these hosts.
    """
    with opening_for_serving(settings.database):
        return _prepared(settings, hosts, ephemeral, tell)


def _prepared(
    settings: Settings, hosts: Sequence[str], ephemeral: EphemeralState, tell: Callable[[str], None] | None
) -> tuple[Database, KeyVault]:
    store = open_store(settings.database, cache_bytes=settings.cache_bytes, checkpoint_bytes=settings.checkpoint_bytes)
    try:
        probe = StoreProbe(name="start", at=now_millis())
        store.write(DIRECTORY, lambda tx: tx.put(STORE_PROBES, probe))
        # Only now, because this may make a key file; a server that found no database must leave no files.
        vault = vault_for(settings.database, settings.vault_key, production=settings.production is True)
        for host in hosts:
            _refuse_to_expose(store, host)
        _prepare_scopes(store, ephemeral)
        if tell is not None and (found := list(sealed_away(store, vault))):
            tell(warning_of(found))
    except BaseException:
        store.close()
        raise
    return store, vault


def _refuse_to_expose(store: Database, host: str) -> None:
    """Development keys are visible in files and terminals, so a server with them may only listen on loopback addresses."""
    if not is_loopback(host) and store.read(DIRECTORY, lambda tx: development_keys(tx, now_millis())):
        raise ListenProblem(
            f"--host {host} is not a loopback address, and this database has development keys: "
            "revoke them with `livecore keys revoke`, or serve a database made with `livecore init`"
        )


def _prepare_scopes(store: Database, ephemeral: EphemeralState) -> None:
    """Schedule the recurring work of every scope: an earlier release may have had less of it."""
    store.write(DIRECTORY, lambda tx: prepare_directory(tx, now_millis()))
    deployment = new_deployment(ephemeral=ephemeral)
    for scope, listed in store.read(DIRECTORY, all_scopes):
        # Its configuration may have been replaced since all scopes were read.
        try:
            game = store.read(DIRECTORY, partial(require_game, game_id=listed.game_id))
        except GameNotFound:
            continue  # it has been deleted since
        store.write(scope, partial(_prepare_scope, game=game, deployment=deployment))


def _prepare_scope(tx: Transaction, game: Game, deployment: Deployment) -> None:
    prepare_scope(system_unit(tx, game, now_millis(), draw_seed(), deployment))
