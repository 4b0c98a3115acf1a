"""The outcome of one attempt at a delivery: all that the rules of deliveries and endpoints need of an answer.

Any 2xx within ten seconds is success. Everything else is failure: other answers, a timeout, and any missing answer.
Redirects are failures too: they are never followed, because their address has not been checked. A failed answer may say
when to try again. 410 means never, and pauses the endpoint.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

import attrs

from livecore.kernel.time import Millis, Timestamp

TIMEOUT_SECONDS: Final = 10
"""How long one attempt may take in total, from resolving the name to the last byte that is read."""
MAX_ANSWER_BYTES: Final = 16 * 1024
"""How much of an answer's body is read at most; only the status decides."""
MAX_HEAD_BYTES: Final = 32 * 1024
"""How many bytes may come before the body: the answer's head, and all informational answers before it."""
MAX_INFORMATIONAL: Final = 8
"""How many informational answers (status 1xx) may come before the answer."""

Fault: TypeAlias = Literal[
    "timeout",
    "dns_failed",
    "address_refused",
    "connection_failed",
    "connection_reset",
    "tls_failed",
    "malformed_answer",
]
"""Why there was no answer."""
_ABSENCES: Final[frozenset[str]] = frozenset({"timeout", "dns_failed", "connection_failed", "connection_reset"})
"""The faults of an attempt that found nobody: refused or unreachable, reset, timed out, no name.

The other faults are not among them: a receiver with a wrong certificate or a malformed answer is there, and an address that
is refused was never asked.
"""

_IMF_FIXDATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([0-9]{4}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MOST_SECONDS = 10**9


@attrs.frozen(kw_only=True)
class Outcome:
    """One attempt's result: `status` where there was an answer, `error` in words where the attempt failed."""

    delivered: bool
    status: int | None = None
    error: str | None = None
    retry_after_seconds: int | None = None

    @property
    def gone(self) -> bool:
        """Whether the receiver answered 410: it does not want to be called again."""
        return self.status == 410

    @property
    def absent(self) -> bool:
        """Whether the attempt found nobody, as while a receiver is restarted."""
        return self.status is None and self.error in _ABSENCES


def answered(status: int, *, retry_after: str | None = None, now: Millis) -> Outcome:
    """The outcome of an answer with `status`; `retry_after` is its header of that name, if it had one."""
    if 200 <= status < 300:
        return Outcome(delivered=True, status=status)
    return Outcome(
        delivered=False,
        status=status,
        error=f"the endpoint answered {status}",
        retry_after_seconds=retry_after_seconds(retry_after, now),
    )


def unanswered(fault: Fault) -> Outcome:
    """The outcome of an attempt that got no complete answer."""
    return Outcome(delivered=False, error=fault)


def retry_after_seconds(header: str | None, now: Millis) -> int | None:
    """Read a `Retry-After` header, which is a count of seconds or an HTTP date; `None` for anything else.

    A date that has passed is 0 seconds. The number is bounded, so that no header can overflow a clock.
    """
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,18}", text):
        return min(int(text), _MOST_SECONDS)
    moment = _http_date(text)
    if moment is None:
        return None
    return min(max(0, -((now - moment) // 1000)), _MOST_SECONDS)


def _http_date(text: str) -> Millis | None:
    """The instant of an HTTP date in the modern form (IMF-fixdate)."""
    match = _IMF_FIXDATE.fullmatch(text)
    if match is None:
        return None
    day, month, year, hour, minute, second = match.groups()
    try:
        moment = datetime(
            int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second), tzinfo=UTC
        )
    except ValueError:
        return None
    return int(Timestamp.of(moment))
