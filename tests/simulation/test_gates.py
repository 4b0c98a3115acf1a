"""Gates on figures."""

from __future__ import annotations

import pytest

from livecore.kernel.errors import ValidationFailed
from livecore.simulation.gates import check_gates, judge, read_gate

FIGURES = {"economy.gold.inflation": 0.03, "guilds.count": 2, "crates.a-b.deviation": 0.5}


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("economy.gold.inflation > 0.02", True),
        ("economy.gold.inflation>0.03", False),
        ("economy.gold.inflation >= 3e-2", True),
        ("  guilds.count  ==  2 ", True),
        ("guilds.count != 2", False),
        ("guilds.count <= -1", False),
        ("guilds.count < 2.5", True),
        ("crates.a-b.deviation > .4", True),
        ("refusals.gift_cooldown > 0", False),
    ],
)
def test_a_gate_compares_its_figure(text: str, met: bool) -> None:
    gate = read_gate(text)
    check_gates([gate], FIGURES, ["gift_cooldown"], 31)
    assert [verdict.met for verdict in judge([gate], FIGURES)] == [met]


@pytest.mark.parametrize(
    "text",
    ["", "guilds.count", "guilds.count > ", "> 3", "guilds.count = 3", "guilds.count > nan", "guilds.count > inf",
     "guilds.count > 1e999", "guilds.count > 3 > 2", "guilds.count > 1 or guilds.count < 1", "a > b"],
)  # fmt: skip
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_gate(text)
    assert "is no gate: write a figure, one of > >= < <= == !=, and a number" in caught.value.fields["fail-if"]


@pytest.mark.parametrize(
    ("figure", "near"),
    [("economy.gold.infaltion", "economy.gold.inflation"), ("guild.count", "guilds.count"),
     ("refusals.gift_cooldwon", "refusals.gift_cooldown")],
)  # fmt: skip
def test_an_unknown_figure_is_refused_with_the_nearest_one(figure: str, near: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        check_gates([read_gate(f"{figure} > 1")], FIGURES, ["gift_cooldown"], 31)
    assert f"there is no figure '{figure}': did you mean {near}" in caught.value.fields["fail-if"]


@pytest.mark.parametrize(("figure", "days"), [("players.retention_30", 30), ("players.retention_7", 2)])
def test_a_gate_on_who_comes_back_needs_a_day_on_which_somebody_can(figure: str, days: int) -> None:
    """Or it would compare a 0 that means nothing."""
    gate = read_gate(f"{figure} < 0.1")
    names = ["players.retention_1", "players.retention_7", "players.retention_30"]
    with pytest.raises(ValidationFailed) as caught:
        check_gates([gate], names, [], days)
    assert caught.value.fields["fail-if"].startswith(f"{figure} is always 0 in {days} days")
    check_gates([gate], names, [], 31)
