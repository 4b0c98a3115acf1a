"""The invariant of commerce that is not a sum: a day of reports counts at least one, of a player who exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from livecore.commerce.report_days import REPORT_DAYS, ReportDay
from livecore.kernel.storage.examination import Rule
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import Get
from livecore.players.player import PLAYERS


def _judge_report_day(reader: Reader, day: ReportDay) -> Iterator[str]:
    if day.reported < 1:
        yield f"counts {day.reported} reports"
    if reader.get(PLAYERS, (day.player_id,)) is None:
        yield "counts the reports of a player who does not exist"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=REPORT_DAYS, needs=lambda row: [Get(PLAYERS, (row.player_id,))], judge=_judge_report_day),
)
