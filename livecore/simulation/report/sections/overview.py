"""The first screen: the verdict of the gates, each currency in a line, the largest sources, and the findings."""

from __future__ import annotations

from collections.abc import Mapping

from livecore.simulation.comparison import Range
from livecore.simulation.figures import not_moved
from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import share, short, spark
from livecore.simulation.report.markup import EMPTY, Markup, joined, section, table, tag, text
from livecore.simulation.report.words import MARK, cause_name, count, is_assumed, names_of, percent

_MOST_SOURCES = 5


def overview(outcome: Outcome) -> Markup:
    """The first screen."""
    return joined([_verdict(outcome), _findings(outcome), _currencies(outcome), _sources(outcome)])


def _verdict(outcome: Outcome) -> Markup:
    verdicts = outcome.verdicts()
    if not verdicts:
        return EMPTY
    failed = sum(verdict.met for verdict in verdicts)
    words = f"{failed} of {len(verdicts)} gates failed" if failed else "All gates passed"
    lines = [
        tag(
            "li",
            tag("code", text(one.gate.text)),
            text(f" {count(one.figure)} "),
            tag("b", text(_word(one.met)), class_=_word(one.met)),
        )
        for one in verdicts
    ]
    style = "verdict bad" if failed else "verdict good"
    return tag("div", tag("strong", text(words)), tag("ul", *lines), class_=style, id="verdict")


def _word(met: bool) -> str:  # noqa: FBT001 - one word for each
    return "failed" if met else "passed"


def _findings(outcome: Outcome) -> Markup:
    found = outcome.findings
    lines = [
        tag(
            "li",
            text(one.text),
            tag("code", text(one.path), class_="path") if one.path and one.path not in one.text else None,
            class_=one.weight,
        )
        for one in found
    ]
    seeds = outcome.about.seeds
    of_first = f"In the season with seed {seeds[0]}, the first of {len(seeds)}:"
    note = tag("p", text(of_first), class_="note") if lines and len(seeds) > 1 else None
    return section("findings", "Findings", note, tag("ul", *lines, class_="findings") if lines else None)


def _currencies(outcome: Outcome) -> Markup:
    run, ranges = outcome.runs[0], outcome.ranges
    rows = []
    for entry in outcome.config.economy:
        name, resource = f"economy.{entry.key}", f"currency:{entry.key}"
        weeks = [
            held / active if active else 0
            for held, active in zip(run.held_by_active.get(resource, []), run.active_in_week, strict=False)
        ]
        rows.append(
            (
                text(entry.name or entry.key),
                *(_range(outcome, f"{name}.{part}") for part in ("minted", "burned")),
                text(percent(ranges[f"{name}.sink_ratio"].mean)),
                text(count(_under_way(ranges, name))),
                _range(outcome, f"{name}.supply"),
                text(percent(ranges[f"{name}.inflation"].mean)),
                text(" · ".join(map(short, weeks)) or "-"),
                spark(weeks),
            )
        )
    header = (
        "Currency",
        "In",
        "Out",
        "Out of in",
        "Under way",
        "Held at the end",
        "Growth a day",
        "Held by an active player, by week",
        "",
    )
    return section("currencies", "Currencies", table(header, rows, numbers=range(1, 7)) if rows else None)


def _under_way(ranges: Mapping[str, Range], name: str) -> float:
    """What senders have paid and nobody has claimed: in minus out minus what is held."""
    minted, burned, supply = (ranges[f"{name}.{part}"].mean for part in ("minted", "burned", "supply"))
    return minted - burned - supply


def _range(outcome: Outcome, name: str) -> Markup:
    found = outcome.ranges[name]
    if len(outcome.runs) == 1:
        return text(count(found.mean))
    return tag("span", text(count(found.mean)), tag("small", text(f" {short(found.low)} to {short(found.high)}")))


def _sources(outcome: Outcome) -> Markup:
    run, names = outcome.runs[0], names_of(outcome.config)
    parts: list[Markup] = []
    assumed = False
    for entry in outcome.config.economy:
        resource = f"currency:{entry.key}"
        sources = not_moved(run.gained, resource)
        total = sum(sources.values())
        assumed = assumed or any(map(is_assumed, sources))
        if not total:
            continue
        largest = sorted(sources.items(), key=lambda item: (-item[1], item[0]))[:_MOST_SOURCES]
        rows = [
            (text(cause_name(cause)), text(count(amount)), text(percent(amount / total)), share(amount / total))
            for cause, amount in largest
        ]
        header = (f"Where {names[resource]} comes from", "Amount", "Share", "")
        parts.append(table(header, rows, numbers=(1, 2)))
    note = tag("p", text(f"{MARK} An assumption of the population, not of the configuration."), class_="note")
    return section("sources", "The largest sources", *parts, note if assumed else None)
