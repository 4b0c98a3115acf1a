"""`livecore keys`: add, list, rotate and revoke API keys. A running server heeds it with its next request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import click

from livecore.access import keys as rules
from livecore.access.audit import KEY_USAGE
from livecore.access.directory import KEY_BY_HASH, KEYS_OF_GAME, ApiKey, Game
from livecore.access.keys import KeyOnce, Permission
from livecore.access.managing_keys import shown_for_audit
from livecore.kernel.entropy import Entropy
from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.storage.store import Transaction
from livecore.kernel.time import Millis, Timestamp
from livecore.kernel.units.unit import Change
from livecore_server.cli.directory import chosen_game, directory_at, noted_in_directory
from livecore_server.cli.groups import Group
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.output import columns, show
from livecore_server.storage.database import Database
from livecore_server.system import draw_seed, now_millis


@click.group(cls=Group)
def keys() -> None:
    """API keys: what game clients and the studio's backend show."""


@keys.command()
@setting_option("database")
@game_option
@click.option("--environment", type=click.Choice(["test", "live"]), required=True, help="Where the key is good.")
@click.option("--permission", type=click.Choice(["client", "server"]), required=True, help="What the key opens.")
@click.option("--name", help="A name for lists.")
@json_option
def add(
    database: str, game_id: str | None, environment: str, permission: str, name: str | None, *, as_json: bool
) -> None:
    """Make a key, which is shown this once."""
    with directory_at(database) as store:
        game = chosen_game(store, game_id)
        scope = Scope(game.game_id, environment)

        def make(tx: Transaction, now: Millis, entropy: Entropy) -> KeyOnce:
            return rules.add_key(tx, scope, cast(Permission, permission), now, entropy, name=name)

        _show_once(_change(store, game, "keys.create", make), as_json=as_json)


@keys.command("list")
@setting_option("database")
@game_option
@json_option
def list_(database: str, game_id: str | None, *, as_json: bool) -> None:
    """List a game's keys: never the keys themselves, which are not stored."""
    with directory_at(database) as store:
        game = chosen_game(store, game_id)
        rows = store.read(DIRECTORY, lambda tx: [_row(tx, key) for key in tx.scan(KEYS_OF_GAME, game.game_id)])
    lines = columns(("id (KEY)", "begins with", "state", "used", "name"), [_line(row) for row in rows])
    show({"keys": rows}, lines, as_json=as_json, nothing="no keys: `livecore keys add` makes one")


def _line(row: Mapping[str, Json]) -> tuple[str, ...]:
    state = f"ends {row['endsAt']}" if row["endsAt"] else "works"
    used = f"last used {row['lastUsedAt']}" if row["lastUsedAt"] else "never used"
    used += f" by {row['lastUsedSdk']}" if row["lastUsedSdk"] else ""
    return (str(row["keyId"]), f"{row['prefix']}…", state, used, str(row["name"] or ""))


@keys.command()
@setting_option("database")
@game_option
@click.argument("key_id", metavar="KEY")
@json_option
def rotate(database: str, game_id: str | None, key_id: str, *, as_json: bool) -> None:
    """Make a successor for KEY (an id); the old key works for 60 more days, or until it is revoked.

    The key itself is understood in the place of its id.
    """
    with directory_at(database) as store:
        game = chosen_game(store, game_id)
        key_id = _id_of(store, game, key_id)

        def change(tx: Transaction, now: Millis, entropy: Entropy) -> KeyOnce:
            return rules.rotate_key(tx, game.game_id, key_id, now, entropy)

        made = _change(store, game, "keys.rotate", change, key_id)
        old = store.read(DIRECTORY, lambda tx: rules.require_key(tx, game.game_id, key_id))
        _show_once(made, old, as_json=as_json)


