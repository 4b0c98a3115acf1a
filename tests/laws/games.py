"""The two games in which sequences are played: what they have in common, and in what each of them differs.

Game 0 is platform-managed, with paid and free gifts of currencies, items and XP, short times and narrow limits, so that
cooldowns, daily limits, expiries and social limits are met all the time, with a weekly leaderboard of two divisions in
cohorts of two, with a crate that may hold another one, with small guilds, with lobbies of two that bots fill, and with teams
of two that lose what a member who leaves has contributed. Game 1 is studio-managed, has no cooldown, no daily limit, gifts
that never expire, guilds that everybody has to ask, lobbies that are closed when one player is left, teams that win by a low
score, and some without a board; and players whom its backend has brought are registered by it. Its players are seen by
friends, unless they choose otherwise, and no stranger reads a status or a country.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import attrs

Environment = Literal["test", "live"]
Config: TypeAlias = dict[str, Any]
"""A configuration, or a part of one, as JSON."""


@attrs.frozen(order=True)
class Place:
    """One game in one environment."""

    game: int
    environment: Environment

    def __str__(self) -> str:
        return f"{self.game}/{self.environment}"


_EACH_DAY: Final = {"startsAt": "2026-03-01T20:00:00Z", "everySeconds": 86_400, "durationSeconds": 72_000}
_TEAMS_PLAY: Final = {"startsAt": "2026-03-01T22:00:00Z", "everySeconds": 345_600, "durationSeconds": 302_400}


def _currency(key: str, amount: int) -> Config:
    return {"type": "currency", "resourceKey": key, "amount": amount}


def _item(key: str, amount: int) -> Config:
    return {"type": "item", "resourceKey": key, "amount": amount}


def _ranks(first: int, last: int, *entries: Config) -> Config:
    return {"from": first, "to": last, "entries": list(entries)}


def _row(weight: int, *entries: Config) -> Config:
    return {"weight": weight, "entries": list(entries)}


def _milestone(key: str, threshold: int, *entries: Config) -> Config:
    return {"key": key, "threshold": threshold, **({"entries": list(entries)} if entries else {})}


_BOTH: Final[Config] = {
    "economy": {"gold": {"kind": "currency"}, "xp": {"kind": "progression"}},
    "items": {"potion": {}},
    "crates": {"chest": {"name": "Chest"}},
    "gifting": {
        "enabled": True,
        "resources": {
            "gold": {"type": "currency", "maxAmount": 100, "costsSender": False},
            "xp": {"type": "currency", "maxAmount": 50, "costsSender": False},
            "potion": {"type": "item", "maxAmount": 5, "costsSender": False},
        },
    },
    "guilds": {
        "enabled": True,
        "help": {"resources": {"gold": {"type": "currency", "maxRequest": 20, "costsDonor": True}}},
    },
    "events": {
        "race": {"name": "Race"},
        "arena": {
            "name": "Arena",
            "schedule": _EACH_DAY,
            "metrics": [{"key": "points"}],
            "target": 100,
            "lobby": {"fillSeconds": 900},
        },
        "crews": {
            "name": "Crews",
            "schedule": _TEAMS_PLAY,
            "attempts": {"maxPerWindow": None},
            "teams": {"formation": "open", "goal": {"perMember": True}},
        },
        "duo": {
            "name": "Duo",
            "schedule": _TEAMS_PLAY,
            "teams": {"formation": "partner", "goalRewards": [_currency("gold", 3)], "inviteSeconds": 3_600},
        },
        "war": {
            "name": "War",
            "schedule": {**_EACH_DAY, "everySeconds": 345_600, "durationSeconds": 172_800},
            "metrics": [{"key": "points"}],
            "teams": {"formation": "external", "size": {"max": 2}},
        },
    },
    "leaderboards": {
        "points": {"name": "Points"},
        "week": {"name": "Week", "reset": "weekly"},
        "lap": {"name": "Lap", "order": "asc", "aggregation": "lowest", "source": "server"},
    },
}
"""What the games have in common. What a configuration lists with keys stands under them here, and in the differences."""

_PLATFORM: Final[Config] = {
    "name": "Platform",
    "economyMode": "platform",
    "economy": {"gold": {"public": True}, "gems": {"kind": "currency", "public": False}, "xp": {"public": True}},
    "items": {"potion": {}, "sword": {"parameters": {"level": 1, "runes": []}}},
    "crates": {
        "chest": {
            "guaranteed": [_currency("gold", 3)],
            "rolls": [
                {
                    "rows": [_row(5, _item("potion", 1)), _row(1, _item("sword", 1))],
                    "pity": {"after": 1, "row": 1},
                },
                {
                    "times": 2,
                    "rows": [
                        _row(2, _currency("gold", 1)),
                        _row(1),
                        _row(1, {"type": "crate", "resourceKey": "chest", "amount": 1}),
                    ],
                },
            ],
        }
    },
    "gifting": {
        "cooldownSeconds": 3600,
        "dailySendLimit": 3,
        "dailyReceiveLimit": None,
        "claimExpirySeconds": 172800,
        "resources": {
            "gold": {"costsSender": True},
            "gems": {"type": "currency", "maxAmount": 5, "costsSender": False},
            "xp": {},
            "potion": {"costsSender": True},
            "sword": {"type": "item", "maxAmount": 2, "costsSender": False},
        },
    },
    "guilds": {
        "maxMembers": 3,
        "maxCoLeaders": 1,
        "createCost": [_currency("gold", 5), _currency("gold", 1)],
        "createCooldownSeconds": None,
        "nameFilter": ["Dârn"],
        "inactiveLeaderDays": 2,
        "help": {
            "resources": {
                "gold": {"maxDonation": 8, "donorReward": [_currency("xp", 1)]},
                "potion": {"type": "item", "maxRequest": 4, "maxDonation": 4},
            },
            "cooldownSeconds": 3600,
            "expirySeconds": 14400,
        },
    },
    "social": {"maxFriends": 2, "maxOutgoingRequests": 2, "maxBlocks": 2},
    "exchangeRates": {"EUR": "1.085", "JPY": "0.0067", "KWD": "3.25"},
    "purchases": {"dailyReportLimit": 4},
    "events": {
        "race": {
            "schedule": {"startsAt": "2026-03-01T20:00:00Z", "everySeconds": 43_200, "durationSeconds": 28_800},
            "metrics": [{"key": "points"}, {"key": "lap", "aggregation": "lowest"}],
            "target": 100,
            "attempts": {"durationSeconds": 3_600, "maxPerWindow": 2},
            "entryCost": [_currency("gold", 5), _item("potion", 1)],
            "milestones": [
                _milestone("half", 50, _currency("gold", 2)),
                _milestone("near", 90),
                _milestone("some", 20, _item("potion", 1)),
            ],
            "completionRewards": [_currency("xp", 7)],
            "rankRewards": [_ranks(1, 1, _currency("gold", 9)), _ranks(3, 4, _item("sword", 1))],
            "validators": [
                {"key": "possible", "kind": "range", "metric": "lap", "min": 10, "verdict": "reject"},
                {"key": "likely", "kind": "max_step", "limit": 60, "verdict": "flag"},
            ],
        },
        "trial": {
            "name": "Trial",
            "schedule": {"startsAt": "2026-03-02T00:00:00Z", "everySeconds": 86_400, "durationSeconds": 86_400},
            "order": "asc",
            "metrics": [{"key": "lap", "aggregation": "last"}],
            "attempts": {"maxPerWindow": None},
            "target": 0,
            "board": {"by": "segment", "segment": "league"},
            "rankRewards": [_ranks(1, 2, _currency("gems", 1))],
        },
        "arena": {
            "attempts": {"maxPerWindow": 3},
            "entryCost": [_currency("gold", 1)],
            "rankRewards": [_ranks(1, 2, _currency("gems", 2))],
            "lobby": {"capacity": 2, "bots": {"scoreAt": [{"afterSeconds": 0, "min": 33, "max": 33}]}},
            "session": {
                "triggers": [
                    {"label": "won", "type": "first_to_target"},
                    {"label": "time-up", "type": "elapsed", "value": 3_600},
                ]
            },
        },
        "crews": {
            "metrics": [{"key": "points"}],
            "teams": {
                "size": {"min": 2, "max": 2},
                "goal": {"target": 40},
                "milestones": [_milestone("hot", 60, _currency("gold", 4)), _milestone("warm", 20)],
                "goalRewards": [_currency("xp", 6)],
                "rankRewards": [_ranks(1, 1, _currency("gold", 8)), _ranks(2, 3, _item("potion", 2))],
                "onLeave": "remove_contribution",
            },
        },
        "duo": {
            "metrics": [{"key": "points", "aggregation": "last"}],
            "attempts": {"maxPerWindow": None},
            "teams": {
                "goal": {"target": 50},
                "milestones": [_milestone("warm", 10, _currency("gems", 1))],
                "rankRewards": [_ranks(1, 1, _currency("xp", 5))],
            },
        },
        "war": {
            "attempts": {"maxPerWindow": 3},
            "target": 100,
            "teams": {
                "size": {"min": 2},
                "goal": {"target": 70},
                "milestones": [_milestone("warm", 30, _currency("gold", 2)), _milestone("beyond", 90)],
                "goalRewards": [_item("sword", 1)],
                "rankRewards": [_ranks(1, 2, _currency("gems", 3))],
                "onLeave": "remove_contribution",
                "onComplete": "stop_contributions",
            },
        },
    },
    "leaderboards": {
        "points": {
            "aggregation": "sum",
            "validators": [{"key": "possible", "kind": "range", "max": 1_000, "verdict": "reject"}],
        },
        "week": {
            "divisions": [
                {"key": "bronze", "promote": 1, "relegate": 0},
                {"key": "gold", "promote": 0, "relegate": 1},
            ],
            "cohortSize": 2,
        },
    },
}

_STUDIO: Final[Config] = {
    "name": "Studio",
    "economyMode": "studio",
    "registration": {"knownPlayers": "backend"},
    "privacy": {"strangers": {"status": False, "country": False}, "presenceTo": "friends"},
    "crates": {"chest": {"rolls": [{"rows": [_row(1), _row(1, _currency("xp", 2))]}]}},
    "gifting": {"cooldownSeconds": 0, "dailySendLimit": None, "dailyReceiveLimit": 3, "claimExpirySeconds": None},
    "guilds": {
        "createCost": [_currency("gold", 5)],
        "createCooldownSeconds": 3600,
        "joinTypes": ["request"],
        "inactiveLeaderDays": None,
        "help": {"resources": {"gold": {"maxDonation": 20}}},
    },
    "events": {
        "race": {
            "schedule": {
                "windows": [
                    {"startsAt": "2026-03-01T22:00:00Z", "endsAt": "2026-03-02T22:00:00Z"},
                    {"startsAt": "2026-03-02T22:00:00Z", "endsAt": "2026-03-20T00:00:00Z"},
                ]
            },
            "metrics": [{"key": "points", "aggregation": "best"}],
            "entryCost": [_currency("xp", 3)],
            "rankRewards": [_ranks(1, 2, _currency("gold", 1))],
        },
        "arena": {
            "attempts": {"maxPerWindow": None, "durationSeconds": 1_800},
            "rankRewards": [_ranks(1, 3, _currency("gold", 1))],
            "lobby": {"capacity": 3},
            "session": {
                "triggers": [{"label": "last-one", "type": "remaining", "value": 1}],
                "resolution": "close",
            },
        },
        "crews": {
            "order": "asc",
            "metrics": [{"key": "points", "aggregation": "lowest"}],
            "attempts": {"durationSeconds": 1_800},
            "teams": {
                "size": {"max": 3},
                "goal": {"target": 10},
                "milestones": [_milestone("few", 25), _milestone("fewer", 15)],
                "rankRewards": [_ranks(1, 2, _currency("gold", 1))],
            },
        },
        "duo": {
            "metrics": [{"key": "points"}],
            "teams": {
                "goal": {"target": 30, "perMember": True},
                "onLeave": "remove_contribution",
                "onComplete": "stop_contributions",
            },
        },
        "war": {"teams": {"size": {"min": 1}, "goal": {"target": 25, "perMember": True}, "board": False}},
    },
    "leaderboards": {"points": {"aggregation": "last"}, "week": {"aggregation": "sum"}},
}

_KEYED: Final = {"economy", "items", "crates", "resources", "events", "leaderboards"}
"""What a configuration lists, each with its key."""


def _merged(base: Config, differences: Config) -> Config:
    """The base with the differences, in whose order the things stand that they name."""
    both = {
        name: _merged(base[name], value) if isinstance(value, dict) and name in base else value
        for name, value in differences.items()
    }
    return both | {name: value for name, value in base.items() if name not in both}


def _written(config: Config) -> Config:
    """The configuration as a studio writes it."""
    written = {name: _written(value) if isinstance(value, dict) else value for name, value in config.items()}
    return {
        name: [{"key": key, **thing} for key, thing in value.items()] if name in _KEYED else value
        for name, value in written.items()
    }


GAMES: Final = tuple(_written(_merged(_BOTH, differences)) for differences in (_PLATFORM, _STUDIO))
"""The configurations, as a studio would write them."""


def config_of(game: int, *, gifting: bool = True) -> Config:
    """A game's configuration with gifting, and guilds with it, switched on or off."""
    config = GAMES[game]
    switched = {section: {**config[section], "enabled": gifting} for section in ("gifting", "guilds")}
    return {**config, **switched}
