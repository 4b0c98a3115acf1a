"""Reads of leaderboards: pages, with the identities of the participants as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.declarations.player_lifecycle import Exported, Slice
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import PageRequest, pack, page_of, unpack
from livecore.kernel.storage.reads import AnyRead, Count, Scan
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.store import StoreConflict
from livecore.kernel.time import Timestamp
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import BY_RANK, ENTRIES_OF_PLAYER, Leaderboard, entries_on
from livecore.leaderboards.participants import (
    Participant,
    ParticipantKind,
    Ranked,
    board_row,
    entry_row,
    participant_read,
    participants_now,
    without_country,
)
from livecore.leaderboards.ranking.order import Place
from livecore.leaderboards.ranking.order import pack as pack_place
from livecore.leaderboards.ranking.rankings import rankings_of
from livecore.leaderboards.refusals import LeaderboardEntryNotFound
from livecore.leaderboards.rows import EntryRow, ExportedEntry, LeaderboardRow
from livecore.leaderboards.standings import Standings, require_short_count, standings
from livecore.players.player import Player, find
from livecore.social.sight import country_shown, friends_among, hides_countries

_CURSOR: Final = (int, int, str)


def entry_rows(unit: Unit, board: Leaderboard, found: Sequence[Ranked]) -> tuple[EntryRow, ...]:
    """Entries as the caller sees them."""
    participants = _participants_of(unit, found)
    if not hides_countries(unit):
        return tuple(map(partial(entry_row, board), found, participants))
    friends = friends_among(unit, (one.player_id for one in participants if isinstance(one, Player)))
    return tuple(map(partial(_row_shown, unit, board, friends), found, participants))


def _participants_of(unit: Unit, found: Sequence[Ranked]) -> list[Participant]:
    seen = participants_now(Areas.of(unit), unit.tx, [ranked.place.participant for ranked in found])
    participants = [participant for participant in seen if participant is not None]
    if len(participants) < len(found):
        # The ranking is of a later state than this transaction: the unit runs again on a newer one.
        raise StoreConflict("a participant is not in this snapshot yet")
    return participants


def _row_shown(
    unit: Unit, board: Leaderboard, friends: frozenset[str], ranked: Ranked, participant: Participant
) -> EntryRow:
    row = entry_row(board, ranked, participant)
    if not isinstance(participant, Player):
        return row
    country = country_shown(unit, participant, friend=participant.player_id in friends)
    return without_country(row) if country is None else row


def page_reads(unit: Unit, board_id: str, limit: int, *, first: bool) -> list[AnyRead]:
    """What a page shows, to be read together with the board: its entries, or the players whom a ranking knows.

    Unless the page is the first, what is on it follows from more than the board. Raises `StillLoading`.
    """
    live = rankings_of(unit).loaded_board(unit.scope, board_id)
    if live is None:
        require_short_count(unit, board_id)
        entries = Scan(BY_RANK, (board_id,), limit=limit + 1)
        return [Count(BY_RANK, (board_id,)), *([entries] if first else [])]
    return [participant_read(Areas.of(unit), place.participant) for place in live.view().first(limit)] if first else []


def page_of_board(
    unit: Unit, board: Leaderboard, *, limit: int, cursor: str | None, around: str | None
) -> tuple[int, tuple[EntryRow, ...], str | None]:
    """How many entries the board has, a page of them, and the cursor of the next page.

    Raises `ValidationFailed` for a cursor that is none or that comes with `around`, and `LeaderboardEntryNotFound`.
    """
    if around is not None and cursor is not None:
        raise ValidationFailed({"cursor": "cannot be given together with 'around'"})
    place = _place_of_cursor(cursor)
    seen, size = standings(unit, board.board_id), board.entry_count
    if around is not None:
        part = seen.around(_own_place(unit, board, seen, around), limit)
        size = part.size if size is None else size
        found, more = part.entries, bool(part.entries) and part.entries[-1].rank < size
    else:
        part = seen.first(limit + 1, size) if place is None else seen.after(place, limit + 1, size)
        size = part.size
        found, more = part.entries[:limit], len(part.entries) > limit
    following = pack(tuple(found[-1].place)) if found and more else None
    return size, entry_rows(unit, board, found), following


def _place_of_cursor(cursor: str | None) -> Place | None:
    """The place that a cursor names. Raises `ValidationFailed` for one that no board can have."""
    beyond = unpack(cursor, _CURSOR)
    if beyond is None:
        return None
    place = Place(*beyond)  # type: ignore[arg-type] # unpack has checked the types
    try:
        pack_place(place)
    except ValueError:
        raise ValidationFailed({"cursor": "is not a cursor of this list"}) from None
    return place


def _own_place(unit: Unit, board: Leaderboard, seen: Standings, external_id: str) -> Place:
    player = find(unit, external_id)
    place = None if player is None else _place_around(unit, board, seen, player)
    if place is None:
        raise LeaderboardEntryNotFound.of(external_id)
    return place


def _place_around(unit: Unit, board: Leaderboard, seen: Standings, player: Player) -> Place | None:
    """Where a player stands, or, on a board of teams, the player's team."""
    if board.participants == "player":
        return _place_of_player(unit, board, seen, player)
    kinds = Areas.of(unit).provided(ParticipantKind)
    standing = (kind.standing_for(unit, board, player) for kind in kinds)
    participant = next((one for one in standing if one is not None), None)
    return None if participant is None else seen.place(participant)


def _place_of_player(unit: Unit, board: Leaderboard, seen: Standings, player: Player) -> Place | None:
    """Where a player stands; on a final board also with the entry of somebody who was merged into the player since."""
    place = seen.place(player.player_id)
    if place is not None or board.finalized_at is None:
        return place
    found = unit.tx.scanned(entries_on(board.board_id, player.player_id))
    places = seen.places([entry.participant for entry in found])
    return min((place for place in places if place is not None), default=None)


def shown_board(board: Leaderboard, size: int) -> LeaderboardRow:
    """A leaderboard with so many entries as clients see it: one of a period that is open begins anew at its end."""
    resets = board.kind == "shared" and board.finalized_at is None
    return board_row(board, size, next_reset_at=board.ends_at if resets else None)


def exported_entries(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for entries on leaderboards, by the boards' ids."""
    page = PageRequest(wanted.limit, unpack(wanted.cursor, (str, str)))
    found = unit.tx.scan(ENTRIES_OF_PLAYER, player_id, after=page.beyond, limit=page.reach)
    entries, following = page_of(found, page, ENTRIES_OF_PLAYER.position_of)
    rows = (
        ExportedEntry(leaderboard_id=entry.board_id, score=entry.score, reached_at=Timestamp(entry.reached_at))
        for entry in entries
        if entry.sort_key is not None
    )
    return Exported(tuple(rows), following)
