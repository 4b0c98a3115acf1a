"""`livecore webhooks`: where a game's events are sent, for operators.

Commands change the database; a running server notices within seconds. An ENDPOINT is named by its id or its key, and may be
left out where there is only one. Every change leaves an entry in the audit trail of its environment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar, cast

import click

from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import Environment, Scope
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit, Vault
from livecore.webhooks import endpoints
from livecore.webhooks.addresses import check_url
from livecore.webhooks.backlog import backlog_of
from livecore.webhooks.endpoints import EndpointOnce
from livecore.webhooks.outbox import Endpoint
from livecore.webhooks.subscription import EVERYTHING
from livecore_server.cli.groups import Deferred, Group
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.output import show, show_rows
from livecore_server.cli.scopes import GameScopes, environment_option, noted, placed, scopes_of
from livecore_server.cli.sending import known_kind, show_queued
from livecore_server.settings import Settings
from livecore_server.storage.database import vault_for
from livecore_server.vault import VaultError

T = TypeVar("T")


_DEFERRED: Final = {
    "deliveries": Deferred(
        "livecore_server.cli.deliveries:deliveries",
        "List deliveries, newest first: all, or those to which every option given applies.",
    ),
    "replay": Deferred(
        "livecore_server.cli.deliveries:replay",
        "Send DELIVERY once more, or all that the options choose: the same event, attempts counted on, no automatic "
        "retries.",
    ),
    "reseal": Deferred(
        "livecore_server.cli.resealing:reseal",
        "Seal the secrets of all endpoints, in every game, with the first vault key; the other keys may then go.",
    ),
}


@click.group(cls=Group, deferred=_DEFERRED)
def webhooks() -> None:
    """Where a game's events are sent: endpoints, their secrets, and how deliveries went."""


_endpoint = click.argument("endpoint", required=False)


def _which(found: GameScopes, ref: str | None) -> tuple[Scope, str]:
    """The endpoint that a command means, and where it is. Raises `WebhookEndpointNotFound`, `click.ClickException`."""
    if ref is not None:
        scope, endpoint = found.only(lambda unit: endpoints.require_endpoint(unit, ref))
        return scope, endpoint.endpoint_id
    known = [(scope, row) for scope in found.scopes for row in found.read(scope, endpoints.list_endpoints)]
    if not known:
        raise click.ClickException("there is no webhook endpoint yet: `livecore webhooks add` makes one")
    if len(known) > 1:
        names = ", ".join(f"{row.endpoint_id} ({row.key}, {scope.environment})" for scope, row in known)
        raise click.UsageError(f"say which ENDPOINT; there are: {names}")
    return known[0][0], known[0][1].endpoint_id


def _change(found: GameScopes, ref: str | None, action: str, work: Callable[[Unit, str], T]) -> T:
    """Do something to the endpoint that a command means, and note it."""
    scope, endpoint_id = _which(found, ref)

    def step(unit: Unit) -> T:
        result = work(unit, endpoint_id)
        noted(unit, action, _target(endpoint_id))
        return result

    return found.write(scope, step)


def _target(endpoint_id: str) -> tuple[str, str]:
    return ("webhook_endpoint", endpoint_id)


# -- endpoints ------------------------------------------------------------------------------------------------------------


@webhooks.command()
@setting_option("database")
@game_option
@environment_option(required=True)
@click.option("--url", required=True, help="Where to send: https, or http://localhost for a test endpoint.")
@click.option(
    "--events", multiple=True, default=(EVERYTHING,), metavar="KINDS",
    help="Kinds of events with commas between, or '*' for all; may be given more than once.",
)  # fmt: skip
@click.option("--key", metavar="NAME", help="A name for the endpoint, unique in its environment.")
@json_option
@setting_option("vault_key")
@setting_option("production", default=False)
@setting_option("webhook_networks")
def add(
    database: str, game_id: str | None, environment: Environment, url: str, events: Sequence[str], key: str | None,
    *, as_json: bool, vault_key: str | None, production: bool, webhook_networks: str,
) -> None:  # fmt: skip
    """Register an endpoint, and print its id and its secret, which is shown this once."""
    target = _checked(url, environment, production=production, webhook_networks=webhook_networks)
    kinds = _kinds(events)
    with scopes_of(database, game_id, environment) as found:
        vault = vault_for(database, vault_key, production=production)
        once = found.write(found.scopes[0], partial(_add, vault=vault, key=key, url=target, events=kinds))
        _tell_others(found, found.scopes[0], once.endpoint)
    _show_once(once, as_json=as_json)


