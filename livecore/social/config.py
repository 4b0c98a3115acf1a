"""The social part of a game's configuration: the gift list, and the limits of the social graph.

A gift contains a resource that the economy declares, so this part extends the economy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final, Literal

from livecore.economy.config import SYSTEM_KEYS, EconomyConfig
from livecore.economy.entries import is_declared, undeclared
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Fault, section
from livecore.kernel.wire.shapes import Amount, Int, Items, Key

_NO_BALANCE: Final = (
    "must be false where the studio manages the economy, because the service has no balance to take the gift from; "
    "or set economyMode to 'platform'"
)
_UNLIMITED: Final = (
    "is null, and the sender pays nothing for {}: new accounts, each of which befriends a player, can give that player any "
    "amount; set a limit that honest friends do not reach{}"
)
_MOST_NAMED: Final = 5
_SECONDS = Annotated[int, Int(0, 10 * 365 * 86_400)]


@shape
class GiftResource:
    """One line of the gift list: what, how much at once, and whether the sender pays for it."""

    type: Literal["item", "currency"]
    key: Key
    max_amount: Amount
    costs_sender: bool = False


@shape
class Gifting:
    """Gifting: disabled by default; if enabled, only what `resources` lists can be given.

    `dailySendLimit` is how many gifts a player may send on a UTC day, and `dailyReceiveLimit` how many one may receive, from
    all senders together; `null`: any number.
    """

    enabled: bool = False
    cooldown_seconds: _SECONDS = 86_400
    daily_send_limit: Annotated[int, Int(0, 1_000_000)] | None = None
    daily_receive_limit: Annotated[int, Int(0, 1_000_000)] | None = None
    claim_expiry_seconds: Annotated[int, Int(1, 10 * 365 * 86_400)] | None = 7 * 86_400
    resources: Annotated[tuple[GiftResource, ...], Items(0, 500)] = ()


@shape
class Social:
    """The limits of one player's social graph.

    `dailyRequestsFromAddress` is how many players of one internet address may send one player friend requests in 24 hours,
    each of them at most five; `null`: any number of both.
    """

    max_friends: Annotated[int, Int(1, 5_000)] = 500
    max_outgoing_requests: Annotated[int, Int(1, 5_000)] = 100
    max_blocks: Annotated[int, Int(1, 5_000)] = 500
    daily_requests_from_address: Annotated[int, Int(1, 1_000_000)] | None = 20


@section
class SocialConfig(EconomyConfig):
    """The social part of the configuration."""

    gifting: Gifting = Gifting()
    social: Social = Social()

    def gift_resource(self, kind: str, key: str) -> GiftResource | None:
        """The gift list's line for this resource."""
        return self._gift_resources.get((kind, key))

    def gift_keys(self, kind: str) -> list[str]:
        """The keys of the gift list's resources of one type."""
        return [resource.key for resource in self.gifting.resources if resource.type == kind]

    @cached_property
    def _gift_resources(self) -> dict[tuple[str, str], GiftResource]:
        return {(resource.type, resource.key): resource for resource in self.gifting.resources}


social_config: Final[Callable[[Unit], SocialConfig]] = attrgetter("config")
"""The social part of a unit's configuration."""


def faults_of(config: SocialConfig) -> Iterator[Fault]:
    """The contradictions in the gift list."""
    seen: set[tuple[str, str]] = set()
    for place, resource in enumerate(config.gifting.resources):
        path = f"gifting.resources[{place}]"
        if resource.key in SYSTEM_KEYS and resource.type == "currency":
            yield f"{path}.key", "is counted by the service and cannot be gifted"
        elif not is_declared(config, resource.type, resource.key):
            yield f"{path}.key", undeclared(config, resource.type)
        if (resource.type, resource.key) in seen:
            yield f"{path}.key", "is on the list twice"
        seen.add((resource.type, resource.key))
        if resource.costs_sender and not config.platform_managed:
            yield f"{path}.costsSender", _NO_BALANCE


def advice_on(config: SocialConfig) -> Iterator[Advice]:
    """Gifts that nobody can give, and gifts that cost nothing, of which a player may receive any number."""
    gifting = config.gifting
    if gifting != Gifting() and not gifting.enabled:
        yield "gifting.enabled", "is false, as where it is left out, so nobody can give anything: write true"
    free = [f"'{resource.key}'" for resource in gifting.resources if not resource.costs_sender]
    if gifting.enabled and gifting.daily_receive_limit is None and free:
        shown = f"{', '.join(free[:_MOST_NAMED])} and others" if len(free) > _MOST_NAMED else ", ".join(free)
        instead = ", or costsSender" if config.platform_managed else ""
        yield "gifting.dailyReceiveLimit", _UNLIMITED.format(shown, instead)
