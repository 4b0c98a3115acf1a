"""What differs from the other configuration, for the same players."""

from __future__ import annotations

from livecore.simulation.outcome import Outcome
from livecore.simulation.report.markup import EMPTY, Markup, section, table, tag, text
from livecore.simulation.report.words import change, count


def against(outcome: Outcome) -> Markup:
    """Each figure that differs, with its range over the seeds."""
    differences = outcome.differences()
    if not differences:
        return EMPTY
    moved = {name: one for name, one in differences.items() if one.difference or one.low or one.high}
    rows = [
        (
            tag("code", text(name)),
            text(count(one.a)),
            text(count(one.b)),
            text(change(one.difference)),
            text(f"{change(one.low)} to {change(one.high)}"),
            tag("b", text("yes")) if one.is_sure else text("within the range"),
        )
        for name, one in moved.items()
    ]
    disturbed = [name for name, change in outcome.noise().items() if change]
    noise = (
        "One idle request more changes no figure: what differs is the change of the configuration and what follows from it."
        if not disturbed
        else f"One idle request more changes {len(disturbed)} figures, so differences of their size say nothing."
    )
    seeds = len(outcome.about.seeds)
    few = "" if seeds > 1 else " With one seed there is no range: --replicas 8 shows how much of it is chance."
    header = ("Figure", "This one", "The other one", "Difference", "Range over the seeds", "Same sign with every seed")
    return section(
        "against",
        "Against the other configuration",
        tag("p", text(f"{len(moved)} of {len(differences)} figures differ.{few} {noise}")),
        table(header, rows, numbers=range(1, 4)) if rows else None,
    )
