"""Starting an attempt: the cost and the attempt are one transaction, and nobody pays twice for one that is running.

Where leaderboards are by segment, all attempts of a player in a window are on that of the first one, whatever context the
game sends later; otherwise one player could lead every segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from livecore.competition.attempts import (
    ATTEMPTS,
    Attempt,
    first_in_window,
    is_running,
    newest_at_event,
    row,
    running,
)
from livecore.competition.boards import BOARDS, ENTRIES, BoardEntry, Leaderboard
from livecore.competition.ending import EXPIRE, expire
from livecore.competition.event_boards import board_for, board_of_lobby, segment_of
from livecore.competition.event_config import EventDefinition
from livecore.competition.event_rows import StartAttempt, Started
from livecore.competition.exclusions import require_not_excluded
from livecore.competition.refusals import AttemptLimitReached, InsufficientEntryCost
from livecore.competition.scoring import begun, score_of
from livecore.competition.webhook_events import (
    AttemptRestarted,
    AttemptStarted,
    EntryCost,
    EntryCostCharged,
    EntryCostItem,
    EntryCostPart,
)
from livecore.competition.windows import (
    EventWindow,
    board_id_in,
    definition_of,
    not_active,
    open_window,
    require_declared,
)
from livecore.economy.costs import charge, cost_reads, total_of
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.kernel.wire.shapes import Timestamp
from livecore.lobbies.lobby import LOBBIES
from livecore.lobbies.matching import seat, seating_reads
from livecore.lobbies.refusals import LobbyForming
from livecore.lobbies.sessions import attempt_ended
from livecore.players.country import with_country
from livecore.players.player import PLAYERS, Player, acting
from livecore.teams.contributing import require_seat
from livecore.teams.team import held_seat_read

__all__ = ["start"]


# -- operations -----------------------------------------------------------------------------------------------------------


def start(unit: Unit, args: StartAttempt) -> tuple[bool, Started] | LobbyForming:
    """Start an attempt, or give the one that is running; the first value says whether it has just begun.

    At an event with lobbies the player takes a seat first, and the attempt begins once the lobby has started; until then
    nothing is charged, and the answer is `LobbyForming`.

    Refusals, in order: `EventNotFound`, `EventNotActive`, `ExcludedFromBoard`, `AttemptLimitReached`, `TeamRequired`,
    `AttemptFrozen`, `InsufficientEntryCost`.
    """
    require_declared(unit, args.key)
    window = open_window(unit, args.key)
    if window is None:
        raise not_active(unit, args.key)
    player = _noted(unit, acting(unit), args.player_context)
    under_way = running(unit, player.player_id).get(window.window_id)
    if under_way is not None and is_running(under_way, window, unit.now):
        return False, Started(attempt=row(unit, under_way))
    definition = definition_of(window)
    newest = newest_at_event(unit, player.player_id, args.key)
    before = newest if newest is not None and newest.window_id == window.window_id else None
    number = 1 if before is None else before.number + 1
    segment = _segment(unit, player, window, definition, args.player_context, number)
    own_board_id = _board_id(unit, window, definition, segment, before)
    lobby_reads = (
        () if definition.lobby is None else seating_reads(unit, player, window, definition, args.player_context)
    )
    unit.tx.read_all([*lobby_reads, *_further_reads(player.player_id, window, definition, own_board_id, before)])
    if own_board_id is not None:
        require_not_excluded(unit, own_board_id, player.player_id)
    most = definition.attempts.max_per_window
    if most is not None and number > most:
        raise AttemptLimitReached(max_attempts=most)
    team_seat = require_seat(unit, player.player_id, window.window_id, definition)
    if under_way is not None:
        before = expire(unit, player, under_way)
        attempt_ended(unit, before, "expired")
    lobby = None if definition.lobby is None else seat(unit, player, window, definition, args.player_context)
    if isinstance(lobby, LobbyForming):
        return lobby
    if lobby is not None:
        unit.tx.read_all(_board_reads(lobby.board_id, player.player_id))
    board = board_for(unit, window, definition, segment) if lobby is None else board_of_lobby(unit, lobby)
    require_not_excluded(unit, board.board_id, player.player_id)
    attempt = _begun(unit, player, window, definition, board, number)
    if team_seat is not None:
        attempt = evolve(attempt, team_id=team_seat.team_id)
    _charge(unit, player, window, definition, attempt)
    _store(unit, player, window, attempt, before)
    return True, Started(attempt=row(unit, attempt))


def _further_reads(
    player_id: str, window: EventWindow, definition: EventDefinition, board_id: str | None, before: Attempt | None
) -> Iterator[Read[Any]]:
    """What is read once it is known where an attempt would begin: the board, the player's seats, and what it costs."""
    if board_id is not None:
        yield from _board_reads(board_id, player_id)
    if definition.teams is not None:
        yield held_seat_read(player_id, window.window_id)
    if before is not None and before.lobby_id is not None:
        yield Get(LOBBIES, (before.lobby_id,))
    yield from cost_reads(player_id, total_of(definition.entry_cost))


