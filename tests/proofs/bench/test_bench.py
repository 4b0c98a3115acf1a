"""The benchmark program runs, on both stores, and the published tables and pictures are those of the published figures.

No figure is asserted: what a machine can do is no law.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import attrs
import pytest

from livecore.commerce.reconciliation import SPENT
from livecore.commerce.totals import PURCHASES, SPEND_TOTALS
from livecore.kernel.scope import Scope
from livecore.kernel.time import DAY, HOUR
from livecore.players.moderation import DEBUG_ACCOUNTS
from livecore_server.storage.snapshot import views_of
from livecore_server.storage.sqlite import SqliteStore
from tests.postgres.server import require_server, started_server
from tests.programs.bench.chart import nice_ticks, short
from tests.programs.bench.databases import STORES, CannotRun, StoreName
from tests.programs.bench.figures import Figures, NotRun, SpendRow
from tests.programs.bench.parts import PARTS, Amount, Asked
from tests.programs.bench.publish import FOLDER, publish, published_figures
from tests.programs.bench.shop import stock

AMOUNT = Amount(
    requests=160,
    board=20,
    readers=3,
    followed_seconds=1,
    core_gifts=10,
    core_players=(200,),
    core_requests=50,
    growth_requests=50,
    players=dict.fromkeys(STORES, (1_000,)),
    deliveries=40,
    receivers=(2,),
    due_items=40,
    purchases=dict.fromkeys(STORES, (400,)),
    spend_requests=3,
    audit_entries=500,
    audit_requests=3,
    history_days=2,
    pages=3,
    imports=1,
)


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    """A server that was started for these tests ends with them."""
    with started_server():
        yield


def _asked(*stores: StoreName) -> Asked:
    return Asked(amount=AMOUNT, stores=stores, workers=(1,), scenarios=("request",))


def test_a_scenario_is_measured_beside_its_yardsticks(tmp_path: Path) -> None:
    """A row on PostgreSQL has the bare handler, the bare transaction and everybody's processor time, and is published."""
    require_server()
    asked = _asked("postgres")
    figures = Figures(command="test", machine={}, postgres={}, **PARTS["http"](asked))  # type: ignore[arg-type] # a part's rows
    assert asked.not_run == []
    (row,) = figures.http
    assert (row.store, row.workers, row.scenario, row.requests) == ("postgres", 1, "friend request", 40)
    assert row.p50_ms <= row.p95_ms <= row.p99_ms
    assert min(row.per_second, row.bare_per_second, row.reference_per_second, row.transactions_per_second or 0) > 0
    assert min(row.reads or 0, row.writes or 0, row.server_memory_mb) >= 1
    publish(figures, tmp_path)
    assert json.dumps(attrs.asdict(published_figures(tmp_path))) == json.dumps(attrs.asdict(figures))
    assert "friend request" in (tmp_path / "tables.inc").read_text("utf-8")
    assert "PostgreSQL, 1 worker" in (tmp_path / "http.svg").read_text("utf-8")


def test_deliveries_and_due_work_are_measured() -> None:
    """What waited when the server started is counted whole, and nothing of it comes twice."""
    asked = _asked("sqlite")
    measured = PARTS["webhooks"](asked) | PARTS["due"](asked)
    figures = Figures(command="test", machine={}, postgres=None, **measured)  # type: ignore[arg-type] # the parts' rows
    (sent,), (ran,) = figures.webhooks, figures.due
    assert asked.not_run == []
    assert (sent.deliveries, sent.repeated) == (40, 0)
    assert min(sent.per_second, ran.per_second) >= 0


def test_searches_of_the_audit_trail_are_measured() -> None:
    """Each on each store."""
    asked = _asked(*STORES)
    figures = Figures(command="test", machine={}, postgres=None, **PARTS["audit"](asked))  # type: ignore[arg-type] # a part's rows
    searches = {row.question for row in figures.audit}
    assert len(searches) * len({row.store for row in figures.audit}) == len(figures.audit)
    assert {row.question: row.found for row in figures.audit}["200 at once"] == 200
    assert min(row.first_ms for row in figures.audit) > 0


def test_the_page_about_a_player_is_measured() -> None:
    """With the history that the days have left, on each store."""
    asked = _asked(*STORES)
    figures = Figures(command="test", machine={}, postgres=None, **PARTS["player_page"](asked))  # type: ignore[arg-type] # a part's rows
    assert asked.not_run == []
    assert [row.store for row in figures.player_page] == list(STORES)
    for row in figures.player_page:
        assert (row.days, row.gifts, row.ledger_entries, row.target_ms) == (2, 160, 163, None)
        assert 0 < row.p50_ms <= row.p99_ms
        assert row.page_bytes > 10_000


