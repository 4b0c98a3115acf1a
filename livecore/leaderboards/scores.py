"""Scores on shared leaderboards: from the player's client, from the studio's backend, or fed by an event.

A score is taken by the leaderboard's aggregation and judged by its validators. The rate of a write is measured since the
player's previous write on the same board, or, for the first one, since the period began.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from livecore.kernel.errors import RecordedRefusal, ValidationFailed
from livecore.kernel.storage.reads import Get, Read
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.kernel.wire.shapes import MAX_AMOUNT
from livecore.leaderboards.boards import BoardEntry, Leaderboard, entry_of, place_of, remove_entry, write_entry
from livecore.leaderboards.config import leaderboards_config
from livecore.leaderboards.definition import LeaderboardDefinition
from livecore.leaderboards.divisions import MEMBERSHIPS
from livecore.leaderboards.entering import OwnBoard, board_for, boards_for, enter
from livecore.leaderboards.exclusions import exclude, is_excluded, removal, require_not_excluded
from livecore.leaderboards.participants import Ranked, entry_row, score_at
from livecore.leaderboards.periods import (
    Period,
    Present,
    declared,
    definition_of,
    find_all_present,
    present,
    present_reads,
)
from livecore.leaderboards.refusals import ScoreSourceForbidden
from livecore.leaderboards.rejections import note_score
from livecore.leaderboards.rollover import ensure
from livecore.leaderboards.rows import EntryRemoved, RemoveEntry, Standing, SubmitScore, Submitted
from livecore.leaderboards.scoring import applied, fault_of
from livecore.leaderboards.standings import Standings, standings_of
from livecore.leaderboards.validators import Finding, Sample, judged, rejecting
from livecore.players.country import with_country
from livecore.players.player import PLAYERS, Player, acting

_SCORE: Final = "score"
_OF_CLIENTS: Final = frozenset({"client"})
_OF_SERVERS: Final = frozenset({"client", "server"})


@value
class _Score:
    """A score that a player's board may take: the board, the entry before it, and what the entry becomes."""

    own: OwnBoard
    before: BoardEntry | None
    after: int
    findings: tuple[Finding, ...]

    @property
    def rejection(self) -> Finding | None:
        """What a validator rejects."""
        return rejecting(self.findings)


# -- requests -------------------------------------------------------------------------------------------------------------


def submit_own(unit: Unit, args: SubmitScore) -> Submitted | RecordedRefusal:
    """Take a score from the player's client.

    Refusals, in order: `LeaderboardNotFound`, `ScoreSourceForbidden`, `ExcludedFromBoard`, `ValidationFailed` for a score
    that the aggregation cannot take, `AntiCheatRejected`, which is kept for the period.
    """
    return _submit(unit, args, _OF_CLIENTS, by_player=True)


def submit_as_server(unit: Unit, args: SubmitScore) -> Submitted | RecordedRefusal:
    """Take a score from the studio's backend; the refusals are those of `submit_own`."""
    return _submit(unit, args, _OF_SERVERS, by_player=False)


def _submit(unit: Unit, args: SubmitScore, sources: Collection[str], *, by_player: bool) -> Submitted | RecordedRefusal:
    player = acting(unit)
    seen = present(unit, args.key)
    definition = _as_declared(seen)
    if definition.source not in sources:
        raise ScoreSourceForbidden
    own = board_for(unit, seen.period, player.player_id)
    board = own.board
    if own.is_member:
        require_not_excluded(unit, board.board_id, player.player_id)
    score = _judged(unit, own, definition, args.score)
    if score.rejection is not None:
        return note_score(unit, seen.period, player.player_id, score.rejection)
    if by_player and score.before is None:
        player = _joining(unit, player)
    ranks = standings_of(unit, board, is_stored=own.is_stored)
    previous = None if score.before is None else _standing(ranks, board, score.before)
    place = place_of(_written(unit, player, ensure(unit, seen), score))
    assert place is not None  # noqa: S101 - it has just been written
    return Submitted(entry=entry_row(board, Ranked(ranks.rank(place), place), player), previous=previous)


def _joining(unit: Unit, player: Player) -> Player:
    """The player, who joins a leaderboard, with the country of this request (specification 2.2)."""
    noted = with_country(player, unit.origin)
    if noted != player:
        unit.tx.put(PLAYERS, noted)
    return noted


def _standing(ranks: Standings, board: Leaderboard, entry: BoardEntry) -> Standing | None:
    """Where an entry stands: rank and score of one state, which in another process may be the one before the row's."""
    found, place = ranks.standing(entry.participant), place_of(entry)
    if found is None and place is not None:
        found = Ranked(ranks.rank(place), place)
    return None if found is None else Standing(rank=found.rank, score=score_at(board, found.place))


