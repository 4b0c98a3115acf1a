"""Findings about events, milestones, ranks and crates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

from livecore.api.configuration.game_config import GameConfig
from livecore.events.definition import EventDefinition
from livecore.simulation.findings.finding import Finding, percent
from livecore.simulation.observed import CrateOpenings, Observed, Window

_FEW: Final = 0.05
_NEARLY_ALL: Final = 0.95
_ENOUGH: Final = 20
"""So many players are needed before a share of them says anything."""
_DRAWS: Final = 200
_SIGMAS: Final = 4.5
"""How many standard deviations from what was to be expected a crate's row may lie: chance exceeds it once in 100,000."""
_BY_PITY: Final = 0.1


def play_findings(observed: Observed, config: GameConfig) -> Iterator[Finding]:
    """A look at each event, leaderboard and crate."""
    for place, event in enumerate(config.events):
        windows = [window for window in observed.windows if window.event == event.key and window.active_players]
        yield from _event(observed, event, windows, f"events[{place}]")
    for place, board in enumerate(config.leaderboards):
        wins = board.rank_rewards or any(division.rank_rewards for division in board.divisions)
        if wins and not any(key == board.key for key, _, _ in observed.rank_rewards):
            yield Finding("note", "rewards", f"No rank of {board.key} was paid.", f"leaderboards[{place}].rankRewards")
    for place, crate in enumerate(config.crates):
        openings = observed.crates.get(crate.key, CrateOpenings())
        yield from _crate(crate.key, openings, f"crates[{place}]")


def _event(observed: Observed, event: EventDefinition, windows: Sequence[Window], path: str) -> Iterator[Finding]:
    active, players = sum(one.active_players for one in windows), sum(one.players for one in windows)
    if not active:
        return
    if not players:
        yield Finding("warning", "events", f"Nobody took part in {event.key}, in {len(windows)} windows.", path)
        return
    if players / active < _FEW and active >= _ENOUGH:
        text = f"Only {percent(players / active)} of the players who were there took part in {event.key}."
        yield Finding("warning", "events", text, path)
    yield from _milestones(event, windows, players, path)
    ended = [window for window in windows if window.ends_on is not None]
    started = sum(window.started for window in ended)
    if event.target is not None and started >= _ENOUGH and not any(window.completed for window in ended):
        yield Finding(
            "warning", "events", f"Nobody completed {event.key}: {started} attempts, none reached its target.", path
        )
    if event.rank_rewards and ended and not any(key == event.key for key, _, _ in observed.rank_rewards):
        yield Finding("note", "rewards", f"No rank of {event.key} was paid.", f"{path}.rankRewards")


def _milestones(event: EventDefinition, windows: Sequence[Window], players: int, path: str) -> Iterator[Finding]:
    reached = Counter[str]()
    for window in windows:
        reached.update(window.milestones)
    for place, milestone in enumerate(event.milestones):
        where = f"{path}.milestones[{place}]"
        name = f"the milestone {milestone.key} of {event.key} ({milestone.threshold})"
        share = reached[milestone.key] / players
        if not share and players >= _ENOUGH:
            yield Finding("warning", "rewards", f"Nobody reached {name}.", where)
        elif share >= _NEARLY_ALL and players >= _ENOUGH:
            yield Finding(
                "note",
                "rewards",
                f"{percent(share)} of those who took part reached {name}: it asks for nothing.",
                where,
            )


def _crate(key: str, openings: CrateOpenings, path: str) -> Iterator[Finding]:
    if not openings.granted:
        yield Finding("note", "crates", f"Nobody got the crate {key}.", path)
        return
    if not openings.opened:
        yield Finding("warning", "crates", f"Nobody opened the crate {key}: {openings.granted} wait.", path)
        return
    yield from _unfair(key, openings, path)
    if openings.by_pity / openings.opened > _BY_PITY:
        share = percent(openings.by_pity / openings.opened)
        yield Finding("note", "crates", f"Pity decided {share} of the openings of {key}.", path)


def _unfair(key: str, openings: CrateOpenings, path: str) -> Iterator[Finding]:
    """A row that came more or less often than chance explains."""
    for (roll, row), due in sorted(openings.due.items()):
        draws = sum(number for (one, _), number in openings.rows.items() if one == roll)
        if draws < _DRAWS:
            continue
        share = openings.stated[roll, row]
        spread = sqrt(draws * share * (1 - share))
        drawn = openings.rows[roll, row]
        if abs(drawn - due) > _SIGMAS * max(spread, 1):
            text = (
                f"The crate {key} gave row {row + 1} of roll {roll + 1} {drawn} times, where its odds and pity make "
                f"{due:.0f} of {draws} draws: chance does not explain that."
            )
            yield Finding("warning", "crates", text, f"{path}.rolls[{roll}].rows[{row}]")
