"""The guilds' part of a game's configuration.

Founding a guild may cost, and members may help one another with what the economy declares, so this part extends the
economy's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import Annotated, Final, Literal

from livecore.economy.config import SYSTEM_KEYS, EconomyConfig
from livecore.economy.entries import faults_of_entries, is_declared, undeclared
from livecore.economy.rows import Entries
from livecore.guilds.rows import JoinType
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.config import Advice, Fault, section
from livecore.kernel.wire.shapes import Amount, Int, Items, Key, Text
from livecore.kernel.words import folded

_SECONDS = 10 * 365 * 86_400
_REWARD_FOR_NOTHING: Final = (
    "is granted for each donation of '{0.key}', which costs the donor nothing: who gives 1 at a time earns up to "
    "{0.max_donation} rewards for one request; set costsDonor, or leave the reward out"
)


@shape
class HelpResource:
    """A resource with which members may help one another.

    `maxRequest` is the most that one request asks for, `maxDonation` the most that one donor gives for it. With `costsDonor`
    the donor pays what is given. `donorReward` is granted to the donor for each donation.
    """

    type: Literal["item", "currency"]
    key: Key
    max_request: Amount
    max_donation: Amount
    costs_donor: bool = False
    donor_reward: Entries = ()


@shape
class GuildHelp:
    """Mutual help: with which resources, how often a member may ask, and how long a request stays open."""

    resources: Annotated[tuple[HelpResource, ...], Items(1, 100)]
    cooldown_seconds: Annotated[int, Int(0, _SECONDS)] = 0
    expiry_seconds: Annotated[int, Int(1, _SECONDS)] = 86_400


@shape
class GuildsSettings:
    """Guilds: disabled by default.

    `createCooldownSeconds` is how many seconds after founding a guild a player may found the next one; 0 or `null`: at once.
    `inactiveLeaderDays` is after how many days without a session a leader is replaced; `null`: never. A text of `nameFilter`
    may not be anywhere inside the name of a guild, whatever its case and accents.
    """

    enabled: bool = False
    max_members: Annotated[int, Int(1, 1_000)] = 50
    max_co_leaders: Annotated[int, Int(0, 1_000)] | None = None
    create_cost: Entries = ()
    create_cooldown_seconds: Annotated[int, Int(0, _SECONDS)] | None = 60
    join_types: Annotated[tuple[JoinType, ...], Items(1, 2, unique=True)] = ("open", "request")
    name_filter: Annotated[tuple[Annotated[str, Text(1, 40)], ...], Items(0, 10_000)] = ()
    inactive_leader_days: Annotated[int, Int(1, 3_650)] | None = 30
    help: GuildHelp | None = None


@section
class GuildsConfig(EconomyConfig):
    """The guilds' part of the configuration."""

    guilds: GuildsSettings = GuildsSettings()

    def help_resource(self, kind: str, key: str) -> HelpResource | None:
        """The resource of mutual help with this type and key."""
        listed = () if self.guilds.help is None else self.guilds.help.resources
        return next((resource for resource in listed if (resource.type, resource.key) == (kind, key)), None)

    def is_name_filtered(self, name: str) -> bool:
        """Whether a text of the name filter is inside a name."""
        words = folded(name)
        return any(text in words for text in self._filtered)

    @cached_property
    def _filtered(self) -> tuple[str, ...]:
        return tuple(folded(text).strip() for text in self.guilds.name_filter)


guilds_config: Final[Callable[[Unit], GuildsConfig]] = attrgetter("config")
"""The guilds' part of a unit's configuration."""


def faults_of(config: GuildsConfig) -> Iterator[Fault]:
    """The contradictions in the guilds' part."""
    cost = config.guilds.create_cost
    yield from faults_of_entries(config, cost, "guilds.createCost")
    for index, entry in enumerate(cost):
        if entry.type == "crate":
            yield f"guilds.createCost[{index}].type", "cannot be part of a cost"
        if entry.parameters:
            yield f"guilds.createCost[{index}].parameters", "cannot be part of a cost"
    for index, text in enumerate(config.guilds.name_filter):
        if not folded(text):
            yield f"guilds.nameFilter[{index}]", "must have a letter or a digit"
    yield from _faults_of_help(config)


def advice_on(config: GuildsConfig) -> Iterator[Advice]:
    """Guilds that are set up and not enabled, and rewards for giving that cost nothing to earn."""
    settings = config.guilds
    if settings != GuildsSettings() and not settings.enabled:
        yield "guilds.enabled", "is false, as where it is left out, so there are no guilds: write true"
    if not settings.enabled or settings.help is None:
        return
    for index, resource in enumerate(settings.help.resources):
        if resource.donor_reward and not resource.costs_donor:
            yield f"guilds.help.resources[{index}].donorReward", _REWARD_FOR_NOTHING.format(resource)


def _faults_of_help(config: GuildsConfig) -> Iterator[Fault]:
    seen: set[tuple[str, str]] = set()
    for index, resource in enumerate(() if config.guilds.help is None else config.guilds.help.resources):
        path = f"guilds.help.resources[{index}]"
        if resource.type == "currency" and resource.key in SYSTEM_KEYS:
            yield f"{path}.key", "is counted by the service and cannot be given"
        elif not is_declared(config, resource.type, resource.key):
            yield f"{path}.key", undeclared(config, resource.type)
        if (resource.type, resource.key) in seen:
            yield f"{path}.key", "is on the list twice"
        seen.add((resource.type, resource.key))
        yield from faults_of_entries(config, resource.donor_reward, f"{path}.donorReward")
