"""A small game with all features enabled: the default of the pytest plugin and of a new server.

It is the text of a configuration file (`livecore.load_config` reads it), so that it can also be written out and edited.
"""

from __future__ import annotations

from typing import Final

DEMO: Final = """\
{
  "name": "Demo",
  "economyMode": "platform",
  "registration": {"knownPlayers": "client"},
  "privacy": {"strangers": {"status": false}},
  "economy": [
    {"key": "gold", "kind": "currency", "public": true, "name": "Gold"},
    {"key": "gems", "kind": "currency", "public": false, "name": "Gems"},
    {"key": "xp", "kind": "progression", "public": true, "name": "Experience"},
    {"key": "trophies", "kind": "progression", "public": true, "name": "Trophies"}
  ],
  "items": [
    {"key": "potion", "name": "Potion"},
    {"key": "sword", "name": "Sword", "parameters": {"level": 1, "durability": 100}},
    {"key": "sticker", "name": "Sticker"}
  ],
  "crates": [
    {
      "key": "starter-chest",
      "name": "Starter chest",
      "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 20}],
      "rolls": [
        {
          "rows": [
            {"weight": 70, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]},
            {"weight": 25, "entries": [{"type": "currency", "resourceKey": "gems", "amount": 5}]},
            {"weight": 5, "entries": [{"type": "item", "resourceKey": "sword", "amount": 1}]}
          ],
          "pity": {"after": 19, "row": 2}
        }
      ]
    }
  ],
  "gifting": {
    "enabled": true,
    "cooldownSeconds": 86400,
    "dailySendLimit": null,
    "dailyReceiveLimit": 50,
    "claimExpirySeconds": 604800,
    "resources": [
      {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": true},
      {"type": "currency", "key": "gems", "maxAmount": 10, "costsSender": true},
      {"type": "currency", "key": "xp", "maxAmount": 50, "costsSender": false},
      {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": false},
      {"type": "item", "key": "sticker", "maxAmount": 1, "costsSender": true}
    ]
  },
  "guilds": {
    "enabled": true,
    "createCost": [{"type": "currency", "resourceKey": "gold", "amount": 10}],
    "help": {
      "resources": [
        {
          "type": "item", "key": "potion", "maxRequest": 10, "maxDonation": 2, "costsDonor": true,
          "donorReward": [{"type": "currency", "resourceKey": "xp", "amount": 5}]
        }
      ],
      "cooldownSeconds": 28800,
      "expirySeconds": 86400
    }
  },
  "social": {"maxFriends": 500, "maxOutgoingRequests": 100, "maxBlocks": 500},
  "events": [
    {
      "key": "daily-dash",
      "name": "Daily dash",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
      "metrics": [{"key": "points", "aggregation": "sum"}],
      "target": 1000,
      "attempts": {"maxPerWindow": 3, "counts": "best"},
      "entryCost": [{"type": "currency", "resourceKey": "gold", "amount": 5}],
      "milestones": [
        {"key": "warm", "threshold": 100, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 10}]},
        {"key": "hot", "threshold": 500, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]}
      ],
      "completionRewards": [{"type": "item", "resourceKey": "potion", "amount": 2}],
      "rankRewards": [
        {"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 100}]},
        {"from": 2, "to": 10, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 20}]},
        {"from": 11, "to": 20, "entries": [{"type": "crate", "resourceKey": "starter-chest", "amount": 1}]}
      ],
      "validators": [{"key": "too-much", "kind": "max_step", "limit": 1000, "verdict": "reject"}]
    },
    {
      "key": "arena",
      "name": "Arena",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
      "metrics": [{"key": "points", "aggregation": "sum"}],
      "target": 100,
      "attempts": {"maxPerWindow": null},
      "lobby": {
        "capacity": 4,
        "fillSeconds": 8,
        "bots": {
          "scoreAt": [
            {"afterSeconds": 3, "min": 5, "max": 20},
            {"afterSeconds": 30, "min": 40, "max": 80},
            {"afterSeconds": 60, "min": 60, "max": 95}
          ]
        }
      },
      "session": {
        "triggers": [
          {"label": "first-to-100", "type": "first_to_target"},
          {"label": "two-minutes", "type": "elapsed", "value": 120}
        ],
        "resolution": "close"
      },
      "rankRewards": [
        {"from": 1, "to": 1, "entries": [{"type": "currency", "resourceKey": "trophies", "amount": 1}]},
        {"from": 2, "to": 4, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 5}]}
      ]
    },
    {
      "key": "expedition",
      "name": "Expedition",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 604800, "durationSeconds": 604800},
      "metrics": [{"key": "steps", "aggregation": "sum"}],
      "teams": {
        "formation": "open",
        "size": {"min": 2, "max": 4},
        "goal": {"target": 1000},
        "milestones": [
          {"key": "camp", "threshold": 200, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 10}]}
        ],
        "goalRewards": [{"type": "currency", "resourceKey": "gold", "amount": 20}]
      }
    },
    {
      "key": "tandem",
      "name": "Tandem",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 604800, "durationSeconds": 604800},
      "metrics": [{"key": "laps", "aggregation": "sum"}],
      "teams": {
        "formation": "partner",
        "goal": {"target": 10},
        "goalRewards": [{"type": "item", "resourceKey": "potion", "amount": 1}]
      }
    },
    {
      "key": "guild-war",
      "name": "Guild war",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 604800, "durationSeconds": 604800},
      "metrics": [{"key": "points", "aggregation": "sum"}],
      "teams": {
        "formation": "external",
        "size": {"max": 50},
        "goal": {"target": 100, "perMember": true},
        "milestones": [
          {"key": "first-blow", "threshold": 50, "entries": [{"type": "currency", "resourceKey": "xp", "amount": 5}]}
        ],
        "goalRewards": [{"type": "currency", "resourceKey": "gold", "amount": 20}],
        "rankRewards": [
          {"from": 1, "to": 3, "entries": [{"type": "currency", "resourceKey": "trophies", "amount": 1}]}
        ]
      }
    }
  ],
  "leaderboards": [
    {
      "key": "league",
      "name": "Weekly league",
      "reset": "weekly",
      "aggregation": "sum",
      "source": "event",
      "event": "daily-dash",
      "divisions": [
        {
          "key": "bronze",
          "promote": 10,
          "rankRewards": [
            {"from": 1, "to": 3, "entries": [{"type": "currency", "resourceKey": "trophies", "amount": 1}]}
          ]
        },
        {
          "key": "silver",
          "relegate": 10,
          "rankRewards": [
            {"from": 1, "to": 3, "entries": [{"type": "currency", "resourceKey": "trophies", "amount": 3}]}
          ]
        }
      ],
      "cohortSize": 50
    }
  ],
  "exchangeRates": {"EUR": "1.08"}
}
"""
