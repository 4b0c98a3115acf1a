"""What a receiver answered to one delivery, as far as it is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from livecore.kernel.values import keyword_value
from livecore.rehearsal.deliveries import Delivery

APPLIED_HEADER: Final = "X-Svc-Webhook-Applied"
"""The header of an answer by which a receiver says whether it acted on the delivery: `1`, or `0`."""
_MOST_UNANSWERED: Final = 3
_MOST_REFUSED: Final = 10


@keyword_value
class Answer:
    """An answer: its status, or in words why there was none; and after how many seconds it was complete.

    `applied` is what the receiver says of itself, `None` where it says nothing. `fault` says what went wrong: `timeout`, or
    any other text.
    """

    status: int | None
    seconds: float
    applied: bool | None = None
    fault: str | None = None

    @property
    def accepted(self) -> bool:
        """Whether the delivery counts as delivered."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def shown(self) -> str:
        """The answer in words that continue "it …"."""
        said = "gave no complete answer" if self.status is None else f"answered {self.status}"
        return said if self.fault is None else f"{said} ({self.fault})"


@keyword_value
class Exchange:
    """A delivery and its answer."""

    delivery: Delivery
    answer: Answer


def read_applied(header: str | None) -> bool | None:
    """The value of the header `X-Svc-Webhook-Applied`; `None` where there is none, or another text than `1` and `0`."""
    return {"1": True, "0": False}.get((header or "").strip())


def is_hopeless(exchanges: Sequence[Exchange]) -> bool:
    """Whether nothing is learned from going on: no answer three times in a row, or the first ten right ones all refused."""
    waited = [exchange for exchange in exchanges if not exchange.delivery.hangs_up]
    if _count_last(waited) >= _MOST_UNANSWERED:
        return True
    right = [exchange for exchange in waited if exchange.delivery.right]
    return len(right) >= _MOST_REFUSED and not any(exchange.answer.accepted for exchange in right)


def _count_last(exchanges: Sequence[Exchange]) -> int:
    """How many of the last exchanges in a row had no answer."""
    silent: Iterable[Exchange] = takewhile(lambda exchange: exchange.answer.status is None, reversed(exchanges))
    return sum(1 for _ in silent)
