"""Scenarios: what their files may say, what is said of a wrong one, and the schema that is published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from livecore.kernel.errors import Json, ValidationFailed
from livecore.rehearsal.scenario import STEPS, Scenario, load_scenario, parse_scenario, scenario_schema

ROOT = Path(__file__).parents[2]
WRONG: dict[str, tuple[Json, str]] = {
    "no object": ([], ""),
    "an unknown member": ({"step": []}, "step"),
    "no steps": ({"steps": []}, "steps"),
    "an unknown step": ({"steps": [{"step": "duplicate"}]}, "steps[0].step"),
    "too many times": ({"steps": [{"step": "late", "times": 101}]}, "steps[0].times"),
    "an unknown kind": ({"events": ["gift.sent", "gift.claim"]}, "events[1]"),
    "a kind twice": ({"events": ["gift.sent", "gift.sent"]}, "events"),
    "one player": ({"players": ["ana"]}, "players"),
    "no player's id": ({"players": ["ana", "a/b"]}, "players[1]"),
    "one copy": ({"copies": 1}, "copies"),
    "a longer time than the service waits": ({"timeoutSeconds": 11}, "timeoutSeconds"),
    "too large": ({"largeBytes": 1_000_001}, "largeBytes"),
}


def test_the_empty_scenario_has_every_step() -> None:
    """It is the one that is built in."""
    assert parse_scenario({"$schema": "rehearsal-scenario.schema.json"}) == Scenario()
    assert tuple(step.step for step in Scenario().steps) == STEPS


@pytest.mark.parametrize(("data", "path"), WRONG.values(), ids=WRONG)
def test_a_wrong_scenario_is_refused_with_the_path(data: Json, path: str) -> None:
    """The schema refuses the same."""
    with pytest.raises(ValidationFailed) as refused:
        parse_scenario(data)
    assert list(refused.value.fields) == [path]
    assert not Draft202012Validator(scenario_schema()).is_valid(data)


def test_a_kind_that_does_not_exist_is_told_of_a_similar_one() -> None:
    """As elsewhere."""
    with pytest.raises(ValidationFailed) as refused:
        parse_scenario({"events": ["gift.claim"]})
    assert refused.value.fields["events[0]"] == "'gift.claim' is no kind of event; is gift.claimed meant?"


@pytest.mark.parametrize(("text", "told"), [("{", "is not JSON"), ('{"copies": 2, "copies": 3}', "is named twice")])
def test_a_text_that_is_no_scenario_is_refused(text: str, told: str) -> None:
    """Text that is not JSON, and a name that stands twice."""
    with pytest.raises(ValidationFailed) as refused:
        load_scenario(text)
    assert told in next(iter(refused.value.fields.values()))


def test_the_published_schema_is_current() -> None:
    """And it is a schema, of which the empty scenario is an instance."""
    published = json.loads((ROOT / "docs" / "reference" / "rehearsal-scenario.schema.json").read_text("utf-8"))
    assert published == scenario_schema()
    Draft202012Validator.check_schema(published)
    Draft202012Validator(published).validate({"steps": [{"step": "late", "times": 2}], "events": ["gift.sent"]})


def test_the_scenario_of_the_documentation_is_one() -> None:
    """Read from the page; the schema agrees."""
    page = (ROOT / "docs" / "how-to" / "rehearse-your-webhooks.md").read_text("utf-8")
    text = page.partition("```json\n")[2].partition("```")[0]
    assert load_scenario(text).copies == 4
    Draft202012Validator(scenario_schema()).validate(json.loads(text))


def test_the_page_describes_every_step() -> None:
    """In their order."""
    page = (ROOT / "docs" / "how-to" / "rehearse-your-webhooks.md").read_text("utf-8")
    table = page.partition("| Step | Sends |")[2].partition("\n\n")[0]
    assert [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")] == list(STEPS)
