"""Sessions: how play in a lobby ends early, by which trigger, and what it leaves (contract, "Lobbies and sessions")."""

from __future__ import annotations

from typing import Any, Final

import pytest

from livecore.kernel.errors import JsonObject
from livecore.kernel.time import SECOND
from livecore.lobbies.lobby import LOBBIES
from livecore.world import World, WorldPlayer
from tests.commerce.shop import found_wrong
from tests.competition.playing import begin, board, gold, places, progress
from tests.lobbies.groups import BOTS, FILL_SECONDS, arena, filled, lobby_kinds, lobby_of, push, waiting
from tests.worlds import Since, ask, rows_of

_NAMES: Final = ("anna", "bert", "carl")
_FIRST: Final[JsonObject] = {"label": "won", "type": "first_to_target"}
_LAST_TWO: Final[JsonObject] = {"label": "last-two", "type": "remaining", "value": 2}
_MINUTE: Final[JsonObject] = {"label": "time-up", "type": "elapsed", "value": 60}
_REWARDS: Final = [{"from": 1, "to": 1, "entries": [gold(9)]}, {"from": 2, "to": 2, "entries": [gold(4)]}]

Players = list[tuple[WorldPlayer, str]]


def _arena(*triggers: JsonObject, resolution: str = "freeze", **fields: Any) -> World:  # noqa: ANN401 - JSON
    session: JsonObject = {"triggers": list(triggers), "resolution": resolution}
    return arena(session=session, target=100, rankRewards=_REWARDS, **fields)


def _status(player: WorldPlayer, attempt_id: str) -> tuple[object, object]:
    shown = ask(player, "events.getAttempt", key="race", attempt_id=attempt_id)
    return shown["attempt.status"], shown["attempt.frozenAt"]


def _meet(here: World, players: Players, trigger: JsonObject) -> None:
    """Do what meets a trigger; `players[0]` has a score already."""
    if trigger["type"] == "elapsed":
        here.advance(seconds=60)
    else:
        progress(*players[0], points=100)


@pytest.mark.parametrize("resolution", ["freeze", "close"])
@pytest.mark.parametrize("trigger", [_FIRST, _LAST_TWO, _MINUTE], ids=lambda trigger: str(trigger["type"]))
def test_every_trigger_and_resolution(trigger: JsonObject, resolution: str) -> None:
    """Each ends the session once; who was in an attempt is frozen, keeps the rank, and is paid for it once."""
    here = _arena(trigger, resolution=resolution)
    lobby_id, players = filled(here, *_NAMES)
    for points, (player, attempt) in enumerate(players, 1):
        assert progress(player, attempt, points=points).status == 200
    before = Since(here)
    _meet(here, players, trigger)
    in_play = players if trigger["type"] == "elapsed" else players[1:]
    (ended,) = before.of("session.terminated")
    assert [ended[name] for name in ("lobbyId", "firedTrigger", "firedTriggerType", "resolution", "frozenCount")] == [
        lobby_id, trigger["label"], trigger["type"], resolution, len(in_play),
    ]  # fmt: skip
    frozen = before.of("session.frozen")
    assert sorted(str(row["attemptId"]) for row in frozen) == sorted(attempt for _, attempt in in_play)
    assert {row["status"] for row in frozen} == {"frozen"}
    lobby = lobby_of(here, lobby_id)
    for player, attempt in in_play:
        refused = progress(player, attempt, points=1)
        assert refused.refusal == (409, "attempt_frozen")
        assert refused["details.lobbyId"] == lobby_id
        status, frozen_at = _status(player, attempt)
        assert (status, frozen_at is None) == ("in_progress" if resolution == "freeze" else "expired", False)
    shown = board(here, lobby["leaderboardId"])
    assert shown["leaderboard.status"] == ("open" if resolution == "freeze" else "finalized")
    assert lobby["status"] == ("active" if resolution == "freeze" else "closed")
    assert len(before.of("grant.created")) == (0 if resolution == "freeze" else 2)
    standing = places(here, lobby["leaderboardId"])
    assert found_wrong(here) == []
    here.advance(minutes=30)
    assert {progress(*player, points=1).code for player in in_play} == {"attempt_frozen"}
    assert places(here, lobby["leaderboardId"]) == standing
    won = [row["externalPlayerId"] for row in before.of("grant.created")]
    assert won == [name for _, name, _ in standing[:2]]
    for kind in ("session.terminated", "leaderboard.finalized", "lobby.closed"):
        assert len(before.of(kind)) == 1, kind
    reason = "window_ended" if resolution == "freeze" else "session_ended"
    assert [row["reason"] for row in before.of("lobby.closed")] == [reason]
    assert found_wrong(here) == []


