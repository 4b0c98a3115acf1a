"""Endpoints: the URLs where a studio receives events, and the operations on them.

The signing secret is shown once, when it is made. It is stored sealed by a `Vault` that the host provides, because unlike
every other secret it must be readable for signing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Unit, Vault
from livecore.kernel.wire import compact
from livecore.webhooks import delivery as delivery_rules
from livecore.webhooks import endpoint as rules
from livecore.webhooks.envelope import data_text
from livecore.webhooks.outbox import (
    ALL_ENDPOINTS,
    DELIVERIES,
    ENDPOINT_BY_KEY,
    ENDPOINTS,
    EVENTS,
    Delivery,
    Endpoint,
    delivery_state,
    endpoint_state,
    queue_sample,
    require_delivery,
    with_delivery_state,
    with_endpoint_state,
)
from livecore.webhooks.refusals import (
    EndpointKeyTaken,
    EndpointLimitReached,
    WebhookEndpointNotFound,
    WebhookStateConflict,
)
from livecore.webhooks.rotation import EndpointSecret, new_secret, rotated, secrets_of, secrets_text, signing
from livecore.webhooks.samples import sample_of
from livecore.webhooks.subscription import check_subscription
from livecore.webhooks.waiting import DISCARD, GATHER

_MOST_ENDPOINTS = 20


class PlainVault:
    """No encryption: for simulations, where nothing leaves the process."""

    def seal(self, text: str) -> str:
        """The text itself."""
        return text

    def unseal(self, sealed: str) -> str:
        """The text itself."""
        return sealed


@attrs.frozen
class EndpointOnce:
    """An endpoint with its secret, which is shown only once."""

    endpoint: Endpoint
    secret: str = attrs.field(repr=False)


def add_endpoint(
    unit: Unit, vault: Vault, *, key: str, url: str, events: Sequence[str], secret: str | None = None
) -> EndpointOnce:
    """Register an endpoint, with a new secret unless one is given; the URL was checked against the network rules.

    Raises `ValidationFailed` for unknown kinds, `EndpointKeyTaken`, `EndpointLimitReached`.
    """
    kinds = check_subscription(events, Areas.of(unit).events)
    _check_key(unit, key)
    if unit.tx.count(ALL_ENDPOINTS) >= _MOST_ENDPOINTS:
        raise EndpointLimitReached(limit=_MOST_ENDPOINTS)
    secret = secret or new_secret(unit.entropy)
    endpoint = Endpoint(
        endpoint_id=unit.new_id("whe"),
        key=key,
        url=url,
        events=JsonText(compact(list(kinds))),
        secrets=secrets_text([EndpointSecret(vault.seal(secret))]),
        created_at=unit.now,
    )
    return EndpointOnce(unit.tx.insert(ENDPOINTS, endpoint), secret)


def _check_key(unit: Unit, key: str) -> None:
    if not 1 <= len(key) <= 64 or not key.isprintable():
        raise ValidationFailed({"key": "must be 1 to 64 printable characters"})
    if unit.tx.find(ENDPOINT_BY_KEY, key) is not None:
        raise EndpointKeyTaken


def update_endpoint(
    unit: Unit, ref: str, *, key: str | None = None, url: str | None = None, events: Sequence[str] | None = None
) -> Endpoint:
    """Change the given fields of an endpoint; the URL was checked against the network rules.

    The subscription applies when an event happens, the URL when it is sent. So waiting deliveries go to the new URL, and
    later events follow the new subscription. Raises like `add_endpoint`, and `WebhookEndpointNotFound`.
    """
    endpoint = require_endpoint(unit, ref)
    kinds = None if events is None else check_subscription(events, Areas.of(unit).events)
    if key is not None and key != endpoint.key:
        _check_key(unit, key)
    return unit.tx.put(
        ENDPOINTS,
        evolve(
            endpoint,
            key=endpoint.key if key is None else key,
            url=endpoint.url if url is None else url,
            events=endpoint.events if kinds is None else JsonText(compact(list(kinds))),
        ),
    )


def require_endpoint(unit: Unit, ref: str) -> Endpoint:
    """The endpoint with this id or key. Raises `WebhookEndpointNotFound`."""
    endpoint = unit.tx.get(ENDPOINTS, ref) or unit.tx.find(ENDPOINT_BY_KEY, ref)
    if endpoint is None:
        raise WebhookEndpointNotFound.of(ref)
    return endpoint


def free_key(unit: Unit) -> str:
    """The first of `endpoint-1`, `endpoint-2` … that no endpoint of the environment has."""
    taken = {row.key for row in list_endpoints(unit)}
    return next(key for key in (f"endpoint-{number}" for number in range(1, len(taken) + 2)) if key not in taken)


def require_endpoint_id(unit: Unit, endpoint_id: str) -> Endpoint:
    """The endpoint with this id, and not one whose key reads like it. Raises `WebhookEndpointNotFound`."""
    endpoint = unit.tx.get(ENDPOINTS, endpoint_id)
    if endpoint is None:
        raise WebhookEndpointNotFound.of(endpoint_id)
    return endpoint


def list_endpoints(unit: Unit) -> list[Endpoint]:
    """Every endpoint of the environment, oldest first."""
    return unit.tx.scan(ALL_ENDPOINTS)


def others_at(unit: Unit, endpoint: Endpoint) -> list[Endpoint]:
    """The other endpoints of the environment with the same address, which may be meant, but sends an event there twice."""
    return [row for row in list_endpoints(unit) if row.url == endpoint.url and row.endpoint_id != endpoint.endpoint_id]


def remove_endpoint(unit: Unit, ref: str) -> Endpoint:
    """Remove an endpoint. Its waiting deliveries are discarded, and later deleted by the sweep."""
    endpoint = require_endpoint(unit, ref)
    unit.tx.delete(ENDPOINTS, endpoint.endpoint_id)
    DISCARD.start_now(unit, endpoint.endpoint_id)
    return endpoint


def pause(unit: Unit, ref: str) -> Endpoint:
    """Stop sending to an endpoint; its events are kept for 30 days. Raises `WebhookStateConflict` if it is paused."""
    endpoint = require_endpoint(unit, ref)
    if not rules.allows(endpoint_state(endpoint), "pause"):
        raise WebhookStateConflict("This endpoint is paused already.")
    return unit.tx.put(ENDPOINTS, with_endpoint_state(endpoint, rules.paused(endpoint_state(endpoint), unit.now)))


def unpause(unit: Unit, ref: str) -> Endpoint:
    """Send to an endpoint again: held deliveries and those that wait for a retry, at once and oldest first.

    Raises `WebhookStateConflict` if it is not paused.
    """
    endpoint = require_endpoint(unit, ref)
    if not rules.allows(endpoint_state(endpoint), "unpause"):
        raise WebhookStateConflict("This endpoint is not paused.")
    active = unit.tx.put(ENDPOINTS, with_endpoint_state(endpoint, rules.unpaused(endpoint_state(endpoint))))
    GATHER.start_now(unit, endpoint.endpoint_id)
    return active


def rotate_endpoint_secret(unit: Unit, vault: Vault, ref: str, *, secret: str | None = None) -> EndpointOnce:
    """Make a new secret at once, unless one is given; the previous one also signs for 24 more hours."""
    endpoint = require_endpoint(unit, ref)
    secret = secret or new_secret(unit.entropy)
    secrets = rotated(secrets_of(endpoint.secrets), vault.seal(secret), unit.now)
    return EndpointOnce(unit.tx.put(ENDPOINTS, evolve(endpoint, secrets=secrets_text(secrets))), secret)


def reseal_secrets(unit: Unit, resealed: Callable[[str], str]) -> int:
    """Replace the sealed text of each secret that still signs by `resealed` of it; returns how many changed.

    `resealed` may return its argument, which then stays.
    """
    changed = 0
    for endpoint in list_endpoints(unit):
        before = signing(secrets_of(endpoint.secrets), unit.now)
        after = [attrs.evolve(secret, text=resealed(secret.text)) for secret in before]
        changed += sum(old != new for old, new in zip(before, after, strict=True))
        unit.tx.put(ENDPOINTS, evolve(endpoint, secrets=secrets_text(after)))
    return changed


def send_sample(unit: Unit, ref: str, kind: str, field: str = "event") -> Delivery:
    """Queue a sample of an event kind to one endpoint. Raises `ValidationFailed`, naming `field`, for an unknown kind."""
    endpoint = require_endpoint(unit, ref)
    payload = Areas.of(unit).events.get(kind)
    if payload is None:
        raise ValidationFailed({field: f"{kind!r} is no kind of event"})
    return queue_sample(unit, endpoint, kind, data_text(sample_of(payload)))


def replay(unit: Unit, delivery_id: str) -> Delivery:
    """Send a delivery again: the same event, attempts counted further, no automatic retries.

    Raises `WebhookDeliveryNotFound`, `WebhookEndpointNotFound` if the endpoint was removed since, `WebhookStateConflict`.
    """
    row = require_delivery(unit, delivery_id)
    require_endpoint(unit, row.endpoint_id)
    if not delivery_rules.allows(delivery_state(row), "replay"):
        given_up = row.status == "discarded"
        raise WebhookStateConflict(f"This delivery {'was discarded' if given_up else 'is still on its way'}.")
    event = unit.tx.get(EVENTS, row.event_id)
    if event is None or event.personal != "kept":
        raise WebhookStateConflict("Its body is gone: a player whom it named was erased, or it is too old.")
    return unit.tx.put(DELIVERIES, with_delivery_state(row, delivery_rules.replayed(delivery_state(row), unit.now)))
