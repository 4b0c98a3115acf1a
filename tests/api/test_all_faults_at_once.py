"""All faults of a configuration come in one pass, each with the value and what was probably meant, and no false ones."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livecore import load_config
from livecore.api.configuration.game_config import parse_config
from livecore.demo import DEMO
from livecore.kernel.errors import ValidationFailed
from livecore.kernel.wire import config, config_mending
from livecore.kernel.wire.config_mending import steps_of

SOUND: dict[str, Any] = json.loads(DEMO)


def faults(data: dict[str, Any]) -> dict[str, str]:
    """What is wrong with a configuration, by path."""
    try:
        parse_config(data)
    except ValidationFailed as refused:
        return dict(refused.fields)
    return {}


def planted(*places: tuple[str, Any]) -> dict[str, Any]:
    """The demo's configuration with other values at some places."""
    data = deepcopy(SOUND)
    for path, value in places:
        if path == "a.b":
            data[path] = value
            continue
        *above, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        holder: Any = data
        for step in above:
            holder = holder[step]
        holder[last] = value
    return data


PLANTED: list[tuple[str, Any, str, str]] = [
    ("events.0.target", "ten", "events[0].target", "must be an integer; it is 'ten' (the entry with key 'daily-dash')"),
    (
        "events.0.entryCost.0.resourceKey", "gould", "events[0].entryCost[0].resourceKey",
        "is not declared in 'economy'; it is 'gould' (the entry with key 'daily-dash'). Did you mean 'gold'?",
    ),
    (
        "events.1.lobby.capasity", 4, "events[1].lobby.capasity",
        "is not a known field (the entry with key 'arena'). Did you mean 'capacity'?",
    ),
    ("items.0.key", [], "items[0].key", "must be a string; it is a list of 0"),
    ("items.2.name", "", "items[2].name", "must have 1 to 100 characters; it is '' (the entry with key 'sticker')"),
    ("economy.1.kind", "money", "economy[1].kind",
     "must be one of 'currency', 'progression'; it is 'money' (the entry with key 'gems')"),
    (
        "guilds.createCost.0.resourceKey", "nothing-like-it", "guilds.createCost[0].resourceKey",
        "is not declared in 'economy'; it is 'nothing-like-it'. There are gold, gems, xp, trophies",
    ),
    ("gifting.cooldownSeconds", -1, "gifting.cooldownSeconds", "must be from 0 to 315360000; it is -1"),
    (
        "gifting.resources.0.key", "golds", "gifting.resources[0].key",
        "is not declared in 'economy'; it is 'golds' (the entry with key 'golds'). Did you mean 'gold'?",
    ),
    ("nam", "x", "nam", "is not a known field. Did you mean 'name'?"),
    ("name", 5, "name", "must be a string; it is 5"),
    ("a.b", 5, "a.b", "is not a known field"),
    ("events.2.schedule.durationSeconds", 604_801, "events[2].schedule.durationSeconds",
     "must be at most 'everySeconds', or else windows overlap; it is 604801 (the entry with key 'expedition')"),
    ("events.2.name", 7, "events[2].name", "must be a string; it is 7 (the entry with key 'expedition')"),
    ("leaderboards.0.divisions.1.key", "bronze", "leaderboards[0].divisions[1].key",
     "is declared twice (the entry with key 'bronze')"),
    ("social.maxFriends", {"a": 1}, "social.maxFriends", "must be an integer; it is an object"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "path", "words"), PLANTED, ids=[path for _, _, path, _ in PLANTED])
def test_a_fault_shows_the_value_and_what_was_meant(place: str, value: object, path: str, words: str) -> None:
    """In these words, and nothing else is found."""
    assert faults(planted((place, value))) == {path: words}


