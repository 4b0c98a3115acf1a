"""What one run of a season has shown, counted while it was played.

These are plain sums, so their size grows with players, days and keys of the configuration, and not with what happened. The
figures, the findings and the report are made from them alone; nothing else of a run is kept.

Days are counted from the start of the run, from 0; a day is 24 hours of virtual time. A resource is written as its kind in
a reward and its key: `currency:gold` (progressions as well) or `item:potion`. A behaviour is named as in the population.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import attrs

Day: TypeAlias = int
Resource: TypeAlias = str
Cause: TypeAlias = str
"""Why an amount came or went: `milestone:daily-dash/hot`, `completion:daily-dash`, `rank:daily-dash`, `rank:league/bronze`,
`team_milestone:expedition`, `team_goal:expedition`, `team_rank:expedition`, `crate:starter-chest`, `gift` (moved from one
player to another), `gift_free` (costs the sender nothing), `entry:daily-dash` (an entry cost), `guild_cost`, `consumed` (an
item used up), `guild_help` (moved), `guild_help_reward`, or `backend:<label>`, `shop:<label>` and `purchase:<product>` for
what the population's assumptions say, by the `sourceRefId` of a grant or the `reason` of a change."""
Behaviour: TypeAlias = str
FlowKey: TypeAlias = tuple[Day, Resource, Cause, Behaviour]


@attrs.define
class Window:
    """One window of an event."""

    event: str
    starts_on: Day
    ends_on: Day | None = None
    """`None`: still open when the run ended."""
    active_players: int = 0
    """Different players with a session while it was open."""
    players: int = 0
    """Different players who started."""
    started: int = 0
    """Attempts that were started."""
    most_attempts: int = 0
    """The most attempts of one player."""
    completed: int = 0
    expired: int = 0
    ranked: int = 0
    """Entries of its final leaderboards."""
    scores: list[int] = attrs.field(factory=list)
    """The quantiles of the players' best scores in steps of five per cent, from the lowest to the highest: 21 numbers, or
    none where nobody scored."""
    milestones: Counter[str] = attrs.field(factory=Counter)
    """How many players each milestone was granted to."""
    costs: Counter[Resource] = attrs.field(factory=Counter)
    """What starting took."""
    rewards: Counter[Resource] = attrs.field(factory=Counter)
    """What its milestones, completion and ranks granted, crates as `crate:<key>`."""


@attrs.define
class Lobbies:
    """The lobbies of one event."""

    created: int = 0
    started: int = 0
    seats: int = 0
    """Seats of the lobbies that were started."""
    bots: int = 0
    """Seats that bots had."""
    waits: Counter[int] = attrs.field(factory=Counter)
    """Players by the whole seconds between joining and the start."""


@attrs.define
class CrateOpenings:
    """The openings of one kind of crate."""

    granted: int = 0
    opened: int = 0
    rows: Counter[tuple[int, int]] = attrs.field(factory=Counter)
    """How often each row of each roll was drawn; both are counted from 0."""
    by_pity: int = 0
    """Openings in which pity decided a roll."""
    stated: dict[tuple[int, int], float] = attrs.field(factory=dict)
    """The probability of each row of each roll by its weight."""
    expected: dict[tuple[int, int], float] = attrs.field(factory=dict)
    """The long-run share of each row of each roll, pity included."""
    due: dict[tuple[int, int], float] = attrs.field(factory=dict)
    """How often each row was to be expected in these very openings, given how long each player had waited for pity."""


@attrs.define
class Gifts:
    """Gifts of one resource."""

    sent: int = 0
    claimed: int = 0
    expired: int = 0
    amount_sent: int = 0
    amount_claimed: int = 0
    free: int = 0
    """Gifts that cost the sender nothing."""


