"""A piece of a game: the mailbox screen, with its two buttons "Open everything" and "Oil for everybody".

It takes what clients and the players of a World have in common, so the same code runs against a remote server and, in
`test_mailbox.py`, in a world in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from livecore.errors import GiftExpired, GiftInsufficientBalance, GiftLimitReached, GrantAlreadyClaimed
from livecore.surfaces import SdkSurface
from livecore_client.rows import GiftRow

OIL_PER_FRIEND = 2


@dataclass(frozen=True)
class Opened:
    """What the screen shows after "Open everything"."""

    oil: int
    too_late: int


def open_everything(client: SdkSurface, shown: Iterable[GiftRow]) -> Opened:
    """Open every gift on the screen; continue after one that another device has opened, or that has expired."""
    oil = too_late = 0
    for gift in shown:
        try:
            oil += client.gifts.claim(gift.gift_id).gift.amount
        except GrantAlreadyClaimed:
            continue
        except GiftExpired:
            too_late += 1
    return Opened(oil, too_late)


def oil_for_everybody(client: SdkSurface) -> list[str]:
    """Send oil to every friend who may get some today, until there is none left; returns the friends who got some."""
    reached: list[str] = []
    for friend in client.friends.list().friends:
        if friend.gift_cooldown_until:
            continue
        try:
            client.gifts.send(
                external_player_id=friend.external_player_id,
                type="currency",
                resource_key="oil",
                amount=OIL_PER_FRIEND,
            )
        except (GiftLimitReached, GiftInsufficientBalance):
            break
        reached.append(friend.external_player_id)
    return reached
