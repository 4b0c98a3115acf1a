"""Games with events and leaderboards, for the tests of the competition."""

from __future__ import annotations

from livecore.kernel.errors import JsonObject
from livecore.world import World
from tests.worlds import config

HOURLY: JsonObject = {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 3_600, "durationSeconds": 1_800}
"""A window of half an hour every hour, from the moment on at which a world begins."""


def event(key: str = "race", **fields: object) -> JsonObject:
    """An event that counts points."""
    usual: JsonObject = {"name": key.title(), "schedule": HOURLY, "metrics": [{"key": "points"}]}
    return {"key": key, **usual, **fields}  # type: ignore[dict-item] # JSON, as far as a test gives it


def leaderboard(key: str = "weekly", **fields: object) -> JsonObject:
    """A shared leaderboard that begins anew every week."""
    return {"key": key, "name": key.title(), "reset": "weekly", **fields}  # type: ignore[dict-item] # as above


def with_events(*events: JsonObject, **fields: object) -> World:
    """A world whose game has these events."""
    return World({**config(), "events": list(events), **fields})
