"""The competition area: events, their windows and attempts, and leaderboards."""

from __future__ import annotations

from typing import Final

from livecore.competition import (
    advice,
    attempt_soundness,
    attempts,
    bans,
    board_reconciliation,
    board_rows,
    boards,
    closing,
    divisions,
    emptied,
    ending,
    exporting,
    forgetting,
    operator_rows,
    periods,
    policies,
    reading,
    refusals,
    rejections,
    rollover,
    settlement,
    shared_policies,
    shared_soundness,
    soundness,
    timeline,
    webhook_events,
    windows,
)
from livecore.competition.leaderboard_webhook_events import LeaderboardFinalized, LeaderboardPeriodFinalized
from livecore.competition.webhook_events import WindowClosed, WindowOpened
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.kernel.units.unit import Unit

__all__ = ["AREA"]


def _prepare(unit: Unit) -> None:
    windows.prepare(unit)
    rollover.prepare(unit)


AREA: Final = Area(
    name="competition",
    tables=(
        windows.EVENTS,
        windows.WINDOWS,
        boards.BOARDS,
        boards.ENTRIES,
        attempts.ATTEMPTS,
        attempts.PROGRESS,
        periods.LEADERBOARDS,
        periods.PERIODS,
        divisions.MEMBERSHIPS,
        divisions.COHORTS,
        rejections.SCORE_REJECTIONS,
    ),
    tags={
        "attempts": "Attempts at events, for the studio's members: reading, completing and rewarding them.",
        "dev": "Shortcuts for tests, with a key of the test environment.",
        "events": "Events that are open for a time, and players' attempts at them.",
        "leaderboards": "Who leads, in events and over weeks, months and all time.",
    },
    refusals=refusals_in(refusals),
    events={
        "Events and attempts": (
            webhook_events.AttemptStarted,
            webhook_events.AttemptRestarted,
            webhook_events.EventProgressUpdated,
            webhook_events.EventCompleted,
            webhook_events.EventForceCompleted,
            webhook_events.EventExpired,
            webhook_events.AttemptFlagged,
            webhook_events.MilestoneGranted,
            webhook_events.EntryCostCharged,
        ),
        "Windows and leaderboards": (
            WindowOpened,
            WindowClosed,
            LeaderboardFinalized,
            LeaderboardPeriodFinalized,
        ),
    },
    due={
        windows.OPEN: windows.open_due,
        ending.UPDATED: ending.announce_due,
        rollover.ROLL: rollover.roll_due,
    },
    jobs=(closing.CLOSING, emptied.EMPTIED, settlement.SETTLE),
    sums=(board_reconciliation.RANKED,),
    rules=(*soundness.RULES, *attempt_soundness.RULES, *shared_soundness.RULES),
    folds={
        attempts.ATTEMPTS: policies.unite_attempts,
        boards.ENTRIES: policies.unite_entries,
        divisions.MEMBERSHIPS: shared_policies.unite_memberships,
        rejections.SCORE_REJECTIONS: rejections.unite_rejections,
    },
    erases={attempts.ATTEMPTS: forgetting.forget_segments},
    exports={
        "attempts": Export(operator_rows.ExportedAttempt, exporting.exported_attempts),
        "leaderboardEntries": Export(board_rows.ExportedEntry, reading.exported_entries),
        "divisions": Export(board_rows.ExportedDivision, exporting.exported_divisions),
        "rejectedScores": Export(operator_rows.ExportedRejections, exporting.exported_rejections),
    },
    after_ban=bans.note_ban,
    prepare=_prepare,
    objections=windows.objections,
    timeline=timeline.SOURCES,
    advice=advice.advice_on,
    advice_at=advice.advice_at,
)
