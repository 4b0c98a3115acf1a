"""The deployment of the service: all its areas, and events that are written to the outbox."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.api.areas import AREAS
from livecore.kernel.declarations.area import Areas
from livecore.kernel.units.ephemeral import EphemeralState
from livecore.kernel.units.unit import Deployment, Retention, UrlRules, Vault
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.webhooks.outbox import record_event


def new_deployment(
    *,
    areas: Areas = AREAS,
    ephemeral: EphemeralState | None = None,
    rankings: Rankings | None = None,
    retention: Retention | None = None,
    secrets: Sequence[bytes] = (),
    vault: Vault | None = None,
    urls: UrlRules | None = None,
) -> Deployment:
    """The deployment of a process; what is not given is empty, and the ephemeral state its own."""
    return Deployment(
        areas=areas,
        sink=record_event,
        ephemeral=ephemeral or EphemeralState(),
        kept={Rankings: rankings or Rankings()},
        retention=retention or Retention(),
        secrets=tuple(secrets),
        vault=vault,
        urls=urls,
    )
