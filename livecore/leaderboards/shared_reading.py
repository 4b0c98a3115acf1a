"""Reads of shared leaderboards: pages of a period, a player's own entry, and those of the player's friends."""

from __future__ import annotations

from livecore.kernel.storage.paging import PageRequest
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.board_pages import entry_rows, page_of_board, page_reads, shown_board
from livecore.leaderboards.divisions import named_board
from livecore.leaderboards.entering import board_for
from livecore.leaderboards.participants import entry_row
from livecore.leaderboards.periods import present, previous
from livecore.leaderboards.rows import (
    FriendsOnBoard,
    GetLeaderboard,
    GetOwnEntry,
    LeaderboardPage,
    ListFriendsOnBoard,
    OwnEntry,
)
from livecore.leaderboards.standings import standings_of
from livecore.players.player import acting
from livecore.social.graph import friends
from livecore.social.relations import other_id


def get_leaderboard(unit: Unit, args: GetLeaderboard) -> LeaderboardPage:
    """A page of a leaderboard's present or previous period.

    Refusals, in order: `LeaderboardNotFound`, `LeaderboardPeriodNotFound`, `ValidationFailed` for a division, a cohort or a
    cursor that does not exist and for `around` with a cursor, `LeaderboardEntryNotFound`.
    """
    seen = present(unit, args.key)
    period = seen.period if args.period == "current" else previous(seen)
    first = args.cursor is None and args.around is None
    board = named_board(
        unit, period, args.division, args.cohort, lambda board_id: page_reads(unit, board_id, args.limit, first=first)
    )
    size, entries, following = page_of_board(unit, board, limit=args.limit, cursor=args.cursor, around=args.around)
    return LeaderboardPage(leaderboard=shown_board(board, size), entries=entries, next_cursor=following)


def get_own(unit: Unit, args: GetOwnEntry) -> OwnEntry:
    """The player's entry in the present period; the leaderboard is that of their own division and cohort.

    Raises `LeaderboardNotFound`.
    """
    player = acting(unit)
    own = board_for(unit, present(unit, args.key).period, player.player_id)
    board, seen = own.board, standings_of(unit, own.board, is_stored=own.is_stored)
    place = seen.place(player.player_id)
    found = seen.ranked([] if place is None else [place], board.entry_count)
    entry = entry_row(board, found.entries[0], player) if found.entries else None
    return OwnEntry(leaderboard=shown_board(board, found.size), entry=entry)


def list_friends_on_board(unit: Unit, args: ListFriendsOnBoard) -> FriendsOnBoard:
    """The entries of the player and their friends on the player's own board, the best first, at most `limit`.

    Raises `LeaderboardNotFound`.
    """
    player = acting(unit)
    me = player.player_id
    own = board_for(unit, present(unit, args.key).period, me)
    board, seen = own.board, standings_of(unit, own.board, is_stored=own.is_stored)
    relations, _ = friends(unit, player, PageRequest(None, None))
    known = [me, *(other_id(relation, me) for relation in relations)]
    places = sorted(place for place in seen.places(known) if place is not None)
    found = seen.ranked(places[: args.limit], board.entry_count)
    entries = entry_rows(unit, board, found.entries)
    return FriendsOnBoard(leaderboard=shown_board(board, found.size), entries=entries)