def test_who_had_not_started_is_refused() -> None:
    """Also by a start; who is in no lobby comes into another one."""
    here = _arena(_FIRST)
    lobby_id = push(here, "k", *_NAMES).text("lobby.lobbyId")
    anna, bert = here.player("anna"), here.player("bert")
    attempt = begin(anna).text("attempt.attemptId")
    progress(anna, attempt, points=100)
    refused = begin(bert)
    assert refused.refusal == (409, "attempt_frozen")
    assert refused["details.lobbyId"] == lobby_id
    assert waiting(here.player("dora")) != lobby_id


def test_after_a_closed_session_one_plays_in_another_lobby() -> None:
    """If one has attempts left."""
    here = _arena(_FIRST, resolution="close", attempts={"maxPerWindow": 2})
    lobby_id, players = filled(here, *_NAMES)
    progress(*players[0], points=100)
    other, _ = filled(here, *_NAMES)
    assert other != lobby_id
    assert begin(here.player("dora")).status == 202


def test_a_trigger_fires_once() -> None:
    """The first that is met; the others have nothing to end any more."""
    here = _arena(_LAST_TWO, _FIRST, _MINUTE)
    _, players = filled(here, *_NAMES)
    before = Since(here)
    progress(*players[0], points=100)
    here.advance(minutes=29)
    assert [row["firedTrigger"] for row in before.of("session.terminated")] == ["last-two"]
    assert lobby_kinds(before).count("session.terminated") == 1


def test_who_has_not_started_is_in_play() -> None:
    """And who is in an attempt; a completed and an expired attempt are not."""
    here = _arena({"label": "one-left", "type": "remaining", "value": 1}, attempts={"durationSeconds": 120})
    push(here, "k", *_NAMES)
    before = Since(here)
    anna, bert = here.player("anna"), here.player("bert")
    progress(anna, begin(anna).text("attempt.attemptId"), points=100)
    assert before.of("session.terminated") == []
    attempt = begin(bert).text("attempt.attemptId")
    progress(bert, attempt, points=3)
    here.advance(seconds=120)
    (ended,) = before.of("session.terminated")
    assert (ended["firedTrigger"], ended["frozenCount"]) == ("one-left", 0)
    assert begin(here.player("carl")).refusal == (409, "attempt_frozen")


def test_bots_are_not_in_play_and_stand_still() -> None:
    """They count for no trigger, and their scores are frozen as well."""
    here = arena(
        {"bots": BOTS},
        session={"triggers": [{"label": "all-out", "type": "remaining", "value": 0}]},
        target=100,
    )
    anna = here.player("anna")
    lobby_id = waiting(anna)
    here.advance(seconds=FILL_SECONDS)
    attempt = begin(anna).text("attempt.attemptId")
    here.advance(seconds=30)
    before = Since(here)
    progress(anna, attempt, points=100)
    assert len(before.of("session.terminated")) == 1
    board_id = lobby_of(here, lobby_id)["leaderboardId"]
    final = board(here, board_id).list("entries")
    here.advance(minutes=10)
    assert board(here, board_id).list("entries") == final
    assert found_wrong(here) == []


def test_past_its_time_nothing_counts_whether_due_work_has_run_or_not() -> None:
    """Progress and starts are refused as afterwards; the session ended when its time was over."""
    here = _arena(_MINUTE)
    _, players = filled(here, *_NAMES)
    before = Since(here)
    here.now += 61 * SECOND
    refused = progress(*players[0], points=1)
    assert refused.refusal == (409, "attempt_frozen")
    assert before.of("session.terminated") == []
    here.advance(seconds=5)
    (ended,) = before.of("session.terminated")
    assert ended["terminatedAt"] == refused["details.frozenAt"]
    assert {row.frozen_at is None for row in rows_of(here, LOBBIES)} == {False}


