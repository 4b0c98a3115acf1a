"""`livecore webhooks`: where a game's events are sent, for operators.

Commands change the database; a running server notices within seconds. An ENDPOINT is named by its id or its key, and may be
left out where there is only one. Every change leaves an entry in the audit trail of its environment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar, cast

import click

from livecore.kernel.errors import Json, JsonObject
from livecore.kernel.scope import Environment, Scope
from livecore.kernel.time import Timestamp
from livecore.kernel.unit import Unit
from livecore.webhooks import endpoints
from livecore.webhooks.addresses import check_url
from livecore.webhooks.catalog import CATALOG
from livecore.webhooks.endpoints import EndpointOnce, Vault
from livecore.webhooks.outbox import EVENTS, Delivery, Endpoint, require_delivery
from livecore.webhooks.subscription import EVERYTHING
from livecore_server.cli.groups import Group
from livecore_server.cli.options import game_option, json_option, setting_option
from livecore_server.cli.scopes import ENVIRONMENTS, GameScopes, noted
from livecore_server.database import store_at, vault_for
from livecore_server.settings import Settings
from livecore_server.vault import VaultError

__all__ = ["webhooks"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@click.group(cls=Group)
def webhooks() -> None:
    """Where a game's events are sent: endpoints, their secrets, and how deliveries went."""


# -- options that the commands share --------------------------------------------------------------------------------------


def _environment(*, required: bool) -> Callable[[F], F]:
    text = "The environment." if required else "The environment; may be left out where the id or key is in one only."
    return click.option("--environment", type=click.Choice(ENVIRONMENTS), required=required, help=text)


def _placed(command: F) -> F:
    """`--database`, `--game`, `--environment`."""
    return setting_option("database")(game_option(_environment(required=False)(command)))


def _known(kind: str) -> str:
    """A kind of event, or all of them. Raises `click.BadParameter` with what may have been meant."""
    if kind == EVERYTHING or kind in CATALOG:
        return kind
    meant = get_close_matches(kind, CATALOG, n=1)
    raise click.BadParameter(f"{kind!r} is no kind of event" + (f"; is {meant[0]} meant?" if meant else ""))


_endpoint = click.argument("endpoint", required=False)


@contextmanager
def _scopes(database: str, game_id: str | None, environment: str | None) -> Iterator[GameScopes]:
    with store_at(database) as store:
        yield GameScopes.find(store, game_id, environment)


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
        noted(unit, action, endpointId=endpoint_id)
        return result

    return found.write(scope, step)


# -- endpoints ------------------------------------------------------------------------------------------------------------


@webhooks.command()
@setting_option("database")
@game_option
@_environment(required=True)
@click.option("--url", required=True, help="Where to send: https, or http://localhost for a test endpoint.")
@click.option(
    "--events", multiple=True, default=(EVERYTHING,), metavar="KINDS",
    help="Kinds of events with commas between, or '*' for all; may be given more than once.",
)  # fmt: skip
@click.option("--key", metavar="NAME", help="A name for the endpoint, unique in its environment.")
@json_option
@setting_option("vault_key")
@setting_option("production")
@setting_option("webhook_networks")
def add(
    database: str, game_id: str | None, environment: Environment, url: str, events: Sequence[str], key: str | None,
    *, as_json: bool, vault_key: str | None, production: bool, webhook_networks: str,
) -> None:  # fmt: skip
    """Register an endpoint, and print its id and its secret, which is shown this once."""
    networks = Settings(webhook_networks=webhook_networks).networks
    target = check_url(url, environment, production=production, allowed_networks=networks, field="--url")
    kinds = [_known(kind.strip()) for part in events for kind in part.split(",") if kind.strip()]
    with _scopes(database, game_id, environment) as found:
        vault = vault_for(database, vault_key, production=production)
        once = found.write(found.scopes[0], partial(_add, vault=vault, key=key, url=target.url, events=kinds))
    _show_once(once, as_json=as_json)


def _add(unit: Unit, vault: Vault, key: str | None, url: str, events: Sequence[str]) -> EndpointOnce:
    _check_vault(unit, vault)
    once = endpoints.add_endpoint(unit, vault, key=key or _free_key(unit), url=url, events=events)
    noted(unit, "webhook.add_endpoint", endpointId=once.endpoint.endpoint_id, url=url)
    return once


def _check_vault(unit: Unit, vault: Vault) -> None:
    """Seal nothing with a key that the server cannot have, where what is stored already tells.

    Raises `click.ClickException`.
    """
    for row in endpoints.list_endpoints(unit):
        try:
            vault.unseal(json.loads(row.secrets)[0]["text"])
        except VaultError as fault:
            raise click.ClickException(
                f"the vault key does not fit this database: {fault}. Give the server's LIVECORE_VAULT_KEY"
            ) from None


def _free_key(unit: Unit) -> str:
    """The first of `endpoint-1`, `endpoint-2` … that nobody has."""
    taken = {row.key for row in endpoints.list_endpoints(unit)}
    return next(key for key in (f"endpoint-{number}" for number in range(1, len(taken) + 2)) if key not in taken)


def _show_once(once: EndpointOnce, *, as_json: bool) -> None:
    endpoint = once.endpoint
    if as_json:
        click.echo(json.dumps({"endpointId": endpoint.endpoint_id, "secret": once.secret}))
        return
    click.echo(f"{endpoint.endpoint_id} ({endpoint.key}) sends to {endpoint.url}")
    click.echo(f"secret, shown this once: {once.secret}")


@webhooks.command("list")
@_placed
@json_option
def list_(database: str, game_id: str | None, environment: str | None, *, as_json: bool) -> None:
    """List the endpoints, oldest first."""
    with _scopes(database, game_id, environment) as found:
        rows = [
            _endpoint_row(scope, row) for scope in found.scopes for row in found.read(scope, endpoints.list_endpoints)
        ]
    _show("endpoints", rows, as_json=as_json)


