"""The invariants of the directory: each game has its studio, and each key its game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.access.directory import API_KEYS, GAMES, STUDIOS, ApiKey, Game
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import Get


def _judge_game(reader: Reader, game: Game) -> Iterator[str]:
    if reader.get(STUDIOS, (game.studio_id,)) is None:
        yield "belongs to a studio that does not exist"


def _judge_key(reader: Reader, key: ApiKey) -> Iterator[str]:
    if reader.get(GAMES, (key.game_id,)) is None:
        yield "belongs to a game that does not exist"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=GAMES, needs=lambda row: [Get(STUDIOS, (row.studio_id,))], judge=_judge_game),
    Rule(table=API_KEYS, needs=lambda row: [Get(GAMES, (row.game_id,))], judge=_judge_key),
)
