"""What members add to their team: points, milestones and the goal, and what happens to them when a member leaves."""

from __future__ import annotations

import pytest

from livecore.teams.rewards import MOST_AT_ONCE
from tests.competition.playing import gold, progress
from tests.teams.groups import (
    MILESTONES,
    crew,
    crews,
    found,
    join,
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
from tests.worlds import Since, ask


def test_points_are_added_in_the_request_that_brings_them() -> None:
    """Each member's to the seat, all of them to the team and its board."""
    here = crews()
    anna, bert, carl = crew(here, "anna", "bert", "carl")
    attempt = play(anna, 5)
    play(bert, 20)
    progress(anna, attempt, points=2)
    row = team_row(carl)
    assert row["score"] == 27
    assert [(one["externalPlayerId"], one["contribution"], one["rank"]) for one in row["members"]] == [
        ("bert", 20, 1), ("anna", 7, 2), ("carl", 0, 3),
    ]  # fmt: skip
    assert ranks(here, team_board(here)) == [(1, row["teamKey"], 27)]
    sound(here)


def test_several_attempts_all_count() -> None:
    """For the team; on the players' own board one of them stands."""
    here = crews(fields={"attempts": {"maxPerWindow": None}, "target": 10})
    (anna,) = crew(here, "anna")
    for points in (10, 12, 10):
        play(anna, points)
    assert team_row(anna)["score"] == 32


def test_a_best_value_adds_what_it_has_grown_by() -> None:
    """The first value as a whole; a lower one nothing."""
    here = crews(fields={"metrics": [{"key": "points", "aggregation": "best"}]})
    (anna,) = crew(here, "anna")
    attempt = play(anna, 10)
    for points, total in ((4, 10), (25, 25)):
        progress(anna, attempt, points=points)
        assert team_row(anna)["score"] == total
    sound(here)


def test_only_what_is_scored_in_the_seat_counts() -> None:
    """Before and after, the attempt goes on alone; in another team it counts there."""
    here = crews()
    anna, bert = crew(here, "anna", "bert")
    attempt = play(bert, 10)
    ask(bert, "teams.leave", key="race")
    assert progress(bert, attempt, points=100)["attempt.score"] == 110
    assert team_row(anna)["score"] == 10
    found(bert)
    progress(bert, attempt, points=1)
    assert (team_row(anna)["score"], team_row(bert)["score"]) == (10, 1)
    sound(here)


@pytest.mark.parametrize(("on_leave", "left"), [("keep_contribution", 30), ("remove_contribution", 10)])
@pytest.mark.parametrize("kicked", [False, True])
def test_what_stays_when_a_member_goes(on_leave: str, left: int, *, kicked: bool) -> None:
    """As the event says, by whatever way they go; the board and the event say the same."""
    here = crews(onLeave=on_leave)
    anna, bert = crew(here, "anna", "bert")
    play(anna, 10)
    play(bert, 20)
    since = Since(here)
    if kicked:
        ask(anna, "teams.kick", key="race", member_external_id="bert")
    else:
        ask(bert, "teams.leave", key="race")
    assert team_row(anna)["score"] == left
    assert [score for _, _, score in ranks(here, team_board(here))] == [left]
    (gone,) = since.of("event_team.member_left")
    assert (gone["contribution"], gone["contributionRemoved"]) == (20, left == 10)
    join(bert, team_row(anna)["teamKey"])
    assert [one["contribution"] for one in team_row(bert)["members"]] == [10, 0]
    sound(here)


def test_a_team_that_everybody_left_is_off_the_board() -> None:
    """It holds no rank against the others."""
    here = crews()
    anna, bert = here.player("anna"), here.player("bert")
    for player, points in ((anna, 50), (bert, 10)):
        found(player, name=f"of {player.external_id}")
        play(player, points)
    ask(anna, "teams.leave", key="race")
    assert ranks(here, team_board(here)) == [(1, "of bert", 10)]
    sound(here)


# -- milestones -----------------------------------------------------------------------------------------------------------


def test_a_milestone_is_paid_to_every_seat_once() -> None:
    """Who has scored and who has not; not to whoever comes later, nor when the score falls and grows again."""
    here = crews(most=4, milestones=MILESTONES, onLeave="remove_contribution")
    anna, bert, _ = crew(here, "anna", "bert", "carl")
    since = Since(here)
    attempt = play(bert, 10)
    assert paid(here) == [(name, "event_team_milestone") for name in ("anna", "bert", "carl")]
    (unlocked,) = since.of("event_team.milestone_unlocked")
    assert {name: unlocked[name] for name in ("milestoneKey", "threshold", "teamScore", "seatCount")} == {
        "milestoneKey": "ten", "threshold": 10, "teamScore": 10, "seatCount": 3,
    }  # fmt: skip
    assert (unlocked["paidSeatCount"], unlocked["payState"]) == (3, "inline_done")
    dora = here.player("dora")
    join(dora, team_row(anna)["teamKey"])
    ask(bert, "teams.leave", key="race")
    assert (team_row(anna)["score"], team_row(anna)["milestones"]) == (0, ["ten"])
    play(dora, 20)
    progress(bert, attempt, points=50)
    assert len(paid(here)) == 3
    sound(here)


def test_several_milestones_are_crossed_in_their_order() -> None:
    """Each is told of and paid."""
    here = crews(milestones=MILESTONES[::-1])
    (anna,) = crew(here, "anna")
    since = Since(here)
    play(anna, 60)
    assert [one["milestoneKey"] for one in since.of("event_team.milestone_unlocked")] == ["ten", "fifty"]
    assert team_row(anna)["milestones"] == ["ten", "fifty"]
    assert len(paid(here)) == 2


@pytest.mark.parametrize("size", [MOST_AT_ONCE, MOST_AT_ONCE + 1, 250])
def test_the_seats_of_a_large_team_are_paid_in_steps(size: int) -> None:
    """Once each; who left before it is not paid, and who leaves while it is being paid is."""
    here = crews("external", 10_000, milestones=MILESTONES[:1])
    names = registered(here, *(f"p{number}" for number in range(size + 1)))
    assert put_roster(here, "owls", *names).status == 200
    assert put_roster(here, "owls", *names[1:]).status == 200
    since = Since(here)
    play(here.player(names[1]), 10)
    (unlocked,) = since.of("event_team.milestone_unlocked")
    state = ("inline_done", size) if size <= MOST_AT_ONCE else ("pending", 0)
    assert (unlocked["payState"], unlocked["paidSeatCount"]) == state
    put_roster(here, "owls", *names[1:-1], names[0])
    here.advance(seconds=5)
    assert paid(here) == sorted((name, "event_team_milestone") for name in names[1:])
    sound(here)


# -- the goal -------------------------------------------------------------------------------------------------------------


def test_a_goal_is_reached_once() -> None:
    """Every seat is paid, and the team is completed and plays on."""
    here = crews(goal={"target": 30}, goalRewards=[gold(7)])
    anna, bert = crew(here, "anna", "bert")
    since = Since(here)
    attempt = play(anna, 29)
    assert team_row(anna)["completed"] is False
    progress(anna, attempt, points=1)
    play(bert, 50)
    row = team_row(anna)
    assert (row["status"], row["completed"], row["score"], row["goal"]) == ("completed", True, 80, 30)
    (reached,) = since.of("event_team.goal_completed")
    assert (reached["score"], reached["goalTarget"], reached["memberCount"]) == (30, 30, 2)
    assert paid(here) == [("anna", "event_team_goal"), ("bert", "event_team_goal")]
    sound(here)


def test_a_goal_per_member_grows_with_the_team() -> None:
    """And stays as it was once it is reached."""
    here = crews(goal={"target": 10, "perMember": True})
    anna, bert = crew(here, "anna", "bert")
    assert team_row(anna)["goal"] == 20
    play(anna, 15)
    assert team_row(anna)["completed"] is False
    ask(bert, "teams.leave", key="race")
    assert (team_row(anna)["goal"], team_row(anna)["completed"]) == (10, True)
    join(bert, team_row(anna)["teamKey"])
    assert (team_row(anna)["goal"], team_row(anna)["memberCount"]) == (10, 2)
    sound(here)


def test_a_score_may_stop_at_the_goal() -> None:
    """Score, milestones and board stay; what members contribute is still counted for them."""
    here = crews(goal={"target": 10}, milestones=MILESTONES[1:], onComplete="stop_contributions")
    anna, bert = crew(here, "anna", "bert")
    play(anna, 12)
    play(bert, 90)
    row = team_row(anna)
    assert (row["score"], row["milestones"]) == (12, [])
    assert [one["contribution"] for one in row["members"]] == [90, 12]
    assert [score for _, _, score in ranks(here, team_board(here))] == [12]
    ask(bert, "teams.leave", key="race")
    assert team_row(anna)["score"] == 12
    sound(here)


def test_with_less_is_better_a_goal_is_met_at_or_below() -> None:
    """From the first contribution on: a team that has not played has reached nothing."""
    here = crews(goal={"target": -5}, fields={"order": "asc", "metrics": [{"key": "points", "aggregation": "last"}]})
    (anna,) = crew(here, "anna")
    attempt = play(anna, 3)
    assert team_row(anna)["completed"] is False
    progress(anna, attempt, points=-5)
    assert (team_row(anna)["completed"], team_row(anna)["score"]) == (True, -5)
    sound(here)


def test_what_no_number_can_show_does_not_count() -> None:
    """Nobody is refused for it: the others' attempts go on, and the sums stay right."""
    here = crews()
    anna, bert = crew(here, "anna", "bert")
    play(anna, 2**53 - 10)
    attempt = play(bert, 100)
    assert progress(bert, attempt, points=1)["attempt.score"] == 101
    assert [one["contribution"] for one in team_row(anna)["members"]] == [2**53 - 10, 9]
    assert team_row(anna)["score"] == 2**53 - 1
    ask(anna, "teams.kick", key="race", member_external_id="bert")
    assert team_row(anna)["score"] == 2**53 - 1
    sound(here)


def test_what_is_told_of_a_team() -> None:
    """From its beginning to its goal, in this order."""
    here = crews(goal={"target": 60}, milestones=MILESTONES)
    first = len(here.events)
    _, bert = crew(here, "anna", "bert")
    play(bert, 60)
    told = [event for event in here.events[first:] if event.kind.startswith("event_team.")]
    assert [event.kind for event in told] == [
        "event_team.formed", "event_team.member_joined", "event_team.member_joined", "event_team.milestone_unlocked",
        "event_team.milestone_unlocked", "event_team.goal_completed",
    ]  # fmt: skip
    assert {event.data["teamKey"] for event in told} == {team_row(bert)["teamKey"]}


def test_each_window_has_teams_of_its_own() -> None:
    """The next one begins without any."""
    here = crews()
    (anna,) = crew(here, "anna")
    play(anna, 5)
    key, window = team_row(anna)["teamKey"], team_row(anna)["eventWindowId"]
    here.advance(hours=1)
    assert ask(here.server, "teams.get", event_key="race", team_key=key).refusal == (404, "team_not_found")
    assert team_of(here, key, window_id=window)["status"] == "finalized"
