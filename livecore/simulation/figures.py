"""The named figures of a run: what gates compare, and what two variants are compared by.

Their names are paths, such as `economy.gold.minted`; `ABOUT` says what each means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Final, TypeAlias

from livecore.api.configuration.game_config import GameConfig
from livecore.kernel.errors import Json, JsonObject
from livecore.simulation.observed import Cause, CrateOpenings, FlowKey, Observed, Resource

Figures: TypeAlias = Mapping[str, float]
"""The figures of one run by their names. A figure without any occurrence, such as a share of nothing, is 0."""

ABOUT: Final = {
    "economy.KEY.minted": "what came into wallets, without what one player gave another",
    "economy.KEY.burned": "what went out of wallets, without what one player gave another",
    "economy.KEY.supply": "what all players held at the end",
    "economy.KEY.gini": "how unequal the balances were at the end: 0 all equal, towards 1 one has all",
    "economy.KEY.inflation": "mean daily growth of the supply over the second half of the days",
    "economy.KEY.sink_ratio": "burned divided by minted",
    "items.KEY.minted": "as for the economy; items have the same six figures",
    "gifts.sent": "gifts sent",
    "gifts.claimed": "gifts claimed",
    "gifts.expired_share": "of the gifts that were claimed or expired, the share that expired",
    "players.registered": "players who registered",
    "players.active_last_day": "players with a session on the last day",
    "players.active_per_day": "players with a session on a day, on the average",
    "players.sessions_per_active_day": "sessions of a player on a day with at least one",
    "players.retention_1": "the share of players with a session on the day after they registered",
    "players.retention_7": "the same, seven days after",
    "players.retention_30": "the same, thirty days after",
    "players.payers_share": "the share of players who bought something",
    "revenue.cents": "revenue in US cents",
    "friends.median": "friends of a player at the end, the median",
    "events.KEY.participation": "of the players with a session while a window was open, the share that started",
    "events.KEY.completion": "of the attempts that were started, the share that was completed",
    "events.KEY.attempts_per_player": "attempts in a window by each player who started",
    "crates.KEY.opened": "crates opened",
    "crates.KEY.deviation": "largest difference between the observed and the long-run share of a row, pity included",
    "guilds.count": "guilds at the end",
    "guilds.median_size": "members of a guild at the end, the median",
    "refusals.all": "calls that were refused",
    "refusals.CODE": "calls that were refused with this code",
    "webhooks.per_day": "webhook events on a day, on the average",
    "webhooks.bytes_per_day": "bytes of their bodies",
}
"""Every figure with what it means; `KEY` is a key of the configuration, `CODE` the code of a refusal."""

MOVED: Final = frozenset(("gift", "guild_help"))
"""Causes that move something from one player to another: neither sources nor sinks."""
_RETENTION_DAYS: Final = 7


def figures_of(observed: Observed, config: GameConfig) -> dict[str, float]:
    """All figures of a run, in the order in which they are shown."""
    return dict(_all(observed, config))


def figure_names(config: GameConfig) -> list[str]:
    """The names of the figures that every run of a configuration has."""
    return list(figures_of(Observed(seed=0, players=0, days=0, start=""), config))


def nested(figures: Figures) -> JsonObject:
    """Figures as an object of objects, by the parts of their names: `{"economy": {"gold": {"minted": …}}}`.

    Keys of the configuration may have dots, so a name is divided at its first and its last one.
    """
    tree: dict[str, Json] = {}
    for name, number in figures.items():
        group, rest = name.split(".", 1)
        inner = tree.setdefault(group, {})
        assert isinstance(inner, dict)  # noqa: S101 - made here
        if "." in rest:
            key, last = rest.rsplit(".", 1)
            deeper = inner.setdefault(key, {})
            assert isinstance(deeper, dict)  # noqa: S101 - made here
            deeper[last] = number
        else:
            inner[rest] = number
    return tree


def _all(observed: Observed, config: GameConfig) -> Iterator[tuple[str, float]]:
    for entry in config.economy:
        yield from _resource_figures(observed, f"currency:{entry.key}", f"economy.{entry.key}")
    for item in config.items:
        yield from _resource_figures(observed, f"item:{item.key}", f"items.{item.key}")
    yield from _gift_figures(observed)
    yield from _player_figures(observed)
    for event in config.events:
        yield from _event_figures(observed, event.key)
    for crate in config.crates:
        yield f"crates.{crate.key}.opened", observed.crates[crate.key].opened if crate.key in observed.crates else 0
        yield f"crates.{crate.key}.deviation", crate_deviation(observed, crate.key)
    yield "guilds.count", len(observed.guild_sizes)
    yield "guilds.median_size", median(observed.guild_sizes) if observed.guild_sizes else 0
    yield "refusals.all", sum(observed.refusals.values())
    for code, count in sorted(_by_code(observed).items()):
        yield f"refusals.{code}", count
    yield "webhooks.per_day", _each_day(sum(observed.webhooks.values()), observed)
    yield "webhooks.bytes_per_day", _each_day(sum(observed.webhook_bytes.values()), observed)


def _each_day(total: float, observed: Observed) -> float:
    return total / observed.days if observed.days else 0


def _by_code(observed: Observed) -> Counter[str]:
    codes = Counter[str]()
    for (_, code, _), count in observed.refusals.items():
        codes[code] += count
    return codes


# -- economy


def _resource_figures(observed: Observed, resource: str, name: str) -> Iterator[tuple[str, float]]:
    minted = not_moved(observed.gained, resource).total()
    burned = not_moved(observed.spent, resource).total()
    supply = observed.supply.get(resource, [])
    yield f"{name}.minted", minted
    yield f"{name}.burned", burned
    yield f"{name}.supply", supply[-1] if supply else 0
    yield f"{name}.gini", gini(observed.balances.get(resource, ()))
    yield f"{name}.inflation", inflation(supply)
    yield f"{name}.sink_ratio", burned / minted if minted else 0


def by_cause(flows: Counter[FlowKey], resource: Resource) -> Counter[Cause]:
    """What flowed of a resource, by its cause."""
    found = Counter[Cause]()
    for (_, key, cause, _), amount in flows.items():
        if key == resource:
            found[cause] += amount
    return found


def not_moved(flows: Counter[FlowKey], resource: Resource) -> Counter[Cause]:
    """What flowed of a resource from sources or into sinks, by its cause: without what one player gave another."""
    return Counter({cause: amount for cause, amount in by_cause(flows, resource).items() if cause not in MOVED})


def gini(ascending: Sequence[int]) -> float:
    """The Gini coefficient of balances in ascending order: 0 where all are equal, towards 1 where one player has all."""
    count, total = len(ascending), sum(ascending)
    if not total:
        return 0
    weighted = sum(place * balance for place, balance in enumerate(ascending, 1))
    return 2 * weighted / (count * total) - (count + 1) / count


def inflation(supply: Sequence[int]) -> float:
    """The mean daily growth of a supply over the second half of the days: 0.02 is two per cent a day."""
    growths = daily_growths(supply)
    return fmean(growths) if growths else 0


def daily_growths(supply: Sequence[int]) -> list[float]:
    """How much a supply grows on each day of the second half, where there was any the day before."""
    half = supply[len(supply) // 2 :]
    return [later / earlier - 1 for earlier, later in pairwise(half) if earlier > 0]


# -- people, play


def _gift_figures(observed: Observed) -> Iterator[tuple[str, float]]:
    gifts = observed.gifts.values()
    claimed, expired = sum(one.claimed for one in gifts), sum(one.expired for one in gifts)
    yield "gifts.sent", sum(one.sent for one in gifts)
    yield "gifts.claimed", claimed
    yield "gifts.expired_share", expired / (claimed + expired) if claimed + expired else 0


def _player_figures(observed: Observed) -> Iterator[tuple[str, float]]:
    yield "players.registered", sum(observed.registered.values())
    last = observed.days - 1
    yield "players.active_last_day", sum(count for (day, _), count in observed.active.items() if day == last)
    active = sum(observed.active.values())
    yield "players.active_per_day", _each_day(active, observed)
    yield "players.sessions_per_active_day", sum(observed.sessions.values()) / active if active else 0
    for days in (1, _RETENTION_DAYS, 30):
        yield f"players.retention_{days}", retention(observed, days)
    registered = sum(observed.registered.values())
    yield "players.payers_share", observed.payers / registered if registered else 0
    yield "revenue.cents", sum(observed.revenue.values())
    yield "friends.median", median(observed.friends) if observed.friends else 0


def retention(observed: Observed, days: int) -> float:
    """The share of players with a session so many days after the day on which they registered.

    Of those only whose day lies within the run.
    """
    cohorts = {day for day, _ in observed.registered if day + days < observed.days}
    registered = sum(count for (day, _), count in observed.registered.items() if day in cohorts)
    returned = sum(observed.returned[day, days] for day in cohorts)
    return returned / registered if registered else 0


def _event_figures(observed: Observed, key: str) -> Iterator[tuple[str, float]]:
    windows = [window for window in observed.windows if window.event == key]
    active = sum(window.active_players for window in windows)
    started = sum(window.started for window in windows)
    players = sum(window.players for window in windows)
    yield f"events.{key}.participation", players / active if active else 0
    yield f"events.{key}.completion", sum(window.completed for window in windows) / started if started else 0
    yield f"events.{key}.attempts_per_player", started / players if players else 0


def crate_deviation(observed: Observed, key: str) -> float:
    """The largest difference between the observed share of a row of the crate and its long-run share, pity included."""
    openings = observed.crates.get(key, CrateOpenings())
    largest = 0.0
    for roll in {roll for roll, _ in openings.expected}:
        drawn = sum(count for (number, _), count in openings.rows.items() if number == roll)
        if drawn:
            shares = ((place, share) for place, share in openings.expected.items() if place[0] == roll)
            largest = max(largest, *(abs(openings.rows[place] / drawn - share) for place, share in shares))
    return largest
