"""What merging, erasing and exporting players, and the checker, do with lobbies."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.kernel.storage.records import evolve
from livecore.leaderboards.boards import BOARDS
from livecore.lobbies.lobby import LOBBIES, SEATS, Seat
from livecore.world import World
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin, gold, places, progress
from tests.lobbies.groups import BOTS, FILL_SECONDS, arena, came, filled, lobby_of, push, waiting
from tests.worlds import Reply, Since, ask, put, rows_of


def _merge(here: World, source: str, target: str) -> Reply:
    reply = ask(here.server, "players.merge", external_id=source, to_external_id=target)
    assert reply.status == 200, reply.body
    assert found_wrong(here) == []
    return reply


def _erase(here: World, name: str) -> None:
    assert ask(here.server, "players.erase", external_id=name).status == 200
    assert found_wrong(here) == []


def _who(here: World, lobby_id: str) -> list[str]:
    return [row["externalPlayerId"] for row in lobby_of(here, lobby_id)["participants"] if not row["isBot"]]


# -- merging --------------------------------------------------------------------------------------------------------------


def test_the_target_takes_the_seat() -> None:
    """Where only the source sits; the attempt and the entry come along."""
    here = arena(capacity=2)
    lobby_id, players = filled(here, "anna", "bert")
    for points, (player, attempt) in enumerate(players, 1):
        progress(player, attempt, points=points)
    zoe = here.player("zoe")
    _merge(here, "anna", "zoe")
    assert sorted(_who(here, lobby_id)) == ["bert", "zoe"]
    assert [name for _, name, _ in places(here, lobby_of(here, lobby_id)["leaderboardId"])] == ["zoe", "bert"]
    assert begin(zoe).status == 200


def test_of_two_seats_in_a_forming_lobby_one_is_free_again() -> None:
    """Nobody sits twice; somebody else can come."""
    here = arena()
    lobby_id, _ = came(here, "anna", "bert")
    _merge(here, "anna", "bert")
    assert (_who(here, lobby_id), lobby_of(here, lobby_id)["participantCount"]) == (["bert"], 1)
    assert waiting(here.player("carl")) == lobby_id


@pytest.mark.parametrize("who", ["source", "target", "both"])
def test_of_two_attempts_in_one_lobby_one_goes_on(who: str) -> None:
    """The target's, if it has one; else the source's is the target's now."""
    here = arena()
    names = {"source": "anna", "target": "bert", "both": "anna bert"}[who].split()
    lobby_id = push(here, "k", "anna", "bert", "carl").text("lobby.lobbyId")
    anna, bert = here.player("anna"), here.player("bert")
    playing = [player for player in (anna, bert) if player.external_id in names]
    attempts = {player.external_id: begin(player).text("attempt.attemptId") for player in playing}
    _merge(here, "anna", "bert")
    assert sorted(_who(here, lobby_id)) == ["bert", "carl"]
    assert progress(bert, attempts["bert" if "bert" in attempts else "anna"], points=1).status == 200
    assert found_wrong(here) == []


def test_of_two_lobbies_the_targets_stays() -> None:
    """The source gives up the seat in another one that has started, where its attempt ends as it stands."""
    here = arena(capacity=2, attempts={"maxPerWindow": 2})
    left, players = filled(here, "anna", "bert")
    (attempt,) = (attempt for player, attempt in players if player.external_id == "anna")
    progress(here.player("anna"), attempt, points=5)
    stays, _ = filled(here, "zoe", "yan")
    before = Since(here)
    _merge(here, "anna", "zoe")
    assert (_who(here, left), _who(here, stays)) == (["bert"], ["zoe", "yan"])
    assert [row["attemptId"] for row in before.of("event.expired")] == [attempt]
    assert places(here, lobby_of(here, left)["leaderboardId"]) == [(1, "zoe", 5)]


@pytest.mark.parametrize("alone", [True, False])
def test_who_only_waits_goes_on_with_the_attempt_of_the_source(*, alone: bool) -> None:
    """It was paid for; the target leaves the lobby that is forming, which closes if nobody else waits there."""
    here = arena()
    active, players = filled(here, "anna", "bert", "carl")
    (attempt,) = (attempt for player, attempt in players if player.external_id == "anna")
    progress(here.player("anna"), attempt, points=5)
    forming, _ = came(here, *(["zoe"] if alone else ["yan", "zoe"]))
    before = Since(here)
    _merge(here, "anna", "zoe")
    assert "zoe" in _who(here, active)
    assert _who(here, forming) == ([] if alone else ["yan"])
    assert [row["reason"] for row in before.of("lobby.closed")] == (["emptied"] if alone else [])
    assert before.of("event.expired") == []
    assert progress(here.player("zoe"), attempt, points=2)["attempt.score"] == 7
    assert begin(here.player("zoe")).status == 200


