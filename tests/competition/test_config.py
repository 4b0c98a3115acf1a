"""Events and leaderboards in the configuration: what is missing is filled in, and each fault is named with its path."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from livecore import World
from livecore.api.configuration.differences import differences
from livecore.api.configuration.game_config import config_schema, parse_config, stored_config
from livecore.events.window_records import WINDOWS
from livecore.kernel.errors import JsonObject, ValidationFailed
from livecore.kernel.wire import compact, encode
from livecore.lobbies.config import LOBBY_RULES, SESSION_RULES
from livecore.teams.config import TEAM_RULES
from tests.competition.games import HOURLY, event, leaderboard
from tests.competition.playing import score
from tests.patience import PATIENCE_SECONDS
from tests.worlds import ask, config, rows_of

GOLD: JsonObject = {"type": "currency", "resourceKey": "gold", "amount": 5}
TIN: JsonObject = {**GOLD, "resourceKey": "tin"}
XP: JsonObject = {"type": "currency", "resourceKey": "xp", "amount": 5}
POTION: JsonObject = {"type": "item", "resourceKey": "potion", "amount": 1, "parameters": {"level": 2}}
STUDIO: JsonObject = {"economyMode": "studio", "economy": [{"key": "gold"}, {"key": "xp", "kind": "progression"}]}


def day(number: int, until: str) -> JsonObject:
    """A window that begins on a day of January."""
    return {"startsAt": f"2026-01-0{number}T00:00:00Z", "endsAt": f"2026-01-{until}Z"}


def limits(kind: str, **fields: object) -> JsonObject:
    """One validator that flags."""
    return {"validators": [{"key": "v", "kind": kind, "verdict": "flag", **fields}]}  # type: ignore[dict-item] # JSON


def faults(*events: JsonObject, **fields: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """What is wrong with a configuration, by path."""
    with pytest.raises(ValidationFailed) as refused:
        parse_config({**config(), "events": list(events), **fields})
    return refused.value.fields


def test_an_event_needs_little() -> None:
    """The first metric is the score, more is better, one attempt a window stands for its player, nothing is paid or won."""
    (made,) = parse_config({**config(), "events": [event()]}).events
    assert made.score_metric.key == "points"
    assert (made.order, made.target, made.attempts.max_per_window, made.attempts.counts) == ("desc", None, 1, "best")
    assert (made.entry_cost, made.milestones, made.rank_rewards, made.board.by) == ((), (), (), "window")
    assert made.score_metric.aggregation == "sum"


def test_a_whole_event_and_leaderboard_fit_the_schema() -> None:
    """What editors check against the published schema is what is read."""
    whole = event(
        metrics=[{"key": "points", "aggregation": "sum"}, {"key": "lap", "aggregation": "lowest"}],
        score="lap", order="asc", target=30,
        attempts={"durationSeconds": 600, "maxPerWindow": None, "counts": "last"},
        entryCost=[GOLD], completionRewards=[POTION],
        milestones=[{"key": "half", "threshold": 60, "entries": [XP]}],
        rankRewards=[{"from": 1, "to": 1, "entries": [GOLD]}, {"from": 2, "to": 10, "entries": [XP]}],
        validators=[
            {"key": "fast", "kind": "max_rate", "limit": 10, "verdict": "flag"},
            {"key": "jump", "kind": "max_step", "metric": "points", "limit": 50, "verdict": "reject"},
            {"key": "possible", "kind": "range", "metric": "lap", "min": 20, "verdict": "reject"},
        ],
        board={"by": "segment", "segment": "country"},
    )  # fmt: skip
    board = leaderboard(
        source="event", event="race", aggregation="lowest", cohortSize=50,
        divisions=[{"key": "bronze", "promote": 10}, {"key": "gold", "relegate": 10, "rankRewards": []}],
    )  # fmt: skip
    data = {**config(), "events": [whole], "leaderboards": [board]}
    Draft202012Validator(config_schema()).validate(data)
    made = parse_config(json.loads(json.dumps(data)))
    assert made.events[0].score_metric.key == "lap"
    assert made.fed_by("race") == ("weekly",)
    assert made.leaderboard("weekly") is made.leaderboards[0]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"schedule": {}}, "schedule"),
        ({"schedule": {**HOURLY, "durationSeconds": 3_601}}, "schedule.durationSeconds"),
        ({"schedule": {**HOURLY, "until": HOURLY["startsAt"]}}, "schedule.until"),
        ({"schedule": {"startsAt": HOURLY["startsAt"], "everySeconds": 60}}, "schedule"),
        ({"schedule": {**HOURLY, "everySeconds": 4, "durationSeconds": 4}}, "schedule.everySeconds"),
        ({"schedule": {**HOURLY, "windows": [day(1, "02T00:00:00")]}}, "schedule"),
        ({"schedule": {"windows": [day(2, "02T00:00:00")]}}, "schedule.windows[0].endsAt"),
        ({"schedule": {"windows": [day(2, "03T00:00:00"), day(1, "02T00:00:00.001")]}}, "schedule.windows[0].startsAt"),
        ({"metrics": []}, "metrics"),
        ({"metrics": [{"key": "a"}, {"key": "a"}]}, "metrics[1].key"),
        ({"metrics": [{"key": "a", "aggregation": "mean"}]}, "metrics[0].aggregation"),
        ({"score": "lap"}, "score"),
        ({"key": "Race"}, "key"),
        ({"target": 2**53}, "target"),
        ({"attempts": {"durationSeconds": 0}}, "attempts.durationSeconds"),
        ({"attempts": {"maxPerWindow": 0}}, "attempts.maxPerWindow"),
        ({"entryCost": [POTION]}, "entryCost[0].parameters"),
        ({"entryCost": [{**GOLD, "resourceKey": "sessions"}]}, "entryCost[0].resourceKey"),
        ({"milestones": [{"key": "m", "threshold": 1, "entries": [TIN]}]}, "milestones[0].entries[0].resourceKey"),
        ({"milestones": [{"key": "m", "threshold": 1}, {"key": "m", "threshold": 2}]}, "milestones[1].key"),
        ({"completionRewards": [{**POTION, "resourceKey": "shield"}]}, "completionRewards[0].resourceKey"),
        ({"rankRewards": [{"from": 1, "to": 3, "entries": []}, {"from": 3, "to": 4, "entries": []}]}, "rankRewards[1].from"),
        ({"rankRewards": [{"from": 2, "to": 1, "entries": []}]}, "rankRewards[0].to"),
        ({"rankRewards": [{"from": 0, "to": 1, "entries": []}]}, "rankRewards[0].from"),
        (limits("max_rate"), "validators[0].limit"),
        (limits("range"), "validators[0]"),
        (limits("range", min=2, max=1), "validators[0].max"),
        (limits("range", min=2, limit=1), "validators[0].limit"),
        (limits("max_step", limit=1, min=1), "validators[0].min"),
        (limits("max_step", limit=1, metric="lap"), "validators[0].metric"),
        ({"board": {"by": "segment"}}, "board.segment"),
        ({"board": {"by": "window", "segment": "country"}}, "board.segment"),
        ({"teams": {"formation": "open"}}, "teams.size"),
        ({"order": "asc", "target": -1}, "target"),
        ({"order": "asc", "milestones": [{"key": "m", "threshold": -1}]}, "milestones[0].threshold"),
    ],
)  # fmt: skip
def test_a_fault_of_an_event_is_named(fields: dict[str, Any], path: str) -> None:
    """By the place in the file, and by the key of the entry."""
    assert list(faults(event(**fields))) == [f"events[0].{path}"]


QUICK: JsonObject = {**HOURLY, "everySeconds": 5, "durationSeconds": 1}


def test_windows_recur_at_most_every_five_seconds() -> None:
    """Five are accepted, by the file and by its schema; the schema refuses four too."""
    schema = Draft202012Validator(config_schema())
    quick: JsonObject = {**config(), "events": [event(schedule=QUICK)]}
    schema.validate(quick)
    assert parse_config(quick).events[0].schedule.every_seconds == 5
    (fault,) = schema.iter_errors({**config(), "events": [event(schedule={**QUICK, "everySeconds": 4})]})
    assert fault.json_path.endswith("everySeconds")


def test_a_schedule_from_before_the_limit_is_read_and_played() -> None:
    """A release with the limit starts on what is stored, shows it, opens its windows, and refuses it when it is applied."""
    earlier = compact(encode(parse_config({**config(), "events": [event(schedule=QUICK)]})))
    game = World(stored_config(earlier.replace('"everySeconds":5', '"everySeconds":1')))
    score(game.player("eve"), 5)
    game.advance(seconds=3)
    score(game.player("eve"), 5)
    assert len(rows_of(game, WINDOWS)) == 4
    operator = game.operator()
    shown = ask(operator, "settings.get")["config"]
    assert isinstance(shown, dict)
    assert shown["events"][0]["schedule"]["everySeconds"] == 1  # type: ignore[index,call-overload] # JSON
    again = ask(
        operator,
        "settings.apply",
        config={**shown, "name": "Renamed"},
        version=ask(operator, "settings.get")["version"],
    )
    assert (again.status, again.fields) == (400, ["config.events[0].schedule.everySeconds"])
    assert ask(operator, "settings.get")["config"] == shown


def test_what_is_to_come_may_be_written_out_as_nothing() -> None:
    """And where less is better, a value that may be negative has negative goals."""
    last = [{"key": "points", "aggregation": "last"}]
    declared = event(lobby=None, session=None, teams=None, order="asc", metrics=last, target=-1)
    (made,) = parse_config({**config(), "events": [declared]}).events
    assert (LOBBY_RULES.of(made), SESSION_RULES.of(made), TEAM_RULES.of(made), made.target) == (None, None, None, -1)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"source": "event"}, "event"),
        ({"source": "event", "event": "sprint"}, "event"),
        ({"event": "race"}, "event"),
        ({"source": "event", "event": "last", "aggregation": "sum"}, "aggregation"),
        ({"reset": "daily"}, "reset"),
        ({"cohortSize": 10}, "cohortSize"),
        ({"cohortSize": 1, "divisions": [{"key": "a"}]}, "cohortSize"),
        ({"divisions": [{"key": "a"}, {"key": "a"}]}, "divisions[1].key"),
        (
            {"divisions": [{"key": "a", "rankRewards": [{"from": 1, "to": 1, "entries": [TIN]}]}]},
            "divisions[0].rankRewards[0].entries[0].resourceKey",
        ),
        (limits("max_step", limit=1, metric="points"), "validators[0].metric"),
    ],
)  # fmt: skip
def test_a_fault_of_a_leaderboard_is_named(fields: dict[str, Any], path: str) -> None:
    """The same for shared leaderboards."""
    last = event("last", metrics=[{"key": "points", "aggregation": "last"}])
    assert list(faults(event(), last, leaderboards=[leaderboard(**fields)])) == [f"leaderboards[0].{path}"]


def test_a_key_is_declared_once() -> None:
    """Two events, or two leaderboards, of one key."""
    found = faults(event(), event(), leaderboards=[leaderboard(), leaderboard()])
    assert sorted(found) == ["events[1].key", "leaderboards[1].key"]


def test_only_progression_can_be_a_cost_where_the_studio_manages_the_economy() -> None:
    """The service cannot take what it does not keep."""
    for cost, paths in ((XP, []), (GOLD, ["events[0].entryCost[0]"])):
        data: JsonObject = {**STUDIO, "events": [event(entryCost=[cost])]}
        try:
            parse_config(data)
            found = []
        except ValidationFailed as refused:
            found = list(refused.fields)
        assert found == paths


def test_what_a_change_does_is_shown_part_by_part() -> None:
    """One line for each part that changes: windows are known by their beginnings, rewards by their first rank."""
    schedule = {"windows": [day(1, "02T00:00:00"), day(3, "04T00:00:00")]}
    rewards = [{"from": 1, "to": 1, "entries": [GOLD]}, {"from": 2, "to": 9, "entries": [XP]}]
    before = parse_config({**config(), "events": [event(schedule=schedule, rankRewards=rewards)]})
    later = {"windows": [day(3, "05T00:00:00"), day(1, "02T00:00:00")]}
    after = parse_config({**config(), "events": [event(schedule=later, rankRewards=rewards[:1], target=5)]})
    assert differences(encode(before), encode(after)) == [
        (
            '~ events[race].schedule.windows[2026-01-03T00:00:00.000Z].endsAt: "2026-01-04T00:00:00.000Z" -> '
            '"2026-01-05T00:00:00.000Z"'
        ),
        "~ events[race].target: null -> 5",
        "- events[race].rankRewards[2]",
    ]


def test_an_event_that_is_new_has_a_line_for_each_part() -> None:
    """One that says something; what is short stays on one line."""
    before = parse_config(config())
    after = parse_config(
        {**config(), "events": [event(target=5, rankRewards=[{"from": 1, "to": 1, "entries": [GOLD]}])]}
    )
    assert differences(encode(before), encode(after)) == [
        '+ events[race].key: "race"',
        '+ events[race].name: "Race"',
        '+ events[race].schedule.startsAt: "2026-01-01T00:00:00.000Z"',
        "+ events[race].schedule.everySeconds: 3600",
        "+ events[race].schedule.durationSeconds: 1800",
        '+ events[race].metrics: [{"key":"points","aggregation":"sum"}]',
        '+ events[race].order: "desc"',
        "+ events[race].target: 5",
        '+ events[race].attempts: {"durationSeconds":null,"maxPerWindow":1,"counts":"best"}',
        "+ events[race].rankRewards[0].from: 1",
        "+ events[race].rankRewards[0].to: 1",
        '+ events[race].rankRewards[0].entries: [{"type":"currency","resourceKey":"gold","amount":5}]',
        '+ events[race].board: {"by":"window","segment":null}',
    ]


def test_a_long_list_that_changes_is_compared_entry_by_entry() -> None:
    """By the numbers of the entries, where nothing names them."""
    before = parse_config({**config(), "events": [event(completionRewards=[GOLD, XP])]})
    after = parse_config({**config(), "events": [event(completionRewards=[{**GOLD, "amount": 9}])]})
    assert differences(encode(before), encode(after)) == [
        "- events[race].completionRewards[1]",
        "~ events[race].completionRewards[0].amount: 5 -> 9",
    ]


def test_a_process_that_imports_nothing_else_reads_every_format() -> None:
    """The members that lobbies and teams add to an event are known wherever a configuration is read."""
    declared = {**config(), "events": [event(lobby={"capacity": 2, "fillSeconds": 60}, teams={"formation": "partner"})]}
    program = (
        "import sys; from livecore import load_config; event = load_config(sys.stdin.read()).events[0];"
        "from livecore.api.configuration.game_config import config_schema;"
        "members = config_schema()['$defs']['EventDefinition']['properties'];"
        "print(event.lobby.capacity, event.teams.formation, {'lobby', 'session', 'teams'} <= members.keys())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(declared), capture_output=True, text=True, check=False,
        timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert (ran.stdout.strip(), ran.stderr) == ("2 partner True", "")
