"""What must be true at any moment of what belongs to no area: work that is due, and answers that are kept.

Somebody handles each kind of due work, and none of the answers has outlived the sweep that ought to have forgotten it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from livecore.api.idempotency import ANSWERS, SWEEP, IdempotentAnswer
from livecore.kernel.area import Areas
from livecore.kernel.due import DUE, DueWork
from livecore.kernel.examination import Rule
from livecore.kernel.store import Reader
from livecore.kernel.time import HOUR

__all__ = ["RULES", "rules_over"]


def rules_over(areas: Areas) -> tuple[Rule[Any], ...]:
    """The rule about due work, over the kinds that these areas handle."""
    return (Rule(table=DUE, needs=lambda _: (), judge=partial(_judge_due, areas)),)


def _judge_due(areas: Areas, _: Reader, work: DueWork) -> Iterator[str]:
    if work.kind not in areas.due:
        yield "is of a kind that nobody handles"


def _judge_answer(reader: Reader, answer: IdempotentAnswer) -> Iterator[str]:
    work = reader.get(DUE, (SWEEP.kind, ""))
    # A finished sweep recurs at a full hour, and has left nothing that had expired when it ran.
    finished = work is not None and work.attempts == 0 and work.begun_at is None and work.due_at % HOUR == 0
    if work is not None and finished and answer.expires_at <= work.due_at - HOUR:
        yield "is kept although the sweep after its end has run"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=ANSWERS, needs=lambda _: [(DUE, (SWEEP.kind, ""))], judge=_judge_answer),
)
