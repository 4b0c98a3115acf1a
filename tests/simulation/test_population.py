"""A population's file: what it may say, what is wrong with it, and what stands where it says nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from livecore.api.configuration.game_config import load_config, parse_config
from livecore.demo import DEMO
from livecore.kernel.errors import ValidationFailed
from livecore.simulation.population import (
    default_population,
    load_population,
    parse_population,
    population_schema,
    require_fit,
)
from livecore.simulation.presets import PRESETS, SHARES

EXAMPLES = Path(__file__).parents[2] / "examples"

CASUAL: dict[str, Any] = {"name": "casual", "share": 1}


def behaving(**members: object) -> dict[str, Any]:
    """A population of one behaviour with these members."""
    return {"behaviours": [{**CASUAL, **members}]}


FAULTS: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, "behaviours", "is required"),
    ({"behaviours": []}, "behaviours", "must have 1 to 100 members"),
    (behaving(nmae="x"), "behaviours[0].nmae", "is not a known field"),
    (behaving(name="Night owl"), "behaviours[0].name", "must be 1 to 64 characters"),
    (behaving(share="all"), "behaviours[0].share", "must be a number"),
    (behaving(share=0.9), "behaviours", "must sum to 1"),
    (behaving(share=1.002), "behaviours[0].share", "must be a number from 0 to 1"),
    (behaving(like="whale"), "behaviours[0].like", "must be one of"),
    (behaving(sessionsPerDay=101), "behaviours[0].sessionsPerDay", "must be a number from 0 to 100; it is 101"),
    (behaving(sessionMinutes=0), "behaviours[0].sessionMinutes", "must be a number from 0.1 to 1440"),
    (behaving(churnPerDay=-0.1), "behaviours[0].churnPerDay", "must be a number from 0 to 1"),
    (behaving(returnPerDay=2), "behaviours[0].returnPerDay", "must be a number from 0 to 1"),
    (behaving(friendliness=1.5), "behaviours[0].friendliness", "must be a number from 0 to 1"),
    (behaving(generosity=-1), "behaviours[0].generosity", "must be a number from 0 to 1"),
    (behaving(skill=2), "behaviours[0].skill", "must be a number from 0 to 1; it is 2"),
    (behaving(spendPerDay=-1), "behaviours[0].spendPerDay", "must be a number from 0 to 100000"),
    (behaving(griefing=3), "behaviours[0].griefing", "must be a number from 0 to 1"),
    (behaving(timeZones={}), "behaviours[0].timeZones", "must have 1 to 500 members"),
    (behaving(timeZones={"Europe/Atlantis": 1}), "behaviours[0].timeZones.Europe/Atlantis", "IANA"),
    (behaving(timeZones={"../../etc/passwd": 1}), "behaviours[0].timeZones.../../etc/passwd", "IANA"),
    (behaving(timeZones={"UTC": -1}), "behaviours[0].timeZones.UTC", "must be a number from 0 to"),
    (behaving(timeZones={"UTC": 0, "Asia/Tokyo": 0}), "behaviours[0].timeZones", "must have a weight above 0"),
    (behaving(weekdays=[1] * 6), "behaviours[0].weekdays", "must have 7"),
    (behaving(weekdays=[0] * 7), "behaviours[0].weekdays", "must have a weight above 0"),
    (behaving(hours=[1] * 23 + [-1]), "behaviours[0].hours[23]", "must be a number from 0 to"),
    (behaving(arrival={"atStart": 1.5}), "behaviours[0].arrival.atStart", "must be a number from 0 to 1"),
    (behaving(arrival={"overDays": 0}), "behaviours[0].arrival.overDays", "must be from 1 to 3650"),
    (behaving(activities={"guilds": 7}), "behaviours[0].activities.guilds", "must be a number from 0 to 1"),
    ({"behaviours": [{**CASUAL, "share": 0.5}] * 2}, "behaviours[1].name", "is declared twice"),
    ({**behaving(), "shop": [{"label": "a", "resourceKey": "gold", "cost": 0}]}, "shop[0].cost", "must be"),
    (
        {**behaving(), "shop": [{"label": "a", "resourceKey": "gold", "cost": 1, "perSession": 101}]},
        "shop[0].perSession",
        "must be a number from 0 to 100",
    ),
    ({**behaving(), "products": [{"id": "p", "amountMinor": 1, "weight": -1}]}, "products[0].weight", "from 0 to"),
)  # fmt: skip


@pytest.mark.parametrize(("data", "path", "said"), FAULTS, ids=lambda part: part if isinstance(part, str) else "")
def test_a_fault_names_path_and_limit(data: dict[str, Any], path: str, said: str) -> None:
    """Each fault of a file has its path, and says what would be right."""
    with pytest.raises(ValidationFailed) as refused:
        parse_population(data)
    assert said in str(refused.value.fields[path])


def test_all_faults_come_at_once() -> None:
    """Whoever mends a file does not mend it once for each fault."""
    with pytest.raises(ValidationFailed) as refused:
        parse_population(behaving(skill=2, generosity=3, share=0.5))
    assert {"behaviours", "behaviours[0].skill", "behaviours[0].generosity"} <= set(refused.value.fields)


UNFIT: tuple[tuple[dict[str, Any], str], ...] = (
    ({"backend": {"daily": [{"label": "a", "entries": [{"type": "item", "resourceKey": "moon", "amount": 1}]}]}},
     "backend.daily[0].entries[0].resourceKey"),
    ({"shop": [{"label": "a", "resourceKey": "moon", "cost": 1}]}, "shop[0].resourceKey"),
    ({"products": [{"id": "p", "amountMinor": 1, "currency": "SEK"}]}, "products[0].currency"),
    ({"products": [{"id": "p", "amountMinor": 1, "entries": [{"type": "crate", "resourceKey": "moon", "amount": 1}]}]},
     "products[0].entries[0].resourceKey"),
)  # fmt: skip


@pytest.mark.parametrize(("members", "path"), UNFIT, ids=[path for _, path in UNFIT])
def test_what_the_game_does_not_have_is_a_fault(members: dict[str, Any], path: str) -> None:
    """A population names only resources and currencies of the configuration that it plays."""
    with pytest.raises(ValidationFailed) as refused:
        require_fit(parse_population({**behaving(), **members}), load_config(DEMO))
    assert list(refused.value.fields) == [path]


def test_a_behaviour_takes_what_it_leaves_out_from_a_preset() -> None:
    """By its name, by `like`, or from `casual`."""
    data = {
        "behaviours": [
            {"name": "core", "share": 0.5, "skill": 0.1},
            {"name": "owl", "like": "spender", "share": 0.25, "activities": {"guilds": 0}},
            {"name": "mouse", "share": 0.25, "arrival": {"atStart": 1, "overDays": 3}},
        ]
    }
    traits = load_population(json.dumps({"$schema": "./population.schema.json", **data})).traits()
    assert list(traits) == ["core", "owl", "mouse"]
    assert (traits["core"].skill, traits["core"].sessions_per_day) == (0.1, PRESETS["core"].sessions_per_day)
    assert (traits["owl"].spend_per_day, traits["owl"].activities.guilds) == (PRESETS["spender"].spend_per_day, 0)
    assert traits["owl"].activities.events == PRESETS["spender"].activities.events
    assert (traits["mouse"].at_start, traits["mouse"].generosity) == (1, PRESETS["casual"].generosity)


def test_without_a_file_the_presets_play() -> None:
    """Their shares sum to 1, and what an entry costs the backend gives twice a day, and a tenth of what a guild costs."""
    population = default_population(load_config(DEMO))
    assert [behaviour.name for behaviour in population.behaviours] == list(SHARES)
    assert sum(SHARES.values()) == pytest.approx(1)
    (daily,) = population.backend.daily
    assert [(entry.resource_key, entry.amount) for entry in daily.entries] == [("gold", 10)]
    season = json.loads((EXAMPLES / "season/game.json").read_text("utf-8"))
    (daily,) = default_population(parse_config(season)).backend.daily
    given = [(entry.type, entry.resource_key, entry.amount) for entry in daily.entries]
    assert given == [("item", "bait", 2), ("currency", "shells", 20)]
    assert default_population(load_config('{"name": "empty"}')).backend.daily == ()


def test_the_schema_judges_as_loading_does() -> None:
    """What an editor accepts by the schema loads, but for what the schema says it cannot express."""
    schema = population_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    judge = jsonschema.Draft202012Validator(schema)
    beyond = ("must sum to 1", "IANA", "must have a weight above 0", "is declared twice")
    for data, _, said in FAULTS:
        assert judge.is_valid(data) == (said in beyond), data
    judge.validate(behaving(hours=[1] * 24, timeZones={"Asia/Tokyo": 2}, arrival={"atStart": 0.5}, skill=None))
