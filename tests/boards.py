"""A stream for tests: who is a debug account in a game, as it changes; its notices are published by the test.

A notice is `{"revision": number, "player": name, "text": text, "times": number}`; the text stands so many times in the
message, for notices are small, and messages need not be. The revision is the number of debug accounts, as far as a
reader can tell; a notice of a revision that the first message has counted already is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs

from livecore.access.refusals import GameNotFound
from livecore.api.table.operation import EventStream, Operation
from livecore.kernel.scope import Scope
from livecore.kernel.storage.notices import Notice, notice_of
from livecore.kernel.units.streams import EndReason, Message, Stream
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Key
from livecore.players.moderation import ALL_DEBUG_ACCOUNTS

TOPIC: Final = "board"
ENDED: Final = "ended"
"""The key of a board that is over."""


@shape
class Follow:
    """Follow a board."""

    board_key: Key


@shape
class Ready:
    """How it stands."""

    revision: int
    resync: bool


@shape
class Update:
    """What has changed."""

    player: str
    revision: int
    text: str


@shape
class Closed:
    """It is over."""

    reason: str


def follow(unit: Unit, args: Follow) -> Stream:
    """The board's stream. Raises `GameNotFound` for the board `unknown`."""
    if args.board_key == "unknown":
        raise GameNotFound
    revision = len(unit.tx.scanned(ALL_DEBUG_ACCOUNTS))
    last = unit.last_event_id
    ready = Message(
        event="ready",
        data=Ready(revision=revision, resync=last is not None and last != str(revision)),
        id=str(revision),
    )
    over = args.board_key == ENDED
    closed = Message(event="closed", data=Closed(reason="finalized"), last=True)
    return Stream(
        topics=(TOPIC,),
        first=(ready, closed) if over else (ready,),
        following=_following(revision),
        closing=_closing,
        most_waiting=4,
    )


def _following(since: int) -> Callable[[Any], Iterator[Message]]:
    def following(payload: Any) -> Iterator[Message]:  # noqa: ANN401 - a notice's payload, as `notice` makes it
        if payload["revision"] <= since:
            return
        if payload["player"] == "":
            yield Message(event="closed", data=Closed(reason="finalized"), last=True)
            return
        yield Message(
            event="update",
            data=Update(
                player=payload["player"], revision=payload["revision"], text=payload["text"] * payload["times"]
            ),
            id=str(payload["revision"]),
            replaces=payload["player"],
            droppable=payload["text"] == "droppable",
        )

    return following


def _closing(reason: EndReason) -> Message:
    return Message(event="closed", data=Closed(reason=reason), last=True)


def notice(scope: Scope, revision: int, player: str = "ann", text: str = "", times: int = 1) -> Notice:
    """A notice; without a player, the board is over."""
    return notice_of(scope, TOPIC, {"revision": revision, "player": player, "text": text, "times": times})


BOARD: Final = Operation(
    name="boards.stream",
    surface="sdk",
    method="GET",
    path="/sdk/v1/boards/{boardKey}/stream",
    credential="client_key",
    bucket="sdk_read",
    args=Follow,
    answers={200: EventStream},
    messages={"ready": Ready, "update": Update, "closed": Closed},
    handler=follow,
    summary="Follow a board.",
    errors=(GameNotFound,),
)


@shape
class Tell:
    """Say that something has changed."""

    board_key: Key
    revision: int
    player: str


@shape
class Told:
    """It is said."""

    revision: int


def tell(unit: Unit, args: Tell) -> Told:
    """Publish a notice, with the commit of this unit."""
    unit.notify(TOPIC, {"revision": args.revision, "player": args.player, "text": "", "times": 1})
    return Told(revision=args.revision)


TELL: Final = Operation(
    name="boards.tell",
    surface="server",
    method="POST",
    path="/server/v1/boards/{boardKey}",
    credential="server_key",
    bucket="server_api",
    args=Tell,
    answers={200: Told},
    handler=tell,
    summary="Say that something has changed.",
    writes=True,
)


def board(**changes: Any) -> Operation:  # noqa: ANN401 - any of the operation's fields
    """The operation with some fields changed."""
    return attrs.evolve(BOARD, **changes)
