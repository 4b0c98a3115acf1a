"""The competition area: events and their windows."""

from __future__ import annotations

from typing import Final

from livecore.competition import boards, refusals, soundness, windows
from livecore.kernel.area import Area, refusals_in
from livecore.webhooks.catalog.windows import WindowClosed, WindowOpened

__all__ = ["AREA"]

AREA: Final = Area(
    name="competition",
    tables=(windows.EVENTS, windows.WINDOWS, boards.BOARDS, boards.ENTRIES),
    refusals=refusals_in(refusals),
    events=(WindowOpened, WindowClosed),
    due={windows.OPEN: windows.open_due},
    jobs=(windows.CLOSE,),
    rules=soundness.RULES,
    prepare=windows.prepare,
    objections=windows.objections,
)