def _endpoint_row(scope: Scope, row: Endpoint) -> JsonObject:
    events: list[Json] = json.loads(row.events)
    return {
        "endpointId": row.endpoint_id,
        "key": row.key,
        "environment": scope.environment,
        "status": row.status,
        "pauseReason": row.pause_reason,
        "url": row.url,
        "events": events,
        "createdAt": Timestamp(row.created_at).wire,
    }


@webhooks.command()
@_placed
@_endpoint
def remove(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Remove ENDPOINT and what is on its way to it."""
    with _scopes(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhook.remove_endpoint", endpoints.remove_endpoint)
    click.echo(f"{row.endpoint_id} ({row.key}) is removed")


@webhooks.command()
@_placed
@_endpoint
def pause(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Stop sending to ENDPOINT; its events are kept for 30 days."""
    with _scopes(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhook.pause_endpoint", endpoints.pause)
    click.echo(f"{row.endpoint_id} ({row.key}) is paused")


@webhooks.command()
@_placed
@_endpoint
def unpause(database: str, game_id: str | None, environment: str | None, endpoint: str | None) -> None:
    """Send to ENDPOINT again, at once and oldest first what was kept or waits for a retry."""
    with _scopes(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhook.unpause_endpoint", endpoints.unpause)
    click.echo(f"{row.endpoint_id} ({row.key}) is active")


@webhooks.command("rotate-secret")
@_placed
@_endpoint
@json_option
@setting_option("vault_key")
@setting_option("production")
def rotate_secret(
    database: str, game_id: str | None, environment: str | None, endpoint: str | None,
    *, as_json: bool, vault_key: str | None, production: bool,
) -> None:  # fmt: skip
    """Give ENDPOINT a new secret; the one before signs beside it for 24 hours."""
    with _scopes(database, game_id, environment) as found:
        vault = vault_for(database, vault_key, production=production)
        once = _change(
            found, endpoint, "webhook.rotate_secret",
            lambda unit, ref: endpoints.rotate_endpoint_secret(unit, vault, ref),
        )  # fmt: skip
    _show_once(once, as_json=as_json)


# -- deliveries -----------------------------------------------------------------------------------------------------------


@webhooks.command()
@_placed
@_endpoint
@click.option(
    "--event", "kind", required=True, metavar="KIND", callback=lambda _, __, kind: _known(kind),
    help="The kind of event, such as gift.sent.",
)  # fmt: skip
@json_option
def sample(
    database: str, game_id: str | None, environment: str | None, endpoint: str | None, kind: str, *, as_json: bool
) -> None:
    """Send ENDPOINT a signed sample of an event, whatever it is subscribed to."""
    with _scopes(database, game_id, environment) as found:
        row = _change(found, endpoint, "webhook.send_sample", lambda unit, ref: endpoints.send_sample(unit, ref, kind))
    _show_queued(row, as_json=as_json)


@webhooks.command()
@_placed
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many to list.")
@json_option
def deliveries(database: str, game_id: str | None, environment: str | None, limit: int, *, as_json: bool) -> None:
    """List the newest deliveries."""
    with _scopes(database, game_id, environment) as found:
        rows = [row for scope in found.scopes for row in found.read(scope, partial(_delivery_rows, limit=limit))]
    rows.sort(key=lambda row: str(row["queuedAt"]), reverse=True)
    _show("deliveries", rows[:limit], as_json=as_json)


def _delivery_rows(unit: Unit, limit: int) -> list[JsonObject]:
    return [_delivery_row(unit, row) for row in endpoints.list_deliveries(unit, limit=limit)]


def _delivery_row(unit: Unit, row: Delivery) -> JsonObject:
    event = unit.tx.get(EVENTS, row.event_id)
    return {
        "deliveryId": row.delivery_id,
        "environment": unit.scope.environment,
        "endpointId": row.endpoint_id,
        "eventId": row.event_id,
        "event": None if event is None else event.kind,
        "sample": row.sample,
        "status": row.status,
        "attempts": row.attempt,
        "queuedAt": Timestamp(row.queued_at).wire,
        "dueAt": None if row.due_at is None else Timestamp(row.due_at).wire,
        "lastStatus": row.last_status,
        "lastError": row.last_error,
    }


@webhooks.command()
@_placed
@click.argument("delivery")
@json_option
def replay(database: str, game_id: str | None, environment: str | None, delivery: str, *, as_json: bool) -> None:
    """Send DELIVERY once more: the same event, its attempts counted on, no automatic retries."""
    with _scopes(database, game_id, environment) as found:
        scope, _ = found.only(lambda unit: require_delivery(unit, delivery))
        row = found.write(scope, partial(_replay, delivery_id=delivery))
    _show_queued(row, as_json=as_json)


def _replay(unit: Unit, delivery_id: str) -> Delivery:
    row = endpoints.replay(unit, delivery_id)
    noted(unit, "webhook.replay", deliveryId=delivery_id, endpointId=row.endpoint_id)
    return row


# -- what is printed ------------------------------------------------------------------------------------------------------


def _show_queued(row: Delivery, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"deliveryId": row.delivery_id, "eventId": row.event_id}))
    else:
        click.echo(f"{row.delivery_id} is queued; `livecore webhooks deliveries` shows how it went")


def _show(name: str, rows: Sequence[JsonObject], *, as_json: bool) -> None:
    """Rows as JSON, or as lines of columns with nothing left out."""
    if as_json:
        click.echo(json.dumps({name: cast(Json, list(rows))}))
        return
    if not rows:
        click.echo(f"no {name}", err=True)
        return
    table = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: Json) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
