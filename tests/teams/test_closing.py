"""The close of a window with teams: their ranks, what the ranks win, and what is told, once each."""

from __future__ import annotations

from collections import Counter

import pytest

from livecore.kernel.units.due import DUE
from livecore.teams.team import TEAMS
from livecore.world import World
from tests.competition.playing import gold
from tests.teams.groups import (
    crew,
    crews,
    found,
    paid,
    play,
    put_roster,
    ranks,
    registered,
    sound,
    team_board,
    team_of,
    team_row,
)
from tests.worlds import Since, ask, rows_of

_RANKS = [{"from": 1, "to": 1, "entries": [gold(9)]}, {"from": 2, "to": 2, "entries": [gold(4)]}]


def _three(here: World) -> str:
    """Teams with 30, 20 and no points, and one without anybody; gives the board's id."""
    anna, bert = crew(here, "anna", "bert")
    play(anna, 10)
    play(bert, 20)
    found(here.player("carl"), name="Cats")
    play(here.player("carl"), 20)
    found(here.player("dora"), name="Dogs")
    found(here.player("emil"), name="Elks")
    ask(here.player("emil"), "teams.leave", key="race")
    return team_board(here)


def test_ranks_are_paid_to_every_member() -> None:
    """Of the teams with a rank that wins; the players' own board pays apart from that."""
    here = crews(most=2, rankRewards=_RANKS, fields={"rankRewards": [{"from": 1, "to": 1, "entries": [gold(1)]}]})
    board = _three(here)
    since = Since(here)
    here.advance(minutes=30)
    assert paid(here) == [(name, "event_team_rank") for name in ("anna", "bert", "carl")]
    assert paid(here, "event_rank") == [("bert", "event_rank")]
    key = next(row.key for row in rows_of(here, TEAMS) if row.name is None)
    assert ranks(here, board) == [(1, key, 30), (2, "Cats", 20)]
    finals = {one["eventTeamId"]: one for one in since.of("event_team.finalized")}
    found_ranks = {row.name: (row.rank, finals[row.team_id]["rank"]) for row in rows_of(here, TEAMS)}
    # Nobody was in the Elks any more: they are final, and then their rows are removed.
    assert found_ranks == {None: (1, 1), "Cats": (2, 2), "Dogs": (None, None)}
    assert Counter(one["rank"] for one in finals.values()) == {1: 1, 2: 1, None: 2}
    assert {one["boardSize"] for one in finals.values()} == {2}
    assert {tuple(one["segmentValues"]) for one in finals.values()} == {()}  # type: ignore[arg-type] # JSON
    sound(here)


def test_a_final_board_of_teams_says_so() -> None:
    """In its event, with the teams in its ranks, and when it is read."""
    here = crews(rankRewards=_RANKS)
    board = _three(here)
    since = Since(here)
    here.advance(minutes=30)
    finals = {one["leaderboardId"]: one for one in since.of("leaderboard.finalized")}
    final = finals[board]
    assert (final["participantScope"], final["entryCount"]) == ("team", 2)
    first = final["topRanks"][0]  # type: ignore[index] # JSON
    assert (first["rank"], first["score"], first["playerId"]) == (1, 30, None)  # type: ignore[index,call-overload] # JSON
    row = ask(here.player("reader"), "leaderboards.getEvent", leaderboard_id=board)
    assert (row["leaderboard.participantScope"], row["leaderboard.status"]) == ("team", "finalized")
    assert set(row.list("entries")[0]) == {
        "rank", "name", "score", "reachedAt", "isBot", "eventTeamId", "teamKey", "memberCount",
    }  # fmt: skip


def test_around_a_player_is_around_the_team() -> None:
    """On the board of the teams."""
    here = crews()
    board = _three(here)
    around = ask(here.player("reader"), "leaderboards.getEvent", leaderboard_id=board, around="carl", limit=1)
    assert around["entries.0.name"] == "Cats"
    alone = ask(here.player("reader"), "leaderboards.getEvent", leaderboard_id=board, around="dora")
    assert alone.refusal == (404, "leaderboard_entry_not_found")


def test_the_studio_sees_what_a_window_has_ended_with() -> None:
    """At once, with the figures."""
    here = crews(most=2, rankRewards=_RANKS)
    _three(here)
    window = team_row(here.player("anna"))["eventWindowId"]
    key = team_row(here.player("anna"))["teamKey"]
    ended = ask(here.server, "dev.endWindow", event_key="race")
    assert ended["windows.0.grantsCreated"] == 3
    assert ended["windows.0.leaderboardsFinalized"] == 2
    row = team_of(here, key, window_id=window)
    assert (row["status"], row["finalRank"], row["score"]) == ("finalized", 1, 30)
    sound(here)


def test_without_a_board_there_are_no_ranks() -> None:
    """Teams are final all the same."""
    here = crews(board=False)
    anna, _ = crew(here, "anna", "bert")
    play(anna, 5)
    listed = ask(here.player("reader"), "events.list").list("events")[0]
    assert listed["window"]["teamLeaderboardId"] is None  # type: ignore[index,call-overload] # JSON
    since = Since(here)
    here.advance(minutes=30)
    (final,) = since.of("event_team.finalized")
    assert [final[name] for name in ("rank", "boardSize", "segmentValues", "score", "memberCount")] == [
        None, None, None, 5, 2,
    ]  # fmt: skip
    sound(here)


@pytest.mark.parametrize("members", [99, 100, 101, 350])
def test_a_large_team_is_paid_in_steps_at_the_close(members: int) -> None:
    """Each member once, and the next team after it."""
    here = crews("external", 10_000, rankRewards=_RANKS)
    names = registered(here, *(f"p{number}" for number in range(members)))
    put_roster(here, "owls", *names)
    put_roster(here, "cats", *registered(here, "carl"))
    play(here.player("p0"), 50)
    play(here.player("carl"), 5)
    since = Since(here)
    here.advance(hours=1)
    assert paid(here) == sorted((name, "event_team_rank") for name in (*names, "carl"))
    assert [one["rank"] for one in since.of("event_team.finalized")] == [1, 2]
    assert [row.kind for row in rows_of(here, DUE) if row.kind.startswith("teams.")] == []
    sound(here)


def test_many_teams_are_final_in_steps() -> None:
    """More than one step handles, with and without a rank."""
    here = crews(most=1)
    for number in range(130):
        player = here.player(f"p{number}")
        found(player)
        if number % 2:
            play(player, number)
    since = Since(here)
    here.advance(hours=1)
    finals = since.of("event_team.finalized")
    assert len(finals) == 130
    given = Counter(str(one["rank"]) for one in finals)
    assert given == {"None": 65, **{str(rank): 1 for rank in range(1, 66)}}
    sound(here)
