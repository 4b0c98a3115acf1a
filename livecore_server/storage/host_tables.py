"""The tables that the server has beside those of the areas: what it writes about the store itself.

They are declared here and not beside what uses them, because each process must know all tables of a database, whatever it
has imported: a command that did not would take a database that a server has used for one of a newer release.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.records import record
from livecore.kernel.tables import Table
from livecore.kernel.time import Millis

__all__ = ["STORE_PROBES", "UNFINISHED_COPIES", "CopyMark", "StoreProbe"]


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


STORE_PROBES: Final = Table("store_probes", StoreProbe, key=("name",))
UNFINISHED_COPIES: Final = Table("unfinished_copies", CopyMark, key=("name",))
