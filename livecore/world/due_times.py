"""When the next work of each scope of a world is due, looked up again only where a scope has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from livecore.kernel.scope import Scope
from livecore.kernel.storage.store import Store
from livecore.kernel.time import Millis
from livecore.kernel.units import due


class DueTimes:
    """The times of the next due work, as far as they are known."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self._scopes = scopes
        self._due_at: dict[Scope, tuple[int | None, Millis | None]] = {}
        """When the next work of each scope is due, with the version of the scope that said so."""

    def coming(self, store: Store) -> dict[Scope, Millis]:
        """When the next work of each scope is due that has any."""
        found: dict[Scope, Millis] = {}
        # A world whose store was replaced by one of the server's looks each time: those do not count their changes.
        versions: Mapping[Scope, int] | None = getattr(store, "versions", None)
        for scope in self._scopes:
            version = None if versions is None else versions.get(scope)
            known = self._due_at.get(scope)
            if versions is None or known is None or known[0] != version:
                # Most calls change one scope, and not the others.
                known = self._due_at[scope] = version, store.read(scope, due.earliest)
            if known[1] is not None:
                found[scope] = known[1]
        return found
