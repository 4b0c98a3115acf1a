"""Teams that players form themselves: founding, joining, leaving, being removed, and finding one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.competition.games import event, with_events
from tests.competition.playing import begin
from tests.teams.groups import crew, crews, found, join, kinds, sound, team_of, team_row
from tests.worlds import Since, ask


def test_who_founds_a_team_sits_in_it() -> None:
    """It forms as long as it has too few members, and is told of with its founder."""
    here = with_events(event(teams={"formation": "open", "size": {"min": 2, "max": 3}}))
    since = Since(here)
    anna, bert = here.player("anna"), here.player("bert")
    key = found(anna, name="Night Owls")
    row = team_row(anna)
    assert (row["teamKey"], row["name"], row["status"]) == (key, "Night Owls", "forming")
    assert (row["memberCount"], row["maxMembers"], row["score"], row["goal"], row["finalRank"]) == (1, 3, 0, None, None)
    assert kinds(since) == ["event_team.formed", "event_team.member_joined"]
    assert since.of("event_team.formed")[0]["memberCount"] == 1
    assert join(bert, key)["team.status"] == "active"
    assert [member["externalPlayerId"] for member in team_row(bert)["members"]] == ["anna", "bert"]
    sound(here)


def test_nobody_sits_in_two_teams_of_a_window() -> None:
    """Neither founding nor joining helps; in the next window everybody is free again."""
    here = crews()
    anna, bert = crew(here, "anna", "bert")
    other = found(here.player("carl"))
    for reply in (ask(anna, "teams.create", key="race"), join(bert), join(bert, other), join(anna, other)):
        assert reply.refusal == (409, "already_in_team")
    assert join(bert)["details.externalPlayerId"] == "bert"
    here.advance(hours=1)
    assert ask(anna, "teams.getOwn", key="race").data == {"team": None}
    assert join(bert).status == 200
    sound(here)


def test_without_a_key_one_comes_into_the_fullest() -> None:
    """As long as it has a free seat; the last one founds a team."""
    here = crews(most=3)
    crew(here, "anna", "bert")
    here.advance(seconds=1)
    found(here.player("carl"))
    comes = [join(here.player(name))["team.memberCount"] for name in ("dora", "emil", "fred", "gina")]
    assert comes == [3, 2, 3, 1]
    sound(here)


def test_a_full_team_takes_nobody() -> None:
    """Whoever knows its key is told how many it has."""
    here = crews(most=2)
    anna, _ = crew(here, "anna", "bert")
    reply = join(here.player("carl"), team_row(anna)["teamKey"])
    assert (reply.refusal, reply["details.maxMembers"]) == ((409, "team_full"), 2)


def test_a_list_has_the_teams_with_a_free_seat() -> None:
    """The fullest first, page by page; not the full ones, and not those that everybody has left."""
    here = crews(most=3)
    crew(here, "anna", "bert", "carl")
    crew(here, "dora", "emil")
    here.advance(seconds=1)
    found(here.player("fred"), name="Alone")
    gone = here.player("gina")
    key = found(gone)
    assert ask(gone, "teams.leave", key="race").data == {"left": True}
    first = ask(gone, "teams.list", key="race", limit=1)
    second = ask(gone, "teams.list", key="race", limit=1, cursor=first["nextCursor"])
    assert [first["teams.0.memberCount"], second["teams.0.name"], second["nextCursor"]] == [2, "Alone", None]
    assert join(gone, key).refusal == (404, "team_not_found")
    assert team_of(here, key)["memberCount"] == 0
    sound(here)


def test_a_founder_is_followed_by_whoever_is_there_longest() -> None:
    """Then that one may remove members, and nobody else."""
    here = crews()
    anna, bert, carl = crew(here, "anna", "bert", "carl")
    assert ask(bert, "teams.kick", key="race", member_external_id="carl").refusal == (403, "not_team_founder")
    assert ask(anna, "teams.leave", key="race").status == 200
    assert ask(carl, "teams.kick", key="race", member_external_id="bert").refusal == (403, "not_team_founder")
    since = Since(here)
    assert ask(bert, "teams.kick", key="race", member_external_id="carl").data == {"removed": True}
    (left,) = since.of("event_team.member_left")
    assert (left["reason"], left["externalPlayerId"], left["memberCount"]) == ("kicked", "carl", 1)
    sound(here)


@pytest.mark.parametrize("who", ["carl", "stranger", "nobody"])
def test_only_a_member_is_removed(who: str) -> None:
    """Not somebody of another team, of none, or somebody unknown."""
    here = crews()
    anna, _ = crew(here, "anna", "bert")
    found(here.player("carl"))
    here.player("stranger")
    assert ask(anna, "teams.kick", key="race", member_external_id=who).refusal == (409, "not_in_team")


def test_a_founder_does_not_remove_themself() -> None:
    """They leave."""
    here = crews()
    anna, _ = crew(here, "anna", "bert")
    assert ask(anna, "teams.kick", key="race", member_external_id="anna").fields == ["memberExternalId"]


@pytest.mark.parametrize("operation", ["teams.leave", "teams.kick"])
def test_who_is_in_no_team_cannot_leave_one(operation: str) -> None:
    """Nor remove anybody."""
    here = crews()
    more: dict[str, Any] = {"member_external_id": "bert"} if operation == "teams.kick" else {}
    assert ask(here.player("anna"), operation, key="race", **more).refusal == (409, "not_in_team")


def test_an_event_with_teams_is_not_started_alone() -> None:
    """With a team it is, and the attempt says which."""
    here = crews()
    anna = here.player("anna")
    reply = begin(anna)
    assert (reply.refusal, reply["details.formation"]) == ((409, "team_required"), "open")
    found(anna)
    assert begin(anna)["attempt.eventTeamId"] == team_row(anna)["eventTeamId"]


_PLAYERS = {
    "teams.list": {},
    "teams.create": {},
    "teams.join": {},
    "teams.kick": {"member_external_id": "bert"},
    "teams.leave": {},
    "teams.getOwn": {},
    "partners.invite": {"external_player_id": "bert"},
    "partners.listInvites": {},
    "partners.accept": {"invite_id": "inv_1"},
    "partners.decline": {"invite_id": "inv_1"},
    "partners.cancel": {"invite_id": "inv_1"},
}
_ALLOWED = {
    "open": {"teams.list", "teams.create", "teams.join", "teams.kick", "teams.leave", "teams.getOwn"},
    "partner": {
        "teams.kick",
        "teams.leave",
        "teams.getOwn",
        *(name for name in _PLAYERS if name.startswith("partners.")),
    },
    "external": {"teams.getOwn"},
    None: set[str](),
}


@pytest.mark.parametrize("operation", _PLAYERS)
@pytest.mark.parametrize("formation", _ALLOWED)
def test_what_may_be_done_depends_on_the_formation(formation: str | None, operation: str) -> None:
    """Every operation with every formation, and with none."""
    here = with_events(event()) if formation is None else crews(formation, 2)
    anna = here.player("anna")
    here.player("bert")
    refusal = ask(anna, operation, key="race", **_PLAYERS[operation]).refusal
    assert (refusal == (409, "wrong_formation")) == (operation not in _ALLOWED[formation]), refusal


@pytest.mark.parametrize("operation", _PLAYERS)
def test_the_event_and_its_window_are_looked_at_first(operation: str) -> None:
    """Whatever the formation is."""
    here = crews("external")
    anna = here.player("anna")
    arguments = _PLAYERS[operation]
    assert ask(anna, operation, **{"key": "none", **arguments}).refusal == (404, "event_not_found")
    here.advance(minutes=31)
    reply = ask(anna, operation, **{"key": "race", **arguments})
    assert reply.refusal == (409, "event_not_active")
    assert reply["details.nextWindowStartsAt"] == "2026-01-01T01:00:00.000Z"
