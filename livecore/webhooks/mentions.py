"""The players whom an event names besides the two in its row: one row for each, found by the event and by the player.

Most kinds name one player or two, and need no row here; the ranks of a finalised leaderboard name many. The rows are
deleted with the event, or when its body is emptied. A merge does not change them, nor the body: players who were merged
into another are erased together with that player, each by their own id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.store import Transaction
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.units.unit import Event
from livecore.kernel.values import keyword_value as record
from livecore.kernel.wire import decode_lenient
from livecore.kernel.wire.mentions import mentioned, most_mentions

IN_ROW: Final = 2
"""How many players the event's own row names."""


@record
class EventMention:
    """An event names this player, and at least two others."""

    event_id: str
    player_id: PlayerId


EVENT_MENTIONS = Table(
    "event_mentions",
    EventMention,
    key=("event_id", "player_id"),
    # An erasure needs the rows to find the events, in steps; it deletes each row when it has handled the event.
    players={"player_id": PlayerColumn(Merge.RETAIN, Erase.RETAIN)},
    export="waitingWebhooks",
)
MENTIONS_OF_EVENT = EVENT_MENTIONS.index("of_event", prefix=("event_id",), order=("player_id",))
MENTIONS_OF_PLAYER = EVENT_MENTIONS.index("of_player", prefix=("player_id",), order=("event_id",))


def players_named(payload: object) -> tuple[str, ...]:
    """The players whom a payload names by the service's id, in the order of its fields."""
    return tuple(dict.fromkeys(mentioned(payload, "player_id")))


def named_in(payload: type[Event], data: str) -> tuple[str, ...]:
    """The players whom the text of an event names. A kind whose players all fit into the event's row is not searched.

    The text may be damaged or from another release: for one that cannot be read it returns no players.
    """
    most = most_mentions(payload, "player_id")
    if most is not None and most <= IN_ROW:
        return ()
    try:
        return players_named(decode_lenient(payload, json.loads(data)))
    except (ValueError, ValidationFailed):
        return ()


def mention_all(tx: Transaction, event_id: str, players: Iterable[PlayerId]) -> None:
    """Write the rows for the players whom an event names besides those in its own row."""
    for player_id in players:
        tx.insert(EVENT_MENTIONS, EventMention(event_id=event_id, player_id=player_id))


def forget_mentions(tx: Transaction, mentions: Iterable[EventMention]) -> None:
    """Delete these rows, when their event or its body is deleted."""
    for row in mentions:
        tx.delete(EVENT_MENTIONS, row.event_id, row.player_id)
