"""Warns in the log that a rate limit is too small for a whole game.

By default a client bucket counts all requests of an API key together, and a game has one key for all of its players. Each of
them sends a heartbeat every 30 seconds, so about sixty players use up 120 writes a minute, and from then on all of them are
answered 429. The warning says what the operator should change.
"""

from __future__ import annotations

import logging
from typing import Final

from livecore.api.limits import RateLimits
from livecore.api.prepared import Prepared
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import HOUR, Millis

__all__ = ["BucketWatch"]

_log = logging.getLogger("livecore.limits")
_CLIENT_BUCKETS: Final = ("sdk_read", "sdk_write")


class BucketWatch:
    """Gets refused requests, and warns once an hour about each key whose client bucket is used up.

    Its memory is bounded by the number of keys, because only a request with a valid key counts in such a bucket.
    """

    def __init__(self, limits: RateLimits) -> None:
        self._limits = limits
        self._told_at: dict[tuple[str, str], Millis] = {}

    def refused(self, prepared: Prepared) -> None:
        """Check a request that was refused before its operation."""
        response, key, operation = prepared.refused, prepared.key, prepared.operation
        if response is None or key is None or operation is None or response.status != RateLimited.status:
            return
        bucket = operation.bucket
        if bucket not in _CLIENT_BUCKETS or self._limits.apart(bucket):
            return
        told_at = self._told_at.get((bucket, key.bucket))
        # If the clock was set back, the hour starts again.
        if told_at is not None and 0 <= prepared.now - told_at < HOUR:
            return
        self._told_at[bucket, key.bucket] = prepared.now
        _log.warning(
            "key %s has used up %s: %d requests a minute for all players together; others of them are answered 429. "
            "--rate-limits-per-player gives each player that many: see docs/how-to/size-a-deployment.md",
            key.prefix,
            bucket,
            self._limits.per_minute[bucket],
        )
