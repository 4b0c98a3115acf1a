"""The parts of an export for countries, contexts and former names."""

from __future__ import annotations

import json
from typing import Final, Literal

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import page_by_number, page_by_time, page_of
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.players.contexts import first_context_of
from livecore.players.export_rows import ExportedContext, ExportedCountry, FormerNameRow
from livecore.players.former_names import NAMES_OF_PLAYER
from livecore.players.player import Player, by_id

_SOURCES: Final[tuple[Literal["override", "stated", "seen"], ...]] = ("override", "stated", "seen")


def exported_countries(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Every country that is stored, in the order in which they count."""
    player = by_id(unit, player_id)
    stored = zip(_SOURCES, (player.country_override, player.country_stated, player.country_seen), strict=True)
    shown = [ExportedCountry(source=source, country=held) for source, held in stored if held is not None]
    return Exported(*page_by_number(shown, wanted))


def exported_contexts(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The first context and the last one."""
    return Exported(*page_by_number(_contexts(by_id(unit, player_id)), wanted))


def _contexts(player: Player) -> list[ExportedContext]:
    first, last = first_context_of(player), player.context
    shown: list[ExportedContext] = []
    if first is not None:
        shown.append(ExportedContext(which="first", context=json.loads(first)))
    if last is not None:
        shown.append(ExportedContext(which="last", context=json.loads(last)))
    return shown


def exported_names(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """Former names, the latest first."""
    page = page_by_time(wanted)
    found = unit.tx.scanned(page.newest(NAMES_OF_PLAYER, player_id))
    shown, cursor = page_of(found, page, NAMES_OF_PLAYER.position_of)
    rows = (FormerNameRow(name=row.name, avatar=row.avatar, until=Timestamp(row.until)) for row in shown)
    return Exported(tuple(rows), cursor)