@given(st.sets(st.integers(0, len(PLANTED) - 1), min_size=1))
def test_any_faults_are_told_together_and_no_others(chosen: set[int]) -> None:
    """Those of shape and those of references in one answer, in the order of the file."""
    expected = {PLANTED[at][2]: PLANTED[at][3] for at in chosen}
    assert faults(planted(*((PLANTED[at][0], PLANTED[at][1]) for at in chosen))) == expected


@pytest.mark.parametrize(
    "places",
    [
        [("economy.0", 7)],
        [("economy", "gold")],
        [("economy.0.key", 5)],
        [("items", {"potion": 1})],
        [("crates.0.key", None)],
        [("events.0.metrics.0", "points")],
        [("economyMode", "mine")],
        [("events.0.validators.0.kind", 5)],
        [("events.0.schedule", "daily")],
        [("leaderboards.0.source", "events")],
    ],
    ids=str,
)
def test_nothing_is_told_that_only_follows_from_what_cannot_be_read(places: list[tuple[str, Any]]) -> None:
    """A reward in gold is not called undeclared where the list of currencies could not be read."""
    told = list(faults(planted(*places)))
    assert len(told) == 1, told
    assert told[0].replace("[", ".").replace("]", "").startswith(places[0][0])


def test_a_misspelled_list_is_one_fault() -> None:
    """What it would have declared is not missed."""
    data = deepcopy(SOUND)
    data["economi"] = data.pop("economy")
    assert faults(data) == {"economi": "is not a known field. Did you mean 'economy'?"}


def test_a_name_given_twice_hides_no_other_fault() -> None:
    """Both come in one pass."""
    with pytest.raises(ValidationFailed) as refused:
        load_config('{"name": "A", "name": "B", "itmes": []}')
    assert list(refused.value.fields) == ["name", "itmes"]


def test_a_byte_order_mark_is_read_over() -> None:
    """As some editors write it at the beginning of a file."""
    assert load_config("\ufeff" + DEMO) == load_config(DEMO)


@pytest.mark.parametrize("value", [float("nan"), 2**70, {1}, object, ("a", {1}), "\ud800\n", True, None])
def test_a_value_that_no_json_has_is_a_fault_as_well(value: object) -> None:
    """A world is given Python's values, so anything may stand in a configuration."""
    told = faults(planted(("social.maxFriends", value), ("events.0.entryCost.0.resourceKey", value)))
    assert {"social.maxFriends"} <= set(told)
    assert all(len(words) < 200 and words.isprintable() for words in told.values())


def test_a_configuration_full_of_faults_is_read_in_steps_that_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each path is taken apart a few times, however many faults there are; names are compared for the first ones only."""
    paths, compared = Counter[str](), Counter[str]()

    def taken_apart(path: str) -> tuple[str | int, ...]:
        paths[path] += 1
        return steps_of(path)

    def near(name: str, names: Sequence[str], *, n: int) -> list[str]:
        compared["times"] += 1
        return get_close_matches(name, names, n=n)

    for module in (config, config_mending):
        monkeypatch.setattr(module, "steps_of", taken_apart)
    monkeypatch.setattr(config_mending, "get_close_matches", near)
    reward = {"from": 1, "to": 1, "entries": [{"type": "item", "resourceKey": "nothing", "amount": 1}] * 50}
    boards = [{"key": f"b{number}", "name": "B", "rankRewards": [reward]} for number in range(20)]
    items = [{"key": f"k{number}", "name": 5} for number in range(1_000)]
    assert len(faults({"items": items, "leaderboards": boards})) == 2_000
    assert max(paths.values()) <= 10
    assert compared["times"] <= 50


@pytest.mark.parametrize("name", [f"odd[{'9' * 5_000}]", "odd[٣]", "[", "a..b", ""])
def test_an_unknown_name_that_looks_like_a_path_is_one_fault(name: str) -> None:
    """Whatever stands in it, a number of any length too."""
    told = faults({name: 1})
    assert len(told) == 1
    assert all(words.startswith("is not a known field") for words in told.values())
