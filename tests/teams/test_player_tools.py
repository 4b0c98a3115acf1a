"""What merging, erasing and exporting players, and the checker, do with teams and invitations."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.access.audit import AUDIT
from livecore.kernel.storage.records import evolve
from livecore.kernel.time import MINUTE
from livecore.teams.invites import INVITES
from livecore.teams.rewards import MOST_AT_ONCE
from livecore.teams.team import SEATS, TEAMS, UNLOCKS, TeamUnlock
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.competition.playing import gold, progress, started
from tests.teams.groups import (
    MILESTONES,
    crew,
    crews,
    found,
    join,
    kinds,
    paid,
    play,
    put_roster,
    registered,
    sound,
    team_row,
)
from tests.worlds import Since, ask, put, rows_of


def _merge(here: World, source: str, target: str) -> None:
    reply = ask(here.server, "players.merge", external_id=source, to_external_id=target)
    assert reply.status == 200, reply.body
    sound(here)


def _erase(here: World, name: str) -> None:
    assert ask(here.server, "players.erase", external_id=name).status == 200
    sound(here)


def _contributions(row: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one["externalPlayerId"], one["contribution"]) for one in row["members"]]


# -- merging --------------------------------------------------------------------------------------------------------------


def test_the_target_takes_the_seat() -> None:
    """Where only the source sits, with what it has contributed; the attempt goes on in it."""
    here = crews()
    anna, _ = crew(here, "anna", "bert")
    attempt = play(anna, 5)
    zoe = here.player("zoe")
    since = Since(here)
    _merge(here, "anna", "zoe")
    progress(zoe, attempt, points=2)
    assert (_contributions(team_row(zoe)), team_row(zoe)["score"]) == ([("zoe", 7), ("bert", 0)], 7)
    assert ask(zoe, "teams.kick", key="race", member_external_id="bert").status == 200
    assert kinds(since) == ["event_team.member_left"]


def test_two_seats_in_one_team_are_one() -> None:
    """Both contributions are the target's, and nothing is lost; it leads where the source did."""
    here = crews()
    anna, bert, _ = crew(here, "anna", "bert", "carl")
    play(anna, 5)
    play(bert, 20)
    since = Since(here)
    _merge(here, "anna", "bert")
    assert _contributions(team_row(bert)) == [("bert", 25), ("carl", 0)]
    assert (team_row(bert)["score"], team_row(bert)["memberCount"]) == (25, 2)
    assert kinds(since) == ["event_team.member_left"]
    assert ask(bert, "teams.kick", key="race", member_external_id="carl").status == 200


def test_a_reward_that_was_won_before_two_seats_became_one_is_paid() -> None:
    """Each seat's, whenever the work of a large team runs."""
    here = crews("external", 100, milestones=MILESTONES[:1])
    names = registered(here, *(f"p{number}" for number in range(MOST_AT_ONCE + 1)))
    put_roster(here, "owls", *names)
    play(here.player("p0"), 10)
    _merge(here, "p1", "p2")
    here.advance(seconds=5)
    assert paid(here) == sorted((name if name != "p1" else "p2", "event_team_milestone") for name in names)


@pytest.mark.parametrize(("on_leave", "left"), [("keep_contribution", 25), ("remove_contribution", 20)])
def test_of_two_teams_the_targets_stays(on_leave: str, left: int) -> None:
    """The source leaves its own, as if by itself."""
    here = crews(onLeave=on_leave)
    anna, bert = crew(here, "anna", "bert")
    play(anna, 5)
    play(bert, 20)
    zoe = here.player("zoe")
    found(zoe)
    _merge(here, "anna", "zoe")
    assert (_contributions(team_row(bert)), team_row(bert)["score"]) == ([("bert", 20)], left)
    assert _contributions(team_row(zoe)) == [("zoe", 0)]


def test_a_merge_after_the_end_changes_no_reward() -> None:
    """Each seat is paid what it would have been paid before, the source's to the target."""
    here = crews(rankRewards=[{"from": 1, "to": 2, "entries": [gold(9)]}])
    for name in ("anna", "zoe"):
        found(here.player(name))
        play(here.player(name), 5)
    # The window's time is over, and its close has not run.
    here.now += 30 * MINUTE
    _merge(here, "anna", "zoe")
    assert paid(here) == []
    here.advance(seconds=1)
    assert [name for name, _ in paid(here)] == ["zoe", "zoe"]
    sound(here)


