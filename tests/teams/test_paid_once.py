"""A milestone and the goal pay a player once in a window, whatever teams the player founds or joins."""

from __future__ import annotations

import pytest

from livecore.events.window_records import WINDOWS
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import MINUTE
from livecore.kernel.units.due import DUE
from livecore.teams.payments import PAYMENTS
from livecore.teams.rewards import MOST_AT_ONCE, PAY
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.competition.playing import gold, progress
from tests.teams.groups import MILESTONES, crew, crews, found, join, paid, play, put_roster, registered, sound, team_row
from tests.worlds import Since, ask, put, rows_of

_ONCE = [("anna", "event_team_goal"), ("anna", "event_team_milestone")]


def game() -> World:
    """A game whose teams have a milestone at 10 and a goal at 20."""
    return crews(milestones=MILESTONES[:1], goal={"target": 20}, goalRewards=[gold(3)], onLeave="remove_contribution")


def again(player: WorldPlayer, attempt: str, points: int = 20) -> None:
    """Leave, found another team, and bring it to its goal."""
    assert ask(player, "teams.leave", key="race").status == 200
    found(player)
    assert progress(player, attempt, points=points).status == 200


def test_founding_anew_pays_nothing_again() -> None:
    """Twelve teams, each with its milestone and goal, and one payment of each."""
    here = game()
    (anna,) = crew(here, "anna")
    attempt = play(anna, 20)
    for _ in range(11):
        again(anna, attempt)
    assert team_row(anna)["milestones"] == ["ten"]
    assert paid(here) == _ONCE
    sound(here)


def test_who_joins_is_paid_beside_who_was_paid_before() -> None:
    """A second team unlocks the milestone and says how many it has paid; whoever was not paid yet is."""
    here = game()
    anna, _ = crew(here, "anna", "bert")
    play(anna, 20)
    ask(anna, "teams.leave", key="race")
    carl = here.player("carl")
    found(carl)
    join(anna, team_row(carl)["teamKey"])
    since = Since(here)
    play(carl, 20)
    (unlocked,) = since.of("event_team.milestone_unlocked")
    assert (unlocked["seatCount"], unlocked["paidSeatCount"], unlocked["payState"]) == (2, 1, "inline_done")
    assert paid(here) == sorted(
        (name, kind) for name in ("anna", "bert", "carl") for kind in ("event_team_goal", "event_team_milestone")
    )
    sound(here)


def test_a_team_whose_members_were_all_paid_says_that_it_pays_none() -> None:
    """It is done with it all the same."""
    here = game()
    (anna,) = crew(here, "anna")
    attempt = play(anna, 20)
    since = Since(here)
    again(anna, attempt)
    (unlocked,) = since.of("event_team.milestone_unlocked")
    assert (unlocked["seatCount"], unlocked["paidSeatCount"], unlocked["payState"]) == (1, 0, "inline_done")


def test_each_key_is_paid() -> None:
    """What one team has not reached, another one pays; also a milestone with the name of the other kind of reward."""
    named = [{"key": "goal", "threshold": 5, "entries": [gold(1)]}, MILESTONES[1]]
    here = crews(milestones=named, goal={"target": 20}, goalRewards=[gold(3)])
    (anna,) = crew(here, "anna")
    attempt = play(anna, 5)
    again(anna, attempt, 20)
    assert paid(here) == _ONCE
    again(anna, attempt, 50)
    assert paid(here) == [_ONCE[0], _ONCE[1], _ONCE[1]]


def test_what_wins_nothing_leaves_no_row() -> None:
    """A milestone without entries is only told of, to every seat."""
    here = crews(milestones=[{"key": "ten", "threshold": 10}])
    anna, _ = crew(here, "anna", "bert")
    since = Since(here)
    play(anna, 10)
    assert since.of("event_team.milestone_unlocked")[0]["paidSeatCount"] == 2
    assert rows_of(here, PAYMENTS) == []


@pytest.mark.parametrize(("source", "target"), [("anna", "zoe"), ("zoe", "anna")])
def test_a_merge_keeps_once(source: str, target: str) -> None:
    """Whichever of the two was paid, the one player is not paid by another team; nor where both were paid."""
    here = game()
    (anna,) = crew(here, "anna")
    attempt = play(anna, 20)
    here.player("zoe")
    ask(here.server, "players.merge", external_id=source, to_external_id=target)
    again(here.player(target), attempt)
    assert paid(here) == [(target, kind) for _, kind in _ONCE]
    (bert,) = crew(here, "bert")
    play(bert, 20)
    ask(bert, "teams.leave", key="race")
    ask(here.server, "players.merge", external_id="bert", to_external_id=target)
    again(here.player(target), attempt)
    assert paid(here) == sorted((target, kind) for _, kind in _ONCE * 2)
    sound(here)


