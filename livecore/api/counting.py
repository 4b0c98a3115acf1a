"""Counts each request where it belongs, and reports the count in the headers of its answer.

    no valid key ──> the address          valid key of a backend ──> the key
    valid client key ──a secret is shown──> secrets of the address ──right──> the address, and the key or the player
                                                                   ──wrong──> unproven
                     ──no secret─────────> unproven: the key's callers of this address, all unproven requests of the
                                           address, and a part of the key's bucket
                                           (of an IPv6 address then also its /48 network)
                     ──registration──────> the key's registrations from this address, and a part of the key's bucket

What is unproven uses up nothing of what proven players of its address have. A request is counted once in each of its
windows, however often its transaction runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from livecore.access.directory import ApiKey
from livecore.api.limits import RateLimits, Windows, headers_of
from livecore.api.operation import Bucket, Operation
from livecore.api.prepared import Prepared
from livecore.kernel.client_network import SITE_TIMES, network_of, site_of
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE
from livecore.kernel.volatile import Allowance, Volatile

__all__ = ["Counting"]

_REGISTER: Final = "players.register"


class _OfNetwork(Protocol):
    def __call__(self, bucket: Bucket | None, key: ApiKey, address: str, times: int = 1) -> Windows: ...


class Counting:
    """The counts of one deployment. All functions raise `RateLimited`."""

    def __init__(self, limits: RateLimits, volatile: Volatile) -> None:
        self._limits = limits
        self._volatile = volatile

    def stranger(self, prepared: Prepared) -> None:
        """Count a request without a valid key."""
        self._count(prepared, self._limits.of_stranger(_address(prepared), opens_page=prepared.request.opens_page))

    def member(self, prepared: Prepared, operation: Operation | None, ref: str) -> None:
        """Count a request of a member's session or personal key, whose reference is `ref`."""
        bucket = "admin" if operation is None else operation.bucket
        self._count(prepared, self._limits.of_member(bucket, ref))

    def entrance(self, prepared: Prepared) -> None:
        """Count a request with a valid key as far as its head tells the caller: a player's secret is not checked yet."""
        operation, key, limits = prepared.operation, prepared.key, self._limits
        assert operation is not None  # noqa: S101 - the caller has set both
        assert key is not None  # noqa: S101 - the caller has set both
        if operation.surface != "sdk":
            prepared.counted = True
            self._count(prepared, limits.of_key(operation.bucket, key))
            return
        if _may_prove(prepared, operation):
            # Right or wrong is not known before the player's row was read: this bounds how often that is done.
            self._count(prepared, limits.of_secrets(_address(prepared)))
        elif operation.name == _REGISTER:
            prepared.counted = True
            self._count_unproven(prepared, operation, key, limits.of_registrations)
        else:
            self.unproven(prepared)

    def player(self, prepared: Prepared, player_id: str) -> None:
        """Count a request of a player whose secret was verified."""
        operation, key = prepared.operation, prepared.key
        if not prepared.counted and operation is not None and key is not None:
            prepared.counted = True
            own = self._limits.of_player(operation.bucket, key, player_id)
            self._count(prepared, {**own, **self._limits.of_address(_address(prepared))})

    def unproven(self, prepared: Prepared) -> None:
        """Count a request that needs no secret, or is refused before its player's secret was verified."""
        operation, key = prepared.operation, prepared.key
        if not prepared.counted and operation is not None and key is not None:
            prepared.counted = True
            self._count_unproven(prepared, operation, key, self._limits.of_unproven)

    def _count_unproven(self, prepared: Prepared, operation: Operation, key: ApiKey, windows: _OfNetwork) -> None:
        """Count in windows of the address, and for the key until unproven callers have used up their part of its bucket."""
        limits, volatile, now = self._limits, self._volatile, prepared.now
        share = limits.of_share(operation.bucket, key)
        own = windows(operation.bucket, key, _address(prepared))
        counted = volatile.hit_several({**own, **share}, MINUTE, now)
        self._judge(prepared, {name: counted[name] for name in own})
        site = site_of(prepared.request.remote)
        if site is not None:
            # After the network: what is refused to one network uses up nothing of the others.
            self._count(prepared, windows(operation.bucket, key, site, SITE_TIMES))
        if any(counted[name].allowed for name in share):
            (shared,) = volatile.hit_several(limits.of_key(operation.bucket, key), MINUTE, now).values()
            # Players may have used up the key's bucket. Then the address alone decides about others.
            if shared.allowed:
                prepared.tell(shared)

    def _count(self, prepared: Prepared, windows: Windows) -> None:
        if windows:
            self._judge(prepared, self._volatile.hit_several(windows, MINUTE, prepared.now))

    @staticmethod
    def _judge(prepared: Prepared, counted: Mapping[str, Allowance]) -> None:
        """Report the window with the fewest requests left. Raises `RateLimited` for the one that lasts longest, if any."""
        refused = [name for name, allowance in counted.items() if not allowance.allowed]
        if refused:
            prepared.used_up = max(refused, key=lambda name: counted[name].reset_seconds)
            refusal = RateLimited(counted[prepared.used_up].reset_seconds)
            refusal.headers.update(headers_of(counted[prepared.used_up]))
            raise refusal
        for allowance in counted.values():
            prepared.tell(allowance)


def _may_prove(prepared: Prepared, operation: Operation) -> bool:
    """Whether the caller may still prove to be a player: a secret is shown where one is looked at."""
    shown = prepared.request.headers.get("x-player-secret") is not None
    return shown and (operation.credential == "player" or operation.recognises)


def _address(prepared: Prepared) -> str:
    return network_of(prepared.request.remote)
