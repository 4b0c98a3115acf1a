"""Open friend requests of a player, as pages of one list that runs through both directions, newest first.

The game limits how many requests a player sends, and nothing limits how many a player receives. So whoever fills a list must
not hide what is older: a cursor goes on where a page ended. It also says in which directions something is left, because a
page without a limit has all outgoing requests, and the next one continues with the incoming ones alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, Protocol, TypeAlias

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.storage.paging import PageRequest, pack, unpack
from livecore.kernel.storage.reads import Scan
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import value
from livecore.players.player import Player
from livecore.social.graph import both_sides, newest_first
from livecore.social.relations import OF_HIGH, OF_LOW, Relation, Standing, asked_by, other_id, side_of, standing_of
from livecore.social.rows import Direction

_Ways: TypeAlias = Literal["both", "incoming", "outgoing"]
_WAYS: Final = ("both", "incoming", "outgoing")
INCOMING_SHOWN: Final = 500
"""How many incoming requests a page without a limit shows."""


@value
class RequestPage:
    """The page that is asked for: how many rows of both directions together, after which place, and in which directions."""

    limit: int | None
    beyond: tuple[int, str] | None
    ways: _Ways

    def part(self, direction: Direction) -> PageRequest | None:
        """What is read of one direction; `None` where the page does not show it."""
        if self.ways not in ("both", direction):
            return None
        unlimited = INCOMING_SHOWN if direction == "incoming" else None
        return PageRequest(unlimited if self.limit is None else self.limit, self.beyond)


class Asked(Protocol):
    """The arguments of a list of requests."""

    @property
    def direction(self) -> Direction | None:
        """The only direction, or `None` for both."""

    @property
    def limit(self) -> int | None:
        """How many rows."""

    @property
    def cursor(self) -> str | None:
        """Where the previous page ended."""


@value
class OpenRequests:
    """A page of open requests."""

    incoming: list[Relation]
    outgoing: list[Relation]
    next_cursor: str | None


def request_page(asked: Asked) -> RequestPage:
    """The requested page. Raises `ValidationFailed` for a cursor that is none, or belongs to the other direction."""
    ways: _Ways = asked.direction or "both"
    place = unpack(asked.cursor, (int, str, str))
    if place is None:
        return RequestPage(asked.limit, None, ways)
    since, other, left = int(place[0] or 0), str(place[1]), str(place[2])
    found: _Ways | None = next((known for known in _WAYS if known == left), None)
    if found is None or ways not in ("both", found):
        raise ValidationFailed({"cursor": "is not a cursor of this list"})
    return RequestPage(asked.limit, (since, other), found)


def open_requests(unit: Unit, player: Player, page: RequestPage) -> OpenRequests:
    """A page of the player's open requests."""
    me = player.player_id
    rows = newest_first(unit.tx.scan_all([*_received(me, page), *_sent(me, page)]), me)
    incoming = [row for row in rows if _is_incoming(row, me)]
    outgoing = [row for row in rows if not _is_incoming(row, me)]
    if page.limit is None:
        more = len(incoming) > INCOMING_SHOWN
        incoming = incoming[:INCOMING_SHOWN]
        return OpenRequests(incoming, outgoing, _cursor(incoming[-1], me, "incoming") if more else None)
    shown = {row.request_id for row in rows[: page.limit]}
    return OpenRequests(
        [row for row in incoming if row.request_id in shown],
        [row for row in outgoing if row.request_id in shown],
        _cursor(rows[page.limit - 1], me, page.ways) if len(rows) > page.limit else None,
    )


def _cursor(row: Relation, me: str, ways: _Ways) -> str:
    return pack((row.since, other_id(row, me), ways))


def _is_incoming(row: Relation, me: str) -> bool:
    return standing_of(row, side_of(row, me)) is Standing.INCOMING


def _received(me: str, page: RequestPage) -> Iterator[Scan[Relation]]:
    part = page.part("incoming")
    if part is not None:
        yield from both_sides((OF_LOW, (me, asked_by("high"))), (OF_HIGH, (me, asked_by("low"))), part)


def _sent(me: str, page: RequestPage) -> Iterator[Scan[Relation]]:
    part = page.part("outgoing")
    if part is not None:
        yield from both_sides((OF_LOW, (me, asked_by("low"))), (OF_HIGH, (me, asked_by("high"))), part)
