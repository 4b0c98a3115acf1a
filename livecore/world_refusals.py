"""What the callers of a world raise where the service refuses."""

from __future__ import annotations

from livecore.kernel.errors import JsonObject, Refusal
from livecore.kernel.exact import plain_copy
from livecore.kernel.wire import compact

__all__ = ["WorldRefused", "refused", "refused_by"]


class WorldRefused(Exception):
    """A call that the service refused: its status, stable code, message and details."""

    def __init__(self, status: int, code: str, message: str, details: JsonObject) -> None:
        # The message of a failed validation names the first field, which is usually the only one.
        fields = details.get("fields")
        complete = not details or (isinstance(fields, dict) and len(fields) == 1)
        super().__init__(f"{status} {code}: {message}" + ("" if complete else f" {compact(details)}"))
        self.status = status
        self.code = code
        self.message = message
        self.details = details


def refused_by(refusal: Refusal) -> WorldRefused:
    """What a world raises for a refusal."""
    details = plain_copy(refusal.details)
    assert isinstance(details, dict)  # noqa: S101 - a copy of an object
    return WorldRefused(refusal.status, refusal.code, refusal.message, details)


def refused(status: int, error: JsonObject) -> WorldRefused:
    """What a world raises for an answer with an error."""
    details = error.get("details", {})
    assert isinstance(details, dict)  # noqa: S101 - the envelope's shape
    return WorldRefused(status, str(error["code"]), str(error["message"]), details)
