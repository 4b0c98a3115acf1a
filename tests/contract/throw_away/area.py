"""The throw-away area: everything that the service is told about it."""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.declarations.player_lifecycle import Export
from tests.contract.throw_away import guestbook, rows

AREA: Final = Area(
    name="throw_away",
    tables=(guestbook.PAGES,),
    refusals=refusals_in(guestbook),
    events={"Guestbook": (rows.GuestbookSigned,)},
    tags={"guestbook": "What players leave behind."},
    due={guestbook.CLOSE: guestbook.close},
    rules=guestbook.RULES,
    folds={guestbook.PAGES: guestbook.unite},
    exports={"guestbook": Export(rows.GuestbookRow, guestbook.exported)},
)
