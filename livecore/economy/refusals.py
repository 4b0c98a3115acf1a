"""What grants, wallets and inventories refuse."""

from __future__ import annotations

from livecore.kernel.errors import Conflict, Gone, NotFound

__all__ = [
    "BalanceOverflow",
    "EconomyKeyNotFound",
    "EconomyNotPlatformManaged",
    "GrantAlreadyClaimed",
    "GrantExpired",
    "GrantNotFound",
    "InsufficientBalance",
    "InsufficientQuantity",
    "ItemNotFound",
    "SystemResourceLocked",
]


class GrantNotFound(NotFound):
    """No such grant for this player."""

    code = "grant_not_found"
    text = "There is no such grant."


class EconomyKeyNotFound(NotFound):
    """The game defines no such economy key."""

    code = "economy_key_not_found"
    text = "The game defines no such economy key."


class ItemNotFound(NotFound):
    """The game defines no such item."""

    code = "item_not_found"
    text = "The game defines no such item."


class GrantAlreadyClaimed(Conflict):
    """The grant has been claimed before."""

    code = "grant_already_claimed"
    text = "This grant has been claimed."


class InsufficientBalance(Conflict):
    """The wallet holds too little (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_balance"
    text = "The balance is too low."


class InsufficientQuantity(Conflict):
    """The inventory holds too few (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_quantity"
    text = "There are not enough of this item."


class BalanceOverflow(Conflict):
    """The balance would pass 2^53 - 1."""

    code = "balance_overflow"
    text = "The balance would become too large."


class EconomyNotPlatformManaged(Conflict):
    """The studio keeps this game's wallet and inventory itself."""

    code = "economy_not_platform_managed"
    text = "This game's economy is managed by the studio."


class SystemResourceLocked(Conflict):
    """`sessions` and `login_streak` are counted by the service and cannot be changed."""

    code = "system_resource_locked"
    text = "This resource is counted by the service and cannot be changed."


class GrantExpired(Gone):
    """The grant was not claimed in time."""

    code = "grant_expired"
    text = "This grant has expired."
