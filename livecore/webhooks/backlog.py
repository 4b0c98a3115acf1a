"""What waits for an endpoint: how many deliveries, how many of them are held, and since when the oldest has waited.

A pause of a month may hold millions of deliveries. Counting is bounded for those who do it often or while others wait: a
number of `COUNTED_AT_MOST` means that many or more. When the oldest was queued is always exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, get_args

import attrs

from livecore.kernel.storage.reads import Count, Scan
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Index
from livecore.kernel.time import Millis
from livecore.webhooks.delivery import DeliveryStatus
from livecore.webhooks.history import DeliveryFilter
from livecore.webhooks.outbox import DELIVERIES_BY_TIME, DELIVERIES_OF_STATUS, HELD, Delivery

COUNTED_AT_MOST: Final = 100_000
"""How many deliveries of one endpoint in one state are counted."""
_WAITING: Final = ("pending", "held")
_STATUSES: Final[tuple[str, ...]] = get_args(DeliveryStatus)


@attrs.frozen(kw_only=True)
class Backlog:
    """What waits for one endpoint.

    `waiting` is how many deliveries wait for their first attempt, for a retry or for the end of a pause; `held` is how many
    of these wait for the end of a pause. `oldest_at` is when the oldest of them, or its last replay, was queued.
    """

    waiting: int
    held: int
    oldest_at: Millis | None


def backlog_of(tx: Transaction, endpoint_id: str, *, limit: int | None = COUNTED_AT_MOST) -> Backlog:
    """What waits for an endpoint now; without a `limit` everything is counted, however long that takes."""
    return backlogs_of(tx, [endpoint_id], limit=limit)[0]


def backlogs_of(tx: Transaction, endpoint_ids: Sequence[str], *, limit: int | None = COUNTED_AT_MOST) -> list[Backlog]:
    """What waits for several endpoints, read together."""
    reads: list[Count | Scan[Delivery]] = []
    for endpoint_id in endpoint_ids:
        reads += (Count(HELD, (endpoint_id, status), limit=limit) for status in _WAITING)
        reads += (Scan(HELD, (endpoint_id, status), limit=1) for status in _WAITING)
    found: Iterator[Any] = iter(tx.read_all(reads))
    return [
        Backlog(
            waiting=pending + held, held=held, oldest_at=min((row.queued_at for row in (*first, *second)), default=None)
        )
        for pending, held, first, second in zip(found, found, found, found, strict=True)
    ]


def count_matching(tx: Transaction, wanted: DeliveryFilter, *, limit: int | None = COUNTED_AT_MOST) -> int | None:
    """How many deliveries match, up to the limit; `None` where a kind or a player is asked for.

    Those are properties of events: all deliveries would have to be read to count the matching ones.
    """
    reads = counting_reads(wanted, limit=limit)
    if not reads:
        return None
    found = sum(tx.read_all(reads))
    return found if limit is None else min(found, limit)


def counting_reads(wanted: DeliveryFilter, *, limit: int | None = COUNTED_AT_MOST) -> list[Count]:
    """What `count_matching` reads, to be read together with other things before."""
    return [Count(index, prefix, wanted.start, wanted.stop, limit) for index, prefix in _prefixes(wanted)]


def _prefixes(wanted: DeliveryFilter) -> list[tuple[Index[Delivery], tuple[str, ...]]]:
    """The indexes, and the beginnings of their keys, under which the matching deliveries are and no others."""
    if wanted.kind is not None or wanted.player_id is not None:
        return []
    if wanted.endpoint_id is not None:
        statuses = _STATUSES if wanted.status is None else (wanted.status,)
        return [(HELD, (wanted.endpoint_id, status)) for status in statuses]
    return [(DELIVERIES_BY_TIME, ()) if wanted.status is None else (DELIVERIES_OF_STATUS, (wanted.status,))]
