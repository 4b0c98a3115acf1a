"""The differences between engines that speak PostgreSQL's protocol, for creating the schema.

`docs/engines.md` lists those that were tested.
"""

from __future__ import annotations

from typing import Final

import attrs

__all__ = ["Engine", "engine_of"]

_BY_CODE_POINT: Final = ' COLLATE "C"'


@attrs.frozen
class Engine:
    """An engine, by what it can do."""

    learns: bool
    """Whether its planner uses statistics of the rows, so that example rows help it."""
    collates: bool
    """Whether a column can declare that its texts compare by code point. In an engine without that, all texts do."""

    def schema(self, text: str) -> str:
        """A statement that makes tables or columns, in the engine's dialect."""
        return text if self.collates else text.replace(_BY_CODE_POINT, "")


def engine_of(version: str) -> Engine:
    """The engine that gives this answer to `SELECT version()`."""
    itself = version.startswith("PostgreSQL") and "-YB-" not in version
    return Engine(learns=itself, collates=not version.startswith("CockroachDB"))
