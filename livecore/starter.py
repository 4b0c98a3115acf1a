"""A configuration to start a game of one's own from: short, with one example of each part that most games begin with.

It is the text of a file (`livecore init --example` writes it), to be edited by a person, so its order and layout matter.
"""

from __future__ import annotations

from typing import Final

SCHEMA_FILE: Final = "game-config.schema.json"
"""The file beside it, by which an editor completes and checks it."""

STARTER: Final = """\
{
  "$schema": "./game-config.schema.json",
  "name": "My game",
  "economyMode": "platform",
  "registration": {"knownPlayers": "backend"},
  "privacy": {"strangers": {"status": false}},
  "economy": [
    {"key": "gold", "kind": "currency", "public": true, "name": "Gold"},
    {"key": "xp", "kind": "progression", "public": true, "name": "Experience"}
  ],
  "items": [
    {"key": "potion", "name": "Potion"},
    {"key": "sword", "name": "Sword", "parameters": {"level": 1}}
  ],
  "crates": [
    {
      "key": "chest",
      "name": "Chest",
      "guaranteed": [{"type": "currency", "resourceKey": "gold", "amount": 10}],
      "rolls": [
        {
          "rows": [
            {"weight": 90, "entries": [{"type": "item", "resourceKey": "potion", "amount": 1}]},
            {"weight": 10, "entries": [{"type": "item", "resourceKey": "sword", "amount": 1}]}
          ]
        }
      ]
    }
  ],
  "gifting": {
    "enabled": true,
    "cooldownSeconds": 86400,
    "dailySendLimit": 20,
    "dailyReceiveLimit": 50,
    "claimExpirySeconds": 604800,
    "resources": [
      {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": true},
      {"type": "item", "key": "potion", "maxAmount": 1, "costsSender": false}
    ]
  },
  "guilds": {
    "enabled": true,
    "maxMembers": 30
  },
  "events": [
    {
      "key": "daily-run",
      "name": "Daily run",
      "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
      "metrics": [{"key": "points", "aggregation": "sum"}],
      "milestones": [
        {"key": "warm", "threshold": 100, "entries": [{"type": "currency", "resourceKey": "gold", "amount": 5}]}
      ],
      "rankRewards": [{"from": 1, "to": 3, "entries": [{"type": "crate", "resourceKey": "chest", "amount": 1}]}]
    }
  ],
  "leaderboards": [
    {"key": "weekly", "name": "This week", "reset": "weekly", "order": "desc", "aggregation": "best", "source": "client"}
  ],
  "exchangeRates": {"EUR": "1.08"}
}
"""
