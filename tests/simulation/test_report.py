"""The report of a simulation, as a reader and as somebody hostile in the configuration would have it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from itertools import pairwise

import attrs
import pytest

from livecore.api.configuration.game_config import GameConfig, load_config
from livecore.demo import DEMO
from livecore.simulation.gates import read_gate
from livecore.simulation.observed import Window
from livecore.simulation.outcome import About, Outcome
from livecore.simulation.report import page_of
from livecore.simulation.report.charts import folded, lines, short, stacked, ticks
from livecore.simulation.report.words import change
from livecore.simulation.run import Plan, run
from livecore.simulation.summary import lines_of, summary_of
from livecore.world.game import START

HOSTILE = "<img src=x onerror=alert(1)>&\"'"
VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """Reads a page: its texts, its tags with attributes; fails where elements do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It ends the element that began last."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note a text that a reader sees."""
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All texts."""
        return " ".join(self.texts)


def outcome_of(config: str, *, gates: tuple[str, ...] = (), against: str | None = None) -> Outcome:
    """Four days of twelve players."""
    plans = [Plan(text, None, 12, 4, 5, START) for text in (config, against) if text is not None]
    runs = [run(plan) for plan in plans]
    return Outcome(
        about=About("1.2.3", "2026a", (5,), 12, 4, START.wire, "a" * 64, "b" * 64),
        config=load_config(config),
        runs=runs[:1],
        gates=[read_gate(gate) for gate in gates],
        other_config=None if against is None else load_config(against),
        others=runs[1:],
        idle=run(attrs.evolve(plans[0], idle=True)) if against is not None else None,
    )


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """The demo game, with a gate that is met, beside one whose event costs less."""
    cheaper = json.loads(DEMO)
    cheaper["events"][0]["entryCost"][0]["amount"] = 1
    return outcome_of(DEMO, gates=("economy.gold.minted > 0", "guilds.count > 1000"), against=json.dumps(cheaper))


def test_the_page_is_one_file_that_loads_nothing_and_runs_nothing(outcome: Outcome) -> None:
    page = Page(page_of(outcome))
    assert page.open == []
    names = {name for name, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on") or key == "src"]
    links = [attributes["href"] or "" for name, attributes in page.tags if name == "a"]
    anchors = {attributes.get("id") for _, attributes in page.tags}
    assert links
    assert all(link.startswith("#") and link[1:] in anchors for link in links)
    assert "url(" not in page_of(outcome)
    assert "@import" not in page_of(outcome)


def test_each_chart_says_what_it_shows(outcome: Outcome) -> None:
    page = page_of(outcome)
    assert page.count("<svg") > 10
    for drawing in page.split("<svg")[1:]:
        head = drawing.split(">", 1)[0]
        assert "aria-hidden" in head or drawing.split(">", 1)[1].startswith("<title>")


def test_the_first_screen_says_the_verdict_first(outcome: Outcome) -> None:
    text = Page(page_of(outcome)).text
    assert text.index("1 of 2 gates failed") < text.index("Findings") < text.index("Currencies")


def test_the_page_says_what_differs_and_that_an_idle_request_changes_nothing(outcome: Outcome) -> None:
    text = Page(page_of(outcome)).text
    assert "One idle request more changes no figure" in text
    assert "economy.gold.burned" in text
    assert outcome.noise()
    assert set(outcome.noise().values()) == {0}


def test_a_difference_goes_from_this_configuration_to_the_other(outcome: Outcome) -> None:
    """`game.json --against other.json` says what the other one would change. Here its entry is cheaper."""
    found = outcome.differences()["economy.gold.burned"]
    assert found.a == outcome.figures()["economy.gold.burned"] > found.b
    assert found.difference == found.b - found.a < 0
    head = "| Figure | This one | The other one | Difference | Range |"
    row = f"| `economy.gold.burned` | {found.a:,.0f} | {found.b:,.0f} | {found.difference:,.0f} |"
    assert summary_of(outcome).index(head) < summary_of(outcome).index(row)
    text = Page(page_of(outcome)).text
    assert text.index("This one") < text.index("The other one") < text.index("Range over the seeds")


def test_assumptions_of_the_population_are_marked(outcome: Outcome) -> None:
    text = Page(page_of(outcome)).text
    for _, _, cause, _ in outcome.runs[0].gained:
        kind, _, rest = cause.partition(":")
        if kind in {"backend", "shop", "purchase"}:
            assert f"{kind} {rest} †" in text


def test_the_mark_is_explained_only_where_it_stands() -> None:
    """A game in which nothing comes from the population."""
    words = "An assumption of the population"
    assert words in Page(page_of(outcome_of(DEMO))).text
    data = json.loads(DEMO)
    data |= {"events": data["events"][:1], "leaderboards": [], "gifting": {"enabled": False}}
    data["guilds"] = {"enabled": False}
    data["events"][0] |= {"entryCost": []}
    text = Page(page_of(outcome_of(json.dumps(data)))).text
    assert "The largest sources" in text
    assert words not in text


def test_a_window_that_opens_as_the_run_ends_is_none_of_those_that_were_played(outcome: Outcome) -> None:
    """Nobody was there, so its share of 0 % says nothing."""
    seen = outcome.runs[0]
    late = attrs.evolve(seen, windows=[*seen.windows, Window("daily-dash", 3)])
    assert page_of(attrs.evolve(outcome, runs=[late])) == page_of(outcome)


def test_with_several_seeds_it_says_whose_findings_they_are(outcome: Outcome) -> None:
    """Figures are means of all seeds, sentences are about the first."""
    about = attrs.evolve(outcome.about, seeds=(5, 6))
    both = attrs.evolve(outcome, about=about, runs=[*outcome.runs] * 2, others=[*outcome.others] * 2)
    assert "In the season with seed 5, the first of 2:" in Page(page_of(both)).text
    assert "### Findings with seed 5\n" in summary_of(both)
    assert lines_of(both)[0].endswith(", 2 seeds (warnings and notes: seed 5)")
    assert "In the season with seed" not in Page(page_of(outcome)).text


@pytest.mark.parametrize(
    ("number", "said"), [(10_629.25, "+10,629"), (-1_710, "-1,710"), (0, "+0"), (-0.013_294_6, "-0.01329")]
)
def test_a_change_has_its_sign_and_no_powers_of_ten(number: float, said: str) -> None:
    assert change(number) == said


def test_equal_outcomes_give_equal_pages(outcome: Outcome) -> None:
    assert page_of(outcome) == page_of(outcome)
    again = attrs.evolve(outcome, runs=[run(Plan(DEMO, None, 12, 4, 5, START))])
    assert page_of(again) == page_of(outcome)
    assert json.dumps(again.json()) == json.dumps(outcome.json())


def test_names_of_a_configuration_are_no_markup() -> None:
    config = json.loads(DEMO)
    config["name"] = HOSTILE
    for member in ("economy", "items", "crates", "events"):
        config[member][0]["name"] = HOSTILE
    page = Page(page_of(outcome_of(json.dumps(config))))
    assert "img" not in {name for name, _ in page.tags}
    assert HOSTILE in page.text


def test_a_game_with_nothing_in_it_has_a_page() -> None:
    page = Page(page_of(outcome_of('{"name": "Empty"}')))
    assert page.open == []
    assert "Empty: a simulated season" in page.text


def test_a_run_without_anybody_has_figures_and_a_page() -> None:
    alone = attrs.evolve(outcome_of(DEMO), runs=[type(outcome_of(DEMO).runs[0])(seed=1, players=1, days=1, start="")])
    assert Page(page_of(alone)).open == []
    assert alone.figures()["players.registered"] == 0


def test_names_are_no_markup_in_the_summary() -> None:
    """They stand on their line, as they are."""
    data = json.loads(DEMO)
    for entry in data["economy"]:
        entry["name"] = HOSTILE
    found = [line for line in summary_of(outcome_of(json.dumps(data))).splitlines() if "onerror" in line]
    assert found
    assert all(line.startswith("- ") and line.count("<") == line.count("\\<") for line in found)


def test_the_summary_is_markdown_and_the_lines_are_for_a_terminal(outcome: Outcome) -> None:
    summary = summary_of(outcome)
    assert summary.startswith("## Simulation: failed\n")
    assert "| `economy.gold.minted > 0` |" in summary
    said = lines_of(outcome)
    assert any(line.startswith("FAILED: economy.gold.minted > 0") for line in said)
    assert any(line.startswith("passed: guilds.count > 1000 (") for line in said)
    assert any(line.startswith("against the other configuration") for line in said)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 1), (0, 7), (-3, 12), (0, 0.003), (0, 123_456_789), (5, 5), (-1, 0)]
)
def test_an_axis_has_few_round_ticks_around_its_values(low: float, high: float) -> None:
    found = ticks(low, high)
    assert 2 <= len(found) <= 7
    assert found[0] <= low
    assert found[-1] >= high
    assert len({round(later - earlier, 12) for earlier, later in pairwise(found)}) == 1


def test_what_is_beyond_the_colours_is_added_up() -> None:
    series = {f"s{number}": [float(number), 1.0] for number in range(12)}
    shown = folded(series)
    assert len(shown) == 8
    assert sum(values[0] for values in shown.values()) == sum(range(12))
    assert next(iter(shown)) == "s11"
    assert list(shown)[-1] == "other"


def test_empty_charts_are_nothing() -> None:
    assert lines("x", [], {}) == ""
    assert stacked("x", [], {}) == ""
    assert [short(number) for number in (0, 0.05, 999, 1_200, 3e6, 2e9)] == ["0", "0.05", "999", "1.2k", "3M", "2G"]


def test_an_empty_configuration_has_its_figures() -> None:
    assert GameConfig() is not None
    assert outcome_of('{"name": "Empty"}').json()["figures"]
