"""The invariant of merges: all rows of the source belong to the target, and none names the source any more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.player_tools.walking import still_named
from livecore.players.player import PLAYERS, Player


def rules_over(areas: Areas) -> tuple[Rule[Any], ...]:
    """The rule about merged players, over the tables of all these areas."""
    return (Rule(table=PLAYERS, needs=lambda _: (), judge=partial(_judge_merged, areas)),)


def _judge_merged(areas: Areas, reader: Reader, player: Player) -> Iterator[str]:
    if player.merged_into is None:
        return
    target = reader.get(PLAYERS, (player.merged_into,))
    if target is None or target.merged_into is not None:
        yield "was merged into a player who does not exist"
    for table, column in still_named(areas, reader, player.player_id):
        yield f"was merged into another player, and {table.name}.{column} still names them"
