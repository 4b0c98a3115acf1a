"""Each player alone: the format of every event that no other format divides into groups, and the example of a format.

All attempts of a window are on one leaderboard, or those of a segment, such as a country. All attempts of a player in a
window are on that of the first one, whatever context the game sends later; otherwise one player could lead every segment.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from livecore.events.attempt_records import COUNTED
from livecore.events.definition import EventDefinition, format_parts
from livecore.events.format import Entrant, EventFormat
from livecore.events.window_records import EventWindow, board_id_in, new_board
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, Leaderboard
from livecore.players.player import Player

NO_SEGMENT: Final = "none"
"""The segment of players whose context has no value that could be one."""
_LONGEST_SEGMENT: Final = 64


class Solo(EventFormat):
    """Ranks a player on the board of the window or of a segment; nothing else is to be said of it."""

    def plays(self, definition: EventDefinition) -> bool:
        """Whether no other format gives groups of players a board of their own."""
        return all(part.boards_by(definition) is None for part in format_parts())

    def boards(self, unit: Unit, window: EventWindow, definition: EventDefinition) -> Iterable[Leaderboard]:
        """The board of the window; those of segments are made when a segment first occurs."""
        return (new_board(unit, window, definition),) if definition.boards_by == "window" else ()

    def expected_board(self, unit: Unit, entrant: Entrant) -> str:
        """The id of the board of the window, or of the player's segment."""
        window = entrant.window
        return board_id_in(unit, window.window_id, window.starts_at, _segment(unit, entrant))

    def seat(self, unit: Unit, entrant: Entrant) -> Leaderboard:
        """The board of the window, or of the player's segment, which is made when it first occurs.

        Where an erasure has emptied the segment, it occurs again: now it is somebody else's.
        """
        window, segment = entrant.window, _segment(unit, entrant)
        board = unit.tx.get(BOARDS, board_id_in(unit, window.window_id, window.starts_at, segment))
        if board is None:
            return unit.tx.insert(BOARDS, new_board(unit, window, entrant.definition, segment))
        if board.segment != segment:
            board = unit.tx.put(BOARDS, evolve(board, segment=segment))
        return board


def _segment(unit: Unit, entrant: Entrant) -> str | None:
    """The segment of the player's attempts in the window; `None` where its board is not by segment."""
    if entrant.definition.boards_by != "segment":
        return None
    window_id = entrant.window.window_id
    first = (
        ()
        if entrant.number == 1
        else unit.tx.scan(
            COUNTED,
            entrant.player.player_id,
            entrant.window.event_key,
            start=(window_id,),
            stop=(f"{window_id}~",),
            limit=1,
        )
    )
    # After a merge the first one is that of either of the two who began earlier.
    return first[0].segment if first else segment_of(entrant.definition, entrant.player, entrant.context)


def segment_of(definition: EventDefinition, player: Player, context: JsonObject | None) -> str | None:
    """The segment of a player's first attempt in a window, if it starts now; `None` where the board is not by segment."""
    if definition.boards_by != "segment":
        return None
    key = definition.board.segment
    found = player.country if key == "country" else (context or {}).get(key or "")
    # Not every database can store a null character.
    return found if isinstance(found, str) and len(found) <= _LONGEST_SEGMENT and "\0" not in found else NO_SEGMENT


SOLO: Final = Solo()
