"""Who came, who stayed, who paid."""

from __future__ import annotations

from livecore.simulation.figures import retention
from livecore.simulation.observed import Observed
from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import bars, lines, stacked
from livecore.simulation.report.markup import EMPTY, Markup, figure, joined, section, table, text
from livecore.simulation.report.words import MARK, count, daily, day_labels, facts, money, percent


def people(outcome: Outcome) -> Markup:
    """Players by day and behaviour, retention and streaks."""
    run, labels = outcome.runs[0], day_labels(outcome.runs[0])
    kept = [day for day in (1, 3, 7, 14, 30) if day < run.days]
    registered = sum(run.registered.values())
    return section(
        "people",
        f"Players {MARK}",
        facts(
            [
                ("registered", count(registered)),
                ("active on a day", count(sum(run.active.values()) / run.days if run.days else 0)),
                ("sessions", count(sum(run.sessions.values()))),
                *((f"back after {day} days", percent(retention(run, day))) for day in kept),
            ]
        ),
        figure(
            "Players with a session, by day and behaviour",
            stacked("Players with a session by day", labels, daily(run.active, run.days)),
        ),
        _retention(run),
        _streaks(run),
    )


def _retention(run: Observed) -> Markup:
    if run.days <= 1:
        return EMPTY
    days = range(1, run.days)
    shares = {"share of players": [retention(run, day) for day in days]}
    return figure(
        "Players who came back so many days after they registered",
        lines("Retention", [str(day) for day in days], shares, percent),
    )


def _streaks(run: Observed) -> Markup:
    best = sorted(run.streaks)
    parts = [
        figure(
            "Best login streak, in days",
            bars("Players by their best login streak", [str(day) for day in best], [run.streaks[day] for day in best]),
        )
        if best
        else EMPTY,
        figure(
            "Login streaks that ended: the share of them that reached a day",
            lines("Share of streaks that reached a day", *_survival(run), percent),
        )
        if run.streaks_ended
        else EMPTY,
    ]
    return joined(parts)


def _survival(run: Observed) -> tuple[list[str], dict[str, list[float]]]:
    ended = run.streaks_ended
    total = sum(ended.values())
    lengths = range(1, max(ended) + 1)
    alive = [sum(number for length, number in ended.items() if length >= day) / total for day in lengths]
    return [str(day) for day in lengths], {"share of streaks": alive}


def revenue(outcome: Outcome) -> Markup:
    """What players pay, by day, product and behaviour."""
    run = outcome.runs[0]
    if not run.purchases:
        return EMPTY
    products: dict[str, int] = {}
    for (_, product, _), number in run.purchases.items():
        products[product] = products.get(product, 0) + number
    return section(
        "revenue",
        f"Revenue {MARK}",
        facts(
            [
                ("revenue", money(sum(run.revenue.values()))),
                ("players who paid", count(run.payers)),
                ("share of players", percent(run.payers / max(sum(run.registered.values()), 1))),
            ]
        ),
        figure(
            "Revenue by day and behaviour",
            stacked("Revenue by day", day_labels(run), daily(run.revenue, run.days), money),
        ),
        table(
            ("Product", "Bought"), [(text(product), text(count(number))) for product, number in sorted(products.items())],
            numbers=(1,),
        ),
    )  # fmt: skip


def behaviours(outcome: Outcome) -> Markup:
    """How many players have each behaviour, and what they do."""
    run = outcome.runs[0]
    rows = []
    for name, number in run.behaviours.items():
        calls = sum(amount for (_, who), amount in run.calls.items() if who == name)
        refused = sum(amount for (_, _, who), amount in run.refusals.items() if who == name)
        sessions = sum(amount for (_, who), amount in run.sessions.items() if who == name)
        rows.append(
            (
                text(name),
                text(count(number)),
                text(count(sessions)),
                text(count(calls)),
                text(percent(refused / calls if calls else 0)),
                text(count(sum(amount for (_, who), amount in run.churned.items() if who == name))),
                text(count(sum(amount for (_, who), amount in run.came_back.items() if who == name))),
            )
        )
    header = ("Behaviour", "Players", "Sessions", "Calls", "Refused", "Left", "Came back")
    return joined(
        [section("behaviours", f"Who plays {MARK}", table(header, rows, numbers=range(1, 7)) if rows else None)]
    )
