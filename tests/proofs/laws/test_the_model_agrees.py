"""The service against the model: every answer is predicted, and the run counts only if it has been everywhere.

The seeds are fixed, so what they reach cannot change by chance, only because the generator, the model or the service did.
The gate asks that every operation succeeded with each of its statuses, that every transition of every area fired, with paid,
free, item and XP gifts among them, that every refusal was met, and by each operation those of its own that its area names.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import attrs
import pytest
from hypothesis import given

from livecore.api.operations import OPERATIONS as SERVED
from tests.contract import oracle
from tests.laws.areas import AREAS, OPERATIONS
from tests.laws.lawful import SHORT_RUN, generated, seeds
from tests.laws.model import REFUSALS, REPLAYS, Model
from tests.laws.playing import play
from tests.laws.routes import SUCCESSES
from tests.laws.scenes import BROAD
from tests.laws.sequences import broad, broad_sequences, seeded
from tests.laws.steps import Step
from tests.laws.worlds import Worlds

Kind: TypeAlias = Callable[[int, int], list[Step]]
_AMONG_PLAYERS: Final = (2, 3, 4, 6, 7, 8)
_OVER_ALL_AREAS: Final = (0, 2, 3, 5, 7, 8, 9, 10, 13, 14, 17, 19)
_GATE: Final[list[tuple[Kind, int]]] = [
    *((seeded, seed) for seed in (_AMONG_PLAYERS if SHORT_RUN else range(10))),
    *((broad, seed) for seed in (_OVER_ALL_AREAS if SHORT_RUN else range(20))),
]
"""Some sequences among players alone, and more over all areas: of ten and twenty those that reach everything together.

Another deck gives other sequences. Where these then lack something that the tests below want, the session `laws`, which
plays all, says whether any seed reaches it; `Gate.reached` gives what each does, and the short run takes in what is missing.
"""
_GATE_SCENES: Final = len(BROAD)
"""As many scenes as there are to draw from: with every area more, so that none makes the others' scenes fewer."""
_SUCCESSES_AT_LEAST: Final = 5
_TRANSITIONS_AT_LEAST: Final = 5
_REFUSALS_AT_LEAST: Final = 3

TRANSITIONS: Final = {move for area in AREAS.values() for move in area.transitions} | set(REPLAYS)
REFUSED: Final = {(name, code) for name, operation in OPERATIONS.items() for code in operation.refuses.split()}
"""How each operation has to refuse.

The limit of a player's total spend is tested in `commerce/test_purchases.py`: it takes at least 900,000 purchases to reach.
"""
CODES: Final = {code for _, code in REFUSED} | set(REFUSALS)


@attrs.frozen
class Reached:
    """What sequences have reached."""

    successes: Counter[tuple[str, int]] = attrs.field(factory=Counter)
    moves: Counter[str] = attrs.field(factory=Counter)
    refusals: Counter[str] = attrs.field(factory=Counter)
    refused: Counter[tuple[str, str]] = attrs.field(factory=Counter)

    def add(self, other: Reached | Model) -> None:
        """Add what other sequences have reached."""
        self.successes.update(other.successes)
        self.moves.update(other.moves)
        self.refusals.update(other.refusals)
        self.refused.update(other.refused)

    def written(self) -> str:
        """As JSON, to be read by `read`."""
        return json.dumps([list(counts.items()) for counts in attrs.astuple(self, recurse=False)])

    @classmethod
    def read(cls, text: str) -> Reached:
        """What `written` has written."""

        def key(found: str | list[str | int]) -> Any:  # noqa: ANN401 - of either kind of counter
            return found if isinstance(found, str) else tuple(found)

        return cls(*(Counter({key(found): count for found, count in counts}) for counts in json.loads(text)))


