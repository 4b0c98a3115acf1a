"""The events area: events, their windows, and attempts at them."""

from __future__ import annotations

from typing import Final

from livecore.events import (
    advice,
    attempt_ending,
    attempt_records,
    attempt_soundness,
    emptied,
    exporting,
    forgetting,
    operator_rows,
    policies,
    refusals,
    soundness,
    timeline,
    webhook_events,
    window_closing,
    window_records,
    windows,
)
from livecore.events.boards import EVENT_BOARDS
from livecore.events.solo import SOLO
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.leaderboards import boards

AREA: Final = Area(
    name="events",
    tables=(window_records.EVENTS, window_records.WINDOWS, attempt_records.ATTEMPTS, attempt_records.PROGRESS),
    tags={
        "attempts": "Attempts at events, for the studio's members: reading, completing and rewarding them.",
        "dev": "Shortcuts for tests, with a key of the test environment.",
        "events": "Events that are open for a time, and players' attempts at them.",
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
            webhook_events.WindowOpened,
            webhook_events.WindowClosed,
            webhook_events.LeaderboardFinalized,
        ),
    },
    due={
        windows.OPEN: windows.open_due,
        attempt_ending.UPDATED: attempt_ending.announce_due,
        attempt_ending.EXPIRE: attempt_ending.expire_due,
    },
    jobs=(window_closing.CLOSING, emptied.EMPTIED),
    rules=(*soundness.RULES, *attempt_soundness.RULES),
    folds={
        attempt_records.ATTEMPTS: policies.unite_attempts,
        boards.ENTRIES: policies.unite_entries,
    },
    erases={attempt_records.ATTEMPTS: forgetting.forget_segments},
    exports={"attempts": Export(operator_rows.ExportedAttempt, exporting.exported_attempts)},
    prepare=windows.prepare,
    objections=windows.objections,
    timeline=timeline.SOURCES,
    advice=advice.advice_on,
    advice_at=advice.advice_at,
    provides=(EVENT_BOARDS, SOLO),
)
