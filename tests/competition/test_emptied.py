"""What everybody left is removed once its window is closed, in bounded steps, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from livecore.economy.grants import GRANTS
from livecore.events import emptied
from livecore.events.emptied import EMPTIED
from livecore.events.window_records import WINDOWS
from livecore.kernel.storage.memory import MemoryStore
from livecore.kernel.storage.records import evolve
from livecore.kernel.units.due import DUE
from livecore.leaderboards.boards import BOARDS, ENTRIES
from livecore.lobbies.lobby import LOBBIES
from livecore.lobbies.lobby import SEATS as LOBBY_SEATS
from livecore.teams import rewards
from livecore.teams.team import SEATS, TEAMS, UNLOCKS
from livecore.world import World, WorldPlayer
from tests.added_game import STORES, AddedGame, findings
from tests.commerce.shop import found_wrong
from tests.lobbies.groups import arena, came, waiting
from tests.teams.groups import MILESTONES, crew, crews, found, join, paid, play, put_roster, registered, sound, team_of
from tests.teams.test_on_stores import game_over
from tests.worlds import Reply, ask, rows_of


def leave(player: WorldPlayer) -> None:
    """Leave one's team."""
    assert ask(player, "teams.leave", key="race").status == 200


def founded_and_left(here: World, name: str, times: int) -> None:
    """A player founds teams one after another, and leaves each."""
    player = here.player(name)
    for _ in range(times):
        found(player)
        leave(player)


# -- teams ----------------------------------------------------------------------------------------------------------------


def test_teams_that_everybody_left_go_with_their_window() -> None:
    """Players who found and leave two hundred and fifty teams leave no row; the teams with members stay."""
    here = crews()
    crew(here, "anna", "bert")
    kept = rows_of(here, TEAMS)[0].key
    for number in range(5):
        founded_and_left(here, f"mallory-{number}", 50)
    here.advance(minutes=29)
    assert (len(rows_of(here, TEAMS)), len(rows_of(here, SEATS))) == (251, 252)
    here.advance(minutes=1)
    assert [row.key for row in rows_of(here, TEAMS)] == [kept]
    assert len(rows_of(here, SEATS)) == 2
    assert not [work for work in rows_of(here, DUE) if work.kind == EMPTIED.kind]
    sound(here)


def test_a_player_takes_a_limited_number_of_seats_in_a_window() -> None:
    """Fifty, by founding or joining; then the player stays where they are, and the next window begins anew."""
    here = crews()
    (anna,) = crew(here, "anna")
    key = rows_of(here, TEAMS)[0].key
    founded_and_left(here, "mallory", 49)
    mallory = here.player("mallory")
    assert join(mallory, key).status == 200
    leave(mallory)
    refused = ask(mallory, "teams.create", key="race")
    assert (refused.refusal, refused["details"]) == ((409, "team_limit_reached"), {"limit": 50})
    assert join(mallory, key).refusal == (409, "team_limit_reached")
    assert ask(anna, "teams.create", key="race").code == "already_in_team"
    here.advance(hours=1)
    found(mallory)


def paired_and_left(here: World, one: str, other: str, times: int) -> None:
    """Two players form a pair again and again, and both leave each."""
    sender, receiver = here.player(one), here.player(other)
    for _ in range(times):
        assert accept(receiver, invite(sender, other)).status == 200
        for player in (sender, receiver):
            leave(player)


def invite(sender: WorldPlayer, receiver: str) -> Reply:
    """Invite a player to form a pair."""
    return ask(sender, "partners.invite", key="race", external_player_id=receiver)


def accept(receiver: WorldPlayer, invited: Reply) -> Reply:
    """Accept an invitation."""
    return ask(receiver, "partners.accept", key="race", invite_id=invited.text("invite.inviteId"))


def test_partners_take_a_limited_number_of_seats_too() -> None:
    """Whoever invites or accepts for the fifty-first pair of a window is refused, and an invitation stays open."""
    here = crews("partner", 2)
    bert = here.player("bert")
    paired_and_left(here, "anna", "bert", 50)
    assert invite(here.player("anna"), "bert").refusal == (409, "team_limit_reached")
    accepted = accept(bert, invite(here.player("carl"), "bert"))
    assert (accepted.refusal, accepted["details"]) == ((409, "team_limit_reached"), {"limit": 50})
    assert len(ask(bert, "partners.listInvites", key="race").list("incoming")) == 1