def test_who_waits_goes_on_waiting_where_the_source_does_not_play() -> None:
    """Its attempt there is over."""
    here = arena(capacity=2, target=10, attempts={"maxPerWindow": 2})
    active, players = filled(here, "anna", "bert")
    (attempt,) = (attempt for player, attempt in players if player.external_id == "anna")
    progress(here.player("anna"), attempt, points=10)
    forming, _ = came(here, "zoe")
    _merge(here, "anna", "zoe")
    assert (_who(here, active), _who(here, forming)) == (["bert"], ["zoe"])
    assert begin(here.player("carl"))["attempt.lobbyId"] == forming


def test_a_forming_lobby_of_the_source_alone_is_closed() -> None:
    """Nobody is in it any more."""
    here = arena(capacity=2)
    filled(here, "zoe", "bert")
    forming, _ = came(here, "anna")
    before = Since(here)
    _merge(here, "anna", "zoe")
    assert [row["reason"] for row in before.of("lobby.closed")] == ["emptied"]
    assert lobby_of(here, forming)["status"] == "closed"


def test_later_lobbies_that_are_closed_hide_no_earlier_one_that_is_open() -> None:
    """The source sat in several that nobody else came to; the target's is found, and the player sits nowhere else."""
    here = arena()
    own = push(here, "k", "zoe", "yan").text("lobby.lobbyId")
    for _ in range(4):
        waiting(here.player("anna"))
        here.advance(seconds=FILL_SECONDS + 1)
    waiting(here.player("anna"))
    _merge(here, "anna", "zoe")
    zoe = here.player("zoe")
    assert begin(zoe)["attempt.lobbyId"] == own
    assert push(here, "other", "zoe").refusal == (409, "already_in_lobby")
    assert ask(here.server, "players.get", external_id="zoe", limit=1)["summary.lobbiesActive"] == 1


# -- erasing --------------------------------------------------------------------------------------------------------------


def test_who_is_erased_leaves_a_forming_lobby() -> None:
    """Before it starts nobody knows them."""
    here = arena()
    lobby_id, _ = came(here, "anna", "bert")
    _erase(here, "anna")
    assert _who(here, lobby_id) == ["bert"]


def test_who_is_erased_stays_in_a_lobby_that_is_played() -> None:
    """Under the pool identity; the seats are final."""
    here = arena(capacity=2)
    here_anna = here.player("anna")
    ask(here_anna, "players.setIdentity", name="Anna Real")
    lobby_id, _ = filled(here, "anna", "bert")
    _erase(here, "anna")
    lobby = lobby_of(here, lobby_id)
    assert lobby["participantCount"] == 2
    shown = [row for row in lobby["participants"] if row["externalPlayerId"] != "bert"]
    assert [row["displayIdentity"]["name"] for row in shown] != ["Anna Real"]
    assert "anna" not in str(lobby)


# -- sessions -------------------------------------------------------------------------------------------------------------


def _remaining(value: int, resolution: str = "freeze", **fields: Any) -> World:  # noqa: ANN401 - JSON
    triggers: list[Any] = [{"label": "few", "type": "remaining", "value": value}]
    return arena(session={"triggers": triggers, "resolution": resolution}, target=100, rankRewards=_REWARDS, **fields)


_REWARDS = [{"from": rank, "to": rank, "entries": [gold(10 - rank)]} for rank in (1, 2, 3)]


def _three_played(here: World) -> tuple[str, Any]:
    """A lobby in which anna leads, before carl and bert."""
    lobby_id, players = filled(here, "anna", "bert", "carl")
    for player, attempt in players:
        points = {"anna": 30, "bert": 10, "carl": 20}[str(player.external_id)]
        progress(player, attempt, points=points)
    return lobby_id, players


def _won(since: Since) -> list[tuple[object, object]]:
    return [(row["externalPlayerId"], row["entries"][0]["amount"]) for row in since.of("grant.created")]  # type: ignore[index,call-overload] # JSON


@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_a_merge_in_one_lobby_may_end_its_session(resolution: str) -> None:
    """After it two are in play, and stand on the board as it leaves them."""
    here = _remaining(2, resolution)
    lobby_id, _ = _three_played(here)
    before = Since(here)
    _merge(here, "anna", "bert")
    (ended,) = before.of("session.terminated")
    assert (ended["firedTrigger"], ended["frozenCount"]) == ("few", 2)
    standing = [(1, "bert", 30), (2, "carl", 20)]
    assert places(here, lobby_of(here, lobby_id)["leaderboardId"]) == standing
    here.advance(hours=1)
    assert places(here, lobby_of(here, lobby_id)["leaderboardId"]) == standing
    assert _won(before) == [("bert", 9), ("carl", 8)]
    assert len(before.of("session.terminated")) == 1


