"""The two games in which sequences are played, and what the laws need to know of them.

Game 0 is platform-managed, with paid and free gifts of currencies, items and XP, short times and narrow limits, so that
cooldowns, daily limits, expiries and social limits are met all the time, with a weekly leaderboard of two divisions in
cohorts of two, with a crate that may hold another one, with small guilds, with lobbies of two that bots fill, and with teams
of two that lose what a member who leaves has contributed. Game 1 is studio-managed, has no cooldown, no daily limit, gifts
that never expire, guilds that everybody has to ask, lobbies that are closed when one player is left, teams that win by a low
score, and some without a board; and players whom its backend has brought are registered by it. Its players are seen by
friends, unless they choose otherwise, and no stranger reads a status or a country.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import attrs

__all__ = ["GAMES", "Environment", "Place", "config_of"]

Environment = Literal["test", "live"]


@attrs.frozen(order=True)
class Place:
    """One game in one environment."""

    game: int
    environment: Environment

    def __str__(self) -> str:
        return f"{self.game}/{self.environment}"


GAMES: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "Platform",
        "economyMode": "platform",
        "economy": [
            {"key": "gold", "kind": "currency", "public": True},
            {"key": "gems", "kind": "currency", "public": False},
            {"key": "xp", "kind": "progression", "public": True},
        ],
        "items": [{"key": "potion"}, {"key": "sword", "parameters": {"level": 1, "runes": []}}],
        "crates": [
            {
                "key": "chest",
                "name": "Chest",
                "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 3}],
                "rolls": [
                    {
                        "rows": [
                            {"weight": 5, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]},
                            {"weight": 1, "entries": [{"type": "item", "resourceKey": "sword", "amount": 1}]},
                        ],
                        "pity": {"after": 1, "row": 1},
                    },
                    {
                        "times": 2,
                        "rows": [
                            {"weight": 2, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]},
                            {"weight": 1, "entries": []},
                            {"weight": 1, "entries": [{"type": "crate", "resourceKey": "chest", "amount": 1}]},
                        ],
                    },
                ],
            }
        ],
        "gifting": {
            "enabled": True,
            "cooldownSeconds": 3600,
            "dailySendLimit": 3,
            "dailyReceiveLimit": None,
            "claimExpirySeconds": 172800,
            "resources": [
                {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True},
                {"type": "currency", "key": "gems", "maxAmount": 5, "costsSender": False},
                {"type": "currency", "key": "xp", "maxAmount": 50, "costsSender": False},
                {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": True},
                {"type": "item", "key": "sword", "maxAmount": 2, "costsSender": False},
            ],
        },
        "guilds": {
            "enabled": True,
            "maxMembers": 3,
            "maxCoLeaders": 1,
            "createCost": [
                {"type": "currency", "resourceKey": "gold", "amount": 5},
                {"type": "currency", "resourceKey": "gold", "amount": 1},
            ],
            "createCooldownSeconds": None,
            "nameFilter": ["Dârn"],
            "inactiveLeaderDays": 2,
            "help": {
                "resources": [
                    {
                        "type": "currency",
                        "key": "gold",
                        "maxRequest": 20,
                        "maxDonation": 8,
                        "costsDonor": True,
                        "donorReward": [{"type": "currency", "resourceKey": "xp", "amount": 1}],
                    },
                    {"type": "item", "key": "potion", "maxRequest": 4, "maxDonation": 4},
                ],
                "cooldownSeconds": 3600,
                "expirySeconds": 14400,
            },
        },
        "social": {"maxFriends": 2, "maxOutgoingRequests": 2, "maxBlocks": 2},
        "exchangeRates": {"EUR": "1.085", "JPY": "0.0067", "KWD": "3.25"},
        "purchases": {"dailyReportLimit": 4},
        "events": [
            {
                "key": "race",
                "name": "Race",
                "schedule": {
                    "startsAt": "2026-03-01T20:00:00Z",
                    "everySeconds": 43_200,
                    "durationSeconds": 28_800,
                },
                "metrics": [{"key": "points"}, {"key": "lap", "aggregation": "lowest"}],
                "target": 100,
                "attempts": {"durationSeconds": 3_600, "maxPerWindow": 2},
                "entryCost": [
                    {"type": "currency", "resourceKey": "gold", "amount": 5},
                    {"type": "item", "resourceKey": "potion", "amount": 1},
                ],
                "milestones": [
                    {
                        "key": "half",
                        "threshold": 50,
                        "entries": [{"type": "currency", "resourceKey": "gold", "amount": 2}],
                    },
                    {"key": "near", "threshold": 90},
                    {
                        "key": "some",
                        "threshold": 20,
                        "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}],
                    },
                ],
                "completionRewards": [{"type": "currency", "resourceKey": "xp", "amount": 7}],
                "rankRewards": [
                    {"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 9}]},
                    {"from": 3, "to": 4, "entries": [{"type": "item", "resourceKey": "sword", "amount": 1}]},
                ],
                "validators": [
                    {"key": "possible", "kind": "range", "metric": "lap", "min": 10, "verdict": "reject"},
                    {"key": "likely", "kind": "max_step", "limit": 60, "verdict": "flag"},
                ],
            },
            {
                "key": "trial",
                "name": "Trial",
                "schedule": {
                    "startsAt": "2026-03-02T00:00:00Z",
                    "everySeconds": 86_400,
                    "durationSeconds": 86_400,
                },
                "order": "asc",
                "metrics": [{"key": "lap", "aggregation": "last"}],
                "attempts": {"maxPerWindow": None},
                "target": 0,
                "board": {"by": "segment", "segment": "league"},
                "rankRewards": [
                    {"from": 1, "to": 2, "entries": [{"type": "currency", "resourceKey": "gems", "amount": 1}]}
                ],
            },
            {
                "key": "arena",
                "name": "Arena",
                "schedule": {
                    "startsAt": "2026-03-01T20:00:00Z",
                    "everySeconds": 86_400,
                    "durationSeconds": 72_000,
                },
                "metrics": [{"key": "points"}],
                "target": 100,
                "attempts": {"maxPerWindow": 3},
                "entryCost": [{"type": "currency", "resourceKey": "gold", "amount": 1}],
                "rankRewards": [
                    {"from": 1, "to": 2, "entries": [{"type": "currency", "resourceKey": "gems", "amount": 2}]}
                ],
                "lobby": {
                    "capacity": 2,
                    "fillSeconds": 900,
                    "bots": {"scoreAt": [{"afterSeconds": 0, "min": 33, "max": 33}]},
                },
                "session": {
                    "triggers": [
                        {"label": "won", "type": "first_to_target"},
                        {"label": "time-up", "type": "elapsed", "value": 3_600},
                    ]
                },
            },
            {
                "key": "crews",
                "name": "Crews",
                "schedule": {
                    "startsAt": "2026-03-01T22:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 302_400,
                },
                "metrics": [{"key": "points"}],
                "attempts": {"maxPerWindow": None},
                "teams": {
                    "formation": "open",
                    "size": {"min": 2, "max": 2},
                    "goal": {"target": 40, "perMember": True},
                    "milestones": [
                        {
                            "key": "hot",
                            "threshold": 60,
                            "entries": [{"type": "currency", "resourceKey": "gold", "amount": 4}],
                        },
                        {"key": "warm", "threshold": 20},
                    ],
                    "goalRewards": [{"type": "currency", "resourceKey": "xp", "amount": 6}],
                    "rankRewards": [
                        {"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 8}]},
                        {"from": 2, "to": 3, "entries": [{"type": "item", "resourceKey": "potion", "amount": 2}]},
                    ],
                    "onLeave": "remove_contribution",
                },
            },
            {
                "key": "duo",
                "name": "Duo",
                "schedule": {
                    "startsAt": "2026-03-01T22:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 302_400,
                },
                "metrics": [{"key": "points", "aggregation": "last"}],
                "attempts": {"maxPerWindow": None},
                "teams": {
                    "formation": "partner",
                    "goal": {"target": 50},
                    "milestones": [
                        {
                            "key": "warm",
                            "threshold": 10,
                            "entries": [{"type": "currency", "resourceKey": "gems", "amount": 1}],
                        }
                    ],
                    "goalRewards": [{"type": "currency", "resourceKey": "gold", "amount": 3}],
                    "rankRewards": [
                        {"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 5}]}
                    ],
                    "inviteSeconds": 3_600,
                },
            },
            {
                "key": "war",
                "name": "War",
                "schedule": {
                    "startsAt": "2026-03-01T20:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 172_800,
                },
                "metrics": [{"key": "points"}],
                "attempts": {"maxPerWindow": 3},
                "target": 100,
                "teams": {
                    "formation": "external",
                    "size": {"min": 2, "max": 2},
                    "goal": {"target": 70},
                    "milestones": [
                        {
                            "key": "warm",
                            "threshold": 30,
                            "entries": [{"type": "currency", "resourceKey": "gold", "amount": 2}],
                        },
                        {"key": "beyond", "threshold": 90},
                    ],
                    "goalRewards": [{"type": "item", "resourceKey": "sword", "amount": 1}],
                    "rankRewards": [
                        {"from": 1, "to": 2, "entries": [{"type": "currency", "resourceKey": "gems", "amount": 3}]}
                    ],
                    "onLeave": "remove_contribution",
                    "onComplete": "stop_contributions",
                },
            },
        ],
        "leaderboards": [
            {
                "key": "points",
                "name": "Points",
                "aggregation": "sum",
                "validators": [{"key": "possible", "kind": "range", "max": 1_000, "verdict": "reject"}],
            },
            {
                "key": "week",
                "name": "Week",
                "reset": "weekly",
                "divisions": [
                    {"key": "bronze", "promote": 1, "relegate": 0},
                    {"key": "gold", "promote": 0, "relegate": 1},
                ],
                "cohortSize": 2,
            },
            {"key": "lap", "name": "Lap", "order": "asc", "aggregation": "lowest", "source": "server"},
        ],
    },
    {
        "name": "Studio",
        "economyMode": "studio",
        "registration": {"knownPlayers": "backend"},
        "privacy": {"strangers": {"status": False, "country": False}, "presenceTo": "friends"},
        "economy": [{"key": "gold", "kind": "currency"}, {"key": "xp", "kind": "progression"}],
        "items": [{"key": "potion"}],
        "crates": [
            {
                "key": "chest",
                "name": "Chest",
                "rolls": [
                    {
                        "rows": [
                            {"weight": 1, "entries": []},
                            {"weight": 1, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 2}]},
                        ]
                    }
                ],
            }
        ],
        "gifting": {
            "enabled": True,
            "cooldownSeconds": 0,
            "dailySendLimit": None,
            "dailyReceiveLimit": 3,
            "claimExpirySeconds": None,
            "resources": [
                {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": False},
                {"type": "currency", "key": "xp", "maxAmount": 50, "costsSender": False},
                {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": False},
            ],
        },
        "guilds": {
            "enabled": True,
            "createCost": [{"type": "currency", "resourceKey": "gold", "amount": 5}],
            "createCooldownSeconds": 3600,
            "joinTypes": ["request"],
            "inactiveLeaderDays": None,
            "help": {
                "resources": [
                    {"type": "currency", "key": "gold", "maxRequest": 20, "maxDonation": 20, "costsDonor": True}
                ],
            },
        },
        "events": [
            {
                "key": "race",
                "name": "Race",
                "schedule": {
                    "windows": [
                        {"startsAt": "2026-03-01T22:00:00Z", "endsAt": "2026-03-02T22:00:00Z"},
                        {"startsAt": "2026-03-02T22:00:00Z", "endsAt": "2026-03-20T00:00:00Z"},
                    ]
                },
                "metrics": [{"key": "points", "aggregation": "best"}],
                "entryCost": [{"type": "currency", "resourceKey": "xp", "amount": 3}],
                "rankRewards": [
                    {"from": 1, "to": 2, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]}
                ],
            },
            {
                "key": "arena",
                "name": "Arena",
                "schedule": {
                    "startsAt": "2026-03-01T20:00:00Z",
                    "everySeconds": 86_400,
                    "durationSeconds": 72_000,
                },
                "metrics": [{"key": "points"}],
                "target": 100,
                "attempts": {"maxPerWindow": None, "durationSeconds": 1_800},
                "rankRewards": [
                    {"from": 1, "to": 3, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]}
                ],
                "lobby": {"capacity": 3, "fillSeconds": 900},
                "session": {
                    "triggers": [{"label": "last-one", "type": "remaining", "value": 1}],
                    "resolution": "close",
                },
            },
            {
                "key": "crews",
                "name": "Crews",
                "schedule": {
                    "startsAt": "2026-03-01T22:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 302_400,
                },
                "order": "asc",
                "metrics": [{"key": "points", "aggregation": "lowest"}],
                "attempts": {"maxPerWindow": None, "durationSeconds": 1_800},
                "teams": {
                    "formation": "open",
                    "size": {"max": 3},
                    "goal": {"target": 10, "perMember": True},
                    "milestones": [{"key": "few", "threshold": 25}, {"key": "fewer", "threshold": 15}],
                    "rankRewards": [
                        {"from": 1, "to": 2, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 1}]}
                    ],
                },
            },
            {
                "key": "duo",
                "name": "Duo",
                "schedule": {
                    "startsAt": "2026-03-01T22:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 302_400,
                },
                "metrics": [{"key": "points"}],
                "teams": {
                    "formation": "partner",
                    "goal": {"target": 30, "perMember": True},
                    "goalRewards": [{"type": "currency", "resourceKey": "gold", "amount": 3}],
                    "onLeave": "remove_contribution",
                    "onComplete": "stop_contributions",
                    "inviteSeconds": 3_600,
                },
            },
            {
                "key": "war",
                "name": "War",
                "schedule": {
                    "startsAt": "2026-03-01T20:00:00Z",
                    "everySeconds": 345_600,
                    "durationSeconds": 172_800,
                },
                "metrics": [{"key": "points"}],
                "teams": {
                    "formation": "external",
                    "size": {"min": 1, "max": 2},
                    "goal": {"target": 25, "perMember": True},
                    "board": False,
                },
            },
        ],
        "leaderboards": [
            {"key": "points", "name": "Points", "aggregation": "last"},
            {"key": "week", "name": "Week", "reset": "weekly", "aggregation": "sum"},
            {"key": "lap", "name": "Lap", "order": "asc", "aggregation": "lowest", "source": "server"},
        ],
    },
)
"""The configurations, as a studio would write them."""


def config_of(game: int, *, gifting: bool = True) -> dict[str, Any]:
    """A game's configuration with gifting, and guilds with it, switched on or off."""
    config = GAMES[game]
    switched = {section: {**config[section], "enabled": gifting} for section in ("gifting", "guilds")}
    return {**config, **switched}
