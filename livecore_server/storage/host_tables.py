"""The tables that the server has beside those of the areas: what it writes about the store itself.

They are declared here and not beside what uses them, because each process must know all tables of a database, whatever it
has imported: a command that did not would take a database that a server has used for one of a newer release.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.storage.tables import Table
from livecore.kernel.time import Millis
from livecore.kernel.values import keyword_value as record


@record
class StoreProbe:
    """The row that is written to test a store at a start and after a failure."""

    name: str
    at: Millis


@record
class CopyMark:
    """Marks an unfinished copy; `source` identifies the database that it is a copy of."""

    name: str
    source: str
    begun_at: int
    resumed: int = 0


@record
class EarlierErasure:
    """An erasure in a database that this one has replaced: of a player, or of the external id behind a keyed hash.

    A restore notes them, because a later restore may bring a player back whom this database does not have.
    """

    ref: str
    """The player's id, or the hash."""
    hash_key: str | None = None
    """The key of the hash, in hexadecimal digits; nothing for a player's id."""
    at: Millis
    """When the player was erased; of a hash, since when the external id was nobody's."""


@record
class RankingInUse:
    """The ranking of a large leaderboard that a process had in memory, to be loaded again at a start."""

    board_id: str
    noted_at: Millis


STORE_PROBES: Final = Table("store_probes", StoreProbe, key=("name",))
UNFINISHED_COPIES: Final = Table("unfinished_copies", CopyMark, key=("name",))
EARLIER_ERASURES: Final = Table("earlier_erasures", EarlierErasure, key=("ref",))
RANKINGS_IN_USE: Final = Table("rankings_in_use", RankingInUse, key=("board_id",))
IN_USE_BY_TIME: Final = RANKINGS_IN_USE.index("by_time", order=("noted_at",))
