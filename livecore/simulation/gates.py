"""Gates: conditions on figures, by which a run fails, such as `economy.gold.inflation > 0.02`.

    FIGURE OP NUMBER          OP is one of > >= < <= == !=

With several replicas a gate is met if the mean of the figure meets it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Final

from livecore.kernel.errors import ValidationFailed
from livecore.kernel.quoting import quoted
from livecore.kernel.values import value
from livecore.simulation.figures import Figures

_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_GATE: Final = re.compile(r"\s*(?P<figure>\S+?)\s*(?P<sign>>=|<=|==|!=|>|<)\s*(?P<number>\S+)\s*")
_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_OF_CODE: Final = "refusals."
_OF_RETENTION: Final = "players.retention_"


@value
class Gate:
    """A condition on a figure."""

    figure: str
    sign: str
    limit: float
    text: str

    def is_met(self, figures: Figures) -> bool:
        """Whether the run fails by it. A refusal that never happened counts as 0."""
        return _OPERATORS[self.sign](figures.get(self.figure, 0.0), self.limit)


@value
class Verdict:
    """A gate with the figure that was compared, and whether the run fails by it."""

    gate: Gate
    figure: float
    met: bool


def read_gate(text: str) -> Gate:
    """A gate from its text. Raises `ValidationFailed` for what is none."""
    match = _GATE.fullmatch(text)
    if match is None or _NUMBER.fullmatch(match["number"]) is None or not isfinite(float(match["number"])):
        raise ValidationFailed(
            {"fail-if": f"{quoted(text)} is no gate: write a figure, one of > >= < <= == !=, and a number"}
        )
    return Gate(match["figure"], match["sign"], float(match["number"]), " ".join(text.split()))


def check_gates(gates: Iterable[Gate], names: Collection[str], codes: Iterable[str], days: int) -> None:
    """Raise `ValidationFailed` for a gate on a figure that there is not, naming the nearest ones, or not in so few days.

    `names` are those of the figures that every run has; `codes` are those that a refusal can have.
    """
    known = {*names, *(f"{_OF_CODE}{code}" for code in codes)}
    for gate in gates:
        if gate.figure not in known:
            near = get_close_matches(gate.figure, sorted(known), n=3, cutoff=0.5)
            also = (
                f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(names)[:8])} and more"
            )
            raise ValidationFailed({"fail-if": f"there is no figure {quoted(gate.figure)}: {also}"})
        after = gate.figure.removeprefix(_OF_RETENTION)
        if after != gate.figure and days <= int(after):
            raise ValidationFailed(
                {
                    "fail-if": f"{gate.figure} is always 0 in {days} days: nobody can come back later than the last of them"
                }
            )


def judge(gates: Iterable[Gate], figures: Figures) -> list[Verdict]:
    """Compare each gate with the figures."""
    return [Verdict(gate, figures.get(gate.figure, 0.0), gate.is_met(figures)) for gate in gates]
