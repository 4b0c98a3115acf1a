"""What belongs to no area: the refusals of the kernel, due work, and the answers that are kept under idempotency keys.

It is declared as an area is, so that whatever goes through the areas finds it there and needs no second place to look.
"""

from __future__ import annotations

from typing import Final

from livecore.api import idempotency, soundness
from livecore.api.answer_mentions import ANSWER_MENTIONS
from livecore.api.idempotency import ANSWERS
from livecore.kernel import errors
from livecore.kernel.area import Area, refusals_in
from livecore.kernel.due import DUE

__all__ = ["AREA"]

AREA: Final = Area(
    name="api",
    tables=(ANSWERS, ANSWER_MENTIONS, DUE),
    tags={"service": "The service itself."},
    refusals=refusals_in(errors),
    jobs=(idempotency.SWEEP, idempotency.SCRUB),
    folds={ANSWERS: idempotency.follow},
    erases={ANSWERS: idempotency.forget_shown},
    rules=soundness.RULES,
    rules_over=soundness.rules_over,
)
