"""The teams area: teams and pairs at events, and invitations to pairs."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.teams import (
    invites,
    payments,
    policies,
    reading,
    refusals,
    rewards,
    rosters_to_come,
    rows,
    soundness,
    timeline,
    webhook_events,
)
from livecore.teams.format import TEAM_FORMAT
from livecore.teams.invites import INVITES
from livecore.teams.participants import TEAM_PARTICIPANTS
from livecore.teams.team import SEATS, TEAMS, UNLOCKS

AREA: Final = Area(
    name="teams",
    tables=(TEAMS, SEATS, UNLOCKS, payments.PAYMENTS, INVITES),
    tags={
        "teams": "Teams of players at an event, who score and win together.",
        "partners": "Pairs, and invitations to them.",
    },
    refusals=refusals_in(refusals),
    events={
        "Teams and partners": (
            webhook_events.TeamFormed,
            webhook_events.TeamMemberJoined,
            webhook_events.TeamMemberLeft,
            webhook_events.TeamMilestoneUnlocked,
            webhook_events.TeamGoalCompleted,
            webhook_events.TeamFinalized,
            webhook_events.PartnerInviteSent,
            webhook_events.PartnerInviteAccepted,
        )
    },
    jobs=(rewards.PAY, payments.FORGET),
    objections=rosters_to_come.objections,
    rules=soundness.RULES,
    folds={
        SEATS: policies.unite_seats,
        payments.PAYMENTS: payments.unite_payments,
        INVITES: policies.unite_invites,
    },
    erases={SEATS: policies.give_up_seats},
    exports={
        "teams": Export(rows.ExportedTeamSeat, reading.exported_seats),
        "partnerInvites": Export(rows.ExportedInvite, invites.exported_invites),
    },
    timeline=timeline.SOURCES,
    provides=(TEAM_FORMAT, TEAM_PARTICIPANTS),
)