def test_a_large_team_pays_nobody_again() -> None:
    """Its job leaves out who was paid elsewhere, also where that was between the win and the payment."""
    here = crews("external", 100, milestones=MILESTONES[:1])
    names = registered(here, *(f"p{number}" for number in range(MOST_AT_ONCE + 1)))
    put_roster(here, "cats", *names[:1])
    play(here.player("p0"), 10)
    put_roster(here, "cats", *registered(here, "zoe"))
    put_roster(here, "owls", *names)
    play(here.player("p1"), 10)
    # Who is off the roster was on it when the milestone was reached; before the job runs, another team pays them.
    put_roster(here, "owls", *names[:2], *names[3:])
    put_roster(here, "bats", names[2])
    play(here.player("p2"), 10)
    here.advance(seconds=5)
    assert paid(here) == sorted((name, "event_team_milestone") for name in names)
    sound(here)


def test_the_next_window_pays_again_and_the_rows_are_gone_with_theirs() -> None:
    """Payments are of a window; of many, the rest is deleted in steps."""
    here = game()
    (anna,) = crew(here, "anna")
    play(anna, 20)
    (one, other) = rows_of(here, PAYMENTS)
    put(here, PAYMENTS, *(evolve(one, reward=f"milestone:m{number}") for number in range(120)))
    here.advance(minutes=30, seconds=1)
    assert rows_of(here, PAYMENTS) == []
    here.advance(minutes=31)
    found(anna)
    play(anna, 20)
    assert paid(here) == sorted(_ONCE * 2)
    assert {row.window_id for row in rows_of(here, PAYMENTS)} != {other.window_id}
    sound(here)


def test_they_are_kept_until_all_of_the_window_is_paid() -> None:
    """A large team that is paid after the close pays nobody again, and then they are deleted."""
    here = crews("external", 100, milestones=MILESTONES[:1])
    names = registered(here, *(f"p{number}" for number in range(MOST_AT_ONCE + 1)))
    put_roster(here, "cats", names[0])
    play(here.player("p0"), 10)
    put_roster(here, "cats", *registered(here, "zoe"))
    put_roster(here, "owls", *names)
    play(here.player("p1"), 10)
    (work,) = (row for row in rows_of(here, DUE) if row.kind == PAY.kind)
    put(here, DUE, evolve(work, due_at=here.now + 31 * MINUTE))
    here.advance(minutes=30, seconds=1)
    (kept,) = rows_of(here, PAYMENTS)
    assert [row.status for row in rows_of(here, WINDOWS)] == ["closed"]
    sound(here)
    here.advance(minutes=1)
    assert kept.player_id == here.player("p0").player_id
    assert paid(here) == sorted((name, "event_team_milestone") for name in names)
    assert rows_of(here, PAYMENTS) == []
    sound(here)


def test_one_that_outlives_its_window_is_found() -> None:
    """By the checker; and one of a window that there is not."""
    here = game()
    (anna,) = crew(here, "anna")
    play(anna, 20)
    kept = rows_of(here, PAYMENTS)[0]
    here.advance(hours=1)
    put(here, PAYMENTS, kept)
    assert "is of a window that is closed, and will not be deleted" in str(found_wrong(here))
    put(here, PAYMENTS, evolve(kept, window_id="win_1"))
    assert "is of a window that does not exist" in str(found_wrong(here))


def test_an_erased_player_leaves_none() -> None:
    """They name nobody who is gone, also where the job of a large team comes to the seat only after the erasure."""
    here = crews("external", 100, milestones=MILESTONES[:1])
    names = registered(here, *(f"p{number}" for number in range(MOST_AT_ONCE + 1)))
    put_roster(here, "owls", *names)
    put_roster(here, "cats", *registered(here, "anna"))
    play(here.player("anna"), 10)
    play(here.player("p1"), 10)
    gone = [here.player(name).player_id for name in ("anna", "p0")]
    assert [row.player_id for row in rows_of(here, PAYMENTS)] == gone[:1]
    for name in ("anna", "p0"):
        ask(here.server, "players.erase", external_id=name)
    assert rows_of(here, PAYMENTS) == []
    here.advance(seconds=5)
    assert len(rows_of(here, PAYMENTS)) == MOST_AT_ONCE
    assert not {row.player_id for row in rows_of(here, PAYMENTS)} & set(gone)
    sound(here)
