"""When a call is tried again, and after how long: pure arithmetic on the attempts so far.

A call is tried again when no answer came, or when its status is 429, 502, 503 or 504. Every other answer is final, and so is
a failure to agree on encryption. A mutation may be repeated because each attempt carries the same idempotency key.

The pause doubles with each attempt up to a cap, and half of it is random, so that a thousand games that lost the same server
do not try again at the same moment. Where the server names a time with `Retry-After`, no attempt is made before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from livecore.errors.families import ApiError, LivecoreError
from livecore_client._failures import ConfigurationError, ConnectionFailed, TimedOut, TlsFailed

__all__ = ["NO_RETRIES", "RETRIED_STATUSES", "RetryPolicy", "retry_after_seconds"]

RETRIED_STATUSES = frozenset({429, 502, 503, 504})
"""The only statuses that are tried again."""


# A dataclass and not an attrs class, here and in the other modules that are imported first: importing attrs takes a third
# of the time of importing httpx, and the import of a client must stay cheap.
@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a call is tried: at most `max_attempts` times, and not again after `total_seconds`.

    Without `total_seconds`, the client's deadline alone decides how long a call may take. A `total_seconds` above the
    deadline moves the deadline, unless `deadline_seconds` is given.
    The pause before attempt n+1 is random, between half and all of `base_seconds * 2**(n-1)`, capped at `cap_seconds`.
    Raises `ConfigurationError` for fewer than one attempt or a negative time.
    """

    max_attempts: int = 4
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    total_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.max_attempts < 1 or min(self.base_seconds, self.cap_seconds, self.total_seconds or 0.0) < 0:
            raise ConfigurationError("a retry policy needs at least one attempt, and no negative time")

    def pause_seconds(
        self, failure: LivecoreError, *, attempt: int, elapsed_seconds: float, chance: float
    ) -> float | None:
        """How long to wait after attempt number `attempt` failed, or `None` when the failure is final.

        `elapsed_seconds` counts from the beginning of the first attempt; `chance` is uniformly random from 0 to 1.
        """
        if attempt >= self.max_attempts or not _is_passing(failure):
            return None
        doubled = self.base_seconds * 2.0 ** min(attempt - 1, 32)
        pause = min(self.cap_seconds, doubled) * (0.5 + 0.5 * chance)
        if isinstance(failure, ApiError) and failure.retry_after_seconds is not None:
            # Spread attempts a little after the named moment as well: the server names the same one to all clients.
            pause = failure.retry_after_seconds + min(pause, 0.1 * failure.retry_after_seconds)
        is_too_late = self.total_seconds is not None and elapsed_seconds + pause > self.total_seconds
        return None if is_too_late else pause


NO_RETRIES = RetryPolicy(max_attempts=1)
"""Every failure is final at once."""


def _is_passing(failure: LivecoreError) -> bool:
    if isinstance(failure, ApiError):
        return failure.status in RETRIED_STATUSES
    return isinstance(failure, ConnectionFailed | TimedOut) and not isinstance(failure, TlsFailed)


def retry_after_seconds(value: str | None, *, now_seconds: float) -> float | None:
    """The time of a `Retry-After` header, in seconds from now; `None` when it cannot be read.

    Both forms of RFC 9110 are read, whole seconds and a date: the service sends seconds, but a proxy may send a date.
    """
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, moment - now_seconds)
