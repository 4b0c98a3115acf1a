"""The refusals of grants, wallets and inventories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from livecore.kernel.errors import Conflict, Gone, Json, NotFound


class GrantNotFound(NotFound):
    """No such grant for this player."""

    code = "grant_not_found"
    text = "There is no such grant."
    named = "There is no grant {}"
    remedy = "Read the pending grants again, as the player whom the grant is for."


class CrateNotFound(NotFound):
    """The player holds no such crate (`details.grantId`: the reward to claim first), or the game defines none."""

    code = "crate_not_found"
    text = "There is no such crate."
    named = "There is no crate {}"
    remedy = (
        "Claim the grant that `details.grantId` names, if it is there, and list the player's crates again; the keys of the "
        "game's crates are in its configuration, under `crates`."
    )


class EconomyKeyNotFound(NotFound):
    """The game defines no such economy key."""

    code = "economy_key_not_found"
    text = "The game defines no such economy key."
    named = "The game defines no economy key {}"
    remedy = "Use a key that the game's configuration declares under `economy`."


class ItemNotFound(NotFound):
    """The game defines no such item."""

    code = "item_not_found"
    text = "The game defines no such item."
    named = "The game defines no item {}"
    remedy = "Use a key that the game's configuration declares under `items`."


class GrantAlreadyClaimed(Conflict):
    """The grant has been claimed before."""

    code = "grant_already_claimed"
    text = "This grant has been claimed."
    remedy = "Nothing is left to do: it has been paid, once."


class GrantRefunded(Conflict):
    """The grant delivered a gift that ended, and its sender has the amount back."""

    code = "grant_refunded"
    text = "This grant was refunded."
    remedy = "Create a new grant if the player should still have it; the gift's sender has what it had cost."


class CrateMustBeOpened(Conflict):
    """The grant holds a crate, which is opened and not claimed."""

    code = "crate_must_be_opened"
    text = "This grant holds a crate, which is to be opened."
    remedy = "Open the crate; its id is the id of the grant."


class CrateUndefined(Conflict):
    """The game does not define this crate any more. The player keeps it."""

    code = "crate_undefined"
    text = "The game does not define this crate at present."
    remedy = "Declare the crate under `crates` again, and open it then; it is not lost."


class InsufficientBalance(Conflict):
    """The wallet holds too little (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_balance"
    text = "The balance is too low."
    remedy = "Read the wallet, and spend at most what is there."
    example: ClassVar[Mapping[str, Json]] = {"resource": "gold", "needed": 25, "have": 10}


class InsufficientQuantity(Conflict):
    """The inventory holds too few (`details`: `resource`, `needed`, `have`)."""

    code = "insufficient_quantity"
    text = "There are not enough of this item."
    remedy = "Read the inventory, and use at most what is there."
    example: ClassVar[Mapping[str, Json]] = {"resource": "potion", "needed": 3, "have": 1}


class BalanceOverflow(Conflict):
    """The balance would exceed 2^53 - 1."""

    code = "balance_overflow"
    text = "The balance would become too large."
    remedy = "Take something out first."


class EconomyNotPlatformManaged(Conflict):
    """The studio keeps this game's wallet and inventory itself."""

    code = "economy_not_platform_managed"
    text = "This game's economy is managed by the studio."
    remedy = "Change the balance in the studio's own system, or set `economyMode` to `platform`."


class SystemResourceLocked(Conflict):
    """`sessions` and `login_streak` are counted by the service and cannot be changed."""

    code = "system_resource_locked"
    text = "This resource is counted by the service and cannot be changed."
    remedy = "Use another economy key; the service counts this one itself."


class GrantExpired(Gone):
    """The grant was not claimed in time."""

    code = "grant_expired"
    text = "This grant has expired."
    remedy = "Create a new grant if the player should still have it."
