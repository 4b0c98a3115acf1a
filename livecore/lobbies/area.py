"""The lobbies area: lobbies of events, their bots, and sessions that end early."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.lobbies import (
    bots,
    leaving,
    lifecycle,
    reading,
    refusals,
    rows,
    session_rules,
    sessions,
    soundness,
    timeline,
    webhook_events,
)
from livecore.lobbies.format import LOBBY_FORMAT
from livecore.lobbies.lobby import BOTS, LOBBIES, SEATS
from livecore.lobbies.participants import BOT_PARTICIPANTS
from livecore.lobbies.webhook_events import SessionFrozen, SessionTerminated

AREA: Final = Area(
    name="lobbies",
    tables=(LOBBIES, SEATS, BOTS),
    tags={"lobbies": "Small groups of players, and bots, who play an event against each other."},
    refusals=refusals_in(refusals),
    events={
        "Lobbies and sessions": (
            webhook_events.LobbyCreated,
            webhook_events.LobbyPlayerJoined,
            webhook_events.LobbyBotFilled,
            webhook_events.LobbyStarted,
            webhook_events.LobbyFillTimeout,
            webhook_events.LobbyClosed,
            SessionTerminated,
            SessionFrozen,
        )
    },
    due={
        lifecycle.FILL_BY: lifecycle.fill_due,
        bots.MOVE: bots.move_due,
        session_rules.ELAPSED: sessions.elapsed_due,
    },
    rules=soundness.RULES,
    folds={SEATS: leaving.unite_seats},
    erases={SEATS: leaving.give_up_seats},
    exports={"lobbies": Export(rows.ExportedSeat, reading.exported_seats)},
    timeline=timeline.SOURCES,
    provides=(LOBBY_FORMAT, BOT_PARTICIPANTS),
)
