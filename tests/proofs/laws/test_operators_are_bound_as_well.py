"""What operators do to players keeps the laws: the model predicts it, whichever surface it is done on.

The gate asks that every operation that the model knows of operators succeeded and refused as it can.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.contract import oracle
from tests.laws.lawful import SHORT_RUN
from tests.laws.model import Model
from tests.laws.operating import OPERATED, operated
from tests.laws.playing import play

_SEEDS: Final = range(8 if SHORT_RUN else 100)
_SCENES: Final = 150
_FORCED: Final = {f"grant: {status} -force-> claimed" for status in ("pending", "expired", "claimed")}


@pytest.fixture(scope="module")
def reached() -> Model:
    """What the sequences reach together."""
    together = Model()
    for seed in _SEEDS:
        model = Model()
        play(operated(seed, _SCENES), model, note=f"The sequence of operators of seed {seed}, {_SCENES} scenes:")
        together.successes.update(model.successes)
        together.refused.update(model.refused)
        together.moves.update(model.moves)
    return together


def test_every_operation_of_operators_succeeds_and_refuses(reached: Model) -> None:
    """Otherwise the model would have predicted nothing."""
    succeeded = {name for name, _ in reached.successes}
    assert OPERATED.keys() - succeeded == set()
    refusals = {(name, code) for name, row in OPERATED.items() for code in row.refuses.split()}
    assert {entry for entry in refusals if not reached.refused[entry]} == set()
    assert {move for move in _FORCED if not reached.moves[move]} == set()


def test_the_model_names_operations_and_refusals_of_the_contract() -> None:
    """None that operators do not have."""
    routes = {route.id: route for route in oracle.OPERATED}
    assert OPERATED.keys() <= routes.keys()
    named = {(name, code) for name, row in OPERATED.items() for code in row.refuses.split()}
    common = {"validation_failed", "player_not_found"}
    assert {(name, code) for name, code in named if code not in common and code not in routes[name].codes} == set()
