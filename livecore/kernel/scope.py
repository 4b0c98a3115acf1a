"""A scope is one game in one environment; no request, row or event belongs to two scopes.

Every transaction is opened for one scope and cannot reach another, so tenants are isolated by construction. One reserved
scope, `DIRECTORY`, holds the rows that belong to no single game: studios, games, API keys and members.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import attrs

Environment = Literal["test", "live"]
ENVIRONMENTS: Final[tuple[Environment, ...]] = ("live", "test")
"""The environments of a game; the first is meant where a member names none."""


@attrs.frozen(slots=True, cache_hash=True)
class Scope:
    """One game in one environment, e.g. `Scope("gam_01…", "test")`."""

    game_id: str
    environment: str
    id: str = attrs.field(init=False, eq=False, repr=False)
    """The text that every stored key begins with: `gam_…/test`."""

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "id", f"{self.game_id}/{self.environment}")

    @classmethod
    def parse(cls, text: str) -> Scope:
        """The scope whose `id` is `text`."""
        game_id, _, environment = text.partition("/")
        return cls(game_id, environment)


@lru_cache(maxsize=4_096)
def scope_of(game_id: str, environment: str) -> Scope:
    """The scope of a game's environment. It is the same object each time, which makes comparing fast."""
    return Scope(game_id, environment)


DIRECTORY = Scope("directory", "all")
"""The reserved scope of everything that belongs to no single game."""
