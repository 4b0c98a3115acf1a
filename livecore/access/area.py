"""The area of access: studios, games, API keys, and the audit trail."""

from __future__ import annotations

from typing import Final

from livecore.access import (
    audit,
    audit_addresses,
    former_members,
    personal_keys,
    refusals,
    sessions,
    soundness,
    timeline,
)
from livecore.access.audit import AUDIT, KEY_USAGE
from livecore.access.directory import API_KEYS, CONFIG_VERSIONS, GAMES, STUDIOS
from livecore.access.members import MEMBERS, MEMBERSHIPS
from livecore.access.personal_keys import PERSONAL_KEYS
from livecore.access.sessions import SESSION_USE, SESSIONS
from livecore.kernel.declarations.area import Area, refusals_in

AREA: Final = Area(
    name="access",
    tables=(
        STUDIOS,
        GAMES,
        CONFIG_VERSIONS,
        API_KEYS,
        KEY_USAGE,
        AUDIT,
        MEMBERS,
        MEMBERSHIPS,
        SESSIONS,
        SESSION_USE,
        PERSONAL_KEYS,
    ),
    refusals=refusals_in(refusals),
    tags={
        "session": "The member who is signed in.",
        "studios": "The studio itself.",
        "members": "The people who operate the games of a studio, and their roles.",
        "games": "The games of a studio.",
        "keys": "The API keys of a game.",
        "audit": "Who changed what.",
        "personalKeys": "Keys by which a script or an assistant acts as a member.",
    },
    jobs=(audit.SWEEP, audit_addresses.SHORTEN, former_members.FORGET, sessions.SWEEP, personal_keys.SWEEP),
    ephemeral={audit.LAST_USED: audit.flush, sessions.SESSION_USED: sessions.flush_use},
    rules=soundness.RULES,
    timeline=timeline.SOURCES,
)