def _add(unit: Unit, vault: Vault, key: str | None, url: str, events: Sequence[str]) -> EndpointOnce:
    _check_vault(unit, vault)
    once = endpoints.add_endpoint(unit, vault, key=key or endpoints.free_key(unit), url=url, events=events)
    noted(unit, "webhooks.create", _target(once.endpoint.endpoint_id), key=once.endpoint.key, url=url)
    return once


def _tell_others(found: GameScopes, scope: Scope, endpoint: Endpoint) -> None:
    """Note on standard error which other endpoints send to the same address."""
    for other in found.read(scope, lambda unit: endpoints.others_at(unit, endpoint)):
        sends = f"{other.endpoint_id} ({other.key}) sends to the same address"
        click.echo(f"livecore: {sends}: an event of a kind that both get arrives there twice", err=True)


def _checked(url: str, environment: str, *, production: bool, webhook_networks: str) -> str:
    """The URL, where an endpoint of the environment may have it. Raises `ValidationFailed`."""
    networks = Settings(webhook_networks=webhook_networks).networks
    where = cast(Environment, environment)
    return check_url(url, where, production=production, allowed_networks=networks, field="--url").url


def _kinds(events: Sequence[str]) -> list[str]:
    """The kinds that `--events` names, in either way. Raises `click.BadParameter`."""
    return [known_kind(kind.strip()) for part in events for kind in part.split(",") if kind.strip()]


def _check_vault(unit: Unit, vault: Vault) -> None:
    """Seal nothing with a key that the server cannot have, if the stored secrets already show this.

    Raises `click.UsageError`.
    """
    for row in endpoints.list_endpoints(unit):
        try:
            vault.unseal(json.loads(row.secrets)[0]["text"])
        except VaultError as fault:
            raise click.UsageError(
                f"the vault key does not fit this database: {fault}. Give the server's LIVECORE_VAULT_KEY"
            ) from None


def _show_once(once: EndpointOnce, *, as_json: bool) -> None:
    endpoint = once.endpoint
    lines = (
        f"{endpoint.endpoint_id} ({endpoint.key}) sends to {endpoint.url}",
        f"secret, shown this once: {once.secret}",
    )
    show({"endpointId": endpoint.endpoint_id, "secret": once.secret}, lines, as_json=as_json)


@webhooks.command("list")
@placed
@json_option
def list_(database: str, game_id: str | None, environment: str | None, *, as_json: bool) -> None:
    """List the endpoints, oldest first, with how many deliveries wait for each, since when, and since when it is paused."""
    with scopes_of(database, game_id, environment) as found:
        rows = [row for scope in found.scopes for row in found.read(scope, _endpoint_rows)]
    show_rows("endpoints", rows, as_json=as_json)


def _endpoint_rows(unit: Unit) -> list[JsonObject]:
    return [_endpoint_row(unit, row) for row in endpoints.list_endpoints(unit)]


def _endpoint_row(unit: Unit, row: Endpoint) -> JsonObject:
    events: list[Json] = json.loads(row.events)
    backlog = backlog_of(unit.tx, row.endpoint_id, limit=None)
    return {
        "endpointId": row.endpoint_id,
        "key": row.key,
        "environment": unit.scope.environment,
        "status": row.status,
        "pauseReason": row.pause_reason,
        "pausedSince": None if row.paused_at is None else Timestamp(row.paused_at).wire,
        "waiting": backlog.waiting,
        "held": backlog.held,
        "oldestWaitingAt": None if backlog.oldest_at is None else Timestamp(backlog.oldest_at).wire,
        "url": row.url,
        "events": events,
        "createdAt": Timestamp(row.created_at).wire,
    }


