"""Leaderboards and their entries: who stands on a board, with which score, and since when.

A board is one ranking: of a window of an event, of a segment, a lobby or the teams of it, or of a period of a shared
leaderboard (of one of its divisions or cohorts). An entry is a row of its own, and the index of entries sorts as the board
does: by the score, then by who reached it first, then by id. No rank is stored; `livecore.leaderboards.standings` says how
it is found.

Every change of an entry adds one to its version and publishes a notice, by which the rankings in memory and the streams of
all processes are kept current. An entry that is removed keeps its row, without a place, because its version must go on
growing.
"""

from __future__ import annotations

from typing import Final, Literal

from livecore.kernel.errors import JsonObject
from livecore.kernel.ids import derived_id
from livecore.kernel.storage.reads import Count, Scan
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Millis
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.leaderboards.definition_rows import Order
from livecore.leaderboards.ranking.order import Place
from livecore.players.player import Player

# -- records --------------------------------------------------------------------------------------------------------------


@record
class Leaderboard:
    """One ranking. `key` is the key of the event or of the shared leaderboard, whose period has the id `period_id`.

    `order`, `name` and the times are those with which the window or the period began.
    """

    board_id: str
    kind: Literal["event", "shared"]
    participants: Literal["player", "team"] = "player"
    key: str
    name: str
    order: Order
    event_id: str | None = None
    window_id: str | None = None
    lobby_id: str | None = None
    segment: str | None = None
    period_id: str | None = None
    division: str | None = None
    cohort: int | None = None
    starts_at: Millis
    ends_at: Millis | None
    finalized_at: Millis | None = None
    closed: Literal["finalized", "lobby_closed"] | None = None
    """Why it is final: its time was over, or its lobby was closed before."""
    entry_count: int | None = None
    """How many entries it had when it was finalized."""


@record
class BoardEntry:
    """The score of one participant on a board. `sort_key` is the score as the board sorts by it; `None`: removed.

    `reached_at` is when the present score was reached, `written_at` when it was last written, changed or not. `attempt_id`
    is the attempt whose score it is, on the board of an event. `banned_at` is since when the player is banned; on a board
    whose time is over it does not change any more (`livecore.leaderboards.bans`). `excluded_at` is since when no score comes
    onto the entry (`livecore.leaderboards.exclusions`).
    """

    board_id: str
    participant: str
    player_id: PlayerId | None
    score: int
    sort_key: int | None
    reached_at: Millis
    written_at: Millis
    version: int = 1
    attempt_id: str | None = None
    flagged: bool = False
    removed_at: Millis | None = None
    banned_at: Millis | None = None
    excluded_at: Millis | None = None


BOARDS = Table("leaderboards", Leaderboard, key=("board_id",))
BOARDS_OF_WINDOW = BOARDS.index("of_window", prefix=("window_id",), order=("board_id",))
BOARDS_OF_PERIOD = BOARDS.index("of_period", prefix=("period_id",), order=("board_id",))

ENTRIES = Table(
    "leaderboard_entries",
    BoardEntry,
    key=("board_id", "participant"),
    players={"player_id": PlayerColumn(Merge.REASSIGN, Erase.RETAIN)},
    export="leaderboardEntries",
    ranked=True,
)
BY_RANK = ENTRIES.index("by_rank", prefix=("board_id",), order=("sort_key", "reached_at", "participant"))
REMOVED = ENTRIES.index("removed", prefix=("board_id",), order=("removed_at", "participant"))
"""Only those that were removed, whose versions a ranking in memory must know."""
BANNED_ON = ENTRIES.index("banned_on", prefix=("board_id",), order=("banned_at", "participant"))
"""Only those of players who are banned: the close of the board takes them off it."""
ENTRIES_OF_PLAYER = ENTRIES.index("of_player", prefix=("player_id",), order=("board_id",))

ALL_BOARDS: Final = "boards"
"""The topic of a notice that any board of the scope may have changed."""
_MOST_NOTICES: Final = 50
"""How many boards one unit publishes apart; beyond that, one notice is about all boards."""


# -- rules ----------------------------------------------------------------------------------------------------------------


def board_id_of(scope_id: str, began_at: Millis, *names: str) -> str:
    """The id of the board of a window or a period that began at a moment; `names` tell it from the others."""
    return derived_id("lbd", began_at, scope_id, *names)


def topic_of(board_id: str) -> str:
    """The topic of the notices about a board."""
    return f"board:{board_id}"


def sort_key_of(order: Order, score: int) -> int:
    """The score as the board sorts by it: the least is the best."""
    return -score if order == "desc" else score


def place_of(entry: BoardEntry) -> Place | None:
    """Where an entry stands; `None` for one that was removed."""
    return None if entry.sort_key is None else Place(entry.sort_key, entry.reached_at, entry.participant)


def entries_on(board_id: str, player_id: str) -> Scan[BoardEntry]:
    """The scan of a player's entries on a board: more than one after a merge between its end and its close."""
    return Scan(ENTRIES_OF_PLAYER, (player_id,), start=(board_id,), stop=(f"{board_id}~",))


# -- operations -----------------------------------------------------------------------------------------------------------


