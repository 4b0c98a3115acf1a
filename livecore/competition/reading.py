"""Reads of leaderboards: pages, with the identities of the participants as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from livecore.competition.board_rows import EntryRow, ExportedEntry, LeaderboardRow
from livecore.competition.boards import ENTRIES_OF_PLAYER, Leaderboard
from livecore.competition.ranks import Ranked, Standings, standings
from livecore.competition.refusals import LeaderboardEntryNotFound
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.paging import Page, pack, page_of, unpack
from livecore.kernel.player_lifecycle import Exported, Slice
from livecore.kernel.ranking import Place
from livecore.kernel.records import PlayerId
from livecore.kernel.shapes import Timestamp
from livecore.kernel.time import Millis, stamp
from livecore.kernel.unit import Unit
from livecore.players.identity import anonymized, display
from livecore.players.player import PLAYERS, Player, by_id, find

__all__ = [
    "board_row",
    "entry_row",
    "entry_rows",
    "exported_entries",
    "page_of_board",
    "place_of_player",
    "score_at",
    "size_of",
]

_CURSOR: Final = (int, int, str)


def score_at(board: Leaderboard, place: Place) -> int:
    """The score of a place on a board."""
    return -place.sort_key if board.order == "desc" else place.sort_key


def board_row(board: Leaderboard, entry_count: int, *, next_reset_at: Millis | None = None) -> LeaderboardRow:
    """A leaderboard as clients see it."""
    return LeaderboardRow(
        leaderboard_id=board.board_id,
        key=board.key,
        name=board.name,
        event_key=board.key if board.kind == "event" else None,
        event_window_id=board.window_id,
        lobby_id=None,
        segment=board.segment,
        division=board.division,
        cohort=board.cohort,
        participant_scope="player",
        status="open" if board.finalized_at is None else "finalized",
        order=board.order,
        starts_at=Timestamp(board.starts_at),
        ends_at=stamp(board.ends_at),
        next_reset_at=stamp(next_reset_at),
        entry_count=entry_count,
    )


def entry_row(board: Leaderboard, ranked: Ranked, player: Player) -> EntryRow:
    """A player's entry as clients see it."""
    shown, synthetic = display(player), anonymized(player)
    return EntryRow(
        rank=ranked.rank,
        player_id=player.player_id,
        external_player_id=player.external_id,
        name=shown.name,
        avatar=shown.avatar,
        anonymized_name=synthetic.name,
        anonymized_avatar=synthetic.avatar,
        country=player.country,
        score=score_at(board, ranked.place),
        reached_at=Timestamp(ranked.place.reached_at),
        is_bot=False,
    )


def entry_rows(unit: Unit, board: Leaderboard, found: Sequence[Ranked]) -> tuple[EntryRow, ...]:
    """Entries as clients see them."""
    unit.tx.prefetch((PLAYERS, (ranked.place.participant,)) for ranked in found)
    return tuple(entry_row(board, ranked, _player_now(unit, ranked.place.participant)) for ranked in found)


def _player_now(unit: Unit, player_id: str) -> Player:
    """The player with this id, or whom that player was merged into."""
    player = by_id(unit, player_id)
    return player if player.merged_into is None else by_id(unit, player.merged_into)


def page_of_board(
    unit: Unit, board: Leaderboard, *, limit: int, cursor: str | None, around: str | None
) -> tuple[Standings, tuple[EntryRow, ...], str | None]:
    """The standings, a page of them, and the cursor of the next page.

    Raises `ValidationFailed` for a cursor that is none or that comes with `around`, and `LeaderboardEntryNotFound`.
    """
    if around is not None and cursor is not None:
        raise ValidationFailed({"cursor": "cannot be given together with 'around'"})
    beyond = unpack(cursor, _CURSOR)
    seen = standings(unit, board.board_id)
    if around is not None:
        found = seen.around(_own_place(unit, board, seen, around), limit)
        more = bool(found) and found[-1].rank < size_of(board, seen)
    else:
        place = None if beyond is None else Place(*beyond)  # type: ignore[arg-type] # unpack has checked the types
        found = seen.first(limit + 1) if place is None else seen.after(place, limit + 1)
        found, more = found[:limit], len(found) > limit
    following = pack(tuple(found[-1].place)) if found and more else None
    return seen, entry_rows(unit, board, found), following


def _own_place(unit: Unit, board: Leaderboard, seen: Standings, external_id: str) -> Place:
    player = find(unit, external_id)
    place = None if player is None else place_of_player(unit, board, seen, player)
    if place is None:
        raise LeaderboardEntryNotFound
    return place


def place_of_player(unit: Unit, board: Leaderboard, seen: Standings, player: Player) -> Place | None:
    """Where a player stands; on a final board also with the entry of somebody who was merged into the player since."""
    place = seen.place(player.player_id)
    if place is not None or board.finalized_at is None:
        return place
    start, stop = (board.board_id,), (f"{board.board_id}~",)
    found = unit.tx.scan(ENTRIES_OF_PLAYER, player.player_id, start=start, stop=stop)
    places = [seen.place(entry.participant) for entry in found]
    return min((place for place in places if place is not None), default=None)


def size_of(board: Leaderboard, seen: Standings) -> int:
    """How many entries a board has."""
    return seen.size() if board.entry_count is None else board.entry_count


def exported_entries(unit: Unit, player_id: PlayerId, wanted: Slice) -> Exported:
    """The part of an export for entries on leaderboards, by the boards' ids."""
    page = Page(wanted.limit, unpack(wanted.cursor, (str, str)))
    found = unit.tx.scan(ENTRIES_OF_PLAYER, player_id, after=page.beyond, limit=page.reach)
    entries, following = page_of(found, page, ENTRIES_OF_PLAYER.place_of)
    rows = (
        ExportedEntry(leaderboard_id=entry.board_id, score=entry.score, reached_at=Timestamp(entry.reached_at))
        for entry in entries
        if entry.sort_key is not None
    )
    return Exported(tuple(rows), following)
