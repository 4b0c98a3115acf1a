"""Former ids: what is stored about an external id whose player was merged into another or erased.

Only a keyed hash of the id is stored. By it, a repeated request can be distinguished from one about an unknown id. Each
scope draws its own key: so the hashes of two games, or of a game's two environments, cannot be compared, and precomputed
hashes are of no use. A person who has the whole database can still test an id that they know, because the service must be
able to do the same for a repeated request.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player, by_id

_KEY_BYTES: Final = 32
_NAME: Final = "former_ids"


@record
class ScopeKey:
    """A random key of the scope, in hexadecimal digits; `name` is its purpose."""

    name: str
    key: str


SCOPE_KEYS = Table("scope_keys", ScopeKey, key=("name",))


@record
class FormerId:
    """A former external id: the player who had it, how that ended, and for a merge, the requested target."""

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
    """What is stored about a former external id, which may belong to another player now."""
    key = unit.tx.get(SCOPE_KEYS, _NAME)
    return None if key is None else unit.tx.get(FORMER_IDS, _hash(key, external_id))


def former_read(unit: Unit, external_id: str) -> list[Get[FormerId]]:
    """The read of what `remember` replaces, for whoever asks for something else with it; none in a scope without a key."""
    key = unit.tx.get(SCOPE_KEYS, _NAME)
    return [] if key is None else [Get(FORMER_IDS, (_hash(key, external_id),))]


def merged_into(unit: Unit, external_id: str) -> tuple[Player, Player] | None:
    """What is left of the player who had this id until they were merged, and the player whose data theirs is now.

    That player may have been merged again, or erased. Nothing where the id is somebody's again.
    """
    known = former(unit, external_id)
    if known is None or known.ended != "merged":
        return None
    left = by_id(unit, known.player_id)
    return None if left.merged_into is None else (left, by_id(unit, left.merged_into))


def remember(unit: Unit, player: Player, ended: Literal["merged", "erased"], into: Player | None = None) -> None:
    """Store that a player had this external id. It replaces the record of an earlier player with the same id."""
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
    """The keyed hash of a text that identifies a former id; draws the scope's key if there is none yet."""
    key = unit.tx.get(SCOPE_KEYS, _NAME)
    if key is None:
        key = unit.tx.insert(SCOPE_KEYS, ScopeKey(name=_NAME, key=unit.entropy.bytes(_KEY_BYTES).hex()))
    return _hash(key, text)


def _hash(key: ScopeKey, text: str) -> str:
    return hash_under(key.key, text)


def hash_under(key: str, text: str) -> str:
    """The hash of a text under a key of hexadecimal digits."""
    return blake2b(text.encode(), key=bytes.fromhex(key), digest_size=32).hexdigest()
