"""Warns in the log that a rate limit is too small for those who share it: a whole game, or everybody behind one address.

By default a client bucket counts all players of an API key together, and a game has one key for all of its players. Each of
them sends a heartbeat every 30 seconds, so about sixty players use up 120 writes a minute, and from then on all of them are
answered 429. An address may be that of a school, or of a proxy that the server does not know of. The warnings say what the
operator should change.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final, cast

from livecore.api.requests.limits import AtAddress, RateLimits
from livecore.api.requests.prepared import Prepared
from livecore.kernel.client_network import SITE_TIMES, site_of
from livecore.kernel.time import HOUR, Millis

_log = logging.getLogger("livecore.limits")
_CLIENT_BUCKETS: Final = ("sdk_read", "sdk_write")
_ADDRESS: Final = "sdk_address"
_COUNTED: Final[Mapping[AtAddress, str]] = {
    "proven": "with the right player secret",
    "unproven": "without a right player secret",
    "secrets": "with any player secret",
}
"""What the windows of an address count, in words."""


class BucketWatch:
    """Gets refused requests, and warns once an hour about each key whose client bucket is used up, and about addresses.

    Its memory is bounded by the number of keys, because only a proven player counts in such a bucket. Of all addresses one
    is told of in an hour.
    """

    def __init__(self, limits: RateLimits) -> None:
        self._limits = limits
        self._warned_at: dict[tuple[str, str], Millis] = {}

    def refused(self, prepared: Prepared) -> None:
        """Check a request that was refused."""
        key, operation = prepared.key, prepared.operation
        if key is None or operation is None:
            return
        bucket, _, party = prepared.used_up.partition(":")
        if bucket == _ADDRESS and self._is_due(bucket, "", prepared.now):
            kind_of, _, network = party.partition(":")
            kind = cast(AtAddress, kind_of)
            times = SITE_TIMES if network == site_of(prepared.request.remote) else 1
            _log.warning(
                "address %s has used up sdk_address: %d requests a minute %s. If it is a proxy, set --trusted-proxies; if "
                "it is a school or a mobile network, raise --rate-limits sdk_address=…: see "
                "docs/how-to/size-a-deployment.md",
                network,
                self._limits.at_address.get(kind, 0) * times,
                _COUNTED[kind],
            )
        elif bucket in _CLIENT_BUCKETS and party == key.bucket and self._is_due(bucket, party, prepared.now):
            _log.warning(
                "key %s has used up %s: %d requests a minute for all players together; others of them are answered 429. "
                "--rate-limits-per-player gives each player that many: see docs/how-to/size-a-deployment.md",
                key.prefix,
                bucket,
                self._limits.per_minute[bucket],  # type: ignore[index] # one of the client buckets
            )

    def _is_due(self, bucket: str, party: str, now: Millis) -> bool:
        warned_at = self._warned_at.get((bucket, party))
        # If the clock was set back, the hour starts again.
        if warned_at is not None and 0 <= now - warned_at < HOUR:
            return False
        self._warned_at[bucket, party] = now
        return True
