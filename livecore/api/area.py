"""The declarations that belong to no single area: the kernel's refusals, due work, and answers under idempotency keys.

They are declared as an area too, so that code over all areas includes them.
"""

from __future__ import annotations

from typing import Final

from livecore.api import soundness
from livecore.api.configuration import config_refusals
from livecore.api.requests import idempotency
from livecore.api.requests.answer_mentions import ANSWER_MENTIONS
from livecore.api.requests.idempotency import ANSWERS
from livecore.kernel import errors
from livecore.kernel.declarations.area import Area, refusals_in
from livecore.kernel.units.due import DUE, RECURRING

AREA: Final = Area(
    name="api",
    tables=(ANSWERS, ANSWER_MENTIONS, DUE, RECURRING),
    tags={
        "service": "The service itself.",
        "settings": "The configuration of a game: what it is, what another one would change, and what it was.",
    },
    refusals=(*refusals_in(errors), *refusals_in(config_refusals)),
    jobs=(idempotency.SWEEP, idempotency.SCRUB),
    folds={ANSWERS: idempotency.follow},
    erases={ANSWERS: idempotency.forget_shown},
    rules=soundness.RULES,
    rules_over=soundness.rules_over,
)
