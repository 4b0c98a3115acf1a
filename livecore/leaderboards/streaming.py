"""The live stream of a leaderboard (specification 6.4): who stands where now, then each change.

A reader begins with `ready`, whose revision is the number of a state of the board, and is sent a `score_update` for each
later change. The revision is the id of each message, so a reader that comes back names the last one: it is given what has
changed since, or told with `resync` to read the board again. That is also what readers are sent when an entry is removed,
because a `score_update` has no way to say that all ranks below have changed.

The id of a message says what its reader has had by then. Where changes that the reader has missed follow `ready`, its id is
therefore the reader's own: if the connection breaks between the two, they are sent again.

All readers in a process share one ranking and one message for each change (`livecore.leaderboards.ranking.rankings`). Where
the game does not show strangers the countries of players, readers of the client surface share a second one without them.
When a game changes that, its open streams read the state anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from livecore.kernel.declarations.area import Areas
from livecore.kernel.errors import JsonObject
from livecore.kernel.storage.records import evolve
from livecore.kernel.storage.store import StoreConflict
from livecore.kernel.time import Millis
from livecore.kernel.units.streams import EndReason, Message, Stream
from livecore.kernel.units.unit import Unit
from livecore.kernel.wire.shapes import fields_of
from livecore.leaderboards.boards import Leaderboard
from livecore.leaderboards.participants import Ranked, participants_now, without_country
from livecore.leaderboards.ranking.live_board import LiveBoard
from livecore.leaderboards.ranking.rankings import rankings_of, revision_at
from livecore.leaderboards.ranking.view import RankingView
from livecore.leaderboards.ranking_source import anew, closed, live_boards, ready, score_update
from livecore.leaderboards.refusals import LeaderboardNotFound
from livecore.leaderboards.rows import FollowBoard, ScoreUpdate
from livecore.leaderboards.sources import find_board
from livecore.social.sight import hides_countries


def follow_board(unit: Unit, args: FollowBoard) -> Stream:
    """The stream of an event's leaderboard. Raises `LeaderboardNotFound`."""
    board = find_board(unit, args.leaderboard_id)
    if board is None or board.kind == "shared":
        raise LeaderboardNotFound.of(args.leaderboard_id)
    if board.finalized_at is not None:
        return _finalized(unit, board, board.finalized_at)
    live = rankings_of(unit).find(unit.scope, board.board_id, live_boards(Areas.of(unit)), for_stream=True)
    if live is None:
        return Stream(topics=(), first=(), following=lambda _: (), loading=True)
    # Everything that the first messages say is of this state; reading names may take a while.
    revision, view = live.revision, live.view()
    resync, changed = _missed(unit, live, view)
    updates = _updates(unit, board, changed)
    anonymous = hides_countries(unit)
    if anonymous:
        updates = list(map(_without_country, updates))
    return Stream(
        topics=(live.stream_topic,),
        first=(
            _ready(board, view.size, revision, resync=resync, since=unit.last_event_id if updates else None),
            *updates,
        ),
        following=_following(board, live, revision, shown=_without_country if anonymous else _unchanged),
        closing=_closing(board),
    )


def _ready(board: Leaderboard, entry_count: int, revision: int, *, resync: bool, since: str | None) -> Message:
    message = ready(board, entry_count, revision, resync=resync)
    return message if since is None else evolve(message, id=since)


def _finalized(unit: Unit, board: Leaderboard, finalized_at: Millis) -> Stream:
    revision = revision_at(finalized_at)
    resync = unit.last_event_id not in (None, str(revision))
    return Stream(
        topics=(),
        first=(
            ready(board, board.entry_count or 0, revision, resync=resync),
            closed(board, board.closed or "finalized"),
        ),
        following=lambda _: (),
    )


def _missed(unit: Unit, live: LiveBoard, view: RankingView) -> tuple[bool, list[tuple[int, Ranked]]]:
    """Whether the reader must read the board again, or what has changed since its last message, by revision."""
    if unit.last_event_id is None:
        return False, []
    last = unit.last_event_id
    changes = live.since(int(last)) if last.isascii() and last.isdigit() else None
    if changes is None or any(change.place is None for change in changes):
        return True, []
    return False, [
        (change.revision, Ranked(view.rank(change.place), change.place))
        for change in changes
        if change.place is not None
    ]


def _updates(unit: Unit, board: Leaderboard, changed: Sequence[tuple[int, Ranked]]) -> list[Message]:
    participants = participants_now(Areas.of(unit), unit.tx, [ranked.place.participant for _, ranked in changed])
    updates = []
    for (revision, ranked), participant in zip(changed, participants, strict=True):
        if participant is None:
            raise StoreConflict("a participant is not in this snapshot yet")
        # The rank before is not known any more: it was that of another state.
        updates.append(score_update(board, ranked, participant, revision, None))
    return updates


def _following(
    board: Leaderboard, live: LiveBoard, since: int, *, shown: Callable[[Message], Message]
) -> Callable[[JsonObject], Iterator[Message]]:
    def following(payload: JsonObject) -> Iterator[Message]:
        number, revision = payload["number"], payload["revision"]
        assert isinstance(number, int)  # noqa: S101 - as `Rankings` writes it
        assert isinstance(revision, int)  # noqa: S101 - as above
        message = live.message(number)
        if message is None:
            yield anew(board, len(live.live.ranking), live.revision)
        elif message.last or revision > since:
            yield shown(message)

    return following


def _unchanged(message: Message) -> Message:
    return message


_MOST_REMEMBERED: Final = 512
_latest: Final[dict[int, tuple[Message, Message]]] = {}


def _without_country(message: Message) -> Message:
    """The message for readers who are not shown the countries of players, the same object for all of them."""
    if not isinstance(message.data, ScoreUpdate):
        return message
    known = _latest.get(id(message))
    if known is not None:
        return known[1]
    entry = without_country(message.data.entry)
    made = (
        message
        if entry is message.data.entry
        else evolve(message, data=ScoreUpdate(**{**fields_of(message.data), "entry": entry}))
    )
    _latest[id(message)] = (message, made)  # with the message itself, so that no other has its address meanwhile
    if len(_latest) > _MOST_REMEMBERED:
        del _latest[next(iter(_latest))]
    return made


def _closing(board: Leaderboard) -> Callable[[EndReason], Message]:
    return lambda reason: closed(board, reason)
