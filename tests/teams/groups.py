"""What the tests of teams share: a game whose event has them, and short ways to play in them."""

from __future__ import annotations

from typing import Any, Final

from livecore.economy.grants import GRANTS
from livecore.kernel.errors import JsonObject
from livecore.players.player import PLAYERS
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.competition.games import event, with_events
from tests.competition.playing import gold, progress, started
from tests.worlds import Reply, Since, ask, rows_of

MILESTONES: Final[list[JsonObject]] = [
    {"key": "ten", "threshold": 10, "entries": [gold(1)]},
    {"key": "fifty", "threshold": 50, "entries": [gold(2)]},
]


def crews(formation: str = "open", most: int = 3, *, fields: dict[str, Any] | None = None, **teams: Any) -> World:  # noqa: ANN401 - JSON
    """A game with an event `race` that is played in teams of at most so many; `fields` are others of the event."""
    rules: JsonObject = {"formation": formation, "size": {"min": 1, "max": most}, **teams}
    return with_events(event(teams=rules, **(fields or {})))


def found(player: WorldPlayer, **more: object) -> str:
    """Found a team; gives its key."""
    reply = ask(player, "teams.create", key="race", **more)
    assert reply.status == 201, reply.body
    return reply.text("team.teamKey")


def join(player: WorldPlayer, key: str | None = None) -> Reply:
    """Join a team, or any."""
    return ask(player, "teams.join", key="race", **({} if key is None else {"team_key": key}))


def crew(here: World, *names: str) -> list[WorldPlayer]:
    """Players in one team, of whom the first one has founded it, a second after one another."""
    players = [here.player(name) for name in names]
    key = found(players[0])
    for player in players[1:]:
        here.advance(seconds=1)
        assert join(player, key).status == 200
    return players


def play(player: WorldPlayer, points: int) -> str:
    """Start an attempt and report these points; gives its id."""
    attempt = started(player)
    assert progress(player, attempt, points=points).status == 200
    return attempt


def team_row(player: WorldPlayer) -> dict[str, Any]:
    """A player's own team."""
    found_: Any = ask(player, "teams.getOwn", key="race").data["team"]
    return dict(found_)


def team_of(here: World, key: str, **more: object) -> dict[str, Any]:
    """A team as the studio's backend reads it."""
    reply = ask(here.server, "teams.get", event_key="race", team_key=key, **more)
    assert reply.status == 200, reply.body
    found_: Any = reply.data["team"]
    return dict(found_)


def registered(here: World, *names: str) -> list[str]:
    """These names, each of a player who is registered."""
    for name in names:
        here.player(name)
    return list(names)


def put_roster(here: World, key: str, *names: str, **more: object) -> Reply:
    """Write the roster of a team."""
    return ask(here.server, "teams.putRoster", event_key="race", team_key=key, external_player_ids=list(names), **more)


def team_board(here: World) -> str:
    """The id of the board of the teams of the window that is open."""
    (row,) = ask(here.player("reader"), "events.list").list("events")
    return str(row["window"]["teamLeaderboardId"])  # type: ignore[index,call-overload] # JSON


def ranks(here: World, board: str) -> list[tuple[object, object, object]]:
    """Rank, name and score of each team on a board."""
    rows = ask(here.player("reader"), "leaderboards.getEvent", leaderboard_id=board).list("entries")
    return [(row["rank"], row["name"], row["score"]) for row in rows]


def paid(here: World, *kinds: str) -> list[tuple[str, str]]:
    """Who has been paid for what, of these kinds of sources or of all of teams, sorted."""
    names = {player.player_id: player.external_id for player in _players(here)}
    wanted = kinds or ("event_team_milestone", "event_team_goal", "event_team_rank")
    return sorted((names[row.player_id], row.source_kind) for row in rows_of(here, GRANTS) if row.source_kind in wanted)


def _players(here: World) -> list[Any]:

    return list(rows_of(here, PLAYERS))


def kinds(since: Since) -> list[str]:
    """The kinds of events about teams and invitations, sorted."""
    return [kind for kind in since.kinds if kind.startswith(("event_team.", "partner."))]


def sound(here: World) -> None:
    """Nothing contradicts itself."""
    assert found_wrong(here) == []
