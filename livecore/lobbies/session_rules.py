"""Until when a session lasts, and the due work that ends it when its time is over."""

from __future__ import annotations

from typing import Final

from livecore.events.definition import EventDefinition
from livecore.events.refusals import AttemptFrozen
from livecore.events.window_records import EventWindow, definition_of
from livecore.kernel.time import SECOND, Millis, Timestamp
from livecore.kernel.units.unit import Unit
from livecore.lobbies.config import SESSION_RULES, SessionTrigger, triggers_of
from livecore.lobbies.lobby import Lobby, lobby_now

ELAPSED: Final = "lobbies.session_elapsed"
"""Due work: the time of the session of the lobby with this id is over."""


def trigger_of_time(definition: EventDefinition) -> SessionTrigger | None:
    """The trigger for time that is met first."""
    timed = [trigger for trigger in triggers_of(definition) if trigger.type == "elapsed"]
    return min(timed, key=lambda trigger: trigger.value or 0, default=None)


def _over_at(lobby: Lobby, window: EventWindow) -> Millis | None:
    """When the time of a session is over; `None` where it has none, or would outlast its window and ends with it."""
    trigger = trigger_of_time(definition_of(window))
    if trigger is None or trigger.value is None or lobby.started_at is None:
        return None
    over_at = lobby.started_at + trigger.value * SECOND
    return over_at if over_at < window.ends_at else None


def frozen_since(lobby: Lobby, window: EventWindow, now: Millis) -> Millis | None:
    """Since when nothing counts any more in a lobby, whether its due work has run or not; `None`: it still does."""
    if lobby.frozen_at is not None:
        return lobby.frozen_at
    over_at = _over_at(lobby, window)
    return over_at if over_at is not None and over_at <= now else None


def require_thawed(unit: Unit, lobby_id: str, window: EventWindow) -> None:
    """Raises `AttemptFrozen` if the session of a lobby has ended."""
    if SESSION_RULES.of(definition_of(window)) is None:
        return
    lobby = lobby_now(unit, lobby_id)
    frozen_at = frozen_since(lobby, window, unit.now)
    if frozen_at is not None:
        raise AttemptFrozen(lobby_id=lobby.lobby_id, frozen_at=Timestamp(frozen_at).wire)


def begin(unit: Unit, lobby: Lobby, window: EventWindow) -> None:
    """Schedule the end of a session that has a time."""
    over_at = _over_at(lobby, window)
    if over_at is not None:
        unit.schedule(ELAPSED, lobby.lobby_id, over_at, fresh=True)


def end(unit: Unit, lobby_id: str) -> None:
    """Schedule nothing for a session any more."""
    unit.cancel(ELAPSED, lobby_id)
