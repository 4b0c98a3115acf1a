"""The throw-away area's records, rules and operation: a page for each player, which closes a day after it was begun."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from livecore.kernel.declarations.player_lifecycle import Exported, Merging, Slice
from livecore.kernel.errors import Conflict, JsonObject
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import Get
from livecore.kernel.storage.records import PlayerId, evolve
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import DAY, Millis, Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import acting
from tests.contract.throw_away.rows import GuestbookRow, GuestbookSigned, Sign, Signed

CLOSE: Final = "guestbook.close"
MOST: Final = 3


@record
class Page:
    """What one player has left; the work that closes it is due at `closes_at`."""

    player_id: PlayerId
    message: str
    signatures: int
    closes_at: Millis


PAGES = Table(
    "guestbook_pages",
    Page,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export=("guestbook",),
)


class GuestbookFull(Conflict):
    """The player's page has no room for another signature."""

    code = "guestbook_full"
    text = "The page is full."
    remedy = "Wait until the page has closed."
    example: ClassVar[JsonObject] = {"limit": MOST}


def sign(unit: Unit, args: Sign) -> Signed:
    """Leave another signature. Raises `GuestbookFull`."""
    player = acting(unit)
    page = unit.tx.get(PAGES, player.player_id)
    if page is None:
        page = Page(player_id=player.player_id, message="", signatures=0, closes_at=unit.now + DAY)
        unit.schedule(CLOSE, player.player_id, page.closes_at)
    if page.signatures >= MOST:
        raise GuestbookFull(limit=MOST)
    page = unit.tx.put(PAGES, evolve(page, message=args.message, signatures=page.signatures + 1))
    unit.emit(
        GuestbookSigned(player_id=player.player_id, external_player_id=player.external_id, signatures=page.signatures)
    )
    return Signed(page=_row(page))


def close(unit: Unit, ref: str) -> None:
    """Take a page away whose day is over."""
    unit.tx.delete(PAGES, ref)


def unite(unit: Unit, merging: Merging) -> None:
    """The target's page takes the source's signatures over, and closes when the first of the two would have."""
    source, target = (unit.tx.get(PAGES, id_) for id_ in (merging.source_id, merging.target_id))
    if source is None:
        return
    other = target or evolve(source, signatures=0)
    closes_at = min(source.closes_at, other.closes_at)
    unit.tx.put(
        PAGES,
        Page(
            player_id=merging.target_id,
            message=other.message,
            signatures=source.signatures + other.signatures,
            closes_at=closes_at,
        ),
    )
    unit.schedule(CLOSE, merging.target_id, closes_at)
    unit.cancel(CLOSE, merging.source_id)
    unit.tx.delete(PAGES, merging.source_id)


def exported(unit: Unit, player_id: PlayerId, _: Slice) -> Exported:
    """The player's page, if there is one."""
    page = unit.tx.get(PAGES, player_id)
    return Exported(() if page is None else (_row(page),))


def _row(page: Page) -> GuestbookRow:
    return GuestbookRow(message=page.message, signatures=page.signatures, closes_at=Timestamp(page.closes_at))


def _judge(reader: Reader, page: Page) -> Iterator[str]:
    if reader.get(DUE, (CLOSE, page.player_id)) is None:
        yield "will never close"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=PAGES, needs=lambda page: [Get(DUE, (CLOSE, page.player_id))], judge=_judge),
)
