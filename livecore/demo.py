"""A small game with all features enabled: the default of the pytest plugin and of a new server.

It is the text of a configuration file (`livecore.load_config` reads it), so that it can also be written out and edited.
"""

from __future__ import annotations

from typing import Final

__all__ = ["DEMO"]

DEMO: Final = """\
{
  "name": "Demo",
  "economyMode": "platform",
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
  "gifting": {
    "enabled": true,
    "cooldownSeconds": 86400,
    "dailySendLimit": null,
    "claimExpirySeconds": 604800,
    "resources": [
      {"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": true},
      {"type": "currency", "key": "xp", "maxAmount": 50, "costsSender": false},
      {"type": "item", "key": "potion", "maxAmount": 5, "costsSender": false},
      {"type": "item", "key": "sticker", "maxAmount": 1, "costsSender": true}
    ]
  },
  "social": {"maxFriends": 500, "maxOutgoingRequests": 100, "maxBlocks": 500},
  "exchangeRates": {"EUR": "1.08"}
}
"""
