"""The invariants of players: the search finds each player by every word of the shown name, and by no other word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import Get, Scan
from livecore.players.identity import SEARCH_ENTRIES, SEARCH_OF_PLAYER, SearchEntry, search_texts
from livecore.players.player import PLAYERS, Player


def _judge_player(reader: Reader, player: Player) -> Iterator[str]:
    entries = all_under(reader, SEARCH_OF_PLAYER, player.player_id)
    found = {entry.text for entry in entries}
    wanted = set() if player.gone else set(search_texts(player))
    if wanted - found:
        yield "is not found by every word of the shown name"
    if found - wanted:
        yield "is found by words that are not in the shown name"


def _judge_search_entry(reader: Reader, entry: SearchEntry) -> Iterator[str]:
    if reader.get(PLAYERS, (entry.player_id,)) is None:
        yield "finds a player who does not exist"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=PLAYERS, needs=lambda row: [Scan(SEARCH_OF_PLAYER, (row.player_id,))], judge=_judge_player),
    Rule(table=SEARCH_ENTRIES, needs=lambda row: [Get(PLAYERS, (row.player_id,))], judge=_judge_search_entry),
)