@pytest.mark.parametrize("stays", [True, False])
def test_an_invitation_ends_with_the_seats_of_its_sender(*, stays: bool) -> None:
    """Whoever accepts it is not blamed; a sender who still sits alone in a pair takes no other seat."""
    here = crews("partner", 2)
    anna, carl = here.player("anna"), here.player("carl")
    paired_and_left(here, "anna", "bert", 49)
    assert accept(here.player("bert"), invite(anna, "bert")).status == 200
    leave(here.player("bert"))
    invited = invite(anna, "carl")
    assert invited.status == 201
    if stays:
        assert accept(carl, invited).status == 200
    else:
        leave(anna)
        assert accept(carl, invited).refusal == (404, "invite_not_found")
        # So it is no reason either for being a pair at once.
        assert invite(carl, "anna").status == 201
    assert len([row for row in rows_of(here, SEATS) if row.player_id == anna.player_id]) == 50
    sound(here)


def test_a_member_who_left_another_team_stays_in_its_history() -> None:
    """Only teams that nobody is in are removed, with all that they have."""
    here = crews()
    _, bert = crew(here, "anna", "bert")
    leave(bert)
    found(bert)
    leave(bert)
    here.advance(minutes=30)
    assert len(rows_of(here, TEAMS)) == 1
    assert [(row.standing, row.left_reason) for row in rows_of(here, SEATS)] == [(1, None), (None, "left")]
    exported = ask(here.server, "players.export", external_id="bert").list("teams")
    assert len(exported) == 1
    sound(here)


def test_what_an_emptied_team_has_won_goes_with_it_and_its_grants_stay() -> None:
    """Also its removed entry on the board of teams."""
    here = crews(milestones=MILESTONES)
    anna = here.player("anna")
    found(anna)
    play(anna, 20)
    leave(anna)
    assert len(rows_of(here, UNLOCKS)) == 1
    here.advance(minutes=30)
    assert (rows_of(here, TEAMS), rows_of(here, SEATS), rows_of(here, UNLOCKS)) == ([], [], [])
    assert not [row for row in rows_of(here, ENTRIES) if row.participant.startswith("etm_")]
    assert paid(here) == [("anna", "event_team_milestone")]
    sound(here)


def test_a_large_team_goes_with_all_its_seats() -> None:
    """More seats than a step removes: it stays at the team until they are gone."""
    here = crews("external", 1_000)
    names = registered(here, *(f"p{number}" for number in range(450)))
    put_roster(here, "owls", *names)
    put_roster(here, "cats", *registered(here, "anna"))
    put_roster(here, "owls")
    here.advance(minutes=30)
    assert [row.key for row in rows_of(here, TEAMS)] == ["cats"]
    assert len(rows_of(here, SEATS)) == 1
    sound(here)


def test_a_roster_that_never_had_anybody_stays() -> None:
    """The studio's backend made it, perhaps for its attributes."""
    here = crews("external", 5)
    put_roster(here, "owls", attributes={"colour": "red"})
    window = rows_of(here, WINDOWS)[0].window_id
    here.advance(minutes=30)
    assert team_of(here, "owls", window_id=window)["attributes"] == {"colour": "red"}


# -- lobbies --------------------------------------------------------------------------------------------------------------


def test_lobbies_that_everybody_left_go_with_their_window_and_their_boards() -> None:
    """They stay readable until then; the next start made another one each time."""
    here = arena()
    mallory = here.player("mallory")
    left = []
    for _ in range(120):
        left.append(waiting(mallory))
        assert ask(mallory, "lobbies.leave", lobby_id=left[-1]).status == 200
    stays, _ = came(here, "anna", "bert")
    here.advance(minutes=28)
    assert len(rows_of(here, LOBBIES)) == 121
    assert ask(mallory, "lobbies.get", lobby_id=left[0]).text("lobby.status") == "closed"
    here.advance(minutes=2)
    assert [row.lobby_id for row in rows_of(here, LOBBIES)] == [stays]
    assert {row.lobby_id for row in rows_of(here, BOARDS)} == {stays}
    assert len(rows_of(here, LOBBY_SEATS)) == 2
    assert ask(mallory, "lobbies.get", lobby_id=left[0]).refusal == (404, "lobby_not_found")
    assert found_wrong(here) == []


