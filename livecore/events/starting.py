"""Starting an attempt: the cost and the attempt are one transaction, and nobody pays twice for one that is running."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from livecore.economy.costs import charge, cost_reads, total_of
from livecore.events.attempt_ending import EXPIRE, end_attempt
from livecore.events.attempt_records import ATTEMPTS, Attempt, is_running
from livecore.events.attempts import newest_at_event, row, running
from livecore.events.definition import EventDefinition
from livecore.events.format import Entrant, EventFormat, formats_of
from livecore.events.refusals import AttemptLimitReached, InsufficientEntryCost
from livecore.events.rows import StartAttempt, Started
from livecore.events.scoring import begun, score_of
from livecore.events.webhook_events import (
    AttemptRestarted,
    AttemptStarted,
    EntryCost,
    EntryCostCharged,
    EntryCostItem,
    EntryCostPart,
)
from livecore.events.window_records import EventWindow, definition_of
from livecore.events.windows import not_active, open_window, require_declared
from livecore.kernel.errors import JsonObject, NotYet
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.storage.records import JsonText, evolve
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire import compact
from livecore.leaderboards.boards import BOARDS, ENTRIES, Leaderboard
from livecore.leaderboards.exclusions import require_not_excluded
from livecore.players.country import with_country
from livecore.players.player import PLAYERS, Player, acting

# -- operations -----------------------------------------------------------------------------------------------------------


def start(unit: Unit, args: StartAttempt) -> tuple[bool, Started] | NotYet:
    """Start an attempt, or give the one that is running; the first value says whether it has just begun.

    The event's formats say who may start, and where the player is ranked. Where a format waits for other players first, the
    attempt begins once they are there; until then nothing is charged, and the answer is that it is not ready yet.

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
    entrant = Entrant(player, window, definition, args.player_context, before, number)
    formats = formats_of(unit, window)
    boards = (one.expected_board(unit, entrant) for one in formats)
    expected = next((board_id for board_id in boards if board_id is not None), None)
    unit.tx.read_all(_further_reads(unit, formats, entrant, expected))
    if expected is not None:
        require_not_excluded(unit, expected, player.player_id)
    most = definition.attempts.max_per_window
    if most is not None and number > most:
        raise AttemptLimitReached(max_attempts=most)
    columns = {name: column for one in formats for name, column in one.admit(unit, entrant).items()}
    if under_way is not None:
        entrant = evolve(entrant, before=end_attempt(unit, player, under_way))
    board = _seated(unit, formats, entrant)
    if isinstance(board, NotYet):
        return board
    require_not_excluded(unit, board.board_id, player.player_id)
    attempt = evolve(_begun(unit, entrant, board), **columns)
    _charge(unit, player, window, definition, attempt)
    _store(unit, player, window, attempt, entrant.before)
    return True, Started(attempt=row(unit, attempt))


def _seated(unit: Unit, formats: Iterable[EventFormat], entrant: Entrant) -> Leaderboard | NotYet:
    """The board on which the first format that seats players lets one begin. Raises `LookupError` where none does."""
    for one in formats:
        board = one.seat(unit, entrant)
        if board is not None:
            return board
    raise LookupError(f"no format of the event {entrant.definition.key} seats a player")


def _further_reads(
    unit: Unit, formats: Iterable[EventFormat], entrant: Entrant, board_id: str | None
) -> Iterator[Read[Any]]:
    """What is read once it is known where an attempt would begin: the board, what the formats read, and what it costs."""
    player_id = entrant.player.player_id
    for one in formats:
        yield from one.reads_to_start(unit, entrant)
    if board_id is not None:
        yield Get(BOARDS, (board_id,))
        yield Get(ENTRIES, (board_id, player_id))
    yield from cost_reads(player_id, total_of(entrant.definition.entry_cost))


def _noted(unit: Unit, player: Player, context: JsonObject | None) -> Player:
    """The player with the context and the country of this request (specification 2.2 and 2.3)."""
    noted = with_country(player, unit.origin, context)
    if context is not None:
        noted = evolve(noted, context=JsonText(compact(dict(context))))
    if noted != player:
        unit.tx.put(PLAYERS, noted)
    return noted


def _begun(unit: Unit, entrant: Entrant, board: Leaderboard) -> Attempt:
    player, window, definition = entrant.player, entrant.window, entrant.definition
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
        number=entrant.number,
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
