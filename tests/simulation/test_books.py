"""What a run counts closes as books do: every amount has a cause, and nothing is counted twice."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from livecore.demo import DEMO
from livecore.kernel.time import HOUR, Timestamp
from livecore.simulation.figures import MOVED
from livecore.simulation.observed import Observed, Window
from livecore.simulation.observing.origins import OpenWindow, Origins
from livecore.simulation.run import Plan, run
from livecore.world import World
from livecore.world.game import START

SEASON = Path(__file__).parents[2] / "examples" / "season"
DAYS = 9
STARTS = {"midnight": START, "noon": Timestamp(START + 12 * HOUR)}


@cache
def observed(game: str, start: str) -> Observed:
    """A season of the demo game, or of the example season."""
    files = (None, None) if game == "demo" else (SEASON / "game.json", SEASON / "population.json")
    config, population = (None if path is None else path.read_text("utf-8") for path in files)
    return run(Plan(config or DEMO, population, 40, DAYS, 5, STARTS[start]))


@pytest.fixture(params=[(game, start) for game in ("demo", "season") for start in STARTS], ids="-".join)
def seen(request: pytest.FixtureRequest) -> Observed:
    """What each of the seasons has shown."""
    return observed(*request.param)


def test_what_came_and_went_is_what_players_hold_on_every_day(seen: Observed) -> None:
    """Minted less burned less what is on its way from one player to another is the supply."""
    assert len(seen.supply) > 3
    for resource, days in seen.supply.items():
        minted = burned = moving = 0
        for day in range(DAYS):
            for flows, sign in ((seen.gained, 1), (seen.spent, -1)):
                today = {cause: 0 for _, key, cause, _ in flows if key == resource}
                for (on, key, cause, _), amount in flows.items():
                    if (on, key) == (day, resource):
                        assert amount >= 0
                        today[cause] += amount
                moved = sum(amount for cause, amount in today.items() if cause in MOVED)
                moving -= sign * moved
                if sign > 0:
                    minted += sum(today.values()) - moved
                else:
                    burned += sum(today.values()) - moved
            assert minted - burned - moving == days[day], (resource, day)
            assert moving >= 0
        assert days[-1] == sum(seen.balances[resource])
        assert moving <= seen.waiting.get(resource, 0)


def test_every_flow_has_a_cause_and_a_behaviour(seen: Observed) -> None:
    """Nothing is laid at the backend's door that it has not done, and everybody has registered."""
    flows = [*seen.gained, *seen.spent]
    causes = {cause for _, _, cause, _ in flows}
    assert {cause for cause in causes if cause.startswith("backend:")} <= {
        "backend:daily-bonus",
        "backend:morning-tide",
    }
    assert not {cause for cause in causes if cause.endswith((":", "/"))}
    assert {behaviour for _, _, _, behaviour in flows} <= set(seen.behaviours)
    assert {day for day, _, _, _ in flows} == set(range(DAYS))


def test_items_that_players_use_up_are_no_gift_of_the_backend() -> None:
    seen = observed("demo", "midnight")
    assert sum(amount for (_, key, cause, _), amount in seen.spent.items() if cause == "consumed") > 5
    assert not [key for key in seen.gained if key[2] == "consumed"]


def test_grants_are_claimed_or_expire_or_wait(seen: Observed) -> None:
    """Each once, by the cause that it had when it ended."""
    made, claimed, expired = (
        sum(counted.values()) for counted in (seen.granted, seen.grants_claimed, seen.grants_expired)
    )
    assert made - claimed - expired >= 0
    assert min(seen.granted.values()) >= 0
    for gifts in seen.gifts.values():
        assert gifts.claimed + gifts.expired <= gifts.sent
    for crate in seen.crates.values():
        assert 0 <= crate.opened <= crate.granted


def test_a_daily_event_has_one_window_on_each_day() -> None:
    """One that opens at midnight belongs to the day that begins, and none begins after the run."""
    for game, event in (("demo", "daily-dash"), ("season", "dawn-catch")):
        windows = [window for window in observed(game, "midnight").windows if window.event == event]
        assert [window.starts_on for window in windows] == list(range(DAYS))
        assert [window.ends_on for window in windows] == list(range(DAYS))
        assert all(window.active_players for window in windows)


def test_a_crate_is_granted_once() -> None:
    """A reward of a crate makes a grant that is the crate when it is claimed: it is counted with the reward alone."""
    seen = observed("season", "midnight")
    windows = [window for window in seen.windows if window.event == "dawn-catch"]
    by_rank = seen.rank_rewards["dawn-catch", "", "crate:drift-bottle"]
    by_milestone = sum(made for (_, cause), made in seen.granted.items() if cause == "milestone:dawn-catch/a-boat")
    assert min(by_rank, by_milestone) > 20
    assert sum(window.rewards["crate:drift-bottle"] for window in windows) == by_rank + by_milestone


def test_what_is_over_is_forgotten() -> None:
    """Two days after a window has closed, or memory would grow with what happened."""
    origins = Origins(World(DEMO))
    origins.windows["win_1"] = OpenWindow(Window("tandem", 0), ended_on=3)
    origins.team("tea_1", "tandem", "win_1")
    origins.attempt("att_1", "win_1", "lbd_1")
    assert origins.event_of_team("tea_1") == "tandem"
    assert origins.window_of("att_1") is origins.window_of("lbd_1") is not None
    assert origins.forget(4) == []
    assert len(origins.forget(5)) == 1
    assert origins.event_of_team("tea_1") == ""
    assert origins.window_of("att_1") is origins.window_of("lbd_1") is None
