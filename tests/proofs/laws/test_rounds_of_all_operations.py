"""The law of rounds over everything: what `python -m tests.laws.rounds` prints has bounds.

The seeds are fixed, so a bound is exceeded only because the sequences, the operations or the record of reads have changed.
Lower a bound where an operation has become better; none is meant to be raised.
"""

from __future__ import annotations

from typing import Final

import attrs
import pytest

from livecore.api.operations import OPERATIONS
from livecore.api.table.operation import EventStream
from tests.laws.rounds import Cost, Tally, counted

_SEEDS: Final = range(2)


@attrs.frozen
class Bound:
    """What requests of a kind may cost: rounds on the average and at most, and which share of their reads is useless."""

    mean: float
    most: int
    useless: float = 0.12


MEANS: Final = {
    ("sdk", "read"): Bound(1.5, 3),
    ("sdk", "write"): Bound(1.7, 5),
    ("server", "read"): Bound(1.5, 3),
    ("server", "write"): Bound(1.5, 9),
    ("admin", "read"): Bound(1.4, 3),
}
"""Whole surfaces, without what is done to whole players."""
ONE_ROUND: Final = (
    "sdk:gifts.send", "sdk:grants.listPending", "sdk:wallet.get", "server:wallet.credit", "server:inventory.grant",
)  # fmt: skip
"""What is called most: one round, and the commit of those that write."""
SCORES: Final = (
    "sdk:leaderboards.submit", "server:leaderboards.submit", "sdk:leaderboards.getOwn", "sdk:lobbies.leave",
)  # fmt: skip
"""What follows from a period or a lobby is asked for in the second round."""
TOOLS: Final = {"merge": Bound(3.6, 9, 0.2), "erase": Bound(3.6, 8, 0.15), "export": Bound(4.4, 13)}
"""What is done to whole players, by the backend and by operators."""
_METHODS: Final = {entry.id: entry.method for entry in OPERATIONS}


@pytest.fixture(scope="module")
def tally() -> Tally:
    """What the sequences and the walk have cost."""
    return counted(_SEEDS)


def _together(tally: Tally, names: list[str]) -> Cost:
    whole = Cost()
    for name in names:
        whole = whole.plus(tally.costs[name])
    return whole


def _is_tool(name: str) -> bool:
    return name.rpartition(".")[2] in TOOLS


def _within(cost: Cost, bound: Bound) -> None:
    found = Bound(cost.mean, cost.most, cost.useless / cost.sent)
    assert (found.mean <= bound.mean, found.most <= bound.most, found.useless <= bound.useless) == (True,) * 3, found


def test_every_operation_is_counted(tally: Tally) -> None:
    """All but streams and documents, of every surface."""
    asked = {
        entry.id for entry in OPERATIONS
        if entry.credential != "none" and EventStream not in entry.answers.values()
    }  # fmt: skip
    assert asked - tally.costs.keys() == set()
    assert {name.partition(":")[0] for name in tally.costs} == {"sdk", "server", "admin"}


@pytest.mark.parametrize(("surface", "kind"), MEANS)
def test_a_surface_takes_no_more_rounds_than_today(tally: Tally, surface: str, kind: str) -> None:
    """On the average and at most, with few reads that nobody uses."""
    names = [
        name for name in tally.costs
        if name.startswith(f"{surface}:") and (_METHODS[name] == "GET") == (kind == "read") and not _is_tool(name)
    ]  # fmt: skip
    _within(_together(tally, names), MEANS[surface, kind])


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_for_whole_players_take_no_more_rounds_than_today(tally: Tally, tool: str) -> None:
    """However much the players have."""
    _within(_together(tally, [f"{surface}:players.{tool}" for surface in ("server", "admin")]), TOOLS[tool])


def test_all_operations_together_take_two_rounds(tally: Tally) -> None:
    """And read little in vain."""
    _within(tally.total(), Bound(1.8, 22))


@pytest.mark.parametrize("name", ONE_ROUND)
def test_what_is_called_most_takes_one_round(tally: Tally, name: str) -> None:
    """Every single request."""
    assert tally.costs[name].most == 1


@pytest.mark.parametrize("name", SCORES)
def test_scores_take_two_rounds(tally: Tally, name: str) -> None:
    """Every single request."""
    assert tally.costs[name].most == 2


def test_the_table_names_every_operation(tally: Tally) -> None:
    """One line each, after those of the surfaces."""
    lines = tally.table().splitlines()[2:]
    shown = [line.split("|")[1].strip() for line in lines]
    assert shown[:4] == ["all *", "all sdk:*", "all server:*", "all admin:*"]
    assert sorted(shown[4:]) == sorted(tally.costs)
