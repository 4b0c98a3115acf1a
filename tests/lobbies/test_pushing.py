"""Lobbies that the studio's backend makes: all or nothing, once for each key."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.lobbies.lobby import LOBBIES, SEATS
from livecore.players.player import PLAYERS
from tests.commerce.shop import found_wrong
from tests.competition.games import HOURLY, event, with_events
from tests.competition.playing import begin
from tests.lobbies.groups import BOTS, arena, came, lobby_kinds, lobby_of, push, row_of
from tests.worlds import Since, ask, rows_of, scope_of


def test_a_pushed_lobby_starts_at_once() -> None:
    """With players who are known and others who are not, and each start gives an attempt in it."""
    here = arena()
    anna = here.player("anna")
    before = Since(here)
    reply = push(here, "match-1", "anna", "bert", metadata={"map": "ice"})
    assert reply.status == 201, reply.body
    lobby: Any = reply.data["lobby"]
    assert row_of(lobby, "key", "status", "capacity", "participantCount", "promotionReason", "fillBy", "metadata") == [
        "match-1", "active", 3, 2, "external_push", None, {"map": "ice"},
    ]  # fmt: skip
    assert [row["externalPlayerId"] for row in lobby["participants"]] == ["anna", "bert"]
    assert lobby_kinds(before) == ["lobby.created", "lobby.player_joined", "lobby.player_joined", "lobby.started"]
    (created,) = before.of("lobby.created")
    assert [created[name] for name in ("lobbyKey", "status", "participantCount", "source", "metadata")] == [
        "match-1", "active", 2, "server_push", {"map": "ice"},
    ]  # fmt: skip
    assert [(row["participantCount"], row["source"]) for row in before.of("lobby.player_joined")] == [
        (1, "server_push"), (2, "server_push"),
    ]  # fmt: skip
    assert [row["externalPlayerId"] for row in before.of("player.registered")] == ["bert"]
    assert begin(anna)["attempt.lobbyId"] == lobby["lobbyId"]
    assert (
        lobby
        == ask(here.server, "lobbies.get", game_id=scope_of(here).game_id, lobby_id=lobby["lobbyId"]).data["lobby"]
        == lobby_of(here, lobby["lobbyId"])
    )
    assert found_wrong(here) == []


def test_a_known_key_gives_its_lobby() -> None:
    """200, whatever else the body says; nothing changes. The key of another event is another one."""
    lobby = {"capacity": 2, "fillSeconds": 60}
    here = with_events(event(lobby=lobby), event("chase", lobby=lobby))
    first = push(here, "k", "anna")
    before = Since(here)
    again = push(here, "k", "carl", "dora", "emil", capacity=1, fill_bots=True)
    assert (again.status, again.data) == (200, first.data)
    assert before.kinds == []
    assert push(here, "k", "anna", event="chase").status == 201
    here.advance(minutes=30)
    closed = push(here, "k", "anna")
    assert (closed.status, closed["lobby.status"]) == (200, "closed")


@pytest.mark.parametrize(("fill", "bots"), [(True, 3), (False, 0)])
def test_bots_fill_a_pushed_lobby_if_they_are_asked_for(*, fill: bool, bots: int) -> None:
    """The free seats, of a capacity that the push says."""
    here = arena({"bots": BOTS})
    lobby: Any = push(here, "k", "anna", "bert", capacity=5, fill_bots=fill).data["lobby"]
    assert row_of(lobby, "capacity", "participantCount", "botCount") == [5, 2, bots]
    assert sum(row["isBot"] for row in lobby["participants"]) == bots


def test_refusals_come_in_their_order() -> None:
    """The game, the event, its lobbies, who sits elsewhere, the seats, the window; and nothing is half done."""
    closed = event(
        "later", schedule={**HOURLY, "startsAt": "2026-01-02T00:00:00Z"}, lobby={"capacity": 2, "fillSeconds": 9}
    )
    here = with_events(event(lobby={"capacity": 2, "fillSeconds": 60}), event("plain"), closed)
    waiting_in, _ = came(here, "anna")
    seen = rows_of(here, PLAYERS)
    game_id = scope_of(here).game_id
    wrong = ask(here.server, "lobbies.push", game_id="gam_x", event_key="race", key="k", external_player_ids=["x"])
    assert wrong.refusal == (404, "game_not_found")
    assert push(here, "k", "x", event="nowhere").refusal == (404, "event_not_found")
    assert push(here, "k", "x", "x").fields == ["externalPlayerIds"]
    assert push(here, "k", "x", event="plain").refusal == (409, "event_has_no_lobbies")
    seated = push(here, "k", "x", "anna", "y")
    assert (seated.refusal, seated["details.externalPlayerIds"]) == ((409, "already_in_lobby"), ["anna"])
    assert push(here, "k", "x", "y", "z").fields == ["externalPlayerIds"]
    assert push(here, "k", "x", capacity=2, fill_bots=True).fields == ["fillBots"]
    assert push(here, "k", "x", "y", "z", event="later").fields == ["externalPlayerIds"]
    later = push(here, "k", "x", event="later")
    assert (later.refusal, later["details.nextWindowStartsAt"]) == (
        (409, "event_not_active"),
        "2026-01-02T00:00:00.000Z",
    )
    assert rows_of(here, PLAYERS) == seen
    assert [row.lobby_id for row in rows_of(here, LOBBIES)] == [waiting_in]
    missing = ask(here.server, "lobbies.get", game_id=game_id, lobby_id="lob_x")
    assert missing.refusal == (404, "lobby_not_found")
    assert ask(here.server, "lobbies.get", game_id="gam_x", lobby_id=waiting_in).refusal == (404, "game_not_found")


@pytest.mark.parametrize(
    ("names", "more", "field"),
    [
        ([], {}, "externalPlayerIds"),
        ([f"p{number}" for number in range(201)], {}, "externalPlayerIds"),
        (["anna"], {"capacity": 0}, "capacity"),
        (["anna"], {"capacity": 201}, "capacity"),
        (["anna/bert"], {}, "externalPlayerIds[0]"),
        (["anna"], {"metadata": {"text": "x" * 20_000}}, "metadata"),
    ],
)
def test_what_cannot_be_is_refused(names: list[str], more: dict[str, Any], field: str) -> None:
    """With the field."""
    here = arena()
    assert push(here, "k", *names, **more).fields == [field]
    assert rows_of(here, SEATS) == []


def test_two_hundred_players_are_pushed_at_once() -> None:
    """The most that there may be."""
    here = arena()
    lobby: Any = push(here, "k", *(f"p{number}" for number in range(200)), capacity=200).data["lobby"]
    assert (lobby["participantCount"], len(lobby["participants"])) == (200, 200)
    assert found_wrong(here) == []


def test_who_played_in_a_pushed_lobby_comes_into_another_when_it_is_closed() -> None:
    """In the next window."""
    here = arena(capacity=2)
    push(here, "k", "anna", "bert")
    assert push(here, "l", "anna").refusal == (409, "already_in_lobby")
    here.advance(hours=1)
    assert push(here, "l", "anna", "bert").status == 201
