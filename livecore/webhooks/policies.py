"""How erasing a player changes the events that name them: a body is kept only as long as it is needed.

Events whose deliveries have ended are emptied at once. Events with waiting deliveries are marked, and emptied when those
end, at the latest after thirty days. So a studio still receives a purchase from before the erasure, and then the erasure,
in their order. A job handles players with very many events.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.declarations.player_lifecycle import Erasing
from livecore.kernel.storage.reads import Scan
from livecore.kernel.units.unit import Unit
from livecore.webhooks.mentions import MENTIONS_OF_PLAYER, forget_mentions
from livecore.webhooks.outbox import EVENTS_OF_OTHER, EVENTS_OF_PLAYER, empty_or_mark, events_of


def _scrub(unit: Unit, player_id: str, _cursor: Cursor) -> Cursor | None:
    """Empty or mark events that name a player. That changes `personal`, so these events leave the index.

    Events that name the player besides two others are found by their mentions, which are deleted.
    """
    own, other, mentions = unit.tx.read_together(
        Scan(EVENTS_OF_PLAYER, (player_id, "kept"), limit=MOST_ROWS),
        Scan(EVENTS_OF_OTHER, (player_id, "kept"), limit=MOST_ROWS),
        Scan(MENTIONS_OF_PLAYER, (player_id,), limit=MOST_ROWS),
    )
    events = [*own, *other][:MOST_ROWS]
    mentions = mentions[: MOST_ROWS - len(events)]
    mentioning = events_of(unit.tx, mentions)
    events += (event for event in mentioning if event is not None and event.personal == "kept")
    forget_mentions(unit.tx, mentions)
    empty_or_mark(unit, events)
    return START if len(own) + len(other) + len(mentions) >= MOST_ROWS else None


SCRUB: Final = Job("webhooks.scrub", _scrub)
"""Empties the events that name the player with this id."""


def empty_events(unit: Unit, erasing: Erasing) -> None:
    """Empty the events that name the player."""
    SCRUB.start_now(unit, erasing.player_id)
