"""Rosters: teams that the studio's backend forms, for the open window or one to come."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.api.configuration.config_refusals import ConfigRefused
from livecore.kernel.time import HOUR, MINUTE
from livecore.teams.team import SEATS, TEAMS
from tests.competition.games import HOURLY, event, with_events
from tests.competition.playing import begin, gold
from tests.teams.groups import crews, kinds, paid, play, put_roster, registered, sound, team_of, team_row
from tests.worlds import Since, ask, ban, config, rows_of


def test_a_roster_is_the_whole_roster() -> None:
    """Who is not on it any more has left, and who is new has come; the others stay where they are."""
    here = crews("external")
    anna, bert, carl = (here.player(name) for name in ("anna", "bert", "carl"))
    since = Since(here)
    made = put_roster(here, "Owls of the night!", "anna", "bert", name="Owls", attributes={"colour": "red"})
    assert made.status == 200
    assert made["window"] == {
        "eventWindowId": made["team.eventWindowId"], "startsAt": "2026-01-01T00:00:00.000Z",
        "endsAt": "2026-01-01T00:30:00.000Z", "status": "active",
    }  # fmt: skip
    play(bert, 5)
    seats = {row["externalPlayerId"]: row["seatId"] for row in made["team.members"]}  # type: ignore[union-attr,index,call-overload] # JSON
    again = put_roster(here, "Owls of the night!", "carl", "bert")
    assert [one["externalPlayerId"] for one in team_row(carl)["members"]] == ["bert", "carl"]
    assert team_row(bert)["members"][0]["seatId"] == seats["bert"]
    assert (again["team.name"], again["team.attributes"], again["team.score"]) == ("Owls", {"colour": "red"}, 5)
    assert ask(anna, "teams.getOwn", key="race").data == {"team": None}
    assert kinds(since) == ["event_team.formed", *["event_team.member_joined"] * 3, "event_team.member_left"]
    assert since.of("event_team.formed")[0]["memberCount"] == 2
    sound(here)


def test_the_same_roster_again_changes_nothing() -> None:
    """With or without the same idempotency key."""
    here = crews("external")
    here.player("anna")
    first = put_roster(here, "owls", "anna", idempotency_key="k")
    before = (rows_of(here, TEAMS), rows_of(here, SEATS))
    since = Since(here)
    assert put_roster(here, "owls", "anna", idempotency_key="k").data == first.data
    assert put_roster(here, "owls", "anna").data == first.data
    assert ((rows_of(here, TEAMS), rows_of(here, SEATS)), since.kinds) == (before, [])


def test_all_of_it_or_nothing() -> None:
    """A player whom nobody knows, one too many, or one in another team: no row changes."""
    here = crews("external", 2)
    for name in ("anna", "bert", "carl"):
        here.player(name)
    put_roster(here, "owls", "anna")
    put_roster(here, "cats", "bert")
    before = (rows_of(here, TEAMS), rows_of(here, SEATS))
    unknown = put_roster(here, "owls", "carl", "nobody", "nothing")
    assert (unknown.refusal, unknown["details.externalPlayerIds"]) == (
        (404, "player_not_found"), ["nobody", "nothing"],
    )  # fmt: skip
    full = put_roster(here, "owls", "anna", "bert", "carl")
    assert (full.refusal, full["details.maxMembers"]) == ((409, "team_full"), 2)
    locked = put_roster(here, "owls", "carl", "bert")
    assert (locked.refusal, locked["details.externalPlayerIds"]) == ((409, "locked_elsewhere"), ["bert"])
    assert put_roster(here, "owls", "anna", "anna").fields == ["externalPlayerIds"]
    assert (rows_of(here, TEAMS), rows_of(here, SEATS)) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "and the event is not declared any more"),
        ({"teams": None}, "and its teams are formed in another way"),
        ({"teams": {"formation": "open", "size": {"max": 3}}}, "and its teams are formed in another way"),
        ({"teams": {"formation": "external", "size": {"max": 1}}}, "and a team has at most 1 members"),
        ({"schedule": {**HOURLY, "startsAt": "2026-01-01T00:10:00.000Z"}}, "and the schedule has no such window"),
    ],
)
def test_a_configuration_keeps_to_the_rosters_that_are_written(change: dict[str, Any] | None, said: str) -> None:
    """What a roster for a window to come would not fit is refused, until the roster is empty."""
    here = crews("external")
    registered(here, "anna", "bert")
    here.advance(minutes=31)
    put_roster(here, "owls", "anna", "bert")
    kept: dict[str, Any] = event(teams={"formation": "external", "size": {"min": 1, "max": 3}})
    wanted: Any = {**config(), "events": [] if change is None else [{**kept, **change}]}
    with pytest.raises(ConfigRefused) as refused:
        here.configure(wanted)
    assert f"a roster of 2 for its window in test from 2026-01-01T01:00:00.000Z, {said}" in str(refused.value)
    put_roster(here, "owls")
    here.configure(wanted)
    sound(here)
    # The empty team is final with its window, whatever the event is declared to be by then.
    here.advance(hours=3)
    sound(here)


def test_what_is_reached_in_between_is_not_reached() -> None:
    """A roster is one change: a goal for each member is that of the new members, and points go and come together."""
    here = crews("external", 4, goal={"target": 100, "perMember": True}, goalRewards=[gold(1)])
    names = registered(here, *"abcdefg")
    put_roster(here, "owls", *names[:4])
    play(here.player("a"), 250)
    since = Since(here)
    changed = put_roster(here, "owls", "a", "e", "f", "g")
    assert (changed["team.completed"], changed["team.goal"]) == (False, 400)
    assert put_roster(here, "owls", "a", "e")["team.completed"] is True
    assert since.kinds.count("event_team.goal_completed") == 1
    assert paid(here) == [("a", "event_team_goal"), ("e", "event_team_goal")]
    sound(here)


def test_the_same_key_for_another_window_is_another_request() -> None:
    """The window stands in the query: what was asked for one is no answer for the other."""
    here = crews("external")
    here.player("anna")
    put_roster(here, "owls", "anna", idempotency_key="k")
    window: Any = ask(here.player("reader"), "events.list").list("events")[0]
    reply = put_roster(here, "owls", "anna", idempotency_key="k", window_id=window["nextWindow"]["eventWindowId"])
    assert reply.refusal == (409, "idempotency_conflict")


def test_a_large_roster_is_answered_again_also_after_somebody_was_erased() -> None:
    """An older roster that is sent again late does not take the place of a newer one."""
    here = crews("external", 10_000)
    names = registered(here, *(f"p{number}" for number in range(600)), "stranger")[:600]
    put_roster(here, "owls", *names, idempotency_key="k")
    put_roster(here, "owls", *names[:10])
    ask(here.server, "players.erase", external_id="stranger")
    assert put_roster(here, "owls", *names, idempotency_key="k")["team.memberCount"] == 600
    assert team_of(here, "owls")["memberCount"] == 10


def test_a_clock_that_was_set_back_changes_no_open_window() -> None:
    """Before its beginning, a window that has opened takes no roster."""
    here = crews("external")
    here.player("anna")
    window = put_roster(here, "owls", "anna")["window.eventWindowId"]
    here.now -= MINUTE
    assert put_roster(here, "owls", "anna", window_id=window).refusal == (409, "event_not_active")


def test_a_window_that_was_missed_can_be_read() -> None:
    """Its roster is there, whether due work has opened and closed it or not."""
    here = crews("external")
    here.player("anna")
    window: Any = ask(here.player("reader"), "events.list").list("events")[0]["nextWindow"]
    put_roster(here, "owls", "anna", window_id=window["eventWindowId"])
    here.now += 2 * HOUR
    assert team_of(here, "owls", window_id=window["eventWindowId"])["memberCount"] == 1
    here.now = here.now - 2 * HOUR + 61 * MINUTE
    assert team_row(here.player("anna"))["status"] == "active"


def test_a_roster_may_be_empty() -> None:
    """The team stays, and what it has scored, until somebody is on it again."""
    here = crews("external")
    anna = here.player("anna")
    put_roster(here, "owls", "anna")
    play(anna, 5)
    assert put_roster(here, "owls")["team.memberCount"] == 0
    assert put_roster(here, "owls", "anna")["team.score"] == 5
    sound(here)


def test_without_an_open_window_it_is_for_the_next() -> None:
    """Its teams are there when it opens; players cannot start before."""
    here = crews("external")
    anna = here.player("anna")
    here.advance(minutes=31)
    since = Since(here)
    made = put_roster(here, "owls", "anna")
    assert (made["window.status"], made["window.startsAt"]) == ("scheduled", "2026-01-01T01:00:00.000Z")
    assert (made["team.status"], since.kinds) == ("forming", ["event_team.formed", "event_team.member_joined"])
    assert begin(anna).refusal == (409, "event_not_active")
    here.advance(minutes=30)
    assert team_row(anna)["status"] == "active"
    play(anna, 5)
    assert team_of(here, "owls")["score"] == 5
    sound(here)


def test_each_window_has_rosters_of_its_own() -> None:
    """One may be written ahead while another is played, and one that is over cannot be written."""
    here = crews("external")
    for name in ("anna", "bert"):
        here.player(name)
    window: Any = ask(here.player("reader"), "events.list").list("events")[0]
    put_roster(here, "owls", "anna")
    following = window["nextWindow"]["eventWindowId"]
    ahead = put_roster(here, "owls", "bert", window_id=following)
    assert (ahead["window.eventWindowId"], ahead["team.memberCount"]) == (following, 1)
    assert put_roster(here, "cats", "anna", window_id=following).status == 200
    here.advance(hours=1)
    assert [one["externalPlayerId"] for one in team_of(here, "owls")["members"]] == ["bert"]
    past = put_roster(here, "owls", "anna", window_id=window["window"]["eventWindowId"])
    assert past.refusal == (409, "event_not_active")
    assert team_of(here, "owls", window_id=window["window"]["eventWindowId"])["status"] == "finalized"
    sound(here)


@pytest.mark.parametrize(
    "window_id", ["win_1", "win_00000000000000000000000001", "evn_00000000000000000000000001", "x"]
)
def test_a_window_that_there_is_not(window_id: str) -> None:
    """Neither read nor written."""
    here = crews("external")
    here.player("anna")
    put_roster(here, "owls", "anna")
    assert put_roster(here, "owls", "anna", window_id=window_id).refusal == (404, "event_window_not_found")
    reply = ask(here.server, "teams.get", event_key="race", team_key="owls", window_id=window_id)
    assert reply.refusal == (404, "event_window_not_found")


def test_a_window_of_another_event_is_none_of_this() -> None:
    """Whether it is open or still to come."""
    teams = {"formation": "external", "size": {"max": 3}}
    here = with_events(event(teams=teams), event("other", teams=teams))
    here.player("anna")
    rows: Any = ask(here.player("reader"), "events.list").list("events")
    other = rows[1]
    for window in (other["window"], other["nextWindow"]):
        reply = put_roster(here, "owls", "anna", window_id=window["eventWindowId"])
        assert reply.refusal == (404, "event_window_not_found")


def test_an_event_without_a_further_window() -> None:
    """Takes no roster."""
    windows: list[Any] = [{"startsAt": "2026-01-01T00:00:00.000Z", "endsAt": "2026-01-01T00:30:00.000Z"}]
    here = crews("external", fields={"schedule": {"windows": windows}})
    here.player("anna")
    here.advance(hours=1)
    assert put_roster(here, "owls", "anna").refusal == (409, "event_not_active")
    assert ask(here.server, "teams.get", event_key="race", team_key="owls").refusal == (409, "event_not_active")


def test_only_for_teams_of_the_studio() -> None:
    """Not where players form them, and not for an event that there is not."""
    here = crews("open")
    here.player("anna")
    reply = put_roster(here, "owls", "anna")
    assert (reply.refusal, reply["details.formation"]) == ((409, "wrong_formation"), "open")
    arguments: dict[str, Any] = {"event_key": "none", "team_key": "owls"}
    roster = ask(here.server, "teams.putRoster", **arguments, external_player_ids=["anna"])
    assert roster.refusal == ask(here.server, "teams.get", **arguments).refusal == (404, "event_not_found")
    assert ask(here.server, "teams.get", event_key="race", team_key="owls").refusal == (404, "team_not_found")


def test_a_banned_player_may_be_on_a_roster() -> None:
    """It is the studio's decision; the player still cannot start."""
    here = crews("external")
    anna = here.player("anna")
    ban(anna)
    assert put_roster(here, "owls", "anna").status == 200
    assert begin(anna).refusal == (403, "player_banned")


def test_a_guild_of_two_hundred_plays_as_one() -> None:
    """Its answer is kept under a key like any other, and each member is paid."""
    here = crews(
        "external", 200, goal={"target": 10}, goalRewards=[{"type": "item", "resourceKey": "sword", "amount": 1}]
    )
    names = registered(here, *(f"p{number}" for number in range(200)))
    first = put_roster(here, "owls", *names, idempotency_key="k")
    assert (first["team.memberCount"], first["team.members.199.rank"]) == (200, 200)
    assert put_roster(here, "owls", *names, idempotency_key="k").data == first.data
    play(here.player("p7"), 10)
    here.advance(seconds=10)
    assert paid(here) == sorted((name, "event_team_goal") for name in names)
    sound(here)


def test_a_window_that_is_left_out_may_be_said_to_be_none() -> None:
    """As with the clients: a query has no `null`."""
    here = crews("external")
    here.player("anna")
    assert put_roster(here, "owls", "anna", window_id=None).status == 200
    assert team_of(here, "owls", window_id=None)["memberCount"] == 1
