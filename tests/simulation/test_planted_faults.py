"""Planted faults of a design: each is found by a season, with the place in the configuration; a sound design has none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

import pytest

from livecore.api.configuration.game_config import load_config
from livecore.economy import crates
from livecore.economy.crate_config import CrateDefinition
from livecore.economy.crate_draws import Draw, draw
from livecore.kernel.storage.records import evolve
from livecore.simulation.figures import inflation
from livecore.simulation.findings import findings_of
from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, run
from livecore.world.game import START

Design = dict[str, Any]
_PLAYERS: Final = 25
_DAYS: Final = 9


def _gold(amount: int) -> Design:
    return {"type": "currency", "resourceKey": "gold", "amount": amount}


_SOUND: Final[Design] = {
    "name": "Sound",
    "economyMode": "platform",
    "economy": [{"key": "xp", "kind": "progression"}, {"key": "gold", "kind": "currency", "name": "Gold"}],
    "items": [{"key": "hat"}, {"key": "crown"}],
    "crates": [
        {
            "key": "hats",
            "name": "Hats",
            "rolls": [
                {
                    "times": 3,
                    "rows": [
                        {"weight": 3, "entries": [{"type": "item", "resourceKey": "hat", "amount": 1}]},
                        {"weight": 1, "entries": [{"type": "item", "resourceKey": "crown", "amount": 1}]},
                    ],
                }
            ],
        }
    ],
    "gifting": {
        "enabled": True,
        "cooldownSeconds": 43_200,
        "resources": [{"type": "currency", "key": "gold", "maxAmount": 4, "costsSender": True}],
    },
    "events": [
        {
            "key": "dash",
            "name": "Dash",
            "schedule": {"startsAt": "2026-01-01T00:00:00Z", "everySeconds": 86_400, "durationSeconds": 86_400},
            "metrics": [{"key": "points"}],
            "target": 100,
            "attempts": {"maxPerWindow": 3},
            "entryCost": [_gold(5)],
            "milestones": [{"key": "half", "threshold": 50, "entries": [_gold(1)]}],
        },
    ],
}
_POPULATION: Final = json.dumps(
    {
        "behaviours": [
            {
                "name": "regular",
                "share": 1.0,
                "like": "core",
                "sessionsPerDay": 1.5,
                "sessionMinutes": 6,
                "churnPerDay": 0,
                "friendliness": 0.2,
                "arrival": {"atStart": 1.0, "overDays": 1},
                "activities": {"events": 1.0, "guilds": 0, "lobbies": 0, "teams": 0, "crates": 1.0},
            }
        ],
        "backend": {
            "daily": [{"label": "daily", "entries": [_gold(8), {"type": "crate", "resourceKey": "hats", "amount": 1}]}]
        },
        "shop": [{"label": "ribbon", "resourceKey": "gold", "cost": 8, "perSession": 1}],
    }
)


def _found(design: Mapping[str, Any]) -> dict[str, str]:
    """The warnings of a season of a design: the place in the configuration, and what it says."""
    config = json.dumps(design)
    observed = run(Plan(config, _POPULATION, players=_PLAYERS, days=_DAYS, seed=1, start=START))
    found = [finding for finding in findings_of(observed, load_config(config)) if finding.weight == "warning"]
    assert len({finding.path for finding in found}) == len(found), found
    return {str(finding.path): finding.text for finding in found}


def _planted(fault: Design, *where: str | int) -> Design:
    """The sound design with a fault: these members are others at this place."""
    design = deepcopy(_SOUND)
    place: Any = design
    for step in where:
        place = place[step]
    place.update(fault)
    return design


def test_a_sound_design_has_no_warning() -> None:
    """Of no kind."""
    assert _found(_SOUND) == {}


def test_an_inflation_by_free_gifts_is_found() -> None:
    """The warning is about the currency, and names what most of it comes from."""
    found = _found(_planted({"costsSender": False, "maxAmount": 100}, "gifting", "resources", 0))
    assert found.keys() == {"economy[1]"}
    assert "doubles in" in found["economy[1]"]
    assert found["economy[1]"].endswith("it comes from gifts that cost nothing.")


def test_an_inflation_by_a_reward_is_found() -> None:
    """The same for a milestone that gives far too much."""
    found = _found(_planted({"entries": [_gold(5_000)]}, "events", 0, "milestones", 0))
    assert found.keys() == {"economy[1]"}
    assert "doubles in" in found["economy[1]"]
    assert "it comes from the milestone" in found["economy[1]"]


def test_an_event_that_nobody_can_pay_for_is_found() -> None:
    """It is open day after day, and dead; the gold that it took before piles up."""
    found = _found(_planted({"entryCost": [_gold(1_000_000)]}, "events", 0))
    assert found["events[0]"] == f"Nobody took part in dash, in {_DAYS} windows."
    assert found.keys() <= {"events[0]", "economy[1]"}


def test_a_crate_that_favours_a_row_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that came too often and too seldom, where the draws are not those of the configuration."""

    def favouring(definition: CrateDefinition, seed: bytes, waits: Mapping[str, int]) -> Draw:
        (roll,) = definition.rolls
        rows = (roll.rows[0], evolve(roll.rows[1], weight=2))
        return draw(evolve(definition, rolls=(evolve(roll, rows=rows),)), seed, waits)

    monkeypatch.setattr(crates, "draw", favouring)
    found = _found(_SOUND)
    assert found.keys() == {"crates[0].rolls[0].rows[0]", "crates[0].rolls[0].rows[1]"}
    assert "chance does not explain that" in found["crates[0].rolls[0].rows[1]"]


@pytest.mark.parametrize(
    ("supply", "is_found"),
    [([10, 20, 30, 35, 38, 56, 67, 51, 45], False), ([10, 20, 30, 40, 44, 47, 52, 55, 60], True)],
    ids=["up and down", "up and up"],
)
def test_growth_is_what_exceeds_the_ups_and_downs(supply: list[int], is_found: bool) -> None:
    """Both grow by more than one per cent a day on the mean."""
    observed = Observed(seed=1, players=1, days=len(supply), start=START.wire, behaviours={})
    observed.supply["currency:gold"] = supply
    observed.gained[0, "currency:gold", "backend:daily", "core"] = 100
    observed.spent[0, "currency:gold", "shop:ribbon", "core"] = 40
    assert inflation(supply) > 0.01
    grown = [finding for finding in findings_of(observed, load_config(json.dumps(_SOUND))) if "doubles" in finding.text]
    assert bool(grown) is is_found
