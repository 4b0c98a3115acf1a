"""The figures of a run, by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from livecore.api.configuration.game_config import load_config
from livecore.demo import DEMO
from livecore.economy.crate_config import CrateDefinition, CrateRoll
from livecore.economy.crate_draws import draw, pity_names
from livecore.economy.crate_rows import Pity
from livecore.kernel.entropy import derive_seed
from livecore.simulation.comparison import compare
from livecore.simulation.figures import ABOUT, figure_names, figures_of, gini, inflation, nested, retention
from livecore.simulation.observed import CrateOpenings, Gifts, Observed, Window
from livecore.simulation.observing.economy import long_run_shares
from livecore.simulation.observing.play import quantiles

CONFIG = load_config(DEMO)


def observed(days: int = 4) -> Observed:
    """A run in which nothing has happened."""
    return Observed(seed=1, players=3, days=days, start="2026-01-01T00:00:00.000Z")


@pytest.mark.parametrize(
    ("balances", "expected"), [((), 0), ((0, 0), 0), ((5, 5, 5), 0), ((0, 0, 9), 2 / 3), ((1, 3), 0.25)]
)
def test_the_gini_coefficient(balances: tuple[int, ...], expected: float) -> None:
    assert gini(balances) == pytest.approx(expected)


def test_inflation_is_the_mean_growth_of_the_second_half() -> None:
    assert inflation([1, 1_000, 100, 110, 121]) == pytest.approx(0.1)
    assert inflation([0, 0, 0, 0]) == 0
    assert inflation([]) == 0
    assert inflation([0, 0, 0, 10, 20]) == pytest.approx(1)


def test_what_one_player_gives_another_is_neither_minted_nor_burned() -> None:
    run = observed()
    run.gained[0, "currency:gold", "backend:daily", "core"] = 70
    run.gained[1, "currency:gold", "gift", "casual"] = 30
    run.spent[1, "currency:gold", "gift", "core"] = 30
    run.spent[2, "currency:gold", "shop:hat", "core"] = 14
    run.supply["currency:gold"] = [70, 70, 56, 56]
    figures = figures_of(run, CONFIG)
    assert figures["economy.gold.minted"] == 70
    assert figures["economy.gold.burned"] == 14
    assert figures["economy.gold.supply"] == 56
    assert figures["economy.gold.sink_ratio"] == pytest.approx(0.2)


def test_retention_is_of_the_players_whose_day_lies_within_the_run() -> None:
    run = observed(days=9)
    run.registered[0, "core"], run.registered[1, "casual"], run.registered[3, "core"] = 4, 6, 100
    run.returned[0, 7], run.returned[1, 7], run.returned[3, 5] = 3, 2, 90
    assert retention(run, 7) == pytest.approx(0.5)
    assert retention(run, 30) == 0


def test_shares_of_events_gifts_and_crates() -> None:
    run = observed()
    run.windows = [
        Window("daily-dash", 0, active_players=10, players=5, started=8, completed=2),
        Window("daily-dash", 1, active_players=10, players=1, started=2, completed=0),
        Window("arena", 1, active_players=10, players=10, started=10, completed=10),
    ]
    run.gifts = {"currency:gold": Gifts(sent=10, claimed=6, expired=2)}
    run.crates["starter-chest"] = CrateOpenings(
        opened=4, rows=Counter({(0, 0): 3, (0, 1): 1}), expected={(0, 0): 0.5, (0, 1): 0.3, (0, 2): 0.2}
    )
    figures = figures_of(run, CONFIG)
    assert figures["events.daily-dash.participation"] == pytest.approx(0.3)
    assert figures["events.daily-dash.completion"] == pytest.approx(0.2)
    assert figures["events.daily-dash.attempts_per_player"] == pytest.approx(10 / 6)
    assert figures["gifts.expired_share"] == pytest.approx(0.25)
    assert figures["crates.starter-chest.opened"] == 4
    assert figures["crates.starter-chest.deviation"] == pytest.approx(0.25)


def test_refusals_are_counted_by_code() -> None:
    run = observed()
    run.refusals["gifts.send", "gift_cooldown", "core"] = 3
    run.refusals["gifts.send", "gift_cooldown", "griefer"] = 4
    assert figures_of(run, CONFIG)["refusals.gift_cooldown"] == 7
    assert figures_of(run, CONFIG)["refusals.all"] == 7


def test_each_figure_has_its_meaning_said() -> None:
    keys = {entry.key for entry in CONFIG.economy}
    keys |= {event.key for event in CONFIG.events} | {crate.key for crate in CONFIG.crates}
    for name in figure_names(CONFIG):
        group, *middle, last = name.split(".")
        general = ".".join((group, *("KEY" if part in keys else part for part in middle), last))
        assert general in ABOUT or group == "items", name


def test_figures_are_nested_by_their_paths() -> None:
    assert nested({"economy.gold.minted": 1, "economy.gold.gini": 0.5, "guilds.count": 2, "items.a.b.minted": 3}) == {
        "economy": {"gold": {"minted": 1, "gini": 0.5}},
        "guilds": {"count": 2},
        "items": {"a.b": {"minted": 3}},
    }


def test_a_difference_within_the_range_of_the_seeds_is_not_sure() -> None:
    compared = compare([{"a": 1, "b": 5}, {"a": 2, "b": 5}], [{"a": 3, "b": 4}, {"a": 3, "b": 7}])
    assert (compared["a"].difference, compared["a"].low, compared["a"].high) == (1.5, 1, 2)
    assert compared["a"].is_sure
    assert (compared["b"].a, compared["b"].b) == (5, 5.5)
    assert not compared["b"].is_sure


def test_quantiles_go_from_the_lowest_to_the_highest_in_steps_of_five_per_cent() -> None:
    assert quantiles(range(101)) == list(range(0, 101, 5))
    assert quantiles([7]) == [7] * 21
    assert quantiles([]) == []


@pytest.mark.parametrize("times", [1, 3])
def test_long_run_shares_are_those_of_many_openings(times: int) -> None:
    (crate,) = CONFIG.crates
    (roll,) = crate.rolls
    assert roll.pity is not None
    rigged = CrateRoll(times=times, rows=roll.rows, pity=Pity(after=4, row=2))
    definition = CrateDefinition(key="rigged", name="Rigged", rolls=(rigged,))
    counted, waits, openings = Counter[int](), dict.fromkeys(pity_names(definition), 0), 20_000
    for number in range(openings):
        drawn = draw(definition, derive_seed(b"k" * 32, "opening", number), waits)
        waits = dict(drawn.waits)
        counted.update(rolled.row for rolled in drawn.rolls)
    expected = long_run_shares(rigged, [0.7, 0.25, 0.05])
    assert sum(expected) == pytest.approx(1)
    for row, share in enumerate(expected):
        assert counted[row] / (openings * times) == pytest.approx(share, abs=0.01)
