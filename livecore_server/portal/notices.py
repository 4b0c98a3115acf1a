"""What a page says after an action. An address names one of these texts, so it can make a page say nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["NOTICES"]

NOTICES: Final[Mapping[str, str]] = {
    "member-invited": "The person is a member now, and can sign in.",
    "member-changed": "The member's role is changed. It holds from the next request on.",
    "member-removed": "The member is removed, and their sessions and personal keys have ended.",
    "studio-renamed": "The studio has its new name.",
    "banned": "The player is banned.",
    "unbanned": "The ban is lifted, and the player may play again.",
    "debug-on": "The account is marked as a debug account.",
    "debug-off": "The account is no debug account any more.",
    "merged": "The players are merged. This is the one who stays.",
    "erased": "The player is erased.",
    "balance-changed": "The balance is changed.",
    "items-changed": "The number of items is changed.",
    "attributes-set": "The attributes are set.",
    "granted": "The grant is given, and waits until the player claims it.",
    "claimed": "The grant is claimed, and the player has what was in it.",
    "endpoint-changed": "The endpoint is changed.",
    "endpoint-paused": "The endpoint is paused, and nothing is sent to it.",
    "endpoint-unpaused": "The endpoint goes on, and what has waited is sent.",
    "endpoint-removed": "The endpoint is removed.",
    "sample-sent": "The sample is on its way.",
    "replayed": "The delivery is on its way again.",
    "replayed-many": "The deliveries are on their way again, or will be soon.",
    "attempt-completed": "The attempt is completed.",
    "rewards-rolled": "What the attempt has won is granted.",
    "off-board": "The player is taken off the board.",
    "guild-changed": "The guild is changed.",
    "guild-led": "The guild has another leader.",
    "guild-ended": "The guild has ended.",
    "guild-member-removed": "The member is removed from the guild.",
    "settings-applied": "The settings hold from now on.",
    "game-made": "The game is made.",
    "game-deleted": "The game is deleted.",
    "key-revoked": "The key is revoked and opens nothing any more.",
}
