"""`livecore simulate`, as somebody at a terminal and as a pipeline uses it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pytest

from livecore.demo import DEMO
from livecore.simulation.observed import Observed
from livecore.simulation.run import Plan, population_of
from livecore_server.cli import simulate
from livecore_server.operations import simulating
from tests.server.commands import Command

SMALL = ("--players", "8", "--days", "2")


@pytest.fixture
def game(tmp_path: Path) -> str:
    """The file of the demo game."""
    path = tmp_path / "game.json"
    path.write_text(DEMO, "utf-8")
    return str(path)


def test_it_says_what_happened(livecore: Command, game: str) -> None:
    said = livecore.done("simulate", game, *SMALL).out
    assert said.startswith("8 players, 2 days from 2026-01-01T00:00:00.000Z\n")
    assert "\ngold: in " in said


def test_it_writes_all_it_is_asked_for(livecore: Command, game: str, tmp_path: Path) -> None:
    names = {name: tmp_path / name for name in ("report.html", "out.json", "summary.md", "data")}
    written = ("--report", "report.html", "--json", "out.json", "--summary", "summary.md", "--data", "data")
    livecore.done("simulate", game, *SMALL, *(str(names.get(word, word)) for word in written))
    found = json.loads(names["out.json"].read_text("utf-8"))
    assert found["economy"]["gold"]["minted"] == found["figures"]["economy.gold.minted"]
    assert found["run"]["seeds"] == [1]
    assert names["report.html"].read_text("utf-8").startswith("<!doctype html>")
    assert names["summary.md"].read_text("utf-8").startswith("## Simulation: passed")
    assert json.loads((names["data"] / "run.json").read_text("utf-8")) == found
    flows = list(csv.DictReader((names["data"] / "flows.csv").read_text("utf-8").splitlines()))
    gold = [int(row["amount"]) for row in flows if row["resource"] == "currency:gold" and row["cause"] != "gift"]
    assert sum(amount for amount in gold if amount > 0) == found["economy"]["gold"]["minted"]
    assert {path.name for path in names["data"].iterdir()} >= {
        "run.json", "daily.csv", "flows.csv", "balances.csv", "gifts.csv",
    }  # fmt: skip


def test_a_page_on_standard_output_is_alone_there(livecore: Command, game: str) -> None:
    page = livecore.done("simulate", game, *SMALL, "--report", "-").out
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")


@pytest.mark.parametrize("failing", ["page_of", "summary_of", "tables_of"])
def test_what_fails_leaves_earlier_files_as_they_were(
    livecore: Command, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(_: object) -> str:
        raise OSError("no space left")

    monkeypatch.setattr(simulate, failing, fail)
    out = tmp_path / "out"
    out.mkdir()
    names = {"--report": out / "page.html", "--json": out / "out.json", "--summary": out / "summary.md"}
    for path in names.values():
        path.write_text("earlier", "utf-8")
    words = [str(word) for pair in names.items() for word in pair]
    ended = livecore("simulate", game, *SMALL, *words, "--data", str(out))
    assert (ended.status, ended.err) == (1, "livecore: no space left\n")
    assert {path.name: path.read_text("utf-8") for path in out.iterdir()} == dict.fromkeys(
        ("page.html", "out.json", "summary.md"), "earlier"
    )


def test_a_link_stays_one(livecore: Command, game: str, tmp_path: Path) -> None:
    """Though a file is written beside itself and then put in its place."""
    page = tmp_path / "page.html"
    page.symlink_to(tmp_path / "elsewhere.html")
    livecore.done("simulate", game, *SMALL, "--report", str(page))
    assert page.is_symlink()
    assert page.read_text("utf-8").endswith("</html>\n")
    assert {path.name for path in tmp_path.iterdir()} == {"game.json", "page.html", "elsewhere.html"}


def test_the_same_seed_gives_the_same_bytes(livecore: Command, game: str, tmp_path: Path) -> None:
    texts = []
    for seed in ("3", "3", "4"):
        pages = (tmp_path / "r.html", tmp_path / "r.json")
        livecore.done("simulate", game, *SMALL, "--seed", seed, "--report", str(pages[0]), "--json", str(pages[1]))
        texts.append(tuple(page.read_bytes() for page in pages))
    assert texts[0] == texts[1] != texts[2]


def test_replicas_have_ranges_and_are_the_seeds_one_after_the_other(livecore: Command, game: str) -> None:
    both = json.loads(livecore.done("simulate", game, *SMALL, "--replicas", "2", "--seed", "6", "--json", "-").out)
    each = [
        json.loads(livecore.done("simulate", game, *SMALL, "--seed", seed, "--json", "-").out)["figures"][
            "webhooks.per_day"
        ]
        for seed in ("6", "7")
    ]
    assert both["run"]["seeds"] == [6, 7]
    assert both["ranges"]["webhooks.per_day"] == {"mean": sum(each) / 2, "low": min(each), "high": max(each)}


def test_two_configurations_are_compared(livecore: Command, game: str, tmp_path: Path) -> None:
    other = json.loads(DEMO)
    other["events"][0]["entryCost"][0]["amount"] = 50
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other), "utf-8")
    found = json.loads(livecore.done("simulate", game, *SMALL, "--against", str(path), "--json", "-").out)
    assert set(found["against"]) == set(found["noise"]) | set(found["against"])
    assert set(found["noise"].values()) == {0}
    assert set(found["against"]["guilds.count"]) == {"a", "b", "difference", "low", "high", "sure"}


def test_a_dearer_game_is_compared_with_the_same_population(
    livecore: Command, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default backend gives what the first configuration's entries cost, and not more where the other's cost more."""
    played: list[Plan] = []

    def noting(plans: Sequence[Plan], advance: Callable[[int], None], record: Path | None) -> list[Observed]:
        played.extend(plans)
        return simulating.run_all(plans, advance, record)

    monkeypatch.setattr(simulate, "run_all", noting)
    other = json.loads(DEMO)
    for event in other["events"]:
        for cost in event.get("entryCost", ()):
            cost["amount"] *= 10
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other), "utf-8")
    livecore.done("simulate", game, *SMALL, "--against", str(path))
    assert len(played) == 3
    assert all(population_of(plan) == population_of(played[0]) for plan in played)
    assert population_of(attrs.evolve(played[1], usual_of=None)) != population_of(played[0])


