"""An outcome in few words: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from livecore.simulation.comparison import Difference
from livecore.simulation.outcome import Outcome

_MOST_DIFFERENCES: Final = 25
_MARKS: Final = re.compile(r"[\\`*_\[\]<>&|~@#]")


def lines_of(outcome: Outcome) -> list[str]:
    """What a person reads when the simulation is over."""
    return list(_lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    about = outcome.about
    runs = "" if len(about.seeds) == 1 else f", {len(about.seeds)} seeds (warnings and notes: seed {about.seeds[0]})"
    yield f"{about.players} players, {about.days} days from {about.start}{runs}"
    figures = outcome.figures()
    for entry in outcome.config.economy:
        name = f"economy.{entry.key}"
        yield (
            f"{entry.key}: in {number(figures[f'{name}.minted'])}, out {number(figures[f'{name}.burned'])}, "
            f"held {number(figures[f'{name}.supply'])}, growth a day {percent(figures[f'{name}.inflation'])}"
        )
    for finding in outcome.findings:
        yield f"{finding.weight}: {finding.text}"
    yield from _differences_in_lines(outcome)
    for verdict in outcome.verdicts():
        yield f"{'FAILED' if verdict.met else 'passed'}: {verdict.gate.text} ({number(verdict.figure)})"


def _differences_in_lines(outcome: Outcome) -> Iterator[str]:
    differences = outcome.differences()
    if not differences:
        return
    moved = {name: one for name, one in differences.items() if one.difference or one.low or one.high}
    yield (
        f"against the other configuration {len(moved)} of {len(differences)} figures differ:"
        if moved
        else ("against the other configuration no figure differs")
    )
    for name, one in list(moved.items())[:_MOST_DIFFERENCES]:
        yield f"  {name}: {number(one.a)} -> {number(one.b)} ({_change(one)})"
    if len(moved) > _MOST_DIFFERENCES:
        yield f"  and {len(moved) - _MOST_DIFFERENCES} more (--json has all)"


def _change(one: Difference) -> str:
    sure = "" if one.is_sure else "; within the range of the seeds"
    return f"{_signed(one.difference)}, from {_signed(one.low)} to {_signed(one.high)}{sure}"


def summary_of(outcome: Outcome) -> str:
    """The outcome in Markdown: the verdict, the currencies, what was found, and what differs."""
    return "\n".join(_markdown(outcome)) + "\n"


def _markdown(outcome: Outcome) -> Iterator[str]:
    about, verdicts = outcome.about, outcome.verdicts()
    failed = [verdict for verdict in verdicts if verdict.met]
    yield f"## Simulation: {'failed' if failed else 'passed'}"
    yield ""
    yield f"{about.players} players, {about.days} days, seeds {', '.join(map(str, about.seeds))}, Livecore {about.version}"
    if verdicts:
        yield from ("", "| Fails if | Figure | |", "|---|--:|---|")
        for verdict in verdicts:
            yield f"| `{verdict.gate.text}` | {number(verdict.figure)} | {'**failed**' if verdict.met else 'passed'} |"
    ranges = outcome.ranges
    yield from ("", "| Currency | In | Out | Held | Growth a day |", "|---|--:|--:|--:|--:|")
    for entry in outcome.config.economy:
        cells = [ranges[f"economy.{entry.key}.{name}"].mean for name in ("minted", "burned", "supply")]
        growth = percent(ranges[f"economy.{entry.key}.inflation"].mean)
        yield f"| {entry.key} | {' | '.join(map(number, cells))} | {growth} |"
    found = outcome.findings
    if found:
        of_first = "" if len(about.seeds) == 1 else f" with seed {about.seeds[0]}"
        yield from ("", f"### Findings{of_first}", "")
        yield from (f"- {_escaped(finding.text)}" for finding in found)
    differences = [(name, one) for name, one in outcome.differences().items() if one.difference]
    if differences:
        yield from (
            "",
            "### Against the other configuration",
            "",
            "| Figure | This one | The other one | Difference | Range |",
        )
        yield "|---|--:|--:|--:|---|"
        for name, one in differences[:_MOST_DIFFERENCES]:
            ends = f"{_signed(one.low)} to {_signed(one.high)}"
            yield f"| `{name}` | {number(one.a)} | {number(one.b)} | {_signed(one.difference)} | {ends} |"


def _escaped(text: str) -> str:
    """A text with names of the configuration as Markdown that shows it as it is, on one line."""
    return _MARKS.sub(r"\\\g<0>", " ".join(text.split()))


def number(figure: float) -> str:
    """A figure for people: whole numbers with their thousands apart, others with four digits."""
    return f"{figure:,.0f}" if figure == int(figure) or abs(figure) >= 1_000 else f"{figure:.4g}"


def _signed(change: float) -> str:
    return ("+" if change >= 0 else "-") + number(abs(change))


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.2f} %"
