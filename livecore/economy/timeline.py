"""What a player's timeline shows of the economy: every change of a balance or an item, grants, and opened crates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

from livecore.economy.crates import OPENINGS_OF_PLAYER, CrateOpening
from livecore.economy.grants import OF_PLAYER_BY_STATUS, Grant, Status, shown_for_audit
from livecore.economy.history import ledger_row
from livecore.economy.ledger import ENTRIES_OF_PLAYER, Entry
from livecore.kernel.declarations.timeline import TimelineSource, Track
from livecore.kernel.errors import JsonObject
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import encode


def _entry(_: Unit, row: Entry, __: Sequence[Any]) -> JsonObject:
    shown = encode(ledger_row(row))
    assert isinstance(shown, dict)  # noqa: S101 - a shape is an object
    return {name: value for name, value in shown.items() if name not in {"entryId", "at"}}


def _grant(_: Unit, row: Grant, __: Sequence[Any]) -> JsonObject:
    return {**shown_for_audit(row), "giftId": row.gift_id}


def _opening(_: Unit, row: CrateOpening, __: Sequence[Any]) -> JsonObject:
    return {"crateKey": row.crate_key, "grantId": row.contents_id}


SOURCES: Final[tuple[TimelineSource[Any], ...]] = (
    TimelineSource(
        kind="ledger",
        about="A balance or the quantity of an item changed: by how much, to how much, and why.",
        thing="entry",
        # Balances and quantities are the sums of these entries.
        covers=("ledger", "wallet", "inventory"),
        tracks=lambda player_id: [Track(ENTRIES_OF_PLAYER, (player_id,))],
        show=_entry,
    ),
    TimelineSource(
        kind="grant",
        about="A grant was made for the player, with what it holds and its state now.",
        thing="grant",
        covers=("grants", "crateOpenings"),
        tracks=lambda player_id: [Track(OF_PLAYER_BY_STATUS, (player_id, status)) for status in get_args(Status)],
        show=_grant,
    ),
    TimelineSource(
        kind="crate",
        about="The player opened a crate; its contents are a grant.",
        thing="crate",
        tracks=lambda player_id: [Track(OPENINGS_OF_PLAYER, (player_id,))],
        show=_opening,
    ),
)
