"""`livecore dev`: a server with embedded defaults, for a developer's own machine.

The first start makes a database with a demo game and four keys. A database keeps hashes only, so the keys' texts go into a
file beside it that its owner alone can read; the next start finds them there and shows the same keys. If the file is
missing or does not match, the old keys are revoked and new ones made.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from livecore.access.directory import API_KEYS, KEY_BY_HASH, STUDIOS, ApiKey, Game
from livecore.access.keys import KeyOnce, add_key, key_hash, revoke_key
from livecore.access.managing_keys import shown_for_audit
from livecore.access.members import add_member
from livecore.access.members import shown_for_audit as shown_of_member
from livecore.access.refusals import MemberExists
from livecore.api.configuration.game_config import load_config
from livecore.api.maintenance import NewGame
from livecore.demo import DEMO
from livecore.kernel.entropy import Entropy
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import Transaction
from livecore.kernel.units.unit import Change
from livecore_server.cli.directory import noted_in_directory
from livecore_server.cli.new_games import create_game, key_lines, key_texts
from livecore_server.cli.options import settings_from, settings_options
from livecore_server.cli.walkthrough import usual_shell, walkthrough
from livecore_server.development import DEVELOPMENT, development_keys
from livecore_server.games import all_games
from livecore_server.running import run_service
from livecore_server.service import Service
from livecore_server.sign_in.one_time_link import OneTimeLink
from livecore_server.storage.database import DatabaseProblem, file_at, opening_for_serving
from livecore_server.storage.sqlite import SqliteStore
from livecore_server.system import draw_seed, now_millis

OWNER: Final = "owner@localhost"
"""The member for whom the sign-in link is."""
_DATABASE: Final = "sqlite:///livecore-dev.db"
Keys = Mapping[str, Mapping[str, str]]


@click.command()
@settings_options(database=_DATABASE, production=False)
def dev(**values: Any) -> None:  # noqa: ANN401 - the options are those of the table of settings
    """Run a server with a demo game on this machine (in livecore-dev.db): shows what to paste next, and the keys."""
    settings = settings_from(values)
    if settings.workers > 1:
        raise click.UsageError("livecore dev is one process: --workers is for livecore serve")
    with opening_for_serving(settings.database), file_at(settings.database, create=True) as store:
        path = store.path
        game, keys = ready(store)
        _keep_owner(store, game)

    link = OneTimeLink(OWNER, _show_next)

    def show(service: Service) -> None:
        address = service.addresses[0]
        click.echo(walkthrough(address, keys["test"]["client"], keys["test"]["server"], usual_shell(os.environ)))
        click.echo(f"game {game.game_id} ({game.name}) in {path}, keys kept in {_keys_file(path)}:")
        click.echo("\n".join(key_lines(keys)))
        click.echo(f"operators sign in as {OWNER} on this machine, by a link that is good once: {link.begin(address)}")
        click.echo(f"API {address}   ready {address}/admin/v1/ready   documents {address}/sdk/v1/openapi.json")

    run_service(settings, show, reloads=False, link=link, report=_show)


def _show(text: str) -> None:
    with suppress(OSError):  # whoever has started the server may have stopped reading
        click.echo(text)


def _show_next(link: str) -> None:
    _show(f"That link is used up. The next one, also good once: {link}")


def ready(store: SqliteStore) -> tuple[Game, Keys]:
    """The demo game and keys that work: those of the last start if possible."""
    games = store.read(DIRECTORY, all_games)
    if not games:
        config = load_config(DEMO)
        made = create_game(store, config, "Demo studio")
        store.write(DIRECTORY, lambda tx: _mark(tx, made))
        return made.game, _kept(store.path, key_texts(made.keys))
    game = games[0]
    found = _read_keys(store.path)
    if found is not None and store.read(DIRECTORY, lambda tx: _all_work(tx, game, found)):
        return game, found
    if not store.read(DIRECTORY, lambda tx: development_keys(tx, now_millis())):
        raise DatabaseProblem(f"{store.path} was not made by `livecore dev`: serve it with `livecore serve`")
    return game, _kept(store.path, _renewed(store, game))


def _keep_owner(store: SqliteStore, game: Game) -> None:
    """Make the local owner a member, for whom the sign-in link is; one who has another role by now keeps it."""
    now, seed = now_millis(), draw_seed()

    def keep(tx: Transaction) -> None:
        studio = tx.get(STUDIOS, game.studio_id)
        entropy = Entropy(seed)
        with suppress(MemberExists):
            if studio is not None:
                member, held = add_member(tx, studio, OWNER, "OWNER", now, entropy)
                noted_in_directory(
                    tx, now, entropy, "members.invite", studio_id=studio.studio_id,
                    target=("member", member.member_id), change=Change(None, shown_of_member(held)),
                    metadata={"email": member.email},
                )  # fmt: skip

    store.write(DIRECTORY, keep)


def _mark(tx: Transaction, made: NewGame) -> None:
    for once in made.keys.values():
        tx.put(API_KEYS, evolve(once.key, name=DEVELOPMENT))


def _renewed(store: SqliteStore, game: Game) -> Keys:
    """Four new keys in place of the old ones, whose texts are lost."""
    now, seed = now_millis(), draw_seed()

    def renew(tx: Transaction) -> dict[tuple[str, str], KeyOnce]:
        entropy = Entropy(seed)

        def note(action: str, before: ApiKey | None, after: ApiKey) -> None:
            change = Change(None if before is None else shown_for_audit(before), shown_for_audit(after))
            noted_in_directory(
                tx, now, entropy, action, studio_id=game.studio_id, game_id=game.game_id,
                target=("api_key", after.key_id), change=change,
            )  # fmt: skip

        for key in development_keys(tx, now):
            note("keys.revoke", key, revoke_key(tx, key.game_id, key.key_id, now))
        made = {
            ("test", "client"): add_key(tx, Scope(game.game_id, "test"), "client", now, entropy, name=DEVELOPMENT),
            ("test", "server"): add_key(tx, Scope(game.game_id, "test"), "server", now, entropy, name=DEVELOPMENT),
            ("live", "client"): add_key(tx, Scope(game.game_id, "live"), "client", now, entropy, name=DEVELOPMENT),
            ("live", "server"): add_key(tx, Scope(game.game_id, "live"), "server", now, entropy, name=DEVELOPMENT),
        }
        for once in made.values():
            note("keys.create", None, once.key)
        return made

    return key_texts(store.write(DIRECTORY, renew))


# -- the file beside the database


def _keys_file(database: Path) -> Path:
    return database.with_name(database.name + ".keys.json")


def _kept(database: Path, keys: Keys) -> Keys:
    """Write the keys' texts for the next start, readable only by the owner."""
    path = _keys_file(database)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(keys, file, indent=2)
    return keys


def _read_keys(database: Path) -> Keys | None:
    try:
        kept = json.loads(_keys_file(database).read_text("utf-8"))
        return {
            environment: {permission: str(kept[environment][permission]) for permission in ("client", "server")}
            for environment in ("test", "live")
        }
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _all_work(tx: Transaction, game: Game, keys: Keys) -> bool:
    texts = [text for pair in keys.values() for text in pair.values()]
    found = [tx.find(KEY_BY_HASH, key_hash(text)) for text in texts]
    return all(key is not None and key.game_id == game.game_id and key.ends_at is None for key in found)
