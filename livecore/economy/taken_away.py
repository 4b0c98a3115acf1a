"""What players hold of currencies, items and crates that another configuration does not declare any more.

Nothing is taken from anybody: the rows stay as they are, and count again once the key is declared again. But nobody can use
what is not declared, so whoever changes a configuration is told first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import attrs

from livecore.economy.config import EconomyConfig
from livecore.economy.grants import GRANTS, is_past
from livecore.economy.ledger import HOLDINGS
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit

Kind: TypeAlias = Literal["currency", "progression", "item", "crate"]
ROWS_AT_ONCE: Final = 1_000
"""The most rows that one unit of work reads to count."""
_HOLDINGS_OF_ASSET = HOLDINGS.index("of_asset", prefix=("asset_kind", "asset_key"), order=("player_id",))
_CRATES_OF_KEY = GRANTS.index("crates_of_key", prefix=("crate_key", "status"), order=("created_at",))
"""Only the grants that hold a crate."""
_FATES: Final[dict[Kind, str]] = {
    "currency": "no wallet shows it and nobody can spend or get any",
    "progression": "no wallet shows it and nobody can get any",
    "item": "it stays in the inventories, where nobody can use or get any",
    "crate": "players keep the crates and cannot open them",
}


@attrs.frozen
class Removed:
    """Something that a configuration declares and another one does not."""

    kind: Kind
    key: str

    @property
    def path(self) -> str:
        """Its place in the configuration, as a difference names it."""
        section = {"item": "items", "crate": "crates"}.get(self.kind, "economy")
        return f"{section}[{self.key}]"


@attrs.frozen
class CountedPage:
    """What some rows say: who holds some, and how much of it in all; `after` is where the next rows begin."""

    players: tuple[str, ...]
    amount: int
    rows: int
    after: Key | None


def removed_by(before: EconomyConfig, wanted: EconomyConfig) -> Iterator[Removed]:
    """What another configuration takes away, in the order of the present one."""
    kept = {declared.key for declared in wanted.economy}
    for declared in before.economy:
        if declared.key not in kept:
            yield Removed(declared.kind, declared.key)
    kept = {item.key for item in wanted.items}
    yield from (Removed("item", item.key) for item in before.items if item.key not in kept)
    kept = {crate.key for crate in wanted.crates}
    yield from (Removed("crate", crate.key) for crate in before.crates if crate.key not in kept)


def fate_of(removed: Removed) -> str:
    """What becomes of what players hold of it, as the end of a sentence."""
    return f"{_FATES[removed.kind]} until the key is declared again"


def count_page(unit: Unit, removed: Removed, after: Key | None, limit: int) -> CountedPage:
    """Count the next rows, at most so many. A crate is counted while it can be opened or waits for that."""
    if removed.kind == "crate":
        grants = unit.tx.scan(_CRATES_OF_KEY, removed.key, "pending", after=after, limit=limit)
        open_ = [grant for grant in grants if not is_past(grant, unit.now)]
        position = _CRATES_OF_KEY.position_of(grants[-1]) if len(grants) == limit else None
        return CountedPage(tuple(grant.player_id for grant in open_), len(open_), len(grants), position)
    kind = "item" if removed.kind == "item" else "currency"
    rows = unit.tx.scan(_HOLDINGS_OF_ASSET, kind, removed.key, after=after, limit=limit)
    held = [row for row in rows if row.amount]
    position = _HOLDINGS_OF_ASSET.position_of(rows[-1]) if len(rows) == limit else None
    return CountedPage(tuple(row.player_id for row in held), sum(row.amount for row in held), len(rows), position)
