"""The settings of the populated game: the demo game's, with an event, a leaderboard and a resource of every kind more."""

from __future__ import annotations

import json
from typing import Any, Final

from livecore.demo import DEMO
from tests.populated.people import People

START: Final = "2026-01-05T00:00:00.000Z"
"""When it begins, a Monday."""
_XP: Final = [{"type": "currency", "resourceKey": "xp", "amount": 5}]
_EVENTS: Final[list[dict[str, Any]]] = [
    {
        "key": "hill-climb",
        "name": "Hill climb",
        "schedule": {"startsAt": START, "everySeconds": 7 * 86_400, "durationSeconds": 5 * 86_400},
        "metrics": [{"key": "seconds", "aggregation": "lowest"}, {"key": "crashes"}],
        "order": "asc",
        "attempts": {"durationSeconds": 3_600, "maxPerWindow": 5, "counts": "last"},
        "board": {"by": "segment", "segment": "country"},
        "validators": [{"key": "too-fast", "kind": "range", "metric": "seconds", "min": 20, "verdict": "flag"}],
    },
    {
        "key": "duel",
        "name": "Duel",
        "schedule": {"startsAt": START, "everySeconds": 7 * 86_400, "durationSeconds": 7 * 86_400},
        "metrics": [{"key": "points"}],
        "target": 50,
        "attempts": {"maxPerWindow": None},
        "lobby": {"capacity": 2, "fillSeconds": 3_600},
        "session": {"triggers": [{"label": "first", "type": "first_to_target"}], "resolution": "freeze"},
    },
    {
        "key": "opening",
        "name": "Grand opening",
        "schedule": {"windows": [{"startsAt": START, "endsAt": "2026-01-08T00:00:00Z"}]},
        "metrics": [{"key": "points"}],
        "rankRewards": [{"from": 1, "to": 3, "entries": _XP}],
    },
    {
        "key": "summer",
        "name": "Summer games",
        "schedule": {"windows": [{"startsAt": "2026-07-01T00:00:00Z", "endsAt": "2026-07-08T00:00:00Z"}]},
        "metrics": [{"key": "points"}],
    },
]
_BOARDS: Final[list[dict[str, Any]]] = [
    {
        "key": "hall-of-fame",
        "name": "Hall of fame",
        "validators": [{"key": "most", "kind": "range", "max": 10**9, "verdict": "reject"}],
    },
    {
        "key": "rating",
        "name": "Rating",
        "reset": "monthly",
        "source": "server",
        "rankRewards": [{"from": 1, "to": 3, "entries": _XP}],
    },
]


def populated_config(people: People) -> dict[str, Any]:
    """The settings; whoever gets them may change them."""
    config: dict[str, Any] = json.loads(DEMO)
    config["name"] = "Otter Kingdom"
    config["platforms"] = ["console-9"]
    config["exchangeRates"] |= {"JPY": "0.0067", "KWD": "3.25"}
    config["items"].append(
        {"key": "banner", "name": "Banner", "parameters": {"colours": ["red", "white"], "owner": None}}
    )
    config["gifting"]["cooldownSeconds"] = 3_600
    config["events"] += [dict(event) for event in _EVENTS]
    config["events"][-1]["name"] = f"{people.things[0]} & more"
    config["leaderboards"] += _BOARDS
    return config