def test_runs_in_processes_are_those_in_one(
    livecore: Command, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for least in (0, simulating.LEAST_SHARED):
        monkeypatch.setattr(simulating, "LEAST_SHARED", least)
        page = tmp_path / "page.html"
        livecore.done("simulate", game, *SMALL, "--replicas", "2", "--report", str(page))
        pages.append(page.read_bytes())
    assert pages[0] == pages[1]


def test_a_gate_that_is_met_ends_with_status_1(livecore: Command, game: str) -> None:
    failed = livecore("simulate", game, *SMALL, "--fail-if", "players.registered > 0")
    assert failed.status == 1
    assert "FAILED: players.registered > 0" in failed.out
    assert livecore("simulate", game, *SMALL, "--fail-if", "players.registered > 9").status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--fail-if", "players.registred > 1"),
            "there is no figure 'players.registred': did you mean players.registered",
        ),
        (("--fail-if", "players.registered"), "is no gate"),
        (("--players", "0"), "--players"),
        (("--days", "4000"), "--days"),
        (("--replicas", "0"), "--replicas"),
        (("--seed", "-1"), "--seed"),
        (("--seed", str(2**63)), "--seed"),
        (("--start", "0001-01-01"), "--start: must be from 1970-01-01"),
        (("--start", "9999-12-20"), "to 9000-01-01"),
        (("--report", "no-such-folder/page.html"), "there is no folder no-such-folder"),
        (("--report", "-", "--json", "-"), "only one of --report, --json and --summary can be -"),
        (("--data", "BAD"), "--data"),
        (("--start", "yesterday"), "--start"),
        (("--behaviour", "BAD"), "behaviours"),
        (("--against", "BAD"), "BAD"),
        (("--behaviour", "no-such-file.json"), "no-such-file.json"),
        (("--behaviour", "BROKEN"), "BROKEN: is not JSON"),
        (("--behaviour", "BAD"), "BAD: behaviours: have shares that must sum to 1"),
        (("--report", "no-such-folder/season.html"), "--report: there is no folder no-such-folder"),
        (("--json", "no-such-folder/season.json"), "--json: there is no folder no-such-folder"),
        (("--summary", "no-such-folder/season.md"), "--summary: there is no folder no-such-folder"),
    ],
)
def test_a_wrong_call_ends_with_status_2_before_anything_is_played(
    livecore: Command, game: str, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    bad = tmp_path / "BAD"
    bad.write_text('{"behaviours": [{"name": "x", "share": 0.5}], "economyMode": "sideways"}', "utf-8")
    broken = tmp_path / "BROKEN"
    broken.write_text('{"behaviours": [', "utf-8")
    ended = livecore("simulate", game, *(str(tmp_path / word) if word in ("BAD", "BROKEN") else word for word in words))
    assert ended.status == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert not ended.out


def test_a_configuration_that_is_not_valid_ends_with_status_2(livecore: Command, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"economyMode": "sideways"}', "utf-8")
    ended = livecore("simulate", str(path), *SMALL)
    assert ended.status == 2
    assert "economyMode" in ended.err
