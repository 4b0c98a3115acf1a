"""A typed call in a World: the operation with its own shape, and the answer as the row that a client reads."""

from __future__ import annotations

import json

import pytest

from livecore import World, WorldRefused
from livecore.api.operations import OPERATIONS
from livecore.economy.wallet_rows import Credit
from livecore.kernel.wire import encode
from livecore.social.gift_rows import OneGift, SendGift
from livecore.social.rows import SendRequest

_OPERATIONS = {operation.id: operation for operation in OPERATIONS}
_GIFT = _OPERATIONS["sdk:gifts.send"]
_REQUEST = _OPERATIONS["sdk:friends.sendRequest"]
_CONFIG = {
    "economyMode": "platform",
    "economy": [{"key": "gold", "kind": "currency"}],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 0,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 100, "costsSender": True}],
    },
}