@webhooks.command()
@placed
@_endpoint
@click.option("--url", help="Where to send from now on, also what is on its way already.")
@click.option(
    "--events", multiple=True, metavar="KINDS",
    help="Kinds of events with commas between, or '*' for all, instead of those before; counts for events from now on.",
)  # fmt: skip
@click.option("--key", metavar="NAME", help="Another name for the endpoint, unique in its environment.")
@json_option
@setting_option("production", default=False)
@setting_option("webhook_networks")
def update(
    database: str, game_id: str | None, environment: str | None, endpoint: str | None, *, url: str | None,
    events: Sequence[str], key: str | None, as_json: bool, production: bool, webhook_networks: str,
) -> None:  # fmt: skip
    """Change where ENDPOINT sends, which events it gets, or its name; its secret stays."""
    if url is None and key is None and not events:
        raise click.UsageError("say what to change: --url, --events or --key")
    kinds = _kinds(events) if events else None
    with scopes_of(database, game_id, environment) as found:
        scope, endpoint_id = _which(found, endpoint)
        if url is not None:
            url = _checked(url, scope.environment, production=production, webhook_networks=webhook_networks)
        row = found.write(scope, partial(_update, endpoint_id=endpoint_id, key=key, url=url, events=kinds))
        if url is not None:
            _tell_others(found, scope, row)
        shown = found.read(scope, partial(_endpoint_row, row=row))
    paused = "; it is paused, `livecore webhooks unpause` sends again" if row.status == "paused" else ""
    said = f"{row.endpoint_id} ({row.key}) sends {', '.join(json.loads(row.events))} to {row.url}{paused}"
    show(shown, (said,), as_json=as_json)


def _update(unit: Unit, endpoint_id: str, key: str | None, url: str | None, events: Sequence[str] | None) -> Endpoint:
    row = endpoints.update_endpoint(unit, endpoint_id, key=key, url=url, events=events)
    changed = {"key": key, "url": url, "events": None if events is None else ",".join(json.loads(row.events))}
    given = {name: value for name, value in changed.items() if value is not None}
    noted(unit, "webhooks.update", _target(endpoint_id), **given)
    return row


@webhooks.command()
@placed
@_endpoint
def remove(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Remove ENDPOINT and what is on its way to it."""
    with scopes_of(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhooks.remove", endpoints.remove_endpoint)
    click.echo(f"{row.endpoint_id} ({row.key}) is removed")


@webhooks.command()
@placed
@_endpoint
def pause(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Stop sending to ENDPOINT; its events are kept for 30 days."""
    with scopes_of(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhooks.pause", endpoints.pause)
    click.echo(f"{row.endpoint_id} ({row.key}) is paused")


@webhooks.command()
@placed
@_endpoint
def unpause(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Send to ENDPOINT again, at once and oldest first what was kept or waits for a retry."""
    with scopes_of(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhooks.unpause", endpoints.unpause)
    click.echo(f"{row.endpoint_id} ({row.key}) is active")


@webhooks.command("rotate-secret")
@placed
@_endpoint
@json_option
@setting_option("vault_key")
@setting_option("production", default=False)
def rotate_secret(
    database: str, game_id: str | None, environment: str | None, endpoint: str | None,
    *, as_json: bool, vault_key: str | None, production: bool,
) -> None:  # fmt: skip
    """Give ENDPOINT a new secret; the one before signs beside it for 24 hours."""
    with scopes_of(database, game_id, environment) as found:
        vault = vault_for(database, vault_key, production=production)
        once = _change(
            found, endpoint, "webhooks.rotateSecret",
            lambda unit, ref: endpoints.rotate_endpoint_secret(unit, vault, ref),
        )  # fmt: skip
    _show_once(once, as_json=as_json)


# -- samples --------------------------------------------------------------------------------------------------------------


@webhooks.command()
@placed
@_endpoint
@click.option(
    "--event", "kind", required=True, metavar="KIND", callback=lambda _, __, kind: known_kind(kind),
    help="The kind of event, such as gift.sent.",
)  # fmt: skip
@json_option
def sample(
    database: str, game_id: str | None, environment: str | None, endpoint: str | None, kind: str, *, as_json: bool
) -> None:
    """Send ENDPOINT a signed sample of an event, whatever it is subscribed to."""
    with scopes_of(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhooks.sample", lambda unit, ref: endpoints.send_sample(unit, ref, kind))
    show_queued(row, as_json=as_json)
