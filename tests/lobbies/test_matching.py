"""Coming into a lobby: who meets, when a lobby starts, and when it does not (contract, "Lobbies and sessions")."""

from __future__ import annotations

from typing import Any

import pytest

from livecore.kernel.time import SECOND
from livecore.leaderboards.boards import BOARDS
from livecore.lobbies.lobby import LOBBIES, SEATS
from tests.commerce.shop import found_wrong
from tests.competition.games import event, with_events
from tests.competition.playing import begin, board, gold, places, progress, score, started
from tests.lobbies.groups import BOTS, FILL_SECONDS, arena, came, filled, lobby_kinds, lobby_of, row_of, waiting
from tests.worlds import Since, ask, ban, config, give, rows_of, total

# -- joining --------------------------------------------------------------------------------------------------------------


def test_who_starts_waits_in_a_lobby_until_it_is_full() -> None:
    """202 with the lobby for each but the last, who has an attempt at once; then the others start too."""
    here = arena()
    before = Since(here)
    anna, bert, carl = (here.player(name) for name in ("anna", "bert", "carl"))
    first = begin(anna)
    assert first.refusal == (202, "lobby_forming")
    lobby_id = first.text("details.lobbyId")
    assert lobby_id.startswith("lob_")
    assert [first[f"details.{name}"] for name in ("participantCount", "capacity")] == [1, 3]
    assert waiting(bert) == lobby_id
    again = begin(anna)
    assert (again["details.lobbyId"], again["details.participantCount"]) == (lobby_id, 2)
    last = begin(carl)
    assert (last.status, last["attempt.lobbyId"]) == (201, lobby_id)
    lobby = lobby_of(here, lobby_id)
    assert row_of(lobby, "status", "participantCount", "botCount", "promotionReason") == ["active", 3, 0, "capacity"]
    assert [row["externalPlayerId"] for row in lobby["participants"]] == ["anna", "bert", "carl"]
    assert not any(row["isBot"] for row in lobby["participants"])
    assert last["attempt.leaderboardId"] == lobby["leaderboardId"]
    for player in (anna, bert):
        reply = begin(player)
        assert (reply.status, reply["attempt.lobbyId"]) == (201, lobby_id)
        assert begin(player).status == 200
    assert lobby_kinds(before) == [
        "lobby.created", "lobby.player_joined", "lobby.player_joined", "lobby.player_joined", "lobby.started",
    ]  # fmt: skip
    assert found_wrong(here) == []


def test_the_answer_says_until_when_the_lobby_fills() -> None:
    """As the lobby does; the next lobby has a time of its own."""
    here = arena()
    reply = begin(here.player("anna"))
    assert reply["details.fillBy"] == "2026-01-01T00:01:00.000Z"
    assert lobby_of(here, reply.text("details.lobbyId"))["fillBy"] == "2026-01-01T00:01:00.000Z"


def test_the_fourth_of_three_opens_a_lobby_of_their_own() -> None:
    """Capacity is never passed, and nobody waits for a seat that there is not."""
    here = arena(capacity=2)
    one, _ = filled(here, "anna", "bert")
    other = waiting(here.player("carl"))
    assert other != one
    assert begin(here.player("dora"))["attempt.lobbyId"] == other
    assert [row.players for row in rows_of(here, LOBBIES)] == [2, 2]


def test_a_lobby_for_one_starts_at_once() -> None:
    here = arena(capacity=1)
    reply = begin(here.player("anna"))
    assert reply.status == 201
    assert lobby_of(here, reply.text("attempt.lobbyId"))["promotionReason"] == "capacity"


def test_the_events_of_a_lobby_say_who_came() -> None:
    """With the number of those who are in it by then; a client's doing has no `source`."""
    here = arena()
    before = Since(here)
    lobby_id, _ = filled(here, "anna", "bert", "carl")
    joined = before.of("lobby.player_joined")
    assert [(row["externalPlayerId"], row["participantCount"]) for row in joined] == [
        ("anna", 1), ("bert", 2), ("carl", 3),
    ]  # fmt: skip
    assert not any("source" in row for row in [*joined, *before.of("lobby.created")])
    (created,) = before.of("lobby.created")
    assert [created[name] for name in ("lobbyId", "lobbyKey", "status", "capacity", "participantCount", "botCount")] == [
        lobby_id, None, "forming", 3, 1, 0,
    ]  # fmt: skip
    (begun,) = before.of("lobby.started")
    assert [begun[name] for name in ("promotionReason", "participantCount", "botCount")] == ["capacity", 3, 0]
    assert before.of("lobby.fill_timeout") == []