class Gate:
    """The gate's sequences, each played once by whichever of pytest's processes comes to it first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def reached(self, kind: Kind, seed: int) -> Reached:
        """What a sequence reaches."""
        file = self._folder / f"{kind.__name__}-{seed}.json"
        if file.exists():
            return Reached.read(file.read_text("utf-8"))
        reached, model = Reached(), Model()
        note = f"The {kind.__name__} sequence of seed {seed}, {_GATE_SCENES} scenes:"
        play(kind(seed, _GATE_SCENES), model, note=note)
        reached.add(model)
        # Another process reads the whole file or none.
        being_written = file.with_suffix(f".{os.getpid()}")
        being_written.write_text(reached.written(), "utf-8")
        being_written.replace(file)
        return reached


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Gate:
    """What this run of pytest has played already, in a folder that its processes share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "gate"
    folder.mkdir(exist_ok=True)
    return Gate(folder)


@pytest.fixture(scope="module")
def reached(gate: Gate) -> Reached:
    """What all of the gate's sequences together reach."""
    reached = Reached()
    # The last first: meanwhile another process plays the first, and none plays what another one is playing.
    for kind, seed in reversed(_GATE):
        reached.add(gate.reached(kind, seed))
    return reached


@pytest.mark.parametrize(("kind", "seed"), _GATE, ids=lambda part: getattr(part, "__name__", str(part)))
def test_the_service_answers_as_the_model_predicts(gate: Gate, kind: Kind, seed: int) -> None:
    """In each of the gate's sequences; the tests below judge what they reach together."""
    assert sum(gate.reached(kind, seed).successes.values()) > _GATE_SCENES


def test_every_operation_reached_each_of_its_success_statuses(reached: Reached) -> None:
    """And the service has no operation behind a key that the hand-written table does not know."""
    wanted = {(name, status) for name, statuses in SUCCESSES.items() for status in statuses}
    assert {entry: count for entry in wanted if (count := reached.successes[entry]) < _SUCCESSES_AT_LEAST} == {}
    served = {
        entry.id: frozenset(entry.answers)
        for entry in SERVED
        if entry.credential not in {"none", "member"} and not entry.messages
    }
    assert served == SUCCESSES
    assert sorted(row.name for area in AREAS.values() for row in area.operations) == sorted(SUCCESSES)


def test_every_transition_fired(reached: Reached) -> None:
    """Often enough that it is no accident, and none that is not on the list."""
    assert {
        move: reached.moves[move] for move in sorted(TRANSITIONS) if reached.moves[move] < _TRANSITIONS_AT_LEAST
    } == {}
    assert set(reached.moves) - {""} == TRANSITIONS


def test_every_refusal_was_met(reached: Reached) -> None:
    """Every code that these operations can give, those of broken requests and of overload aside."""
    assert {code: reached.refusals[code] for code in sorted(CODES) if reached.refusals[code] < _REFUSALS_AT_LEAST} == {}
    assert set(reached.refusals) == CODES


def test_every_operation_refused_as_it_can(reached: Reached) -> None:
    """Each of its own refusals, by each of them: several operations share a code."""
    assert sorted(entry for entry in REFUSED if not reached.refused[entry]) == []


def test_the_areas_name_every_refusal_of_the_contract() -> None:
    """The codes of an operation's own, no more and no less, are those that it has to show and those that are seldom.

    What a deployment limits is off in every law.
    """
    named = REFUSED | {(name, code) for name, operation in OPERATIONS.items() for code in operation.seldom.split()}
    written = {(route.id, code) for route in oracle.GUARDED if route.id in SUCCESSES for code in route.codes}
    assert {entry for entry in named ^ written if entry[1] not in {*REFUSALS, "storage_limit_reached"}} == set()


@seeds
def test_worlds_agree_with_the_model(seed: int) -> None:
    """The library's `World` has its own clock and its own way to call; the rules are the same."""
    play(
        broad(1_000 + seed, 60), Model(), arena=Worlds(), note=f"The broad sequence of seed {1_000 + seed}, 60 scenes:"
    )


@given(steps=broad_sequences())
@generated
def test_the_model_agrees_in_any_sequence(steps: list[Step]) -> None:
    play(steps, Model())
