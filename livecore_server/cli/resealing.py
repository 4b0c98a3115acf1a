"""`livecore webhooks reseal`: the middle step of giving a deployment another vault key."""

from __future__ import annotations

from functools import partial

import click

from livecore.kernel.scope import DIRECTORY
from livecore.kernel.units.unit import Unit
from livecore.webhooks import endpoints
from livecore_server.cli.options import setting_option
from livecore_server.cli.scopes import GameScopes, noted
from livecore_server.games import all_games
from livecore_server.storage.database import store_at, vault_for
from livecore_server.vault import KeyVault, VaultError


@click.command()
@setting_option("database")
@setting_option("vault_key")
@setting_option("production", default=False)
def reseal(database: str, vault_key: str | None, *, production: bool) -> None:
    """Seal the secrets of all endpoints, in every game, with the first vault key; the other keys may then go."""
    with store_at(database) as store:
        vault = vault_for(database, vault_key, production=production)
        games = [GameScopes.find(store, game.game_id, None) for game in store.read(DIRECTORY, all_games)]
        places = [(found, scope) for found in games for scope in found.scopes]
        try:
            for found, scope in places:  # all of them must open before any is changed
                found.read(scope, partial(endpoints.reseal_secrets, resealed=vault.resealed))
            changed = sum(found.write(scope, partial(_reseal, vault=vault)) for found, scope in places)
        except VaultError as fault:
            raise click.ClickException(f"nothing is resealed: {fault}") from None
    click.echo(f"{changed} secrets are resealed; all are sealed with the first key")


def _reseal(unit: Unit, vault: KeyVault) -> int:
    changed = endpoints.reseal_secrets(unit, vault.resealed)
    if changed:
        noted(unit, "webhooks.reseal")
    return changed