# -- who meets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ({"region": "eu"}, {"region": "eu"}, True),
        ({"region": "eu"}, {"region": "us"}, False),
        ({"region": 1}, {"region": 1}, True),
        ({"region": 1}, {"region": "1"}, False),
        ({"region": 1}, {"region": True}, False),
        ({"region": "eu"}, {}, False),
        ({}, {}, True),
        ({"region": ["eu"]}, {"region": {"a": 1}}, True),
        ({"region": "x" * 65}, {"region": "y" * 65}, True),
        ({"region": "eu", "level": 1}, {"region": "eu", "level": 2}, True),
    ],
)
def test_only_those_who_match_meet(one: dict[str, Any], other: dict[str, Any], *, meet: bool) -> None:
    """By the values of the keys by which the event matches; what is no short text, integer or truth value is none."""
    here = arena({"matchBy": ["region"]})
    first = waiting(here.player("anna"), player_context=one)
    second = waiting(here.player("bert"), player_context=other)
    assert (first == second) is meet


def test_the_country_is_that_of_the_player() -> None:
    """As the service knows it, or as the context says."""
    here = arena({"matchBy": ["country"]})
    lobbies = [
        waiting(here.player("anna"), headers={"cf-ipcountry": "CA"}, player_context={"country": "CA"}),
        waiting(here.player("bert"), player_context={"country": "CA"}),
        waiting(here.player("carl"), player_context={"country": "FR"}),
    ]
    assert lobbies[0] == lobbies[1] != lobbies[2]


def test_a_player_who_waits_stays_in_the_lobby_they_came_into() -> None:
    """Also if their context has changed since."""
    here = arena({"matchBy": ["region"]})
    anna = here.player("anna")
    first = waiting(anna, player_context={"region": "eu"})
    assert waiting(anna, player_context={"region": "us"}) == first
    assert len(rows_of(here, SEATS)) == 1


@pytest.mark.parametrize("ends", ["filled", "timed out", "left"])
def test_by_what_players_met_is_forgotten_when_the_lobby_fills_no_more(ends: str) -> None:
    """Not even a hash of it stays, because whoever guesses a value could tell it by its hash."""
    here = arena({"matchBy": ["region"]}, capacity=2)
    anna, bert = here.player("anna"), here.player("bert")
    lobby_id = waiting(anna, player_context={"region": "Anna 0160 555"})
    (forming,) = rows_of(here, LOBBIES)
    assert forming.match
    if ends == "filled":
        assert begin(bert, player_context={"region": "Anna 0160 555"}).status == 201
    elif ends == "timed out":
        here.advance(seconds=FILL_SECONDS)
    else:
        ask(here.server, "players.erase", external_id="anna")
    (row,) = rows_of(here, LOBBIES)
    assert (row.lobby_id, row.match) == (lobby_id, "")
    assert row.status == ("active" if ends == "filled" else "closed")


# -- when the time is over ------------------------------------------------------------------------------------------------


def test_when_its_time_is_over_a_lobby_starts_with_who_is_there() -> None:
    """Two are enough; `lobby.fill_timeout` comes besides `lobby.started`."""
    here = arena()
    lobby_id, (anna, bert) = came(here, "anna", "bert")
    before = Since(here)
    here.advance(seconds=FILL_SECONDS)
    lobby = lobby_of(here, lobby_id)
    assert row_of(lobby, "status", "participantCount", "botCount", "promotionReason") == ["active", 2, 0, "timeout"]
    assert lobby_kinds(before) == ["lobby.fill_timeout", "lobby.started"]
    assert before.of("lobby.fill_timeout") == before.of("lobby.started")
    assert [begin(player).status for player in (anna, bert)] == [201, 201]
    assert waiting(here.player("carl")) != lobby_id


def test_bots_take_the_free_seats() -> None:
    """Of the names that the event declares; one alone has somebody to play against then."""
    here = arena({"bots": BOTS})
    before = Since(here)
    anna = here.player("anna")
    lobby_id = waiting(anna)
    here.advance(seconds=FILL_SECONDS)
    lobby = lobby_of(here, lobby_id)
    assert row_of(lobby, "status", "participantCount", "botCount") == ["active", 1, 2]
    bots = [row for row in lobby["participants"] if row["isBot"]]
    assert {row["externalPlayerId"] for row in bots} == {None}
    assert {row["displayIdentity"]["name"] for row in bots} < set(BOTS["names"])  # type: ignore[arg-type] # JSON
    assert len({row["displayIdentity"]["name"] for row in bots}) == 2
    (told,) = before.of("lobby.bot_filled")
    assert (told["botCount"], len(told["bots"])) == (2, 2)  # type: ignore[arg-type] # JSON
    assert begin(anna).status == 201
    assert found_wrong(here) == []


