"""Leaving a lobby: only while it is forming, and only one's own."""

from __future__ import annotations

import pytest

from livecore.events import window_closing
from livecore.kernel.time import SECOND
from livecore.lobbies.lobby import LOBBIES, SEATS
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin
from tests.lobbies.groups import BOTS, FILL_SECONDS, arena, came, filled, lobby_kinds, lobby_of, push, waiting
from tests.worlds import Reply, Since, ask, rows_of

_STATES = ("forming", "over its time", "window over", "window ended", "active", "closed", "emptied")


def _leave(player: object, lobby_id: str) -> Reply:
    return ask(player, "lobbies.leave", lobby_id=lobby_id)  # type: ignore[arg-type] # a player of a world


@pytest.mark.parametrize("state", _STATES)
def test_every_state_of_a_lobby(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A forming lobby is left, any other not; nothing changes then."""
    here = arena({"bots": BOTS})
    lobby_id, (anna, bert) = came(here, "anna", "bert")
    if state == "over its time":
        here.now += FILL_SECONDS * SECOND
    elif state == "window over":
        here.now += 1_800 * SECOND
    elif state == "window ended":
        monkeypatch.setattr(window_closing, "_ROWS", 1)
        monkeypatch.setattr(window_closing, "_STEPS", 1)
        here.now += 3 * SECOND
        push(here, "k", "carl", "dora", "eve")
        ask(here.server, "dev.endWindow", event_key="race")
        assert lobby_of(here, lobby_id)["status"] == "forming"
    elif state in {"active", "closed"}:
        here.advance(seconds=FILL_SECONDS)
        assert begin(anna).status == 201
    if state == "closed":
        here.advance(minutes=30)
    if state == "emptied":
        assert [_leave(player, lobby_id).status for player in (anna, bert)] == [200, 200]
    before = rows_of(here, SEATS)
    reply = _leave(anna, lobby_id)
    if state == "forming":
        assert (reply.status, reply.data) == (200, {"left": True})
        assert lobby_of(here, lobby_id)["participantCount"] == 1
    elif state == "emptied":
        assert reply.refusal == (404, "lobby_not_found")
    else:
        assert reply.refusal == (409, "lobby_not_forming")
        assert reply["details.status"] == ("active" if state in {"over its time", "active"} else "closed")
        assert rows_of(here, SEATS) == before
    assert found_wrong(here) == [] or state == "over its time"


def test_one_leaves_only_where_one_sits() -> None:
    """Another's lobby is not found, and leaving twice neither."""
    here = arena()
    lobby_id, (anna, _) = came(here, "anna", "bert")
    assert _leave(here.player("carl"), lobby_id).refusal == (404, "lobby_not_found")
    assert _leave(anna, lobby_id).status == 200
    assert _leave(anna, lobby_id).refusal == (404, "lobby_not_found")


def test_a_repeated_request_to_leave_is_answered_alike() -> None:
    """With the same key, also when one has come back since."""
    here = arena()
    lobby_id, (anna, _) = came(here, "anna", "bert")
    first = ask(anna, "lobbies.leave", lobby_id=lobby_id, idempotency_key="k")
    assert waiting(anna) == lobby_id
    again = ask(anna, "lobbies.leave", lobby_id=lobby_id, idempotency_key="k")
    assert (again.status, again.data, again.header("Idempotent-Replay")) == (200, first.data, "true")
    assert lobby_of(here, lobby_id)["participantCount"] == 2


def test_the_seat_of_who_has_left_is_free() -> None:
    """For somebody else, or for the same player again; the lobby is not full before."""
    here = arena(capacity=2)
    lobby_id, (anna,) = came(here, "anna")
    bert = here.player("bert")
    assert _leave(anna, lobby_id).status == 200
    assert waiting(bert) != lobby_id
    other = waiting(bert)
    assert begin(anna)["attempt.lobbyId"] == other


def test_a_lobby_that_everybody_left_is_closed() -> None:
    """And stays readable, with nobody in it."""
    here = arena()
    lobby_id, (anna,) = came(here, "anna")
    before = Since(here)
    assert _leave(anna, lobby_id).status == 200
    assert [row["reason"] for row in before.of("lobby.closed")] == ["emptied"]
    lobby = lobby_of(here, lobby_id)
    assert (lobby["status"], lobby["participants"], lobby["participantCount"]) == ("closed", [], 0)
    here.advance(seconds=FILL_SECONDS)
    assert lobby_kinds(before) == ["lobby.closed"]
    assert found_wrong(here) == []


def test_a_pushed_lobby_is_not_left() -> None:
    """It has started at once."""
    here = arena()
    anna = here.player("anna")
    lobby_id = push(here, "k1", "anna").text("lobby.lobbyId")
    assert _leave(anna, lobby_id).refusal == (409, "lobby_not_forming")


def test_who_left_has_not_played() -> None:
    """The number of attempts is not counted up by waiting."""
    here = arena(capacity=2, attempts={"maxPerWindow": 1})
    lobby_id, (anna,) = came(here, "anna")
    _leave(anna, lobby_id)
    _, players = filled(here, "anna", "bert")
    assert len(players) == 2
    assert {row.status for row in rows_of(here, LOBBIES)} == {"closed", "active"}
