"""The invariants of due work and stored answers, which belong to no area.

Each kind of due work has a handler, and no answer is older than the sweep should have left. An answer that names several
players has a row for each of them, and each such row has its answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from livecore.api.requests.answer_mentions import ANSWER_MENTIONS, MENTIONS_OF_ANSWER, AnswerMention
from livecore.api.requests.idempotency import ANSWERS, SEVERAL, SWEEP, IdempotentAnswer
from livecore.kernel.declarations.area import Areas
from livecore.kernel.storage.examination import Rule, all_under
from livecore.kernel.storage.reader import Reader
from livecore.kernel.storage.reads import AnyRead, Get, Scan
from livecore.kernel.time import HOUR
from livecore.kernel.units.due import DUE, DueWork


def rules_over(areas: Areas) -> tuple[Rule[Any], ...]:
    """The rule about due work, over the kinds that these areas handle."""
    return (Rule(table=DUE, needs=lambda _: (), judge=partial(_judge_due, areas)),)


def _judge_due(areas: Areas, _: Reader, work: DueWork) -> Iterator[str]:
    if work.kind not in areas.due:
        yield "is of a kind without a handler"


def _answer_needs(answer: IdempotentAnswer) -> Iterator[AnyRead]:
    yield Get(DUE, (SWEEP.kind, ""))
    if answer.shows == SEVERAL:
        yield Scan(MENTIONS_OF_ANSWER, (answer.owner, answer.idempotency_key))


def _judge_answer(reader: Reader, answer: IdempotentAnswer) -> Iterator[str]:
    work = reader.get(DUE, (SWEEP.kind, ""))
    # A finished sweep runs again at the next full hour, and has deleted every answer that had expired when it ran.
    finished = work is not None and work.attempts == 0 and work.begun_at is None and work.due_at % HOUR == 0
    if work is not None and finished and answer.expires_at <= work.due_at - HOUR:
        yield "is kept although the sweep after its expiry has run"
    if answer.shows == SEVERAL:
        mentions = all_under(reader, MENTIONS_OF_ANSWER, answer.owner, answer.idempotency_key)
        if not mentions or any(row.total != len(mentions) for row in mentions):
            yield "names several players, and would not be forgotten with each of them"


def _judge_mention(reader: Reader, row: AnswerMention) -> Iterator[str]:
    answer = reader.get(ANSWERS, (row.owner, row.idempotency_key))
    if answer is None or answer.shows != SEVERAL:
        yield "mentions a player in an answer that does not exist"


RULES: Final[tuple[Rule[Any], ...]] = (
    Rule(table=ANSWERS, needs=_answer_needs, judge=_judge_answer),
    Rule(
        table=ANSWER_MENTIONS, needs=lambda row: [Get(ANSWERS, (row.owner, row.idempotency_key))], judge=_judge_mention
    ),
)
