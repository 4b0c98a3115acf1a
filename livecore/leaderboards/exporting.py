"""What an export of a player shows of leaderboards, beside the entries: divisions, and what was rejected."""

from __future__ import annotations

from typing import TypeVar

from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.storage.paging import PageRequest, page_of, unpack
from livecore.kernel.storage.reads import Get, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Index
from livecore.kernel.time import stamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards import rejections
from livecore.leaderboards.divisions import MEMBERSHIPS_OF_PLAYER, Membership
from livecore.leaderboards.operator_rows import ExportedRejections
from livecore.leaderboards.periods import PERIODS, Period, leaderboard_and_number, period_id_of
from livecore.leaderboards.rows import ExportedDivision

R = TypeVar("R")


def _page_by_text(wanted: Slice) -> PageRequest:
    return PageRequest(wanted.limit, unpack(wanted.cursor, (str,)))


def _after(index: Index[R], player_id: PlayerId, page: PageRequest) -> Scan[R]:
    return Scan(index, (player_id,), after=page.beyond, limit=page.reach)


def exported_divisions(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for divisions: one row for each shared leaderboard, by its key."""
    page = _page_by_text(wanted)
    found = unit.tx.scanned(_after(MEMBERSHIPS_OF_PLAYER, player_id, page))
    shown, cursor = page_of(found, page, lambda row: (row.leaderboard_key,))
    periods = unit.tx.read_all(Get(PERIODS, (period_id_of(row.leaderboard_key, row.number),)) for row in shown)
    return Exported(tuple(map(_division, shown, periods)), cursor)


def _division(row: Membership, period: Period | None) -> ExportedDivision:
    return ExportedDivision(
        leaderboard_key=row.leaderboard_key,
        period_number=row.number,
        division=row.division,
        cohort=row.cohort,
        leaderboard_id=row.board_id,
        starts_at=None if period is None else stamp(period.starts_at),
        ends_at=None if period is None else stamp(period.ends_at),
    )


def exported_rejections(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for scores that validators of shared leaderboards rejected: one row for each period."""
    page = _page_by_text(wanted)
    found = unit.tx.scanned(_after(rejections.REJECTIONS_OF_PLAYER, player_id, page))
    shown, cursor = page_of(found, page, lambda row: (row.period_id,))
    return Exported(tuple(_rejected(row) for row in shown), cursor)


def _rejected(row: rejections.ScoreRejections) -> ExportedRejections:
    key, number = leaderboard_and_number(row.period_id)
    return ExportedRejections(leaderboard_key=key, period_number=number, rejections=rejections.rows(row.latest))
