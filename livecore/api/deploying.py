"""The deployment of the service: all its areas, and events that are written to the outbox."""

from __future__ import annotations

from collections.abc import Sequence

from livecore.api.areas import AREAS
from livecore.kernel.declarations.area import Areas
from livecore.kernel.units.unit import Deployment, Retention, UrlRules, Vault
from livecore.kernel.units.volatile import Volatile
from livecore.leaderboards.ranking.rankings import Rankings
from livecore.webhooks.outbox import record_event


def new_deployment(
    *,
    areas: Areas = AREAS,
    volatile: Volatile | None = None,
    rankings: Rankings | None = None,
    retention: Retention | None = None,
    secrets: Sequence[bytes] = (),
    vault: Vault | None = None,
    urls: UrlRules | None = None,
) -> Deployment:
    """The deployment of a process; what is not given is empty, and the short memory its own."""
    return Deployment(
        areas=areas,
        sink=record_event,
        volatile=volatile or Volatile(),
        kept={Rankings: rankings or Rankings()},
        retention=retention or Retention(),
        secrets=tuple(secrets),
        vault=vault,
        urls=urls,
    )
