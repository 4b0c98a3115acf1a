"""Rate limits: the four buckets, their settings, and the headers that report them to the caller.

A bucket is a fixed window of a minute that starts with its first request. It counts per API key (a rotated key and its
successor share one), and for the client buckets per key and player if the deployment is configured so. A request counts for
a player only after the player secret was verified. Before that it counts for the address, so that no caller uses up another
player's limit, and invented names do not avoid the limit. Requests without a valid key also count for the address. A
disabled bucket sets no headers (specification 8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from livecore.access.directory import ApiKey
from livecore.api.operation import Bucket
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE, Millis
from livecore.kernel.volatile import Allowance, Volatile

__all__ = ["DEFAULT_PER_MINUTE", "RateLimits"]

DEFAULT_PER_MINUTE: Final[Mapping[Bucket, int]] = {
    "sdk_read": 600,
    "sdk_write": 120,
    "server_api": 1000,
    "admin": 600,
}
_Headers = tuple[tuple[str, str], ...]


@attrs.frozen(kw_only=True)
class RateLimits:
    """A deployment's settings: requests per minute for each bucket (a missing one is off), and how clients are counted."""

    per_minute: Mapping[Bucket, int] = attrs.field(factory=lambda: dict(DEFAULT_PER_MINUTE))
    unauthenticated_per_minute: int | None = 120
    per_player: bool = False

    @classmethod
    def off(cls) -> RateLimits:
        """No limit on anything."""
        return cls(per_minute={}, unauthenticated_per_minute=None)

    def apart(self, bucket: Bucket | None) -> bool:
        """Whether this bucket counts the users of one key separately."""
        return self.per_player and bucket in ("sdk_read", "sdk_write")

    def count(self, volatile: Volatile, bucket: Bucket | None, key: ApiKey, party: str, now: Millis) -> _Headers:
        """Count a request of a key; returns the headers of its answer. Raises `RateLimited`.

        If the users of the key are counted separately, `party` distinguishes them.
        """
        limit = None if bucket is None else self.per_minute.get(bucket)
        if limit is None:
            return ()
        name = f"{bucket}:{key.bucket}:{party}" if self.apart(bucket) else f"{bucket}:{key.bucket}"
        return _headers_of(volatile.hit(name, limit, MINUTE, now))

    def count_member(self, volatile: Volatile, bucket: Bucket | None, ref: str, now: Millis) -> _Headers:
        """Count a request of a member's session or personal key, whose reference is `ref`. Raises `RateLimited`."""
        limit = None if bucket is None else self.per_minute.get(bucket)
        return () if limit is None else _headers_of(volatile.hit(f"{bucket}:{ref}", limit, MINUTE, now))

    def count_stranger(self, volatile: Volatile, address: str, now: Millis) -> _Headers:
        """Count a request without a valid key; returns the headers of its answer. Raises `RateLimited`."""
        limit = self.unauthenticated_per_minute
        if limit is None:
            return ()
        return _headers_of(volatile.hit(f"stranger:{address}", limit, MINUTE, now))


def _headers_of(allowance: Allowance) -> _Headers:
    headers = (
        ("RateLimit-Limit", str(allowance.limit)),
        ("RateLimit-Remaining", str(allowance.remaining)),
        ("RateLimit-Reset", str(allowance.reset_seconds)),
    )
    if not allowance.allowed:
        refusal = RateLimited(allowance.reset_seconds)
        refusal.headers.update(headers)
        raise refusal
    return headers
