"""Rate limits: the buckets, their settings, and the windows in which a request counts.

A bucket is a fixed window of a minute that starts with its first request. The specification's four buckets count by API key
(a rotated key and its successor share one), the client buckets by key and player if the deployment is configured so, and
the admin bucket by session or personal key.

A client key is public, so it proves nothing. A request of a client counts for the player, or for the key, only after the
player secret was verified. All others are unproven and count in a bucket of the same size for the key and the caller's
address: requests with a missing or wrong secret, requests about players who do not exist, and routes that need no secret.
Invented names do not avoid that limit. Where the players share the key's bucket, the first unproven requests count there as
well, up to a tenth of it: so nobody without a secret keeps out those who have one. Requests without a valid key count for
the address alone. Who opens a page to sign in counts apart from these, by the same number: otherwise anybody behind an
office's address, and any page that somebody there opens, could keep its people from signing in.

`sdk_address` counts all proven requests of an address on the client surface as well: where every player has a bucket, it
bounds what one address can do with many players. Unproven requests of the address have a window of their own, of half that
size, and use up nothing of the other. Registrations count apart from both, so wrong secrets keep nobody from registering.
Unproven requests and registrations of an IPv6 address count for its /48 network as well. A secret is compared before it is
known to be wrong; an address may show ten times as many secrets as it may have proven requests, and whatever it shows beyond
that is refused without a read, unless the same secret was right lately. A disabled bucket sets no headers (specification 8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import attrs

from livecore.access.directory import ApiKey
from livecore.api.table.operation import Bucket
from livecore.kernel.units.ephemeral import Allowance
from livecore.kernel.units.quotas import Quotas

DEFAULT_PER_MINUTE: Final[Mapping[Bucket, int]] = {
    "sdk_read": 600,
    "sdk_write": 120,
    "server_api": 1000,
    "admin": 600,
}
ADDRESS_PER_MINUTE: Final = 3_000
"""Three hundred players of a school behind one address, each with ten requests a minute, two of them heartbeats."""
_SECRETS_FOR_A_REQUEST: Final = 10
"""How many secrets an address may show for each proven request that it may have: so nine of ten may be wrong. With the
default that is 500 a second."""
NEW_PLAYERS_PER_HOUR: Final = 200
"""Some classes of a school that begin with a game on the same day."""
STORED_BYTES_PER_DAY: Final = 1024 * 1024
"""A thousand requests with 1 KiB of metadata each, or 64 with the most that one may have."""
AtAddress: TypeAlias = Literal["proven", "unproven", "secrets"]
"""What is counted for an address on the client surface, each apart."""
Windows: TypeAlias = Mapping[str, int]
"""The windows in which one request counts: their names in the ephemeral state, each with its limit."""


def _with_players(number: int) -> Callable[[RateLimits], int | None]:
    return lambda limits: number if limits.per_player else None


@attrs.frozen(kw_only=True)
class RateLimits:
    """A deployment's settings: the limit of each bucket (a missing one is off), how clients are counted, and the quotas.

    The limits of an address are on by default where players are counted separately.
    """

    per_minute: Mapping[Bucket, int] = attrs.field(factory=lambda: dict(DEFAULT_PER_MINUTE))
    unauthenticated_per_minute: int | None = 120
    per_player: bool = False
    address_per_minute: int | None = attrs.field(
        default=attrs.Factory(_with_players(ADDRESS_PER_MINUTE), takes_self=True)
    )
    new_players_per_hour: int | None = attrs.field(
        default=attrs.Factory(_with_players(NEW_PLAYERS_PER_HOUR), takes_self=True)
    )
    stored_bytes_per_day: int | None = STORED_BYTES_PER_DAY
    at_address: Mapping[AtAddress, int] = attrs.field(init=False)
    """How many requests of a kind an address may send in a minute; a missing kind is not limited."""
    _apart: frozenset[Bucket | None] = attrs.field(init=False)
    """The buckets that count the players of one key separately."""

    @at_address.default
    def _at_each_address(self) -> Mapping[AtAddress, int]:
        limit = self.address_per_minute
        if limit is None:
            return {}
        return {"proven": limit, "unproven": -(-limit // 2), "secrets": limit * _SECRETS_FOR_A_REQUEST}

    @_apart.default
    def _buckets_apart(self) -> frozenset[Bucket | None]:
        return frozenset({"sdk_read", "sdk_write"} if self.per_player else ())

    @classmethod
    def off(cls) -> RateLimits:
        """No limit on anything."""
        return cls(per_minute={}, unauthenticated_per_minute=None, stored_bytes_per_day=None)

    @property
    def quotas(self) -> Quotas:
        """The limits on what requests leave behind."""
        return Quotas(self.new_players_per_hour, self.stored_bytes_per_day)

    # -- where a request counts

    def of_key(self, bucket: Bucket | None, key: ApiKey) -> Windows:
        """The window of an API key."""
        return self._window(bucket, f"{bucket}:{key.bucket}")

    def of_player(self, bucket: Bucket | None, key: ApiKey, player_id: str) -> Windows:
        """The window of a player whose secret was verified: the player's own, or that of the key."""
        name = f"{bucket}:{key.bucket}"
        return self._window(bucket, f"{name}:{player_id}" if bucket in self._apart else name)

    def of_unproven(self, bucket: Bucket | None, key: ApiKey, address: str, times: int = 1) -> Windows:
        """The windows of a caller who has shown a client key and no player's secret: with this key, and with all keys.

        Each has `times` its usual limit.
        """
        with_key = self._window(bucket, f"{bucket}:{key.bucket}:from:{address}", times)
        return {**with_key, **self._at("unproven", address, times)}

    def of_registrations(self, bucket: Bucket | None, key: ApiKey, address: str, times: int = 1) -> Windows:
        """The window of the registrations of a caller who has shown a client key, with `times` its usual limit."""
        return self._window(bucket, f"registrations:{key.bucket}:from:{address}", times)

    def of_share(self, bucket: Bucket | None, key: ApiKey) -> Windows:
        """The window of the part of a key's bucket that unproven callers may use up: a tenth, and at least one request."""
        if bucket is None or bucket in self._apart or bucket not in self.per_minute:
            return {}
        return {f"{bucket}:{key.bucket}:unproven": -(-self.per_minute[bucket] // 10)}

    def of_member(self, bucket: Bucket | None, ref: str) -> Windows:
        """The window of a member's session or personal key, whose reference is `ref`."""
        return self._window(bucket, f"{bucket}:{ref}")

    def of_address(self, address: str) -> Windows:
        """The window of the proven requests of an address on the client surface."""
        return self._at("proven", address)

    def of_secrets(self, address: str) -> Windows:
        """The window of the requests of an address that show a secret, right or wrong."""
        return self._at("secrets", address)

    def _at(self, kind: AtAddress, address: str, times: int = 1) -> Windows:
        limit = self.at_address.get(kind)
        return {} if limit is None else {f"sdk_address:{kind}:{address}": limit * times}

    def of_stranger(self, address: str, *, opens_page: bool = False) -> Windows:
        """The window of a caller without a valid key, or of people who open a page and are not signed in yet."""
        limit = self.unauthenticated_per_minute
        return {} if limit is None else {f"{'visitor' if opens_page else 'stranger'}:{address}": limit}

    def _window(self, bucket: Bucket | None, name: str, times: int = 1) -> Windows:
        limit = None if bucket is None else self.per_minute.get(bucket)
        return {} if limit is None else {name: limit * times}


def headers_of(allowance: Allowance) -> tuple[tuple[str, str], ...]:
    """The headers that report a count to the caller."""
    return (
        ("RateLimit-Limit", str(allowance.limit)),
        ("RateLimit-Remaining", str(allowance.remaining)),
        ("RateLimit-Reset", str(allowance.reset_seconds)),
    )
