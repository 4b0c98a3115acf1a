"""The guilds area: guilds, their members and requests, and mutual help."""

from __future__ import annotations

from typing import Final

from livecore.guilds import (
    config,
    exports,
    forgetting,
    founding,
    history_rows,
    policies,
    refusals,
    rows,
    seating,
    soundness,
    timeline,
    webhook_events,
)
from livecore.guilds.guild import GUILDS, SEATS, STINTS, WORDS
from livecore.guilds.help_requests import DONATIONS, HELP
from livecore.guilds.join_requests import REQUESTS
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export

AREA: Final = Area(
    name="guilds",
    tables=(GUILDS, SEATS, STINTS, WORDS, founding.FOUNDINGS, REQUESTS, HELP, DONATIONS),
    tags={"guilds": "Lasting groups of players, with roles, requests to join, and mutual help."},
    refusals=refusals_in(refusals),
    events={
        "Guilds": (
            webhook_events.GuildCreated,
            webhook_events.GuildUpdated,
            webhook_events.GuildDisbanded,
            webhook_events.GuildMemberJoined,
            webhook_events.GuildMemberLeft,
            webhook_events.GuildRoleChanged,
            webhook_events.GuildJoinRequested,
            webhook_events.GuildHelpRequested,
            webhook_events.GuildHelpDonated,
        )
    },
    due={seating.INACTIVE: seating.check_leader},
    jobs=(forgetting.FORGET, forgetting.FORGET_MESSAGES),
    rules=soundness.RULES,
    folds={
        SEATS: policies.unite_seats,
        founding.FOUNDINGS: founding.unite_foundings,
        REQUESTS: policies.unite_requests,
    },
    erases={SEATS: policies.leave_for_good},
    exports={
        "guilds": Export(rows.StintInGuild, exports.exported_stints),
        "guildHistory": Export(history_rows.GuildHistoryRow, exports.exported_history),
        "guildRequests": Export(rows.ExportedJoinRequest, exports.exported_requests),
        "guildHelp": Export(rows.ExportedHelp, exports.exported_help),
        "guildDonations": Export(rows.ExportedDonation, exports.exported_donations),
    },
    timeline=timeline.SOURCES,
    advice=config.advice_on,
)
