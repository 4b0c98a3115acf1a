"""Windows open and close once, in order, whatever the clock and the process do meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from livecore.api.configuration.config_refusals import ConfigRefused
from livecore.api.configuration.game_config import parse_config
from livecore.events.definition import EventDefinition
from livecore.events.window_records import EVENTS, WINDOWS, definition_of
from livecore.events.windows import CLOSE, OPEN, open_due
from livecore.kernel.errors import JsonObject
from livecore.kernel.time import DAY, HOUR, MINUTE, Timestamp
from livecore.kernel.units.due import DUE
from livecore.kernel.wire import decode
from livecore.world import World
from tests.added_game import STORES, AddedGame, findings
from tests.competition.games import HOURLY, event, with_events
from tests.worlds import ask, config, rows_of


def told(game: World, environment: str = "test") -> list[tuple[str, str]]:
    """The kind of each event about a window, and when that window begins, in the order of their emission."""
    kinds = ("window.opened", "window.closed")
    return [
        (seen.kind.partition(".")[2], str(seen.data["startsAt"])[11:16])
        for seen in game.events
        if seen.kind in kinds and seen.environment == environment
    ]


def test_a_window_opens_and_closes_at_its_time() -> None:
    """In both environments, each with windows of its own, and the payload says when it did."""
    game = with_events(event())
    game.advance(hours=1)
    assert told(game) == [("opened", "00:00"), ("closed", "00:00"), ("opened", "01:00")]
    assert told(game, "live") == told(game)
    first, second = game.emitted("window.opened")[:2]
    assert first["eventWindowId"] != second["eventWindowId"]
    (closed, *_) = game.emitted("window.closed")
    assert (closed["closedAt"], closed["endsAt"], closed["status"]) == (
        "2026-01-01T00:30:00.000Z", "2026-01-01T00:30:00.000Z", "closed",
    )  # fmt: skip


def test_a_schedule_without_end_costs_no_rows_ahead_of_time() -> None:
    """One piece of due work opens the next window, and one closes the window that is open."""
    game = with_events(event())
    game.advance(hours=5)
    assert len(rows_of(game, WINDOWS)) == 6
    assert sorted(work.kind for work in rows_of(game, DUE) if work.kind in (OPEN, CLOSE)) == [CLOSE, OPEN]


def test_a_window_that_has_begun_when_the_event_is_declared_is_open_and_earlier_ones_are_not_made_up() -> None:
    """The game joins the schedule where it is."""
    game = with_events()
    game.advance(hours=2, minutes=10)
    game.configure({**config(), "events": [event()]})
    game.advance(seconds=1)
    assert told(game) == [("opened", "02:00")]


def test_listed_windows_open_each_once_and_then_the_event_is_over() -> None:
    """Also when the list is not in order."""
    listed = [("2026-01-03", "2026-01-04"), ("2026-01-01", "2026-01-02")]
    windows = [{"startsAt": f"{start}T00:00:00Z", "endsAt": f"{end}T00:00:00Z"} for start, end in listed]
    game = with_events(event(schedule={"windows": windows}))
    game.advance(days=30)
    assert told(game) == [("opened", "00:00"), ("closed", "00:00")] * 2
    assert not [work for work in rows_of(game, DUE) if work.kind in (OPEN, CLOSE)]


def test_until_is_when_no_further_window_begins() -> None:
    """The last one lasts as long as any."""
    game = with_events(event(schedule={**HOURLY, "until": "2026-01-01T02:00:00Z"}))
    game.advance(days=1)
    assert told(game) == [("opened", "00:00"), ("closed", "00:00"), ("opened", "01:00"), ("closed", "01:00")]


def test_what_was_missed_is_caught_up_in_order() -> None:
    """Nobody ran due work for three hours; then each window opens and closes, once, before the next one opens."""
    game = with_events(event())
    game.now += 3 * HOUR + 10 * MINUTE
    game.advance(seconds=0)
    expected = [(what, f"0{hour}:00") for hour in range(3) for what in ("opened", "closed")]
    assert told(game) == [*expected, ("opened", "03:00")]


def test_a_clock_that_is_set_back_changes_no_outcome() -> None:
    """A window that is open stays so, and none opens a second time."""
    game = with_events(event())
    game.advance(hours=1, minutes=5)
    game.now -= HOUR
    game.advance(seconds=1)
    game.advance(hours=3)
    opened = [when for what, when in told(game) if what == "opened"]
    assert len(opened) == len(set(opened))
    closed = [when for what, when in told(game) if what == "closed"]
    assert closed == opened[: len(closed)]


def test_a_window_keeps_the_definition_with_which_it_opened() -> None:
    """Another configuration holds from the next window on."""
    game = with_events(event(target=10))
    game.advance(minutes=1)
    game.configure({**config(), "events": [event(target=20)]})
    game.advance(hours=1)
    first, second = sorted(rows_of(game, WINDOWS), key=lambda window: window.starts_at)
    for window, target in ((first, 10), (second, 20)):
        declared = decode(EventDefinition, json.loads(window.definition))
        assert declared.target == target
        assert declared.schedule.windows is not None
        (only,) = declared.schedule.windows
        assert (int(only.starts_at), int(only.ends_at)) == (window.starts_at, window.ends_at)


def test_a_window_that_has_begun_keeps_its_definition_though_due_work_has_not_opened_it() -> None:
    """What is applied between the beginning of a window and its opening is for the next one; each opens once."""
    game = with_events(event())
    game.advance(hours=1, minutes=-1)
    game.now += 2 * HOUR + MINUTE
    game.configure({**config(), "events": [event(target=7)]})
    anna = game.player("anna")
    assert ask(anna, "events.list")["events.0.target"] is None
    game.advance(seconds=2)
    windows = sorted(rows_of(game, WINDOWS), key=lambda window: window.starts_at)
    assert [pair[0] for pair in told(game) if pair[0] == "opened"] == ["opened"] * 4
    assert [definition_of(window).target for window in windows] == [None] * 4
    game.advance(hours=1)
    assert ask(anna, "events.list")["events.0.target"] == 7


def test_another_schedule_begins_after_the_window_that_is_open() -> None:
    """Windows of one event do not overlap, also where the old schedule and the new one would."""
    game = with_events(event())
    game.advance(minutes=1)
    game.configure({**config(), "events": [event(schedule={**HOURLY, "everySeconds": 600, "durationSeconds": 600})]})
    game.advance(minutes=44)
    assert told(game) == [
        ("opened", "00:00"), ("closed", "00:00"), ("opened", "00:30"), ("closed", "00:30"), ("opened", "00:40"),
    ]  # fmt: skip


def test_an_event_with_an_open_window_cannot_be_removed() -> None:
    """The refusal says which and until when, in both environments, and everything stays as it was."""
    game = with_events(event())
    game.advance(minutes=1)
    before = game.store.dump()
    with pytest.raises(ConfigRefused) as refused:
        game.configure(config())
    assert refused.value.reasons == (
        "the event 'race' has a window in test that is open until 2026-01-01T00:30:00.000Z",
        "the event 'race' has a window in live that is open until 2026-01-01T00:30:00.000Z",
    )
    assert game.store.dump() == before


def test_an_event_that_was_removed_opens_no_window_and_begins_anew_when_it_is_back() -> None:
    """It keeps its id, and the windows between are not made up for."""
    game = with_events(event())
    game.advance(minutes=31)
    game.configure(config())
    game.advance(hours=4)
    assert [when for what, when in told(game) if what == "opened"] == ["00:00"]
    (gone,) = rows_of(game, EVENTS)
    game.configure({**config(), "events": [event()]})
    game.advance(hours=1)
    assert [when for what, when in told(game) if what == "opened"] == ["00:00", "05:00"]
    assert [row.event_id for row in rows_of(game, EVENTS)] == [gone.event_id]


def test_due_work_in_a_process_with_the_configuration_before_opens_what_is_declared_now() -> None:
    """A server learns of another configuration seconds later; meanwhile no event is lost."""
    game = with_events()
    game.advance(minutes=10)
    stale = game.game
    game.configure({**config(), "events": [event()]})
    fresh, game.game = game.game, stale
    game.advance(seconds=1)
    assert told(game) == [("opened", "00:00")]
    game.game = fresh
    game.advance(hours=1)
    assert told(game) == [("opened", "00:00"), ("closed", "00:00"), ("opened", "01:00")]


def test_an_event_whose_window_has_only_been_missed_cannot_be_removed_either() -> None:
    """After downtime the window that should be open counts, and not the first of those that were missed."""
    game = with_events(event())
    game.now += 3 * HOUR + MINUTE
    with pytest.raises(ConfigRefused, match="is open until 2026-01-01T03:30"):
        game.configure(config())
    game.now += 30 * MINUTE
    game.configure(config())


def test_another_schedule_loses_no_window_that_was_missed() -> None:
    """Those of the schedule before it open and close all the same, each once."""
    game = with_events(event())
    game.now += 2 * HOUR + MINUTE
    game.configure({**config(), "events": [event(schedule={**HOURLY, "startsAt": "2026-01-01T05:00:00Z"})]})
    game.advance(hours=3)
    assert [when for what, when in told(game) if what == "opened"] == ["00:00", "01:00", "02:00", "05:00"]
    assert [when for what, when in told(game) if what == "closed"] == ["00:00", "01:00", "02:00"]


def test_a_window_that_does_not_close_holds_back_the_next_one() -> None:
    """They open and close one after another, also where the work of both is due at the same moment."""
    game = with_events(event(schedule={**HOURLY, "durationSeconds": 3_600}))
    game.advance(minutes=1)
    game.now += 2 * HOUR
    game.unit_of_work(lambda unit: open_due(unit, "race"))
    assert told(game) == [("opened", "00:00")]
    game.advance(seconds=2)
    assert told(game) == [
        ("opened", "00:00"), ("closed", "00:00"), ("opened", "01:00"), ("closed", "01:00"), ("opened", "02:00"),
    ]  # fmt: skip


EVERY_DAY: JsonObject = {**HOURLY, "everySeconds": 86_400, "durationSeconds": 86_400}


@pytest.fixture(params=sorted(STORES))
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game with an event, over each of the stores."""
    declared: JsonObject = {**config(), "events": [event(schedule=EVERY_DAY)]}
    with STORES[request.param](tmp_path) as store:
        yield AddedGame(store, config=parse_config(declared))


