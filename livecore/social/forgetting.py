"""What is removed of gifts: their messages, once they are of no more use.

A message is for the recipient of a gift. Some time after the gift was claimed or has expired, for as long as the deployment
keeps such texts, a daily job in steps empties it. It is found by indexes of the few gifts that have a message.
"""

from __future__ import annotations

from typing import Final

from livecore.kernel.declarations.jobs import MOST_ROWS, START, Cursor, Job
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import next_midnight
from livecore.kernel.units.unit import Unit
from livecore.social.gifts import CLAIMED_WITH_MESSAGE, ENDING_WITH_MESSAGE, GIFTS


def _forget(unit: Unit, _: str, __: Cursor) -> Cursor | None:
    kept_for = unit.deployment.retention.texts
    if kept_for is None:
        return None
    stop = (unit.now - kept_for,)
    gifts = unit.tx.scan(CLAIMED_WITH_MESSAGE, "claimed", stop=stop, limit=MOST_ROWS)
    if len(gifts) < MOST_ROWS:
        gifts = [*gifts, *unit.tx.scan(ENDING_WITH_MESSAGE, "expired", stop=stop, limit=MOST_ROWS - len(gifts))]
    for gift in gifts:
        unit.tx.put(GIFTS, evolve(gift, message=None))
    return START if len(gifts) == MOST_ROWS else None


FORGET: Final = Job("gifts.forget_messages", _forget, recurs=next_midnight)
"""Empties each day the messages of gifts that were claimed or have expired long ago."""
