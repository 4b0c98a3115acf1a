"""When virtual players are there: local time, daylight saving, arrival and leaving, and nobody by anybody else."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import pairwise

import pytest

from livecore.kernel.time import DAY, HOUR, MINUTE, Timestamp
from livecore.simulation.attendance import Attended, attendance
from livecore.simulation.draws import Draws
from livecore.simulation.presets import PRESETS
from livecore.simulation.traits import Traits
from livecore.simulation.zones import UnknownZone, instant, local_day, zone, zones_version

ONE_O_CLOCK = tuple(float(hour == 13) for hour in range(24))
DAILY: Traits = PRESETS["casual"].evolved(
    sessions_per_day=3.0, churn_per_day=0.0, at_start=1.0, hours=ONE_O_CLOCK, weekdays=(1.0,) * 7, session_minutes=1.0
)


def life(traits: Traits, where: str, start: str, days: int, who: str = "anna") -> list[Attended]:
    """What happens in a player's life."""
    begins = int(Timestamp.parse(start))
    return list(attendance(who, traits, where, Draws(bytes(32)), begins, begins + days * DAY))


def local(at: int, where: str) -> dt.datetime:
    """The local time of an instant."""
    return Timestamp(at).datetime.astimezone(zone(where))


@pytest.mark.parametrize(("start", "shift"), [("2026-03-26T00:00:00.000Z", -HOUR), ("2026-10-22T00:00:00.000Z", HOUR)])
def test_a_player_comes_at_the_same_local_hour_before_and_after_the_clocks_change(start: str, shift: int) -> None:
    """In spring the same hour is an hour earlier in UTC, in autumn an hour later."""
    sessions = life(DAILY, "Europe/Berlin", start, 7)
    assert {local(one.at, "Europe/Berlin").hour for one in sessions} == {13}
    first = {one.at % DAY // HOUR for one in sessions if one.at < int(Timestamp.parse(start)) + 2 * DAY}
    last = {one.at % DAY // HOUR for one in sessions if one.at > int(Timestamp.parse(start)) + 5 * DAY}
    assert first
    assert {hour + shift // HOUR for hour in first} == last


def test_an_hour_that_occurs_twice_or_not_at_all_has_one_instant() -> None:
    """At 2:30 in the night in which the clocks change."""
    spring, autumn = (dt.date(2026, 3, 29).toordinal(), dt.date(2026, 10, 25).toordinal())
    half_past_two = 150 * 60
    assert Timestamp(instant("Europe/Berlin", spring, half_past_two)).wire == "2026-03-29T01:30:00.000Z"
    assert Timestamp(instant("Europe/Berlin", autumn, half_past_two)).wire == "2026-10-25T00:30:00.000Z"
    assert local_day("America/New_York", int(Timestamp.parse("2026-03-29T03:59:59.999Z"))) == spring - 1


def test_the_zones_come_from_the_package_with_its_version() -> None:
    """So that a run can say which rules of time zones it has used."""
    assert zones_version() is not None
    assert zone("Etc/GMT+5").utcoffset(Timestamp(0).datetime) == dt.timedelta(hours=-5)


@pytest.mark.parametrize(
    "name", ["", "Europe", "Europe/Atlantis", "../tzdata/zones", "a/../UTC", "/etc/localtime", "UTC\n", "x" * 65]
)
def test_what_is_no_zone_is_unknown(name: str) -> None:
    """And no path of the machine is opened by it."""
    with pytest.raises(UnknownZone):
        zone(name)


def test_sessions_follow_the_weights_of_weekdays() -> None:
    """On a day without weight nobody comes; the mean of a week stays."""
    traits = DAILY.evolved(weekdays=(0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0), hours=PRESETS["casual"].hours)
    sessions = life(traits, "UTC", "2026-01-06T00:00:00.000Z", 140)
    by_day = Counter(local(one.at, "UTC").weekday() for one in sessions)
    assert by_day[0] == 0
    assert by_day[6] > 2 * by_day[3]
    assert 140 * 3 * 0.85 < len(sessions) < 140 * 3 * 1.1


@pytest.mark.parametrize("minutes", [8, 1_440])
def test_a_life_has_an_order(minutes: float) -> None:
    """Time never goes back; after leaving comes coming back, and then a session; sessions do not overlap."""
    traits = PRESETS["lapsed"].evolved(return_per_day=0.2, session_minutes=minutes)
    returned = 0
    for number in range(20):
        happened = life(traits, "Asia/Tokyo", "2026-01-01T00:00:00.000Z", 60, f"player-{number}")
        times = [one.at for one in happened]
        assert times == sorted(times)
        assert happened[0].what == "session"
        for before, after in pairwise(happened):
            allowed = {"session": ("session", "left"), "left": ("came_back",), "came_back": ("session",)}
            assert after.what in allowed[before.what]
            assert before.what == "came_back" or after.at > before.at + before.length
        returned += sum(one.what == "came_back" for one in happened)
    assert returned > 20


def test_arrival_is_spread_over_the_days_that_the_population_says() -> None:
    """A part is there at the start; the others come, and nobody after the last day."""
    traits = DAILY.evolved(at_start=0.5, over_days=4)
    first = Counter(
        (
            life(traits, "UTC", "2026-01-01T00:00:00.000Z", 10, f"p{number}")[0].at
            - int(Timestamp.parse("2026-01-01T00:00:00.000Z"))
        )
        // DAY
        for number in range(200)
    )
    assert 75 < first[0] < 125
    assert set(first) == {0, 1, 2, 3, 4}


def test_a_life_is_nobody_elses() -> None:
    """Another player's draws, or more of them, change nothing; another name does."""
    draws, start = Draws(bytes(32)), int(Timestamp.parse("2026-01-01T00:00:00.000Z"))
    alone = life(DAILY, "UTC", "2026-01-01T00:00:00.000Z", 10)
    lives = {name: attendance(name, DAILY, "UTC", draws, start, start + 10 * DAY) for name in ("bob", "anna", "carl")}
    both = {name: [next(lives[name])] for name in lives}
    for name in ("carl", "anna", "bob"):
        draws.next(name, "something else")
        both[name] += list(lives[name])
    assert both["anna"] == alone != both["bob"]
    assert all(one.length >= 1 and one.length < 2 * MINUTE for one in alone)