def test_the_stores_agree_about_windows(game: AddedGame) -> None:
    """Back to back, they close and open at one moment, and a week that was missed is caught up."""
    game.now += 7 * DAY
    for _ in range(40):
        game.run_due()
    windows = sorted(game.rows(WINDOWS), key=lambda window: window.starts_at)
    assert [window.status for window in windows] == ["closed"] * 7 + ["active"]
    for earlier, later in pairwise(windows):
        assert earlier.ends_at == later.starts_at
    assert windows[-1].starts_at <= game.now < windows[-1].ends_at
    assert Timestamp(windows[0].starts_at).wire == HOURLY["startsAt"]


@pytest.mark.parametrize("game", ["postgres", "sqlite"], indirect=True)
def test_the_checker_finds_what_will_not_open_or_close(game: AddedGame) -> None:
    """An event without the work that opens its next window, and a window without the work that closes it."""
    game.run_due()
    (window,) = game.rows(WINDOWS)
    assert findings(game) == []
    game.in_unit(lambda unit: unit.cancel(OPEN, "race"))
    game.in_unit(lambda unit: unit.cancel(CLOSE, window.window_id))
    assert findings(game) == [
        ("competition_events", "has a further window, which will not open"),
        ("event_windows", "is active and will not close"),
    ]
