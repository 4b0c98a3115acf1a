"""Friend codes: six characters that people can read to each other. A player's code never changes and is never reused.

The alphabet has 31 characters, A to Z and 2 to 9 without I, L and O, which gives close to 900 million codes; case does not
matter. A code is made when its owner first asks for it. It stays reserved for ever, even after its player is erased.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.tables import Table
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import PLAYERS, Player

ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH: Final = 6


@record
class UsedCode:
    """A code that has been given to a player of this scope."""

    code: str


USED_CODES = Table("used_friend_codes", UsedCode, key=("code",))


def normalise(text: str) -> str:
    """The stored form of a code as typed."""
    return text.strip().upper()


def code_of(unit: Unit, player: Player) -> Player:
    """The player with a friend code, which is made now if there was none."""
    if player.friend_code is not None:
        return player
    code = unit.entropy.text(ALPHABET, _LENGTH)
    while unit.tx.get(USED_CODES, code) is not None:
        code = unit.entropy.text(ALPHABET, _LENGTH)
    unit.tx.insert(USED_CODES, UsedCode(code=code))
    player = evolve(player, friend_code=code)
    unit.tx.put(PLAYERS, player)
    return player
