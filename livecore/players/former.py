"""Former ids: what is kept of an external id whose player was merged away or erased.

Of the id itself only a keyed hash is kept, by which a repeated request is told from one about a stranger. The key is drawn
once for each scope and stays in it: two games, or a game's two environments, cannot be compared by their hashes, and no
table of hashes made elsewhere fits. Whoever holds the whole database can still try out an id that they know, as the service
must be able to do when it is asked again.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

from livecore.kernel.records import PlayerId, record
from livecore.kernel.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.unit import Unit
from livecore.players.player import Player

__all__ = ["FORMER_IDS", "SCOPE_KEYS", "FormerId", "former", "hashed", "remember"]

_KEY_BYTES: Final = 32
_NAME: Final = "former_ids"


@record
class ScopeKey:
    """A random key of the scope's own, as hexadecimal digits, by what it is for."""

    name: str
    key: str


SCOPE_KEYS = Table("scope_keys", ScopeKey, key=("name",))


@record
class FormerId:
    """That an external id was somebody's: whose, how that ended, and for a merge, into whom it was asked to go."""

    id_hash: str
    player_id: PlayerId
    ended: Literal["merged", "erased"]
    into_id: PlayerId | None = None
    at: Millis


FORMER_IDS = Table(
    "former_ids",
    FormerId,
    key=("id_hash",),
    players={
        "player_id": PlayerColumn(Merge.RETAIN, Erase.RETAIN),
        "into_id": PlayerColumn(Merge.RETAIN, Erase.RETAIN),
    },
    export=(),
)


def former(unit: Unit, external_id: str) -> FormerId | None:
    """What is remembered of an external id that is nobody's any more, or somebody else's by now."""
    key = unit.tx.get(SCOPE_KEYS, _NAME)
    return None if key is None else unit.tx.get(FORMER_IDS, _hash(key, external_id))


def remember(unit: Unit, player: Player, ended: Literal["merged", "erased"], into: Player | None = None) -> None:
    """Remember that a player had this external id; what was remembered of an earlier one with the same id goes."""
    unit.tx.put(
        FORMER_IDS,
        FormerId(
            id_hash=hashed(unit, player.external_id),
            player_id=player.player_id,
            ended=ended,
            into_id=None if into is None else into.player_id,
            at=unit.now,
        ),
    )


def hashed(unit: Unit, text: str) -> str:
    """The keyed hash of what tells of a former id; draws the scope's key where there is none yet."""
    key = unit.tx.get(SCOPE_KEYS, _NAME)
    if key is None:
        key = unit.tx.insert(SCOPE_KEYS, ScopeKey(name=_NAME, key=unit.entropy.bytes(_KEY_BYTES).hex()))
    return _hash(key, text)


def _hash(key: ScopeKey, text: str) -> str:
    return blake2b(text.encode(), key=bytes.fromhex(key.key), digest_size=32).hexdigest()
