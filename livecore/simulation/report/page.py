"""The page: its head, its sections in their order, and its style."""

from __future__ import annotations

from livecore.simulation.outcome import Outcome
from livecore.simulation.report.markup import Markup, joined, tag, text
from livecore.simulation.report.sections.against import against
from livecore.simulation.report.sections.economy import economy
from livecore.simulation.report.sections.overview import overview
from livecore.simulation.report.sections.people import behaviours, people, revenue
from livecore.simulation.report.sections.play import crates, events, ranks
from livecore.simulation.report.sections.service import refusals, webhooks
from livecore.simulation.report.sections.social import friends, gifts, guilds
from livecore.simulation.report.style import STYLE

_SECTIONS = (
    overview, against, economy, gifts, friends, guilds, events, ranks, crates, people, revenue, behaviours, refusals,
    webhooks,
)  # fmt: skip


def page_of(outcome: Outcome) -> str:
    """The report of an outcome: an HTML document that loads nothing and runs no script."""
    about = outcome.about
    title = f"{outcome.config.name or 'A game'}: a simulated season"
    seeds = f"seed {about.seeds[0]}" if len(about.seeds) == 1 else f"seeds {about.seeds[0]} to {about.seeds[-1]}"
    facts = f"{about.players:,} players, {about.days} days from {about.start[:10]}, {seeds}, Livecore {about.version}"
    parts = [make(outcome) for make in _SECTIONS]
    head = tag(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        tag("title", text(title)),
        tag("style", Markup(STYLE)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", text(title)), tag("p", text(facts), class_="note"), _contents(parts)),
        tag("main", joined(parts)),
        tag("footer", tag("p", text(_origin(outcome)))),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _contents(parts: list[Markup]) -> Markup:
    """Links to the sections that are there."""
    names = {
        "economy": "Economy", "gifts": "Gifts", "guilds": "Guilds", "events": "Events", "ranks": "Ranks",
        "crates": "Crates", "people": "Players", "revenue": "Revenue", "refusals": "Refusals", "webhooks": "Webhooks",
        "against": "Against",
    }  # fmt: skip
    whole = "".join(parts)
    links = [
        tag("a", text(name), href=f"#{anchor}") for anchor, name in names.items() if f'<section id="{anchor}"' in whole
    ]
    return tag("nav", *links, aria_label="Sections")


def _origin(outcome: Outcome) -> str:
    about = outcome.about
    runs = "" if len(about.seeds) == 1 else " Charts and lists show the first seed; figures with a range are of all."
    return (
        f"Played by Livecore {about.version} under the rules of its server; configuration {about.config_digest[:12]}, "
        f"population {about.population_digest[:12]}, time zones {about.time_zones}. The same files, version and seed "
        f"give the same page.{runs}"
    )
