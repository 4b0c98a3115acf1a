"""The game that is played while servers are killed: a little of everything that players do with one another."""

from __future__ import annotations

from typing import Any, Final

PLAYERS: Final = tuple(f"player-{number}" for number in range(6))
FOUNDING_COST: Final = 1
"""How much gold it costs to found a guild."""
MOST_MEMBERS: Final = 3
"""How many members a guild has at most: so few that players often find one full."""

_GOLD: Final = {"type": "currency", "resourceKey": "gold"}
_POTION: Final = {"type": "item", "resourceKey": "potion"}
_XP: Final = {"type": "currency", "resourceKey": "xp"}

_RACE: Final[dict[str, Any]] = {
    "key": "race",
    "name": "Race",
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 5, "durationSeconds": 5},
    "metrics": [{"key": "points"}],
    "target": 12,
    "attempts": {"maxPerWindow": None},
    "entryCost": [{**_GOLD, "amount": 1}],
    "milestones": [{"key": "half", "threshold": 6, "entries": [{**_GOLD, "amount": 1}]}],
    "rankRewards": [{"from": 1, "to": 3, "entries": [{**_GOLD, "amount": 2}]}],
}
_ARENA: Final[dict[str, Any]] = {
    "key": "arena",
    "name": "Arena",
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 5, "durationSeconds": 5},
    "metrics": [{"key": "points"}],
    "target": 6,
    "attempts": {"maxPerWindow": None},
    "entryCost": [{**_GOLD, "amount": 1}],
    "rankRewards": [{"from": 1, "to": 3, "entries": [{**_GOLD, "amount": 2}]}],
    "lobby": {
        "capacity": 3,
        "fillSeconds": 1,
        "bots": {"scoreAt": [{"afterSeconds": 1, "min": 1, "max": 3}, {"afterSeconds": 3, "min": 3, "max": 5}]},
    },
    "session": {
        "triggers": [
            {"label": "won", "type": "first_to_target"},
            {"label": "over", "type": "elapsed", "value": 2},
        ],
        "resolution": "close",
    },
}
_CREWS: Final[dict[str, Any]] = {
    "key": "crews",
    "name": "Crews",
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 5, "durationSeconds": 5},
    "metrics": [{"key": "points"}],
    "target": 8,
    "attempts": {"maxPerWindow": None},
    "entryCost": [{**_GOLD, "amount": 1}],
    "rankRewards": [{"from": 1, "to": 3, "entries": [{**_GOLD, "amount": 2}]}],
    "teams": {
        "formation": "open",
        "size": {"max": 3},
        "milestones": [{"key": "few", "threshold": 5, "entries": [{**_GOLD, "amount": 1}]}],
        "goal": {"target": 10},
        "goalRewards": [{**_GOLD, "amount": 1}],
        "rankRewards": [{"from": 1, "to": 2, "entries": [{**_GOLD, "amount": 2}]}],
        "onLeave": "remove_contribution",
    },
}
CONFIG: Final[dict[str, Any]] = {
    "name": "Crash",
    "economyMode": "platform",
    "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}],
    "items": [{"key": "potion"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 0,
        "claimExpirySeconds": 2,
        "resources": [
            {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True},
            {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": True},
            {"type": "currency", "key": "xp", "maxAmount": 50},
        ],
    },
    "crates": [
        {
            "key": "chest",
            "name": "Chest",
            "guaranteed": [{**_GOLD, "amount": 2}],
            "rolls": [
                {
                    "rows": [
                        {"weight": 3, "entries": [{**_POTION, "amount": 1}]},
                        {"weight": 1, "entries": [{**_XP, "amount": 5}]},
                    ],
                    "pity": {"after": 3, "row": 1},
                }
            ],
        }
    ],
    "guilds": {
        "enabled": True,
        "maxMembers": MOST_MEMBERS,
        "createCost": [{**_GOLD, "amount": FOUNDING_COST}],
        "createCooldownSeconds": None,
        "help": {
            "resources": [
                {"type": "currency", "key": "gold", "maxRequest": 30, "maxDonation": 20, "costsDonor": True},
                {
                    "type": "item",
                    "key": "potion",
                    "maxRequest": 10,
                    "maxDonation": 4,
                    "costsDonor": True,
                    "donorReward": [{**_GOLD, "amount": 1}],
                },
            ],
        },
    },
    "events": [_RACE, _ARENA, _CREWS],
    "leaderboards": [{"key": "all", "name": "All time"}],
}
"""What has a time has a short one, so that it comes due under fire as well: gifts expire after two seconds, windows close
after five, a lobby is filled for one, and a session lasts for two."""
