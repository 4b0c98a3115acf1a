"""What an export of a player shows of competition beside the entries on leaderboards: attempts, divisions, rejections."""

from __future__ import annotations

from livecore.events.attempts import newest, rows
from livecore.events.operator_rows import ExportedAttempt
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import page_by_time
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.leaderboards import rejections


def exported_attempts(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for attempts, newest first, each with the reports that a validator rejected."""
    found, cursor = newest(unit, player_id, page_by_time(wanted))
    shown = zip(found, rows(unit, found), strict=True)
    made = (ExportedAttempt(**fields_of(row), rejections=rejections.rows(attempt.rejections)) for attempt, row in shown)
    return Exported(tuple(made), cursor)
