"""The refusals about replacing a game's configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from livecore.kernel.errors import Conflict, Json, NotFound


class ConfigRefused(Conflict):
    """A configuration cannot replace the present one yet; `details.reasons` say why."""

    code = "settings_refused"
    text = "The configuration cannot change yet."
    remedy = "Read `details.reasons`: wait until what they name is over, or keep it in the configuration."
    example: ClassVar[Mapping[str, Json]] = {"reasons": ["event race is open until 2026-02-07T09:30:00.000Z"]}

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(f"the configuration cannot change: {'; '.join(reasons)}", reasons=list(reasons))
        self.reasons = tuple(reasons)


class PaidGiftsPending(Conflict):
    """The economy's mode cannot change while paid gifts are pending; `details.number` is how many."""

    code = "paid_gifts_pending"
    text = "The economy's mode cannot change while paid gifts are pending."
    remedy = "Wait until they are claimed or have expired, or have them given back with `refundPendingGifts`."
    example: ClassVar[Mapping[str, Json]] = {"number": 2}

    def __init__(self, number: int, given_back: int | None = None) -> None:
        gifts = "1 paid gift is" if number == 1 else f"{number} paid gifts are"
        if given_back is None:
            how = "refundPendingGifts, or --refund-pending-gifts"
            reason = f"{gifts} pending: wait for them, or have them given back first ({how})"
        else:
            reason = f"{gifts} still pending, whose senders have no room for the amount ({given_back} were given back)"
        super().__init__(f"economyMode cannot change while {reason}", number=number)
        self.number = number


class ConfiguredMeanwhile(Conflict):
    """The game's configuration has been changed since it was read; `details.version` is the present version."""

    code = "settings_changed"
    text = "the configuration was changed in the meantime: look at the difference again"
    remedy = "Read the settings and their difference again, and apply them with the present version."
    example: ClassVar[Mapping[str, Json]] = {"version": 7}


class SettingsVersionNotFound(NotFound):
    """The game's history has no such version."""

    code = "settings_version_not_found"
    text = "There is no such version of the settings."
    named = "There is no version {} of the settings"
    remedy = "List the history and name one of its versions."
