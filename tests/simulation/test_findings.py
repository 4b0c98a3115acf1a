"""What a run says about a configuration, and what it must not say."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.simulation.findings import findings_of
from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, run
from livecore.world.game import START

CUP: dict[str, Any] = {
    "key": "cup", "name": "Cup", "metrics": [{"key": "points"}],
    "schedule": {"startsAt": "2026-01-01T00:00:00.000Z", "everySeconds": 86400, "durationSeconds": 86400},
    "attempts": {"durationSeconds": 600, "maxPerWindow": 2},
    "rankRewards": [{"from": 1, "to": 3, "entries": [
        {"type": "crate", "resourceKey": "starter-chest", "amount": 1},
        {"type": "currency", "resourceKey": "gold", "amount": 5}]}],
}  # fmt: skip
KEEN = {
    "behaviours": [
        {"name": "core", "share": 1, "sessionsPerDay": 5, "churnPerDay": 0, "friendliness": 1, "generosity": 1,
         "arrival": {"atStart": 1}, "activities": {"events": 1, "guilds": 1, "crates": 1}}
    ]
}  # fmt: skip


def keen_game() -> str:
    """A cup whose ranks win crates, small guilds and few gifts."""
    data = json.loads(DEMO)
    data |= {"events": [CUP], "leaderboards": []}
    data["guilds"] |= {"maxMembers": 2, "createCost": []}
    data["gifting"] |= {"dailySendLimit": 1}
    return json.dumps(data)


@cache
def keen_season() -> Observed:
    """That game, played by everybody whenever they can."""
    return run(Plan(keen_game(), json.dumps(KEEN), 12, 5, 1, START))


def test_a_crate_that_a_rank_won_counts_once_though_claiming_its_grant_makes_another() -> None:
    """Each of the three ranks wins a crate and five gold."""
    seen = keen_season()
    won = {resource: amount for (event, _, resource), amount in seen.rank_rewards.items() if event == "cup"}
    assert won["crate:starter-chest"] > 3
    assert won["currency:gold"] == 5 * won["crate:starter-chest"]


def test_a_limit_that_players_keep_to_is_no_limit_that_nobody_reached() -> None:
    """They know how much they may, so nothing is refused; but there are players who had all of it."""
    seen = keen_season()
    kept_to = {"events[0].attempts.maxPerWindow", "guilds.maxMembers", "gifting.dailySendLimit"}
    refused = {code for _, code, _ in seen.refusals}
    assert "attempt_limit_reached" not in refused
    assert (seen.most_gifts_in_day, max(window.most_attempts for window in seen.windows)) == (1, 2)
    (found,) = [one.text for one in findings_of(seen, load_config(keen_game())) if "Nobody reached" in one.text]
    assert [path for path in kept_to if path in found] == []
    assert "social.maxFriends (" in found


def test_a_limit_that_nobody_comes_near_is_said() -> None:
    """The same players, where the limits are wide."""
    data = json.loads(keen_game())
    data["events"][0]["attempts"]["maxPerWindow"] = 90
    data["guilds"]["maxMembers"] = 90
    data["gifting"]["dailySendLimit"] = 90
    seen = run(Plan(json.dumps(data), json.dumps(KEEN), 12, 3, 1, START))
    (found,) = [one.text for one in findings_of(seen, load_config(json.dumps(data))) if "Nobody reached" in one.text]
    limits = ("events[0].attempts.maxPerWindow", "gifting.dailySendLimit", "guilds.maxMembers")
    assert [path for path in limits if f"{path} (90)" not in found] == []


def test_an_attempt_after_another_counts_once() -> None:
    """Its start is told by two events, of which one is about the attempt before it."""
    seen = keen_season()
    told = Counter[str]()
    for (_, kind), number in seen.webhooks.items():
        told[kind] += number
    assert told["event.attempt_restarted"] > 5
    assert sum(window.started for window in seen.windows) == told["event.attempt_started"]
