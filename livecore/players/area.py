"""The players' area: registration, secrets, identities, and when players were active."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from livecore.players import (
    config,
    export_rows,
    exports,
    former_names,
    policies,
    refusals,
    seen,
    soundness,
    webhook_events,
)
from livecore.players.former import FORMER_IDS, SCOPE_KEYS
from livecore.players.former_names import FORMER_NAMES
from livecore.players.identity import SEARCH_ENTRIES
from livecore.players.moderation import DEBUG_ACCOUNTS
from livecore.players.player import PLAYERS
from livecore.players.stored_bytes import STORED_BYTES

AREA: Final = Area(
    name="players",
    tables=(PLAYERS, SEARCH_ENTRIES, DEBUG_ACCOUNTS, FORMER_IDS, FORMER_NAMES, SCOPE_KEYS, STORED_BYTES),
    tags={
        "players": "Who players are, and what is done about them as a whole.",
        "presence": "Whether players are there, and what they do.",
    },
    refusals=refusals_in(refusals),
    events={
        "Player": (
            webhook_events.PlayerRegistered,
            webhook_events.PlayerSecretSet,
            webhook_events.PlayerSecretRotated,
            webhook_events.PlayerBanned,
            webhook_events.PlayerUnbanned,
        )
    },
    jobs=(seen.STREAK_SWEEP, seen.FORGET_LABELS, former_names.SWEEP),
    ephemeral={seen.SEEN: seen.flush},
    rules=soundness.RULES,
    advice=config.advice_on,
    folds={PLAYERS: policies.unite, FORMER_NAMES: former_names.unite_names},
    exports={
        "formerNames": Export(export_rows.FormerNameRow, exports.exported_names),
        "countries": Export(export_rows.ExportedCountry, exports.exported_countries),
        "contexts": Export(export_rows.ExportedContext, exports.exported_contexts),
    },
)
