"""Counts what players hold of what another configuration takes away, in both environments, by a bounded number of rows."""

from __future__ import annotations

from functools import partial
from typing import Final

from livecore.access.directory import Game
from livecore.api.configuration.game_config import GameConfig, config_of
from livecore.api.configuration.settings_rows import SettingsTakenAway
from livecore.api.operating.configuring import RunUnit, scopes_of
from livecore.economy.taken_away import ROWS_AT_ONCE, CountedPage, Removed, count_page, fate_of, removed_by
from livecore.kernel.scope import Scope
from livecore.kernel.storage.tables import Key
from livecore.kernel.units.unit import Unit

MOST_THINGS: Final = 100
"""How many of the things that are taken away are counted; who takes away more knows that it concerns everybody."""
MOST_ROWS: Final = 20_000
"""The most rows that are read in each environment. Beyond them each figure is a lower bound, and says so."""


def taken_away(run: RunUnit, game: Game, wanted: GameConfig) -> list[SettingsTakenAway]:
    """Of each thing that players hold and `wanted` does not declare any more: how many players hold how much of it."""
    removed = list(removed_by(config_of(game), wanted))[:MOST_THINGS]
    found: list[SettingsTakenAway] = []
    for scope in scopes_of(game):
        left = MOST_ROWS
        for thing in removed:
            counted, rows = _count(run, game, scope, thing, max(1, left))
            left -= rows
            found += [] if counted is None else [counted]
    return found


def _count(run: RunUnit, game: Game, scope: Scope, thing: Removed, most: int) -> tuple[SettingsTakenAway | None, int]:
    """What players of an environment hold of a thing, and how many rows were read for it."""
    players, amount, rows = set[str](), 0, 0
    after: Key | None = None
    while True:
        limit = min(ROWS_AT_ONCE, most - rows)
        page = run(partial(_page, thing=thing, after=after, limit=limit), scope, game)
        players.update(page.players)
        amount, rows, after = amount + page.amount, rows + page.rows, page.after
        if after is None or rows >= most:
            break
    if not players:
        return None, rows
    more = after is not None
    shown = SettingsTakenAway(
        path=thing.path,
        type=thing.kind,
        key=thing.key,
        environment=scope.environment,
        players=len(players),
        amount=amount,
        at_least=more,
        message=_sentence(thing, scope, len(players), amount, more=more),
    )
    return shown, rows


def _page(unit: Unit, thing: Removed, after: Key | None, limit: int) -> CountedPage:
    return count_page(unit, thing, after, limit)


def _sentence(thing: Removed, scope: Scope, players: int, amount: int, *, more: bool) -> str:
    who = "1 player" if players == 1 and not more else f"{players:,} players"
    hold = "holds" if players == 1 and not more else "hold"
    least = "at least " if more else ""
    return f"{least}{who} in {scope.environment} {hold} {least}{amount:,} of it: {fate_of(thing)}"