def remove_shared_entry(unit: Unit, args: RemoveEntry) -> EntryRemoved:
    """Take the player off the present period of a leaderboard. Raises `LeaderboardNotFound`.

    Who is excluded enters the period for that: the exclusion is of the board on which the player would stand.
    """
    player = acting(unit)
    seen = present(unit, args.key)
    own = board_for(unit, seen.period, player.player_id)
    board = own.board
    if args.exclude:
        period = ensure(unit, seen)
        if not own.is_member:
            enter(unit, period, own, player.player_id)
    entry = entry_of(unit, board.board_id, player.player_id) if own.is_member else None
    unit.change = removal(unit, board.board_id, player.player_id, excludes=args.exclude)
    if args.exclude:
        exclude(unit, board.board_id, player.player_id)
    elif entry is not None:
        remove_entry(unit, entry)
    return EntryRemoved(removed=entry is not None)


# -- events ---------------------------------------------------------------------------------------------------------------


@value
class Feeding:
    """What an attempt's score adds to the leaderboards that it feeds, judged and not written yet."""

    taken: tuple[tuple[Present, _Score], ...]
    rejection: Finding | None
    """What a validator of one of them rejects."""


_FEEDS_NOTHING: Final = Feeding((), None)


def feeding_reads(unit: Unit, player_id: str, event_key: str) -> list[Read[Any]]:
    """What `to_feed` reads first, of all leaderboards that an event feeds."""
    keys = leaderboards_config(unit).fed_by(event_key)
    if not keys:
        return []
    return [*present_reads(keys), *(Get(MEMBERSHIPS, (key, player_id)) for key in keys)]


def to_feed(unit: Unit, player: Player, event_key: str, value: int, *, judged: bool = True) -> Feeding:
    """What is to be passed to the leaderboards that an event feeds: what is added to its score metric, or its value.

    A leaderboard that adds leaves out a value below 0, and its sums stay at 2^53 - 1. One from which the player is excluded
    gets nothing, and the attempt goes on. Without `judged` no validator is asked.
    """
    keys = leaderboards_config(unit).fed_by(event_key)
    if not keys:
        return _FEEDS_NOTHING
    taken: list[tuple[Present, _Score]] = []
    fed = find_all_present(unit, keys)
    takes = [
        seen for seen in fed if seen is not None and (value >= 0 or definition_of(seen.period).aggregation != "sum")
    ]
    boards = boards_for(unit, [seen.period for seen in takes], player.player_id)
    for seen, own in zip(takes, boards, strict=True):
        if own.is_member and is_excluded(unit, own.board.board_id, player.player_id):
            continue
        definition = _as_declared(seen) if judged else None
        taken.append((seen, _judged(unit, own, definition, value, clamped=True)))
    found = (score.rejection for _, score in taken if score.rejection is not None)
    return Feeding(tuple(taken), next(found, None))


def feed(unit: Unit, player: Player, feeding: Feeding) -> None:
    """Write what was judged, and not rejected."""
    for seen, score in feeding.taken:
        _written(unit, player, ensure(unit, seen), score)


# -- one score ------------------------------------------------------------------------------------------------------------


def _as_declared(seen: Present) -> LeaderboardDefinition:
    """The declaration of this moment, which says who may give scores and which validators judge them."""
    return declared(seen.leaderboard) or definition_of(seen.period)


def _judged(
    unit: Unit, own: OwnBoard, definition: LeaderboardDefinition | None, given: int, *, clamped: bool = False
) -> _Score:
    """What a score makes of the player's entry, and what the validators of `definition` say to it, if that is given.

    With `clamped` a sum stays at the largest number that there can be.

    Raises `ValidationFailed`.
    """
    period, row = own.period, own.entry
    before = None if row is None or row.sort_key is None else row
    held = None if before is None else before.score
    aggregation = definition_of(period).aggregation
    if aggregation == "sum" and clamped:
        given = min(given, MAX_AMOUNT - (held or 0))
    fault = fault_of(aggregation, held, given)
    if fault is not None:
        raise ValidationFailed({_SCORE: fault})
    after = applied(aggregation, held, given)
    since = period.starts_at if row is None else row.written_at
    sample = Sample(
        metric=_SCORE,
        before=0 if held is None and aggregation == "sum" else held,
        after=after,
        gained=given if aggregation == "sum" else after - (held or 0),
        elapsed=max(0, unit.now - since),
        at_least=1,
    )
    findings = () if definition is None else tuple(judged(definition.validators, {_SCORE: sample}, _SCORE))
    return _Score(own, before, after, findings)


def _written(unit: Unit, player: Player, period: Period, score: _Score) -> BoardEntry:
    own = score.own
    if not own.is_member:
        enter(unit, period, own, player.player_id)
    return write_entry(unit, own.board, player, score.after, flagged=bool(score.findings), is_first=not own.is_member)
