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

from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, Protocol

from livecore.access.directory import ApiKey
from livecore.api.requests.limits import RateLimits, Windows, headers_of
from livecore.api.requests.prepared import Prepared
from livecore.api.table.operation import Bucket, Operation
from livecore.kernel.client_network import SITE_TIMES, site_of
from livecore.kernel.errors import RateLimited
from livecore.kernel.time import MINUTE
from livecore.kernel.units.ephemeral import Allowance, EphemeralState

_REGISTER: Final = "players.register"


class _OfNetwork(Protocol):
    def __call__(self, bucket: Bucket | None, key: ApiKey, address: str, times: int = 1) -> Windows: ...


class ProvenLately:
    """Which secrets were right lately, and from where: those that a process has seen last.

    It decides nothing but whether a secret is compared once more. It holds hashes, 16 bytes each.
    """

    def __init__(self, capacity: int = 16_384) -> None:
        self._capacity = capacity
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def note(self, shown: tuple[str, ...]) -> None:
        """Remember that a secret was right."""
        digest = _digest(shown)
        self._known[digest] = None
        self._known.move_to_end(digest)
        if len(self._known) > self._capacity:
            self._known.popitem(last=False)

    def has(self, shown: tuple[str, ...]) -> bool:
        """Whether it was right lately."""
        return _digest(shown) in self._known


def _digest(shown: tuple[str, ...]) -> bytes:
    return blake2b("\0".join(shown).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Counting:
    """The counts of one deployment. All functions raise `RateLimited`."""

    def __init__(self, limits: RateLimits, ephemeral: EphemeralState) -> None:
        self._limits = limits
        self._ephemeral = ephemeral
        self._proven = ProvenLately()

    def stranger(self, prepared: Prepared) -> None:
        """Count a request without a valid key."""
        self._count(prepared, self._limits.of_stranger(prepared.network, opens_page=prepared.request.opens_page))

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
            if limits.at_address:
                self._count_secret(prepared, limits.of_secrets(prepared.network))
        elif operation.name == _REGISTER:
            prepared.counted = True
            self._count_unproven(prepared, operation, key, limits.of_registrations)
        else:
            self.unproven(prepared)

    def _count_secret(self, prepared: Prepared, windows: Windows) -> None:
        """Count that a secret is shown: right or wrong is not known before the player's row was read, which this bounds."""
        try:
            self._count(prepared, windows)
        except RateLimited:
            if not self._proven.has(_shown(prepared)):
                raise
            # A flood from the same address must not keep out who was let in before it.
            prepared.used_up, prepared.over_limit = "", None

    def player(self, prepared: Prepared, player_id: str) -> None:
        """Count a request of a player whose secret was verified."""
        operation, key = prepared.operation, prepared.key
        if not _counted_before(prepared) and operation is not None and key is not None:
            prepared.counted = True
            windows = self._limits.of_player(operation.bucket, key, player_id)
            if self._limits.at_address:
                self._proven.note(_shown(prepared))
                windows = {**windows, **self._limits.of_address(prepared.network)}
            self._count(prepared, windows)

    def unproven(self, prepared: Prepared) -> None:
        """Count a request that needs no secret, or is refused before its player's secret was verified."""
        operation, key = prepared.operation, prepared.key
        if not _counted_before(prepared) and operation is not None and key is not None:
            prepared.counted = True
            self._count_unproven(prepared, operation, key, self._limits.of_unproven)

    def _count_unproven(self, prepared: Prepared, operation: Operation, key: ApiKey, windows: _OfNetwork) -> None:
        """Count in windows of the address, and for the key until unproven callers have used up their part of its bucket."""
        limits, ephemeral, now = self._limits, self._ephemeral, prepared.now
        share = limits.of_share(operation.bucket, key)
        own = windows(operation.bucket, key, prepared.network)
        counted = ephemeral.hit_several({**own, **share}, MINUTE, now)
        self._judge(prepared, {name: counted[name] for name in own})
        site = site_of(prepared.request.remote)
        if site is not None:
            # After the network: what is refused to one network uses up nothing of the others.
            self._count(prepared, windows(operation.bucket, key, site, SITE_TIMES))
        if any(counted[name].allowed for name in share):
            (shared,) = ephemeral.hit_several(limits.of_key(operation.bucket, key), MINUTE, now).values()
            # Players may have used up the key's bucket. Then the address alone decides about others.
            if shared.allowed:
                prepared.tell(shared)

    def _count(self, prepared: Prepared, windows: Windows) -> None:
        if windows:
            self._judge(prepared, self._ephemeral.hit_several(windows, MINUTE, prepared.now))

    @staticmethod
    def _judge(prepared: Prepared, counted: Mapping[str, Allowance]) -> None:
        """Report the window with the fewest requests left. Raises `RateLimited` for the one that lasts longest, if any."""
        refused = [name for name, allowance in counted.items() if not allowance.allowed]
        if refused:
            prepared.used_up = max(refused, key=lambda name: counted[name].reset_seconds)
            refusal = RateLimited(counted[prepared.used_up].reset_seconds)
            refusal.headers.update(headers_of(counted[prepared.used_up]))
            prepared.over_limit = refusal
            raise refusal
        for allowance in counted.values():
            prepared.tell(allowance)


def _counted_before(prepared: Prepared) -> bool:
    """Whether an earlier run of the transaction has counted it. Raises what that run raised, or a retry would pass."""
    if prepared.counted and prepared.over_limit is not None:
        raise prepared.over_limit
    return prepared.counted


def _may_prove(prepared: Prepared, operation: Operation) -> bool:
    """Whether the caller may still prove to be a player: a secret is shown where one is looked at."""
    shown = prepared.request.headers.get("x-player-secret") is not None
    return shown and (operation.credential == "player" or operation.recognises)


def _shown(prepared: Prepared) -> tuple[str, ...]:
    """The player and the secret of a request, and where it comes from."""
    operation = prepared.operation
    player = "" if operation is None else prepared.values[operation.player_index]
    return prepared.scope.id, prepared.network, player, prepared.request.headers.get("x-player-secret") or ""