def test_one_player_alone_without_bots_plays_nothing() -> None:
    """The lobby is closed, and stays readable; the next start opens another."""
    here = arena()
    anna = here.player("anna")
    lobby_id = waiting(anna)
    before = Since(here)
    here.advance(seconds=FILL_SECONDS)
    assert lobby_kinds(before) == ["lobby.closed"]
    (closed,) = before.of("lobby.closed")
    assert [closed[name] for name in ("lobbyId", "reason", "startedAt", "participantCount")] == [
        lobby_id, "unfilled", None, 1,
    ]  # fmt: skip
    lobby = lobby_of(here, lobby_id)
    assert row_of(lobby, "status", "startedAt", "closedAt") == ["closed", None, "2026-01-01T00:01:00.000Z"]
    assert [row["externalPlayerId"] for row in lobby["participants"]] == ["anna"]
    other = waiting(anna)
    assert other != lobby_id
    assert lobby_of(here, other)["fillBy"] == "2026-01-01T00:02:00.000Z"
    assert found_wrong(here) == []


@pytest.mark.parametrize("bots", [None, BOTS])
def test_a_start_after_the_time_does_not_wait_for_due_work(bots: dict[str, Any] | None) -> None:
    """What due work would do is done by the start itself, and is done once."""
    here = arena({} if bots is None else {"bots": bots})
    anna = here.player("anna")
    lobby_id = waiting(anna)
    here.now += FILL_SECONDS * SECOND
    before = Since(here)
    reply = begin(anna)
    if bots is None:
        assert reply.refusal == (202, "lobby_forming")
        assert reply["details.lobbyId"] != lobby_id
    else:
        assert (reply.status, reply["attempt.lobbyId"]) == (201, lobby_id)
    begun = lobby_kinds(before)
    here.advance(seconds=1)
    assert lobby_kinds(before) == begun
    assert found_wrong(here) == []


def test_a_window_ends_before_the_lobby_is_filled() -> None:
    """Then it is closed with the window, and never starts; nobody has paid."""
    here = arena({"fillSeconds": 3_600}, entryCost=[gold(5)])
    anna = here.player("anna")
    give(anna, "gold", 5)
    lobby_id = waiting(anna)
    assert lobby_of(here, lobby_id)["fillBy"] == "2026-01-01T00:30:00.000Z"
    before = Since(here)
    here.advance(minutes=30)
    assert [row["reason"] for row in before.of("lobby.closed")] == ["window_ended"]
    assert lobby_of(here, lobby_id)["status"] == "closed"
    assert total(anna, "gold") == 5
    assert found_wrong(here) == []


# -- what it costs --------------------------------------------------------------------------------------------------------


def test_the_cost_is_charged_when_the_attempt_is_made() -> None:
    """Not while the lobby fills; who cannot pay then is told so then."""
    here = arena(capacity=2, entryCost=[gold(5)])
    anna, bert = here.player("anna"), here.player("bert")
    give(bert, "gold", 5)
    lobby_id = waiting(anna)
    assert total(bert, "gold") == 5
    assert begin(bert).status == 201
    assert total(bert, "gold") == 0
    assert begin(anna).refusal == (409, "insufficient_entry_cost")
    give(anna, "gold", 5)
    assert begin(anna)["attempt.lobbyId"] == lobby_id


def test_who_cannot_pay_does_not_fill_a_lobby() -> None:
    """The refused start leaves every row as it was: the last seat is free again."""
    here = arena(capacity=2, entryCost=[gold(5)])
    lobby_id = waiting(here.player("anna"))
    before = rows_of(here, LOBBIES), rows_of(here, SEATS)
    assert begin(here.player("bert")).refusal == (409, "insufficient_entry_cost")
    assert (rows_of(here, LOBBIES), rows_of(here, SEATS)) == before
    assert lobby_of(here, lobby_id)["participantCount"] == 1


# -- refusals -------------------------------------------------------------------------------------------------------------


def test_the_limit_of_attempts_comes_before_the_lobby() -> None:
    """Who has none left does not come into another lobby."""
    here = arena(capacity=1, attempts={"maxPerWindow": 1}, target=10)
    anna = here.player("anna")
    score(anna, 10)
    assert begin(anna).refusal == (409, "attempt_limit_reached")
    assert len(rows_of(here, LOBBIES)) == 1


def test_a_further_attempt_is_in_the_same_lobby() -> None:
    """While it is active."""
    here = arena(capacity=1, attempts={"maxPerWindow": None}, target=10)
    anna = here.player("anna")
    first, second = score(anna, 10), started(anna)
    assert first != second
    assert len(rows_of(here, LOBBIES)) == 1
    assert ask(anna, "events.getAttempt", key="race", attempt_id=second)["attempt.attemptCount"] == 2