def _board_reads(board_id: str, player_id: str) -> tuple[Get[Leaderboard], Get[BoardEntry]]:
    return Get(BOARDS, (board_id,)), Get(ENTRIES, (board_id, player_id))


def _segment(
    unit: Unit,
    player: Player,
    window: EventWindow,
    definition: EventDefinition,
    context: JsonObject | None,
    number: int,
) -> str | None:
    """The segment of the player's attempts in a window, of which this is to be the one with a number."""
    first = None if number == 1 else first_in_window(unit, player.player_id, window)
    return segment_of(definition, player, context) if first is None else first.segment


def _board_id(
    unit: Unit, window: EventWindow, definition: EventDefinition, segment: str | None, before: Attempt | None
) -> str | None:
    """The board on which the player's next attempt would be, as far as that is known: with lobbies, that of the last one."""
    if definition.boards_by == "lobby":
        return None if before is None else before.board_id
    return board_id_in(unit, window.window_id, window.starts_at, segment)


def _noted(unit: Unit, player: Player, context: JsonObject | None) -> Player:
    """The player with the context and the country of this request (specification 2.2 and 2.3)."""
    noted = with_country(player, unit.origin, context)
    if context is not None:
        noted = evolve(noted, context=JsonText(compact(dict(context))))
    if noted != player:
        unit.tx.put(PLAYERS, noted)
    return noted


def _begun(
    unit: Unit,
    player: Player,
    window: EventWindow,
    definition: EventDefinition,
    board: Leaderboard,
    number: int,
) -> Attempt:
    lasts = definition.attempts.duration_seconds
    metrics = begun(definition.metrics)
    return Attempt(
        attempt_id=unit.new_id("att"),
        player_id=player.player_id,
        event_key=window.event_key,
        event_id=window.event_id,
        window_id=window.window_id,
        board_id=board.board_id,
        lobby_id=board.lobby_id,
        segment=board.segment,
        number=number,
        metrics=JsonText(compact(dict(metrics))),
        score=score_of(definition, metrics),
        started_at=unit.now,
        ends_at=window.ends_at if lasts is None else min(window.ends_at, unit.now + lasts * 1_000),
    )


def _charge(unit: Unit, player: Player, window: EventWindow, definition: EventDefinition, attempt: Attempt) -> None:
    """Take the whole cost. Raises `InsufficientEntryCost` for the first resource that lacks."""
    cost = total_of(definition.entry_cost)
    charge(unit, player, cost, reason="entry_cost", source_ref_id=attempt.attempt_id, refusal=InsufficientEntryCost)
    if cost:
        unit.emit(
            EntryCostCharged(
                event_id=window.event_id,
                event_key=window.event_key,
                event_window_id=window.window_id,
                player_id=player.player_id,
                external_player_id=player.external_id,
                cost=EntryCost(
                    currencies=tuple(
                        EntryCostPart(key=asset.key, amount=needed)
                        for asset, needed in cost
                        if asset.kind == "currency"
                    ),
                    items=tuple(
                        EntryCostItem(key=asset.key, quantity=needed) for asset, needed in cost if asset.kind == "item"
                    ),
                ),
            )
        )


def _store(unit: Unit, player: Player, window: EventWindow, attempt: Attempt, before: Attempt | None) -> None:
    unit.tx.insert(ATTEMPTS, attempt)
    if attempt.ends_at < window.ends_at:
        unit.schedule(EXPIRE, attempt.attempt_id, attempt.ends_at, fresh=True)
    unit.emit(
        AttemptStarted(
            attempt_id=attempt.attempt_id,
            event_id=attempt.event_id,
            event_key=attempt.event_key,
            event_window_id=attempt.window_id,
            leaderboard_id=attempt.board_id,
            player_id=player.player_id,
            external_player_id=player.external_id,
            started_at=Timestamp(attempt.started_at),
            ends_at=Timestamp(attempt.ends_at),
            attempt_count=attempt.number,
        )
    )
    if before is not None:
        unit.emit(
            AttemptRestarted(
                attempt_id=attempt.attempt_id,
                prior_attempt_id=before.attempt_id,
                prior_score=before.score,
                prior_status="completed" if before.status == "completed" else "expired",
                event_id=attempt.event_id,
                event_key=attempt.event_key,
                event_window_id=attempt.window_id,
                leaderboard_id=attempt.board_id,
                player_id=player.player_id,
                external_player_id=player.external_id,
            )
        )