def test_questions_about_spend_are_measured() -> None:
    """Each question on a store that was just opened and again; only what has a target at that size shows it."""
    asked = _asked("sqlite", "postgres")
    figures = Figures(command="test", machine={}, postgres=None, **PARTS["spend"](asked))  # type: ignore[arg-type] # a part's rows
    assert asked.not_run == []
    assert len({row.question for row in figures.spend}) * 2 == len(figures.spend)
    assert {(row.players, row.purchases, row.target_ms) for row in figures.spend} == {(100, 400, None)}
    assert min(row.first_ms for row in figures.spend) > 0


def test_the_stocked_sums_are_what_the_purchases_come_to(tmp_path: Path) -> None:
    """What is measured is what tracking would have left; otherwise it would say nothing."""
    scope = Scope("gam_1", "live")
    with closing(SqliteStore(tmp_path / "shop.db")) as store:
        stock(store, scope, 400 * DAY + 5 * HOUR, players=30, purchases=2_000)
        with views_of(store) as views:
            assert list(SPENT.check(views(scope), lambda _: None, Counter())) == []
        sizes = {table: len(rows) for table, rows in store.dump()[scope.id].items()}
    assert sizes[PURCHASES.name] == 2_000
    assert sizes[SPEND_TOTALS.name] == 30
    assert sizes[DEBUG_ACCOUNTS.name] == 1


def test_what_cannot_run_says_why_and_leaves_the_rest_alone() -> None:
    """A store that is not there costs its own rows only."""

    def measure(store: StoreName, workers: int) -> None:
        seen.append((store, workers))
        if store == "sqlite":
            _cannot()

    seen: list[tuple[StoreName, int]] = []
    asked = _asked("sqlite", "postgres")
    asked.each("http", measure, workers=(1, 2))
    assert seen == [("sqlite", 1), ("sqlite", 2), ("postgres", 1), ("postgres", 2)]
    assert asked.not_run == [NotRun(part="http", store="sqlite", workers=n, reason="no disk") for n in (1, 2)]


def _cannot() -> NoReturn:
    raise CannotRun("no disk")


def test_a_part_may_be_published_alone(tmp_path: Path) -> None:
    """The others stay, and the page says with which command, and on which other machine, it was measured."""
    row = SpendRow(
        store="sqlite",
        players=1,
        purchases=2,
        question="all",
        first_ms=1.0,
        p50_ms=1.0,
        p99_ms=1.0,
        cpu_ms=1.0,
        target_ms=None,
    )
    missing = [NotRun(part=part, store="postgres", workers=1, reason="none here") for part in ("spend", "http")]
    whole = Figures(command="all", machine={"cores": "2"}, postgres=None, spend=[row], not_run=missing)
    one = Figures(command="one", machine={"cores": "4"}, postgres=None)
    spend = attrs.evolve(row, question="spend")
    figures = whole.with_parts_of(one, ["spend", "due"], {"spend": [spend]}).with_parts_of(one, ["due"], {})
    publish(figures, tmp_path)
    assert json.dumps(attrs.asdict(published_figures(tmp_path))) == json.dumps(attrs.asdict(figures))
    assert (figures.spend, figures.not_run, figures.command) == ([spend], missing[1:], "all")
    assert [list(each.parts) for each in figures.renewed] == [["spend"], ["due"]]
    assert "Measured later with `one`, on another machine: cores 4: `spend`." in (tmp_path / "tables.inc").read_text()


def test_the_published_files_are_those_of_the_published_figures(tmp_path: Path) -> None:
    """Nothing on the page was written by hand: `--redraw` would change nothing."""
    for path in publish(published_figures(), tmp_path):
        assert (FOLDER / path.name).read_text("utf-8") == path.read_text("utf-8"), path.name


def test_every_field_is_one_that_the_page_speaks_of() -> None:
    """Whoever reads the file finds its parts on the page."""
    page = (FOLDER.parent / "benchmarks.md").read_text("utf-8")
    parts = json.loads((FOLDER / "figures.json").read_text("utf-8"))
    named = {
        "http",
        "boards",
        "closing",
        "readers",
        "growth",
        "webhooks",
        "due",
        "spend",
        "audit",
        "player_page",
        "core_growth",
        "machine",
        "postgres",
        "command",
        "not_run",
        "renewed",
    }
    assert named <= parts.keys()
    assert [name for name in named if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("most", "ticks"),
    [(1.0, [0, 0.25, 0.5, 0.75, 1.0]), (9_409, [0, 2_500, 5_000, 7_500, 10_000]), (38.7, [0, 10, 20, 30, 40])],
)
def test_an_axis_has_round_ticks_that_cover_it(most: float, ticks: list[float]) -> None:
    """From nothing to at least the most."""
    assert nice_ticks(most) == pytest.approx(ticks)


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (12.34, "12.3"), (999.9, "1k"), (9_409, "9.41k"), (1e6, "1M")])
def test_a_figure_in_a_few_characters(value: float, text: str) -> None:
    """Three digits, and a unit from a thousand on."""
    assert short(value) == text
