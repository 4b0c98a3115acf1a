"""Events with their windows, scores, milestones, lobbies and teams; ranks and divisions; crates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from livecore.events.definition import EventDefinition
from livecore.simulation.observed import Observed, Window
from livecore.simulation.outcome import Outcome
from livecore.simulation.report.charts import bars, lines, share
from livecore.simulation.report.markup import EMPTY, Markup, figure, joined, section, table, tag, text
from livecore.simulation.report.words import count, facts, names_of, percent

_QUARTILES = {"lowest": 0, "lower quarter": 5, "median": 10, "upper quarter": 15, "highest": 20}


def events(outcome: Outcome) -> Markup:
    """A part for each event."""
    return section("events", "Events", *(_event(outcome, event) for event in outcome.config.events))


def _event(outcome: Outcome, event: EventDefinition) -> Markup:
    run = outcome.runs[0]
    windows = _windows_of(run, event.key)
    if not windows:
        return EMPTY
    active, players = (sum(getattr(window, name) for window in windows) for name in ("active_players", "players"))
    started, completed, expired = (
        sum(getattr(window, name) for window in windows) for name in ("started", "completed", "expired")
    )
    return joined(
        [
            tag("h3", text(event.name or event.key), id=f"event-{event.key}"),
            facts(
                [
                    ("windows", count(len(windows))),
                    ("took part, of those who were there", percent(players / active if active else 0)),
                    ("attempts", count(started)),
                    ("completed", percent(completed / started if started else 0)),
                    ("ran out of time", count(expired)),
                ]
            ),
            _participation(windows),
            _scores(windows),
            _milestones(event, windows),
            _flows(outcome, windows),
            _lobbies(run, event.key),
            _teams(run, event.key),
        ]
    )


def _windows_of(run: Observed, key: str) -> list[Window]:
    """The windows of an event, without one that opens as the run ends: it is open, and nobody can come to it."""
    return [one for one in run.windows if one.event == key and (one.active_players or one.ends_on is not None)]


def _participation(windows: Sequence[Window]) -> Markup:
    if len(windows) == 1:
        return EMPTY
    labels = [str(window.starts_on + 1) for window in windows]
    shares = [one.players / one.active_players if one.active_players else 0 for one in windows]
    return figure(
        "Share of the players who were there that took part, by the day on which the window opened",
        lines("Participation", labels, {"share": shares}, percent),
    )


def _scores(windows: Sequence[Window]) -> Markup:
    scored = [window for window in windows if window.scores]
    if not scored:
        return EMPTY
    labels = [str(window.starts_on + 1) for window in scored]
    if len(scored) == 1:
        curve = [str(5 * place) for place in range(21)]
        return figure("Score by the share of players below it", bars("Score", curve, scored[0].scores))
    series = {name: [window.scores[place] for window in scored] for name, place in _QUARTILES.items()}
    return figure("Best scores of the players, by window", lines("Scores", labels, series))


def _milestones(event: EventDefinition, windows: Sequence[Window]) -> Markup:
    players = sum(window.players for window in windows)
    reached = Counter[str]()
    for window in windows:
        reached.update(window.milestones)
    rows = [
        (
            text(milestone.key),
            text(count(milestone.threshold)),
            text(count(reached[milestone.key])),
            text(percent(reached[milestone.key] / players if players else 0)),
            share(reached[milestone.key] / players if players else 0),
        )
        for milestone in event.milestones
    ]
    return (
        table(("Milestone", "Threshold", "Reached", "Share of players", ""), rows, numbers=(1, 2, 3)) if rows else EMPTY
    )


def _flows(outcome: Outcome, windows: Sequence[Window]) -> Markup:
    names, costs, rewards = names_of(outcome.config), Counter[str](), Counter[str]()
    for window in windows:
        costs.update(window.costs)
        rewards.update(window.rewards)
    rows = [
        (
            text(names.get(key, key)),
            text(count(costs[key]) if costs[key] else ""),
            text(count(rewards[key]) if rewards[key] else ""),
        )
        for key in sorted({*costs, *rewards})
    ]
    return table(("Resource", "Entry costs", "Rewards granted"), rows, numbers=(1, 2)) if rows else EMPTY


def _lobbies(run: Observed, key: str) -> Markup:
    lobbies = run.lobbies.get(key)
    if lobbies is None:
        return EMPTY
    longest = max(lobbies.waits, default=0)
    return joined(
        [
            facts(
                [
                    ("lobbies", count(lobbies.started)),
                    ("seats of bots", percent(lobbies.bots / lobbies.seats if lobbies.seats else 0)),
                    ("players who waited", count(sum(lobbies.waits.values()))),
                    ("longest wait", f"{longest} s"),
                ]
            ),
            figure(
                "Players by the seconds they waited for a lobby",
                bars(
                    "Players by their wait",
                    [str(second) for second in range(longest + 1)],
                    [lobbies.waits[second] for second in range(longest + 1)],
                ),
            )
            if lobbies.waits
            else EMPTY,
        ]
    )


def _teams(run: Observed, key: str) -> Markup:
    if not run.teams[key, "formed"]:
        return EMPTY
    names = ("formed", "joined", "left", "completed")
    return facts(
        [(f"teams {name}" if name in {"formed", "completed"} else name, count(run.teams[key, name])) for name in names]
    )


def ranks(outcome: Outcome) -> Markup:
    """What ranks won, by division, and where the players of a league are."""
    run, names = outcome.runs[0], names_of(outcome.config)
    rows = [
        (text(board), text(division or "-"), text(names.get(resource, resource)), text(count(amount)))
        for (board, division, resource), amount in sorted(run.rank_rewards.items())
    ]
    divisions = [
        (text(board), text(division or "-"), text(count(number)))
        for board, counted in sorted(run.divisions.items())
        for division, number in sorted(counted.items())
    ]
    return section(
        "ranks",
        "Rank rewards and divisions",
        table(("Event or leaderboard", "Division", "Resource", "Granted"), rows, numbers=(3,)) if rows else EMPTY,
        table(("Leaderboard", "Division", "Players at the end"), divisions, numbers=(2,)) if divisions else EMPTY,
    )


def crates(outcome: Outcome) -> Markup:
    """What was drawn, beside what the configuration states."""
    run = outcome.runs[0]
    parts = []
    for crate in outcome.config.crates:
        openings = run.crates.get(crate.key)
        if openings is None:
            continue
        rows = []
        for roll, row in sorted(openings.expected):
            drawn = sum(number for (one, _), number in openings.rows.items() if one == roll)
            entries = crate.rolls[roll].rows[row].entries
            prize = ", ".join(f"{entry.amount} {entry.resource_key}" for entry in entries) or "nothing"
            observed = openings.rows[roll, row] / drawn if drawn else 0
            expected = openings.expected[roll, row]
            rows.append(
                (
                    text(prize),
                    text(percent(openings.stated[roll, row])),
                    text(percent(expected)),
                    text(percent(observed) if drawn else "-"),
                    text(f"{100 * (observed - expected):+.1f}" if drawn else "-"),
                    text(count(openings.rows[roll, row])),
                )
            )
        header = ("Prize", "By weight", "In the long run, with pity", "Observed", "Difference", "Drawn")
        parts += [
            tag("h3", text(crate.name or crate.key), id=f"crate-{crate.key}"),
            facts(
                [
                    ("granted", count(openings.granted)),
                    ("opened", count(openings.opened)),
                    ("decided by pity", count(openings.by_pity)),
                ]
            ),
            table(header, rows, numbers=range(1, 6)) if rows else EMPTY,
        ]
    return section("crates", "Crates", *parts)
