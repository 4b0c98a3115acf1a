"""Bots: how they fill a lobby, and how their scores come onto its board.

A bot stands on the board like a player. Its moves are written there as due work, one row of work for each lobby, and before
anything else is written on that board; so a rank in an answer is never behind a move. Bots move no longer than the session
of their lobby goes on and its window is open, however late their work runs; every move before that end has been written when
the board is final.
"""

from __future__ import annotations

from typing import Final

from livecore.events.window_records import WINDOWS, EventWindow, definition_of
from livecore.kernel.entropy import Entropy, derive_seed
from livecore.kernel.storage.reads import Get
from livecore.kernel.time import Millis
from livecore.kernel.units.due import DUE, DueWork
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BOARDS, ENTRIES, write_bot_entry
from livecore.lobbies.bot_scores import moves, next_move, score_after
from livecore.lobbies.config import BotRules, bots_of
from livecore.lobbies.lobby import BOTS, LOBBIES, Bot, Lobby, bot_id_of
from livecore.lobbies.session_rules import frozen_since
from livecore.lobbies.webhook_events import LobbyBot, LobbyBotFilled
from livecore.players.config import players_config
from livecore.players.pool import compose
from livecore.players.rows import LONGEST_NAME

MOVE: Final = "lobbies.move_bots"
"""Due work: write the moves of the bots of the lobby whose id it is about."""


def fill(unit: Unit, lobby: Lobby, rules: BotRules, count: int) -> None:
    """Seat bots in a lobby, and emit who they are."""
    entropy = Entropy(derive_seed(bytes.fromhex(lobby.seed), "names", 0))
    names = _names(unit, rules, entropy, count)
    bots = [
        unit.tx.insert(
            BOTS, Bot(bot_id=bot_id_of(lobby, number), lobby_id=lobby.lobby_id, number=number, name=name, avatar=avatar)
        )
        for number, (name, avatar) in enumerate(names)
    ]
    unit.emit(
        LobbyBotFilled(
            lobby_id=lobby.lobby_id,
            leaderboard_id=lobby.board_id,
            bot_count=len(bots),
            bots=tuple(LobbyBot(id=bot.bot_id, bot_id=f"bot-{bot.number + 1}", name=bot.name) for bot in bots),
        )
    )


def _names(unit: Unit, rules: BotRules, entropy: Entropy, count: int) -> list[tuple[str, str | None]]:
    """The names and pictures of bots: of the declared names each once before any is repeated."""
    composed = [compose(players_config(unit), entropy) for _ in range(count)]
    if rules.names is None:
        return composed
    order = entropy.weighted_sample(rules.names, [1.0] * len(rules.names), len(rules.names))
    return [
        (_repeated(order[number % len(order)], number // len(order)), avatar)
        for number, (_, avatar) in enumerate(composed)
    ]


def _repeated(name: str, times: int) -> str:
    """A name that was given before has a number; it is cut if it would be longer than names may be."""
    number = f" {times + 1}"
    return name if times == 0 else f"{name[: LONGEST_NAME - len(number)].rstrip()}{number}"


def _moving_until(lobby: Lobby, window: EventWindow, now: Millis) -> Millis:
    """The last moment until `now` at which the bots of a lobby may move; the moment at which a session ends is one."""
    frozen_at = frozen_since(lobby, window, now)
    return min(now, window.ends_at - 1, now if frozen_at is None else frozen_at)


def move_bots(unit: Unit, lobby: Lobby, window: EventWindow) -> None:
    """Write the moves of a lobby's bots that have not been written yet, and schedule the next ones.

    No bot moves before its lobby has started, and none on a board that is final.
    """
    board, definition = unit.tx.get(BOARDS, lobby.board_id), definition_of(window)
    rules = bots_of(definition)
    if rules is None or board is None or board.finalized_at is not None or lobby.started_at is None or not lobby.bots:
        return
    elapsed = _moving_until(lobby, window, unit.now) - lobby.started_at
    ids = [bot_id_of(lobby, number) for number in range(lobby.bots)]
    # What is scheduled for the bots is replaced after that.
    entries, _ = unit.tx.read_lists(
        (Get(ENTRIES, (board.board_id, bot_id)) for bot_id in ids), [next_move_of(lobby.lobby_id)]
    )
    following: list[Millis] = []
    for number, (bot_id, entry) in enumerate(zip(ids, entries, strict=True)):
        made = moves(rules.score_at, definition.order, lobby.seed, number)
        last, later = score_after(made, elapsed), next_move(made, elapsed)
        if last is not None and (entry is None or entry.score < last.score):
            write_bot_entry(unit, board, bot_id, last.score, lobby.started_at + last.after)
        if later is not None:
            following.append(lobby.started_at + later)
    _schedule(unit, lobby, window, following)


def _schedule(unit: Unit, lobby: Lobby, window: EventWindow, following: list[Millis]) -> None:
    at = min(following, default=None)
    if at is None or _moving_until(lobby, window, at) < at:
        unit.cancel(MOVE, lobby.lobby_id)
    else:
        unit.schedule(MOVE, lobby.lobby_id, at)


def next_move_of(lobby_id: str) -> Get[DueWork]:
    """The read of the work that moves the bots of a lobby next."""
    return Get(DUE, (MOVE, lobby_id))


def catch_up(unit: Unit, lobby_id: str, window: EventWindow) -> None:
    """Write the moves that are due and have not been written yet."""
    work = next_move_of(lobby_id).made_by(unit.tx)
    lobby = None if work is None or work.due_at > unit.now else unit.tx.get(LOBBIES, lobby_id)
    if lobby is not None:
        move_bots(unit, lobby, window)


def stop(unit: Unit, lobby_id: str) -> None:
    """Have the bots of a lobby move no more."""
    unit.cancel(MOVE, lobby_id)


def move_due(unit: Unit, lobby_id: str) -> None:
    """Write the moves of a lobby's bots, as due work."""
    lobby = unit.tx.get(LOBBIES, lobby_id)
    window = None if lobby is None else unit.tx.get(WINDOWS, lobby.window_id)
    if lobby is not None and window is not None and lobby.status == "active":
        move_bots(unit, lobby, window)
