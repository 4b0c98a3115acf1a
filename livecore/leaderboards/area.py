"""The leaderboards area: boards and their entries, shared leaderboards, their periods and divisions."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.leaderboards import (
    advice,
    bans,
    board_pages,
    boards,
    divisions,
    exporting,
    operator_rows,
    periods,
    policies,
    reconciliation,
    refusals,
    rejections,
    rollover,
    rows,
    settlement,
    soundness,
)
from livecore.leaderboards.webhook_events import LeaderboardPeriodFinalized

AREA: Final = Area(
    name="leaderboards",
    tables=(
        boards.BOARDS,
        boards.ENTRIES,
        periods.LEADERBOARDS,
        periods.PERIODS,
        divisions.MEMBERSHIPS,
        divisions.COHORTS,
        rejections.SCORE_REJECTIONS,
    ),
    tags={"leaderboards": "Who leads, in events and over weeks, months and all time."},
    refusals=refusals_in(refusals),
    events={"Windows and leaderboards": (LeaderboardPeriodFinalized,)},
    due={rollover.ROLL: rollover.roll_due},
    jobs=(settlement.SETTLE,),
    sums=(reconciliation.RANKED,),
    rules=soundness.RULES,
    folds={
        divisions.MEMBERSHIPS: policies.unite_memberships,
        rejections.SCORE_REJECTIONS: rejections.unite_rejections,
    },
    exports={
        "leaderboardEntries": Export(rows.ExportedEntry, board_pages.exported_entries),
        "divisions": Export(rows.ExportedDivision, exporting.exported_divisions),
        "rejectedScores": Export(operator_rows.ExportedRejections, exporting.exported_rejections),
    },
    after_ban=bans.note_ban,
    prepare=rollover.prepare,
    advice=advice.advice_on,
)