def entry_of(unit: Unit, board_id: str, participant: str) -> BoardEntry | None:
    """The entry of a participant, if there is one and it was not removed."""
    entry = unit.tx.get(ENTRIES, board_id, participant)
    return None if entry is None or entry.sort_key is None else entry


def write_entry(
    unit: Unit,
    board: Leaderboard,
    player: Player,
    score: int,
    *,
    reached_at: Millis | None = None,
    attempt_id: str | None = None,
    flagged: bool = False,
    is_first: bool = False,
) -> BoardEntry:
    """Give a player's entry this score. Without `reached_at`, a score that is already there stands since it was reached.

    `is_first` says that the player has never had an entry on the board, so that none is looked for.
    """
    before = None if is_first else unit.tx.get(ENTRIES, board.board_id, player.player_id)
    if reached_at is None:
        stands = before is not None and before.sort_key is not None and before.score == score
        reached_at = before.reached_at if before is not None and stands else unit.now
    entry = BoardEntry(
        board_id=board.board_id,
        participant=player.player_id,
        player_id=player.player_id,
        score=score,
        sort_key=sort_key_of(board.order, score),
        reached_at=reached_at,
        written_at=unit.now,
        version=1 if before is None else before.version + 1,
        attempt_id=attempt_id,
        flagged=flagged or (before is not None and before.flagged),
        banned_at=player.banned_at,
    )
    if is_first:
        unit.tx.insert(ENTRIES, entry)
        _publish_entry(unit, entry)
        return entry
    return _put(unit, before, entry)


def write_bot_entry(unit: Unit, board: Leaderboard, bot_id: str, score: int, reached_at: Millis) -> None:
    """Give a bot's entry this score, if it is a higher one: the scores of bots never fall, also if the clock is set back."""
    before = unit.tx.get(ENTRIES, board.board_id, bot_id)
    if before is None or before.score < score:
        _write_for_others(unit, board, bot_id, before, score, reached_at)


def write_team_entry(unit: Unit, board: Leaderboard, team_id: str, score: int, reached_at: Millis) -> None:
    """Give a team's entry this score."""
    before = unit.tx.get(ENTRIES, board.board_id, team_id)
    _write_for_others(unit, board, team_id, before, score, reached_at)


def _write_for_others(
    unit: Unit, board: Leaderboard, participant: str, before: BoardEntry | None, score: int, reached_at: Millis
) -> None:
    """Write the entry of a participant who is no player."""
    entry = BoardEntry(
        board_id=board.board_id,
        participant=participant,
        player_id=None,
        score=score,
        sort_key=sort_key_of(board.order, score),
        reached_at=reached_at,
        written_at=unit.now,
        version=1 if before is None else before.version + 1,
    )
    _put(unit, before, entry)


def _put(unit: Unit, before: BoardEntry | None, entry: BoardEntry) -> BoardEntry:
    unit.tx.put(ENTRIES, entry)
    if before is None or place_of(before) != place_of(entry):
        _publish_entry(unit, entry)
    return entry


def remove_entry(unit: Unit, entry: BoardEntry) -> None:
    """Take an entry off its board."""
    removed = evolve(
        entry, sort_key=None, banned_at=None, removed_at=unit.now, version=entry.version + 1, written_at=unit.now
    )
    unit.tx.put(ENTRIES, removed)
    _publish_entry(unit, removed)


def leave_out_banned(unit: Unit, board_id: str, most: int | None = None) -> int:
    """Take the entries of banned players off a board that is about to be final, at most so many; returns how many."""
    entries = unit.tx.scan(BANNED_ON, board_id, limit=most)
    for entry in entries:
        remove_entry(unit, entry)
    return len(entries)


def finalize(
    unit: Unit,
    board: Leaderboard,
    *,
    ends_at: Millis | None,
    closed: Literal["finalized", "lobby_closed"] = "finalized",
) -> Leaderboard:
    """Mark a board as final, without banned players; its entries are not written any more.

    The caller pays and emits what follows from it. Of a large board it has left out the banned players before, in steps.

    `closed` is why, as the readers of its stream are informed; it is kept, as they may come later or miss the notice.
    """
    banned, count = unit.tx.read_together(Scan(BANNED_ON, (board.board_id,)), Count(BY_RANK, (board.board_id,)))
    for entry in banned:
        remove_entry(unit, entry)
        count -= 1
    final = evolve(board, finalized_at=unit.now, closed=closed, ends_at=ends_at, entry_count=count)
    unit.tx.put(BOARDS, final)
    _publish(unit, board.board_id, {"closed": closed})
    return final


def _publish_entry(unit: Unit, entry: BoardEntry) -> None:
    _publish(
        unit,
        entry.board_id,
        {
            "participant": entry.participant,
            "version": entry.version,
            "sortKey": entry.sort_key,
            "reachedAt": entry.reached_at,
        },
    )


def _publish(unit: Unit, board_id: str, payload: JsonObject) -> None:
    published = len(unit.tx.notices)
    if published < _MOST_NOTICES:
        unit.notify(topic_of(board_id), payload)
    elif published == _MOST_NOTICES:
        unit.notify(ALL_BOARDS, {})