def test_a_banned_player_comes_into_no_lobby() -> None:
    """A start is a write."""
    here = arena()
    anna = here.player("anna")
    ban(anna)
    assert begin(anna).refusal == (403, "player_banned")
    assert rows_of(here, LOBBIES) == []


def test_a_lobby_that_is_not_there_is_not_found() -> None:
    """Nor is one of the other environment."""
    here = arena()
    reader = here.player("reader")
    assert ask(reader, "lobbies.get", lobby_id="lob_x").refusal == (404, "lobby_not_found")
    assert ask(reader, "lobbies.leave", lobby_id="lob_x").refusal == (404, "lobby_not_found")


# -- the board ------------------------------------------------------------------------------------------------------------


def test_each_lobby_has_a_board_of_its_own() -> None:
    """Named by the lobby, and by the attempts; the window has none for all."""
    here = arena(capacity=2)
    one, anna_bert = filled(here, "anna", "bert")
    other, carl_dora = filled(here, "carl", "dora")
    for points, (player, attempt) in enumerate([*anna_bert, *carl_dora], 1):
        assert progress(player, attempt, points=points)["rank"] == 1
    boards = [lobby_of(here, lobby)["leaderboardId"] for lobby in (one, other)]
    assert places(here, boards[0]) == [(1, "anna", 2), (2, "bert", 1)]
    assert places(here, boards[1]) == [(1, "carl", 4), (2, "dora", 3)]
    shown = board(here, boards[0]).data["leaderboard"]
    assert [shown[name] for name in ("lobbyId", "eventKey", "segment", "entryCount")] == [one, "race", None, 2]  # type: ignore[index,call-overload] # JSON
    listed: Any = ask(here.player("reader"), "events.list").list("events")[0]
    assert (listed["window"]["leaderboardId"], listed["lobby"]) == (None, {"capacity": 2})


def test_the_board_is_there_while_the_lobby_forms() -> None:
    """Empty: a client can open its stream before the play begins. It is final with a lobby that never starts."""
    here = arena()
    lobby_id = waiting(here.player("anna"))
    board_id = lobby_of(here, lobby_id)["leaderboardId"]
    assert board(here, board_id)["leaderboard.status"] == "open"
    here.advance(seconds=FILL_SECONDS)
    assert board(here, board_id)["leaderboard.status"] == "finalized"
    assert not Since(here).of("leaderboard.finalized")


def test_a_windows_close_pays_each_lobby() -> None:
    """Rank by rank, before the lobby is closed; both are told of once."""
    here = arena(capacity=2, rankRewards=[{"from": 1, "to": 1, "entries": [gold(9)]}])
    lobbies = [filled(here, "anna", "bert"), filled(here, "carl", "dora")]
    for _, players in lobbies:
        for points, (player, attempt) in enumerate(players, 1):
            progress(player, attempt, points=points)
    before = Since(here)
    here.advance(minutes=30)
    assert sorted(row["lobbyId"] for row in before.of("leaderboard.finalized")) == sorted(id_ for id_, _ in lobbies)  # type: ignore[type-var] # JSON
    assert {row["reason"] for row in before.of("lobby.closed")} == {"window_ended"}
    assert sorted(str(row["lobbyId"]) for row in before.of("lobby.closed")) == sorted(id_ for id_, _ in lobbies)
    won = sorted(str(row["externalPlayerId"]) for row in before.of("grant.created"))
    assert won == ["anna", "carl"]
    assert found_wrong(here) == []


def test_end_now_counts_the_lobbies_that_it_closes() -> None:
    """Those that are forming too."""
    here = arena(capacity=2)
    filled(here, "anna", "bert")
    waiting(here.player("carl"))
    ended = ask(here.server, "dev.endWindow", event_key="race")
    assert [ended[f"windows.0.{name}"] for name in ("lobbiesClosed", "leaderboardsFinalized")] == [2, 2]
    assert {row.status for row in rows_of(here, LOBBIES)} == {"closed"}
    assert {row.finalized_at is None for row in rows_of(here, BOARDS)} == {False}


def test_an_event_keeps_the_lobbies_with_which_its_window_opened() -> None:
    """A configuration that takes them away holds from the next window on."""
    here = arena(capacity=2)
    lobby_id = waiting(here.player("anna"))
    here.configure({**config(), "events": [event()]})
    assert begin(here.player("bert"))["attempt.lobbyId"] == lobby_id


def test_an_event_without_lobbies_has_none() -> None:
    """Its rows say so."""
    here = with_events(event())
    reply = begin(here.player("anna"))
    assert (reply.status, reply["attempt.lobbyId"], reply["attempt.frozenAt"]) == (201, None, None)