def test_invitations_go_to_the_target() -> None:
    """But not one to oneself, nor a second one between the same two."""
    here = crews("partner", 2)
    names = ("anna", "zoe", "bert", "carl")
    anna, zoe, bert, carl = (here.player(name) for name in names)
    for sender, receiver in ((anna, "bert"), (zoe, "bert"), (carl, "anna"), (anna, "zoe")):
        assert ask(sender, "partners.invite", key="race", external_player_id=receiver).status == 201
    _merge(here, "anna", "zoe")
    sides = ask(zoe, "partners.listInvites", key="race")
    assert [row["player"]["externalPlayerId"] for row in sides.list("incoming")] == ["carl"]  # type: ignore[index,call-overload] # JSON
    assert [row["player"]["externalPlayerId"] for row in sides.list("outgoing")] == ["bert"]  # type: ignore[index,call-overload] # JSON
    incoming = ask(bert, "partners.listInvites", key="race").list("incoming")[0]
    assert ask(bert, "partners.accept", key="race", invite_id=incoming["inviteId"]).status == 200
    assert team_row(zoe)["memberCount"] == 2


def test_an_invitation_that_has_expired_is_in_nobodys_way() -> None:
    """The source's open one is the target's then."""
    here = crews("partner", 2, inviteSeconds=60)
    registered(here, "anna")
    zoe, carl = here.player("zoe"), here.player("carl")
    ask(carl, "partners.invite", key="race", external_player_id="zoe")
    here.advance(seconds=60)
    ask(carl, "partners.invite", key="race", external_player_id="anna")
    _merge(here, "anna", "zoe")
    assert len(ask(zoe, "partners.listInvites", key="race").list("incoming")) == 1


def test_who_takes_a_seat_over_is_invited_nowhere_else() -> None:
    """As if the seat had been taken by accepting."""
    here = crews("partner", 2)
    anna, bert, zoe, carl = (here.player(name) for name in ("anna", "bert", "zoe", "carl"))
    for sender, receiver in ((anna, "bert"), (bert, "anna"), (carl, "zoe")):
        ask(sender, "partners.invite", key="race", external_player_id=receiver)
    _merge(here, "anna", "zoe")
    assert ask(zoe, "partners.listInvites", key="race").data == {"incoming": [], "outgoing": []}


def test_two_partners_who_are_one_player_can_invite_again() -> None:
    """Their pair has a free seat."""
    here = crews("partner", 2)
    anna, zoe = here.player("anna"), here.player("zoe")
    for sender, receiver in ((anna, "zoe"), (zoe, "anna")):
        ask(sender, "partners.invite", key="race", external_player_id=receiver)
    _merge(here, "anna", "zoe")
    assert team_row(zoe)["memberCount"] == 1
    assert ask(zoe, "partners.invite", key="race", external_player_id=registered(here, "bert")[0]).status == 201


# -- erasing --------------------------------------------------------------------------------------------------------------


def test_who_is_erased_leaves() -> None:
    """Somebody else leads the team; in a window that is over the seat stays, under a placeholder."""
    here = crews()
    anna, bert = crew(here, "anna", "bert")
    play(anna, 5)
    here.advance(hours=1)
    crew(here, "anna", "bert")
    _erase(here, "anna")
    assert [one["externalPlayerId"] for one in team_row(bert)["members"]] == ["bert"]
    assert ask(bert, "teams.kick", key="race", member_external_id="anna").refusal == (409, "not_in_team")
    first = next(row for row in rows_of(here, TEAMS) if row.finalized_at is not None)
    reply = ask(here.server, "teams.get", event_key="race", team_key=first.key, window_id=first.window_id)
    members = [one["externalPlayerId"] for one in reply.list("team.members")]
    assert str(members[0]).startswith("__deleted_")


def test_invitations_of_who_is_erased_are_gone() -> None:
    """In both directions."""
    here = crews("partner", 2)
    anna, bert, carl = (here.player(name) for name in ("anna", "bert", "carl"))
    ask(anna, "partners.invite", key="race", external_player_id="bert")
    ask(carl, "partners.invite", key="race", external_player_id="anna")
    _erase(here, "anna")
    assert rows_of(here, INVITES) == []
    assert ask(bert, "partners.listInvites", key="race").data == {"incoming": [], "outgoing": []}


# -- exporting ------------------------------------------------------------------------------------------------------------


def test_an_export_lists_seats_and_invitations() -> None:
    """The player's own, the latest first; of others only the service's id."""
    here = crews()
    anna, bert = crew(here, "anna", "bert")
    play(bert, 5)
    ask(bert, "teams.leave", key="race")
    here.advance(seconds=1)
    found(bert)
    exported = ask(here.server, "players.export", external_id="bert").data
    seats: Any = exported["teams"]
    assert [(row["contribution"], row["leftReason"], row["teamKey"]) for row in seats] == [
        (0, None, team_row(bert)["teamKey"]), (5, "left", team_row(anna)["teamKey"]),
    ]  # fmt: skip
    pairs = crews("partner", 2)
    ask(pairs.player("anna"), "partners.invite", key="race", external_player_id=registered(pairs, "bert")[0])
    (row,) = ask(pairs.server, "players.export", external_id="bert").list("partnerInvites")
    assert (row["direction"], str(row["playerId"])[:4]) == ("incoming", "plr_")


