"""What the rows of crates must look like whenever the power went."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from tests.laws.rows import PlaceRows

ID_OF_KIND: Final = {"crate.opened": "crateId"}
"""By which id an event and its row are matched."""
_NOTHING_COUNTED: Final = "{}"


def told_of_crates(rows: PlaceRows) -> Iterator[tuple[str, str]]:
    """What must have been told: each a kind of event, and the id in it."""
    for opening in rows.tables.get("crate_openings", []):
        yield "crate.opened", opening.crate_id


def check_crates(rows: PlaceRows) -> None:
    """A crate that was opened is claimed, and its contents are one grant; a crate that was not has neither."""
    openings = rows.tables.get("crate_openings", [])
    claimed = [row for row in rows.grants if row.crate_key is not None and row.status == "claimed"]
    assert Counter((row.grant_id, row.player_id, row.claimed_at) for row in claimed) == Counter(
        (row.crate_id, row.player_id, row.opened_at) for row in openings
    )
    contents = [row for row in rows.grants if row.source_kind == "crate"]
    assert Counter((row.source_ref_id, row.grant_id, row.player_id) for row in contents) == Counter(
        (row.crate_id, row.contents_id, row.player_id) for row in openings
    )
    _check_counts(rows)


def _check_counts(rows: PlaceRows) -> None:
    """Each opening of a player has begun with the counts for pity that one other opening has left, and no other."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    left: dict[str, Counter[str]] = defaultdict(lambda: Counter({_NOTHING_COUNTED: 1}))
    for opening in rows.tables.get("crate_openings", []):
        found[opening.player_id][opening.waits] += 1
        left[opening.player_id][opening.waits_after] += 1
    now = {row.player_id: row.waits for row in rows.tables.get("crate_waits", [])}
    for player_id, counts in found.items():
        counts[now.pop(player_id, _NOTHING_COUNTED)] += 1
        assert counts == left[player_id]
    assert now == {}
