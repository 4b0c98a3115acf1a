"""Webhook secrets that this server cannot open, because they were sealed with a vault key that it was not given.

A server that cannot sign starts nevertheless: players need it, deliveries wait for thirty days, and a copy of a database is
served with another key on purpose, so that it sends nothing. But it says so at its start and in its metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from livecore.access.directory import existing
from livecore.kernel.scope import DIRECTORY, Scope
from livecore.kernel.units.unit import Vault
from livecore.webhooks.outbox import ALL_ENDPOINTS, ENDPOINTS, Endpoint
from livecore.webhooks.rotation import secrets_of
from livecore_server.storage.database import Database
from livecore_server.vault import VaultError

_NAMED: Final = 3
"""How many endpoints and reasons a warning names."""


@attrs.frozen
class SealedAway:
    """An endpoint whose signing secret cannot be opened, and why."""

    scope: Scope
    endpoint: Endpoint
    fault: VaultError


def fault_of(vault: Vault, endpoint: Endpoint) -> VaultError | None:
    """Why deliveries to an endpoint cannot be signed; `None` if they can. An earlier secret need not open for that."""
    try:
        vault.unseal(secrets_of(endpoint.secrets)[0].text)
    except VaultError as fault:
        return fault
    return None


def sealed_away(store: Database, vault: Vault) -> Iterator[SealedAway]:
    """Every endpoint of the database whose signing secret cannot be opened."""
    scopes = store.scopes((ENDPOINTS,))
    for scope in store.read(DIRECTORY, lambda tx: existing(tx, scopes)):
        for endpoint in store.read(scope, lambda tx: tx.scan(ALL_ENDPOINTS)):
            fault = fault_of(vault, endpoint)
            if fault is not None:
                yield SealedAway(scope, endpoint, fault)


def warning_of(found: Sequence[SealedAway]) -> str:
    """What an operator is told at the start, in one line: what cannot be opened, what becomes of it, and the ways out."""
    endpoints = ", ".join(
        f"{one.endpoint.endpoint_id} (--game {one.scope.game_id} --environment {one.scope.environment})"
        for one in found[:_NAMED]
    )
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    reasons = "; ".join(sorted({str(one.fault) for one in found})[:_NAMED])
    return (
        f"the signing secrets of webhook endpoints cannot be opened, and nothing is sent to {endpoints}{more}: {reasons}. "
        "Their events wait, at most 30 days. Add the key with which the secrets were sealed to LIVECORE_VAULT_KEY and "
        "restart. If that key is lost, give each endpoint a new secret with `livecore webhooks rotate-secret`, and its "
        "receiver as well"
    )
