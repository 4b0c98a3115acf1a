"""What the studio's backend does by itself in a season: the teams of events that leave this to it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from livecore.api.configuration.game_config import parse_config
from livecore.kernel.errors import JsonObject
from livecore.simulation.backend import BACKEND
from livecore.simulation.population import parse_population
from livecore.simulation.season import play_season
from livecore.simulation.watching import Nobody

WAR: JsonObject = {
    "name": "War",
    "events": [
        {"key": "war", "name": "War", "metrics": [{"key": "points"}],
         "schedule": {"windows": [{"startsAt": "2026-01-01T00:00:00.000Z", "endsAt": "2026-01-03T12:00:00.000Z"}]},
         "teams": {"formation": "external", "size": {"max": 3}}}
    ],
}  # fmt: skip


class Rosters(Nobody):
    """Keeps the rosters that were written, and what was refused to whom."""

    def __init__(self) -> None:
        self.teams: dict[str, int] = {}
        self.puts: list[int] = []
        self.refused: Counter[tuple[str, str | None]] = Counter()
        self.started = 0
        self.day = 0

    def called(self, operation: str, behaviour: str, status: int, code: str | None, answer: Any) -> None:  # noqa: ANN401, ARG002 - any row
        """A call."""
        if code is not None:
            self.refused[operation, code] += 1
        elif operation == "server:teams.putRoster":
            assert behaviour == BACKEND
            self.teams[answer.team.team_key] = answer.team.member_count
            self.puts.append(self.day)
        elif operation == "events.start":
            self.started += 1

    def day_ended(self, day: int) -> None:
        """A day."""
        self.day = day + 1


def test_without_guilds_players_are_seated_as_they_come() -> None:
    """Every team is filled to its size, nobody starts without a seat, and a window that is over gets no roster any more."""
    watch = Rosters()
    population = parse_population(
        {"behaviours": [{"name": "core", "share": 1, "sessionsPerDay": 5, "churnPerDay": 0,
                         "arrival": {"atStart": 0.5, "overDays": 4}, "activities": {"teams": 1, "events": 1}}]}
    )  # fmt: skip
    play_season(parse_config(WAR), population, players=10, days=5, watch=watch)
    assert set(watch.puts) == {0, 1}
    assert max(watch.teams.values()) == 3
    assert list(watch.teams) == [f"team-{number + 1}" for number in range(len(watch.teams))]
    assert watch.started > 3
    assert not watch.refused