# -- the checker ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"members": 3}, "counts 3 members, and has 2"),
        ({"score": 6}, "has the score 6, and its members have contributed 5"),
        ({"departed": 1}, "has the score 5, and its members have contributed 6"),
        ({"founder_seat": None}, "has members and no founder"),
        ({"founder_seat": "est_1"}, "has a founder who is not in it"),
        ({"open_in": None}, "says otherwise in which window it is open"),
    ],
)
def test_a_wrong_team_is_found(change: dict[str, Any], said: str) -> None:
    """By what is said of it."""
    here = crews()
    anna, _ = crew(here, "anna", "bert")
    play(anna, 5)
    (team,) = rows_of(here, TEAMS)
    put(here, TEAMS, evolve(team, **change))
    assert said in str(found_wrong(here))


def test_a_second_seat_is_found() -> None:
    """And one in a team that there is not."""
    here = crews()
    crew(here, "anna")
    (seat,) = rows_of(here, SEATS)
    put(here, SEATS, evolve(seat, seat_id="est_2", number=2, standing=2))
    assert "is not the player's only one in the window" in str(found_wrong(here))
    put(here, SEATS, evolve(seat, team_id="etm_1"))
    assert "is in a team that does not exist" in str(found_wrong(here))


def test_what_is_never_paid_is_found() -> None:
    """A milestone of a large team whose work is gone."""
    here = crews("external", 100, milestones=MILESTONES)
    names = registered(here, *(f"p{number}" for number in range(MOST_AT_ONCE + 1)))
    put_roster(here, "owls", *names)
    (team,) = rows_of(here, TEAMS)
    put(here, TEAMS, evolve(team, unlocks=1))
    unlock = TeamUnlock(team_id=team.team_id, number=1, milestone="ten", last_seat=team.seats, unlocked_at=0)
    put(here, UNLOCKS, unlock)
    assert "is not paid, and will not be" in str(found_wrong(here))


def test_progress_after_a_seat_was_taken_over_counts_once() -> None:
    """An attempt of the source that goes on with the target."""
    here = crews()
    (anna,) = crew(here, "anna")
    attempt = started(anna)
    _merge(here, "anna", *registered(here, "zoe"))
    zoe = here.player("zoe")
    progress(zoe, attempt, points=3)
    assert _contributions(team_row(zoe)) == [("zoe", 3)]


# -- the texts of teams ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves_first", [False, True])
def test_the_founders_erasure_empties_the_name_of_the_team(leaves_first: bool) -> None:
    """Also for the others who are in it, and when the founder had left it; on its board stands no name of theirs either."""
    here = crews()
    anna, bert = here.player("anna"), here.player("bert")
    join(bert, found(anna, name="Anna 0160 555"))
    play(bert, 5)
    if leaves_first:
        assert ask(anna, "teams.leave", key="race").status == 200
    _erase(here, "anna")
    assert team_row(bert)["name"].startswith("__deleted_")
    assert "0160 555" not in repr(here.store.dump())


def test_a_member_who_founded_nothing_takes_no_name_along() -> None:
    """The name is the founder's."""
    here = crews()
    anna, bert = here.player("anna"), here.player("bert")
    join(bert, found(anna, name="Night Owls"))
    _erase(here, "bert")
    assert team_row(anna)["name"] == "Night Owls"


def test_the_studio_changes_the_texts_of_any_team() -> None:
    """Of an open window and of one that is over, where the audit trail keeps only what has changed."""
    here = crews()
    anna = here.player("anna")
    found(anna, name="Anna 0160 555")
    team = team_row(anna)
    play(anna, 5)
    named = {"event_key": "race", "team_key": team["teamKey"], "window_id": team["eventWindowId"]}
    changed = ask(here.server, "teams.update", **named, attributes={"note": "0160 556"})
    assert (changed["team.name"], changed["team.attributes"]) == ("Anna 0160 555", {"note": "0160 556"})
    here.advance(days=8)
    before = rows_of(here, AUDIT)
    changed = ask(here.server, "teams.update", **named, name=None, attributes={})
    assert (changed["team.status"], changed["team.name"], changed["team.attributes"]) == ("finalized", None, {})
    (entry,) = [row for row in rows_of(here, AUDIT) if row not in before]
    assert ("0160" in repr(entry), entry.target_kind, entry.target_id) == (False, "team", team["eventTeamId"])
    assert '"changed":["name","attributes"]' in (entry.after or "")
    by_member = ask(here.operator(), "teams.update", team_id=team["eventTeamId"], name="Owls")
    assert by_member["team.name"] == "Owls"
    assert ask(here.server, "teams.update", **{**named, "team_key": "none"}, name="x").refusal == (
        404,
        "team_not_found",
    )