@keys.command()
@setting_option("database")
@game_option
@click.argument("key_id", metavar="KEY")
def revoke(database: str, game_id: str | None, key_id: str) -> None:
    """End KEY (an id) at once.

    The key itself is understood in the place of its id.
    """
    with directory_at(database) as store:
        game = chosen_game(store, game_id)
        key_id = _id_of(store, game, key_id)

        def change(tx: Transaction, now: Millis, _: Entropy) -> KeyOnce:
            return KeyOnce(rules.revoke_key(tx, game.game_id, key_id, now), "")

        _change(store, game, "keys.revoke", change, key_id)
    click.echo(f"{key_id} is revoked")


def _id_of(store: Database, game: Game, given: str) -> str:
    """The id that was meant by an id, by a key itself, or by its beginning as lists show it.

    No message repeats what was given, which may be a secret. Raises `click.UsageError`, and leaves an id that is none to
    whoever looks it up.
    """
    if not given.startswith("lc_"):
        return given
    key = store.read(DIRECTORY, lambda tx: tx.find(KEY_BY_HASH, rules.key_hash(given)))
    if key is not None and key.game_id == game.game_id:
        return key.key_id
    if key is not None:
        raise click.UsageError(f"this is a key of another game: give its id, {key.key_id}, with --game {key.game_id}")
    begins = given.rstrip(".…")
    found = store.read(
        DIRECTORY, lambda tx: [row.key_id for row in tx.scan(KEYS_OF_GAME, game.game_id) if row.prefix == begins]
    )
    if found:
        raise click.UsageError(f"a key is named by its id: {' or '.join(found)} begins like this")
    raise click.UsageError("no key of this game reads like this; `livecore keys list` shows the ids of those there are")


def _change(
    store: Database,
    game: Game,
    action: str,
    change: Callable[[Transaction, Millis, Entropy], KeyOnce],
    key_id: str | None = None,
) -> KeyOnce:
    """Change the key of this id, or make one, and leave the operation's audit entry, in one transaction."""
    now, seed = now_millis(), draw_seed()

    def step(tx: Transaction) -> KeyOnce:
        entropy = Entropy(seed)
        before = None if key_id is None else rules.require_key(tx, game.game_id, key_id)
        changed = change(tx, now, entropy)
        after = rules.require_key(tx, game.game_id, key_id or changed.key.key_id)
        successor: JsonObject | None = None
        if after.key_id != changed.key.key_id:
            successor = {"successorId": changed.key.key_id, "successorPrefix": changed.key.prefix}
        noted_in_directory(
            tx, now, entropy, action, studio_id=game.studio_id, game_id=game.game_id,
            target=("api_key", after.key_id),
            change=Change(None if before is None else shown_for_audit(before), shown_for_audit(after)),
            metadata=successor,
        )  # fmt: skip
        return changed

    return store.write(DIRECTORY, step)


def _show_once(made: KeyOnce, old: ApiKey | None = None, *, as_json: bool) -> None:
    """A new key, and until when the one works in whose place it comes, if there is one."""
    key, ends_at = made.key, None if old is None else _ending(old)
    shown: dict[str, str | None] = {
        "keyId": key.key_id,
        "key": made.text,
        "environment": key.environment,
        "permission": key.permission,
    }
    lines = [key.key_id, made.text, "This key is shown this once."]
    if old is not None:
        shown["oldKeyEndsAt"] = ends_at
        lines.append(f"The old key, {old.key_id}, works until {ends_at}.")
    show(shown, lines, as_json=as_json)


def _ending(key: ApiKey) -> str | None:
    return None if key.ends_at is None else Timestamp(key.ends_at).wire


def _row(tx: Transaction, key: ApiKey) -> dict[str, Json]:
    usage = tx.get(KEY_USAGE, key.key_id)
    return {
        "keyId": key.key_id,
        "prefix": key.prefix,
        "environment": key.environment,
        "permission": key.permission,
        "name": key.name,
        "createdAt": Timestamp(key.created_at).wire,
        "endsAt": _ending(key),
        "lastUsedAt": None if usage is None else Timestamp(usage.at).wire,
        "lastUsedSdk": None if usage is None else usage.sdk,
    }