@attrs.define
class Observed:
    """All that is kept of one run."""

    seed: int
    players: int
    """How many virtual players the population had."""
    days: int
    start: str
    """The first instant, as the wire writes it."""
    behaviours: dict[Behaviour, int] = attrs.field(factory=dict)
    """How many players have each behaviour."""

    # -- people, by day and behaviour
    registered: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    active: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    """Different players with a session on the day."""
    sessions: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    returned: Counter[tuple[Day, int]] = attrs.field(factory=Counter)
    """Players who registered on the day and had a session so many days later, each counted once for a number of days."""
    churned: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    came_back: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    streaks: Counter[int] = attrs.field(factory=Counter)
    """Players by their best login streak, in days, at the end."""
    streaks_ended: Counter[int] = attrs.field(factory=Counter)
    """Login streaks by the days they lasted until they ended."""

    # -- economy
    gained: Counter[FlowKey] = attrs.field(factory=Counter)
    """What came into wallets and inventories, by day, resource, cause and behaviour."""
    spent: Counter[FlowKey] = attrs.field(factory=Counter)
    """What went out of them, as positive amounts."""
    supply: dict[Resource, list[int]] = attrs.field(factory=dict)
    """What all players held at the end of each day."""
    held_by_active: dict[Resource, list[int]] = attrs.field(factory=dict)
    """For each whole week: what the players with a session in it held at its end."""
    active_in_week: list[int] = attrs.field(factory=list)
    balances: dict[Resource, list[int]] = attrs.field(factory=dict)
    """What each registered player held at the end, in ascending order, zeros included."""
    waiting: dict[Resource, int] = attrs.field(factory=dict)
    """What pending grants and gifts held at the end, crates as `crate:<key>`."""
    granted: Counter[tuple[Day, Cause]] = attrs.field(factory=Counter)
    """Grants by cause."""
    grants_claimed: Counter[tuple[Day, Cause]] = attrs.field(factory=Counter)
    grants_expired: Counter[tuple[Day, Cause]] = attrs.field(factory=Counter)

    # -- social
    gifts: dict[Resource, Gifts] = attrs.field(factory=dict)
    gifts_by_day: Counter[tuple[Day, str]] = attrs.field(factory=Counter)
    """By day and `sent`, `claimed` or `expired`."""
    gift_pairs: Counter[tuple[Behaviour, Behaviour]] = attrs.field(factory=Counter)
    """Gifts by the behaviours of sender and recipient."""
    most_gifts_in_day: int = 0
    """The most gifts that a player sent on one day."""
    gift_senders: list[int] = attrs.field(factory=list)
    """How many gifts each sender sent, in descending order."""
    friends: list[int] = attrs.field(factory=list)
    """How many friends each registered player had at the end, in ascending order."""
    guild_sizes: list[int] = attrs.field(factory=list)
    """Members of each guild at the end, in ascending order."""
    guilds_founded: Counter[Day] = attrs.field(factory=Counter)
    guilds_ended: Counter[Day] = attrs.field(factory=Counter)
    guild_successions: int = 0
    """Leaders who were replaced because they left or were gone."""
    guild_help: Counter[str] = attrs.field(factory=Counter)
    """`requested`, `donated`, `filled`."""

    # -- play
    windows: list[Window] = attrs.field(factory=list)
    lobbies: dict[str, Lobbies] = attrs.field(factory=dict)
    """By event."""
    teams: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    """By event and `formed`, `joined`, `left` or `completed`."""
    rank_rewards: Counter[tuple[str, str, Resource]] = attrs.field(factory=Counter)
    """By event or leaderboard, division (empty without one) and resource: the amount granted."""
    divisions: dict[str, Counter[str]] = attrs.field(factory=dict)
    """By leaderboard: the players in each division at the end."""
    crates: dict[str, CrateOpenings] = attrs.field(factory=dict)

    # -- money
    purchases: Counter[tuple[Day, str, Behaviour]] = attrs.field(factory=Counter)
    """By day, product and behaviour."""
    revenue: Counter[tuple[Day, Behaviour]] = attrs.field(factory=Counter)
    """In US cents, by day and behaviour."""
    payers: int = 0

    # -- the service
    calls: Counter[tuple[str, Behaviour]] = attrs.field(factory=Counter)
    """By operation and behaviour."""
    refusals: Counter[tuple[str, str, Behaviour]] = attrs.field(factory=Counter)
    """By operation, code and behaviour."""
    webhooks: Counter[tuple[Day, str]] = attrs.field(factory=Counter)
    """Events by day and kind: what a backend that subscribes to all of them receives."""
    webhook_bytes: Counter[str] = attrs.field(factory=Counter)
    """By kind: the bytes of the deliveries' bodies, estimated from a part of them."""