def test_a_merge_away_may_end_the_session_of_the_lobby_that_is_left() -> None:
    """The source gave up its seat there; the target's lobby goes on."""
    here = _remaining(1, capacity=2)
    left, players = filled(here, "anna", "bert")
    filled(here, "zoe", "yan")
    before = Since(here)
    _merge(here, "anna", "zoe")
    (ended,) = before.of("session.terminated")
    assert (ended["lobbyId"], ended["frozenCount"]) == (left, 1)
    (bert,) = ((player, attempt) for player, attempt in players if player.external_id == "bert")
    assert progress(*bert, points=1).refusal == (409, "attempt_frozen")


def test_a_merge_that_takes_nobody_away_ends_no_session() -> None:
    """The seat and the attempt are the target's now."""
    here = _remaining(2, capacity=2)
    filled(here, "anna", "bert")
    here.player("zoe")
    before = Since(here)
    _merge(here, "anna", "zoe")
    assert before.of("session.terminated") == []


@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_an_erasure_may_end_a_session(resolution: str) -> None:
    """Who is erased is out of play, keeps the rank and wins nothing."""
    here = _remaining(2, resolution)
    lobby_id, players = _three_played(here)
    before = Since(here)
    _erase(here, "anna")
    (ended,) = before.of("session.terminated")
    assert (ended["lobbyId"], ended["firedTrigger"]) == (lobby_id, "few")
    (bert,) = ((player, attempt) for player, attempt in players if player.external_id == "bert")
    assert progress(*bert, points=50).status == 409
    here.advance(hours=1)
    assert _won(before) == [("carl", 8), ("bert", 7)]
    assert len(before.of("session.terminated")) == 1
    assert "anna" not in str([event.data for event in here.events if event.kind.startswith("session.")])


# -- exporting and looking up ---------------------------------------------------------------------------------------------


def test_an_export_lists_the_lobbies_of_a_player() -> None:
    """The latest first, with what became of each; nobody else's."""
    here = arena()
    anna = here.player("anna")
    unfilled = waiting(anna)
    here.advance(seconds=FILL_SECONDS)
    played, _ = filled(here, "anna", "bert", "carl")
    rows: Any = ask(here.server, "players.export", external_id="anna").data["lobbies"]
    assert [(row["lobbyId"], row["status"]) for row in rows] == [(played, "active"), (unfilled, "closed")]
    assert "bert" not in str(rows)
    overview = ask(here.server, "players.get", external_id="anna")
    assert overview.data["lobbies"] == rows
    assert overview["summary.lobbiesActive"] == 1
    short = ask(here.server, "players.get", external_id="anna", limit=1)
    assert (short.data["lobbies"], short["summary.lobbiesActive"]) == (rows[:1], 1)
    here.advance(minutes=30)
    assert ask(here.server, "players.get", external_id="anna")["summary.lobbiesActive"] == 0


# -- checking -------------------------------------------------------------------------------------------------------------


def test_the_checker_finds_what_does_not_fit() -> None:
    """A seat too many or too few, a player in two lobbies, a board that is gone, a lobby that will not start."""
    here = arena({"bots": BOTS})
    one, _ = came(here, "anna", "bert")
    (lobby,) = rows_of(here, LOBBIES)
    (seat, *_) = rows_of(here, SEATS)
    assert found_wrong(here) == []
    put(here, LOBBIES, evolve(lobby, players=3))
    assert any("counts 3 players" in finding for finding in _found(here))
    put(here, LOBBIES, evolve(lobby, capacity=1))
    assert any("2 in 1 seats" in finding for finding in _found(here))
    put(here, LOBBIES, evolve(lobby, status="closed"))
    assert any("otherwise when it closed" in finding for finding in _found(here))
    put(here, LOBBIES, evolve(lobby, board_id="lbd_x"))
    assert any("no board of its own" in finding for finding in _found(here))
    put(here, LOBBIES, lobby)
    put(here, SEATS, evolve(seat, open_in=None))
    assert any("is not open" in finding for finding in _found(here))
    put(here, SEATS, seat)
    twin = evolve(lobby, lobby_id="lob_twin", players=1)
    put(here, LOBBIES, lobby, twin)
    put(here, SEATS, Seat(**{**_fields(seat), "lobby_id": "lob_twin"}))
    wrong = _found(here)
    assert any("will not start" in finding for finding in wrong)
    assert any(f"there is one in {one}" in finding for finding in wrong)
    assert rows_of(here, BOARDS)[0].lobby_id == one


def _found(here: World) -> list[str]:
    return [finding.problem for finding in found_wrong(here)]


def _fields(seat: Seat) -> dict[str, Any]:
    return {
        name: getattr(seat, name) for name in ("lobby_id", "player_id", "window_id", "open_in", "joined_at", "number")
    }
