"""What members do about the webhook endpoints of an environment.

A path names an endpoint by its id alone: a key may be chosen, also one that reads like another endpoint's id. URLs are held
against the same rules as on the command line, which the host gives with the unit.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Literal, cast

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Change, Unit, Vault
from livecore.kernel.wire.shapes import ABSENT
from livecore.webhooks import endpoints
from livecore.webhooks.addresses import NetworkRules
from livecore.webhooks.backlog import Backlog, backlog_of, backlogs_of
from livecore.webhooks.delivery_rows import DeliveryGiven
from livecore.webhooks.operator_rows import (
    CreateEndpoint,
    EndpointGiven,
    EndpointMade,
    EndpointRemoved,
    EndpointRow,
    EndpointsGiven,
    ListEndpoints,
    PauseEndpoint,
    RemoveEndpoint,
    RotateEndpointSecret,
    SendSample,
    UnpauseEndpoint,
    UpdateEndpoint,
)
from livecore.webhooks.outbox import Endpoint, endpoint_state
from livecore.webhooks.rotation import SECRET_BYTES, secrets_of, signing, spelled
from livecore.webhooks.showing import delivery_row, shown_url, without_query

_STRICT = NetworkRules(production=True)
"""The rules of a host that has none of its own."""


def list_all(unit: Unit, _: ListEndpoints) -> EndpointsGiven:
    """Every endpoint of the environment, the oldest first."""
    rows = endpoints.list_endpoints(unit)
    backlogs = backlogs_of(unit.tx, [row.endpoint_id for row in rows])
    return EndpointsGiven(endpoints=tuple(map(partial(_row_of, unit), rows, backlogs)))


def create(unit: Unit, args: CreateEndpoint) -> EndpointMade:
    """Register an endpoint.

    Raises `ValidationFailed` for a URL that is not allowed and for unknown kinds, `EndpointKeyTaken`,
    `EndpointLimitReached`.
    """
    url = _checked(unit, args.url)
    key = endpoints.free_key(unit) if args.key is None else args.key
    secret = spelled(unit.secret_bytes(SECRET_BYTES))
    once = endpoints.add_endpoint(unit, _vault(unit), key=key, url=url, events=args.events, secret=secret)
    unit.audit_target = ("webhook_endpoint", once.endpoint.endpoint_id)
    unit.change = Change(None, _shown_for_audit(once.endpoint))
    return EndpointMade(endpoint=_row(unit, once.endpoint), secret=once.secret)


def update(unit: Unit, args: UpdateEndpoint) -> EndpointGiven:
    """Change the given fields. Raises `WebhookEndpointNotFound`, and like `create`."""
    before = endpoints.require_endpoint_id(unit, args.endpoint_id)
    after = endpoints.update_endpoint(
        unit,
        before.endpoint_id,
        key=None if args.key is ABSENT else args.key,
        url=None if args.url is ABSENT else _checked(unit, args.url),
        events=None if args.events is ABSENT else args.events,
    )
    return _changed(unit, before, after)


def remove(unit: Unit, args: RemoveEndpoint) -> EndpointRemoved:
    """Remove an endpoint; what waits for it is discarded. Raises `WebhookEndpointNotFound`."""
    before = endpoints.require_endpoint_id(unit, args.endpoint_id)
    endpoints.remove_endpoint(unit, before.endpoint_id)
    unit.change = Change(_shown_for_audit(before), None)
    return EndpointRemoved(removed=True)


def pause(unit: Unit, args: PauseEndpoint) -> EndpointGiven:
    """Stop sending. Raises `WebhookEndpointNotFound`, `WebhookStateConflict`."""
    before = endpoints.require_endpoint_id(unit, args.endpoint_id)
    return _changed(unit, before, endpoints.pause(unit, before.endpoint_id))


def unpause(unit: Unit, args: UnpauseEndpoint) -> EndpointGiven:
    """Send again, first what was held. Raises `WebhookEndpointNotFound`, `WebhookStateConflict`."""
    before = endpoints.require_endpoint_id(unit, args.endpoint_id)
    return _changed(unit, before, endpoints.unpause(unit, before.endpoint_id))


def rotate_secret(unit: Unit, args: RotateEndpointSecret) -> EndpointMade:
    """Give the endpoint a new secret; the one before also signs for a day. Raises `WebhookEndpointNotFound`."""
    before = endpoints.require_endpoint_id(unit, args.endpoint_id)
    secret = spelled(unit.secret_bytes(SECRET_BYTES))
    once = endpoints.rotate_endpoint_secret(unit, _vault(unit), before.endpoint_id, secret=secret)
    unit.audit_metadata = {"endpointKey": before.key}
    return EndpointMade(endpoint=_row(unit, once.endpoint), secret=once.secret)


def send_sample(unit: Unit, args: SendSample) -> DeliveryGiven:
    """Queue a sample of a kind of event. Raises `WebhookEndpointNotFound`, and `ValidationFailed` for an unknown kind."""
    endpoint = endpoints.require_endpoint_id(unit, args.endpoint_id)
    row = endpoints.send_sample(unit, endpoint.endpoint_id, args.kind, "kind")
    unit.audit_metadata = {"kind": args.kind, "deliveryId": row.delivery_id}
    return DeliveryGiven(delivery=delivery_row(unit, row))


def spell_secret(_: JsonObject, secret: bytes) -> str:
    """The secret of an endpoint that was made with these random bytes."""
    return spelled(secret)


def _checked(unit: Unit, url: str) -> str:
    return (unit.deployment.urls or _STRICT).checked(url, unit.scope.environment, "url")


def _vault(unit: Unit) -> Vault:
    if unit.deployment.vault is None:
        raise RuntimeError("this host has no vault, and so it cannot keep a webhook's secret")
    return unit.deployment.vault


def _changed(unit: Unit, before: Endpoint, after: Endpoint) -> EndpointGiven:
    unit.change = Change(_shown_for_audit(before), _shown_for_audit(after))
    return EndpointGiven(endpoint=_row(unit, after))


def _row(unit: Unit, row: Endpoint) -> EndpointRow:
    return _row_of(unit, row, backlog_of(unit.tx, row.endpoint_id))


def _row_of(unit: Unit, row: Endpoint, backlog: Backlog) -> EndpointRow:
    retiring = [secret.retires_at for secret in signing(secrets_of(row.secrets), unit.now)]
    until = max((at for at in retiring if at is not None), default=None)
    return EndpointRow(
        endpoint_id=row.endpoint_id,
        key=row.key,
        environment=cast("Literal['test', 'live']", unit.scope.environment),
        url=shown_url(unit, row),
        events=tuple(json.loads(row.events)),
        status=row.status,
        pause_reason=row.pause_reason,
        paused_at=None if row.paused_at is None else Timestamp(row.paused_at),
        failing=len(endpoint_state(row).breaker.failing),
        waiting=backlog.waiting,
        held=backlog.held,
        oldest_waiting_at=None if backlog.oldest_at is None else Timestamp(backlog.oldest_at),
        previous_secret_until=None if until is None else Timestamp(until),
        created_at=Timestamp(row.created_at),
    )


def _shown_for_audit(row: Endpoint) -> JsonObject:
    return {
        "key": row.key,
        "url": without_query(row.url),
        "events": json.loads(row.events),
        "status": row.status,
        "pauseReason": row.pause_reason,
    }