@pytest.mark.parametrize("resolution", ["freeze", "close"])
def test_an_attempt_is_shown_as_frozen_whether_due_work_has_run_or_not(resolution: str) -> None:
    """With the moment that progress is refused with; one that was over before is not."""
    here = _arena(_MINUTE, resolution=resolution, attempts={"maxPerWindow": 2, "durationSeconds": 120})
    lobby_id = push(here, "k", *_NAMES).text("lobby.lobbyId")
    anna, bert = here.player("anna"), here.player("bert")
    running, completed = (begin(player).text("attempt.attemptId") for player in (anna, bert))
    progress(bert, completed, points=100)
    here.now += 61 * SECOND
    seen = []
    for seconds in (0, 1, 3_600):
        if seconds:
            here.advance(seconds=seconds)
        refused = progress(anna, running, points=1)
        (listed,) = ask(anna, "events.listAttempts", key="race").list("attempts")
        shown = _status(anna, running)[1]
        seen.append(
            (refused.refusal, refused["details.frozenAt"], refused["details.lobbyId"], shown, listed["frozenAt"])
        )
        assert _status(bert, completed) == ("completed", None)
        assert progress(bert, completed, points=1).refusal == (409, "attempt_not_in_progress")
    over_at = "2026-01-01T00:01:00.000Z"
    assert set(seen) == {((409, "attempt_frozen"), over_at, lobby_id, over_at, over_at)}


def test_a_session_that_would_outlast_its_window_ends_with_it() -> None:
    """Without a word of a session."""
    here = _arena({"label": "late", "type": "elapsed", "value": 7_200})
    filled(here, *_NAMES)
    before = Since(here)
    here.advance(hours=3)
    assert before.of("session.terminated") == []
    assert len(before.of("lobby.closed")) == 1


def test_progress_that_waits_to_be_told_is_told_first() -> None:
    """The debounced event of an attempt comes before it is frozen."""
    here = _arena(_FIRST)
    _, players = filled(here, *_NAMES)
    (player, attempt) = players[1]
    progress(player, attempt, points=7)
    first = len(here.events)
    progress(*players[0], points=100)
    about = [event.kind for event in here.events[first:] if event.data.get("attemptId") == attempt]
    assert about == ["event.progress_updated", "session.frozen"]
    here.advance(seconds=10)
    later = [event.kind for event in here.events[first:] if event.data.get("attemptId") == attempt]
    assert later == about


def test_one_taken_off_the_board_is_not_in_play() -> None:
    """The studio's removal ends the attempt, and what follows from it comes at once."""
    here = _arena(_LAST_TWO)
    lobby_id, players = filled(here, *_NAMES)
    progress(*players[0], points=5)
    before = Since(here)
    board_id = lobby_of(here, lobby_id)["leaderboardId"]
    ask(here.server, "leaderboards.removeEventEntry", external_id=players[0][0].external_id, leaderboard_id=board_id)
    assert len(before.of("session.terminated")) == 1
    assert found_wrong(here) == []


def test_one_taken_off_the_board_wins_nothing_where_that_ends_the_session() -> None:
    """The board is final and paid only without the player."""
    here = _arena({"label": "one-left", "type": "remaining", "value": 1}, resolution="close", capacity=2)
    lobby_id, players = filled(here, "anna", "bert")
    anna, bert = sorted(players, key=lambda player: str(player[0].external_id))
    progress(*anna, points=99)
    progress(*bert, points=5)
    before = Since(here)
    board_id = lobby_of(here, lobby_id)["leaderboardId"]
    ask(here.server, "leaderboards.removeEventEntry", external_id="anna", leaderboard_id=board_id)
    assert [(row["externalPlayerId"], row["entries"]) for row in before.of("grant.created")] == [("bert", [gold(9)])]
    (told,) = before.of("leaderboard.finalized")
    ranks: Any = told["topRanks"]
    assert [(row["rank"], row["externalPlayerId"]) for row in ranks] == [(1, "bert")]
    assert places(here, board_id) == [(1, "bert", 5)]
    assert board(here, board_id)["leaderboard.entryCount"] == 1
    assert found_wrong(here) == []
