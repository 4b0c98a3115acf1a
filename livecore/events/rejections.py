"""Reports of an attempt that a validator rejects: the last ones are kept with the attempt."""

from __future__ import annotations

from livecore.events.attempt_records import ATTEMPTS, Attempt
from livecore.kernel.errors import RecordedRefusal
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.rejections import refused, with_finding
from livecore.leaderboards.validators import Finding


def note_report(unit: Unit, attempt: Attempt, finding: Finding) -> RecordedRefusal:
    """Keep that a report of an attempt was rejected; gives the refusal."""
    text = with_finding(unit, attempt.rejections, finding)
    if text != attempt.rejections:
        unit.tx.put(ATTEMPTS, evolve(attempt, rejections=text))
    return refused(finding)