def test_whoever_was_excluded_in_an_emptied_lobby_leaves_no_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exclusion writes an entry on the lobby's board, which goes with it; also more than a step removes."""
    monkeypatch.setattr(emptied, "MOST_ROWS", 2)
    here = arena()
    anna = here.player("anna")
    lobby_id = waiting(anna)
    (board,) = (row.board_id for row in rows_of(here, LOBBIES))
    for name in registered(here, "anna", "bert", "carl", "dora", "emil"):
        asked = {"external_id": name, "leaderboard_id": board, "exclude": True}
        assert ask(here.server, "leaderboards.removeEventEntry", **asked).data == {"removed": False}
    assert ask(anna, "lobbies.leave", lobby_id=lobby_id).status == 200
    assert len(rows_of(here, ENTRIES)) == 5
    here.advance(minutes=30)
    assert (rows_of(here, LOBBIES), rows_of(here, BOARDS), rows_of(here, ENTRIES)) == ([], [], [])
    assert found_wrong(here) == []


def test_a_lobby_that_was_not_filled_stays() -> None:
    """Somebody is in it: its player's history names it."""
    here = arena()
    lobby_id = waiting(here.player("anna"))
    here.advance(minutes=30)
    assert [row.lobby_id for row in rows_of(here, LOBBIES)] == [lobby_id]
    assert len(ask(here.server, "players.export", external_id="anna").list("lobbies")) == 1


# -- steps ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(params=STORES)
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AddedGame]:
    """A game that is played in teams, over one of the stores."""
    with STORES[request.param](tmp_path) as store:
        yield game_over(store, "mallory", "anna")


def test_every_store_removes_the_same_in_pieces(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """With steps of three rows, between which a process may be killed; what is left is what one step would leave."""
    monkeypatch.setattr(emptied, "MOST_ROWS", 3)
    for _ in range(8):
        assert game.as_player("mallory", "POST", "/events/race/team", {}).status == 201
        assert game.as_player("mallory", "POST", "/events/race/team/leave", {}).status == 200
    assert game.as_player("anna", "POST", "/events/race/team", {}).status == 201
    game.now += 1_800_000
    left = []
    for _ in range(20):
        game.run_due()
        left.append(len(game.rows(TEAMS)))
    assert [before - after for before, after in pairwise(left) if before - after > 3] == []
    assert left[-1] == 1
    assert len(game.rows(SEATS)) == 1
    assert not [work for work in game.rows(DUE) if work.kind == EMPTIED.kind]
    if not isinstance(game.store, MemoryStore):
        assert findings(game) == []


def test_what_a_team_has_won_is_paid_before_it_goes(game: AddedGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job that pays a large team is late, and everybody has left: each is paid, and then the team is removed."""
    monkeypatch.setattr(rewards, "MOST_AT_ONCE", 1)
    assert game.as_player("mallory", "POST", "/events/race/team", {}).status == 201
    assert game.as_player("anna", "POST", "/events/race/team/join", {}).status == 200
    begun = game.as_player("anna", "POST", "/events/race/start", {}).json
    path = f"/events/race/attempts/{begun['data']['attempt']['attemptId']}/progress"
    assert game.as_player("anna", "POST", path, {"metrics": {"points": 12}}).status == 200
    for name in ("mallory", "anna"):
        assert game.as_player(name, "POST", "/events/race/team/leave", {}).status == 200
    (pay,) = [work for work in game.rows(DUE) if work.kind == rewards.PAY.kind]
    game.in_unit(lambda unit: unit.tx.put(DUE, evolve(pay, due_at=game.now + 10 * 3_600_000)))
    game.now += 1_800_000
    for _ in range(6):
        game.run_due()
    assert (game.rows(TEAMS), game.rows(SEATS), game.rows(UNLOCKS)) == ([], [], [])
    assert [row.source_kind for row in game.rows(GRANTS)] == ["event_team_milestone"] * 2
    assert not [work for work in game.rows(DUE) if work.kind == rewards.PAY.kind]
