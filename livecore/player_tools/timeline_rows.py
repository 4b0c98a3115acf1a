"""A player's timeline on the wire."""

from __future__ import annotations

from typing import Annotated, ClassVar

from livecore.kernel.time import Timestamp
from livecore.kernel.values import keyword_value as shape
from livecore.kernel.wire.shapes import Comma, Cursor, Items, Key, Limit


@shape
class GetTimeline:
    """What has happened to a player, newest first; `kinds` names the kinds of entries that are wanted."""

    kinds: Annotated[tuple[Key, ...], Comma(), Items(0, 40, unique=True)] = ()
    limit: Limit = 50
    cursor: Cursor | None = None


@shape
class TimelineRef:
    """What an entry is about: a type of thing, and its id."""

    type: str
    id: str

    example: ClassVar = {"type": "entry"}


@shape
class TimelineEntry:
    """Something that has happened to a player; the fields of `summary` depend on the kind."""

    at: Timestamp
    kind: str
    summary: dict[str, object]
    ref: TimelineRef

    example: ClassVar = {"kind": "ledger"}


@shape
class Timeline:
    """A page of a player's timeline."""

    entries: tuple[TimelineEntry, ...]
    next_cursor: str | None

    example: ClassVar = {"next_cursor": None}
