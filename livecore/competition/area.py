"""The competition area: events, their windows and attempts, and leaderboards."""

from __future__ import annotations

from typing import Final

from livecore.competition import (
    attempts,
    board_rows,
    boards,
    closing,
    ending,
    event_rows,
    policies,
    reading,
    refusals,
    soundness,
    windows,
)
from livecore.kernel.area import Area, refusals_in
from livecore.kernel.player_lifecycle import Export
from livecore.webhooks.catalog import events
from livecore.webhooks.catalog.windows import LeaderboardFinalized, WindowClosed, WindowOpened

__all__ = ["AREA"]

AREA: Final = Area(
    name="competition",
    tables=(
        windows.EVENTS,
        windows.WINDOWS,
        boards.BOARDS,
        boards.ENTRIES,
        attempts.ATTEMPTS,
        attempts.PROGRESS,
    ),
    tags={
        "dev": "Shortcuts for tests, with a key of the test environment.",
        "events": "Events that are open for a time, and players' attempts at them.",
        "leaderboards": "Who leads, in events and over weeks, months and all time.",
    },
    refusals=refusals_in(refusals),
    events=(
        WindowOpened,
        WindowClosed,
        LeaderboardFinalized,
        events.AttemptStarted,
        events.AttemptRestarted,
        events.EventProgressUpdated,
        events.EventCompleted,
        events.EventExpired,
        events.AttemptFlagged,
        events.MilestoneGranted,
        events.EntryCostCharged,
    ),
    due={
        windows.OPEN: windows.open_due,
        ending.EXPIRE: ending.expire_due,
        ending.UPDATED: ending.announce_due,
    },
    jobs=(closing.CLOSING,),
    rules=soundness.RULES,
    folds={attempts.ATTEMPTS: policies.unite_attempts, boards.ENTRIES: policies.unite_entries},
    exports={
        "attempts": Export(event_rows.AttemptRow, attempts.exported_attempts),
        "leaderboardEntries": Export(board_rows.ExportedEntry, reading.exported_entries),
    },
    prepare=windows.prepare,
    objections=windows.objections,
)
