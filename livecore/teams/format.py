"""How an event is played in teams: the moments at which teams and pairs have a say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from livecore.events.attempt_records import Attempt
from livecore.events.definition import EventDefinition
from livecore.events.format import ClosingStep, Entrant, EventFormat
from livecore.events.rows import EventTeamsRow
from livecore.events.window_records import EventWindow, definition_of, new_board
from livecore.kernel.declarations.jobs import Cursor
from livecore.kernel.storage.reads import Count, Read
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.unit import Unit
from livecore.leaderboards.boards import Leaderboard
from livecore.teams.config import TEAM_RULES, ranks_teams
from livecore.teams.contributing import contribute, contribution_reads, require_seat
from livecore.teams.emptied import remove_empty_teams
from livecore.teams.finalizing import finalize_teams
from livecore.teams.refusals import TeamRequired
from livecore.teams.scores import team_board_id_in
from livecore.teams.team import OF_WINDOW, held_seat_read


def _finalize(step: ClosingStep, cursor: Cursor) -> Cursor | None:
    """Make teams final and pay their ranks, from where the cursor says."""
    done = finalize_teams(step.unit, step.window, cursor, step.rows_left)
    step.granted += done.granted
    step.rows_left -= done.rows
    return done.following


class TeamFormat(EventFormat):
    """Players score for a team, which has milestones, a goal and, if it is declared, a place on a board of teams."""

    parts: ClassVar = (TEAM_RULES,)
    closes_every_window: ClassVar = True
    refusals: ClassVar = {"events.start": (TeamRequired,)}
    after_close: ClassVar = {"teams": _finalize}
    clean_up: ClassVar = {"teams": remove_empty_teams}

    def boards(self, unit: Unit, window: EventWindow, definition: EventDefinition) -> Iterator[Leaderboard]:
        """The board of the teams."""
        if ranks_teams(definition):
            board_id = team_board_id_in(unit, window.window_id)
            yield evolve(new_board(unit, window, definition), board_id=board_id, participants="team")

    def reads_to_start(self, unit: Unit, entrant: Entrant) -> Iterator[Read[Any]]:
        """The player's seat in a team."""
        yield held_seat_read(entrant.player.player_id, entrant.window.window_id)

    def admit(self, unit: Unit, entrant: Entrant) -> Mapping[str, Any]:
        """Raises `TeamRequired` for a player without a team; the attempt keeps the team."""
        seat = require_seat(unit, entrant.player.player_id, entrant.window.window_id, entrant.definition)
        return {} if seat is None else {"team_id": seat.team_id}

    def reads_to_progress(self, unit: Unit, attempt: Attempt) -> Iterator[Read[Any]]:
        """The player's seat, the team, and its place on the board."""
        if attempt.team_id is not None:
            yield from contribution_reads(unit, attempt.player_id, attempt.window_id, attempt.team_id)

    def scored(self, unit: Unit, attempt: Attempt, window: EventWindow, before: int | None) -> None:
        """Add what the score has changed by to the player's seat and the team."""
        contribute(unit, attempt.player_id, window.window_id, definition_of(window), before, attempt.score)

    def shown(self, definition: EventDefinition) -> Mapping[str, Any]:
        """Who forms the teams, and how many seats each has."""
        rules = TEAM_RULES.of(definition)
        return {} if rules is None else {"teams": EventTeamsRow(formation=rules.formation, size=rules.seats)}

    def shown_in_window(self, unit: Unit, window_id: str, definition: EventDefinition) -> Mapping[str, Any]:
        """The id of the board of the teams."""
        return {"team_leaderboard_id": team_board_id_in(unit, window_id)} if ranks_teams(definition) else {}

    def counts(self, window_id: str) -> tuple[Count]:
        """The count of the teams."""
        return (Count(OF_WINDOW, (window_id,)),)

    def counted(self, window_id: str, found: Mapping[Count, int]) -> Mapping[str, Any]:
        """How many teams the window has."""
        (count,) = self.counts(window_id)
        return {"team_count": found[count]}


TEAM_FORMAT: Final = TeamFormat()
