"""What sets engines apart that speak PostgreSQL's language, as far as making the schema goes.

Which of them were run is told in `docs/engines.md`.
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
    """Whether its planner goes by statistics of the rows, and can be taught with examples."""
    collates: bool
    """Whether a column can say that its texts compare by code point. Where none can, all of them do."""

    def schema(self, text: str) -> str:
        """A statement that makes tables or columns, in the engine's words."""
        return text if self.collates else text.replace(_BY_CODE_POINT, "")


def engine_of(version: str) -> Engine:
    """The engine that gives this answer to `SELECT version()`."""
    itself = version.startswith("PostgreSQL") and "-YB-" not in version
    return Engine(learns=itself, collates=not version.startswith("CockroachDB"))
