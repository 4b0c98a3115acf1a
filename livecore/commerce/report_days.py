"""How many purchases a player's client has reported on a day, which the game limits.

A client can report anything, and each purchase that it makes up is a row for good and counts as revenue. The limit
(`purchases.dailyReportLimit`) counts what a client's report has stored on the UTC day of the report; a transaction that is
reported again stores nothing and does not count. What the studio's backend reports is neither limited nor counted.
"""

from __future__ import annotations

from typing import Final

from livecore.commerce.config import commerce_config
from livecore.commerce.refusals import PurchaseLimitReached
from livecore.kernel.declarations.day_counts import counted_today, unite_day_counts
from livecore.kernel.declarations.player_lifecycle import Merging
from livecore.kernel.storage.records import PlayerId
from livecore.kernel.storage.tables import Erase, Merge, PlayerColumn, Table
from livecore.kernel.time import Timestamp, day_number, next_midnight
from livecore.kernel.units.unit import Unit
from livecore.kernel.values import keyword_value as record
from livecore.players.player import Player


@record
class ReportDay:
    """How many purchases a player's client reported on the last UTC day on which it reported any."""

    player_id: PlayerId
    day: int
    reported: int


REPORT_DAYS: Final = Table(
    "purchase_report_days",
    ReportDay,
    key=("player_id",),
    players={"player_id": PlayerColumn(Merge.FOLD, Erase.DELETE)},
    export="player",
)


def check_report_limit(unit: Unit, player: Player) -> None:
    """Raises `PurchaseLimitReached` if the player's client has reported all purchases of this UTC day."""
    limit = commerce_config(unit).purchases.daily_report_limit
    count = _reported_today(unit, player)
    if limit is not None and count >= limit:
        resets_at = Timestamp(next_midnight(unit.now)).wire
        raise PurchaseLimitReached(daily_report_limit=limit, reported_today=count, resets_at=resets_at)


def note_report(unit: Unit, player: Player) -> None:
    """Count one more purchase that the player's client has reported."""
    reported = _reported_today(unit, player) + 1
    unit.tx.put(REPORT_DAYS, ReportDay(player_id=player.player_id, day=day_number(unit.now), reported=reported))


def _reported_today(unit: Unit, player: Player) -> int:
    return counted_today(unit, REPORT_DAYS, "reported", player.player_id)


def unite_report_days(unit: Unit, merging: Merging) -> None:
    """Add the reports of both on the later day, because one player has one daily limit."""
    unite_day_counts(unit, merging, REPORT_DAYS, "reported")
